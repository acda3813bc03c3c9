"""Files of numbers beside a data set: opened, checked and selected as outputs are, then kept apart from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..config.resolved import Column, System, fill
from ..errors import DataError
from ..io.catalogue import is_data, named_one
from ..io.dataset_cache import cache_path, path_of
from ..io.remote import Remote, locate
from .corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..config.load import Config
    from ..errors import Problem


class NumberColumns(Protocol):
    """The columns of numbers that are read from a file."""

    @property
    def key(self) -> str:
        """A name that differs whenever the columns can."""

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def decimals(self) -> int | None:
        """The numbers are whole numbers of 10**-decimals; None: real numbers."""


class NumberFiles(Protocol):
    """What a metric says of the files of numbers that it reads."""

    @property
    def title(self) -> str:
        """What its score is called."""

    @property
    def files(self) -> str:
        """The path of a file, in which {system} and {dataset} may stand."""

    @property
    def columns(self) -> str:
        """The names of the columns, joined by +, or nothing where the file has no names."""

    @property
    def decimals(self) -> int:
        """How many decimals its numbers have at most."""

    @property
    def needs(self) -> NumberColumns:
        """Which columns are read."""


def distinct(readers: Sequence[NumberFiles]) -> list[NumberFiles]:
    """Return one of the metrics that read files of numbers for each set of columns."""
    return list({reader.needs.key: reader for reader in readers}.values())


def misused(config: Config, readers: Sequence[NumberFiles]) -> list[Problem]:
    """Return what is wrong with the files that metrics name: none, one for all systems, twice the same title."""
    problems, seen = [], dict[tuple[str, tuple[str, ...]], NumberFiles]()
    for metric in readers:
        if not metric.files:
            problems.append(config.root.problem(f"{metric.title}: the key 'files' is missing", ["metrics"]))
        elif "{system}" not in metric.files and len(config.systems) > 1:
            message = f"{metric.title}: files: expected {{system}} in the path, found '{metric.files}'"
            problems.append(config.root.problem(message, ["metrics"]))
        twin = seen.setdefault((metric.title.lower(), metric.needs.names), metric)
        if (twin.files, twin.columns, twin.decimals) != (metric.files, metric.columns, metric.decimals):
            message = f"two external metrics are called '{metric.title}'; give each its own `title`"
            problems.append(config.root.problem(message, ["metrics"]))
    return problems


def absent(config: Config, readers: Sequence[NumberFiles], problems: list[Problem]) -> set[Path | Remote]:
    """Return the files of data sets that metrics name and that are not here, after adding a problem for each metric."""
    found: set[Path | Remote] = set()
    for metric in distinct(readers):
        told: dict[str, None] = {}
        for system in config.systems if is_data(metric.files) else ():
            for dataset in system.paths:
                try:
                    path_of(fill(metric.files, dataset, system.name))
                except DataError as error:
                    told |= dict.fromkeys(problem.message for problem in error.problems)
                    found.add(_path(fill(metric.files, dataset, system.name)))
        problems += [config.root.problem(f"{metric.title}: files: {message}", ["metrics"]) for message in told]
    return found


def _path(text: str) -> Path | Remote:
    """Return where a file is or would be; for a file that no data set has, a path that is none."""
    try:
        return cache_path(named_one(text)) if is_data(text) else locate(Path(), text)
    except DataError:
        return Path(text)


def with_numbers(systems: Sequence[System], readers: Sequence[NumberFiles]) -> list[System]:
    """Return the systems, and for each external metric its files as if they were systems of their own."""
    more = []
    for metric in distinct(readers):
        for system in systems if metric.files else ():
            paths = {dataset: _column(metric, dataset, system.name) for dataset in system.paths}
            more.append(System(_called(metric, system.name), dict(paths)))
    return [*systems, *more]


def _called(metric: NumberFiles, system: str) -> str:
    return f"{metric.needs.key}:{system}"  # no system is called so: the colon


def _column(metric: NumberFiles, dataset: str, system: str) -> Column:
    path = _path(fill(metric.files, dataset, system))
    needs = metric.needs
    names = metric.columns or "+".join(needs.names)
    return Column(kind="numbers", path=path, column=names, header=bool(metric.columns), decimals=needs.decimals)


def parted(corpus: Corpus, readers: Sequence[NumberFiles]) -> Corpus:
    """Return the data set with its real systems, and the files of numbers as data sets of their own."""
    external: dict[str, Corpus] = {}
    for metric in (metric for metric in distinct(readers) if metric.files):
        files = {name: corpus.systems[_called(metric, name)] for name in corpus.systems if ":" not in name}
        external[metric.needs.key] = Corpus(
            name=corpus.name, lines=corpus.lines, source=None, references=(), systems=files
        )
    systems = {name: file for name, file in corpus.systems.items() if ":" not in name}
    return replace(corpus, systems=systems, external=external)
