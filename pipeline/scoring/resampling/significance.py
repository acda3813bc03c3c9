"""Adds to results what the section `statistics` asks for: intervals, rank ranges and comparisons."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Floats
from ...errors import InputError, known_names
from ...parallel import processors
from ..aggregation import SENTENCES, SystemCounts
from ..metric_results import MetricResult, rows_of
from ..results import Bootstrap, Comparison, Results, Spread, ranks
from ..sentences import OutputTerms, sentence_outputs, sentence_scores
from ..sums import Summand
from ..terms import first, present_blocks
from . import intervals, paired_tests
from .samples import Far, Progress

if TYPE_CHECKING:
    from ...data.config.models import StatisticsConfig

COUNTED = {"approximate_randomization": "trials", "paired_bootstrap": "resamples"}
"""The setting with the number of samples of each test, whose p is never below 1 / (samples + 1)."""


def settings_of(
    written: Mapping[str, Any], systems: Iterable[str], prefix: str = ""
) -> StatisticsConfig:
    """Return the settings of intervals and tests. Raises InputError for wrong ones, and an unknown
    baseline."""
    from ...data.config.models import StatisticsConfig

    given = {name: str(value) for name, value in written.items() if value is not None}
    settings = StatisticsConfig.from_settings(given, prefix)
    names = list(dict.fromkeys(systems))
    if settings.baseline is not None and settings.baseline not in names:
        hint = known_names(settings.baseline, names)
        raise InputError(f"{prefix}baseline {settings.baseline}: no system is called so{hint}")
    return settings


def stored_settings(results: Results) -> dict[str, Any]:
    """Return the settings of a run's intervals and tests, without those that only earlier versions
    had.
    """
    from ...data.config.models import StatisticsConfig

    stored = results.statistics or {}
    return {name: value for name, value in stored.items() if name in StatisticsConfig.model_fields}


def with_statistics(
    results: Results,
    metric_results: Sequence[MetricResult],
    settings: StatisticsConfig,
    progress: Progress | None = None,
    threads: int | None = None,
    far: Far | None = None,
) -> tuple[Results, list[MetricResult]]:
    """Return results and boards with intervals, rank ranges and comparisons.

    The threads share samples and trials. None: there are as many as processors. Where memory does
    not hold the counts, the workers of a cluster share them."""
    overall = _overall(metric_results, settings, progress) if progress else None
    metric_results = [
        analyse(metric_result, settings, overall, threads or processors(), far)
        for metric_result in metric_results
    ]
    warnings = dict.fromkeys(
        [
            *results.warnings,
            *(
                text
                for metric_result in metric_results
                for text in _lacking(metric_result, settings)
            ),
        ]
    )
    # results.json has `outputs` only if it is not the default
    written = settings.model_dump(exclude={"outputs"} if settings.outputs == "score" else None)
    return replace(
        results, warnings=list(warnings), statistics=written, **rows_of(metric_results)
    ), metric_results


def _overall(
    scored: Sequence[MetricResult], settings: StatisticsConfig, progress: Progress
) -> Progress:
    """Return what tells the samples and trials of all metrics as one whole, so that a bar does not
    begin again.
    """
    trials = settings.trials if settings.test == "approximate_randomization" else 0
    whole = sum(
        settings.resamples + trials * bool(pairs_of(one, settings.baseline)) for one in scored
    )
    before = 0

    def told(done: int, part: int) -> None:
        nonlocal before
        progress(before + done, whole)
        before += part if done == part else 0

    return told


def _lacking(measured: MetricResult, settings: StatisticsConfig) -> Iterator[str]:
    """Yield warnings: no baseline to compare with, or too few samples for any p to be below the
    level."""
    if (
        settings.test != "none"
        and settings.baseline is not None
        and settings.baseline not in measured.names
    ):
        yield f"{measured.dataset}: has no output of the baseline, {settings.baseline}: nothing is compared there"
    pairs = len(pairs_of(measured, settings.baseline))
    name = COUNTED.get(settings.test, "")
    times = pairs if settings.correction != "none" else min(pairs, 1)
    alpha = 1 - Fraction(str(settings.level))
    if name and Fraction(times, getattr(settings, name) + 1) >= alpha:
        by = settings.correction.capitalize()
        tests = f"{times:,} comparisons, adjusted by {by}," if times > 1 else "a comparison"
        yield (
            f"statistics: with {getattr(settings, name):,} {name} no p of {tests} can be below {float(alpha):g}: "
            f"nothing can be significant; set {name} to {math.floor(times / alpha):,} or more"
        )


def analyse(
    measured: MetricResult,
    settings: StatisticsConfig,
    progress: Progress | None = None,
    threads: int = 1,
    far: Far | None = None,
) -> MetricResult:
    """Return the board with the bootstrap of its scores, and the comparisons that the settings ask
    for."""
    metric, systems, lines = measured.metric, measured.columns, measured.lines
    parts = intervals.summands(
        SystemCounts(
            metric=metric,
            systems=systems,
            lines=lines,
            references=measured.references,
            own=measured.own,
        )
    )
    several = len(systems), lines, settings.resamples, settings.seed
    outputs = intervals.bootstrap(parts, *several, progress, threads, far)
    samples = first(outputs)
    comparisons = _comparisons(measured, parts, samples, settings, progress, threads, far)
    of_rows = intervals.with_mean(measured, samples)
    ranges = intervals.rank_ranges(metric.goodness(of_rows), settings.level)
    numbers = intervals.clusters(
        ranks([metric.goodness(score.score) for score in measured.scores]), ranges
    )
    spreads: dict[str, list[Spread]] = {}
    if settings.outputs == "all":
        if metric.level in SENTENCES:
            terms = OutputTerms.of(metric, systems, lines, sentence_outputs)
            summand = Summand(terms, systems, lines, range(len(systems)), [1.0] * len(systems))
            outputs = intervals.bootstrap([summand], *several, far=far)
        for name, own in outputs.items():
            if metric.counts.isdisjoint(
                (name, re.sub(r"_\d+\Z", "", name))
            ):  # outputs that count have no intervals
                spreads[name] = intervals.spreads_of(
                    intervals.with_mean(measured, own), settings.level
                )
    rows = zip(
        measured.scores, intervals.spreads_of(of_rows, settings.level), ranges, numbers, strict=True
    )
    scores = [
        replace(
            score,
            bootstrap=Bootstrap(one.mean, one.std, one.interval, best_and_worst, cluster),
            intervals={name: own[number] for name, own in spreads.items() if name in score.outputs},
        )
        for number, (score, one, best_and_worst, cluster) in enumerate(rows)
    ]
    breakdown = intervals.with_category_intervals(measured, settings)
    return replace(measured, scores=tuple(scores), tests=tuple(comparisons), breakdown=breakdown)


def pairs_of(measured: MetricResult, baseline: str | None) -> list[tuple[int, int]]:
    """Return the pairs of systems to compare: each system with the baseline, or all pairs.
    References are left out."""
    systems = [number for number in range(len(measured.columns)) if measured.own[number] is None]
    if baseline is None:
        return list(combinations(systems, 2))
    base = [number for number in systems if measured.names[number] == baseline]
    return [(number, other) for other in base for number in systems if number != other]


def _comparisons(
    measured: MetricResult,
    parts: Sequence[Summand],
    samples: Floats,
    settings: StatisticsConfig,
    progress: Progress | None,
    threads: int,
    far: Far | None,
) -> list[Comparison]:
    pairs = pairs_of(measured, settings.baseline) if settings.test != "none" else []
    if not pairs:
        return []
    metric = measured.metric
    columns = zip(*(present_blocks(metric, system) for system in measured.columns), strict=True)
    of_sentences = (
        np.stack([sentence_scores(metric, own) for own in blocks]) for blocks in columns
    )
    compared = paired_tests.sentencewise(of_sentences, pairs)
    scores = [score.score for score in measured.scores]
    if settings.test == "sign":
        values = [paired_tests.sign_test(one.wins, one.losses) for one in compared]
    elif settings.test == "paired_bootstrap":
        values = paired_tests.paired_bootstrap(samples, scores, pairs)
    else:
        several = (pairs, measured.lines, settings.trials, settings.seed, progress, threads, far)
        values = paired_tests.approximate_randomization(parts, scores, *several)
    # Digests, which are the same for systems that are equal on every sentence.
    same: list[tuple[bytes, ...]] = [()] * len(measured.columns)
    for summand in parts:
        for number, digest in zip(summand.numbers, summand.digests(), strict=True):
            same[number] = (*same[number], digest)
    equal = [
        same[a] == same[b] or (settings.test != "sign" and scores[a] == scores[b]) for a, b in pairs
    ]
    values = [1.0 if is_equal else value for value, is_equal in zip(values, equal, strict=True)]
    adjusted = paired_tests.CORRECTIONS[settings.correction](values)
    comparisons = []
    for (one, two), each, p, p_adjusted in zip(pairs, compared, values, adjusted, strict=True):
        system, other = measured.scores[one], measured.scores[two]
        differences = samples[:, one] - samples[:, two]
        low, high = intervals.percentile_interval(differences, settings.level)
        wins, losses = (
            (each.losses, each.wins)
            if measured.metric.lower_is_better
            else (each.wins, each.losses)
        )
        comparisons.append(
            Comparison(
                dataset=system.dataset,
                metric=system.metric,
                system=system.system,
                other=other.system,
                difference=system.score - other.score,
                interval=(float(low), float(high)),
                better=float(
                    ((measured.metric.goodness(differences) > 0) + 0.5 * (differences == 0)).mean()
                ),
                wins=wins,
                losses=losses,
                ties=each.ties,
                cohen_d=each.cohen_d,
                p=p,
                p_adjusted=p_adjusted,
            )
        )
    return comparisons
