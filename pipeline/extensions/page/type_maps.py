"""The scores by type of edit as shaded maps."""

from typing import Any

from pipeline.report.tables import Types
from pipeline.scoring import Results

from .shell import SHADES, PageTable, Shade


def type_maps(
    results: Results, digits: int
) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the maps of each data set and metric that has scores by type; the first one is open.

    A map has a row for each type, a column for each system, and a table of all numbers. Tiers that
    have no types of their own are left out.
    """
    maps: dict[tuple[str, str], list[dict[str, Any]]] = {}
    other_tiers = sorted(set(Types.TIERS) - {Types.TIER})
    for tier in (Types.TIER, *other_tiers):
        for types in Types.of(results, tier):
            key = (types.group.dataset, types.group.metric)
            group_maps = maps.setdefault(key, [])
            if types.tier == tier or not group_maps:
                group_maps.append(
                    _type_map(types, digits, is_open=not group_maps)
                )
    return maps


def _type_map(types: Types, digits: int, *, is_open: bool) -> dict[str, Any]:
    rows = []
    for name in types.names:
        shades = [
            _shade(types, system, name, digits) for system in types.systems
        ]
        rows.append((name, shades))
    header: list[str] = []
    numbers: list[list[str]] = []
    for system in types.systems:
        header, system_rows = types.of_system(system, digits)
        for row in system_rows:
            row.insert(1, system)
            numbers.append(row)
    header.insert(1, "system")
    numbers.sort(key=lambda row: types.names.index(row[0]))
    return {
        "title": f"By type: {Types.TIERS[types.tier]}",
        "is_open": is_open,
        "names": types.systems,
        "rows": rows,
        "numbers": PageTable(header, numbers, left=(0, 1)),
    }


def _shade(
    types: Types,
    system: str,
    name: str,
    digits: int,
) -> Shade:
    cell = types.cells.get((system, name))
    if cell is None:
        return Shade(Types.NONE, "none", f"{system}, {name}: does not occur")
    texts = []
    for output in (*types.fractions, *types.counts):
        value = types.cell(system, name, output, digits)
        texts.append(f"{output} {value}")
    if types.level:
        interval = types.interval(system, name, digits)
        texts[0] += f" ({types.level}: {interval})"
    shade = 0
    if cell.score > 0:
        shade = max(1, round(cell.score * SHADES))
    score = types.cell(system, name, types.fractions[0], digits)
    return Shade(score, f"h{shade}", f"{system}, {name}: {', '.join(texts)}")
