"""The overview on a terminal. In a pipe it is plain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import printable
from ..tables.labels import remarks
from ..terminal.layout import shown_width
from ..terminal.table import print_square
from ..terminal.text import print_text
from .boards import AHEAD, ALONE, BEHIND, BEST, print_peer
from .systems_by_metrics import BETTER, WORSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...scoring.results import Results
    from ..tables import Table
    from .systems_by_metrics import Column, Overview

APART = "dim"
"""How names that do not compete are drawn."""
HINT = "(intervals, ranges of ranks and tests of each metric: --boards)"


def print_overview(results: Results, overview: Overview) -> None:
    """Print systems by metrics, the sentence of each metric, notes and signatures."""
    print(printable(overview.about))
    table = table_of(overview)
    print_square(*table, styles=_styles(overview))
    for column in overview.columns:
        if column.verdict:
            print_text(f"{column.title}: {column.verdict}")
    for column in overview.columns:
        for line in remarks(column.group.scores):
            print_text(f"note: {column.title}: {line}")
    if overview.marks:
        print_text(overview.marks)
    for column in overview.columns:
        print(printable(f"{column.title} = {column.group.metric}"))
        print_peer(column.group.scores[0], results.statistics)


def table_of(overview: Overview) -> Table:
    """Return the overview as text: the scores, each with its mark in as many letters as the longest one has."""
    columns = [list(_marked(overview.systems, column)) for column in overview.columns]
    names = [f"{name} ({kind})" if (kind := overview.kinds.get(name)) else name for name in overview.systems]
    header = ["system", *(column.title for column in overview.columns)]
    return header, [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]


def _marked(systems: Sequence[str], column: Column) -> Iterator[str]:
    """Yield the cell of each system."""
    room = max(shown_width(entry.mark) for entry in column.entries.values())
    for name in systems:
        entry = column.entries.get(name)
        text, mark = (entry.text, entry.mark) if entry else ("-", "")
        yield f"{text} {mark}{' ' * (room - shown_width(mark))}" if room else text


def _styles(overview: Overview) -> dict[tuple[int, int], str]:
    """Return how cells are drawn, by the numbers of their rows and columns."""
    styles = {(row, 0): APART for row, name in enumerate(overview.systems) if name in overview.kinds}
    for number, column in enumerate(overview.columns, 1):
        for row, name in enumerate(overview.systems):
            entry = column.entries.get(name)
            if entry:
                colour = {BETTER: AHEAD, WORSE: BEHIND}.get(entry.mark, "")
                styles[row, number] = f"{BEST} {colour or ALONE}" if entry.best else colour
    return {place: style for place, style in styles.items() if style}
