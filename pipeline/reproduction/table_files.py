"""Files of lines with columns, of which a config says which is the system, the score, the sentence."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

from ..errors import CorpusError, Problem
from ..io.plain_files import Spool, named, numbered_lines
from ..io.small_tables import NUMBER

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
    found = []
    for cell in _cells(path, name, wanted):
        if not NUMBER.fullmatch(cell.score):
            raise CorpusError([Problem(cell.place, f"expected a score, a number, found '{cell.score[:40]}'")])
        twin = seen.setdefault((cell.system, cell.sentence), cell.place)
        if twin != cell.place:
            what = f"system '{cell.system[:40]}'" + (f", sentence {cell.sentence[:20]}," if cell.sentence else "")
            raise CorpusError([Problem(cell.place, f"{what} comes twice (first at {twin})")])
        found.append(cell)
    if not found:
        asked = ", ".join(f"'{text}' in column {number}" for number, text in wanted.where)
        raise CorpusError([Problem(name, f"no line has {asked}")])
    return found


def _cells(path: Path, name: str, wanted: Wanted) -> Iterator[Cell]:
    columns = (wanted.system, wanted.score, *([wanted.sentence] if wanted.sentence else []))
    most = max(*columns, *(number for number, _ in wanted.where))
    separator: str | None = None
    first, spool = True, Spool(MAX_BYTES)  # what is unpacked lives as long as the spool
    for number, line in numbered_lines(spool.local(path), name):
        if not line.strip():
            continue
        if first:
            separator, first = next((mark for mark in "\t,;" if mark in line), None), False
        try:
            row = next(csv.reader([line], delimiter=separator, strict=True), []) if separator else line.split()
        except csv.Error as error:
            raise CorpusError([Problem(f"{name}:{number}", f"cannot be read as columns: {error}")]) from None
        row = [cell.strip() for cell in row]
        if len(row) < most:
            raise CorpusError([Problem(f"{name}:{number}", f"has {len(row)} columns; column {most} is asked for")])
        if all(row[place - 1] == text for place, text in wanted.where):
            sentence = row[wanted.sentence - 1] if wanted.sentence else ""
            yield Cell(row[wanted.system - 1], sentence, row[wanted.score - 1], f"{name}:{number}")
    if first:
        raise CorpusError([Problem(name, "has no lines")])
