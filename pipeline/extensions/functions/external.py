"""Numbers that another program computed for each sentence: a score, or counts of edits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from pipeline.data import AnyText, Catalogue, Corpus, DatasetCache, MemoryText
from pipeline.data.config import Config, Input, System
from pipeline.errors import (
    CorpusError,
    DataError,
    InputError,
    Problem,
    did_you_mean,
    wrong_name,
)
from pipeline.files import Remote, WrittenPath, file_name
from pipeline.metrics.base import Metric
from pipeline.metrics.options import beta_option, number_option, option

from .number_files import NUMBERS, NumberColumns, reader
from .numbers import COUNTS, Numbers, NumberSpec

SEPARATOR = ":"
"""Stands in the names of systems that are files of numbers; names in a config have none."""
LENGTHS = ("hyp_len", "ref_len", "hyp_total", "ref_total")
OTHER_OUTPUTS = frozenset(
    {
        "precision",
        "recall",
        "match",
        "penalty",
        "numer",
        "total",
        *COUNTS,
        *LENGTHS,
    }
)
"""Names of other outputs, which a title cannot be."""
MAX_TITLE = 50
"""The most signs of a title."""
CITATIONS = {
    "errant": ("bryant-etal-2017-automatic",),
    "m2": ("dahlmeier-ng-2012-better",),
}
"""The publications of well-known programs, by the title in small letters."""


@dataclass(frozen=True)
class ExternalSpec(NumberSpec):
    """Numbers of each sentence from files."""

    @property
    def key(self) -> str:
        """A name, safe in file names, that differs if columns can differ."""
        key = f"external-{file_name(self.title, MAX_TITLE)}-{'-'.join(self.names)}"
        if self.decimals:
            return f"{key}-d{self.decimals}"
        return key


@dataclass(frozen=True)
class External(Numbers):
    """The mean or sum of a number of each sentence, or F-beta of sums of counts of edits."""

    name: ClassVar[str] = "external"
    summary: ClassVar[str] = (
        "numbers of each sentence that another program has written into files"
    )
    help_page: ClassVar[str] = "statistics"
    reads_files: ClassVar[bool] = True

    title: str = option(
        "external",
        help="what the score is called",
        free=True,
        form=f"a name of at most {MAX_TITLE} signs",
    )
    score_: str = option(
        "mean",
        help="mean or sum of one number, or F-beta of true positives, false positives and false "
        "negatives",
        choices=("mean", "sum", "f_beta"),
    )
    beta: str = beta_option(
        digits=9,
        applies=lambda m: m.is_counts,
        why="only score: f_beta has one",
    )
    decimals: int = option(
        0,
        help="decimals that the counts have; more are rounded (0: whole numbers only)",
        maximum=9,
        applies=lambda m: m.is_counts,
        why="only score: f_beta counts; other numbers are taken as they are",
        implicit=True,
    )
    scale: str = number_option(
        lambda options: "100" if options.get("score") == "sum" else "1",
        "the number that is shown as 100; 0: scores are shown as they are",
        digits=9,
        applies=lambda m: not m.is_counts,
        why="F-beta is a fraction",
    )
    higher_is_better: bool = option(
        True,
        help="whether the best system is the one with the highest score",
        applies=lambda m: not m.is_counts,
        why="the highest F-beta is the best",
        implicit=True,
    )
    files: str = option(
        "",
        help="the files, one for each system, such as scores/{system}.txt",
        pattern=r"[^\x00]+",
        form="a path; {system} and {dataset} in it are replaced",
        path=True,
        in_signatures=False,
    )
    columns: str = option(
        "",
        help="which columns of the files, by name or by number from 1, such as F0.5 or TP+FP+FN",
        pattern=r"[^\x00+]+(\+[^\x00+]+)*",
        form="names or numbers of columns, joined by +",
        in_signatures=False,
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a title that another output has, and a wrong number of columns."""
        problems = []
        wrong = wrong_name(self.title, MAX_TITLE)
        if wrong:
            problems.append(
                ("title", f"'{self.title}' cannot be a name: {wrong}")
            )
        if self.title in OTHER_OUTPUTS:
            problems.append(
                ("title", f"'{self.title}' is the name of another output")
            )
        numbers = len(self.spec.names)
        if self.columns and len(self.columns.split("+")) != numbers:
            message = (
                f"score: {self.score_} takes {numbers}, found '{self.columns}'"
            )
            problems.append(("columns", message))
        return problems

    def __post_init__(self) -> None:
        """Set the direction of the score."""
        super().__post_init__()
        object.__setattr__(self, "lower_is_better", not self.higher_is_better)

    @property
    def is_counts(self) -> bool:
        """Whether the files have counts."""
        return self.score_ == "f_beta"

    @property
    def divisor(self) -> float:
        """The number that is shown as 100."""
        return float(self.scale) or 1.0

    @property
    def outputs(self) -> tuple[str, ...]:
        """The title."""
        return (self.title,)

    def column(self, output: str) -> str:
        """Return the name of the only column."""
        return "value"

    @property
    def citations(self) -> tuple[str, ...]:
        """The publications of the program that the title names, if it is well known."""
        return CITATIONS.get(self.title.lower(), ())

    @property
    def level(self) -> str:  # type: ignore[override]
        """The level: corpus for F-beta, else mean or sum."""
        if self.is_counts:
            return "corpus"
        return self.score_

    @property
    def spec(self) -> ExternalSpec:
        """The numbers of the files."""
        if self.is_counts:
            return ExternalSpec(self.title, COUNTS, self.decimals)
        return ExternalSpec(self.title, ("value",), None)


