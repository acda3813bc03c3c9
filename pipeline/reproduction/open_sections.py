"""Before work: what the sections judgments, columns, correlations, agreements and expect name, opened and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..config.models_published import SECTIONS
from ..config.tree import base_of
from ..errors import ConfigError, DataError, InputError, did_you_mean
from ..human.judgment_summary import open_judgments
from ..human.score_files import read_scores
from ..io.dataset_cache import path_of
from ..metrics.build import from_text
from ..scoring.references import POLICIES
from ..scoring.results import REFERENCES_ROW
from .table_files import Cell, Wanted, read_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ..config.load import Config
    from ..config.models_published import (
        WrittenColumn,
        WrittenExpectation,
        WrittenFBeta,
        WrittenPublished,
        WrittenTable,
    )
    from ..errors import Problem
    from ..human.judgments import Judgments
    from ..metrics.base.metric import Metric

    Keys = tuple[str | int, ...]


@dataclass(frozen=True)
class OpenedSections:
    """What was opened: judgements and columns of scores by name, sentence scores of agreements, expected tables.

    metrics: which of the config's each text means; datasets: which data set an entry (its keys) is of.
    """

    judgments: dict[str, Judgments] = field(default_factory=dict)
    columns: dict[str, dict[str, float]] = field(default_factory=dict)
    sentences: dict[str, list[Cell]] = field(default_factory=dict)
    tables: dict[int, list[Cell]] = field(default_factory=dict)
    metrics: dict[str | None, Metric] = field(default_factory=dict)


def open_sections(config: Config, chosen: Sequence[Metric], problems: list[Problem]) -> OpenedSections:
    """Open everything that is no text; what is wrong adds to problems."""
    return _Opener(config, chosen, problems).all()


class _Opener:
    def __init__(self, config: Config, chosen: Sequence[Metric], problems: list[Problem]) -> None:
        self.config, self.wanted, self.chosen, self.problems = config, config.published, chosen, problems
        self.found = OpenedSections()

    def problem(self, message: str, keys: Keys) -> None:
        self.problems.append(self.config.root.problem(message, keys))

    def path(self, text: str, keys: Keys) -> Path:
        try:
            return path_of(text, base_of(self.config.root.find(keys)))
        except DataError as error:
            raise ConfigError([self.config.root.problem(problem.message, keys) for problem in error.problems]) from None

    def all(self) -> OpenedSections:
        for section in SECTIONS:
            for name in names_of(self.wanted, section):
                if "/" in name:
                    self.problem(f"'{name}' cannot be a name: / parts the keys of paths", (section, name))
        self.judgments()
        for name, column in self.wanted.columns.items():
            self.column(name, column)
        self.correlations()
        self.agreements()
        for number, entry in enumerate(self.wanted.expect):
            self.expectation(number, entry)
        return self.found

    def judgments(self) -> None:
        for name, judgments in self.wanted.judgments.items():
            try:
                path = self.path(judgments.file, ("judgments", name, "file"))
                self.found.judgments[name] = open_judgments(path, judgments)
            except InputError as error:
                self.problems += error.problems

    def correlations(self) -> None:
        seen: dict[tuple[str, str], int] = {}
        for number, correlation in enumerate(self.wanted.correlations):
            for pair in ((one, two) for one in correlation.of for two in correlation.with_):
                if seen.setdefault(pair, number) != number:
                    self.problem(f"{pair[0]} and {pair[1]} are correlated twice", ("correlations", number))
            for key, names in (("of", correlation.of), ("with", correlation.with_)):
                for place, name in enumerate(names):
                    self.known(name, self.wanted.columns, "column", ("correlations", number, key, place))

    def agreements(self) -> None:
        for name, agreement in self.wanted.agreements.items():
            keys: Keys = ("agreements", name)
            self.known(agreement.judgments, self.wanted.judgments, "section of judgments", (*keys, "judgments"))
            if agreement.table is not None:
                self.found.sentences[name] = self.table(agreement.table, (*keys, "table"))
            else:
                self.measured(agreement.metric, agreement.dataset, keys)

    def known(self, name: str, there: Mapping[str, object], kind: str, keys: Keys) -> None:
        if name not in there:
            known = f"; there are {', '.join(there)}" if there else "; there is none"
            self.problem(f"no {kind} is called '{name}'{did_you_mean(name, there)}{known}", keys)

    def measured(self, text: str | None, dataset: str | None, keys: Keys) -> Metric | None:
        """Return the metric of the config that a text means, None: the only one; tells where there is none."""
        names = [item.name for item in self.config.datasets]
        if dataset is not None and dataset not in names:
            self.known(dataset, dict.fromkeys(names), "data set", (*keys, "dataset"))
        elif dataset is None and len(names) != 1:
            self.problem(f"of which data set? Say `dataset`: {', '.join(names) or 'there is none'}", keys)
        try:
            found = named_metric(text, self.chosen)
        except InputError as error:
            self.problem(error.problems[0].message, (*keys, "metric"))
            return None
        self.found.metrics[text] = found
        return found

    def table(self, wanted: WrittenTable, keys: Keys) -> list[Cell]:
        where = []
        for number, text in wanted.where.items():
            if number.isascii() and number.isdigit() and int(number) > 0:
                where.append((int(number), text))
            else:
                self.problem("expected the number of a column, from 1", (*keys, "where", number))
        try:
            columns = Wanted(wanted.system, wanted.score, wanted.sentence, tuple(where))
            return read_columns(self.path(wanted.file, (*keys, "file")), columns)
        except InputError as error:
            self.problems += error.problems
            return []

    def column(self, name: str, column: WrittenColumn) -> None:
        keys: Keys = ("columns", name)
        if column.metric is not None:
            self.measured(column.metric, column.dataset, keys)
        elif column.judgments is not None:
            self.known(column.judgments, self.wanted.judgments, "section of judgments", (*keys, "judgments"))
            runs = self.wanted.judgments.get(column.judgments)
            if column.human == "trueskill" and runs is not None and runs.trueskill is None:
                self.problem(f"judgments.{column.judgments} says no runs of TrueSkill: `trueskill`", (*keys, "human"))
        else:
            try:
                self.found.columns[name] = self.scores(column, keys)
            except InputError as error:
                self.problems += error.problems

    def scores(self, column: WrittenColumn, keys: Keys) -> dict[str, float]:
        """Return the scores of a column that needs no counting."""
        if column.order is not None:
            return {name: float(-place) for place, name in enumerate(column.order, 1)}
        if column.table is not None:
            cells = self.table(column.table, (*keys, "table"))
            return {cell.system: float(cell.score) for cell in cells}
        if column.f_beta is not None:
            return _f_beta(column.f_beta, self.path(column.f_beta.file, (*keys, "f_beta", "file")))
        if column.file is not None:
            path = self.path(column.file, (*keys, "file"))
            systems = [s.name for s in self.config.systems if column.dataset is None or column.dataset in s.paths]
            found = read_scores(path, systems)
            title = column.title if column.title is not None else next(iter(found))
            if title not in found or (column.title is None and len(found) > 1):
                raise InputError([self.config.root.problem(f"which score? Say `title`: {', '.join(found)}", keys)])
            return found[title]
        return dict(column.scores or {})

    def expectation(self, number: int, entry: WrittenExpectation) -> None:
        keys: Keys = ("expect", number)
        if entry.table is not None:
            self.found.tables[number] = self.table(entry.table, (*keys, "table"))
        for key in ("path", "same"):
            if getattr(entry, key) is not None:
                self.checked_path(str(getattr(entry, key)), (*keys, key))
        if entry.path is None:
            metric = self.measured(entry.metric, entry.dataset, keys)
            if metric is not None:
                self.systems(entry, metric, keys)

    def checked_path(self, path: str, keys: Keys) -> None:
        """Tell of a path that cannot be there: its section, and the name after it."""
        first, *rest = path.split("/")
        named = {section: names_of(self.wanted, section) for section in SECTIONS}
        known = [*named, "datasets", "human", "tests", "scores"]
        if first not in known:
            self.problem(
                f"results.json has no '{first}'{did_you_mean(first, known)}; expected {', '.join(known)}", keys
            )
        elif rest and first in named:
            self.known(rest[0], dict.fromkeys(named[first]), f"part of {first}", keys)

    def systems(self, entry: WrittenExpectation, metric: Metric, keys: Keys) -> None:
        """Tell of expected systems that the config does not have."""
        known = [system.name for system in self.config.systems]
        most = max((len(dataset.references) for dataset in self.config.datasets), default=0)
        rows = POLICIES[metric.policy].rows(most)
        known += [*rows, REFERENCES_ROW] if rows else []
        given = [("mean", entry.mean or []), ("order", entry.order or [])]
        if isinstance(entry.values, dict) and entry.mean is None:
            given.append(("values", list(entry.values)))
        for key, names in given:
            for place, name in enumerate(names):
                step = name if key == "values" else place
                if name not in known:
                    self.known(name, dict.fromkeys(known), "system", (*keys, key, step))


def names_of(wanted: WrittenPublished, section: str) -> list[str]:
    """Return the names that a section of results.json has."""
    if section == "correlations":
        return [name for item in wanted.correlations for name in item.of]
    return list(getattr(wanted, section))


def named_metric(text: str | None, chosen: Sequence[Metric]) -> Metric:
    """Return the metric that a text means: a name that only one has, or the printed form. Raises InputError."""
    same = [metric for metric in chosen if text is None or metric.name == text]
    if len(same) == 1:
        return same[0]
    listed = ", ".join(dict.fromkeys(metric.name for metric in chosen)) or "none"
    if text is None:
        raise InputError(f"which metric? Say `metric`; there are {listed}")
    try:
        found = from_text(text)
    except ConfigError as error:
        why = error.problems[0].message.removeprefix("name: ")
        raise InputError(f"'{text}' is no metric: {why}") from None
    if found not in chosen:
        more = "several are called so; write it with its options" if same else f"there are {listed}"
        raise InputError(f"the config has no metric '{text}': {more}")
    return found


def _f_beta(wanted: WrittenFBeta, path: Path) -> dict[str, float]:
    """Return (1 + b²) P R / (b² P + R) of each system; 0 where both are 0."""
    weight = float(wanted.beta) ** 2
    parts = [read_columns(path, Wanted(1, place)) for place in (wanted.precision, wanted.recall)]
    found = {}
    for one, two in zip(*parts, strict=True):
        precision, recall = float(one.score), float(two.score)
        below = weight * precision + recall
        found[one.system] = (1 + weight) * precision * recall / below if below > 0 else 0.0
    return found
