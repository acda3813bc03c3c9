"""Metrics against people: scores of systems and sentences brought together, correlated, tested, windowed."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, did_you_mean
from ..scoring.column_blocks import present_blocks
from ..scoring.sentences import sentence_scores
from .correlation import COEFFICIENTS, bootstrap_interval, windows
from .expected_wins import expected_wins
from .judgment_files import is_judgments
from .judgments import read_judgments
from .preferences import lines_of_segments, sentence_level, sentence_pairs
from .score_files import read_scores
from .trueskill import trueskill
from .williams import williams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ..arrays import Floats
    from ..config.models import WrittenHuman
    from ..scoring.scored_columns import Measured
    from .judgments import Judgments
    from .trueskill import Progress

LEAST = 3
"""Systems below which nothing is correlated: any two correlate perfectly."""


@dataclass(frozen=True)
class People:
    """What people said: scores of systems by name, or judgements that such are made of; digest: of the file."""

    place: str
    digest: str
    scores: dict[str, dict[str, float]]
    judgments: Judgments | None = None

    @property
    def systems(self) -> list[str]:
        """The names of all systems, in ASCII order."""
        if self.judgments:
            return list(self.judgments.systems)
        return sorted({name for scores in self.scores.values() for name in scores})


@dataclass(frozen=True)
class MetricScores:
    """Scores of systems by one metric on one data set, from a run or a file.

    systems: in ASCII order; sentences: gives float64 [systems, lines], None where there are no sentence scores.
    """

    dataset: str
    metric: str
    scores: dict[str, float]
    lines: int = 0
    sentences: Callable[[], Floats] | None = None

    @property
    def systems(self) -> list[str]:
        """The names of the systems, in ASCII order: that of sentences too."""
        return sorted(self.scores)


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement and its bootstrap interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Correlation:
    """How one metric agrees with one human score on the systems: pearson, spearman, kendall (tau-b), accuracy."""

    dataset: str
    metric: str
    human: str
    systems: list[str]
    coefficients: dict[str, Coefficient]


@dataclass(frozen=True)
class Sentences:
    """How one metric agrees with judgements of outputs of a sentence; pairs that people tie are left out.

    metric_ties: pairs that the metric ties; coefficients: accuracy, and kendall = agreeing less disagreeing, as shares.
    """

    dataset: str
    metric: str
    systems: list[str]
    pairs: int
    metric_ties: int
    coefficients: dict[str, Coefficient]


@dataclass(frozen=True)
class Test:
    """Williams' test: does metric correlate higher (Pearson) with the human score than other? p is one-sided."""

    dataset: str
    human: str
    metric: str
    other: str
    t: float
    p: float
    between: float


@dataclass(frozen=True)
class Windowed:
    """Correlations of neighbours in the human ranking, the places first to last."""

    dataset: str
    metric: str
    human: str
    first: int
    last: int
    pearson: float
    spearman: float


