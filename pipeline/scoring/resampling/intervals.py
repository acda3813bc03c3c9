"""Intervals and rank ranges from bootstrap samples of the sentences: of scores, all outputs, and
scores by category.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from ...errors import InputError
from ...metrics.base.metric import Metric
from ..aggregation import DRAWN_MEANS, SENTENCES, SystemCounts
from ..metric_results import MetricResult
from ..results import Breakdown, Spread
from ..sentences import aggregation_of
from ..sums import Summand
from ..terms import Beside, CategoryTerms, tiers
from .samples import ALONE, GROUP, Bootstrap, Bytes, Far, Groups, Progress

if TYPE_CHECKING:
    from ...data.config.models import StatisticsConfig


def summands(counts: SystemCounts) -> list[Summand]:
    """Return the summands of a metric's score; raises InputError where it cannot be sampled."""
    if reason := unsupported(counts.metric):
        raise InputError(reason)
    return aggregation_of(counts.metric).summands(counts)


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
    far: Far | None = None,
) -> dict[str, Floats]:
    """Return the outputs of the systems in bootstrap samples of the sentences: float64 [samples,
    systems] each.

    The score is the first; where sentence scores are averaged, it is all that the parts of a score
    have. All systems and metrics have the same samples. Where references are drawn, sample b takes
    the draws of iteration b, modulo the number of iterations, and turns of them. The threads share
    the samples, or the workers of a cluster (`far`) where the counts are read again for each group.
    """

    def outputs(low: int, weights: Bytes) -> dict[str, Floats]:
        tables: dict[str, Floats] = {}
        for part in parts:
            for number, share, values in part.sampled(weights, low):
                for name, own in values.items():
                    tables.setdefault(name, np.zeros((len(weights), systems)))[:, number] += (
                        share * own
                    )
        return tables

    groups = Groups(
        Bootstrap(lines, seed), samples, threads=threads, space=room_beside(parts, threads), far=far
    )
    tables = groups.results(outputs, progress)
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


def room_beside(parts: Sequence[Summand], threads: int) -> int:
    """Make the terms that are kept between groups of samples; return how many bytes weights may
    take beside them.
    """
    kept = [bool(part.keep(threads)) for part in parts]
    return GROUP if all(kept) else ALONE


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest values lie outside an interval; as many of the highest do."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds between which the share `level` of values [samples, ...] lies, as in
    sacreBLEU.

    Of 1,000 values, at level 0.95, these are the 26th lowest and the 26th highest (Efron and
    Tibshirani 1993, ch. 13)."""
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]


def defined_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval of those of the values [samples] that are numbers; NaN where
    none is."""
    present = values[~np.isnan(values)]
    low, high = percentile_interval(present, level) if len(present) else (math.nan, math.nan)
    return float(low), float(high)


MAX_GROUPS = 1000
"""No letters are given where there would be more groups of systems than this."""


