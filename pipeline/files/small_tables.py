"""Reading small tables: what separates the columns of a line, and how a number is written."""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

from ..errors import CorpusError
from .plain_files import TempFiles, named, numbered_lines

SEPARATORS = "\t,;"
"""Characters that may separate columns, by precedence."""
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
_SPACED = re.compile(r'("(?:[^"]|"")*")(?!\S)|(\S+)')
"""A cell between white space, quoted or not; a quotation mark in a quoted cell is doubled."""


class TableCell(str):
    """The text of a cell."""

    __slots__ = ()
    MISSING: ClassVar[frozenset[str]] = frozenset(
        {"nan", "inf", "infinity", "none", "null", "na", "n/a", "-"}
    )
    """What programs write for a missing number. No column has such a name."""
    LARGEST_NUMBER: ClassVar[float] = 1e150
    """Limits the number of a sentence or system: sums of such numbers and their squares are finite."""
    MAX_DISPLAYED: ClassVar[int] = 40
    """Limits the characters of a cell in a message."""

    @property
    def displayed(self) -> str:
        """The text in a message, which may be cut."""
        return self[: self.MAX_DISPLAYED]

    @property
    def is_numeric(self) -> bool:
        """Whether it is a number, or means a missing one, and so is no name of a column."""
        return bool(NUMBER.fullmatch(self)) or self.lower() in self.MISSING

    def number(
        self, expected: str = "a number", largest: float = LARGEST_NUMBER
    ) -> float:
        """Return the number; raises ValueError if it is none, or larger than `largest`."""
        if not NUMBER.fullmatch(self):
            raise ValueError(f"expected {expected}, found '{self.displayed}'")
        value = float(self) + 0.0
        if abs(value) > largest:
            raise ValueError(f"'{self.displayed}' is too large a number")
        return value


class TableRow(NamedTuple):
    """The cells of a line, without white space around them."""

    line: int
    """The number of the line in its file, from 1."""
    cells: list[str]

    @property
    def is_spaced(self) -> bool:
        """Whether white space separates the cells: a cell with spaces needs quotation marks."""
        return False

    @staticmethod
    def separator(line: str, separators: str = SEPARATORS) -> str | None:
        """Return the first of the separators that occurs in a line; None means white space."""
        return next((mark for mark in separators if mark in line), None)

    @classmethod
    def of_file(
        cls, path: Path, max_bytes: int, comment: str | None = None
    ) -> Iterator["TableRow"]:
        """Yield the rows of a file. Its first row decides what separates the columns.

        The file may be compressed; `max_bytes` limits its unpacked bytes. A cell may be quoted, but
        must end in the line in which it begins. Blank lines, and lines that begin with `comment`,
        are left out. Raises CorpusError if the file cannot be read, or a quotation mark is not
        closed.
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
                separator = cls.separator(line)
                is_first = False
            if separator is None:
                yield _SpacedRow(number, _spaced_cells(line))
            else:
                yield from cls.of_lines([line], separator, name, number)

    @classmethod
    def of_lines(
        cls,
        lines: Iterable[str],
        separator: str,
        name: str,
        first_line: int = 1,
    ) -> Iterator["TableRow"]:
        """Yield the rows of lines whose cells may be quoted. A row has the number of its last line.

        `first_line` is the number of the first line. Raises CorpusError, with the name of the file
        and the line.
        """
        # that of Python, which reading a text may have raised
        csv.field_size_limit(1 << 17)
        rows = csv.reader(lines, delimiter=separator, strict=True)
        try:
            for cells in rows:
                line = first_line + rows.line_num - 1
                yield cls(line, [cell.strip() for cell in cells])
        except csv.Error as error:
            line = first_line + rows.line_num - 1
            message = f"not valid CSV: {error}"
            raise CorpusError.at(f"{name}:{line}", message) from None


class _SpacedRow(TableRow):
    is_spaced = True


def _spaced_cells(line: str) -> list[str]:
    cells = []
    for quoted, plain in _SPACED.findall(line):
        if quoted:
            cells.append(quoted[1:-1].replace('""', '"').strip())
        else:
            cells.append(plain)
    return cells
