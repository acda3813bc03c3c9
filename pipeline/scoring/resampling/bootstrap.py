"""Scores of bootstrap samples of the sentences, and intervals from them.

Memory is a few bytes a sentence (or GROUP bytes, and those of `weighted_sums.py`, where that is more).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ..reduce import reducer_of
from ..references.base import SENTENCES, SystemCounts
from ..weighted_sums import weighted_sums
from .sample_weights import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...arrays import Floats
    from ...metrics.base.metric import Metric
    from ..column_blocks import HasBlocks
    from ..summands import Summand
    from .sample_weights import Bytes, Weights

    Progress = Callable[[int, int], None]

GROUP = 1 << 27
"""Bytes of weights that are held at once, or a row where that is more."""
ROWS = 1000
"""Rows of weights at once, at most."""


def summands(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None] = ()
) -> list[Summand]:
    """Return what a metric's score is the sum of (own: as in reduce()). Raises InputError where it has no samples."""
    if reason := unsupported(metric):
        raise InputError(reason)
    return reducer_of(metric).summands(SystemCounts(metric, systems, lines, references, own))


def unsupported(metric: Metric) -> str | None:
    """Return why a metric has neither intervals nor tests, or None."""
    if metric.level not in SENTENCES and any(field.real for field in metric.terms):
        return f"{metric.name}: sums of real numbers have neither intervals nor tests (level: mean has)"
    return None


def groups(weights: Weights, samples: int, lines: int) -> Iterator[tuple[int, Bytes]]:
    """Yield (number of the first, weights) of as many samples at once as there is room for."""
    rows = min(max(GROUP // lines, 1), ROWS)
    for low in range(0, samples, rows):
        yield low, weights.take(min(rows, samples - low))


def bootstrap(
    chosen: Sequence[Summand], systems: int, lines: int, samples: int, seed: int, progress: Progress | None = None
) -> Floats:
    """Return the scores of the systems in bootstrap samples of the sentences: float64 [samples, systems].

    All systems and metrics have the same samples; sample b of a metric that draws references takes the draws of its
    iteration b, from the first again after the last, and their turns.
    """
    scores = np.zeros((samples, systems))
    for low, weights in groups(Bootstrap(lines, seed), samples, lines):
        for summand in chosen:
            totals = weighted_sums(summand, weights, low, whole=False).weighted
            for place, (number, share) in enumerate(zip(summand.numbers, summand.shares, strict=True)):
                scores[low : low + len(weights), number] += share * summand.score(totals[:, :, place])
        if progress:
            progress(low + len(weights), samples)
        del weights  # before the next are made
    return scores


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest, and of the highest, values lie outside an interval."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds of the middle `level` of values [samples, ...]: order statistics, as sacreBLEU takes them.

    Of 1,000 values, at level 0.95, the 26th lowest and the 26th highest. Efron and Tibshirani 1993, ch. 13.
    """
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]
