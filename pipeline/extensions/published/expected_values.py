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
    with `expectations` if the config has `expect`.

    `expectations` has the verdict on all entries, that on record, the entries with theirs, and
    `missed`, the numbers (from 1) of the entries whose verdict is worse than the one on record.
    `written` are the sections of the config, and `opened` what was read for them; `scored` are the
    scores of each metric on each data set, and `progress` is that of TrueSkill."""
    sections = Sections(written, opened, scored, results.scores)
    results = replace(results, **sections.compute(progress))
    if written.expect:
        plain = results.plain()
        entries = []
        verdicts_of_entries = []
        missed = []
        for index, expected in enumerate(written.expect):
            entry = _Entry(index, expected, sections, plain).checked()
            entries.append(entry)
            verdicts_of_entries.append((entry["verdict"], entry["published"]))
            if entry["missed"]:
                missed.append(index + 1)
        publication = written.publication
        expectations = {
            "verdict": verdicts.whole_verdict(verdicts_of_entries),
            "recorded": publication.verdict if publication else None,
            "missed": missed,
            "entries": entries,
        }
        results = replace(results, expectations=expectations)
    notes = [*sections.notes, *_other_annotators(written, opened)]
    return replace(results, warnings=[*results.warnings, *notes])


class Sections:
    """Computes the sections judgments, columns, correlations and agreements of results.json, from
    the sections of the config (`written`), what was read for them (`opened`), and the scores.
    """

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
        """Return the sections by name; an empty one is None. What cannot be computed is left out,
        with a note.
        """
        for name, judgments in self.opened.judgments.items():
            config = self.written.judgments[name]
            self.judgments[name] = judgment_summary(judgments, config, progress)
        for name, column in self.written.columns.items():
            with self.noted(name):
                self.columns[name] = self.column(name, column)
        correlations: dict[str, JsonObject] = {}
        for correlation in self.written.correlations:
            for name, coefficients in self.correlation(correlation).items():
                correlations.setdefault(name, {}).update(coefficients)
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
        """Return the scores by the metric that a text of the config means, on a data set; None means
        the only metric, or the only data set.
        """
        expected_metric = self.opened.metrics[metric]
        for result in self.scored:
            if result.metric != expected_metric:
                continue
            if dataset in (None, result.scores[0].dataset):
                return result
        # Not reached: the names were checked when the files were opened.
        raise KeyError(metric)

    def column(self, name: str, column: models.ColumnConfig) -> Scores:
        """Return the score of each system in a column, of a metric, from judgements or from a file,
        with systems renamed and scores rounded as the config says.
        """
        scores: Scores = {}
        if column.metric is not None:
            output = column.output or "score"
            result = self.scored_by(column.metric, column.dataset)
            for score in result.scores:
                scores[score.system] = output_of(score, output)
        elif column.judgments is not None:
            scores = self.judgments[column.judgments][column.human]["scores"]
        else:
            scores = self.opened.columns[name]
        renamed = {}
        for system, value in scores.items():
            new_name = column.rename.get(system, system)
            renamed[new_name] = round_score(value, column.rounding)
        if len(renamed) < len(scores):
            raise InputError(
                "two systems would have the same name: see `rename`"
            )
        return renamed

    def correlation(self, written: CorrelationConfig) -> dict[str, JsonObject]:
        """Return {column: {other column: coefficients by name}} for each of the columns `of` with
        each of those `with`; {} if either are all missing.

        The coefficients are computed on the systems that all of these columns have, or, with
        `statistics`, on the outputs that both columns have."""
        of = [name for name in written.of if name in self.columns]
        with_ = [name for name in written.with_ if name in self.columns]
        if not of or not with_:
            return {}
        result: dict[str, JsonObject] = {name: {} for name in of}
        if written.statistics:
            outputs = self.opened.records
            for name, other in product(of, with_):
                result[name][other] = correlated(
                    outputs[name], outputs[other], written
                )
            return result
        columns = {name: self.columns[name] for name in (*of, *with_)}
        scored: set[str] = set()
        for column in columns.values():
            scored.update(common_systems([column]))
        for system in written.without:
            if system not in scored:
                self.notes.append(
                    f"correlations: without: no column has a system '{system}'"
                )
        systems = common_systems(columns.values(), written.without)
        vectors = {}
        for name, column in columns.items():
            vectors[name] = np.array([column[system] for system in systems])
        for name, other in product(of, with_):
            coefficients = correlate(vectors[name], vectors[other])
            result[name][other] = {"systems": len(systems), **coefficients}
        return result

    def agreement(
        self, name: str, written: models.AgreementConfig
    ) -> JsonObject:
        """Return how far the sentence scores of a metric, or in a table, agree with judgements: the
        systems, and the fields of SentenceLevel.

        `order` gives the systems' order, which decides how pairs with equal scores count. Raises
        InputError if it does not name each system once."""
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
    """Return the score, or another output of its metric, such as precision. Raises InputError if
    the metric has no such output; the message lists `others` too.
    """
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
    """Return a score times a scale, rounded if there is a rounding. The product is exact in decimal;
    NaN and infinity stay.
    """
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
    """Return the sentence scores of judged systems, but for `without`, in the cells of a table. Its
    sentences are the columns, in their order; NaN is a missing score of one that was not judged.

    Sentences are the same if their numbers are written alike. Raises InputError if a score of a
    judged sentence is missing."""
    judged = set(judgments.systems).difference(without)
    scores: dict[tuple[str, str], float] = {}
    columns: dict[str, int] = {}
    for cell in cells:
        scores[cell.system, cell.sentence] = float(cell.score)
        columns.setdefault(cell.sentence, len(columns))
    systems = sorted(judged.intersection(cell.system for cell in cells))
    if not systems:
        raise InputError("agreements: the table has no system that was judged")
    for segment in judgments.segments:
        if segment not in columns:
            message = f"no score of the judged sentence {segment}"
            raise InputError(f"agreements: the table has {message}")
        for system in systems:
            if (system, segment) not in scores:
                message = (
                    f"no score of {system} for the judged sentence {segment}"
                )
                raise InputError(f"agreements: the table has {message}")
    rows = []
    for system in systems:
        rows.append(
            [scores.get((system, sentence), nan) for sentence in columns]
        )
    lines = [columns[segment] for segment in judgments.segments]
    return JudgedScores(systems, np.array(rows), np.array(lines, np.int64))


def _other_annotators(
    written: models.PublishedConfig,
    opened: Published,
) -> Iterator[str]:
    """Yield a warning for each entry of `expect` whose texts are annotated with edits by another
    annotator (its name and versions) than the publication used, or `annotator` has no effect."""
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
    """An entry of the section `expect`, by its index, with the results that it is compared with."""

    def __init__(
        self,
        index: int,
        entry: models.ExpectationConfig,
        sections: Sections,
        plain: JsonObject,
    ) -> None:
        self.index = index
        self.entry = entry
        self.sections = sections
        self.plain = plain
        """The results as mappings and lists."""

    def checked(self) -> JsonObject:
        """Return the title, the verdict and the compared values of the entry, as in results.json.

        An error in the comparison becomes its message, and the verdict is "differs". Of more than
        MAX_LISTED values only so many that are not equal are listed."""
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
        """Return the verdict that the config records for the entry, or else the best that its keys
        allow. Only a worse one is a miss.
        """
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
        """Return the comparison of each value of the entry: with values in the config, a table or
        reports, with an order of systems, or (`same`) of two paths in the results.

        Raises InputError if the results do not have what is expected."""
        entry = self.entry
        ours = self.ours()
        if entry.same is not None:
            comparison = verdicts.Compared(
                keys=(), expected=entry.same, found=entry.path
            )
            if ours == _at_path(self.plain, entry.same):
                comparison.verdict = "equal"
            return [comparison]
        scale = entry.scale
        if entry.mean is not None:
            ours = _mean(ours, entry)
            if entry.before is not None:
                scale = "1"  # its parts are scaled already
        if entry.order is not None:
            return verdicts.compare_order(entry.order, _numbers(ours))
        expected = entry.values
        if entry.reports is not None:
            expected = self.sections.opened.expected_reports[self.index]
        elif entry.table is not None:
            expected = self.expected_table()
        compared = []
        for leaf in verdicts.leaves(expected, ours):
            compared.append(
                verdicts.compare(leaf, scale, entry.rounding, entry.tolerance)
            )
        return compared

    def ours(self) -> Any:
        """Return our values for the entry: what is at a path in the results, counts as in reports of
        m2scorer, sentence scores, or an output of the metric, each by system.
        """
        entry = self.entry
        if entry.path is not None:
            return _at_path(self.plain, entry.path)
        scored = self.sections.scored_by(entry.metric, entry.dataset)
        if entry.reports is not None:
            return counted(scored)
        if entry.sentences is not None:
            return self.sentence_scores(scored)
        first = scored.scores[0]
        output = entry.output
        values: JsonObject = {}
        for score in self.sections.scores:
            if (score.dataset, score.metric) != (first.dataset, first.metric):
                continue
            value: float | None
            if output == "rank":
                value = score.rank
            elif "." in output and output in models.SPECIAL:
                # Such as bootstrap.mean; None if there was no bootstrap.
                section, _, name = output.partition(".")
                value = getattr(getattr(score, section), name, None)
            else:
                value = output_of(score, output, models.SPECIAL)
            values[score.system] = value
        return values

    def expected_table(self) -> JsonObject:
        """Return the published numbers of a table as texts: {system: text}, or with a column of
        sentences {system: [text of each sentence]}, in order of their numbers.

        Raises InputError if a sentence is no number."""
        cells = self.sections.opened.expected_tables[self.index]
        if self.entry.table is None or self.entry.table.sentence is None:
            return {cell.system: cell.score for cell in cells}
        texts_by_system: dict[str, dict[int, str]] = {}
        for cell in cells:
            if not (cell.sentence.isascii() and cell.sentence.isdigit()):
                message = f"'{cell.sentence[:40]}' is no number of a sentence"
                raise InputError(f"{cell.position}: {message}")
            texts = texts_by_system.setdefault(cell.system, {})
            texts[int(cell.sentence)] = cell.score
        values = {}
        for system, texts in texts_by_system.items():
            values[system] = [texts[sentence] for sentence in sorted(texts)]
        return values

    def sentence_scores(self, scored: MetricResult) -> dict[str, list[float]]:
        """Return by system the sentence scores of the lines in `sentences`, such as "1-3", a list of
        these, or "all".

        Raises InputError if the metric has no sentence scores, or the data set has not these lines."""
        (metric,) = metric_scores([scored])
        if metric.sentences is None:
            raise InputError(f"{metric.metric} has no sentence scores")
        requested = self.entry.sentences
        if requested == "all":
            requested = f"1-{metric.lines}"
        texts = requested if isinstance(requested, list) else [requested]
        try:
            selection = Selection.of(
                True, [(str(text), "sentences") for text in texts]
            )
            ranges = selection.numbers(metric.lines)
        except ConfigError as error:
            raise InputError(error.problems) from None
        lines = list(
            chain.from_iterable(range(start, end) for start, end in ranges)
        )
        rows = metric.sentences()[:, lines].tolist()
        return dict(zip(metric.systems, rows, strict=True))


def _at_path(content: Any, path: str) -> Any:
    """Return the part of nested mappings and lists at a path such as correlations/gleu/1; items of
    lists count from 1. Raises InputError if there is none.
    """
    steps = path.split("/")
    for depth, step in enumerate(steps):
        children = verdicts.children(content)
        if step not in children:
            parent = "/".join(steps[:depth]) or "results.json"
            raise InputError(
                f"there is no '{step}' in '{parent}'{verdicts.listed(content)}"
            )
        content = children[step]
    return content


def _numbers(values: Any) -> dict[str, float]:
    """Return a number for each system, the highest for the best: the values of a mapping, NaN for
    None, or the positions in a list, the best first, negated.

    Raises InputError for anything else."""
    message = "an order needs a number for each system"
    if isinstance(values, list):
        return {str(name): float(-index) for index, name in enumerate(values)}
    if not isinstance(values, dict):
        raise InputError(message)
    numbers = {}
    for name, value in values.items():
        if not isinstance(value, int | float | None):
            raise InputError(message)
        numbers[name] = math.nan if value is None else float(value)
    return numbers


def _mean(ours: Any, entry: models.ExpectationConfig) -> float:
    """Return the mean of our values (see _numbers()) of the systems in the entry's `mean`. With the
    key `before` each is scaled and rounded first, and the mean is exact in decimal.

    Raises InputError if a system has no value."""
    values = _numbers(ours)
    names = entry.mean or []
    for name in names:
        if name not in values:
            raise InputError(
                f"there is no score of {name}; there are {', '.join(values)}"
            )
    if entry.before is None:
        return math.fsum(values[name] for name in names) / len(names)
    decimals = []
    for name in names:
        score = round_score(values[name], entry.before, entry.scale)
        decimals.append(Decimal(str(score)))
    return float(statistics.mean(decimals))
