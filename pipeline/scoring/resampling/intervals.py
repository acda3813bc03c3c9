"""Intervals and rank ranges from bootstrap samples of the sentences.

There are intervals of scores, of all outputs, and of scores by category.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats, Ints
from ...errors import InputError
from ...metrics.base import Metric
from ..aggregation import DRAWN_MEANS, SENTENCES, SystemCounts
from ..metric_results import MetricResult
from ..rows import Breakdown, Spread, ranks
from ..sentences import aggregation_of
from ..sums import Summand
from ..terms import Beside, CategoryTerms, Outputs, Tier, tiers
from .samples import (
    MAX_BYTES_REREADING,
    MAX_WEIGHT_BYTES,
    Bootstrap,
    Bytes,
    Resources,
    SampleGroups,
)

if TYPE_CHECKING:
    from ...data.config import StatisticsConfig


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
    has_real_terms = any(field.real for field in metric.terms)
    if has_real_terms and metric.level not in SENTENCES:
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
    resources: Resources = Resources(),  # noqa: B008 (never changed)
) -> Outputs:
    """Return the outputs of the systems in bootstrap samples of the sentences.

    Each is float64 [samples, systems]. The score is the first; if sentence scores are averaged, it
    is all that the parts of a score have. All systems and metrics have the same samples. If
    references are drawn, sample b takes the draws of iteration b, modulo the number of iterations,
    and turns of them. The threads share the samples, or the workers of a cluster if the counts are
    read again for each group.
    """

    def outputs(first_sample: int, weights: Bytes) -> Outputs:
        tables: Outputs = {}
        for part in parts:
            for number, share, values in part.sampled(weights, first_sample):
                for name, column in values.items():
                    if name not in tables:
                        tables[name] = np.zeros((len(weights), systems))
                    tables[name][:, number] += share * column
        return tables

    max_bytes = weight_bytes(parts, resources.threads)
    groups = SampleGroups(Bootstrap(lines, seed), samples, resources, max_bytes)
    tables = groups.results(outputs)
    joined = {}
    for name in tables[0]:
        joined[name] = np.concatenate([table[name] for table in tables])
    return joined


def weight_bytes(parts: Sequence[Summand], threads: int) -> int:
    """Make the terms that are cached between groups of samples.

    Return how many bytes weights may take beside them.
    """
    cached = [bool(part.cache(threads)) for part in parts]
    return MAX_WEIGHT_BYTES if all(cached) else MAX_BYTES_REREADING


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest values of samples an interval leaves out.

    It leaves out as many of the highest.
    """
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(
    values: Floats | Ints, level: float
) -> tuple[Floats, Floats]:
    """Return the bounds of the percentile interval of values [samples, ...], as in sacreBLEU.

    Of 1,000 values, at level 0.95, these are the 26th lowest and the 26th highest (Efron and
    Tibshirani 1993, ch. 13).
    """
    ordered = np.sort(values, axis=0)
    lowest = cut(len(values), level)
    highest = len(values) - 1 - lowest
    return ordered[lowest], ordered[highest]


