"""Reading small tables: what separates the columns of a line, and how a number is written."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import CorpusError, Problem
from .plain_files import TempFiles, named, numbered_lines

SEPARATORS = "\t,;"
"""The characters that may separate columns. Where a line has several of them, the first one here
separates."""
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
NOT_A_NUMBER = frozenset({"nan", "inf", "infinity", "none", "null", "na", "n/a", "-"})
"""What programs write in place of a number that is lacking. No column has such a name."""
_SPACED = re.compile(r'("(?:[^"]|"")*")(?!\S)|(\S+)')
"""A cell between white space, in quotation marks or not; in a quoted one a quotation mark is
written twice."""
SHOWN = 40
"""Characters of a cell that a message shows."""
LARGEST_NUMBER = 1e150
"""The largest number of a sentence or system: sums of such numbers, and of their squares, are
finite."""


class Row(NamedTuple):
    """The cells of a line, without white space around them."""

    line: int
    """The number of the line in its file, from 1."""
    cells: list[str]


class SpacedRow(Row):
    """A row whose cells are separated by white space, so that a cell with blanks needs quotation
    marks.
    """


def separator_of(line: str, separators: str = SEPARATORS) -> str | None:
    """Return the first of the separators that occurs in a line; None means that white space
    separates the columns.
    """
    return next((mark for mark in separators if mark in line), None)


def read_rows(path: Path, max_bytes: int, comment: str | None = None) -> Iterator[Row]:
    """Yield the rows of a file. Its first row decides what separates the columns.

    The file may be compressed; `max_bytes` limits what it unpacks to. A cell may stand in quotation
    marks, but must end in the line in which it begins. Blank lines, and lines that begin with
    `comment`, are left out. Rows whose cells are separated by white space are SpacedRows. Raises
    CorpusError where the file cannot be read, or a quotation mark is not closed."""
    name, temp_files = (
        named(path),
        TempFiles(max_bytes),
    )  # the unpacked file lives as long as the spool
    lines = numbered_lines(temp_files.local(path), name)
    separator, first = None, True
    for number, line in lines:
        start = line.lstrip()
        if not start or (comment and start.startswith(comment)):
            continue
        if first:
            separator, first = separator_of(line), False
        if separator is None:
            pairs = _SPACED.findall(line)
            cells = [
                quoted[1:-1].replace('""', '"').strip() if quoted else plain
                for quoted, plain in pairs
            ]
            yield SpacedRow(number, cells)
        else:
            yield from quoted_rows([line], separator, name, number)


def quoted_rows(
    lines: Iterable[str], separator: str, name: str, first_line: int = 1
) -> Iterator[Row]:
    """Yield the rows of lines whose cells may stand in quotation marks. A row has the number of its
    last line.

    `first_line` is the number of the first line. Raises CorpusError, with the name of the file and
    the line."""
    csv.field_size_limit(1 << 17)  # that of Python, which reading a text may have raised
    rows = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in rows:
            yield Row(first_line + rows.line_num - 1, [cell.strip() for cell in cells])
    except csv.Error as error:
        raise at_line(name, first_line + rows.line_num - 1, f"not valid CSV: {error}") from None


def at_line(name: str, line: int, message: str, unit: str = ":") -> CorpusError:
    """Return the error for a line of a file, or for a row where the unit says so."""
    return CorpusError([Problem(f"{name}{unit}{line}", message)])


def is_numeric(cell: str) -> bool:
    """Return whether a cell holds a number or stands for a lacking one, so that it cannot be the
    name of a column.
    """
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in NOT_A_NUMBER


def number_of(text: str, expected: str = "a number", largest: float = LARGEST_NUMBER) -> float:
    """Return the number that a text stands for; raises ValueError where it is none, or beyond
    `largest`.
    """
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected {expected}, found '{text[:SHOWN]}'")
    value = float(text) + 0.0
    if abs(value) > largest:
        raise ValueError(f"'{text[:SHOWN]}' is too large a number")
    return value
