"""Scores by type of edit: as tables for Markdown and LaTeX, and as rows of numbers for CSV and Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..sheets import Cell, Sheet
from .tables import NONE, caption, of_system, side_by_side, types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...scoring.results import Results
    from .tables import Types


def type_sheets(results: Results, digits: int, tier: int) -> Iterator[Sheet]:
    """Yield for each data set and metric a table of types by systems, and for each system one with all numbers."""
    for types in types_of(results, tier):
        title = f"{types.group.dataset}-{types.group.label}-types"
        header, rows = side_by_side(types, digits)
        best = "Score of each type in percent, the best of each in bold." if len(types.systems) > 1 else ""
        yield Sheet(
            name=title,
            caption=caption(types),
            header=header,
            rows=[_bold(types, row) for row in rows],
            notes=[note for note in (best, f"{NONE}: the type does not occur with this system.") if note],
            signatures=[types.group.metric],
        )
        for system in types.systems:
            header, rows = of_system(types, system, digits)
            yield Sheet(
                name=f"{title}-{system}",
                caption=f"{caption(types)}; {system}",
                header=header,
                rows=[[Cell(cell) for cell in row] for row in rows],
                notes=["Intervals: bootstrap over sentences, with the annotators chosen once."] if types.level else [],
            )


def _bold(types: Types, row: list[str]) -> list[Cell]:
    """Return a row of scores with the best ones in bold, where there are several and they are not all equal."""
    scores = {text for text in row[1:] if text != NONE}
    own = [types.cells.get((system, row[0])) for system in types.systems]
    top = max((cell.score for cell in own if cell), default=0.0)
    best = [len(scores) > 1 and cell is not None and cell.score == top for cell in own]
    return [Cell(row[0]), *(Cell(text, best=is_best) for text, is_best in zip(row[1:], best, strict=True))]


TYPE_COLUMNS = ["dataset", "system", "metric", "tier", "type", "output", "value", "low", "high"]


def long_rows(results: Results) -> Iterator[tuple[str, str, str, int, str, str, float, float | None, float | None]]:
    """Yield a row for each system, type and output, with the ends of its interval: the columns are TYPE_COLUMNS."""
    for part in results.breakdown:
        for item in part.categories:
            for name, value in item.outputs.items():
                low, high = item.intervals.get(name, (None, None))
                yield part.dataset, part.system, part.metric, part.tier, item.category, name, value, low, high
