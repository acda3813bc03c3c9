"""Intervals of the scores by category, from the same bootstrap samples as those of the whole scores."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ..aggregation import DRAWN_MEANS, SENTENCES, SystemCounts
from ..categories import ByCategory, beside, tiers
from ..results import Spread
from ..sentences import SentenceOutputs, reducer_of
from ..sums import Summand, Table, weighted_sums
from .reselected import ReselectedSamples, is_chosen_anew
from .samples import ALONE, GROUP, Bootstrap, Groups

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats
    from ...config.models import WrittenStatistics
    from ...metrics.base.metric import Metric
    from ..board import Board
    from ..column_blocks import HasBlocks
    from ..results import Breakdown, Score
    from .samples import Bytes, Progress


# Scores of bootstrap samples of the sentences, and intervals from them.


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


def bootstrap_anew(
    anew: ReselectedSamples, lines: int, samples: int, seed: int, progress: Progress | None = None
) -> Floats:
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


# Ranges of ranks by bootstrap, clusters of systems, and letters that show which systems differ.


MAX_GROUPS = 1000
"""No letters are given where there would be more groups of systems than this."""


def rank_ranges(samples: NDArray[np.float64], level: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system in scores of bootstrap samples, float64 [samples, systems].

    Extreme ranks are left out on both sides, as percentile_interval() does with scores. Of 1,000 samples, at level
    0.95, these are the 25 best and the 25 worst ranks (Bojar et al. 2013, findings of WMT13, section 3).
    """
    keys = np.where(np.isnan(samples), -np.inf, samples)
    ranks = np.empty(samples.shape, np.int64)
    for number in range(samples.shape[1]):
        ranks[:, number] = 1 + (keys > keys[:, [number]]).sum(axis=1)
    ranks.sort(axis=0)
    outside = cut(len(samples), level)
    best, worst = ranks[outside].tolist(), ranks[len(samples) - 1 - outside].tolist()
    return list(zip(best, worst, strict=True))


