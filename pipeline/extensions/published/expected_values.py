"""The values that a config expects, compared with the results: one verdict on each entry of
`expect` and one on all.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.data.config.resolved import select_lines
from pipeline.data.inputs import annotator_of
from pipeline.errors import ConfigError, InputError
from pipeline.extensions.human.correlation import common_systems, correlate, vector
from pipeline.extensions.human.judgment_summary import JudgmentSummary
from pipeline.extensions.human.judgments import Judgments
from pipeline.extensions.human.meta_evaluation import judged_scores, sentence_level, sentence_pairs
from pipeline.extensions.human.models import CorrelationConfig
from pipeline.extensions.human.records import correlated
from pipeline.extensions.human.score_files import metric_scores
from pipeline.extensions.human.trueskill import Progress
from pipeline.metrics.base.options import parse_signature
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.results import Results, Score

from . import models, verdicts
from .published_sections import Cell, Published, counted
from .verdicts import Verdict

Scores = dict[str, float]
LISTED = 300
"""The most values of an entry that results.json lists; of more values only those that are not equal
are listed."""


def with_published(
    written: models.PublishedConfig,
    opened: Published,
    scored: Sequence[MetricResult],
    results: Results,
    progress: Progress | None = None,
) -> Results:
    """Return the results with the sections judgments, columns, correlations and agreements, and
    with the verdicts.

    These are the verdict on the whole, that on record, and the entries with theirs; `missed` has
    the numbers, from 1, of the entries whose verdict is worse than the one on record."""
    sections = Sections(written, opened, scored, results.scores)
    results = replace(results, **sections.compute(progress))
    if written.expect:
        plain = results.plain()
        entries = [
            _Entry(number, entry, sections, plain).checked()
            for number, entry in enumerate(written.expect)
        ]
        expectations = {
            "verdict": verdicts.whole_verdict(
                [(entry["verdict"], entry["published"]) for entry in entries]
            ),
            "recorded": written.publication.verdict if written.publication else None,
            "missed": [number for number, entry in enumerate(entries, 1) if entry["missed"]],
            "entries": entries,
        }
        results = replace(results, expectations=expectations)
    notes = [*sections.notes, *_other_annotators(written, opened)]
    return replace(results, warnings=[*results.warnings, *notes])


class Sections:
    """Computes the sections judgments, columns, correlations and agreements of results.json."""

    def __init__(
        self,
        written: models.PublishedConfig,
        opened: Published,
        scored: Sequence[MetricResult],
        scores: Sequence[Score],
    ) -> None:
        self.written, self.opened, self.scored, self.scores = written, opened, scored, scores
        self.notes: list[str] = []
        """Warnings: what could not be computed, and why."""

    def compute(self, progress: Progress | None = None) -> dict[str, Any]:
        """Return the sections by name; an empty one is None."""
        self.judgments: dict[str, Any] = {}
        for name, judgments in self.opened.judgments.items():
            self.judgments[name] = JudgmentSummary(
                judgments, self.written.judgments[name], progress
            ).plain()
        self.columns: dict[str, Scores] = {}
        for name, column in self.written.columns.items():
            self.columns |= self.attempt(name, partial(self.column, name, column))
        correlations: dict[str, dict[str, Any]] = {}
        for correlation in self.written.correlations:
            for name, others in self.correlation(correlation).items():
                correlations.setdefault(name, {}).update(others)
        agreements: dict[str, Any] = {}
        for name, agreement in self.written.agreements.items():
            agreements |= self.attempt(name, partial(self.agreement, name, agreement))
        sections = zip(
            models.SECTIONS, (self.judgments, self.columns, correlations, agreements), strict=True
        )
        return {name: section or None for name, section in sections}

    def attempt(self, name: str, make: Callable[[], Any]) -> dict[str, Any]:
        """Return {name: what `make` returns}. Return an empty mapping and add a note where that
        raises InputError."""
        try:
            return {name: make()}
        except InputError as error:
            self.notes.append(f"{name}: {error}")
            return {}

    def scored_by(self, metric: str | None, dataset: str | None) -> MetricResult:
        """Return the scores by the metric that a text means, on a data set. None means the only
        data set."""
        same = (item for item in self.scored if item.metric == self.opened.metrics[metric])
        return next(item for item in same if dataset is None or item.scores[0].dataset == dataset)

    def column(self, name: str, column: models.ColumnConfig) -> Scores:
        """Return the scores of a column, renamed and rounded as the config says."""
        if column.metric is not None:
            scored = self.scored_by(column.metric, column.dataset).scores
            scores = {score.system: output_of(score, column.output or "score") for score in scored}
        elif column.judgments is not None:
            scores = self.judgments[column.judgments][column.human]["scores"]
        else:
            scores = self.opened.columns[name]
        renamed = {column.rename.get(system, system): value for system, value in scores.items()}
        if len(renamed) < len(scores):
            raise InputError("two systems would have the same name: see `rename`")
        return {system: round_score(value, column.rounding) for system, value in renamed.items()}

    def correlation(self, written: CorrelationConfig) -> dict[str, dict[str, Any]]:
        """Return {column: {other column: coefficients}}, computed on the systems that all of these
        columns have."""
        of, with_ = (
            [name for name in names if name in self.columns]
            for names in (written.of, written.with_)
        )
        if not of or not with_:
            return {}
        if written.statistics:
            known = self.opened.records
            return {
                one: {two: correlated(known[one], known[two], written) for two in with_}
                for one in of
            }
        columns = {name: self.columns[name] for name in (*of, *with_)}
        scored = {system for column in columns.values() for system in common_systems([column])}
        nowhere = [name for name in written.without if name not in scored]
        self.notes += [
            f"correlations: without: no column has a system '{name}'" for name in nowhere
        ]
        systems = common_systems(columns.values(), written.without)
        values = {name: vector(column, systems) for name, column in columns.items()}
        return {
            one: {
                two: {"systems": len(systems), **correlate(values[one], values[two])}
                for two in with_
            }
            for one in of
        }

    def agreement(self, name: str, written: models.AgreementConfig) -> dict[str, Any]:
        """Return how far sentence scores agree with judgements."""
        judgments = self.opened.judgments[written.judgments]
        if written.table is not None:
            systems, scores, lines = _of_cells(
                self.opened.sentence_tables[name], judgments, written.without
            )
        else:
            (metric,) = metric_scores([self.scored_by(written.metric, written.dataset)])
            systems, scores, lines = judged_scores(
                metric, judgments, written.without, written.numbering, self.notes
            )
        if written.order is not None:
            if sorted(written.order) != sorted(systems):
                raise InputError(f"order: expected each of {', '.join(systems)} once")
            scores = scores[[systems.index(system) for system in written.order]]
            systems = list(written.order)
        level = sentence_level(scores, *sentence_pairs(judgments, systems, lines), written.ties)
        return {"systems": systems, **level._asdict()}


def output_of(score: Score, output: str, others: Iterable[str] = ()) -> float:
    """Return an output of a score. Raises InputError, which lists `others` too, where the metric
    has no such output."""
    if output == "score":
        return score.score
    if output not in score.outputs:
        names = ", ".join([*score.outputs, *others])
        raise InputError(
            f"{parse_signature(score.metric)[0]} has no output '{output}'; there are {names}"
        )
    return score.outputs[output]


def round_score(value: float, rounding: models.RoundingConfig | None, scale: str = "1") -> float:
    """Return a score times a scale, rounded where a rounding is given."""
    if not math.isfinite(value) or (rounding is None and scale == "1"):
        return value
    scaled = verdicts.decimal(value, scale)
    return float(
        scaled if rounding is None else verdicts.rounded(scaled, rounding.digits, rounding.rule)
    )


def _of_cells(
    cells: Sequence[Cell], judgments: Judgments, without: Sequence[str]
) -> tuple[list[str], Floats, Ints]:
    """Return the judged systems, their scores [systems, sentences], and the column of each judged
    sentence in these.

    Sentences are the same where their numbers are written alike. Raises InputError where a score is
    lacking."""
    names = sorted(
        {cell.system for cell in cells if cell.system in judgments.systems} - set(without)
    )
    rows = {name: number for number, name in enumerate(names)}
    columns = {
        text: number for number, text in enumerate(dict.fromkeys(cell.sentence for cell in cells))
    }
    scores = np.full((len(names), len(columns)), np.nan)
    for cell in cells:
        if cell.system in rows:
            scores[rows[cell.system], columns[cell.sentence]] = float(cell.score)
    lacking = next((segment for segment in judgments.segments if segment not in columns), None)
    if lacking is not None or not names:
        reason = (
            f"no score of the judged sentence {lacking}" if names else "no system that was judged"
        )
        raise InputError(f"agreements: the table has {reason}")
    lines = np.array([columns[segment] for segment in judgments.segments], np.int64)
    absent = np.argwhere(np.isnan(scores[:, lines]))
    if len(absent):
        name, segment = names[absent[0][0]], judgments.segments[absent[0][1]]
        raise InputError(
            f"agreements: the table has no score of {name} for the judged sentence {segment}"
        )
    return names, scores, lines


def _other_annotators(written: models.PublishedConfig, opened: Published) -> Iterator[str]:
    """Yield a warning for each entry whose texts are annotated here by other versions than those of
    the publication."""
    for number, entry in enumerate(written.expect, 1):
        metric = opened.metrics.get(entry.metric) if entry.path is None else None
        ours = annotator_of(metric.spec.input) if metric else ""
        if entry.annotator and not ours:
            yield f"expect {number}: 'annotator' has no effect, because no text is annotated here"
        elif ours and entry.published and entry.annotator != ours:
            others = "may have been with others (key `annotator`)"
            theirs = f"were with {entry.annotator}" if entry.annotator else others
            yield (
                f"expect {number}: texts are annotated with {ours}, and those of the published values {theirs}: other "
                "versions give other edits and other scores"
            )


class _Entry:
    """An entry of the section `expect`, with the results that it is compared with."""

    def __init__(
        self,
        number: int,
        entry: models.ExpectationConfig,
        sections: Sections,
        plain: dict[str, Any],
    ) -> None:
        self.number, self.entry, self.sections, self.plain = number, entry, sections, plain

    def checked(self) -> dict[str, Any]:
        """Return the title, the verdict and the compared values of the entry, as in results.json."""
        entry, compared, messages = self.entry, list[verdicts.Compared](), list[str]()
        try:
            compared = self.compared()
        except InputError as error:
            messages = [str(error)]
        verdict: Verdict = verdicts.verdict_of(compared, entry.rounding)
        publication = self.sections.written.publication
        recorded: Verdict = (
            "tolerance"
            if entry.tolerance is not None
            else "rounding"
            if entry.rounding
            else "exact"
        )
        if entry.recorded:
            recorded = entry.recorded
        elif publication is not None and publication.verdict == "not run":
            recorded = "not run"
        differences = [abs(value.difference) for value in compared if value.difference is not None]
        others = [value for value in compared if value.verdict != "equal"]
        messages += [value.message for value in compared if value.message]
        return {
            "title": entry.title or self.title(),
            "verdict": verdict,
            "recorded": recorded,
            "missed": verdicts.is_worse(verdict, recorded),
            "published": entry.published,
            "values": len(compared),
            "equal": sum(value.verdict == "equal" for value in compared),
            "within_tolerance": sum(value.verdict == "tolerance" for value in compared),
            "largest_difference": max(differences, default=None),
            "rounding": entry.rounding,
            "tolerance": entry.tolerance,
            "why": entry.why,
            "message": messages[0] if messages else None,
            "compared": [
                value.plain() for value in (others[:LISTED] if len(compared) > LISTED else compared)
            ],
        }

    def title(self) -> str:
        """Return a title made of the keys of the entry."""
        entry = self.entry
        if entry.path is not None:
            return entry.path.replace("/", " ").replace("_", " ")
        metric = self.sections.opened.metrics[entry.metric].name
        parts = [entry.dataset or "", metric, "" if entry.output == "score" else entry.output]
        parts += [
            key
            for key in ("order", "sentences", "mean", "reports")
            if getattr(entry, key) is not None
        ]
        return " ".join(part for part in parts if part)

    def compared(self) -> list[verdicts.Compared]:
        """Return the comparison of each value. Raises InputError where the results do not have what
        is expected."""
        entry = self.entry
        if entry.same is not None:
            one, two = (_at_path(self.plain, path) for path in (entry.path or "", entry.same))
            same: Literal["equal", "differs"] = "equal" if one == two else "differs"
            return [
                verdicts.Compared(place=(), expected=entry.same, found=entry.path, verdict=same)
            ]
        if entry.path is not None:
            ours = _at_path(self.plain, entry.path)
        elif entry.reports is not None:
            ours = counted(self.sections.scored_by(entry.metric, entry.dataset))
        else:
            ours = self.scores()
        if entry.mean is not None:
            ours = _mean(ours, entry)
        if entry.order is not None:
            return verdicts.compare_order(entry.order, _numbers(ours))
        expected = entry.values if entry.table is None else self.expected_table()
        if entry.reports is not None:
            expected = self.sections.opened.expected_reports[self.number]
        scale = "1" if entry.mean is not None and entry.before is not None else entry.scale
        return [
            verdicts.Compared(
                place=place, expected=text, found=None, verdict="differs", message=message
            )
            if message
            else verdicts.compare(place, text, value, scale, entry.rounding, entry.tolerance)
            for place, text, value, message in verdicts.leaves(expected, ours)
        ]

    def expected_table(self) -> dict[str, Any]:
        """Return the values of a file: {system: text}, or {system: [text of each sentence]}."""
        cells = self.sections.opened.expected_tables[self.number]
        if self.entry.table is None or self.entry.table.sentence is None:
            return {cell.system: cell.score for cell in cells}
        systems: dict[str, dict[int, str]] = {}
        for cell in cells:
            if not (cell.sentence.isascii() and cell.sentence.isdigit()):
                raise InputError(
                    f"{cell.position}: '{cell.sentence[:40]}' is no number of a sentence"
                )
            systems.setdefault(cell.system, {})[int(cell.sentence)] = cell.score
        return {
            system: [texts[number] for number in sorted(texts)] for system, texts in systems.items()
        }

    def scores(self) -> dict[str, Any]:
        """Return the outputs or sentence scores that the entry names: {system: value, or list of
        values}."""
        entry = self.entry
        scored = self.sections.scored_by(entry.metric, entry.dataset)
        first = scored.scores[0]
        if entry.sentences is None:
            key = first.dataset, first.metric
            scores = [
                score for score in self.sections.scores if (score.dataset, score.metric) == key
            ]
            owner, _, name = entry.output.partition(".")
            if entry.output == "rank":
                return {score.system: score.rank for score in scores}
            if (
                name and entry.output in models.SPECIAL
            ):  # a number of the section `samples` or `bootstrap`
                return {
                    score.system: getattr(getattr(score, owner), name, None) for score in scores
                }
            return {
                score.system: output_of(score, entry.output, models.SPECIAL) for score in scores
            }
        metric = metric_scores([scored])[0]
        if metric.sentences is None:
            raise InputError(f"{metric.metric} has no sentence scores")
        named = f"1-{metric.lines}" if entry.sentences == "all" else entry.sentences
        try:
            items = named if isinstance(named, list) else [named]
            ranges = select_lines(True, [(str(item), "sentences") for item in items]).numbers(
                metric.lines
            )
            lines = np.concatenate([np.arange(low, high) for low, high in ranges])
        except ConfigError as error:
            raise InputError(error.problems) from None
        return {
            name: row.tolist()
            for name, row in zip(metric.systems, metric.sentences()[:, lines], strict=True)
        }


def _at_path(content: Any, path: str) -> Any:
    """Return what stands at a path of keys and of numbers from 1. Raises InputError where there is
    nothing."""
    done: list[str] = []
    for step in path.split("/"):
        if isinstance(content, dict) and step in content:
            content = content[step]
        elif isinstance(content, list) and step.isdigit() and 0 < int(step) <= len(content):
            content = content[int(step) - 1]
        else:
            raise InputError(
                f"there is no '{step}' in '{'/'.join(done) or 'results.json'}'{verdicts.listed(content)}"
            )
        done.append(step)
    return content


def _numbers(values: Any) -> dict[str, float]:
    """Return a number for each system, so that the highest number is the best system."""
    if isinstance(values, list):  # an order already
        return {str(name): float(-number) for number, name in enumerate(values)}
    if not isinstance(values, dict) or not all(
        isinstance(v, int | float) or v is None for v in values.values()
    ):
        raise InputError("an order needs a number for each system")
    return {name: math.nan if value is None else float(value) for name, value in values.items()}


def _mean(ours: Any, entry: models.ExpectationConfig) -> float:
    """Return the mean of the values of some systems, each scaled and rounded first where the entry
    says `before`."""
    values, names = _numbers(ours), entry.mean or []
    lacking = next((name for name in names if name not in values), None)
    if lacking is not None:
        raise InputError(f"there is no score of {lacking}; there are {', '.join(values)}")
    if entry.before is None:
        return math.fsum(values[name] for name in names) / len(names)
    parts = [round_score(values[name], entry.before, entry.scale) for name in names]
    return float(statistics.mean(Decimal(str(part)) for part in parts))
