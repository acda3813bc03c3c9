"""Numbers that metrics read instead of texts: from files, which are opened like outputs, or arrays."""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CorpusError, DataError, InputError, Problem, did_you_mean
from ..files.plain_files import numbered_lines
from ..files.remote import Remote, is_data, locate
from ..files.small_tables import (
    MAX_DISPLAYED_CHARACTERS,
    at_line,
    is_numeric,
    number_of,
    separator_of,
)
from .catalogue import named_one
from .config.resolved import Column, Config, Input, System, fill
from .corpus import Corpus
from .dataset_cache import cache_path, path_of
from .inputs import NumberReader
from .texts import AnyText, text_in_memory

Picker = Callable[[str, int], list[str]]
"""Returns the cells of the columns from a line and its number; raises CorpusError."""


def distinct(readers: Sequence[NumberReader]) -> list[NumberReader]:
    """Return the metrics without those that read the same columns as an earlier one."""
    return list({reader.spec.key: reader for reader in readers}.values())


def misused(config: Config, readers: Sequence[NumberReader]) -> list[Problem]:
    """Return the problems of metrics without files, with one file for all systems, or equal titles."""
    messages: list[str] = []
    first_of: dict[tuple[str, tuple[str, ...]], NumberReader] = {}
    for metric in readers:
        title = metric.title
        if not metric.files:
            messages.append(f"{title}: the key 'files' is missing")
        elif "{system}" not in metric.files and len(config.systems) > 1:
            expected = f"expected {{system}} in the path, found '{metric.files}'"
            messages.append(f"{title}: files: {expected}")
        first = first_of.setdefault((title.lower(), metric.spec.names), metric)
        is_same = (
            first.files == metric.files
            and first.columns == metric.columns
            and first.decimals == metric.decimals
        )
        if not is_same:
            messages.append(
                f"two external metrics are called '{title}'; give each its own `title`"
            )
    return [config.problem(message, ["metrics"]) for message in messages]


def missing_number_files(
    config: Config, readers: Sequence[NumberReader], problems: list[Problem]
) -> set[Path | Remote]:
    """Return files of fetched data sets that metrics name and that are missing.

    Adds a problem for each metric and message.
    """
    paths: set[Path | Remote] = set()
    for metric in distinct(readers):
        if not is_data(metric.files):
            continue
        messages: dict[str, None] = {}
        for system in config.systems:
            for dataset in system.paths:
                file = fill(metric.files, dataset, system.name)
                try:
                    path_of(file)
                except DataError as error:
                    messages |= dict.fromkeys(
                        problem.message for problem in error.problems
                    )
                    paths.add(_path(file))
        for message in messages:
            problem = config.problem(f"{metric.title}: files: {message}", ["metrics"])
            problems.append(problem)
    return paths


def _path(text: str) -> Path | Remote:
    """Return the path of a file, which may be missing; what names no data set stays as written."""
    try:
        return cache_path(named_one(text)) if is_data(text) else locate(Path(), text)
    except DataError:
        return Path(text)


def with_numbers(
    systems: Sequence[System], readers: Sequence[NumberReader]
) -> list[System]:
    """Return the systems, and the files of numbers of each metric as further systems."""
    more = []
    for metric in distinct(readers):
        if not metric.files:
            continue
        for system in systems:
            paths: dict[str, Input] = {}
            for dataset in system.paths:
                paths[dataset] = Column(
                    path=_path(fill(metric.files, dataset, system.name)),
                    kind="numbers",
                    column=metric.columns or "+".join(metric.spec.names),
                    header=bool(metric.columns),
                    decimals=metric.spec.decimals,
                )
            # The names of systems in a config have no colon.
            more.append(System(f"{metric.spec.key}:{system.name}", paths))
    return [*systems, *more]