def defined_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval of those values [samples] that are numbers; NaN if none is."""
    is_number = ~np.isnan(values)
    present = values[is_number]
    if len(present) == 0:
        return math.nan, math.nan
    low, high = percentile_interval(present, level)
    return float(low), float(high)


@dataclass(frozen=True)
class RankRanges:
    """The best and the worst rank of each system in bootstrap samples."""

    ranges: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, samples: Floats, level: float) -> "RankRanges":
        """Return the rank ranges of systems in scores of samples: float64 [samples, systems].

        Extreme ranks are left out on both sides, as percentile_interval() does with scores. Of
        1,000 samples, at level 0.95, these are the 25 best and the 25 worst ranks (Bojar et al.
        2013, findings of WMT13, section 3).
        """
        scores = np.where(np.isnan(samples), -np.inf, samples)
        ranks_of_systems = []
        for scores_of_system in scores.T:
            # [samples, systems]
            is_better = scores > scores_of_system[:, None]
            ranks_of_systems.append(1 + is_better.sum(axis=1))
        ranks_in_samples = np.stack(ranks_of_systems, axis=1)
        best, worst = percentile_interval(ranks_in_samples, level)
        return cls(list(zip(best.tolist(), worst.tolist(), strict=True)))

    def clusters(self, scores: Sequence[float]) -> list[int]:
        """Return the number of each system's cluster, from 1. `scores` rank the systems.

        In the order of ranks, a new cluster begins where the worst rank of all systems above is
        better than the best rank of all systems below. Systems with the same rank are in one
        cluster.
        """
        order_of_systems = ranks(scores)
        worst_ranks: dict[int, int] = {}
        best_ranks: dict[int, int] = {}
        for rank, (best, worst) in zip(
            order_of_systems, self.ranges, strict=True
        ):
            best_ranks[rank] = min(best, best_ranks.get(rank, best))
            worst_ranks[rank] = max(worst, worst_ranks.get(rank, worst))

        cluster = 1
        cluster_of_rank: dict[int, int] = {}
        order = sorted(best_ranks)
        for index, rank in enumerate(order):
            worst_above = [worst_ranks[above] for above in order[:index]]
            best_below = [best_ranks[below] for below in order[index:]]
            if worst_above and max(worst_above) < min(best_below):
                cluster += 1
            cluster_of_rank[rank] = cluster
        return [cluster_of_rank[rank] for rank in order_of_systems]


def with_mean(metric_result: MetricResult, samples: Floats) -> Floats:
    """Return scores of samples with a column for the mean of the references, if it has a row.

    `samples` is float64 [samples, systems].
    """
    if len(metric_result.scores) == len(metric_result.columns):
        return samples
    references = []
    for number, reference in enumerate(metric_result.reference_of_system):
        if reference is not None:
            references.append(number)
    mean = samples[:, references].mean(axis=1, keepdims=True)
    return np.hstack([samples, mean])


def spreads_of(samples: Floats, level: float) -> list[Spread]:
    """Return the spread of each system's output [samples, systems]."""
    means = samples.mean(axis=0)
    deviations = np.zeros(len(means))
    if len(samples) > 1:
        deviations = samples.std(axis=0, ddof=1)
    lows, highs = percentile_interval(samples, level)
    spreads = []
    for number, mean in enumerate(means.tolist()):
        std = float(deviations[number])
        low = float(lows[number])
        high = float(highs[number])
        spreads.append(Spread(mean, std, (low, high)))
    return spreads


MAX_SUM_BYTES = 1 << 27
"""The most bytes of the sums by category of all systems that are sampled at once."""


def with_category_intervals(
    metric_result: MetricResult, settings: "StatisticsConfig"
) -> tuple[Breakdown, ...]:
    """Return the scores by category with intervals.

    In every sample, the references of a sentence are those that were chosen for the whole set.
    """
    if not metric_result.parts or not metric_result.breakdown:
        return tuple(metric_result.breakdown)
    metric = metric_result.metric
    terms = CategoryTerms(metric, metric_result.categories)
    tiers_by_number = tiers(metric, metric_result.categories)
    completed: dict[tuple[str, int], Breakdown] = {}
    for system, sums in _category_sums(terms, metric_result, settings):
        for part in metric_result.breakdown:
            if part.system != system:
                continue
            tier = tiers_by_number[part.tier]
            counts = tier.counts(terms, sums)
            outputs = metric.score(counts)
            for name in metric.counts:
                outputs.pop(name, None)
            completed[system, part.tier] = _with_intervals(
                part, tier, outputs, settings.level
            )
    breakdown = []
    for part in metric_result.breakdown:
        breakdown.append(completed[part.system, part.tier])
    return tuple(breakdown)


def _with_intervals(
    part: Breakdown, tier: Tier, outputs: Outputs, level: float
) -> Breakdown:
    """Return scores by category with intervals, from outputs [samples, categories of the tier]."""
    bounds = {}
    for name, values in outputs.items():
        bounds[name] = percentile_interval(values, level)
    categories = []
    for item in part.categories:
        index = tier.names.index(item.category)
        intervals = {}
        for name, (lows, highs) in bounds.items():
            low = float(lows[index])
            high = float(highs[index])
            intervals[name] = (low, high)
        categories.append(replace(item, intervals=intervals))
    return replace(part, categories=tuple(categories))


def _category_sums(
    terms: CategoryTerms,
    metric_result: MetricResult,
    settings: "StatisticsConfig",
) -> Iterator[tuple[str, Floats]]:
    """Yield each system with its sums in the samples: [samples, width].

    As many systems are sampled at once as memory allows.
    """
    systems = list(map(Beside, metric_result.columns, metric_result.parts))
    bytes_of_system = 8 * settings.resamples * terms.schema.width
    group_size = max(MAX_SUM_BYTES // bytes_of_system, 1)
    for start in range(0, len(systems), group_size):
        group = systems[start : start + group_size]
        part = Summand.of(terms, group, metric_result.lines)
        weights = Bootstrap(metric_result.lines, settings.seed)
        groups = SampleGroups(weights, settings.resamples)
        results = groups.results(lambda _, weights: part.sums(weights))  # noqa: B023
        sums = np.concatenate(results).transpose(1, 0, 2)
        names = metric_result.names[start : start + len(group)]
        yield from zip(names, sums, strict=True)
