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
    """Return the published scores in records, in their order, but for systems of `without`.

    `system`, `score` and `sentence` are names of fields; without the last a record is of all
    sentences. Raises CorpusError if a score is not a number, or a system (with its sentence) comes
    twice."""
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
        output = (cell.system, cell.sentence)
        first_position = positions.setdefault(output, cell.position)
        if first_position != cell.position:
            subject = f"system '{cell.system[:40]}'"
            if cell.sentence:
                subject += f", sentence {cell.sentence[:20]},"
            message = f"{subject} comes twice (first at {first_position})"
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
    """Return the counts of a report of `m2scorer -v`: {sentence: {annotator: {count: text}}}, with
    the annotator taken for a sentence under the key TAKEN. Sentences are numbered from 1.

    For each sentence and each annotator a report has lines such as

        >> Annotator: 0
        # correct     : 3
        # proposed    : 7
        # gold        : 12

    and after the annotators of a sentence `>> Chosen Annotator for line 5 : 0`. The counts are
    totals of all sentences up to this one, if this annotator is taken here. Other lines are passed
    over. Raises CorpusError if the file is no report."""
    name = named(path)
    sentences: Sentences = {}
    # The annotators of the next sentence, and the counts of the last one.
    annotators: dict[str, dict[str, str]] = {}
    counts: dict[str, str] | None = None
    for line_number, line in numbered_lines(path, name):
        text = line.rstrip()
        position = f"{name}:{line_number}"
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
    """Return for each system what read_report() would return for its report, with integers in place
    of texts. Annotators without an annotation of a sentence are left out there.

    `scored` has statistics of each sentence, from which the metric makes counts for each annotator.
    Raises InputError if it does not, or if they are no integers."""
    metric = scored.metric
    if not all(
        field.per_reference and not field.real for field in metric.terms
    ):
        raise InputError(
            f"{metric.name} has no counts for each annotator, as reports have them"
        )
    names = [field.name for field in metric.terms]
    reports = {}
    for system, stored in zip(scored.names, scored.columns, strict=False):
        sentences: Sentences = {}
        total = np.zeros(len(names), np.int64)
        # Blocks are ranges of lines with the statistics that are in memory at once.
        for columns, chosen in zip(
            stored.blocks(),
            MetricColumns(metric).chosen_references(stored),
            strict=True,
        ):
            terms = metric.make_terms(columns)
            # int64 [lines, annotators, counts]
            counts = np.stack([terms[name] for name in names], axis=-1)
            # The totals before each line, and with it if each annotator is taken there.
            chosen_counts = counts[np.arange(len(chosen)), chosen]
            before = total + np.cumsum(chosen_counts, axis=0) - chosen_counts
            totals_if_taken = before[:, None] + counts
            is_present = columns["ref_len"] >= 0
            for line, taken in enumerate(chosen.tolist()):
                sentence: JsonObject = {}
                for annotator in np.flatnonzero(is_present[line]).tolist():
                    totals = totals_if_taken[line, annotator].tolist()
                    sentence[str(annotator)] = dict(
                        zip(names, totals, strict=True)
                    )
                sentence[TAKEN] = taken
                sentences[str(len(sentences) + 1)] = sentence
            total = total + chosen_counts.sum(axis=0)
        reports[system] = sentences
    return reports


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
    """The published values that are in files, by the index of the entry of `expect`."""
    expected_reports: dict[int, dict[str, Sentences]] = field(
        default_factory=dict
    )
    """The published counts of systems that are in reports, by the index of the entry of `expect`."""
    metrics: dict[str | None, Metric] = field(default_factory=dict)
    """The metric that each text of these sections means; None means the only metric."""