def external_entries(
    metrics: Iterable[Metric], scores: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return config entries of `external` for arrays by title and system, unless a metric has the title.

    Arrays of counts of edits have three columns.
    """
    titles = {metric.output for metric in metrics if metric.reads_files}
    entries = []
    for title, systems in scores.items():
        if title not in titles:
            first = next(iter(systems.values()), 0)
            score = "f_beta" if np.ndim(first) == 2 else "mean"
            entries.append({"name": "external", "title": title, "score": score})
    return entries


def with_files(
    config: Config,
    metrics: Iterable[Metric],
    problems: list[Problem],
) -> Config:
    """Return the config with the files of metrics as further systems; adds to problems.

    For each metric and system there is a further system, whose outputs are the numbers. So files
    are opened, checked and read as those of outputs are.
    """
    readers = _distinct(metrics)
    if not readers:
        return config
    systems = list(config.systems)
    missing_files = set(config.missing_files)
    for metric in readers:
        messages: dict[str, None] = {}
        for system in config.systems:
            paths: dict[str, Input] = {}
            for dataset in system.paths:
                file = metric.files.replace("{dataset}", dataset)
                file = file.replace("{system}", system.name)
                path = _path(file)
                paths[dataset] = NumberColumns(
                    kind="numbers",
                    format=NUMBERS,
                    path=path,
                    column=metric.columns or "+".join(metric.spec.names),
                    header=bool(metric.columns),
                    decimals=metric.spec.decimals,
                )
                for message in _missing_file(file):
                    messages[message] = None
                    missing_files.add(path)
            if metric.files:
                systems.append(System(_system_name(metric, system.name), paths))
        for message in messages:
            text = f"{metric.title}: files: {message}"
            problems.append(config.problem(text, ["metrics"]))
    for message in _misused(config, metrics):
        problems.append(config.problem(message, ["metrics"]))
    return replace(
        config,
        systems=tuple(systems),
        missing_files=frozenset(missing_files),
    )


def with_numbers(corpus: Corpus, metrics: Iterable[Metric]) -> Corpus:
    """Return the data set without the further systems of with_files(): they become `external`.

    `external` has a data set of numbers for each metric, by the key of its specification.

    Raises CorpusError if a line has no number.
    """
    readers = _distinct(metrics)
    if not readers:
        return corpus
    systems = {}
    for name, text in corpus.systems.items():
        if SEPARATOR not in name:
            systems[name] = text
    external = {}
    for metric in readers:
        if not metric.files:
            continue
        problems = []
        numbers = {}
        for name in systems:
            text = corpus.systems[_system_name(metric, name)]
            numbers[name] = text
            if text.blank:
                position = text.at(int(text.blanks[0]))
                message = "has an empty cell; expected a number"
                problems.append(Problem(position, message))
        if problems:
            raise CorpusError(problems)
        external[metric.spec.key] = _number_corpus(corpus, numbers)
    return replace(corpus, systems=systems, external=external)


def with_arrays(
    corpus: Corpus,
    metrics: Iterable[Metric],
    scores: Mapping[str, Mapping[str, Any]],
) -> Corpus:
    """Return the data set with numbers for each line, by metric title and system in `scores`.

    Raises InputError if they do not fit the systems and lines, and for what is no number or
    count.
    """
    external = {}
    for metric in _distinct(metrics):
        if metric.title not in scores:
            continue
        arrays = scores[metric.title]
        label = f"scores[{metric.title!r}]"
        for name in sorted(arrays.keys() ^ corpus.systems.keys()):
            if name in corpus.systems:
                raise InputError(f"{label}: there are no numbers of '{name}'")
            hint = did_you_mean(name, corpus.systems)
            raise InputError(f"{label}: no system is called '{name}'{hint}")
        numbers = {}
        for name, array in arrays.items():
            array_label = f"{label}[{name!r}]"
            numbers[name] = _array_as_text(
                array_label, array, metric.spec, corpus.lines
            )
        external[metric.spec.key] = _number_corpus(corpus, numbers)
    return replace(corpus, external=external)


def _external(metrics: Iterable[Metric]) -> list[External]:
    """Return the metrics that read files, all of which are of this class."""
    return [
        cast("External", metric) for metric in metrics if metric.reads_files
    ]


def _distinct(metrics: Iterable[Metric]) -> list[External]:
    """Return a metric for each specification: the last with its files."""
    by_key = {metric.spec.key: metric for metric in _external(metrics)}
    return list(by_key.values())


def _system_name(metric: External, system: str) -> str:
    """Return the name of the further system with the numbers of a system."""
    return f"{metric.spec.key}{SEPARATOR}{system}"


def _misused(config: Config, metrics: Iterable[Metric]) -> list[str]:
    """Return the problems of metrics without files, with one file for all systems, or equal titles."""
    messages = []
    first_of: dict[tuple[str, tuple[str, ...]], External] = {}
    for metric in _external(metrics):
        title = metric.title
        if not metric.files:
            messages.append(f"{title}: the key 'files' is missing")
        elif "{system}" not in metric.files and len(config.systems) > 1:
            expected = (
                f"expected {{system}} in the path, found '{metric.files}'"
            )
            messages.append(f"{title}: files: {expected}")
        first = first_of.setdefault((title.lower(), metric.spec.names), metric)
        settings = (metric.files, metric.columns, metric.decimals)
        if settings != (first.files, first.columns, first.decimals):
            messages.append(
                f"two external metrics are called '{title}'; give each its own `title`"
            )
    return messages


def _missing_file(file: str) -> list[str]:
    """Return why a file of a fetched data set is missing; nothing if it is there."""
    if WrittenPath(file).is_data:
        try:
            DatasetCache().path_of(file)
        except DataError as error:
            return [problem.message for problem in error.problems]
    return []


def _path(file: str) -> Path | Remote:
    """Return the path of a file, which may be missing; what names no data set stays as written."""
    try:
        if WrittenPath(file).is_data:
            return DatasetCache().path(Catalogue.known().file(file))
        return WrittenPath(file).located()
    except DataError:
        return Path(file)


def _number_corpus(corpus: Corpus, numbers: Mapping[str, AnyText]) -> Corpus:
    """Return the data set of the numbers of each system."""
    return Corpus(
        name=corpus.name,
        lines=corpus.lines,
        source=None,
        references=(),
        systems=numbers,
    )


def _array_as_text(
    label: str, values: Any, spec: ExternalSpec, lines: int
) -> AnyText:
    """Return an array of numbers as the text that a file with the same numbers has.

    The array is [lines] or, for counts, [lines, counts]. `label` names it in messages. Raises
    InputError for another shape, and for what is no number or count.
    """
    width = len(spec.names)
    expected = (lines,) if width == 1 else (lines, width)
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{label}: expected numbers in an array or a list"
        ) from None
    if array.shape != expected:
        raise InputError(
            f"{label}: expected an array {list(expected)}, found {list(array.shape)}"
        )
    read = reader(spec.decimals)
    texts = []
    for number, row in enumerate(array.reshape(lines, width).tolist(), 1):
        try:
            cells = [read(repr(value)) for value in row]
        except ValueError as error:
            raise InputError(f"{label}, item {number}: {error}") from None
        texts.append(b" ".join(cells).decode())
    return MemoryText.of(label, texts)
