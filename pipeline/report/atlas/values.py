"""The published values of a recipe beside ours: entries with the same systems share a table, as in a publication."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...reproduction.verdicts import VERDICTS
from ..tables.reproduction import counted, difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 4
"""At most so many entries stand beside each other in a table."""
SIGNS = {"equal": "=", "tolerance": "≈", "differs": "≠"}
KINDS = {"equal": "good", "tolerance": "near", "differs": "bad"}


class Cell(NamedTuple):
    """A published value beside ours."""

    printed: str
    ours: str
    difference: str
    """A sign for equal, tolerated or different, and the difference."""
    kind: str
    """The class of the style sheet."""


class Column(NamedTuple):
    """An entry of a recipe: a column of a table of the publication."""

    title: str
    verdict: str
    """What the verdict on the entry means; empty where the recipe did not run."""
    kind: str
    facts: Sequence[str]
    """How many values are equal, how they were rounded, and why they may differ."""
    printed: str
    """The title of what ours is compared with: published, or expected where no publication has the values."""


class ValueTable(NamedTuple):
    """A table of published values."""

    columns: Sequence[Column]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    """The place of each row, such as a system, and a cell for each column."""


def value_tables(written: Sequence[dict[str, Any]], expectations: dict[str, Any] | None) -> list[ValueTable]:
    """Return the tables of a recipe from the entries of `expect` as written, and from what came of them, if it ran."""
    if expectations is None:
        columns = [(_column_not_run(entry, n), _not_run(entry)) for n, entry in enumerate(written, 1)]
    else:
        columns = [(_column(entry), _compared(entry)) for entry in expectations["entries"]]
    tables: list[list[tuple[Column, dict[str, Cell]]]] = []
    for column, cells in columns:
        if tables and len(tables[-1]) < MOST and set(tables[-1][0][1]) == set(cells):
            tables[-1].append((column, cells))
        else:
            tables.append([(column, cells)])
    return [
        ValueTable(
            [column for column, _ in beside],
            [(place, [cells[place] for _, cells in beside]) for place in beside[0][1]],
        )
        for beside in tables
    ]


def _column(entry: dict[str, Any]) -> Column:
    verdict = entry["verdict"]
    facts = [f"{counted(entry)} equal, largest difference {difference(entry['largest_difference'])}"]
    if entry["rounding"]:
        facts.append("cut by the publication" if entry["rounding"] == "cut" else "rounded by the publication")
    if entry["tolerance"] is not None:
        facts.append(f"tolerance {entry['tolerance']}")
    if len(entry["compared"]) < entry["values"]:
        facts.append("only values that differ are listed")
    facts += [str(text) for text in (entry["why"], entry["message"]) if text]
    kind = {"exact": "good", "rounding": "good", "tolerance": "near"}.get(verdict, "bad")
    printed = "printed" if entry["published"] else "expected"
    return Column(entry["title"], VERDICTS[verdict], kind, facts, printed)


def _compared(entry: dict[str, Any]) -> dict[str, Cell]:
    return {
        item["place"]: Cell(
            item["expected"],
            item["found"] or "-",
            f"{SIGNS[item['verdict']]} {difference(item['difference'])}",
            KINDS[item["verdict"]],
        )
        for item in entry["compared"]
    }


def _column_not_run(entry: dict[str, Any], number: int) -> Column:
    parts = [entry.get(key) for key in ("title", "path", "metric", "output")]
    title = next((str(part) for part in parts if part), f"values {number}")
    printed = "expected" if entry.get("published") == "false" else "printed"
    return Column(" ".join(map(str, filter(None, [entry.get("dataset"), title]))), "", "none", [], printed)


def _not_run(entry: dict[str, Any]) -> dict[str, Cell]:
    values = entry.get("values", entry.get("order"))
    return {place: Cell(text, "-", "-", "none") for place, text in _leaves(values)}


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each value in lists and mappings."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value, 1)
        for key, child in items:
            yield from _leaves(child, f"{place}/{key}" if place else str(key))
    elif value is not None:
        yield place, str(value)