def clusters(ranks: Sequence[int], ranges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of each system's cluster, from 1.

    In the order of ranks, a new cluster begins where the worst rank of all systems above is better than the best rank
    of all systems below. `ranges` are those ranks of each system. Systems with the same rank are in one cluster.
    """
    numbers = [0] * len(ranks)
    cluster = 1
    order = sorted(set(ranks))
    for above, rank in zip([None, *order], order, strict=False):
        if above is not None:
            worst = max(bounds[1] for own, bounds in zip(ranks, ranges, strict=True) if own <= above)
            best = min(bounds[0] for own, bounds in zip(ranks, ranges, strict=True) if own >= rank)
            cluster += worst < best
        for number, own in enumerate(ranks):
            if own == rank:
                numbers[number] = cluster
    return numbers


def letters(ranks: Sequence[int], different: Collection[tuple[int, int]]) -> list[str]:
    """Return letters for systems: two systems share a letter unless they differ (compact letter display, Piepho 2004).

    `different` are the pairs of systems (their numbers, in either order) whose difference is significant. The best
    system, by its rank, has an a. Where there would be more than MAX_GROUPS letters, all systems get an empty text.
    """
    pairs = {frozenset(pair) for pair in different}
    groups = [frozenset(range(len(ranks)))]
    for pair in sorted(tuple(sorted(pair)) for pair in pairs):
        split = [group for group in groups if not _both(pair, group)]
        split += [group - {number} for group in groups if _both(pair, group) for number in pair]
        groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
        if len(groups) > MAX_GROUPS:
            return [""] * len(ranks)
    groups.sort(key=lambda group: sorted((ranks[number], number) for number in group))
    names = [ascii_letters[i] if i < len(ascii_letters) else f"({i + 1})" for i in range(len(groups))]
    return ["".join(n for n, group in zip(names, groups, strict=True) if i in group) for i in range(len(ranks))]


def _both(pair: Sequence[int], group: Collection[int]) -> bool:
    """Whether both of a pair are in a group."""
    return all(number in group for number in pair)


# Intervals of all outputs of a metric, such as recall and precision, over the samples of the score's interval.


def with_output_intervals(
    measured: Board, scores: Sequence[Score], settings: WrittenStatistics, anew: ReselectedSamples | None
) -> list[Score]:
    """Return the scores of a metric with the intervals of their outputs that are fractions.

    Outputs that count have none. `anew` is what chooses annotators anew in each sample, where that is asked for.
    """
    samples: dict[str, Floats] = {}
    parts = _parts(measured) if anew is None else []
    for low, weights in Groups(Bootstrap(measured.lines, settings.seed), settings.resamples, measured.lines):
        for number, share, outputs in _of(anew, weights) if anew else _of_samples(parts, weights, low):
            for name in _fractions(measured, outputs):
                table = samples.setdefault(name, np.zeros((settings.resamples, len(measured.columns))))
                table[low : low + len(weights), number] += share * outputs[name]
    if measured.has_mean:
        mean = {name: table[:, measured.reference_rows].mean(axis=1, keepdims=True) for name, table in samples.items()}
        samples = {name: np.concatenate([table, mean[name]], axis=1) for name, table in samples.items()}
    spreads = {name: _spreads(table, settings.level) for name, table in samples.items()}
    return [
        replace(score, intervals={name: own[number] for name, own in spreads.items() if name in score.outputs})
        for number, score in enumerate(scores)
    ]


def _parts(measured: Board) -> list[Summand]:
    """Return the summands of the outputs."""
    if measured.metric.level not in SENTENCES:
        return summands(measured.metric, measured.columns, measured.lines, measured.references, measured.own)
    kind = SentenceOutputs.of(measured.metric, measured.columns, measured.lines)
    count = len(measured.columns)
    return [Summand(Table(kind, measured.columns, measured.lines), range(count), [1.0] * count)]


def _of_samples(parts: Sequence[Summand], weights: Bytes, low: int) -> Iterator[tuple[int, float, dict[str, Floats]]]:
    """Yield the number of a system, a share, and the outputs of a summand for weights [samples, lines]: [samples] each.

    The first of the samples has the number `low`.
    """
    for summand in parts:
        totals = weighted_sums(summand, weights, low, whole=False).weighted
        for column, (number, share) in enumerate(zip(summand.numbers, summand.shares, strict=True)):
            outputs = summand.table.kind.outputs_of(totals[:, :, column])
            yield number, share, {name: values.mean(axis=0) for name, values in outputs.items()}


def _of(anew: ReselectedSamples, weights: Bytes) -> Iterator[tuple[int, float, dict[str, Floats]]]:
    """Yield the same with annotators chosen anew in each sample."""
    outputs = anew.kind.outputs_of(anew.sums(weights))
    for number in range(len(anew.systems)):
        yield number, 1.0, {name: values[:, number] for name, values in outputs.items()}


def _fractions(measured: Board, outputs: dict[str, Floats]) -> list[str]:
    counts = measured.metric.counts
    return [name for name in outputs if name not in counts and _stem(name) not in counts]


def _stem(name: str) -> str:
    """Return the name of an output without the number of its order."""
    stem, _, order = name.rpartition("_")
    return stem if order.isdigit() else name


def _spreads(samples: Floats, level: float) -> list[Spread]:
    """Return the spread of each system's output [samples, systems]."""
    low, high = (bounds.tolist() for bounds in percentile_interval(samples, level))
    means = samples.mean(axis=0).tolist()
    deviations = samples.std(axis=0, ddof=1).tolist() if len(samples) > 1 else [0.0] * len(means)
    rows = zip(means, deviations, low, high, strict=True)
    return [Spread(mean, std, (least, most)) for mean, std, least, most in rows]


ROOM = 1 << 27
"""The sums of samples of some systems may take so many bytes."""

Intervals = dict[tuple[str, int, str], dict[str, tuple[float, float]]]


def with_category_intervals(board: Board, settings: WrittenStatistics) -> tuple[Breakdown, ...]:
    """Return the scores by category with intervals.

    The references of a sentence are those that were chosen for the whole set, in every sample, unless they are chosen
    anew for each.
    """
    if not board.parts or not board.breakdown:
        return board.breakdown
    intervals = _intervals(board, settings)
    return tuple(
        replace(
            part,
            categories=tuple(
                replace(item, intervals=intervals[part.system, part.tier, item.category]) for item in part.categories
            ),
        )
        for part in board.breakdown
    )


def _intervals(measured: Board, settings: WrittenStatistics) -> Intervals:
    """Return the intervals of the outputs that are fractions, by system, tier and category."""
    kind = ByCategory(measured.metric, measured.categories)
    intervals: Intervals = {}
    for system, sums in _sums(kind, measured, settings):
        for number, tier in tiers(measured.metric, measured.categories).items():
            outputs = measured.metric.score(tier.counts(kind, sums))
            for name, values in outputs.items():
                if name in measured.metric.counts:
                    continue
                low, high = (bounds.tolist() for bounds in percentile_interval(values, settings.level))
                for category, ends in zip(tier.names, zip(low, high, strict=True), strict=True):
                    intervals.setdefault((system, number, category), {})[name] = ends
    return intervals


def _sums(kind: ByCategory, measured: Board, settings: WrittenStatistics) -> Iterator[tuple[str, Floats]]:
    """Yield each system with its sums in the samples: [samples, width]. So many systems at once as there is room."""
    systems, names = beside(measured.columns, measured.parts), measured.names
    several = max(ROOM // (8 * settings.resamples * kind.schema.width), 1)
    for start in range(0, len(systems), several):
        own = systems[start : start + several]
        if settings.choice == "anew" and is_chosen_anew(measured.metric):
            of_samples = ReselectedSamples(kind, own).sums
        else:
            summand = Summand(Table(kind, own, measured.lines), range(len(own)), [1.0] * len(own))
            of_samples = partial(_weighted, summand)
        weights = Bootstrap(measured.lines, settings.seed)
        sums = [of_samples(rows) for _, rows in Groups(weights, settings.resamples, measured.lines)]
        yield from zip(names[start : start + several], np.concatenate(sums).transpose(1, 0, 2), strict=True)


def _weighted(summand: Summand, weights: Bytes) -> Floats:
    """Return the sums of systems for weights [samples, lines]: [samples, systems, width]. Nothing is drawn for them."""
    sums: Floats = weighted_sums(summand, weights, 0, whole=False).weighted[0]
    return sums
