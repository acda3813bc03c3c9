"""Scores by type of edit as tables: systems side by side, or all numbers of one system."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...errors import printable
from ...metrics.names import class_of
from ...scoring.results import REST
from ..tables.comparisons import level_name, shown_interval
from ..tables.digits import percent
from ..tables.labels import groups
from ..terminal.layout import GAP, shown_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...scoring.results import Category, Results
    from ..tables import Table
    from ..tables.labels import Group

TIERS = {1: "missing, replaced or unnecessary", 2: "categories", 3: "whole types"}
"""What the types of each tier are."""
TIER = 2
"""The tier that is shown where none is asked for."""
NONE = "-"
"""What is shown where a system has no counts of a type."""


class Types(NamedTuple):
    """The scores of a metric on a data set by type."""

    group: Group
    tier: int
    names: list[str]
    """The types, sorted."""
    cells: dict[tuple[str, str], Category]
    """By system and type. Systems without counts of a type have none."""
    level: str
    """The level of intervals, such as 95%, or an empty string where there are none."""

    @property
    def systems(self) -> list[str]:
        """The systems, the best first."""
        named = {system for system, _ in self.cells}
        return [score.system for score in self.group.scores if score.system in named]

    @property
    def fractions(self) -> list[str]:
        """The outputs that are fractions: the score comes first."""
        return [name for name in self._outputs if name not in class_of(self.group.metric).counts]

    @property
    def counts(self) -> list[str]:
        """The outputs that are counts."""
        return [name for name in self._outputs if name in class_of(self.group.metric).counts]

    @property
    def _outputs(self) -> Sequence[str]:
        return list(next(iter(self.cells.values())).outputs)

    def shown(self, system: str, name: str, output: str, digits: int) -> str:
        """Return an output of a system for a type as text."""
        cell = self.cells.get((system, name))
        if cell is None:
            return NONE
        value = cell.outputs[output]
        return percent(value, digits) if output in self.fractions else f"{value:.0f}"

    def interval(self, system: str, name: str, digits: int, output: str = "") -> str:
        """Return the interval of an output (the score, where none is named) as text."""
        cell = self.cells.get((system, name))
        bounds = cell.intervals.get(output or self.fractions[0]) if cell else None
        return shown_interval(bounds, digits) if bounds else NONE


def types_of(results: Results, tier: int = TIER) -> Iterator[Types]:
    """Yield the scores by type of each data set and metric that has them.

    Metrics whose types have no such tier are shown by their whole types.
    """
    for group in groups(results):
        own = [part for part in results.breakdown if (part.dataset, part.metric) == (group.dataset, group.metric)]
        parts = [part for part in own if part.tier == tier] or [part for part in own if part.tier == 3]
        cells = {(part.system, item.category): item for part in parts for item in part.categories}
        if cells:
            names = sorted({name for _, name in cells}, key=lambda name: (name == REST, name))
            level = level_name(results) if any(item.intervals for item in cells.values()) else ""
            yield Types(group, parts[0].tier, names, cells, level)


def side_by_side(types: Types, digits: int, outputs: Sequence[str] = ()) -> Table:
    """Return a row for each type, with some outputs of each system, or the score alone."""
    outputs = outputs or types.fractions[:1]
    titles = [
        system if len(outputs) == 1 else f"{system} {short(output, types)}"
        for system in types.systems
        for output in outputs
    ]
    rows = [
        [name, *(types.shown(system, name, output, digits) for system in types.systems for output in outputs)]
        for name in types.names
    ]
    return ["type", *titles], rows


def of_system(types: Types, system: str, digits: int) -> Table:
    """Return a row for each type with all numbers of a system: counts, the score and other fractions, the interval."""
    fractions = [*types.fractions[1:], *types.fractions[:1]]
    header = ["type", *types.counts, *fractions, *([f"{types.level} interval"] if types.level else [])]
    rows = []
    for name in types.names:
        if (system, name) in types.cells:
            cells = [types.shown(system, name, output, digits) for output in (*types.counts, *fractions)]
            rows.append([name, *cells, *([types.interval(system, name, digits)] if types.level else [])])
    return header, rows


def fitting(types: Types, digits: int, width: int | None) -> list[tuple[str, Table]]:
    """Return the tables that fit the width of a terminal, each with a title or an empty string. None: everything fits.

    The systems stand side by side with precision, recall and score, or with the score alone. Where neither fits, there
    is a table for each system, without some of its columns where they do not fit.
    """
    if len(types.systems) > 1:
        for outputs in ([*types.fractions[1:], *types.fractions[:1]], types.fractions[:1]):
            table = side_by_side(types, digits, outputs)
            if width is None or _width(table) <= width:
                return [("", table)]
    return [(system, _narrowed(of_system(types, system, digits), width)) for system in types.systems]


def _narrowed(table: Table, width: int | None) -> Table:
    """Return a table of a system with as many columns as fit: the interval goes first, then counts, then fractions."""
    header, rows = table
    last = len(header) - 1
    while width is not None and last > 1 and _width((header, rows)) > width:
        gone = last if " " in header[-1] else 1  # the title of intervals has a blank
        header, rows = [*header[:gone], *header[gone + 1 :]], [[*row[:gone], *row[gone + 1 :]] for row in rows]
        last -= 1
    return header, rows


def _width(table: Table) -> int:
    """Return how many columns of letters a table needs on a terminal."""
    columns = zip(*[table[0], *table[1]], strict=True)
    return sum(max(shown_width(printable(cell)) for cell in column) + GAP for column in columns)


def short(output: str, types: Types) -> str:
    """Return the letter of an output: P, R, and F for the score."""
    return "F" if output == types.fractions[0] else output[:1].upper()


def caption(types: Types) -> str:
    """Return what a table of types shows."""
    return f"{types.group.dataset}: {types.group.label} by type (tier {types.tier}: {TIERS[types.tier]})"