def parted(corpus: Corpus, readers: Sequence[NumberReader]) -> Corpus:
    """Return the data set with its real systems, and the files of numbers as `external` data sets.

    Raises CorpusError if a line has no number.
    """
    systems = {name: file for name, file in corpus.systems.items() if ":" not in name}
    external: dict[str, Corpus] = {}
    for metric in distinct(readers):
        if not metric.files:
            continue
        files = {}
        problems = []
        for name in systems:
            file = corpus.systems[f"{metric.spec.key}:{name}"]
            files[name] = file
            if file.blank:
                position = file.at(int(file.blanks[0]))
                problems.append(
                    Problem(position, "has an empty cell; expected a number")
                )
        if problems:
            raise CorpusError(problems)
        external[metric.spec.key] = _number_corpus(corpus, files)
    return replace(corpus, systems=systems, external=external)


def with_arrays(
    corpus: Corpus,
    readers: Sequence[NumberReader],
    scores: Mapping[str, Mapping[str, Any]],
) -> Corpus:
    """Return the data set with numbers for each line, by metric title and system in `scores`.

    Raises InputError if they do not fit the systems and lines, and for what is no number or count.
    """
    external: dict[str, Corpus] = {}
    for metric in distinct(readers):
        if metric.title not in scores:
            continue
        arrays = scores[metric.title]
        label = f"scores[{metric.title!r}]"
        for name in sorted(arrays.keys() ^ corpus.systems.keys()):
            if name in corpus.systems:
                raise InputError(f"{label}: there are no numbers of '{name}'")
            hint = did_you_mean(name, corpus.systems)
            raise InputError(f"{label}: no system is called '{name}'{hint}")
        files = {}
        for name, array in arrays.items():
            files[name] = _array_as_text(f"{label}[{name!r}]", array, metric, corpus)
        external[metric.spec.key] = _number_corpus(corpus, files)
    return replace(corpus, external=external)


def _number_corpus(corpus: Corpus, files: Mapping[str, AnyText]) -> Corpus:
    """Return the data set of the numbers of each system."""
    return Corpus(
        name=corpus.name,
        lines=corpus.lines,
        source=None,
        references=(),
        systems=files,
    )


def _array_as_text(
    label: str,
    values: Any,
    metric: NumberReader,
    corpus: Corpus,
) -> AnyText:
    """Return an array of numbers as a text, as files of numbers are read."""
    width = len(metric.spec.names)
    expected = (corpus.lines,) if width == 1 else (corpus.lines, width)
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{label}: expected numbers in an array or a list") from None
    if array.shape != expected:
        raise InputError(
            f"{label}: expected an array {list(expected)}, found {list(array.shape)}"
        )
    read = reader(metric.spec.decimals)
    lines = []
    for number, row in enumerate(array.reshape(corpus.lines, width).tolist(), 1):
        try:
            cells = [read(repr(value)) for value in row]
        except ValueError as error:
            raise InputError(f"{label}, item {number}: {error}") from None
        lines.append(b" ".join(cells).decode())
    return text_in_memory(label, lines)


# ---- files of numbers, as other programs write them: a line for each sentence, in columns or JSON
# objects
#
# Tabs separate the columns if the first line has one, else commas if it has one, else white space.
# The first line names the columns if one of its cells is no number; if the config names columns by
# number, only the cells in these columns count. A file that ends in .jsonl has an object in each
# line.

LARGEST_COUNT = 1 << 53
"""A float holds every whole number up to it."""


