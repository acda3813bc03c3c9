"""Intervals and rank ranges from bootstrap samples of the sentences: of scores, all outputs, and scores by category."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ..aggregation import DRAWN_MEANS, SENTENCES, SystemCounts
from ..categories import Beside, CategoryTerms, tiers
from ..results import Breakdown, Score, Spread
from ..sentences import OutputTerms, aggregation_of, sentence_outputs
from ..sums import Summand
from .reselected import ReselectedSamples, is_reselected
from .samples import ALONE, GROUP, Bootstrap, Groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats
    from ...config.models import StatisticsConfig
    from ...metrics.base.metric import Metric
    from ..board import Board
    from ..column_blocks import HasBlocks
    from .samples import Bytes, Progress


def summands(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None] = ()
) -> list[Summand]:
    """Return the summands of a metric's score; raises InputError where it cannot be sampled. For `own` see reduce()."""
    if reason := unsupported(metric):
        raise InputError(reason)
    counts = SystemCounts(metric=metric, systems=systems, lines=lines, references=references, own=own)
    return aggregation_of(metric).summands(counts)


def unsupported(metric: Metric) -> str | None:
    """Return why there are no intervals and tests for a metric, or None."""
    if metric.level == DRAWN_MEANS:
        return f"{metric.name}: level: bootstrap has intervals of its own, and no tests (level: mean has both)"
    if metric.level not in SENTENCES and any(field.real for field in metric.terms):
        return f"{metric.name}: sums of real numbers have neither intervals nor tests (level: mean has)"
    return None


