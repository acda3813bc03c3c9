"""Scores of bootstrap samples of the sentences, and intervals from them.

Memory is GROUP bytes and those of `weighted_sums.py`, or a few bytes for each sentence where that is more.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ..reduce import reducer_of
from ..references.base import DRAWN_MEANS, SENTENCES, SystemCounts
from ..weighted_sums import weighted_sums
from .sample_weights import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...arrays import Floats
    from ...metrics.base.metric import Metric
    from ..column_blocks import HasBlocks
    from ..summands import Summand
    from .chosen_anew import ChosenAnew
    from .sample_weights import Bytes, Weights

    Progress = Callable[[int, int], None]

GROUP = 1 << 27
"""At most so many bytes of weights are held at once, but at least one row."""
ROWS = 1000
"""At most so many rows of weights are held at once."""


def summands(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None] = ()
) -> list[Summand]:
    """Return the summands of a metric's score; raises InputError where it cannot be sampled. For `own` see reduce()."""
    if reason := unsupported(metric):
        raise InputError(reason)
    counts = SystemCounts(metric=metric, systems=systems, lines=lines, references=references, own=own)
    return reducer_of(metric).summands(counts)


def unsupported(metric: Metric) -> str | None:
    """Return why there are no intervals and tests for a metric, or None."""
    if metric.level == DRAWN_MEANS:
        return f"{metric.name}: level: bootstrap has intervals of its own, and no tests (level: mean has both)"
    if metric.level not in SENTENCES and any(field.real for field in metric.terms):
        return f"{metric.name}: sums of real numbers have neither intervals nor tests (level: mean has)"
    return None


def groups(weights: Weights, samples: int, lines: int) -> Iterator[tuple[int, Bytes]]:
    """Yield groups of samples, as large as there is room for: the number of the first sample, and the weights."""
    rows = min(max(GROUP // lines, 1), ROWS)
    for low in range(0, samples, rows):
        yield low, weights.take(min(rows, samples - low))


def bootstrap(
    parts: Sequence[Summand], systems: int, lines: int, samples: int, seed: int, progress: Progress | None = None
) -> Floats:
    """Return the scores of the systems in bootstrap samples of the sentences: float64 [samples, systems].

    All systems and metrics have the same samples. Where references are drawn, sample b takes the draws of iteration b,
    modulo the number of iterations, and turns of them.
    """
    scores = np.zeros((samples, systems))
    for low, weights in groups(Bootstrap(lines, seed), samples, lines):
        for summand in parts:
            totals = weighted_sums(summand, weights, low, whole=False).weighted
            for column, (number, share) in enumerate(zip(summand.numbers, summand.shares, strict=True)):
                scores[low : low + len(weights), number] += share * summand.score(totals[:, :, column])
        if progress:
            progress(low + len(weights), samples)
        del weights  # before the next ones are made
    return scores


def bootstrap_anew(anew: ChosenAnew, lines: int, samples: int, seed: int, progress: Progress | None = None) -> Floats:
    """Return the same as bootstrap(), with annotators chosen anew in each sample: float64 [samples, systems]."""
    scores = np.zeros((samples, len(anew.systems)))
    for low, weights in groups(Bootstrap(lines, seed), samples, lines):
        scores[low : low + len(weights)] = anew.kind.score(anew.sums(weights))
        if progress:
            progress(low + len(weights), samples)
        del weights  # before the next ones are made
    return scores


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest values lie outside an interval; as many of the highest do."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds between which the share `level` of values [samples, ...] lies, as in sacreBLEU.

    Of 1,000 values, at level 0.95, these are the 26th lowest and the 26th highest (Efron and Tibshirani 1993, ch. 13).
    """
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]
