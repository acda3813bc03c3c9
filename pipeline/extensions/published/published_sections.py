"""The published sections of a config, `judgments` to `expect`: files are read and names checked
before scoring.

Published numbers stand in tables, whose columns a config names, and in reports of m2scorer with
`-v`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipeline.data.config.resolved import Config
from pipeline.data.config.tree import base_of
from pipeline.data.dataset_cache import path_of
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
from pipeline.extensions.human.judgments import Judgments, read_judgments
from pipeline.extensions.human.models import RowsConfig
from pipeline.extensions.human.records import (
    Record,
    Scores,
    filtered,
    means_of,
    read_records,
    scores_of,
)
from pipeline.extensions.human.score_files import read_scores
from pipeline.files.plain_files import named, numbered_lines
from pipeline.files.small_tables import number_of
from pipeline.metrics.base.choices import f_beta
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text, metrics_called
from pipeline.scoring.aggregation import POLICIES
from pipeline.scoring.metric_results import MetricResult
from pipeline.scoring.results import REFERENCES_ROW
from pipeline.scoring.terms import chosen_references

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
    seen, cells = dict[tuple[str, str], str](), list[Cell]()
    for record in records:
        cell = Cell(
            record.text(system),
            record.text(sentence) if sentence else "",
            record.text(score),
            record.position,
        )
        if cell.system in without:
            continue
        try:
            number_of(cell.score, "a score, a number")
        except ValueError as error:
            raise CorpusError([Problem(cell.position, str(error))]) from None
        twin = seen.setdefault((cell.system, cell.sentence), cell.position)
        if twin != cell.position:
            subject = f"system '{cell.system[:40]}'" + (
                f", sentence {cell.sentence[:20]}," if cell.sentence else ""
            )
            raise CorpusError([Problem(cell.position, f"{subject} comes twice (first at {twin})")])
        cells.append(cell)
    return cells


Sentences = dict[str, dict[str, Any]]
"""For each sentence, by its number from 1: the counts by the number of the annotator (from 0), and
TAKEN."""
TAKEN = "taken"
"""The key of the number of the annotator who is taken."""
_COUNT = re.compile(r"# ([a-z_]+) *: ([0-9]{1,15})")
_ANNOTATOR = re.compile(r">> Annotator: ([0-9]{1,9})")
_CHOSEN = re.compile(r">> Chosen Annotator for line ([0-9]{1,9}) : ([0-9]{1,9})")


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
    name, sentences = named(path), Sentences()
    annotators: dict[str, dict[str, str]] = {}
    counts: dict[str, str] | None = None
    for number, line in numbered_lines(path, name):
        if match := _ANNOTATOR.fullmatch(line.rstrip()):
            counts = annotators.setdefault(match[1], {})
        elif match := _COUNT.fullmatch(line.rstrip()):
            if counts is None:
                raise CorpusError(
                    [Problem(f"{name}:{number}", "has a count, and no annotator stands before it")]
                )
            counts[match[1]] = match[2]
        elif match := _CHOSEN.fullmatch(line.rstrip()):
            if not annotators:
                raise CorpusError(
                    [Problem(f"{name}:{number}", "has a chosen annotator, and no counts before it")]
                )
            sentences[match[1]] = {**annotators, TAKEN: match[2]}
            annotators, counts = {}, None
    if not sentences:
        raise CorpusError(
            [
                Problem(
                    name, "is no report of `m2scorer -v`: it has no '>> Chosen Annotator for line'"
                )
            ]
        )
    return sentences


def counted(scored: MetricResult) -> dict[str, Sentences]:
    """Return what such a report would say of each system, with numbers in place of texts.

    Raises InputError where the metric has not whole counts for each annotator.
    """
    metric = scored.metric
    if not all(field.per_reference and not field.real for field in metric.terms):
        raise InputError(f"{metric.name} has no counts for each annotator, as reports have them")
    names = [field.name for field in metric.terms]
    systems = {}
    for system, stored in zip(scored.names, scored.columns, strict=False):
        sentences, before = Sentences(), np.zeros(len(names), np.int64)
        for columns, chosen in zip(stored.blocks(), chosen_references(metric, stored), strict=True):
            terms = metric.make_terms(columns)
            counts = np.stack([terms[name] for name in names], axis=-1)
            own = counts[np.arange(len(chosen)), chosen]
            totals = before + np.cumsum(own, axis=0) - own
            for line, taken in enumerate(chosen.tolist()):
                listed = np.flatnonzero(columns["ref_len"][line] >= 0).tolist()
                with_each = (totals[line] + counts[line]).tolist()
                said = {
                    str(number): dict(zip(names, with_each[number], strict=True))
                    for number in listed
                }
                sentences[str(len(sentences) + 1)] = {**said, TAKEN: taken}
            before = before + own.sum(axis=0)
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
    expected_reports: dict[int, dict[str, Sentences]] = field(default_factory=dict)
    """The published counts of systems that are in reports, by the number (from 0) of the entry of
    `expect`."""
    metrics: dict[str | None, Metric] = field(default_factory=dict)
    """The metric that each text of these sections means; None means the only metric."""


def open_published(config: Config, metrics: Sequence[Metric], problems: list[Problem]) -> Published:
    """Read the files that published sections name, and check the names in these. `problems` gets
    what is wrong."""
    return _Opener(config, metrics, problems).open()


class _Opener:
    def __init__(self, config: Config, metrics: Sequence[Metric], problems: list[Problem]) -> None:
        self.config, self.written, self.metrics, self.problems = (
            config,
            models.published_config(config),
            metrics,
            problems,
        )
        self.opened = Published(written=self.written)
        self._records: dict[Path, list[Record]] = {}

    def problem(self, message: str, keys: Keys) -> None:
        self.problems.append(self.config.root.problem(message, keys))

    def path(self, text: str, keys: Keys) -> Path:
        try:
            return path_of(text, base_of(self.config.root.find(keys)))
        except DataError as error:
            raise ConfigError(
                [self.config.root.problem(problem.message, keys) for problem in error.problems]
            ) from None

    def open(self) -> Published:
        for section in models.SECTIONS:
            for name in names_of(self.written, section):
                if "/" in name:
                    self.problem(
                        f"'{name}' cannot be a name: / parts the keys of paths", (section, name)
                    )
        for name, judgments in self.written.judgments.items():
            with gathered(self.problems):
                path = self.path(judgments.file, ("judgments", name, "file"))
                self.opened.judgments[name] = read_judgments(
                    path, judgments.judges, judgments.without_judges, judgments.without
                )
        for name, column in self.written.columns.items():
            self.column(name, column)
        self.correlations()
        for name, agreement in self.written.agreements.items():
            where: Keys = ("agreements", name)
            self.check_name(
                agreement.judgments,
                self.written.judgments,
                "section of judgments",
                (*where, "judgments"),
            )
            if agreement.table is not None:
                self.opened.sentence_tables[name] = self.table(agreement.table, (*where, "table"))
            else:
                self.metric(agreement.metric, agreement.dataset, where)
        for number, entry in enumerate(self.written.expect):
            self.expectation(number, entry)
        self.check_verdict()
        return self.opened

    def correlations(self) -> None:
        """Append the problems of correlations: columns and statistics that are not there, and pairs
        that come twice."""
        seen: dict[tuple[str, str], int] = {}
        for number, correlation in enumerate(self.written.correlations):
            for pair in ((one, two) for one in correlation.of for two in correlation.with_):
                if seen.setdefault(pair, number) != number:
                    self.problem(
                        f"{pair[0]} and {pair[1]} are correlated twice", ("correlations", number)
                    )
            for key, names in (("of", correlation.of), ("with", correlation.with_)):
                for index, name in enumerate(names):
                    where = ("correlations", number, key, index)
                    self.check_name(name, self.written.columns, "column", where)
                    column = self.written.columns.get(name)
                    if correlation.statistics and column and column.records is None:
                        self.problem("`statistics` are of columns of `records`", where)
            try:
                requested_statistics(correlation.statistics)
            except InputError as error:
                self.problem(str(error), ("correlations", number, "statistics"))

    def check_verdict(self) -> None:
        """Append a problem where the verdict on record cannot come out of the entries of `expect`."""
        publication, entries, keys = (
            self.written.publication,
            self.written.expect,
            ("publication", "verdict"),
        )
        if publication is None or not entries:
            return
        verdict, allowed = publication.verdict, list[tuple[Verdict, bool]]()
        for entry in entries:
            highest: Verdict = "rounding" if entry.rounding else "exact"
            highest = entry.recorded if entry.recorded in ORDER else highest
            allowed.append((highest, entry.published))
        best = whole_verdict(allowed)
        if verdict in ORDER and best == "not published":
            self.problem(
                f"'{verdict}', but no entry of expect is published; expected 'not published'", keys
            )
        elif verdict == "not published" and any(entry.published for entry in entries):
            self.problem(
                "'not published', but entries of expect are; say `published: false` there", keys
            )
        elif verdict in ORDER and is_worse(best, verdict):
            told = f"'{verdict}', but with `rounding`, `tolerance` or `recorded` the entries give '{best}' at best"
            self.problem(told, keys)

    def check_name(self, name: str, names: Collection[str], kind: str, keys: Keys) -> None:
        """Append a problem where a name is not one of the names that the config has."""
        if name not in names:
            listed = f"; there are {', '.join(names)}" if names else "; there is none"
            self.problem(f"no {kind} is called '{name}'{did_you_mean(name, names)}{listed}", keys)

    def metric(self, text: str | None, dataset: str | None, keys: Keys) -> Metric | None:
        """Return the metric that a text means, and check the data set. None means the only one of
        the config."""
        names = [item.name for item in self.config.datasets]
        if dataset is not None:
            self.check_name(dataset, names, "data set", (*keys, "dataset"))
        elif len(names) != 1:
            self.problem(
                f"of which data set? Say `dataset`: {', '.join(names) or 'there is none'}", keys
            )
        try:
            self.opened.metrics[text] = named_metric(text, self.metrics)
        except InputError as error:
            self.problem(error.problems[0].message, (*keys, "metric"))
            return None
        return self.opened.metrics[text]

    def records(self, written: RowsConfig, keys: Keys) -> list[Record]:
        """Return the records of a file, which is read once."""
        path = self.path(written.file, (*keys, "file"))
        if path not in self._records:
            self._records[path] = read_records(path)
        return self._records[path]

    def table(self, written: models.TableConfig, keys: Keys) -> list[Cell]:
        for key in ("metric", "metrics"):
            if getattr(written, key) is not None:
                self.problem(
                    "stands beside `metric` and `metrics` of a table of `expect`", (*keys, key)
                )
        with gathered(self.problems):
            records = filtered(self.records(written, keys), written.where)
            return cells_of(
                records, written.system, written.score, written.sentence, written.without
            )
        return []

    def column(self, name: str, column: models.ColumnConfig) -> None:
        keys: Keys = ("columns", name)
        if column.metric is not None:
            self.metric(column.metric, column.dataset, keys)
        elif column.judgments is not None:
            self.check_name(
                column.judgments,
                self.written.judgments,
                "section of judgments",
                (*keys, "judgments"),
            )
            judgments = self.written.judgments.get(column.judgments)
            if (
                column.human == "trueskill"
                and judgments is not None
                and judgments.trueskill is None
            ):
                self.problem(
                    f"judgments.{column.judgments} says no runs of TrueSkill: `trueskill`",
                    (*keys, "human"),
                )
        else:
            with gathered(self.problems):
                self.opened.columns[name] = self.scores(column, keys)

    def scores(self, column: models.ColumnConfig, keys: Keys) -> dict[str, float]:
        """Return the scores of a column that is neither of a metric nor of judgements."""
        if column.order is not None:
            return {name: float(-rank) for rank, name in enumerate(column.order, 1)}
        if column.table is not None:
            return {
                cell.system: float(cell.score)
                for cell in self.table(column.table, (*keys, "table"))
            }
        if column.records is not None:
            records = self.records(column.records, (*keys, "records"))
            outputs = self.opened.records[str(keys[1])] = scores_of(column.records, records)
            return means_of(outputs)
        if column.f_beta is not None:
            written = column.f_beta
            records = read_records(self.path(written.file, (*keys, "f_beta", "file")))
            tables = [
                cells_of(records, "1", str(number))
                for number in (written.precision, written.recall)
            ]
            precision, recall = (
                np.array([float(cell.score) for cell in cells]) for cells in tables
            )
            scores = f_beta(precision, recall, float(written.beta)).tolist()
            return {cell.system: score for cell, score in zip(tables[0], scores, strict=True)}
        if column.file is not None:
            path = self.path(column.file, (*keys, "file"))
            systems = [
                s.name
                for s in self.config.systems
                if column.dataset is None or column.dataset in s.paths
            ]
            scores = read_scores(path, systems)
            title = column.title if column.title is not None else next(iter(scores))
            if title not in scores or (column.title is None and len(scores) > 1):
                raise InputError(
                    [
                        self.config.root.problem(
                            f"which score? Say `title`: {', '.join(scores)}", keys
                        )
                    ]
                )
            return scores[title]
        return dict(column.scores or {})

    def expectation(self, number: int, entry: models.ExpectationConfig) -> None:
        keys: Keys = ("expect", number)
        if entry.table is not None:
            self.opened.expected_tables[number] = self.table(entry.table, (*keys, "table"))
        if entry.reports is not None:
            counts = self.opened.expected_reports[number] = {}
            for system, text in entry.reports.items():
                with gathered(self.problems):
                    counts[system] = read_report(self.path(text, (*keys, "reports", system)))
        for key in ("path", "same"):
            if getattr(entry, key) is not None:
                self.check_path(str(getattr(entry, key)), (*keys, key))
        metric = None if entry.path is not None else self.metric(entry.metric, entry.dataset, keys)
        if entry.path is None and self.config.systems:
            self.check_systems(entry, metric, keys)

    def check_path(self, path: str, keys: Keys) -> None:
        """Append a problem where results.json will not have the section of a path, or the name
        after the section."""
        section, *rest = path.split("/")
        sections = [*models.SECTIONS, "datasets", "human", "tests", "scores"]
        if section not in sections:
            self.problem(
                f"results.json has no '{section}'{known_names(section, sections, 'expected')}", keys
            )
        elif rest and section in models.SECTIONS:
            self.check_name(
                rest[0],
                list(dict.fromkeys(names_of(self.written, section))),
                f"part of {section}",
                keys,
            )

    def check_systems(
        self, entry: models.ExpectationConfig, metric: Metric | None, keys: Keys
    ) -> None:
        """Append a problem for each expected system that the config does not have. None is a metric
        that is wrong."""
        systems = [system.name for system in self.config.systems]
        most = max((len(dataset.references) for dataset in self.config.datasets), default=0)
        policies = [POLICIES[metric.policy]] if metric else POLICIES.values()
        rows = [row for policy in policies for row in policy.rows(most)]
        systems += [*rows, REFERENCES_ROW] if rows else []
        expected = [("mean", entry.mean or []), ("order", entry.order or [])]
        if isinstance(entry.values, dict) and entry.mean is None:
            expected.append(("values", list(entry.values)))
        expected.append(("reports", list(entry.reports or {})))
        for key, names in expected:
            for index, name in enumerate(names):
                self.check_name(
                    name,
                    systems,
                    "system",
                    (*keys, key, name if key in ("values", "reports") else index),
                )


def names_of(written: models.PublishedConfig, section: str) -> list[str]:
    """Return the names that a section of results.json has."""
    if section == "correlations":
        return [name for item in written.correlations for name in item.of]
    return list(getattr(written, section))


def named_metric(text: str | None, metrics: Sequence[Metric]) -> Metric:
    """Return the metric that a text means: a name that only one metric has, or the printed form of
    a metric.

    A name may also be that of the score, such as the title of numbers from files. None means the
    only metric. Raises InputError where no metric, or more than one, is meant."""
    meant = metrics_called(text, metrics) if text is not None else metrics
    same = [metric for metric in metrics if text == metric.output or metric in meant]
    if len(same) == 1:
        return same[0]
    listed = ", ".join(dict.fromkeys(metric.name for metric in metrics)) or "none"
    if text is None:
        raise InputError(f"which metric? Say `metric`; there are {listed}")
    try:
        metric = from_text(text)
    except ConfigError as error:
        raise InputError(f"'{text}' is no metric: {error.problems[0].message}") from None
    if metric not in metrics:
        hint = "several are called so; write it with its options" if same else f"there are {listed}"
        raise InputError(f"the config has no metric '{text}': {hint}")
    return metric
