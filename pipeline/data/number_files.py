"""Numbers that metrics read in place of texts: from files, opened, checked and selected like
outputs, or in memory.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CorpusError, DataError, InputError, Problem, did_you_mean
from ..files.plain_files import numbered_lines
from ..files.remote import Remote, is_data, locate
from ..files.small_tables import SHOWN, at_line, is_numeric, number_of, separator_of
from .catalogue import named_one
from .config.resolved import Column, Config, Input, System, fill
from .corpus import Corpus
from .dataset_cache import cache_path, path_of
from .inputs import NumberReader
from .texts import AnyText, text_in_memory


def distinct(readers: Sequence[NumberReader]) -> list[NumberReader]:
    """Return the metrics without those that read the same columns as an earlier one."""
    return list({reader.spec.key: reader for reader in readers}.values())


def misused(config: Config, readers: Sequence[NumberReader]) -> list[Problem]:
    """Return the problems of metrics that name no file, one file for all systems, or a title that
    another has.
    """
    problems: list[Problem] = []
    seen: dict[tuple[str, tuple[str, ...]], NumberReader] = {}
    for metric in readers:
        if not metric.files:
            problems.append(
                config.root.problem(f"{metric.title}: the key 'files' is missing", ["metrics"])
            )
        elif "{system}" not in metric.files and len(config.systems) > 1:
            message = (
                f"{metric.title}: files: expected {{system}} in the path, found '{metric.files}'"
            )
            problems.append(config.root.problem(message, ["metrics"]))
        twin = seen.setdefault((metric.title.lower(), metric.spec.names), metric)
        if (twin.files, twin.columns, twin.decimals) != (
            metric.files,
            metric.columns,
            metric.decimals,
        ):
            message = f"two external metrics are called '{metric.title}'; give each its own `title`"
            problems.append(config.root.problem(message, ["metrics"]))
    return problems


def absent(
    config: Config, readers: Sequence[NumberReader], problems: list[Problem]
) -> set[Path | Remote]:
    """Return the files of fetched data sets that metrics name and that are not here; add a problem
    for each metric.
    """
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
        problems += [
            config.root.problem(f"{metric.title}: files: {message}", ["metrics"])
            for message in messages
        ]
    return paths


def _path(text: str) -> Path | Remote:
    """Return the path of a file that may be absent; one that no data set has stays as it is
    written.
    """
    try:
        return cache_path(named_one(text)) if is_data(text) else locate(Path(), text)
    except DataError:
        return Path(text)


def with_numbers(systems: Sequence[System], readers: Sequence[NumberReader]) -> list[System]:
    """Return the systems and, for each metric that reads files of numbers, these files as further
    systems.
    """
    more = []
    for metric in distinct(readers):
        for system in systems if metric.files else ():
            names, decimals = metric.columns or "+".join(metric.spec.names), metric.spec.decimals
            files = {
                dataset: _path(fill(metric.files, dataset, system.name)) for dataset in system.paths
            }
            column = partial(
                Column, kind="numbers", column=names, header=bool(metric.columns), decimals=decimals
            )
            paths: dict[str, Input] = {name: column(path=path) for name, path in files.items()}
            more.append(
                System(f"{metric.spec.key}:{system.name}", paths)
            )  # no name of a system has a colon
    return [*systems, *more]


def parted(corpus: Corpus, readers: Sequence[NumberReader]) -> Corpus:
    """Return the data set with its real systems, and with the files of numbers as `external` data
    sets.

    Raises CorpusError where a line has no number.
    """
    external: dict[str, Corpus] = {}
    for metric in (metric for metric in distinct(readers) if metric.files):
        files = {
            name: corpus.systems[f"{metric.spec.key}:{name}"]
            for name in corpus.systems
            if ":" not in name
        }
        empty = [(file, int(file.blanks[0])) for file in files.values() if file.blank]
        if empty:
            raise CorpusError(
                [
                    Problem(file.at(line), "has an empty cell; expected a number")
                    for file, line in empty
                ]
            )
        numbers = Corpus(
            name=corpus.name, lines=corpus.lines, source=None, references=(), systems=files
        )
        external[metric.spec.key] = numbers
    systems = {name: file for name, file in corpus.systems.items() if ":" not in name}
    return replace(corpus, systems=systems, external=external)


def with_arrays(
    corpus: Corpus, readers: Sequence[NumberReader], scores: Mapping[str, Mapping[str, Any]]
) -> Corpus:
    """Return the data set with numbers of each line: `scores` has arrays by the title of the metric
    and the system.

    Raises InputError where they are not those of the systems and lines, and for what is no number
    or no count."""
    external: dict[str, Corpus] = {}
    for metric in (metric for metric in distinct(readers) if metric.title in scores):
        own = scores[metric.title]
        for wrong in sorted(own.keys() ^ corpus.systems.keys()):
            has_none = wrong in corpus.systems
            told = (
                f"there are no numbers of '{wrong}'"
                if has_none
                else f"no system is called '{wrong}'"
            )
            hint = "" if has_none else did_you_mean(wrong, corpus.systems)
            raise InputError(f"scores[{metric.title!r}]: {told}{hint}")
        files = {
            name: _written(f"scores[{metric.title!r}][{name!r}]", own[name], metric, corpus)
            for name in own
        }
        numbers = Corpus(
            name=corpus.name, lines=corpus.lines, source=None, references=(), systems=files
        )
        external[metric.spec.key] = numbers
    return replace(corpus, external=external)


def _written(called: str, values: Any, metric: NumberReader, corpus: Corpus) -> AnyText:
    """Return an array of numbers as a text, as files of numbers are read."""
    width = len(metric.spec.names)
    expected = (corpus.lines,) if width == 1 else (corpus.lines, width)
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{called}: expected numbers in an array or a list") from None
    if array.shape != expected:
        raise InputError(f"{called}: expected an array {list(expected)}, found {list(array.shape)}")
    read, lines = reader(metric.spec.decimals), []
    for number, row in enumerate(array.reshape(corpus.lines, width).tolist(), 1):
        try:
            lines.append(b" ".join(read(repr(value)) for value in row).decode())
        except ValueError as error:
            raise InputError(f"{called}, item {number}: {error}") from None
    return text_in_memory(called, lines)


# ---- files of numbers, as other programs write them: a line for each sentence, in columns or JSON
# objects
#
# Tabs separate the columns where the first line has one, else commas where it has one, else white
# space. The first line names the columns where one of its cells is no number; of columns that the
# config names by number, only the cells in these columns count. A file that ends in .jsonl has an
# object in each line.

LARGEST = 1 << 53
"""The largest count: a float holds every whole number up to it."""


def numbers(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the numbers of each line, joined by blanks: floats, or whole numbers in units of
    10**-decimals.

    `name` is the name of the file in messages. Raises CorpusError, with the line, where a number is
    lacking or none."""
    names, read = column.column.split("+"), reader(column.decimals)
    cells: Callable[[str, int], list[str]] | None = None
    for number, line in numbered_lines(path, name):
        if not line.strip():
            expected = "a number" if len(names) == 1 else f"{len(names)} numbers"
            raise at_line(name, number, f"is empty; expected {expected}")
        if cells is None:
            objects = ".jsonl" in Path(name.lower()).suffixes
            cells, is_header = (
                (_objects(name, names), False)
                if objects
                else _table(line, name, names, column.header)
            )
            if is_header:
                continue
        values, row = [], cells(line, number)
        if not any(row):  # an error as well, unless the line is not scored; see parted()
            yield b""
            continue
        for title, cell in zip(names, row, strict=True):
            try:
                values.append(read(cell))
            except ValueError as error:
                raise at_line(
                    name, number, f"{title}: {error}" if len(names) > 1 else str(error)
                ) from None
        yield b" ".join(values)


