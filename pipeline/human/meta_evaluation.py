"""How far metrics agree with people: correlations on systems and on sentences, tests, and moving windows."""

from __future__ import annotations

from dataclasses import asdict, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dataclass import dataclass
from ..errors import InputError
from .comparison import Agreement, PermutationTest, compared
from .correlation import COEFFICIENTS, bootstrap_interval, common_systems, correlate, vector, williams, windows
from .human_judgements import check_common, human_scores, judged_dataset
from .preferences import ByRank, accuracy_interval, agreement_by_rank, lines_of_segments, sentence_level, sentence_pairs
from .trueskill import skills

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ..arrays import Floats, Ints
    from ..config.models import HumanConfig
    from .human_judgements import HumanJudgements
    from .judgments import Judgments
    from .score_files import MetricScores
    from .trueskill import Progress


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement and its bootstrap interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Correlation:
    """How one metric agrees with one human score on the systems."""

    dataset: str
    metric: str
    human: str
    systems: list[str]
    coefficients: dict[str, Coefficient]
    """By the names pearson, spearman, kendall (tau-b) and accuracy."""


@dataclass(frozen=True, kw_only=True)
class Sentences:
    """How one metric agrees with judgements of outputs of a sentence. Pairs that people tie are left out."""

    dataset: str
    metric: str
    systems: list[str]
    pairs: int
    metric_ties: int
    """Pairs that the metric ties."""
    coefficients: dict[str, Coefficient]
    """`accuracy`, and `kendall`: the share of agreeing pairs less the share of disagreeing ones."""


@dataclass(frozen=True, kw_only=True)
class Test:
    """Williams' test of whether `metric` correlates higher (Pearson) with the human score than `other`."""

    dataset: str
    human: str
    metric: str
    other: str
    t: float
    p: float
    """One-sided."""
    between: float
    """The correlation of the two metrics."""


@dataclass(frozen=True, kw_only=True)
class Windowed:
    """Correlations on neighbours in the human ranking, from the rank `first` to the rank `last`."""

    dataset: str
    metric: str
    human: str
    first: int
    last: int
    pearson: float
    spearman: float


LATER = ("aliases", "statistics", "permutations", "swap", "block", "early_min", "early_max", "aggregation", "by_rank")
"""The settings, and parts of the results, that results have only where a config asks for them."""