def bootstrap(
    parts: Sequence[Summand | ReselectedSamples],
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
    samples_of = sampled_outputs(parts, systems, lines, samples, seed, progress, threads, score_alone=True)
    return next(iter(samples_of.values()))


def sampled_outputs(
    parts: Sequence[Summand | ReselectedSamples],
    systems: int,
    lines: int,
    samples: int,
    seed: int,
    progress: Progress | None = None,
    threads: int = 1,
    *,
    score_alone: bool = False,
) -> dict[str, Floats]:
    """Return the outputs of the systems in the same samples, the score first: float64 [samples, systems] each."""

    def outputs(low: int, weights: Bytes) -> dict[str, Floats]:
        tables: dict[str, Floats] = {}
        for part in parts:
            for number, share, values in part.sampled(weights, low):
                for name in islice(values, 1 if score_alone else None):
                    table = tables.setdefault(name, np.zeros((len(weights), systems)))
                    table[:, number] += share * values[name]
        return tables

    groups = Groups(Bootstrap(lines, seed), samples, lines, threads=threads, space=room_beside(parts, threads))
    tables = groups.results(outputs, progress)
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def room_beside(parts: Sequence[Summand | ReselectedSamples], threads: int) -> int:
    """Make the terms that are kept between groups of samples; return how many bytes weights may take beside them."""
    kept = [not isinstance(part, Summand) or bool(part.keep(threads)) for part in parts]
    return GROUP if all(kept) else ALONE


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest values lie outside an interval; as many of the highest do."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds between which the share `level` of values [samples, ...] lies, as in sacreBLEU.

    Of 1,000 values, at level 0.95, these are the 26th lowest and the 26th highest (Efron and Tibshirani 1993, ch. 13).
    """
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]


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
        split = [group for group in groups if not group.issuperset(pair)]
        split += [group - {number} for group in groups if group.issuperset(pair) for number in pair]
        groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
        if len(groups) > MAX_GROUPS:
            return [""] * len(ranks)
    groups.sort(key=lambda group: sorted((ranks[number], number) for number in group))
    names = [ascii_letters[i] if i < len(ascii_letters) else f"({i + 1})" for i in range(len(groups))]
    return ["".join(n for n, group in zip(names, groups, strict=True) if i in group) for i in range(len(ranks))]


def with_output_intervals(
    measured: Board, scores: Sequence[Score], settings: StatisticsConfig, reselected: ReselectedSamples | None
) -> list[Score]:
    """Return the scores of a metric with the intervals of their outputs that are fractions.

    Outputs that count have none. `reselected` chooses annotators anew in each sample, where that is asked for.
    """
    metric, systems, lines = measured.metric, measured.columns, measured.lines
    parts: list[Summand | ReselectedSamples]
    if reselected:
        parts = [reselected]
    elif metric.level in SENTENCES:
        terms = OutputTerms.of(metric, systems, lines, sentence_outputs)
        parts = [Summand(terms, systems, lines, range(len(systems)), [1.0] * len(systems))]
    else:
        parts = [*summands(metric, systems, lines, measured.references, measured.own)]
    samples = sampled_outputs(parts, len(systems), lines, settings.resamples, settings.seed)
    fractions = [name for name in samples if metric.counts.isdisjoint((name, re.sub(r"_\d+\Z", "", name)))]
    spreads = {name: spreads_of(with_mean(measured, samples[name]), settings.level) for name in fractions}
    return [
        replace(score, intervals={name: own[number] for name, own in spreads.items() if name in score.outputs})
        for number, score in enumerate(scores)
    ]


def with_mean(measured: Board, samples: Floats) -> Floats:
    """Return samples [samples, systems] with the mean of the references, where the board has a row for it."""
    if len(measured.scores) == len(measured.columns):
        return samples
    references = [number for number, own in enumerate(measured.own) if own is not None]
    return np.concatenate([samples, samples[:, references].mean(axis=1, keepdims=True)], axis=1)


def spreads_of(samples: Floats, level: float) -> list[Spread]:
    """Return the spread of each system's output [samples, systems]."""
    low, high = (bounds.tolist() for bounds in percentile_interval(samples, level))
    means = samples.mean(axis=0).tolist()
    deviations = samples.std(axis=0, ddof=1).tolist() if len(samples) > 1 else [0.0] * len(means)
    rows = zip(means, deviations, low, high, strict=True)
    return [Spread(mean, std, (least, most)) for mean, std, least, most in rows]


ROOM = 1 << 27
"""The sums of samples of some systems may take so many bytes."""


def with_category_intervals(board: Board, settings: StatisticsConfig) -> tuple[Breakdown, ...]:
    """Return the scores by category with intervals.

    The references of a sentence are those that were chosen for the whole set, in every sample, unless they are chosen
    anew for each.
    """
    if not board.parts or not board.breakdown:
        return board.breakdown
    terms = CategoryTerms(board.metric, board.categories)
    intervals: dict[tuple[str, int, str], dict[str, tuple[float, float]]] = {}  # by system, tier and category
    for system, sums in _sums(terms, board, settings):
        for number, tier in tiers(board.metric, board.categories).items():
            outputs = board.metric.score(tier.counts(terms, sums))
            for name in (name for name in outputs if name not in board.metric.counts):
                low, high = (bounds.tolist() for bounds in percentile_interval(outputs[name], settings.level))
                for category, ends in zip(tier.names, zip(low, high, strict=True), strict=True):
                    intervals.setdefault((system, number, category), {})[name] = ends
    return tuple(
        replace(
            part,
            categories=tuple(
                replace(item, intervals=intervals[part.system, part.tier, item.category]) for item in part.categories
            ),
        )
        for part in board.breakdown
    )


def _sums(terms: CategoryTerms, measured: Board, settings: StatisticsConfig) -> Iterator[tuple[str, Floats]]:
    """Yield each system with its sums in the samples: [samples, width]. So many systems at once as there is room."""
    systems, names = [*map(Beside, measured.columns, measured.parts)], measured.names
    several = max(ROOM // (8 * settings.resamples * terms.schema.width), 1)
    for start in range(0, len(systems), several):
        own = systems[start : start + several]
        part: Summand | ReselectedSamples = Summand(terms, own, measured.lines, range(len(own)), [1.0] * len(own))
        if is_reselected(measured.metric, settings):
            part = ReselectedSamples(terms, own)
        groups = Groups(Bootstrap(measured.lines, settings.seed), settings.resamples, measured.lines)
        sums = np.concatenate([part.sums(weights) for _, weights in groups])
        yield from zip(names[start : start + several], sums.transpose(1, 0, 2), strict=True)
