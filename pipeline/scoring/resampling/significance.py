"""Adds to results what the section `statistics` asks for: intervals, ranges of ranks and comparisons."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError, did_you_mean
from ...io.workers import processors
from ..addends import Chosen
from ..column_blocks import present_blocks
from ..results import Bootstrap, Comparison, ranks
from ..sentences import sentence_scores
from .bootstrap import bootstrap, bootstrap_anew, percentile_interval, summands
from .category_intervals import with_category_intervals
from .chosen_anew import ChosenAnew, idle_choice, is_chosen_anew
from .output_intervals import with_output_intervals
from .paired_tests import CORRECTIONS, approximate_randomization, paired_bootstrap, randomization, sentencewise
from .rank_ranges import clusters, rank_ranges
from .sample_groups import Groups
from .sample_weights import Shuffles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...arrays import Floats
    from ...config.models import WrittenStatistics
    from ..results import Results, Score
    from ..scored_columns import ScoredColumns
    from ..summands import Summand
    from .sample_groups import Progress

COUNTED = {"approximate_randomization": "trials", "paired_bootstrap": "resamples"}
"""The setting with the number of samples of each test, whose p is never below 1 / (samples + 1)."""


def statistics_of(texts: Mapping[str, str], prefix: str = "") -> WrittenStatistics:
    """Return the settings that some texts stand for; raises InputError that names the one that is wrong."""
    from pydantic import ValidationError

    from ...config.models import WrittenStatistics

    try:
        return WrittenStatistics.model_validate(texts)
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        name, text = str(item["loc"][0]), item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            text = f"is no setting{did_you_mean(name, WrittenStatistics.model_fields)}"
        raise InputError(f"{prefix}{name} {item['input']}: {text[:1].lower()}{text[1:]}") from None


def with_statistics(
    results: Results,
    scored: Sequence[ScoredColumns],
    settings: WrittenStatistics,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Results:
    """Return the results with intervals, rank ranges and comparisons.

    The threads share samples and trials. None: there are as many as processors. Raises InputError where annotators are
    to be chosen anew and no metric chooses them with running totals.
    """
    if scored and (reason := idle_choice([measured.metric for measured in scored], settings)):
        raise InputError(f"choice: {reason}")
    scores: dict[tuple[str, str, str], Score] = {(s.dataset, s.metric, s.system): s for s in results.scores}
    tests: list[Comparison] = []
    warnings = dict.fromkeys(results.warnings)
    overall = _overall(scored, settings, progress) if progress else None
    threads = threads or processors()
    for measured in scored:
        more, compared = analyse(measured, settings, overall, threads)
        scores |= {(s.dataset, s.metric, s.system): s for s in more}
        tests += compared
        warnings |= dict.fromkeys(_lacking(measured, settings))
    return replace(
        results,
        scores=list(scores.values()),
        warnings=list(warnings),
        statistics=_written(settings),
        tests=tests,
        breakdown=with_category_intervals(results.breakdown, scored, settings),
    )


def _overall(scored: Sequence[ScoredColumns], settings: WrittenStatistics, progress: Progress) -> Progress:
    """Return what tells the samples and trials of all metrics as one whole, so that a bar does not begin again."""
    trials = settings.trials if settings.test == "approximate_randomization" else 0
    whole = sum(settings.resamples + trials * bool(pairs_of(one, settings.baseline)) for one in scored)
    before = 0

    def told(done: int, part: int) -> None:
        nonlocal before
        progress(before + done, whole)
        before += part if done == part else 0

    return told


def _written(settings: WrittenStatistics) -> dict[str, Any]:
    """Return the settings as results.json has them: `choice` and `outputs` only where they are not the default."""
    usual = {"choice": "whole", "outputs": "score"}
    return settings.model_dump(exclude={name for name, value in usual.items() if getattr(settings, name) == value})


def _lacking(measured: ScoredColumns, settings: WrittenStatistics) -> Iterator[str]:
    """Yield warnings: no baseline to compare with, or too few samples for any p to be below the level."""
    if settings.test != "none" and settings.baseline is not None and settings.baseline not in measured.names:
        dataset = measured.scores[0].dataset
        yield f"{dataset}: has no output of the baseline, {settings.baseline}: nothing is compared there"
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
    measured: ScoredColumns, settings: WrittenStatistics, progress: Progress | None = None, threads: int = 1
) -> tuple[list[Score], list[Comparison]]:
    """Return the scores with their bootstrap, and the comparisons that the settings ask for."""
    parts = summands(measured.metric, measured.columns, measured.lines, measured.references, measured.own)
    count = len(measured.columns)
    anew = _chosen_anew(measured, settings)
    if anew:
        samples = bootstrap_anew(anew, measured.lines, settings.resamples, settings.seed, progress)
    else:
        samples = bootstrap(parts, count, measured.lines, settings.resamples, settings.seed, progress, threads)
    comparisons = _comparisons(measured, parts, samples, settings, progress, threads)
    if measured.has_mean:
        references = [number for number, own in enumerate(measured.own) if own is not None]
        samples = np.concatenate([samples, samples[:, references].mean(axis=1, keepdims=True)], axis=1)
    scores = _with_bootstrap(measured, samples, settings.level)
    if settings.outputs == "all":
        scores = with_output_intervals(measured, scores, settings, anew)
    return scores, comparisons


def _chosen_anew(measured: ScoredColumns, settings: WrittenStatistics) -> ChosenAnew | None:
    """Return what chooses annotators anew in each sample, where that is asked for and makes a difference."""
    if settings.choice == "whole" or not is_chosen_anew(measured.metric):
        return None
    return ChosenAnew(Chosen(measured.metric), measured.columns)


def _with_bootstrap(measured: ScoredColumns, samples: Floats, level: float) -> list[Score]:
    scores, goodness = measured.scores, measured.metric.goodness
    low, high = (bounds.tolist() for bounds in percentile_interval(samples, level))
    means = samples.mean(axis=0).tolist()
    deviations = samples.std(axis=0, ddof=1).tolist() if len(samples) > 1 else [0.0] * len(means)
    ranges = rank_ranges(goodness(samples), level)
    numbers = clusters(ranks([goodness(score.score) for score in scores]), ranges)
    rows = zip(scores, means, deviations, low, high, ranges, numbers, strict=True)
    return [
        replace(score, bootstrap=Bootstrap(mean, std, (least, most), best_and_worst, cluster), intervals={})
        for score, mean, std, least, most, best_and_worst, cluster in rows
    ]


def pairs_of(measured: ScoredColumns, baseline: str | None) -> list[tuple[int, int]]:
    """Return the pairs of systems to compare: each system with the baseline, or all pairs. References are left out."""
    systems = [number for number in range(len(measured.columns)) if measured.own[number] is None]
    if baseline is None:
        return list(combinations(systems, 2))
    base = [number for number in systems if measured.names[number] == baseline]
    return [(number, other) for other in base for number in systems if number != other]


def _comparisons(
    measured: ScoredColumns,
    parts: Sequence[Summand],
    samples: Floats,
    settings: WrittenStatistics,
    progress: Progress | None,
    threads: int,
) -> list[Comparison]:
    pairs = pairs_of(measured, settings.baseline) if settings.test != "none" else []
    if not pairs:
        return []
    compared = sentencewise(_sentence_scores(measured), pairs)
    scores = [score.score for score in measured.scores]
    if settings.test == "sign":
        values = [one.sign_test for one in compared]
    elif settings.test == "paired_bootstrap":
        values = paired_bootstrap(samples, scores, pairs)
    else:
        anew = _chosen_anew(measured, settings)
        if anew:
            shuffles = Groups(Shuffles(measured.lines, settings.seed), settings.trials, measured.lines)
            values = randomization(lambda _, kept: anew.shuffled(kept, pairs), scores, pairs, shuffles, progress)
        else:
            several = (pairs, measured.lines, settings.trials, settings.seed, progress, threads)
            values = approximate_randomization(parts, scores, *several)
    same = _same(parts, len(measured.columns))
    equal = [same[a] == same[b] or (settings.test != "sign" and scores[a] == scores[b]) for a, b in pairs]
    values = [1.0 if is_equal else value for value, is_equal in zip(values, equal, strict=True)]
    adjusted = CORRECTIONS[settings.correction](values)
    comparisons = []
    for (one, two), each, p, p_adjusted in zip(pairs, compared, values, adjusted, strict=True):
        system, other = measured.scores[one], measured.scores[two]
        differences = samples[:, one] - samples[:, two]
        low, high = percentile_interval(differences, settings.level)
        wins, losses = (each.losses, each.wins) if measured.metric.lower_is_better else (each.wins, each.losses)
        better = float(((measured.metric.goodness(differences) > 0) + 0.5 * (differences == 0)).mean())
        comparisons.append(
            Comparison(
                dataset=system.dataset,
                metric=system.metric,
                system=system.system,
                other=other.system,
                difference=system.score - other.score,
                interval=(float(low), float(high)),
                better=better,
                wins=wins,
                losses=losses,
                ties=each.ties,
                cohen_d=each.cohen_d,
                p=p,
                p_adjusted=p_adjusted,
            )
        )
    return comparisons


def _sentence_scores(measured: ScoredColumns) -> Iterator[Floats]:
    """Yield the sentence scores of all systems: float64 [systems, lines] for each block of lines."""
    metric = measured.metric
    for blocks in zip(*(present_blocks(metric, system) for system in measured.columns), strict=True):
        yield np.stack([sentence_scores(metric, columns) for columns in blocks])


def _same(parts: Sequence[Summand], systems: int) -> list[tuple[bytes, ...]]:
    """Return digests for each system, which are the same for systems that are equal on every sentence."""
    digests: list[tuple[bytes, ...]] = [()] * systems
    for summand in parts:
        for number, digest in zip(summand.numbers, summand.table.digests(), strict=True):
            digests[number] = (*digests[number], digest)
    return digests