@dataclass(frozen=True, kw_only=True)
class MetaEvaluation:
    """How far the metrics agree with people."""

    settings: dict[str, Any]
    """The section `human` of the config."""
    digest: str
    """The digest of the file of judgements or scores."""
    correlations: list[Correlation] = field(default_factory=list)
    sentences: list[Sentences] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    windows: list[Windowed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    """The human scores that the metrics were correlated with, by their names, of each system."""

    statistics: list[Agreement] = field(default_factory=list)
    permutations: list[PermutationTest] = field(default_factory=list)
    by_rank: list[ByRank] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """Return everything as mappings and lists. What only some configs ask for is left out where it is empty."""
        return {name: part for name, part in asdict(self).items() if part or name not in LATER}


def meta_evaluate(
    metrics: Sequence[MetricScores], people: HumanJudgements, config: HumanConfig, progress: Progress | None = None
) -> MetaEvaluation:
    """Correlate metrics with people. Raises InputError where fewer than three systems have both scores.

    All metrics are compared on the systems that have the human score and a score by every metric.
    """
    dataset = judged_dataset(list(dict.fromkeys(metric.dataset for metric in metrics)), config.dataset)
    metrics = [metric for metric in metrics if metric.dataset == dataset]
    fields = type(config).model_fields
    settings = {
        name: value
        for name, value in config.model_dump().items()
        if name not in LATER or value != fields[name].get_default()
    }
    result = MetaEvaluation(settings=settings, digest=people.digest)
    for title, scores in human_scores(people, config, progress).items():
        systems = _common(metrics, people, scores, config, result.notes)
        result.scores[title] = {name: scores[name] for name in systems}
        human = vector(scores, systems)
        if config.aggregation == "score":
            values = [vector(metric.scores, systems) for metric in metrics]
        else:
            of_sentences = [metric.sentences_of(systems, "aggregation: trueskill") for metric in metrics]
            values = list(skills(np.stack(of_sentences)))
        for metric, own in zip(metrics, values, strict=True):
            coefficients = {
                name: Coefficient(
                    value, bootstrap_interval(own, human, name, config.resamples, config.level, config.seed)
                )
                for name, value in correlate(own, human, COEFFICIENTS).items()
            }
            result.correlations.append(Correlation(dataset, metric.metric, title, systems, coefficients))
            result.windows.extend(
                Windowed(dataset=dataset, metric=metric.metric, human=title, **window._asdict())
                for window in (windows(own, human, config.window) if config.window else ())
            )
        for (one, first), (two, second) in combinations(zip(metrics, values, strict=True), 2):
            test, names = williams(first, second, human), (one.metric, two.metric)
            if test.t < 0:  # the metric with the higher correlation comes first
                test, names = williams(second, first, human), (two.metric, one.metric)
            result.tests.append(Test(dataset=dataset, human=title, metric=names[0], other=names[1], **test._asdict()))
        agreements, tests, notes = compared(
            metrics, people.file, title, result.scores[title], people.sentences.get(title), config
        )
        result.statistics.extend(agreements)
        result.permutations.extend(tests)
        result.notes.extend(notes)
    if people.judgments:
        result.sentences.extend(_on_sentences(metrics, people.judgments, config, result.notes))
        for metric in metrics if config.by_rank else ():
            judged = judged_scores(metric, people.judgments, config.without, config.numbering, [])
            result.by_rank.extend(agreement_by_rank(dataset, metric.metric, people.judgments, *judged, config.ties))
    result.notes[:] = dict.fromkeys([*(people.judgments.notes if people.judgments else ()), *result.notes])
    return result


def _common(
    metrics: Sequence[MetricScores],
    people: HumanJudgements,
    scores: dict[str, float],
    config: HumanConfig,
    notes: list[str],
) -> list[str]:
    """Return the systems that have all scores, in ASCII order. Notes say which systems are left out."""
    judged = set(common_systems([scores], config.without))
    measured = set(common_systems((metric.scores for metric in metrics), config.without))
    check_common(people, judged, measured)
    for only, where in ((judged - measured, "people, no metric"), (measured - judged, "a metric, no people")):
        if only:
            notes.append(f"scored by {where}, and left out: {', '.join(sorted(only))}")
    return sorted(judged & measured)


def judged_scores(
    metric: MetricScores, judgments: Judgments, without: Collection[str], numbering: str, notes: list[str]
) -> tuple[list[str], Floats, Ints]:
    """Return the judged systems, their sentence scores [systems, lines], and the line of each judged sentence.

    Raises InputError where that line cannot be known.
    """
    systems = [name for name in metric.systems if name in judgments.systems and name not in without]
    if metric.sentences is None or not systems:
        raise InputError(f"agreements: {metric.metric} has no sentence scores of systems that were judged")
    scores = metric.sentences()[[metric.systems.index(name) for name in systems]]
    return systems, scores, lines_of_segments(judgments, systems, scores, numbering, notes)


def _on_sentences(
    metrics: Sequence[MetricScores], judgments: Judgments, config: HumanConfig, notes: list[str]
) -> Iterable[Sentences]:
    for metric in metrics:
        if metric.sentences is None:
            continue
        try:
            systems, scores, lines = judged_scores(metric, judgments, config.without, config.numbering, notes)
        except InputError as error:  # what was computed on systems stays valid
            notes.append(f"nothing on sentences: {error}")
            continue
        pairs, tied = sentence_pairs(judgments, systems, lines)
        level = sentence_level(scores, pairs, tied, config.ties)
        low, high = accuracy_interval(scores, pairs, config.ties, config.resamples, config.level, config.seed)
        yield Sentences(
            dataset=metric.dataset,
            metric=metric.metric,
            systems=systems,
            pairs=level.pairs,
            metric_ties=level.metric_ties,
            coefficients={
                "accuracy": Coefficient(level.accuracy, (low, high)),
                "kendall": Coefficient(level.kendall, (2 * low - 1, 2 * high - 1)),
            },
        )