def reader(decimals: int | None) -> Callable[[str], bytes]:
    """Return the function that turns a cell into a number, or raises ValueError."""

    def real(text: str) -> bytes:
        return repr(number_of(text)).encode()

    def count(text: str) -> bytes:
        digits = decimals or 0
        if not 0 <= number_of(text, largest=math.inf) * 10**digits <= LARGEST:
            raise ValueError(f"'{text[:SHOWN]}' is no count (from 0 to {LARGEST // 10**digits:,})")
        value = Decimal(text).scaleb(digits)
        whole = value.to_integral_value(ROUND_HALF_EVEN)
        if not digits and whole != value:
            raise ValueError(
                f"expected a whole number, found '{text[:SHOWN]}'; for others say `decimals`"
            )
        return str(int(whole)).encode()

    return real if decimals is None else count


def _objects(name: str, names: Sequence[str]) -> Callable[[str, int], list[str]]:
    """Return the function that picks the values of these names from the JSON object of a line."""

    def cells(line: str, number: int) -> list[str]:
        try:
            record = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
        except (ValueError, RecursionError):
            raise at_line(name, number, "is no JSON object") from None
        if not isinstance(record, dict):
            raise at_line(name, number, "is no JSON object")
        keys = {**{key.lower(): key for key in record}, **{key: key for key in record}}
        lacking = next(
            (title for title in names if title not in keys and title.lower() not in keys), None
        )
        if lacking is not None:
            raise at_line(name, number, f"has no '{lacking}'{did_you_mean(lacking, record)}")
        values = [record[keys.get(title, keys.get(title.lower(), ""))] for title in names]
        return [value if isinstance(value, str) else json.dumps(value) for value in values]

    return cells


