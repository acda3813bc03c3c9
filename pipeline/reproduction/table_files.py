"""Files of lines with columns, of which a config says which is the system, the score, the sentence."""

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
    """A score as it is written, its system, its sentence ("" without one), and where it stands."""

    system: str
    sentence: str
    score: str
    place: str


class Wanted(NamedTuple):
    """Numbers of columns, from 1 (sentence None: there is none), and texts that a line must have in some."""

    system: int
    score: int
    sentence: int | None = None
    where: tuple[tuple[int, str], ...] = ()


def read_columns(path: Path, wanted: Wanted) -> list[Cell]:
    """Return the cells of a file (it may be compressed), separated by tabs, commas, semicolons or blanks.

    Raises CorpusError: unreadable, too few columns, no number, a system (and sentence) twice, nothing left.
    """
    name, seen = named(path), dict[tuple[str, str], str]()
    cells = []
    for cell in _cells(path, name, wanted):
        _check_number(cell)
        twin = seen.setdefault((cell.system, cell.sentence), cell.place)
        if twin != cell.place:
            what = f"system '{cell.system[:40]}'" + (f", sentence {cell.sentence[:20]}," if cell.sentence else "")
            raise CorpusError([Problem(cell.place, f"{what} comes twice (first at {twin})")])
        cells.append(cell)
    if not cells:
        asked = ", ".join(f"'{text}' in column {number}" for number, text in wanted.where)
        raise CorpusError([Problem(name, f"no line has {asked}")])
    return cells


def _check_number(cell: Cell) -> None:
    try:
        number_of(cell.score, "a score, a number")
    except ValueError as error:
        raise CorpusError([Problem(cell.place, str(error))]) from None


def _cells(path: Path, name: str, wanted: Wanted) -> Iterator[Cell]:
    columns = (wanted.system, wanted.score, *([wanted.sentence] if wanted.sentence else []))
    most = max(*columns, *(number for number, _ in wanted.where))
    line = None
    for line, cells in read_rows(path, MAX_BYTES):
        if len(cells) < most:
            raise at_line(name, line, f"has {len(cells)} columns; column {most} is asked for")
        if all(cells[column - 1] == text for column, text in wanted.where):
            sentence = cells[wanted.sentence - 1] if wanted.sentence else ""
            yield Cell(cells[wanted.system - 1], sentence, cells[wanted.score - 1], f"{name}:{line}")
    if line is None:
        raise CorpusError([Problem(name, "has no lines")])