def rank_ranges(samples: Floats, level: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system in scores of bootstrap samples, float64
    [samples, systems].

    Extreme ranks are left out on both sides, as percentile_interval() does with scores. Of 1,000
    samples, at level 0.95, these are the 25 best and the 25 worst ranks (Bojar et al. 2013,
    findings of WMT13, section 3)."""
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

    In the order of ranks, a new cluster begins where the worst rank of all systems above is better
    than the best rank of all systems below. `ranges` are those ranks of each system. Systems with
    the same rank are in one cluster."""
    numbers = [0] * len(ranks)
    cluster = 1
    order = sorted(set(ranks))
    for above, rank in zip([None, *order], order, strict=False):
        if above is not None:
            worst = max(
                bounds[1] for own, bounds in zip(ranks, ranges, strict=True) if own <= above
            )
            best = min(bounds[0] for own, bounds in zip(ranks, ranges, strict=True) if own >= rank)
            cluster += worst < best
        for number, own in enumerate(ranks):
            if own == rank:
                numbers[number] = cluster
    return numbers


def letters(ranks: Sequence[int], different: Collection[tuple[int, int]]) -> list[str]:
    """Return letters for systems: two systems share a letter unless they differ (compact letter
    display, Piepho 2004).

    `different` are the pairs of systems (their numbers, in either order) whose difference is
    significant. The best system, by its rank, has an a. Where there would be more than MAX_GROUPS
    letters, all systems get an empty text."""
    pairs = {frozenset(pair) for pair in different}
    groups = [frozenset(range(len(ranks)))]
    for pair in sorted(tuple(sorted(pair)) for pair in pairs):
        split = [group for group in groups if not group.issuperset(pair)]
        split += [group - {number} for group in groups if group.issuperset(pair) for number in pair]
        groups = [
            group for group in dict.fromkeys(split) if not any(group < other for other in split)
        ]
        if len(groups) > MAX_GROUPS:
            return [""] * len(ranks)
    groups.sort(key=lambda group: sorted((ranks[number], number) for number in group))
    names = [
        ascii_letters[i] if i < len(ascii_letters) else f"({i + 1})" for i in range(len(groups))
    ]
    return [
        "".join(n for n, group in zip(names, groups, strict=True) if i in group)
        for i in range(len(ranks))
    ]


def with_mean(measured: MetricResult, samples: Floats) -> Floats:
    """Return samples [samples, systems] with the mean of the references, where the board has a row
    for it."""
    if len(measured.scores) == len(measured.columns):
        return samples
    references = [number for number, own in enumerate(measured.own) if own is not None]
    return np.concatenate([samples, samples[:, references].mean(axis=1, keepdims=True)], axis=1)


def spreads_of(samples: Floats, level: float) -> list[Spread]:
    """Return the spread of each system's output [samples, systems]."""
    low, high = (bounds.tolist() for bounds in percentile_interval(samples, level))
    means = samples.mean(axis=0).tolist()
    deviations = samples.std(axis=0, ddof=1).tolist() if len(samples) > 1 else [0.0] * len(means)
    return list(map(Spread, means, deviations, zip(low, high, strict=True)))


ROOM = 1 << 27
"""The sums of samples of some systems may take so many bytes."""


def with_category_intervals(
    metric_result: MetricResult, settings: "StatisticsConfig"
) -> tuple[Breakdown, ...]:
    """Return the scores by category with intervals.

    In every sample, the references of a sentence are those that were chosen for the whole set."""
    if not metric_result.parts or not metric_result.breakdown:
        return metric_result.breakdown
    terms = CategoryTerms(metric_result.metric, metric_result.categories)
    every, completed = (
        tiers(metric_result.metric, metric_result.categories),
        dict[tuple[str, int], Breakdown](),
    )
    for system, sums in _sums(terms, metric_result, settings):
        for part in (part for part in metric_result.breakdown if part.system == system):
            tier, ends = every[part.tier], dict[str, list[tuple[float, float]]]()
            for name, values in metric_result.metric.score(tier.counts(terms, sums)).items():
                if name not in metric_result.metric.counts:
                    low, high = percentile_interval(values, settings.level)
                    ends[name] = list(zip(low.tolist(), high.tolist(), strict=True))
            placed = ((item, tier.names.index(item.category)) for item in part.categories)
            made = [
                replace(item, intervals={name: own[place] for name, own in ends.items()})
                for item, place in placed
            ]
            completed[system, part.tier] = replace(part, categories=tuple(made))
    return tuple(completed[part.system, part.tier] for part in metric_result.breakdown)


def _sums(
    terms: CategoryTerms, measured: MetricResult, settings: "StatisticsConfig"
) -> Iterator[tuple[str, Floats]]:
    """Yield each system with its sums in the samples: [samples, width]. So many systems at once as
    there is room."""
    systems, names = [*map(Beside, measured.columns, measured.parts)], measured.names
    several = max(ROOM // (8 * settings.resamples * terms.schema.width), 1)
    for start in range(0, len(systems), several):
        own = systems[start : start + several]
        part = Summand(terms, own, measured.lines, range(len(own)), [1.0] * len(own))
        groups = Groups(Bootstrap(measured.lines, settings.seed), settings.resamples)
        sums = np.concatenate(groups.results(lambda _, weights: part.sums(weights)))  # noqa: B023
        yield from zip(names[start : start + several], sums.transpose(1, 0, 2), strict=True)
