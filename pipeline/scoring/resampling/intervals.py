"""Intervals and rank ranges from bootstrap samples of the sentences.

There are intervals of scores, of all outputs, and of scores by category.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from ...errors import InputError
from ...metrics.base import Metric
from ..aggregation import DRAWN_MEANS, SENTENCES, SystemCounts
from ..metric_results import MetricResult
from ..results import Breakdown, Category, Spread
from ..sentences import aggregation_of
from ..sums import Summand
from ..terms import Beside, CategoryTerms, tiers
from .samples import (
    MAX_BYTES_REREADING,
    MAX_WEIGHT_BYTES,
    Bootstrap,
    Bytes,
    Progress,
    SampleCluster,
    SampleGroups,
)

if TYPE_CHECKING:
    from ...data.config.models import StatisticsConfig


def summands(counts: SystemCounts) -> list[Summand]:
    """Return the summands of a metric's score; raises InputError if it cannot be sampled."""
    reason = unsupported(counts.metric)
    if reason:
        raise InputError(reason)
    return aggregation_of(counts.metric).summands(counts)


def unsupported(metric: Metric) -> str | None:
    """Return why there are no intervals and tests for a metric, or None."""
    if metric.level == DRAWN_MEANS:
        return (
            f"{metric.name}: level: bootstrap has intervals of its own, and no tests "
            "(level: mean has both)"
        )
    if metric.level not in SENTENCES and any(field.real for field in metric.terms):
        return (
            f"{metric.name}: sums of real numbers have neither intervals nor tests "
            "(level: mean has)"
        )
    return None


def bootstrap(
    parts: Sequence[Summand],
    systems: int,
    lines: int,
    samples: int,
    seed: int,
    progress: Progress | None = None,
    threads: int = 1,
    cluster: SampleCluster | None = None,
) -> dict[str, Floats]:
    """Return the outputs of the systems in bootstrap samples of the sentences.

    Each is float64 [samples, systems]. The score is the first; if sentence scores are averaged, it
    is all that the parts of a score have. All systems and metrics have the same samples. If
    references are drawn, sample b takes the draws of iteration b, modulo the number of iterations,
    and turns of them. The threads share the samples, or the workers of a cluster if the counts are
    read again for each group.
    """

    def outputs(first_sample: int, weights: Bytes) -> dict[str, Floats]:
        tables: dict[str, Floats] = {}
        for part in parts:
            for number, share, values in part.sampled(weights, first_sample):
                for name, column in values.items():
                    if name not in tables:
                        tables[name] = np.zeros((len(weights), systems))
                    tables[name][:, number] += share * column
        return tables

    groups = SampleGroups(
        Bootstrap(lines, seed),
        samples,
        threads=threads,
        max_bytes=weight_bytes(parts, threads),
        cluster=cluster,
    )
    tables = groups.results(outputs, progress)
    return {
        name: np.concatenate([table[name] for table in tables]) for name in tables[0]
    }


def weight_bytes(parts: Sequence[Summand], threads: int) -> int:
    """Make the terms that are cached between groups of samples.

    Return how many bytes weights may take beside them.
    """
    cached = [bool(part.cache(threads)) for part in parts]
    return MAX_WEIGHT_BYTES if all(cached) else MAX_BYTES_REREADING


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest values lie outside an interval; as many of the highest do."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds of the percentile interval of values [samples, ...], as in sacreBLEU.

    Of 1,000 values, at level 0.95, these are the 26th lowest and the 26th highest (Efron and
    Tibshirani 1993, ch. 13).
    """
    ordered = np.sort(values, axis=0)
    outside = cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]


def defined_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval of those values [samples] that are numbers; NaN if none is."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return math.nan, math.nan
    low, high = percentile_interval(present, level)
    return float(low), float(high)


MAX_GROUPS = 1000
"""No letters are given if there would be more groups of systems than this."""


def rank_ranges(samples: Floats, level: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system in scores of bootstrap samples.

    The scores are float64 [samples, systems]. Extreme ranks are left out on both sides, as
    percentile_interval() does with scores. Of 1,000 samples, at level 0.95, these are the 25 best
    and the 25 worst ranks (Bojar et al. 2013, findings of WMT13, section 3).
    """
    keys = np.where(np.isnan(samples), -np.inf, samples)
    ranks = np.empty(samples.shape, np.int64)
    for number in range(samples.shape[1]):
        ranks[:, number] = 1 + (keys > keys[:, [number]]).sum(axis=1)
    ranks.sort(axis=0)
    outside = cut(len(samples), level)
    best = ranks[outside].tolist()
    worst = ranks[len(samples) - 1 - outside].tolist()
    return list(zip(best, worst, strict=True))


