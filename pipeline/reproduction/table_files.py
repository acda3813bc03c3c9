"""Tables of published numbers. A config says which column holds the system, the score and the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..errors import CorpusError, Problem
from ..io.plain_files import named
from ..io.small_tables import at_line, number_of, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_BYTES = 1 << 28


class Cell(NamedTuple):
    """A published score."""

    system: str
    sentence: str
    """The number of the sentence, or "" where the table has no column of sentences."""
    score: str
    """The number as it is written."""
    position: str
    """The file and the line."""


class TableColumns(NamedTuple):
    """Which columns and lines of a table are read. Columns are numbered from 1."""

    system: int
    score: int
    sentence: int | None = None
    where: tuple[tuple[int, str], ...] = ()
    """Only lines that have each of these texts in its column are read."""


def read_table(path: Path, columns: TableColumns) -> list[Cell]:
    """Return the scores of a file, whose columns are separated by tabs, commas, semicolons or blanks.

    The file may be compressed. Raises CorpusError where it cannot be read, a line has too few columns, a score is not a
    number, a system (with its sentence) comes twice, or no line is left.
    """
    name, seen = named(path), dict[tuple[str, str], str]()
    cells = []
    for cell in _cells(path, name, columns):
        _check_number(cell)
        twin = seen.setdefault((cell.system, cell.sentence), cell.position)
        if twin != cell.position:
            subject = f"system '{cell.system[:40]}'" + (f", sentence {cell.sentence[:20]}," if cell.sentence else "")
            raise CorpusError([Problem(cell.position, f"{subject} comes twice (first at {twin})")])
        cells.append(cell)
    if not cells:
        asked = ", ".join(f"'{text}' in column {number}" for number, text in columns.where)
        raise CorpusError([Problem(name, f"no line has {asked}")])
    return cells


def _check_number(cell: Cell) -> None:
    try:
        number_of(cell.score, "a score, a number")
    except ValueError as error:
        raise CorpusError([Problem(cell.position, str(error))]) from None


def _cells(path: Path, name: str, columns: TableColumns) -> Iterator[Cell]:
    last = max(columns.system, columns.score, columns.sentence or 0, *(number for number, _ in columns.where))
    line = None
    for line, cells in read_rows(path, MAX_BYTES):
        if len(cells) < last:
            raise at_line(name, line, f"has {len(cells)} columns; column {last} is asked for")
        if all(cells[column - 1] == text for column, text in columns.where):
            sentence = cells[columns.sentence - 1] if columns.sentence else ""
            yield Cell(cells[columns.system - 1], sentence, cells[columns.score - 1], f"{name}:{line}")
    if line is None:
        raise CorpusError([Problem(name, "has no lines")])
