"""Scores of bootstrap samples of the sentences, and intervals from them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ..reduce import reducer_of
from ..references.base import DRAWN_MEANS, SENTENCES, SystemCounts
from ..weighted_sums import weighted_sums
from .sample_groups import ALONE, GROUP, Groups
from .sample_weights import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Floats
    from ...metrics.base.metric import Metric
    from ..column_blocks import HasBlocks
    from ..summands import Summand
    from .chosen_anew import ChosenAnew
    from .sample_groups import Progress
    from .sample_weights import Bytes


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


def bootstrap(
    parts: Sequence[Summand],
    systems: int,
    lines: int,
    samples: int,
    seed: int,
    progress: Progress | None = None,
    threads: int = 1,
) -> Floats:
    """Return the scores of the systems in bootstrap samples of the sentences: float64 [samples, systems].

    All systems and metrics have the same samples. Where references are drawn, sample b takes the draws of iteration b,
    modulo the number of iterations, and turns of them. The threads share the samples.
    """

    def scores(low: int, weights: Bytes) -> Floats:
        own = np.zeros((len(weights), systems))
        for summand in parts:
            totals = weighted_sums(summand, weights, low, whole=False).weighted
            for column, (number, share) in enumerate(zip(summand.numbers, summand.shares, strict=True)):
                own[:, number] += share * summand.score(totals[:, :, column])
        return own

    space = room_beside(parts, threads)
    groups = Groups(Bootstrap(lines, seed), samples, lines, threads=threads, space=space)
    return np.concatenate(groups.results(scores, progress))


def room_beside(parts: Sequence[Summand], threads: int) -> int:
    """Make the addends that are kept between groups of samples; return how many bytes weights may take beside them."""
    kept = [bool(summand.table.keep(threads)) for summand in parts]
    return GROUP if all(kept) else ALONE


def bootstrap_anew(anew: ChosenAnew, lines: int, samples: int, seed: int, progress: Progress | None = None) -> Floats:
    """Return the same as bootstrap(), with annotators chosen anew in each sample: float64 [samples, systems]."""

    def scores(_: int, weights: Bytes) -> Floats:
        return anew.kind.score(anew.sums(weights))

    return np.concatenate(Groups(Bootstrap(lines, seed), samples, lines).results(scores, progress))


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest values lie outside an interval; as many of the highest do."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds between which the share `level` of values [samples, ...] lies, as in sacreBLEU.

    Of 1,000 values, at level 0.95, these are the 26th lowest and the 26th highest (Efron and Tibshirani 1993, ch. 13).
    """
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]