class Opener:
    """Reads the files that the published sections of a config name, and checks the names in these
    sections. `metrics` are those of the config, and `problems` gets what is wrong.
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
        """Return the path of the file that a text names at these keys of the config; raises
        ConfigError if it is not here.
        """
        try:
            return DatasetCache().path_of(text, self.config.folder(keys))
        except DataError as error:
            messages = [problem.message for problem in error.problems]
        raise ConfigError(
            [self.config.problem(message, keys) for message in messages]
        )

    def open(self) -> Published:
        """Read all files that the sections name, check all names, and return what was read. What is
        wrong is added to the problems, and left out.
        """
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
        for index, correlation in enumerate(self.written.correlations):
            self.correlation(index, correlation)
        self.check_pairs()
        for name, agreement in self.written.agreements.items():
            keys: Keys = ("agreements", name)
            self.check_judgments(agreement.judgments, keys)
            if agreement.table is not None:
                cells = self.table(agreement.table, (*keys, "table"))
                self.opened.sentence_tables[name] = cells
            else:
                self.metric(agreement.metric, agreement.dataset, keys)
        for index, entry in enumerate(self.written.expect):
            self.expectation(index, entry)
        self.check_verdict()
        return self.opened

    def correlation(self, index: int, correlation: CorrelationConfig) -> None:
        """Append the problems of the entry with this index of `correlations`: unknown columns or
        statistics, and statistics of columns without scores of outputs.
        """
        for key, names in (("of", correlation.of), ("with", correlation.with_)):
            for name_index, name in enumerate(names):
                keys = ("correlations", index, key, name_index)
                self.check_name(name, self.written.columns, "column", keys)
                column = self.written.columns.get(name)
                if correlation.statistics and column and column.records is None:
                    self.problem(
                        "`statistics` are of columns of `records`", keys
                    )
        try:
            requested_statistics(correlation.statistics)
        except InputError as error:
            self.problem(str(error), ("correlations", index, "statistics"))

    def check_pairs(self) -> None:
        """Append a problem for each two columns that two correlations have."""
        first_index: dict[tuple[str, str], int] = {}
        for index, correlation in enumerate(self.written.correlations):
            for pair in product(correlation.of, correlation.with_):
                if first_index.setdefault(pair, index) != index:
                    message = f"{pair[0]} and {pair[1]} are correlated twice"
                    self.problem(message, ("correlations", index))

    def check_verdict(self) -> None:
        """Append a problem if the verdict on record in `publication` cannot come out of the entries
        of `expect`: if it is better than their best verdict, or only one of both is "not
        published".
        """
        publication = self.written.publication
        entries = self.written.expect
        if publication is None or not entries:
            return
        entry_verdicts: list[tuple[Verdict, bool]] = []
        for entry in entries:
            verdict: Verdict = "rounding" if entry.rounding else "exact"
            if entry.recorded in ORDER:
                verdict = entry.recorded
            entry_verdicts.append((verdict, entry.published))
        best = whole_verdict(entry_verdicts)
        has_published = any(entry.published for entry in entries)
        verdict = publication.verdict
        if verdict in ORDER and best == "not published":
            message = f"'{verdict}', but no entry of expect is published; expected 'not published'"
        elif verdict == "not published" and has_published:
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
        """Append a problem at `keys` if a name is not one of the names that the config has. `kind`
        is what messages call them, such as "data set".
        """
        if name in names:
            return
        listed = "; there is none"
        if names:
            listed = f"; there are {', '.join(names)}"
        hint = did_you_mean(name, names)
        self.problem(f"no {kind} is called '{name}'{hint}{listed}", keys)

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
        """Return the metric that a text means (see named_metric()), and check the name of a data
        set; None means the only one of the config.

        Return None if the text means no metric; the problem is at `keys`."""
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
        """Return the published scores in the rows of a table that its `where` selects. If something
        is wrong, add a problem at `keys` and return none.
        """
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
        """Check a section of `columns`, and read its scores of systems from files; those of a metric
        or of judgements are computed later.
        """
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
        """Return the score of each system in a column that is neither of a metric nor of judgements:
        minus its rank in `order`, or scores from a file or the config.

        Scores of outputs (`records`) are stored too; those of systems are then their means."""
        keys: Keys = ("columns", name)
        if column.order is not None:
            order = enumerate(column.order, 1)
            return {system: float(-rank) for rank, system in order}
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
        """Return the F-beta of each system from two columns of a table, precision and recall. Its
        first column has the systems.
        """
        records = read_records(self.path(config.file, (*keys, "file")))
        precision = _scores(cells_of(records, "1", str(config.precision)))
        recall = _scores(cells_of(records, "1", str(config.recall)))
        scores = f_beta(
            np.array(list(precision.values())),
            np.array(list(recall.values())),
            float(config.beta),
        )
        return dict(zip(precision, scores.tolist(), strict=True))

    def file_scores(
        self,
        file: str,
        column: models.ColumnConfig,
        keys: Keys,
    ) -> dict[str, float]:
        """Return the scores of systems in a file that are named as the column's `title`, or the only
        ones. A file of numbers alone has those of the systems of the config, or of the column's
        data set.

        Raises InputError if the file has several scores, or none of that name."""
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

    def expectation(self, index: int, entry: models.ExpectationConfig) -> None:
        """Check the entry with this index of `expect`, and read its files: a table of scores, or
        reports of systems.
        """
        keys: Keys = ("expect", index)
        if entry.table is not None:
            cells = self.table(entry.table, (*keys, "table"))
            self.opened.expected_tables[index] = cells
        if entry.reports is not None:
            reports: dict[str, Sentences] = {}
            self.opened.expected_reports[index] = reports
            for system, text in entry.reports.items():
                with gathered(self.problems):
                    path = self.path(text, (*keys, "reports", system))
                    reports[system] = read_report(path)
        for key in ("path", "same"):
            result_path = getattr(entry, key)
            if result_path is not None:
                self.check_path(result_path, (*keys, key))
        if entry.path is None:
            metric = self.metric(entry.metric, entry.dataset, keys)
            if self.config.systems:
                self.check_systems(entry, metric, keys)

    def check_path(self, path: str, keys: Keys) -> None:
        """Append a problem if results.json will not have the section that a path such as
        columns/NAME begins with, or the name after it.
        """
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
        """Append a problem for each system in an entry of `expect` that the config does not have.

        A reference that the metric scores as a system is one; if the metric is unknown (None), any
        that some metric could score so."""
        systems = [system.name for system in self.config.systems]
        references = 0
        for dataset in self.config.datasets:
            references = max(references, len(dataset.references))
        policies = [POLICIES[metric.policy]] if metric else POLICIES.values()
        reference_rows: list[str] = []
        for policy in policies:
            reference_rows += policy.rows(references)
        if reference_rows:
            systems += [*reference_rows, Score.REFERENCES]
        names_at: dict[Keys, str] = {}
        for key in ("mean", "order"):
            for index, name in enumerate(getattr(entry, key) or ()):
                names_at[key, index] = name
        if isinstance(entry.values, dict) and entry.mean is None:
            for name in entry.values:
                names_at["values", name] = name
        for name in entry.reports or ():
            names_at["reports", name] = name
        for name_keys, name in names_at.items():
            self.check_name(name, systems, "system", (*keys, *name_keys))


def _scores(cells: Sequence[Cell]) -> dict[str, float]:
    """Return the score of each system."""
    return {cell.system: float(cell.score) for cell in cells}


def names_of(written: models.PublishedConfig, section: str) -> list[str]:
    """Return the names that a section of results.json will have."""
    if section != "correlations":
        return list(getattr(written, section))
    columns = (correlation.of for correlation in written.correlations)
    return list(chain.from_iterable(columns))


def named_metric(text: str | None, metrics: Sequence[Metric]) -> Metric:
    """Return the one of a config's metrics that a text means: a name that only one of them has, or a
    name with options. None means the only metric.

    A name may also be that of the score, such as the title of numbers from files. Raises InputError
    if no metric matches, or more than one."""
    named = metrics if text is None else metrics_called(text, metrics)
    matching = [
        metric for metric in metrics if text == metric.output or metric in named
    ]
    if len(matching) == 1:
        return matching[0]
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
        if matching:
            hint = "several are called so; write it with its options"
        raise InputError(f"the config has no metric '{text}': {hint}")
    return metric
