"""Reading small tables: what separates the columns of a line, and how a number is written."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import CorpusError, Problem
from .plain_files import TempFiles, named, numbered_lines

SEPARATORS = "\t,;"
"""Characters that may separate columns, by precedence."""
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
NOT_A_NUMBER = frozenset(
    {"nan", "inf", "infinity", "none", "null", "na", "n/a", "-"}
)
"""What programs write for a missing number. No column has such a name."""
_SPACED = re.compile(r'("(?:[^"]|"")*")(?!\S)|(\S+)')
"""A cell between white space, quoted or not; a quotation mark in a quoted cell is doubled."""
MAX_DISPLAYED_CHARACTERS = 40
"""Limits the characters of a cell in a message."""
LARGEST_NUMBER = 1e150
"""Limits the number of a sentence or system: sums of such numbers and their squares are finite."""


class Row(NamedTuple):
    """The cells of a line, without white space around them."""

    line: int
    """The number of the line in its file, from 1."""
    cells: list[str]


class SpacedRow(Row):
    """A row whose cells are separated by white space: a cell with spaces needs quotation marks."""


def separator_of(line: str, separators: str = SEPARATORS) -> str | None:
    """Return the first of the separators that occurs in a line; None means white space."""
    return next((mark for mark in separators if mark in line), None)


def read_rows(
    path: Path,
    max_bytes: int,
    comment: str | None = None,
) -> Iterator[Row]:
    """Yield the rows of a file. Its first row decides what separates the columns.

    The file may be compressed; `max_bytes` limits its unpacked bytes. A cell may be quoted, but
    must end in the line in which it begins. Blank lines, and lines that begin with `comment`, are
    left out. Rows whose cells are separated by white space are SpacedRows. Raises CorpusError if
    the file cannot be read, or a quotation mark is not closed.
    """
    name = named(path)
    # the unpacked file lives as long as this object
    temp_files = TempFiles(max_bytes)
    separator: str | None = None
    is_first = True
    for number, line in numbered_lines(temp_files.local(path), name):
        start = line.lstrip()
        if not start or (comment and start.startswith(comment)):
            continue
        if is_first:
            separator = separator_of(line)
            is_first = False
        if separator is None:
            yield SpacedRow(number, _spaced_cells(line))
        else:
            yield from quoted_rows([line], separator, name, number)


def _spaced_cells(line: str) -> list[str]:
    cells = []
    for quoted, plain in _SPACED.findall(line):
        if quoted:
            cells.append(quoted[1:-1].replace('""', '"').strip())
        else:
            cells.append(plain)
    return cells


def quoted_rows(
    lines: Iterable[str], separator: str, name: str, first_line: int = 1
) -> Iterator[Row]:
    """Yield the rows of lines whose cells may be quoted. A row has the number of its last line.

    `first_line` is the number of the first line. Raises CorpusError, with the name of the file and
    the line.
    """
    # that of Python, which reading a text may have raised
    csv.field_size_limit(1 << 17)
    rows = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in rows:
            yield Row(
                first_line + rows.line_num - 1, [cell.strip() for cell in cells]
            )
    except csv.Error as error:
        line = first_line + rows.line_num - 1
        raise at_line(name, line, f"not valid CSV: {error}") from None


def at_line(name: str, line: int, message: str, unit: str = ":") -> CorpusError:
    """Return the error for a line of a file, or for another unit, such as a row."""
    return CorpusError([Problem(f"{name}{unit}{line}", message)])


def is_numeric(cell: str) -> bool:
    """Return whether a cell is a number, or means a missing one, and so is no name of a column."""
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in NOT_A_NUMBER


def number_of(
    text: str,
    expected: str = "a number",
    largest: float = LARGEST_NUMBER,
) -> float:
    """Return the number of a text; raises ValueError if it is none, or larger than `largest`."""
    if not NUMBER.fullmatch(text):
        raise ValueError(
            f"expected {expected}, found '{text[:MAX_DISPLAYED_CHARACTERS]}'"
        )
    value = float(text) + 0.0
    if abs(value) > largest:
        raise ValueError(
            f"'{text[:MAX_DISPLAYED_CHARACTERS]}' is too large a number"
        )
    return value
