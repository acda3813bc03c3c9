"""Numbers that metrics read in place of texts: from files, opened, checked and selected like outputs, or in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config.resolved import Column, Config, System, fill
from ..errors import CorpusError, DataError, InputError, Problem, did_you_mean
from ..io.catalogue import named_one
from ..io.dataset_cache import cache_path, path_of
from ..io.remote import Remote, is_data, locate
from .corpus import Corpus
from .formats.numbers import reader as number_reader
from .texts import AnyText, text_in_memory

if TYPE_CHECKING:
    from ..metrics.base.capabilities import ReadsFiles


def distinct(readers: Sequence[ReadsFiles]) -> list[ReadsFiles]:
    """Return the metrics without those that read the same columns as an earlier one."""
    return list({reader.needs.key: reader for reader in readers}.values())


def misused(config: Config, readers: Sequence[ReadsFiles]) -> list[Problem]:
    """Return the problems of metrics that name no file, one file for all systems, or a title that another has."""
    problems: list[Problem] = []
    seen: dict[tuple[str, tuple[str, ...]], ReadsFiles] = {}
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


def absent(config: Config, readers: Sequence[ReadsFiles], problems: list[Problem]) -> set[Path | Remote]:
    """Return the files of fetched data sets that metrics name and that are not here; add a problem for each metric."""
    paths: set[Path | Remote] = set()
    for metric in distinct(readers):
        messages: dict[str, None] = {}
        for system in config.systems if is_data(metric.files) else ():
            for dataset in system.paths:
                try:
                    path_of(fill(metric.files, dataset, system.name))
                except DataError as error:
                    messages |= dict.fromkeys(problem.message for problem in error.problems)
                    paths.add(_path(fill(metric.files, dataset, system.name)))
        problems += [config.root.problem(f"{metric.title}: files: {message}", ["metrics"]) for message in messages]
    return paths


def _path(text: str) -> Path | Remote:
    """Return the path of a file that may be absent; one that no data set has stays as it is written."""
    try:
        return cache_path(named_one(text)) if is_data(text) else locate(Path(), text)
    except DataError:
        return Path(text)


def with_numbers(systems: Sequence[System], readers: Sequence[ReadsFiles]) -> list[System]:
    """Return the systems and, for each metric that reads files of numbers, these files as further systems."""
    more = []
    for metric in distinct(readers):
        for system in systems if metric.files else ():
            names, decimals = metric.columns or "+".join(metric.needs.names), metric.needs.decimals
            files = {dataset: _path(fill(metric.files, dataset, system.name)) for dataset in system.paths}
            column = partial(Column, kind="numbers", column=names, header=bool(metric.columns), decimals=decimals)
            more.append(System(_called(metric, system.name), {name: column(path=path) for name, path in files.items()}))
    return [*systems, *more]


def _called(metric: ReadsFiles, system: str) -> str:
    return f"{metric.needs.key}:{system}"  # no name of a system has a colon


def parted(corpus: Corpus, readers: Sequence[ReadsFiles]) -> Corpus:
    """Return the data set with its real systems, and with the files of numbers as `external` data sets.

    Raises CorpusError where a line has no number.
    """
    external: dict[str, Corpus] = {}
    for metric in (metric for metric in distinct(readers) if metric.files):
        files = {name: corpus.systems[_called(metric, name)] for name in corpus.systems if ":" not in name}
        empty = [(file, int(file.blanks[0])) for file in files.values() if file.blank]
        if empty:
            raise CorpusError([Problem(file.at(line), "has an empty cell; expected a number") for file, line in empty])
        numbers = Corpus(name=corpus.name, lines=corpus.lines, source=None, references=(), systems=files)
        external[metric.needs.key] = numbers
    systems = {name: file for name, file in corpus.systems.items() if ":" not in name}
    return replace(corpus, systems=systems, external=external)


def with_arrays(corpus: Corpus, readers: Sequence[ReadsFiles], scores: Mapping[str, Mapping[str, Any]]) -> Corpus:
    """Return the data set with numbers of each line: `scores` has arrays by the title of the metric and the system.

    Raises InputError where they are not those of the systems and lines, and for what is no number or no count.
    """
    external: dict[str, Corpus] = {}
    for metric in (metric for metric in distinct(readers) if metric.title in scores):
        own = scores[metric.title]
        for wrong in sorted(own.keys() ^ corpus.systems.keys()):
            has_none = wrong in corpus.systems
            told = f"there are no numbers of '{wrong}'" if has_none else f"no system is called '{wrong}'"
            hint = "" if has_none else did_you_mean(wrong, corpus.systems)
            raise InputError(f"scores[{metric.title!r}]: {told}{hint}")
        files = {name: _written(f"scores[{metric.title!r}][{name!r}]", own[name], metric, corpus) for name in own}
        numbers = Corpus(name=corpus.name, lines=corpus.lines, source=None, references=(), systems=files)
        external[metric.needs.key] = numbers
    return replace(corpus, external=external)


def _written(called: str, values: Any, metric: ReadsFiles, corpus: Corpus) -> AnyText:
    """Return an array of numbers as a text, as files of numbers are read."""
    width = len(metric.needs.names)
    expected = (corpus.lines,) if width == 1 else (corpus.lines, width)
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{called}: expected numbers in an array or a list") from None
    if array.shape != expected:
        raise InputError(f"{called}: expected an array {list(expected)}, found {list(array.shape)}")
    read, lines = number_reader(metric.needs.decimals), []
    for number, row in enumerate(array.reshape(corpus.lines, width).tolist(), 1):
        try:
            lines.append(b" ".join(read(repr(value)) for value in row).decode())
        except ValueError as error:
            raise InputError(f"{called}, item {number}: {error}") from None
    return text_in_memory(called, lines)
