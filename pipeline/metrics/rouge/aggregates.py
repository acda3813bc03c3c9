"""Medians and intervals of the means of texts' scores in samples of the texts, as rouge-score's aggregator has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...arrays import Floats


def aggregates(
    outputs: Mapping[str, Floats], types: Sequence[Sequence[str]], samples: int, seed: int, confidence: float
) -> dict[str, float]:
    """Return the median of each output's means in the samples; then the ends of the intervals, name_low and name_high.

    `outputs` are float64 [texts]. `types` are the names of the outputs that share samples: those of each type. All
    samples come from one stream of numpy's RandomState, type after type, as BootstrapAggregator of rouge-score draws
    them from numpy's global one after numpy.random.seed(seed). Hugging Face's evaluate gives out its medians.
    """
    stream = np.random.RandomState(seed)
    tail = (1 - confidence) / 2
    percents = [100 * tail, 50, 100 * (1 - tail)]
    middle: dict[str, float] = {}
    ends: dict[str, float] = {}
    for names in types:
        values = np.stack([outputs[name] for name in names], axis=1)
        means = np.empty((samples, len(names)))
        for sample in range(samples):
            means[sample] = values[stream.choice(len(values), size=len(values))].mean(axis=0)
        for name, low, mid, high in zip(names, *np.percentile(means, percents, axis=0).tolist(), strict=True):
            middle[name] = mid
            ends |= {f"{name}_low": low, f"{name}_high": high}
    return middle | ends
