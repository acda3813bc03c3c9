"""The published sections of a config, `judgments` to `expect`: files are read and names checked
before scoring.

Published numbers stand in tables, whose columns a config names, and in reports of m2scorer with
`-v`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.data import DatasetCache
from pipeline.data.config import Config
from pipeline.errors import (
    ConfigError,
    CorpusError,
    DataError,
    InputError,
    Problem,
    did_you_mean,
    gathered,
    known_names,
)
from pipeline.extensions.human.comparison import requested_statistics
from pipeline.extensions.human.json_objects import JsonObject
from pipeline.extensions.human.judgments import Judgments, read_judgments
from pipeline.extensions.human.models import CorrelationConfig, RowsConfig
from pipeline.extensions.human.records import (
    Record,
    Scores,
    filtered,
    means_of,
    read_records,
    scores_of,
)
from pipeline.extensions.human.score_files import read_scores
from pipeline.files import TableCell, named, numbered_lines
from pipeline.metrics import from_text, metrics_called
from pipeline.metrics.base import Metric, f_beta
from pipeline.scoring import POLICIES, MetricColumns, MetricResult, Score

from . import models
from .verdicts import ORDER, Verdict, is_worse, whole_verdict

Keys = tuple[str | int, ...]


class Cell(NamedTuple):
    """A published score."""

    system: str
    sentence: str
    """The number of the sentence, or "" where the table has no column of sentences."""
    score: str
    """The number as it is written."""
    position: str
    """The file and the line."""


def cells_of(
    records: Sequence[Record],
    system: str,
    score: str,
    sentence: str | None = None,
    without: Collection[str] = (),
) -> list[Cell]:
    """Return the scores of records, of which each system, with its sentence, has one.

    Raises CorpusError where a score is not a number, and where a system comes twice.
    """
    positions: dict[tuple[str, str], str] = {}
    cells: list[Cell] = []
    for record in records:
        cell = Cell(
            system=record.text(system),
            sentence=record.text(sentence) if sentence else "",
            score=record.text(score),
            position=record.position,
        )
        if cell.system in without:
            continue
        try:
            TableCell(cell.score).number("a score, a number")
        except ValueError as error:
            raise CorpusError.at(cell.position, str(error)) from None
        first = positions.setdefault(
            (cell.system, cell.sentence), cell.position
        )
        if first != cell.position:
            subject = f"system '{cell.system[:40]}'"
            if cell.sentence:
                subject += f", sentence {cell.sentence[:20]},"
            message = f"{subject} comes twice (first at {first})"
            raise CorpusError.at(cell.position, message)
        cells.append(cell)
    return cells


Sentences = dict[str, JsonObject]
"""For each sentence, by its number from 1: the counts by the number of the annotator (from 0), and
TAKEN."""
TAKEN = "taken"
"""The key of the number of the annotator who is taken."""
_COUNT = re.compile(r"# ([a-z_]+) *: ([0-9]{1,15})")
_ANNOTATOR = re.compile(r">> Annotator: ([0-9]{1,9})")
_CHOSEN = re.compile(
    r">> Chosen Annotator for line ([0-9]{1,9}) : ([0-9]{1,9})"
)


def read_report(path: Path) -> Sentences:
    """Return the counts of a report of `m2scorer -v` as texts, sentence by sentence.

    For each sentence and each annotator a report has lines such as

        >> Annotator: 0
        # correct     : 3
        # proposed    : 7
        # gold        : 12

    and after the annotators of a sentence `>> Chosen Annotator for line 5 : 0`. The numbers are the
    totals of all sentences up to this one, if this annotator is taken here. Other lines are passed
    over. Raises CorpusError where the file is no report."""
    name = named(path)
    sentences: Sentences = {}
    annotators: dict[str, dict[str, str]] = {}
    counts: dict[str, str] | None = None
    for number, line in numbered_lines(path, name):
        text = line.rstrip()
        position = f"{name}:{number}"
        if match := _ANNOTATOR.fullmatch(text):
            counts = annotators.setdefault(match[1], {})
        elif match := _COUNT.fullmatch(text):
            if counts is None:
                message = "has a count, and no annotator stands before it"
                raise CorpusError.at(position, message)
            counts[match[1]] = match[2]
        elif match := _CHOSEN.fullmatch(text):
            if not annotators:
                message = "has a chosen annotator, and no counts before it"
                raise CorpusError.at(position, message)
            sentences[match[1]] = {**annotators, TAKEN: match[2]}
            annotators = {}
            counts = None
    if not sentences:
        message = "is no report of `m2scorer -v`: it has no '>> Chosen Annotator for line'"
        raise CorpusError.at(name, message)
    return sentences


def counted(scored: MetricResult) -> dict[str, Sentences]:
    """Return what such a report would have for each system, with numbers in place of texts.

    Raises InputError if the metric has no integer counts for each annotator.
    """
    metric = scored.metric
    if not all(
        field.per_reference and not field.real for field in metric.terms
    ):
        raise InputError(
            f"{metric.name} has no counts for each annotator, as reports have them"
        )
    names = [field.name for field in metric.terms]
    systems = {}
    for system, stored in zip(scored.names, scored.columns, strict=False):
        sentences: Sentences = {}
        total = np.zeros(len(names), np.int64)
        for columns, chosen in zip(
            stored.blocks(),
            MetricColumns(metric).chosen_references(stored),
            strict=True,
        ):
            terms = metric.make_terms(columns)
            counts = np.stack([terms[name] for name in names], axis=-1)
            # The totals before each line, and with it if each annotator is taken there.
            taken_counts = counts[np.arange(len(chosen)), chosen]
            before = total + np.cumsum(taken_counts, axis=0) - taken_counts
            with_each = before[:, None] + counts
            present = columns["ref_len"] >= 0
            for line, taken in enumerate(chosen.tolist()):
                sentence: JsonObject = {}
                for annotator in np.flatnonzero(present[line]).tolist():
                    totals = with_each[line, annotator].tolist()
                    sentence[str(annotator)] = dict(
                        zip(names, totals, strict=True)
                    )
                sentence[TAKEN] = taken
                sentences[str(len(sentences) + 1)] = sentence
            total = total + taken_counts.sum(axis=0)
        systems[system] = sentences
    return systems


@dataclass(frozen=True, kw_only=True)
class Published:
    """What the published sections need besides the scores of the metrics."""

    written: models.PublishedConfig
    """The sections themselves."""
    judgments: dict[str, Judgments] = field(default_factory=dict)
    """The judgements by their names in the config."""
    columns: dict[str, dict[str, float]] = field(default_factory=dict)
    """The score of each system, by the names of the columns that are neither of a metric nor of
    judgements."""
    records: dict[str, Scores] = field(default_factory=dict)
    """The scores of outputs, by the names of the columns that have records."""
    sentence_tables: dict[str, list[Cell]] = field(default_factory=dict)
    """The sentence scores of agreements, by the names of these."""
    expected_tables: dict[int, list[Cell]] = field(default_factory=dict)
    """The published values that are in files, by the number (from 0) of the entry of `expect`."""
    expected_reports: dict[int, dict[str, Sentences]] = field(
        default_factory=dict
    )
    """The published counts of systems that are in reports, by the number (from 0) of the entry of
    `expect`."""
    metrics: dict[str | None, Metric] = field(default_factory=dict)
    """The metric that each text of these sections means; None means the only metric."""


class Opener:
    """Reads the files that published sections name, and checks the names in these. `problems` gets
    what is wrong.
    """

    def __init__(
        self, config: Config, metrics: Sequence[Metric], problems: list[Problem]
    ) -> None:
        self.config = config
        self.written = models.published_config(config)
        self.metrics = metrics
        self.problems = problems
        self.opened = Published(written=self.written)
        self._records: dict[Path, list[Record]] = {}
        """Those of the files that were read."""

    def problem(self, message: str, keys: Keys) -> None:
        """Append a problem at these keys of the config."""
        self.problems.append(self.config.problem(message, keys))

    def path(self, text: str, keys: Keys) -> Path:
        """Return the path of a file; raises ConfigError if it is not here."""
        try:
            return DatasetCache().path_of(text, self.config.folder(keys))
        except DataError as error:
            problems = error.problems
        raise ConfigError(
            [self.config.problem(one.message, keys) for one in problems]
        )

    def open(self) -> Published:
        """Open all files, and check all names."""
        for section in models.SECTIONS:
            for name in names_of(self.written, section):
                if "/" in name:
                    message = (
                        f"'{name}' cannot be a name: / parts the keys of paths"
                    )
                    self.problem(message, (section, name))
        for name, judgments in self.written.judgments.items():
            with gathered(self.problems):
                path = self.path(judgments.file, ("judgments", name, "file"))
                self.opened.judgments[name] = read_judgments(
                    path,
                    judgments.judges,
                    judgments.without_judges,
                    judgments.without,
                )
        for name, column in self.written.columns.items():
            self.column(name, column)
        for number, correlation in enumerate(self.written.correlations):
            self.correlation(number, correlation)
        self.check_pairs()
        for name, agreement in self.written.agreements.items():
            keys: Keys = ("agreements", name)
            self.check_judgments(agreement.judgments, keys)
            if agreement.table is not None:
                cells = self.table(agreement.table, (*keys, "table"))
                self.opened.sentence_tables[name] = cells
            else:
                self.metric(agreement.metric, agreement.dataset, keys)
        for number, entry in enumerate(self.written.expect):
            self.expectation(number, entry)
        self.check_verdict()
        return self.opened

    def correlation(self, number: int, correlation: CorrelationConfig) -> None:
        """Append the problems of a correlation with unknown columns and statistics."""
        for key, names in (("of", correlation.of), ("with", correlation.with_)):
            for index, name in enumerate(names):
                keys = ("correlations", number, key, index)
                self.check_name(name, self.written.columns, "column", keys)
                column = self.written.columns.get(name)
                if correlation.statistics and column and column.records is None:
                    self.problem(
                        "`statistics` are of columns of `records`", keys
                    )
        try:
            requested_statistics(correlation.statistics)
        except InputError as error:
            self.problem(str(error), ("correlations", number, "statistics"))

    def check_pairs(self) -> None:
        """Append a problem for each two columns that two correlations have."""
        numbers: dict[tuple[str, str], int] = {}
        for number, correlation in enumerate(self.written.correlations):
            for pair in product(correlation.of, correlation.with_):
                if numbers.setdefault(pair, number) != number:
                    message = f"{pair[0]} and {pair[1]} are correlated twice"
                    self.problem(message, ("correlations", number))

    def check_verdict(self) -> None:
        """Append a problem if the verdict on record cannot come out of the entries of `expect`."""
        publication = self.written.publication
        entries = self.written.expect
        if publication is None or not entries:
            return
        best_of_entries: list[tuple[Verdict, bool]] = []
        for entry in entries:
            best: Verdict = "rounding" if entry.rounding else "exact"
            if entry.recorded in ORDER:
                best = entry.recorded
            best_of_entries.append((best, entry.published))
        best = whole_verdict(best_of_entries)
        verdict = publication.verdict
        if verdict in ORDER and best == "not published":
            message = f"'{verdict}', but no entry of expect is published; expected 'not published'"
        elif verdict == "not published" and any(
            entry.published for entry in entries
        ):
            message = "'not published', but entries of expect are; say `published: false` there"
        elif verdict in ORDER and is_worse(best, verdict):
            message = (
                f"'{verdict}', but with `rounding`, `tolerance` or `recorded` the entries give "
                f"'{best}' at best"
            )
        else:
            return
        self.problem(message, ("publication", "verdict"))

    def check_name(
        self,
        name: str,
        names: Collection[str],
        kind: str,
        keys: Keys,
    ) -> None:
        """Append a problem if a name is not one of the names that the config has."""
        if name not in names:
            listed = (
                f"; there are {', '.join(names)}"
                if names
                else "; there is none"
            )
            self.problem(
                f"no {kind} is called '{name}'{did_you_mean(name, names)}{listed}",
                keys,
            )

    def check_judgments(self, name: str, keys: Keys) -> None:
        """Append a problem if no section of judgements has this name."""
        kind = "section of judgments"
        self.check_name(
            name, self.written.judgments, kind, (*keys, "judgments")
        )

    def metric(
        self,
        text: str | None,
        dataset: str | None,
        keys: Keys,
    ) -> Metric | None:
        """Return the metric of a text, and check the data set. None means the only one of the
        config."""
        names = [item.name for item in self.config.datasets]
        if dataset is not None:
            self.check_name(dataset, names, "data set", (*keys, "dataset"))
        elif len(names) != 1:
            listed = ", ".join(names) or "there is none"
            self.problem(f"of which data set? Say `dataset`: {listed}", keys)
        try:
            self.opened.metrics[text] = named_metric(text, self.metrics)
        except InputError as error:
            self.problem(error.problems[0].message, (*keys, "metric"))
            return None
        return self.opened.metrics[text]

    def records(self, config: RowsConfig, keys: Keys) -> list[Record]:
        """Return the records of a file, which is read once."""
        path = self.path(config.file, (*keys, "file"))
        if path not in self._records:
            self._records[path] = read_records(path)
        return self._records[path]

    def table(self, table: models.TableConfig, keys: Keys) -> list[Cell]:
        """Return the published scores of a table; none if it is wrong."""
        for key in ("metric", "metrics"):
            if getattr(table, key) is not None:
                message = "stands beside `metric` and `metrics` of a table of `expect`"
                self.problem(message, (*keys, key))
        with gathered(self.problems):
            records = filtered(self.records(table, keys), table.where)
            return cells_of(
                records,
                table.system,
                table.score,
                table.sentence,
                table.without,
            )
        return []

    def column(self, name: str, column: models.ColumnConfig) -> None:
        """Check a column, and read its scores unless they are of a metric or of judgements."""
        keys: Keys = ("columns", name)
        if column.metric is not None:
            self.metric(column.metric, column.dataset, keys)
        elif column.judgments is not None:
            self.check_judgments(column.judgments, keys)
            judgments = self.written.judgments.get(column.judgments)
            has_no_runs = judgments is not None and judgments.trueskill is None
            if column.human == "trueskill" and has_no_runs:
                message = f"judgments.{column.judgments} says no runs of TrueSkill: `trueskill`"
                self.problem(message, (*keys, "human"))
        else:
            with gathered(self.problems):
                self.opened.columns[name] = self.scores(name, column)

    def scores(
        self, name: str, column: models.ColumnConfig
    ) -> dict[str, float]:
        """Return the scores of a column that is neither of a metric nor of judgements."""
        keys: Keys = ("columns", name)
        if column.order is not None:
            return {
                system: float(-rank)
                for rank, system in enumerate(column.order, 1)
            }
        if column.table is not None:
            return _scores(self.table(column.table, (*keys, "table")))
        if column.records is not None:
            records = self.records(column.records, (*keys, "records"))
            self.opened.records[name] = scores_of(column.records, records)
            return means_of(self.opened.records[name])
        if column.f_beta is not None:
            return self.f_beta_scores(column.f_beta, (*keys, "f_beta"))
        if column.file is not None:
            return self.file_scores(column.file, column, keys)
        return dict(column.scores or {})

    def f_beta_scores(
        self, config: models.FBetaConfig, keys: Keys
    ) -> dict[str, float]:
        """Return the F-beta of each system in a file."""
        records = read_records(self.path(config.file, (*keys, "file")))
        columns = []
        for number in (config.precision, config.recall):
            columns.append(_scores(cells_of(records, "1", str(number))))
        precision, recall = (
            np.array(list(scores.values())) for scores in columns
        )
        scores = f_beta(precision, recall, float(config.beta))
        return dict(zip(columns[0], scores.tolist(), strict=True))

    def file_scores(
        self,
        file: str,
        column: models.ColumnConfig,
        keys: Keys,
    ) -> dict[str, float]:
        """Return the scores of a file that are named by `title`, or the only ones."""
        path = self.path(file, (*keys, "file"))
        systems = []
        for system in self.config.systems:
            if column.dataset is None or column.dataset in system.paths:
                systems.append(system.name)
        scores = read_scores(path, systems)
        title = column.title
        if title is None and len(scores) == 1:
            title = next(iter(scores))
        if title not in scores:
            message = f"which score? Say `title`: {', '.join(scores)}"
            raise InputError([self.config.problem(message, keys)])
        return scores[title]

    def expectation(self, number: int, entry: models.ExpectationConfig) -> None:
        """Check an entry of `expect`, and read its files."""
        keys: Keys = ("expect", number)
        if entry.table is not None:
            cells = self.table(entry.table, (*keys, "table"))
            self.opened.expected_tables[number] = cells
        if entry.reports is not None:
            counts = self.opened.expected_reports[number] = {}
            for system, text in entry.reports.items():
                with gathered(self.problems):
                    path = self.path(text, (*keys, "reports", system))
                    counts[system] = read_report(path)
        for key in ("path", "same"):
            path_text = getattr(entry, key)
            if path_text is not None:
                self.check_path(path_text, (*keys, key))
        if entry.path is None:
            metric = self.metric(entry.metric, entry.dataset, keys)
            if self.config.systems:
                self.check_systems(entry, metric, keys)

    def check_path(self, path: str, keys: Keys) -> None:
        """Append a problem if results.json will not have the section of a path, or the name after
        the section."""
        section, *rest = path.split("/")
        sections = [*models.SECTIONS, "datasets", "human", "tests", "scores"]
        if section not in sections:
            hint = known_names(section, sections, "expected")
            self.problem(f"results.json has no '{section}'{hint}", keys)
        elif rest and section in models.SECTIONS:
            names = list(dict.fromkeys(names_of(self.written, section)))
            self.check_name(rest[0], names, f"part of {section}", keys)

    def check_systems(
        self,
        entry: models.ExpectationConfig,
        metric: Metric | None,
        keys: Keys,
    ) -> None:
        """Append a problem for each expected system that the config does not have. None is a metric
        that is wrong."""
        systems = [system.name for system in self.config.systems]
        # References that are scored as systems.
        references = 0
        for dataset in self.config.datasets:
            references = max(references, len(dataset.references))
        policies = [POLICIES[metric.policy]] if metric else POLICIES.values()
        rows: list[str] = []
        for policy in policies:
            rows += policy.rows(references)
        if rows:
            systems += [*rows, Score.REFERENCES]
        names: list[tuple[str, str | int, str]] = []
        for key in ("mean", "order"):
            for index, name in enumerate(getattr(entry, key) or ()):
                names.append((key, index, name))
        if isinstance(entry.values, dict) and entry.mean is None:
            names += [("values", name, name) for name in entry.values]
        names += [("reports", name, name) for name in entry.reports or ()]
        for key, part, name in names:
            self.check_name(name, systems, "system", (*keys, key, part))


def _scores(cells: Sequence[Cell]) -> dict[str, float]:
    """Return the score of each system."""
    return {cell.system: float(cell.score) for cell in cells}


def names_of(written: models.PublishedConfig, section: str) -> list[str]:
    """Return the names that a section of results.json has."""
    if section != "correlations":
        return list(getattr(written, section))
    return list(chain.from_iterable(one.of for one in written.correlations))


def named_metric(text: str | None, metrics: Sequence[Metric]) -> Metric:
    """Return the metric of a text: a name that only one metric has, or the printed form of a
    metric.

    A name may also be that of the score, such as the title of numbers from files. None means the
    only metric. Raises InputError for no metric, or more than one."""
    matching = metrics if text is None else metrics_called(text, metrics)
    same = [
        metric
        for metric in metrics
        if text == metric.output or metric in matching
    ]
    if len(same) == 1:
        return same[0]
    listed = ", ".join({metric.name: None for metric in metrics}) or "none"
    if text is None:
        raise InputError(f"which metric? Say `metric`; there are {listed}")
    try:
        metric = from_text(text)
    except ConfigError as error:
        raise InputError(
            f"'{text}' is no metric: {error.problems[0].message}"
        ) from None
    if metric not in metrics:
        hint = f"there are {listed}"
        if same:
            hint = "several are called so; write it with its options"
        raise InputError(f"the config has no metric '{text}': {hint}")
    return metric
