"""The values that a config expects, compared with the results: one verdict on each entry of
`expect` and one on all.
"""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from itertools import chain, product
from math import nan
from typing import Any

import numpy as np

from pipeline.data import TEXTS, InputReader
from pipeline.data.config import Selection
from pipeline.errors import ConfigError, InputError
from pipeline.extensions.human.correlation import common_systems, correlate
from pipeline.extensions.human.json_objects import JsonObject
from pipeline.extensions.human.judgment_summary import judgment_summary
from pipeline.extensions.human.judgments import Judgments
from pipeline.extensions.human.meta_evaluation import (
    JudgedScores,
    agreement_on_sentences,
    judged_scores,
)
from pipeline.extensions.human.models import CorrelationConfig
from pipeline.extensions.human.records import correlated
from pipeline.extensions.human.score_files import metric_scores
from pipeline.metrics.options import parse_signature
from pipeline.scoring import MetricResult, Results, Score

from . import models, verdicts
from .published_sections import Cell, Published, counted
from .verdicts import Verdict

Progress = Callable[[int, int], None]
Scores = dict[str, float]
MAX_LISTED = 300
"""Values of an entry that results.json lists; of more values only those that are not equal are
listed."""


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
        entries = []
        for number, entry in enumerate(written.expect):
            entries.append(_Entry(number, entry, sections, plain).checked())
        verdicts_of_entries = [
            (entry["verdict"], entry["published"]) for entry in entries
        ]
        expectations = {
            "verdict": verdicts.whole_verdict(verdicts_of_entries),
            "recorded": written.publication.verdict
            if written.publication
            else None,
            "missed": [
                number
                for number, entry in enumerate(entries, 1)
                if entry["missed"]
            ],
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
        self.written = written
        self.opened = opened
        self.scored = scored
        self.scores = scores
        self.judgments: JsonObject = {}
        self.columns: dict[str, Scores] = {}
        self.notes: list[str] = []
        """Warnings: what could not be computed, and why."""

    def compute(self, progress: Progress | None = None) -> JsonObject:
        """Return the sections by name; an empty one is None."""
        for name, judgments in self.opened.judgments.items():
            config = self.written.judgments[name]
            self.judgments[name] = judgment_summary(judgments, config, progress)
        for name, column in self.written.columns.items():
            with self.noted(name):
                self.columns[name] = self.column(name, column)
        correlations: dict[str, JsonObject] = {}
        for correlation in self.written.correlations:
            for name, others in self.correlation(correlation).items():
                correlations.setdefault(name, {}).update(others)
        agreements: JsonObject = {}
        for name, agreement in self.written.agreements.items():
            with self.noted(name):
                agreements[name] = self.agreement(name, agreement)
        return {
            "judgments": self.judgments or None,
            "columns": self.columns or None,
            "correlations": correlations or None,
            "agreements": agreements or None,
        }

    @contextmanager
    def noted(self, name: str) -> Iterator[None]:
        """Add a note for what cannot be computed, which raises InputError."""
        try:
            yield
        except InputError as error:
            self.notes.append(f"{name}: {error}")

    def scored_by(
        self, metric: str | None, dataset: str | None
    ) -> MetricResult:
        """Return the scores by the metric of a text, on a data set. None means the only data
        set."""
        expected_metric = self.opened.metrics[metric]
        for result in self.scored:
            if result.metric == expected_metric and dataset in (
                None,
                result.scores[0].dataset,
            ):
                return result
        # the texts were checked when the files were opened
        raise KeyError(metric)

    def column(self, name: str, column: models.ColumnConfig) -> Scores:
        """Return the scores of a column, renamed and rounded as the config says."""
        if column.metric is not None:
            scored = self.scored_by(column.metric, column.dataset).scores
            scores = {
                score.system: output_of(score, column.output or "score")
                for score in scored
            }
        elif column.judgments is not None:
            scores = self.judgments[column.judgments][column.human]["scores"]
        else:
            scores = self.opened.columns[name]
        renamed = {}
        for system, value in scores.items():
            renamed[column.rename.get(system, system)] = round_score(
                value, column.rounding
            )
        if len(renamed) < len(scores):
            raise InputError(
                "two systems would have the same name: see `rename`"
            )
        return renamed

    def correlation(self, written: CorrelationConfig) -> dict[str, JsonObject]:
        """Return {column: {other column: coefficients}}, computed on the systems that all of these
        columns have."""
        of = [name for name in written.of if name in self.columns]
        with_ = [name for name in written.with_ if name in self.columns]
        if not of or not with_:
            return {}
        columns = {name: self.columns[name] for name in (*of, *with_)}
        systems = common_systems(columns.values(), written.without)
        if not written.statistics:
            scored: set[str] = set()
            for column in columns.values():
                scored.update(common_systems([column]))
            for name in written.without:
                if name not in scored:
                    self.notes.append(
                        f"correlations: without: no column has a system '{name}'"
                    )
        outputs = self.opened.records
        result: dict[str, JsonObject] = {name: {} for name in of}
        for one, two in product(of, with_):
            if written.statistics:
                result[one][two] = correlated(
                    outputs[one], outputs[two], written
                )
                continue
            first = np.array([columns[one][system] for system in systems])
            second = np.array([columns[two][system] for system in systems])
            coefficients = correlate(first, second)
            result[one][two] = {"systems": len(systems), **coefficients}
        return result

    def agreement(
        self, name: str, written: models.AgreementConfig
    ) -> JsonObject:
        """Return how far sentence scores agree with judgements."""
        judgments = self.opened.judgments[written.judgments]
        if written.table is not None:
            cells = self.opened.sentence_tables[name]
            judged = _scores_of_cells(cells, judgments, written.without)
        else:
            (metric,) = metric_scores(
                [self.scored_by(written.metric, written.dataset)]
            )
            judged = judged_scores(
                metric,
                judgments,
                written.without,
                written.numbering,
                self.notes,
            )
        systems = judged.systems
        if written.order is not None:
            if sorted(written.order) != sorted(systems):
                raise InputError(
                    f"order: expected each of {', '.join(systems)} once"
                )
            rows = [systems.index(system) for system in written.order]
            scores = judged.scores[rows]
            judged = JudgedScores(list(written.order), scores, judged.lines)
        level = agreement_on_sentences(judgments, judged, written.ties)
        return {"systems": judged.systems, **level._asdict()}


def output_of(score: Score, output: str, others: Iterable[str] = ()) -> float:
    """Return an output of a score. Raises InputError, which lists `others` too, where the metric
    has no such output."""
    if output == "score":
        return score.score
    if output not in score.outputs:
        names = ", ".join([*score.outputs, *others])
        metric, _ = parse_signature(score.metric)
        raise InputError(
            f"{metric} has no output '{output}'; there are {names}"
        )
    return score.outputs[output]


def round_score(
    value: float,
    rounding: models.RoundingConfig | None,
    scale: str = "1",
) -> float:
    """Return a score times a scale, rounded where a rounding is given."""
    if not math.isfinite(value) or (rounding is None and scale == "1"):
        return value
    scaled = verdicts.decimal(value, scale)
    if rounding is not None:
        scaled = verdicts.rounded(scaled, rounding.digits, rounding.rule)
    return float(scaled)


def _scores_of_cells(
    cells: Sequence[Cell],
    judgments: Judgments,
    without: Sequence[str],
) -> JudgedScores:
    """Return the scores of judged systems in a table, of the sentences that it has.

    Sentences are the same if their numbers are written alike. Raises InputError if a score is
    missing."""
    judged = set(judgments.systems).difference(without)
    numbers = {
        (cell.system, cell.sentence): float(cell.score) for cell in cells
    }
    systems = sorted(judged.intersection(system for system, _ in numbers))
    columns: dict[str, int] = {}
    for _, sentence in numbers:
        columns.setdefault(sentence, len(columns))
    if not systems:
        raise InputError("agreements: the table has no system that was judged")
    for segment in judgments.segments:
        if segment not in columns:
            message = f"no score of the judged sentence {segment}"
            raise InputError(f"agreements: the table has {message}")
        for system in systems:
            if (system, segment) not in numbers:
                message = (
                    f"no score of {system} for the judged sentence {segment}"
                )
                raise InputError(f"agreements: the table has {message}")
    rows = []
    for system in systems:
        rows.append(
            [numbers.get((system, sentence), nan) for sentence in columns]
        )
    lines = [columns[segment] for segment in judgments.segments]
    return JudgedScores(systems, np.array(rows), np.array(lines, np.int64))


def _other_annotators(
    written: models.PublishedConfig,
    opened: Published,
) -> Iterator[str]:
    """Yield a warning for each entry whose texts are annotated here by other versions than those of
    the publication."""
    for number, entry in enumerate(written.expect, 1):
        metric = None
        if entry.path is None:
            metric = opened.metrics.get(entry.metric)
        ours = ""
        if metric and metric.spec.input != TEXTS:
            ours = InputReader.of(metric.spec.input).annotator(
                metric.spec.input
            )
        if entry.annotator and not ours:
            yield f"expect {number}: 'annotator' has no effect, because no text is annotated here"
        elif ours and entry.published and entry.annotator != ours:
            theirs = "may have been with others (key `annotator`)"
            if entry.annotator:
                theirs = f"were with {entry.annotator}"
            yield (
                f"expect {number}: texts are annotated with {ours}, and those of the published "
                f"values {theirs}: other versions give other edits and other scores"
            )


class _Entry:
    """An entry of the section `expect`, with the results that it is compared with."""

    def __init__(
        self,
        number: int,
        entry: models.ExpectationConfig,
        sections: Sections,
        plain: JsonObject,
    ) -> None:
        self.number = number
        self.entry = entry
        self.sections = sections
        self.plain = plain

    def checked(self) -> JsonObject:
        """Return the title, the verdict and the compared values of the entry, as in results.json."""
        entry = self.entry
        compared: list[verdicts.Compared] = []
        message = None
        try:
            compared = self.compared()
        except InputError as error:
            message = str(error)
        counts = Counter[str]()
        differences = []
        for value in compared:
            counts[value.verdict] += 1
            message = message or value.message or None
            if value.difference is not None:
                differences.append(abs(value.difference))
        verdict = verdicts.verdict_of(compared, entry.rounding)
        recorded = self.recorded()
        listed = compared
        if len(compared) > MAX_LISTED:
            unequal = [value for value in compared if value.verdict != "equal"]
            listed = unequal[:MAX_LISTED]
        return {
            "title": entry.title or self.title(),
            "verdict": verdict,
            "recorded": recorded,
            "missed": verdicts.is_worse(verdict, recorded),
            "published": entry.published,
            "values": len(compared),
            "equal": counts["equal"],
            "within_tolerance": counts["tolerance"],
            "largest_difference": max(differences, default=None),
            "rounding": entry.rounding,
            "tolerance": entry.tolerance,
            "why": entry.why,
            "message": message,
            "compared": [value.plain() for value in listed],
        }

    def recorded(self) -> Verdict:
        """Return the verdict on record; only a worse one is a miss."""
        entry = self.entry
        publication = self.sections.written.publication
        if entry.recorded:
            return entry.recorded
        if publication is not None and publication.verdict == "not run":
            return "not run"
        if entry.tolerance is not None:
            return "tolerance"
        return "rounding" if entry.rounding else "exact"

    def title(self) -> str:
        """Return a title made of the keys of the entry."""
        entry = self.entry
        if entry.path is not None:
            return entry.path.replace("/", " ").replace("_", " ")
        parts = [entry.dataset, self.sections.opened.metrics[entry.metric].name]
        if entry.output != "score":
            parts.append(entry.output)
        for key in ("order", "sentences", "mean", "reports"):
            if getattr(entry, key) is not None:
                parts.append(key)
        return " ".join(filter(None, parts))

    def compared(self) -> list[verdicts.Compared]:
        """Return the comparison of each value. Raises InputError where the results do not have what
        is expected."""
        entry = self.entry
        ours = self.ours()
        if entry.same is not None:
            same = verdicts.Compared(
                keys=(), expected=entry.same, found=entry.path
            )
            if ours == _at_path(self.plain, entry.same):
                same.verdict = "equal"
            return [same]
        if entry.mean is not None:
            ours = _mean(ours, entry)
        if entry.order is not None:
            return verdicts.compare_order(entry.order, _numbers(ours))
        expected = entry.values
        if entry.reports is not None:
            expected = self.sections.opened.expected_reports[self.number]
        elif entry.table is not None:
            expected = self.expected_table()
        is_scaled = entry.mean is not None and entry.before is not None
        scale = "1" if is_scaled else entry.scale
        compared = []
        for leaf in verdicts.leaves(expected, ours):
            compared.append(
                verdicts.compare(leaf, scale, entry.rounding, entry.tolerance)
            )
        return compared

    def ours(self) -> Any:
        """Return our values: those at a path, the counts of reports, or scores by system."""
        entry = self.entry
        if entry.path is not None:
            return _at_path(self.plain, entry.path)
        scored = self.sections.scored_by(entry.metric, entry.dataset)
        if entry.reports is not None:
            return counted(scored)
        if entry.sentences is not None:
            return self.sentence_scores(scored)
        first = scored.scores[0]
        section, _, name = entry.output.partition(".")
        values: JsonObject = {}
        for score in self.sections.scores:
            if (score.dataset, score.metric) != (first.dataset, first.metric):
                continue
            if entry.output == "rank":
                values[score.system] = score.rank
            elif name and entry.output in models.SPECIAL:
                # of `samples` or `bootstrap`
                values[score.system] = getattr(
                    getattr(score, section), name, None
                )
            else:
                values[score.system] = output_of(
                    score, entry.output, models.SPECIAL
                )
        return values

    def expected_table(self) -> JsonObject:
        """Return the values of a file: {system: text}, or {system: [text of each sentence]}."""
        cells = self.sections.opened.expected_tables[self.number]
        if self.entry.table is None or self.entry.table.sentence is None:
            return {cell.system: cell.score for cell in cells}
        systems: dict[str, dict[int, str]] = {}
        for cell in cells:
            if not (cell.sentence.isascii() and cell.sentence.isdigit()):
                message = f"'{cell.sentence[:40]}' is no number of a sentence"
                raise InputError(f"{cell.position}: {message}")
            texts = systems.setdefault(cell.system, {})
            texts[int(cell.sentence)] = cell.score
        values = {}
        for system, texts in systems.items():
            values[system] = [texts[number] for number in sorted(texts)]
        return values

    def sentence_scores(self, scored: MetricResult) -> dict[str, list[float]]:
        """Return the sentence scores of the lines that the entry names, by system."""
        (metric,) = metric_scores([scored])
        if metric.sentences is None:
            raise InputError(f"{metric.metric} has no sentence scores")
        lines = self.entry.sentences
        if lines == "all":
            lines = f"1-{metric.lines}"
        items = lines if isinstance(lines, list) else [lines]
        try:
            selection = Selection.of(
                True, [(str(item), "sentences") for item in items]
            )
            ranges = selection.numbers(metric.lines)
        except ConfigError as error:
            raise InputError(error.problems) from None
        numbers = list(
            chain.from_iterable(range(low, high) for low, high in ranges)
        )
        rows = metric.sentences()[:, numbers].tolist()
        return dict(zip(metric.systems, rows, strict=True))


def _at_path(content: Any, path: str) -> Any:
    """Return what stands at a path of keys and of numbers from 1. Raises InputError where there is
    nothing."""
    steps = path.split("/")
    for number, step in enumerate(steps):
        children = verdicts.children(content)
        if step not in children:
            where = "/".join(steps[:number]) or "results.json"
            raise InputError(
                f"there is no '{step}' in '{where}'{verdicts.listed(content)}"
            )
        content = children[step]
    return content


def _numbers(values: Any) -> dict[str, float]:
    """Return a number for each system, so that the highest number is the best system."""
    if isinstance(values, list):  # an order already
        return {str(name): float(-number) for number, name in enumerate(values)}
    if not isinstance(values, dict):
        raise InputError("an order needs a number for each system")
    numbers = {}
    for name, value in values.items():
        if not isinstance(value, int | float | None):
            raise InputError("an order needs a number for each system")
        numbers[name] = math.nan if value is None else float(value)
    return numbers


def _mean(ours: Any, entry: models.ExpectationConfig) -> float:
    """Return the mean of the values of some systems, each scaled and rounded first where the entry
    says `before`."""
    values = _numbers(ours)
    names = entry.mean or []
    for name in names:
        if name not in values:
            raise InputError(
                f"there is no score of {name}; there are {', '.join(values)}"
            )
    if entry.before is None:
        return math.fsum(values[name] for name in names) / len(names)
    parts = [
        round_score(values[name], entry.before, entry.scale) for name in names
    ]
    return float(statistics.mean(Decimal(str(part)) for part in parts))
