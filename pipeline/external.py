"""Files of numbers beside a data set: opened, checked and selected as outputs are, then kept apart from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .catalogue import is_data, named_one
from .corpus import Corpus
from .datasets import path_of, place
from .errors import DataError
from .inputs import Column, System, fill
from .metrics.external import External
from .remote import Remote, locate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .config import Config
    from .errors import Problem
    from .metrics.base import Metric, Needs


def externals(chosen: Sequence[Metric]) -> list[External]:
    """Return the metrics that read files of numbers, one for each set of columns."""
    return list({metric.needs: metric for metric in chosen if isinstance(metric, External)}.values())


def misused(config: Config, chosen: Sequence[Metric]) -> list[Problem]:
    """Return what is wrong with the files that metrics name: none, one for all systems, twice the same title."""
    problems, seen = [], dict[tuple[str, tuple[str, ...]], External]()
    for metric in chosen:
        if not isinstance(metric, External):
            continue
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


def absent(config: Config, chosen: Sequence[Metric], problems: list[Problem]) -> set[Path | Remote]:
    """Return the files of data sets that metrics name and that are not here, after adding a problem for each metric."""
    found: set[Path | Remote] = set()
    for metric in externals(chosen):
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
        return place(named_one(text)) if is_data(text) else locate(Path(), text)
    except DataError:
        return Path(text)


def with_numbers(systems: Sequence[System], chosen: Sequence[Metric]) -> list[System]:
    """Return the systems, and for each external metric its files as if they were systems of their own."""
    more = []
    for metric in externals(chosen):
        for system in systems if metric.files else ():
            paths = {dataset: _column(metric, dataset, system.name) for dataset in system.paths}
            more.append(System(_called(metric, system.name), dict(paths)))
    return [*systems, *more]


def _called(metric: External, system: str) -> str:
    return f"{metric.needs.key}:{system}"  # no system is called so: the colon


def _column(metric: External, dataset: str, system: str) -> Column:
    path = _path(fill(metric.files, dataset, system))
    needs = metric.needs
    names = metric.columns or "+".join(needs.names)
    return Column("numbers", path, names, header=bool(metric.columns), decimals=needs.decimals)


def parted(corpus: Corpus, chosen: Sequence[Metric]) -> Corpus:
    """Return the data set with its real systems, and the files of numbers as data sets of their own."""
    external: dict[Needs, Corpus] = {}
    for metric in (metric for metric in externals(chosen) if metric.files):
        files = {name: corpus.systems[_called(metric, name)] for name in corpus.systems if ":" not in name}
        external[metric.needs] = Corpus(corpus.name, corpus.lines, None, (), files)
    systems = {name: file for name, file in corpus.systems.items() if ":" not in name}
    return replace(corpus, systems=systems, external=external)
