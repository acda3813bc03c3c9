"""Small tables: lines with columns. What separates the columns, and how a number is written."""

from __future__ import annotations

import csv
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from ..errors import CorpusError, Problem
from .plain_files import Spool, named, numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SEPARATORS = "\t,;"
"""What may separate columns; of several that a line has the first one here does."""
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
NOT_A_NUMBER = frozenset({"nan", "inf", "infinity", "none", "null", "na", "n/a", "-"})
"""What programs write for a number that they do not have; in a first line it names no column."""
SHOWN = 40
"""Characters of a cell that a message shows."""


class Row(NamedTuple):
    """The cells of a line, without white space around them."""

    line: int
    """The number of the line in its file, from 1."""
    cells: list[str]


def separator_of(line: str, separators: str = SEPARATORS) -> str | None:
    """Return the first of the separators that a line has, or None: white space separates its columns."""
    return next((mark for mark in separators if mark in line), None)


def read_rows(path: Path, max_bytes: int, comment: str | None = None) -> Iterator[Row]:
    """Yield the rows of a file; the first one tells what separates the columns.

    The file may be compressed, and unpacks to at most so many bytes. A cell may stand in quotation marks, but ends in
    the line in which it begins. Lines that are blank, or begin with the comment, are left out.
    Raises CorpusError where the file cannot be read, or a quotation mark is not closed.
    """
    name, spool = named(path), Spool(max_bytes)  # what is unpacked lives as long as the spool
    lines = numbered_lines(spool.local(path), name)
    separator, first = None, True
    for number, line in lines:
        start = line.lstrip()
        if not start or (comment and start.startswith(comment)):
            continue
        if first:
            separator, first = separator_of(line), False
        if separator is None:
            yield Row(number, line.split())
        else:
            yield from quoted_rows([line], separator, name, number)


def quoted_rows(lines: Iterable[str], separator: str, name: str, first_line: int = 1) -> Iterator[Row]:
    """Yield the rows of lines whose cells may stand in quotation marks; a row has the number of its last line.

    Raises CorpusError, with the name of the file and the line.
    """
    rows = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in rows:
            yield Row(first_line + rows.line_num - 1, [cell.strip() for cell in cells])
    except csv.Error as error:
        raise at_line(name, first_line + rows.line_num - 1, f"not valid CSV: {error}") from None


def at_line(name: str, line: int, message: str) -> CorpusError:
    """Return the error that says what is wrong with a line of a file."""
    return CorpusError([Problem(f"{name}:{line}", message)])


def is_numeric(cell: str) -> bool:
    """Whether a cell holds a number, or what stands for one that is lacking: then it names no column."""
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in NOT_A_NUMBER


def number_of(text: str, expected: str = "a number", largest: float = sys.float_info.max) -> float:
    """Return the number that a text is; raises ValueError where it is none, or too large."""
    if not NUMBER.fullmatch(text):
        raise ValueError(f"expected {expected}, found '{text[:SHOWN]}'")
    value = float(text) + 0.0
    if abs(value) > largest:
        raise ValueError(f"'{text[:SHOWN]}' is too large a number")
    return value