@dataclass(frozen=True)
class MetaEvaluation:
    """All of it. settings: those of the section `human`; digest: of the file of judgements or scores.

    scores: what the metrics were correlated with, of each system by the name of the human score.
    """

    settings: dict[str, Any]
    digest: str
    correlations: list[Correlation] = field(default_factory=list)
    sentences: list[Sentences] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    windows: list[Windowed] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Return it as mappings and lists."""
        return asdict(self)


def open_people(path: Path, settings: WrittenHuman, names: Sequence[str] = ()) -> People:
    """Read judgements or scores; names: of the systems, for files without. Raises CorpusError, InputError."""
    judged = is_judgments(path)
    if judged:
        people = People(str(path), _digest(path), {}, read_judgments(path, settings.judges))
    else:
        people = People(str(path), _digest(path), read_scores(path, names))
        given = settings.model_fields_set & {"judges", "scores", "divisor", "runs", "numbering", "ties"}
        if given:
            raise InputError(f"{path}: holds scores, no judgements: {', '.join(sorted(given))} would have no effect")
    for name in settings.without:
        if name not in people.systems:
            hint = did_you_mean(name, people.systems)
            raise InputError(f"{path}: without: has no system '{name}'{hint}; it has {', '.join(people.systems[:20])}")
    return people


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def misfit(people: People, settings: WrittenHuman, datasets: Sequence[str], systems: Sequence[str]) -> str | None:
    """Return why these systems cannot be correlated with people, or None where they can."""
    try:
        _dataset(datasets, settings.dataset)
        _check_common(people, set(people.systems) - set(settings.without), set(systems) - set(settings.without))
    except InputError as error:
        return str(error)
    return None


def human_scores(
    people: People, settings: WrittenHuman, progress: Progress | None = None
) -> dict[str, dict[str, float]]:
    """Return the human scores by name: {expected_wins: {system: score}}, or those of the file."""
    if people.judgments is None:
        return people.scores
    made: dict[str, Floats] = {}
    if "expected_wins" in settings.scores:
        made["expected_wins"] = expected_wins(people.judgments.wins(), settings.divisor)
    if "trueskill" in settings.scores:
        made["trueskill"] = trueskill(people.judgments, settings.runs, settings.seed, progress=progress).mean(axis=0)
    names = people.judgments.systems
    return {title: dict(zip(names, values.tolist(), strict=True)) for title, values in made.items()}


def metric_scores(found: Iterable[Measured]) -> list[MetricScores]:
    """Return the scores of a run, with their sentences. References that are scored as systems are left out."""
    made = []
    for measured in found:
        names = [score.system for score, own in zip(measured.scores, measured.own, strict=False) if own is None]
        scores = {score.system: score.score for score in measured.scores if score.system in names}
        first = measured.scores[0]
        made.append(MetricScores(first.dataset, first.metric, scores, measured.lines, partial(_sentences, measured)))
    return made


def _sentences(measured: Measured) -> Floats:
    """Return the sentence scores of the systems in ASCII order: float64 [systems, lines]."""
    numbered = zip(measured.scores, measured.columns, measured.own, strict=False)
    columns = {score.system: blocks for score, blocks, own in numbered if own is None}
    rows = [
        [sentence_scores(measured.metric, block) for block in present_blocks(measured.metric, columns[name])]
        for name in sorted(columns)
    ]
    return np.stack([np.concatenate(blocks) for blocks in rows])


def meta_evaluate(
    found: Sequence[MetricScores], people: People, settings: WrittenHuman, progress: Progress | None = None
) -> MetaEvaluation:
    """Correlate metrics with people; raises InputError where fewer than three systems have both scores.

    Metrics of one data set are compared on the systems that all of them and the human score have.
    """
    known = list(dict.fromkeys(metric.dataset for metric in found))
    dataset = _dataset(known, settings.dataset)
    chosen = [metric for metric in found if metric.dataset == dataset]
    result = MetaEvaluation({**settings.model_dump()}, people.digest)
    for title, scores in human_scores(people, settings, progress).items():
        names = _common(chosen, people, scores, settings, result.notes)
        result.scores[title] = {name: scores[name] for name in names}
        human = np.array([scores[name] for name in names])
        values = [np.array([metric.scores[name] for name in names]) for metric in chosen]
        for metric, own in zip(chosen, values, strict=True):
            coefficients = {
                name: Coefficient(
                    float(score(own, human)),
                    bootstrap_interval(own, human, name, settings.resamples, settings.level, settings.seed),
                )
                for name, score in COEFFICIENTS.items()
            }
            result.correlations.append(Correlation(metric.dataset, metric.metric, title, names, coefficients))
            for window in windows(own, human, settings.window) if settings.window else ():
                result.windows.append(Windowed(metric.dataset, metric.metric, title, *window))
        result.tests.extend(_tests(chosen, values, human, title))
    if people.judgments:
        result.sentences.extend(_sentence_level(chosen, people.judgments, settings, result.notes))
    result.notes[:] = dict.fromkeys([*(people.judgments.notes if people.judgments else ()), *result.notes])
    return result


def _dataset(known: Sequence[str], wanted: str | None) -> str:
    if wanted is None and len(known) > 1:
        raise InputError(f"human: which data set was judged? Say `dataset`: {', '.join(known)}")
    if wanted is not None and wanted not in known:
        hint = did_you_mean(wanted, known)
        raise InputError(f"human: no data set is called '{wanted}'{hint}; there are {', '.join(known)}")
    return wanted if wanted is not None else known[0]


def _common(
    chosen: Sequence[MetricScores],
    people: People,
    scores: dict[str, float],
    settings: WrittenHuman,
    notes: list[str],
) -> list[str]:
    """Return the systems with all scores, in ASCII order."""
    judged = {name for name, value in scores.items() if not np.isnan(value)} - set(settings.without)
    scored = set.intersection(*(set(metric.scores) for metric in chosen)) - set(settings.without)
    _check_common(people, judged, scored)
    for only, where in ((judged - scored, "people, no metric"), (scored - judged, "a metric, no people")):
        if only:
            notes.append(f"scored by {where}, and left out: {', '.join(sorted(only))}")
    return sorted(judged & scored)


def _check_common(people: People, judged: set[str], scored: set[str]) -> None:
    if len(judged & scored) < LEAST:
        raise InputError(
            f"{people.place}: has {len(judged & scored)} systems in common with the metrics, at least {LEAST} are "
            f"needed; people: {', '.join(sorted(judged)[:30])}; metrics: {', '.join(sorted(scored)[:30])}"
        )


def _tests(chosen: Sequence[MetricScores], values: Sequence[Floats], human: Floats, title: str) -> Iterable[Test]:
    """Yield Williams' test of each two metrics, the higher correlated one first."""
    for (one, first), (two, second) in combinations(zip(chosen, values, strict=True), 2):
        test = williams(first, second, human)
        if test.t < 0:
            one, two, test = two, one, williams(second, first, human)  # noqa: PLW2901 (the higher one first)
        yield Test(one.dataset, title, one.metric, two.metric, *test)


def _sentence_level(
    chosen: Sequence[MetricScores], judgments: Judgments, settings: WrittenHuman, notes: list[str]
) -> Iterable[Sentences]:
    for metric in chosen:
        if metric.sentences is None:
            continue
        scores = metric.sentences()
        names = [name for name in metric.systems if name in judgments.systems and name not in settings.without]
        scores = scores[[metric.systems.index(name) for name in names]]
        try:
            lines = lines_of_segments(judgments, names, scores, settings.numbering, notes)
        except InputError as error:  # what was found on systems is good without
            notes.append(f"nothing on sentences: {error}")
            continue
        pairs = sentence_pairs(judgments, names, lines)
        found = sentence_level(scores, pairs, settings.ties, settings.resamples, settings.level, settings.seed)
        coefficients = {
            "accuracy": Coefficient(found.accuracy, found.accuracy_interval),
            "kendall": Coefficient(found.kendall, found.kendall_interval),
        }
        yield Sentences(metric.dataset, metric.metric, names, found.pairs, found.metric_ties, coefficients)
