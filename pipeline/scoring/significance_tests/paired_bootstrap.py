"""The paired bootstrap test, from the same samples as the intervals."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Floats
from ..resampling.paired_tests import TIE, Pair
from . import PairedScores, SignificanceTest


def paired_bootstrap(
    samples: Floats, scores: Sequence[float], pairs: Sequence[Pair]
) -> list[float]:
    """Return p = (c + 1) / (samples + 1) of each pair of systems, from scores of bootstrap samples.

    `samples` is float64 [samples, systems]. c is the number of samples whose absolute difference,
    minus the mean of these, is above the real difference (Moses,
    bootstrap-hypothesis-difference-significance.pl; sacreBLEU).
    """
    values = []
    for one, two in pairs:
        differences = np.abs(samples[:, two] - samples[:, one])  # [samples]
        centred = differences - differences.mean()
        real = abs(scores[two] - scores[one])
        larger = max(abs(scores[one]), abs(scores[two]))
        limit = real + TIE * larger
        count = int((centred > limit).sum())
        values.append((count + 1) / (len(samples) + 1))
    return values


def _p_values(systems: PairedScores) -> list[float]:
    return paired_bootstrap(systems.samples, systems.scores, systems.pairs)


TEST = SignificanceTest(
    summary="from the bootstrap samples of the intervals; has sacreBLEU's p-values",
    p_values=_p_values,
    samples="resamples",
    short_name="bs",
    citations=("koehn-2004-statistical",),
)