def numbers(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the numbers of a line joined by spaces: floats, or integers in units of 10**-decimals.

    `name` is the name of the file in messages. Raises CorpusError, with the line, for a cell that
    is empty or no number.
    """
    names = column.column.split("+")
    read = reader(column.decimals)
    cells_of: Picker | None = None
    for number, line in numbered_lines(path, name):
        if not line.strip():
            expected = "a number" if len(names) == 1 else f"{len(names)} numbers"
            raise at_line(name, number, f"is empty; expected {expected}")
        if cells_of is None:
            if ".jsonl" in Path(name.lower()).suffixes:
                cells_of = _objects(name, names)
            else:
                cells_of, is_header = _table(line, name, names, has_names=column.header)
                if is_header:
                    continue
        cells = cells_of(line, number)
        if not any(
            cells
        ):  # an error as well, unless the line is not scored; see parted()
            yield b""
            continue
        values = []
        for title, cell in zip(names, cells, strict=True):
            try:
                values.append(read(cell))
            except ValueError as error:
                message = f"{title}: {error}" if len(names) > 1 else str(error)
                raise at_line(name, number, message) from None
        yield b" ".join(values)


def reader(decimals: int | None) -> Callable[[str], bytes]:
    """Return the function that turns a cell into a number, or raises ValueError."""

    def real(text: str) -> bytes:
        return repr(number_of(text)).encode()

    def count(text: str) -> bytes:
        digits = decimals or 0
        displayed = text[:MAX_DISPLAYED_CHARACTERS]
        if not 0 <= number_of(text, largest=math.inf) * 10**digits <= LARGEST_COUNT:
            limit = LARGEST_COUNT // 10**digits
            raise ValueError(f"'{displayed}' is no count (from 0 to {limit:,})")
        value = Decimal(text).scaleb(digits)
        rounded = value.to_integral_value(ROUND_HALF_EVEN)
        if not digits and rounded != value:
            expected = f"expected a whole number, found '{displayed}'"
            raise ValueError(f"{expected}; for others say `decimals`")
        return str(int(rounded)).encode()

    return real if decimals is None else count


def _objects(name: str, names: Sequence[str]) -> Picker:
    """Return the function that picks the values of these names from the JSON object of a line."""

    def cells(line: str, number: int) -> list[str]:
        try:
            record = json.loads(
                line, parse_float=str, parse_int=str, parse_constant=str
            )
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise at_line(name, number, "is no JSON object")
        keys = {key.lower(): key for key in record}
        keys |= {key: key for key in record}
        values = []
        for title in names:
            key = keys.get(title, keys.get(title.lower()))
            if key is None:
                raise at_line(
                    name, number, f"has no '{title}'{did_you_mean(title, record)}"
                )
            value = record[key]
            values.append(value if isinstance(value, str) else json.dumps(value))
        return values

    return cells


def _table(
    line: str,
    name: str,
    names: Sequence[str],
    *,
    has_names: bool,
) -> tuple[Picker, bool]:
    """Return the function that picks cells from a line, and whether the first line is a header.

    `line` is the first line. `has_names`: the config names the columns.
    """
    separator = separator_of(line, "\t,")
    titles = [cell.strip() for cell in line.split(separator)]
    checked = titles
    if has_names and all(map(_is_number_of_column, names)):
        indices = [int(title[:9]) for title in names]
        checked = [titles[index - 1] for index in indices if index <= len(titles)]
    is_header = not all(map(is_numeric, checked))
    columns = _columns(titles, name, names, has_names=has_names, is_header=is_header)

    def cells(text: str, number: int) -> list[str]:
        row = [cell.strip() for cell in text.split(separator)]
        if len(row) != len(titles):
            raise at_line(
                name,
                number,
                f"has {len(row)} columns; the first line has {len(titles)}",
            )
        return [row[column] for column in columns]

    return cells, is_header


def _is_number_of_column(title: str) -> bool:
    return title.isascii() and title.isdigit()


def _columns(
    titles: Sequence[str],
    name: str,
    names: Sequence[str],
    *,
    has_names: bool,
    is_header: bool,
) -> list[int]:
    """Return the indices of the columns of these names; raises CorpusError for a missing one."""
    if not has_names:
        has_same_width = len(titles) == len(names)
        if has_same_width and (len(names) == 1 or not is_header):
            return list(range(len(names)))
        if not is_header:
            message = f"has {len(titles)} columns, expected {len(names)}"
            raise at_line(name, 1, f"{message}; say which with `columns`")
    folded = [title.lower() for title in titles]
    columns = []
    for title in names:
        count = folded.count(title.lower())
        if is_header and count == 1:
            columns.append(folded.index(title.lower()))
            continue
        if _is_number_of_column(title) and 1 <= int(title[:9]) <= len(titles):
            columns.append(int(title) - 1)
            continue
        what = f"{count} columns are" if count else "no column is"
        what += f" called '{title}'"
        listed = f"{len(titles)} columns without names"
        if is_header:
            listed = ", ".join(titles[:20])
            what += did_you_mean(title, titles) if not count else ""
        raise at_line(name, 1, f"{what}; found {listed}; say which with `columns`")
    return columns