def _table(
    line: str, name: str, names: Sequence[str], given: bool
) -> tuple[Callable[[str, int], list[str]], bool]:
    """Return the function that picks cells from a line, and whether the first line, `line`, is a
    header.
    """
    separator = separator_of(line, "\t,")
    titles = [cell.strip() for cell in line.split(separator)]
    numbered = given and all(title.isascii() and title.isdigit() for title in names)
    looked_at = (
        [titles[int(title[:9]) - 1] for title in names if int(title[:9]) <= len(titles)]
        if numbered
        else titles
    )
    is_header = not all(map(is_numeric, looked_at))
    columns = _columns(titles, name, names, given, is_header)

    def cells(text: str, number: int) -> list[str]:
        row = [cell.strip() for cell in text.split(separator)]
        if len(row) != len(titles):
            raise at_line(name, number, f"has {len(row)} columns; the first line has {len(titles)}")
        return [row[column] for column in columns]

    return cells, is_header


def _columns(
    titles: Sequence[str], name: str, names: Sequence[str], given: bool, is_header: bool
) -> list[int]:
    """Return the numbers, from 0, of the columns of these names; raises CorpusError where one is
    not to be found.
    """
    if not given and (
        len(titles) == len(names) == 1 or (not is_header and len(titles) == len(names))
    ):
        return list(range(len(names)))
    if not given and not is_header:
        raise at_line(
            name, 1, f"has {len(titles)} columns, expected {len(names)}; say which with `columns`"
        )
    folded = [title.lower() for title in titles]
    columns = []
    for title in names:
        if is_header and folded.count(title.lower()) == 1:
            columns.append(folded.index(title.lower()))
        elif title.isascii() and title.isdigit() and 1 <= int(title[:9]) <= len(titles):
            columns.append(int(title) - 1)
        else:
            many = (
                f"{folded.count(title.lower())} columns are"
                if title.lower() in folded
                else "no column is"
            )
            listed = ", ".join(titles[:20]) if is_header else f"{len(titles)} columns without names"
            hint = did_you_mean(title, titles) if is_header and title.lower() not in folded else ""
            raise at_line(
                name, 1, f"{many} called '{title}'{hint}; found {listed}; say which with `columns`"
            )
    return columns