def clusters(ranks: Sequence[int], ranges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of each system's cluster, from 1.

    In the order of ranks, a new cluster begins where the worst rank of all systems above is better
    than the best rank of all systems below. `ranges` are those ranks of each system. Systems with
    the same rank are in one cluster.
    """
    worst_ranks: dict[int, int] = {}
    best_ranks: dict[int, int] = {}
    for rank, (best, worst) in zip(ranks, ranges, strict=True):
        worst_ranks[rank] = max(worst, worst_ranks.get(rank, worst))
        best_ranks[rank] = min(best, best_ranks.get(rank, best))
    order = sorted(worst_ranks)

    cluster = 1
    cluster_of_rank: dict[int, int] = {}
    worst_above = 0
    for index, rank in enumerate(order):
        best_below = min(best_ranks[lower] for lower in order[index:])
        if index > 0 and worst_above < best_below:
            cluster += 1
        cluster_of_rank[rank] = cluster
        worst_above = max(worst_above, worst_ranks[rank])
    return [cluster_of_rank[rank] for rank in ranks]


def letters(ranks: Sequence[int], different: Collection[tuple[int, int]]) -> list[str]:
    """Return letters for systems: two systems share one unless they differ significantly.

    This is the compact letter display of Piepho 2004. `different` are the pairs of systems (their
    numbers, in either order) whose difference is significant. The best system, by its rank, has an
    a. If there would be more than MAX_GROUPS letters, all systems get an empty text.
    """
    pairs = {tuple(sorted(pair)) for pair in different}
    groups = [frozenset(range(len(ranks)))]
    for pair in sorted(pairs):
        split = [group for group in groups if not group.issuperset(pair)]
        for group in groups:
            if group.issuperset(pair):
                split += [group - {number} for number in pair]
        groups = []
        for group in dict.fromkeys(split):
            if not any(group < other for other in split):
                groups.append(group)
        if len(groups) > MAX_GROUPS:
            return [""] * len(ranks)

    groups.sort(key=lambda group: sorted((ranks[number], number) for number in group))
    texts = [""] * len(ranks)
    for index, group in enumerate(groups):
        letter = (
            ascii_letters[index] if index < len(ascii_letters) else f"({index + 1})"
        )
        for number in group:
            texts[number] += letter
    return texts


def with_mean(metric_result: MetricResult, samples: Floats) -> Floats:
    """Return samples [samples, systems] with the mean of the references, if it has a row."""
    if len(metric_result.scores) == len(metric_result.columns):
        return samples
    references = []
    for number, reference in enumerate(metric_result.reference_of_system):
        if reference is not None:
            references.append(number)
    mean = samples[:, references].mean(axis=1, keepdims=True)
    return np.concatenate([samples, mean], axis=1)


def spreads_of(samples: Floats, level: float) -> list[Spread]:
    """Return the spread of each system's output [samples, systems]."""
    low, high = percentile_interval(samples, level)
    bounds = zip(low.tolist(), high.tolist(), strict=True)
    means = samples.mean(axis=0).tolist()
    deviations = [0.0] * len(means)
    if len(samples) > 1:
        deviations = samples.std(axis=0, ddof=1).tolist()
    return list(map(Spread, means, deviations, bounds))


MAX_SUM_BYTES = 1 << 27
"""The most bytes of the sums by category of all systems that are sampled at once."""


def with_category_intervals(
    metric_result: MetricResult, settings: "StatisticsConfig"
) -> tuple[Breakdown, ...]:
    """Return the scores by category with intervals.

    In every sample, the references of a sentence are those that were chosen for the whole set.
    """
    if not metric_result.parts or not metric_result.breakdown:
        return metric_result.breakdown
    metric = metric_result.metric
    terms = CategoryTerms(metric, metric_result.categories)
    tiers_by_number = tiers(metric, metric_result.categories)
    completed: dict[tuple[str, int], Breakdown] = {}
    for system, sums in _category_sums(terms, metric_result, settings):
        for part in metric_result.breakdown:
            if part.system != system:
                continue
            tier = tiers_by_number[part.tier]
            bounds: dict[str, list[tuple[float, float]]] = {}
            for name, values in metric.score(tier.counts(terms, sums)).items():
                if name not in metric.counts:
                    low, high = percentile_interval(values, settings.level)
                    bounds[name] = list(zip(low.tolist(), high.tolist(), strict=True))
            categories = []
            for item in part.categories:
                index = tier.names.index(item.category)
                categories.append(_with_bounds(item, bounds, index))
            completed[system, part.tier] = replace(part, categories=tuple(categories))
    return tuple(completed[part.system, part.tier] for part in metric_result.breakdown)


def _with_bounds(
    item: Category, bounds: Mapping[str, Sequence[tuple[float, float]]], index: int
) -> Category:
    return replace(
        item, intervals={name: values[index] for name, values in bounds.items()}
    )


def _category_sums(
    terms: CategoryTerms, metric_result: MetricResult, settings: "StatisticsConfig"
) -> Iterator[tuple[str, Floats]]:
    """Yield each system with its sums in the samples: [samples, width].

    As many systems are sampled at once as memory allows.
    """
    systems = list(map(Beside, metric_result.columns, metric_result.parts))
    names = metric_result.names
    bytes_of_system = 8 * settings.resamples * terms.schema.width
    group_size = max(MAX_SUM_BYTES // bytes_of_system, 1)
    for start in range(0, len(systems), group_size):
        group = systems[start : start + group_size]
        shares = [1.0] * len(group)
        part = Summand(terms, group, metric_result.lines, range(len(group)), shares)
        weights = Bootstrap(metric_result.lines, settings.seed)
        groups = SampleGroups(weights, settings.resamples)
        results = groups.results(lambda _, weights: part.sums(weights))  # noqa: B023
        sums = np.concatenate(results).transpose(1, 0, 2)
        yield from zip(names[start : start + group_size], sums, strict=True)
