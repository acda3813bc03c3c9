"""Scores by type of edit on the page: a map of systems by types, and a table of all numbers, for each tier."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..by_type import NONE, TIER, TIERS, of_system, types_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results
    from ..by_type import Types

SHADES = 10
"""How many shades the map has beside that of 0."""


class Shade(NamedTuple):
    """A cell of the map."""

    text: str
    kind: str
    """The class of the style sheet: h0 for a score of 0, up to h10."""
    title: str
    """All numbers, which the pointer shows."""


class TypeMap(NamedTuple):
    """The scores of a metric on a data set by the types of a tier."""

    title: str
    is_open: bool
    """Whether it is shown at once."""
    systems: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Shade]]]
    """For each type its cells, one for each system."""
    header: Sequence[str]
    numbers: Sequence[Sequence[str]]
    """The table of all numbers: type, system, and what `header` names after them."""


def type_maps(results: Results, digits: int) -> dict[tuple[str, str], list[TypeMap]]:
    """Return the maps of each data set and metric that has scores by type, the tier that is shown first before others.

    Tiers that have no types of their own are left out.
    """
    maps: dict[tuple[str, str], list[TypeMap]] = {}
    for tier in sorted(TIERS, key=lambda tier: (tier != TIER, tier)):
        for types in types_of(results, tier):
            own = maps.setdefault((types.group.dataset, types.group.metric), [])
            if types.tier == tier or not own:
                own.append(_map(types, digits, is_open=not own))
    return maps


def _map(types: Types, digits: int, *, is_open: bool) -> TypeMap:
    rows = [(name, [_shade(types, system, name, digits) for system in types.systems]) for name in types.names]
    tables = {system: of_system(types, system, digits) for system in types.systems}
    header = next(iter(tables.values()))[0]
    numbers = [[row[0], system, *row[1:]] for system, table in tables.items() for row in table[1]]
    return TypeMap(
        title=f"By type: {TIERS[types.tier]}",
        is_open=is_open,
        systems=types.systems,
        rows=rows,
        header=[header[0], "system", *header[1:]],
        numbers=sorted(numbers, key=lambda row: types.names.index(row[0])),
    )


def _shade(types: Types, system: str, name: str, digits: int) -> Shade:
    cell = types.cells.get((system, name))
    if cell is None:
        return Shade(NONE, "none", f"{system}, {name}: does not occur")
    texts = [f"{output} {types.shown(system, name, output, digits)}" for output in (*types.fractions, *types.counts)]
    texts[0] += f" ({types.level}: {types.interval(system, name, digits)})" if types.level else ""
    number = 0 if cell.score <= 0 else max(1, round(cell.score * SHADES))
    return Shade(
        types.shown(system, name, types.fractions[0], digits), f"h{number}", f"{system}, {name}: {', '.join(texts)}"
    )
