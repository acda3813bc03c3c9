"""Adds intervals, rank ranges and comparisons to results, as `statistics` asks for them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...arrays import Floats
from ...errors import InputError, known_names
from ...parallel import processors
from ..aggregation import SENTENCES
from ..metric_results import MetricResult
from ..results import Results
from ..rows import Bootstrap, Comparison, Score, Spread
from ..sentences import OutputTerms, SentenceScores
from ..significance_tests import SIGNIFICANCE_TESTS, PairedScores
from ..sums import Summand
from ..terms import first
from . import intervals, paired_tests
from .samples import Progress, Resources, SampleCluster

if TYPE_CHECKING:
    from ...data.config import StatisticsConfig


def statistics_settings(
    written: Mapping[str, Any], systems: Iterable[str], prefix: str = ""
) -> StatisticsConfig:
    """Return the settings of intervals and tests.

    Raises InputError for wrong ones, an unknown test, and an unknown baseline.
    """
    from ...data.config import StatisticsConfig

    texts = {
        name: str(value) for name, value in written.items() if value is not None
    }
    settings = StatisticsConfig.from_settings(texts, prefix)
    for key, message in SIGNIFICANCE_TESTS.problems(settings):
        if key == "test":  # idle settings may come from the config of a run
            raise InputError(f"{prefix}{key}: {message}")
    names = list(dict.fromkeys(systems))
    if settings.baseline is not None and settings.baseline not in names:
        hint = known_names(settings.baseline, names)
        raise InputError(
            f"{prefix}baseline {settings.baseline}: no system is called so{hint}"
        )
    return settings


def with_statistics(
    results: Results,
    metric_results: Sequence[MetricResult],
    settings: StatisticsConfig,
    progress: Progress | None = None,
    threads: int | None = None,
    cluster: SampleCluster | None = None,
) -> tuple[Results, list[MetricResult]]:
    """Return results and scores of metrics with intervals, rank ranges and comparisons.

    The threads share samples and trials. None: there are as many as processors. If memory does
    not hold the counts, the workers of a cluster share them.
    """
    if progress:
        progress = _overall_progress(metric_results, settings, progress)
    resources = Resources(progress, threads or processors(), cluster)
    analysed = [analyse(one, settings, resources) for one in metric_results]
    warnings = list(results.warnings)
    for metric_result in analysed:
        warnings += _warnings(metric_result, settings)
    # results.json has `outputs` only if it is not the default
    left_out = {"outputs"} if settings.outputs == "score" else None
    completed = results.with_rows(
        analysed,
        warnings=list(dict.fromkeys(warnings)),
        statistics=settings.model_dump(exclude=left_out),
    )
    return completed, analysed


def _overall_progress(
    metric_results: Sequence[MetricResult],
    settings: StatisticsConfig,
    progress: Progress,
) -> Progress:
    """Return a function that reports the samples and trials of all metrics as one total.

    Otherwise a progress bar would begin again with each metric.
    """
    has_trials = (
        settings.test != SIGNIFICANCE_TESTS.NONE
        and SIGNIFICANCE_TESTS[settings.test].samples == "trials"
    )
    total = 0
    for metric_result in metric_results:
        total += settings.resamples
        if has_trials and pairs_of(metric_result, settings.baseline):
            total += settings.trials
    finished = 0

    def report(done: int, number: int) -> None:
        nonlocal finished
        progress(finished + done, total)
        if done == number:
            finished += number

    return report


def _warnings(
    metric_result: MetricResult, settings: StatisticsConfig
) -> Iterator[str]:
    """Yield warnings: no baseline to compare with, or too few samples for any p below the level."""
    if settings.test == SIGNIFICANCE_TESTS.NONE:
        return
    if (
        settings.baseline is not None
        and settings.baseline not in metric_result.names
    ):
        yield (
            f"{metric_result.dataset}: has no output of the baseline, {settings.baseline}: "
            "nothing is compared there"
        )
    name = SIGNIFICANCE_TESTS[settings.test].samples
    if not name:
        return
    samples = getattr(settings, name)
    comparisons = len(pairs_of(metric_result, settings.baseline))
    if settings.correction == "none":
        comparisons = min(comparisons, 1)
    alpha = 1 - Fraction(str(settings.level))
    if Fraction(comparisons, samples + 1) < alpha:
        return
    tests = "a comparison"
    if comparisons > 1:
        tests = f"{comparisons:,} comparisons, adjusted by {settings.correction.capitalize()},"
    yield (
        f"statistics: with {samples:,} {name} no p of {tests} can be below {float(alpha):g}: "
        f"nothing can be significant; set {name} to {math.floor(comparisons / alpha):,} or more"
    )


def analyse(
    metric_result: MetricResult,
    settings: StatisticsConfig,
    resources: Resources = Resources(),  # noqa: B008 (never changed)
) -> MetricResult:
    """Return the scores of a metric with their bootstrap, and with comparisons of systems."""
    metric = metric_result.metric

    # Samples of the score, for intervals and tests.
    summands = intervals.summands(metric_result.counts)
    outputs = _samples(metric_result, summands, settings, resources)
    samples = first(outputs)
    comparisons = _comparisons(
        metric_result, summands, samples, settings, resources
    )

    # Rank ranges and clusters.
    with_mean = intervals.with_mean(metric_result, samples)
    rank_ranges = intervals.RankRanges.of(
        metric.goodness(with_mean), settings.level
    )
    clusters = rank_ranges.clusters(
        [metric.goodness(score.score) for score in metric_result.scores]
    )
    bootstraps = []
    spreads = intervals.spreads_of(with_mean, settings.level)
    for spread, rank_range, cluster in zip(
        spreads, rank_ranges.ranges, clusters, strict=True
    ):
        bootstraps.append(
            Bootstrap(
                spread.mean, spread.std, spread.interval, rank_range, cluster
            )
        )

    # Intervals of the other outputs; counts have none.
    spreads_of_outputs: dict[str, list[Spread]] = {}
    if settings.outputs == "all":
        if metric.level in SENTENCES:
            terms = OutputTerms.of(
                metric,
                metric_result.columns,
                metric_result.lines,
                SentenceScores(metric).averaged_outputs,
            )
            all_outputs = [metric_result.counts.summand(terms)]
            without_progress = resources._replace(progress=None)
            outputs = _samples(
                metric_result, all_outputs, settings, without_progress
            )
        for name, values in outputs.items():
            without_order = re.sub(r"_\d+\Z", "", name)
            if metric.counts.isdisjoint((name, without_order)):
                rows = intervals.with_mean(metric_result, values)
                spreads_of_outputs[name] = intervals.spreads_of(
                    rows, settings.level
                )

    scores: list[Score] = []
    for number, score in enumerate(metric_result.scores):
        of_outputs = {}
        for name, column in spreads_of_outputs.items():
            if name in score.outputs:
                of_outputs[name] = column[number]
        scores.append(
            replace(score, bootstrap=bootstraps[number], intervals=of_outputs)
        )
    return replace(
        metric_result,
        scores=tuple(scores),
        tests=tuple(comparisons),
        breakdown=intervals.with_category_intervals(metric_result, settings),
    )


def _samples(
    metric_result: MetricResult,
    summands: Sequence[Summand],
    settings: StatisticsConfig,
    resources: Resources,
) -> dict[str, Floats]:
    """Return the outputs in bootstrap samples: float64 [samples, systems] each."""
    return intervals.bootstrap(
        summands,
        len(metric_result.columns),
        metric_result.lines,
        settings.resamples,
        settings.seed,
        resources,
    )


def pairs_of(
    metric_result: MetricResult, baseline: str | None
) -> list[paired_tests.Pair]:
    """Return the pairs of systems to compare: each system with the baseline, or all pairs.

    References are left out.
    """
    systems = []
    for number, reference in enumerate(metric_result.reference_of_system):
        if reference is None:
            systems.append(number)
    if baseline is None:
        return list(combinations(systems, 2))
    pairs = []
    for base in systems:
        if metric_result.names[base] == baseline:
            pairs += [(number, base) for number in systems if number != base]
    return pairs


def _comparisons(
    metric_result: MetricResult,
    summands: Sequence[Summand],
    samples: Floats,
    settings: StatisticsConfig,
    resources: Resources,
) -> list[Comparison]:
    """Compare the pairs of systems that pairs_of() names: each with the baseline, or all.

    The p-values of all pairs are corrected together. Without a test there are none. `samples` is
    float64 [samples, systems].
    """
    pairs: list[paired_tests.Pair] = []
    if settings.test != SIGNIFICANCE_TESTS.NONE:
        pairs = pairs_of(metric_result, settings.baseline)
    if not pairs:
        return []
    metric = metric_result.metric
    scores = [score.score for score in metric_result.scores]
    by_sentence = paired_tests.sentencewise(
        metric_result.sentence_scores(), pairs
    )
    test = SIGNIFICANCE_TESTS[settings.test]
    paired_scores = PairedScores(
        pairs=pairs,
        scores=scores,
        samples=samples,
        sentencewise=by_sentence,
        summands=summands,
        lines=metric_result.lines,
        settings=settings,
        resources=resources,
    )
    p_values = list(test.p_values(paired_scores))

    # p is 1 if systems have equal terms in every sentence or, unless the test looks only at
    # sentences, equal scores
    digests = _digests(summands, len(metric_result.columns))
    for index, (one, two) in enumerate(pairs):
        equal_scores = test.compares_scores and scores[one] == scores[two]
        if equal_scores or digests[one] == digests[two]:
            p_values[index] = 1.0
    adjusted = paired_tests.CORRECTIONS[settings.correction](p_values)

    comparisons = []
    for index, (one, two) in enumerate(pairs):
        system = metric_result.scores[one]
        other = metric_result.scores[two]
        differences = samples[:, one] - samples[:, two]
        low, high = intervals.percentile_interval(differences, settings.level)
        is_better = metric.goodness(differences) > 0
        is_tie = differences == 0
        better = (is_better + 0.5 * is_tie).mean()
        of_pair = by_sentence[index]
        # a win is the better score; `difference` and `cohen_d` keep the sign of the scores
        wins = of_pair.wins
        losses = of_pair.losses
        if metric.lower_is_better:
            wins = of_pair.losses
            losses = of_pair.wins
        comparison = Comparison(
            dataset=system.dataset,
            metric=system.metric,
            system=system.system,
            other=other.system,
            difference=system.score - other.score,
            interval=(float(low), float(high)),
            better=float(better),
            wins=wins,
            losses=losses,
            ties=of_pair.ties,
            cohen_d=of_pair.cohen_d,
            p=p_values[index],
            p_adjusted=adjusted[index],
        )
        comparisons.append(comparison)
    return comparisons


def _digests(summands: Sequence[Summand], systems: int) -> list[list[bytes]]:
    """Return the digests of each system's terms, the same for systems with equal terms."""
    digests: list[list[bytes]] = [[] for _ in range(systems)]
    for summand in summands:
        of_systems = zip(summand.numbers, summand.digests(), strict=True)
        for number, digest in of_systems:
            digests[number].append(digest)
    return digests
