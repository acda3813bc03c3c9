"""Scores of systems in files: lines `system score`, CSV or TSV with a column for each score, YAML or JSON.

Lines may have several scores and a first line with their names; `#` begins a comment line. YAML is `system: score`, or
`name of the score: {system: score}`. Lines with a number alone are the scores of systems known from elsewhere, in ASCII
order of their names, as SEEDA has them.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CorpusError, Problem
from ..io.plain_files import Spool, named, numbered_lines
from ..io.small_tables import NOT_A_NUMBER, NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..config.tree import Node

    Scores = dict[str, dict[str, float]]
    Row = tuple[int, list[str]]

MAX_BYTES = 1 << 26
SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".tab", ".yaml", ".yml", ".json", ".gz", ".bz2", ".xz", ".zst"})
YAML = frozenset({".yaml", ".yml", ".json"})


def read_scores(path: Path, names: Sequence[str] = ()) -> Scores:
    """Return {name of the score: {system: score}}; a score without a name has that of the file.

    names: whose scores lines of a single number are. Raises CorpusError (unreadable, no number, a system twice).
    """
    if path.suffix.lower() in YAML:
        return _yaml(path)
    name = named(path)
    spool = Spool(MAX_BYTES)  # what is unpacked lives as long as this
    rows = list(_rows(spool.local(path), name))
    if not rows:
        raise CorpusError([Problem(name, "is empty; expected lines `system score`")])
    if all(len(cells) == 1 for _, cells in rows):
        rows = _with_names(rows, names, name)
    titles, rows = _titles(rows, path)
    found: Scores = {title: {} for title in titles}
    for number, cells in rows:
        if len(cells) != len(titles) + 1:
            raise _wrong(name, number, f"expected a system and {_several(len(titles))}, found {len(cells)} columns")
        for title, text in zip(titles, cells[1:], strict=True):
            if cells[0] in found[title]:
                raise _wrong(name, number, f"the system '{cells[0]}' comes twice")
            found[title][cells[0]] = _number(text, f"{name}:{number}")
    return found


def _titles(rows: list[Row], path: Path) -> tuple[list[str], list[Row]]:
    """Return the names of the scores, and the rows that are left: all, or all but the first."""
    number, header = rows[0]
    if len(header) < 2 or any(NUMBER.fullmatch(cell) or cell.lower() in NOT_A_NUMBER for cell in header[1:]):
        title = _title(path)
        return [title] if len(header) == 2 else [f"{title}.{place}" for place in range(1, len(header))], rows
    if len(set(header)) < len(header):
        raise _wrong(named(path), number, "two columns have the same name")
    if len(rows) == 1:
        raise CorpusError([Problem(named(path), "has a header only; expected lines `system score`")])
    return header[1:], rows[1:]


def _title(path: Path) -> str:
    """Return the name of a score that has none but its file's."""
    name = path.name
    while Path(name).suffix.lower() in SUFFIXES:
        name = Path(name).stem
    return name


def _several(count: int) -> str:
    return "a score" if count == 1 else f"{count} scores"


def _rows(path: Path, name: str) -> Iterator[Row]:
    """Yield (number, cells) of the lines that are no comment; the first line tells what parts the cells."""
    separator: str | None = None
    first = True
    for number, line in numbered_lines(path, name):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if first:
            separator, first = next((mark for mark in "\t,;" if mark in line), None), False
        try:
            cells = next(csv.reader([line], delimiter=separator, strict=True), []) if separator else line.split()
        except csv.Error as error:
            raise _wrong(name, number, f"not valid CSV: {error}") from None
        yield number, [cell.strip() for cell in cells]


def _with_names(rows: list[Row], names: Sequence[str], name: str) -> list[Row]:
    if len(rows) != len(names):
        known = f"; there are {len(names)} systems" if names else ""
        message = f"has {len(rows)} lines with one column; expected lines `system score`{known}"
        raise CorpusError([Problem(name, message)])
    return [(number, [system, *cells]) for (number, cells), system in zip(rows, sorted(names), strict=True)]


def _number(text: str, place: str) -> float:
    value = float(text) if NUMBER.fullmatch(text) else float("inf")
    if abs(value) == float("inf"):
        raise CorpusError([Problem(place, f"expected a score, a number, found '{text[:40]}'")])
    return value + 0.0


def _yaml(path: Path) -> Scores:
    from ..config.yaml_file import read  # yaml is only for those who use it

    root, problems = read(path)
    if problems:
        raise CorpusError(problems)
    if not isinstance(root.value, dict) or not root.value:
        raise CorpusError([root.problem("expected `system: score`, or `name of the score: {system: score}`")])
    nested = {title: child for title, child in root.value.items() if isinstance(child.value, dict)}
    if nested and len(nested) < len(root.value):
        flat = next(child for title, child in root.value.items() if title not in nested)
        raise CorpusError([flat.problem("expected a mapping of systems, as the others here")])
    tables = nested or {_title(path): root}
    return {title: _mapping(table) for title, table in tables.items()}


def _mapping(table: Node) -> dict[str, float]:
    children = table.value if isinstance(table.value, dict) else {}
    for child in children.values():
        if not isinstance(child.value, str):
            raise CorpusError([child.problem("expected a score, a number")])
    return {name: _number(str(child.value), f"{child.mark}: {child.path}") for name, child in children.items()}


def _wrong(name: str, number: int, message: str) -> CorpusError:
    return CorpusError([Problem(f"{name}:{number}", message)])
