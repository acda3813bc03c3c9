"""Tables and sentences as they are printed: fitted to a terminal, plain and whole where they are piped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...errors import printable
from .layout import EDGES, GAP, cut_words, fit, natural
from .text import print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from .layout import Layout

    Styles = Mapping[tuple[int, int], str]
    """How cells are drawn, such as "bold green", by the numbers of their rows and columns."""

RULED = "    \n    \n ── \n    \n ── \n    \n    \n    \n"
"""The lines of a table as rich has them: below the header, and below rows that have a rule."""


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Iterable[int] = (1,),
    *,
    first_out: Sequence[str] = (),
    styles: Styles | None = None,
    rules: Collection[int] = (),
    whole: Collection[int] = (),
) -> None:
    """Print a table, drawn by rich on a terminal and as aligned text elsewhere.

    `left` holds the numbers of the columns that are aligned to the left. Where a terminal is too narrow, columns are
    left out, those with the titles `first_out` first, and a line below says which. A terminal alone has the `styles` of
    cells, and a rule below each of the rows whose numbers are in `rules`. Of the columns `left`, those in `whole` are
    not wrapped there.
    """
    rows, lefts = [[as_shown(cell) for cell in row] for row in rows], set(left)
    if sys.stdout.isatty():
        layout = fit(header, rows, left=lefts, width=terminal_width(), first_out=first_out, whole=whole)
        _draw(header, rows, lefts, layout, styles or {}, rules)
        if layout.left_out:
            print_text(f"({', '.join(layout.left_out)}: in a wider window, or piped)")
        return
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [c.ljust(w) if i in lefts else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  ".join(cells).rstrip())


def print_square(header: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Styles | None = None) -> None:
    """Print a table whose columns are of one kind. On a terminal, those that do not fit stand in tables below it.

    A line says in how many tables it stands, if these are several. A terminal alone has the `styles` of cells.
    """
    columns, parts = list(range(1, len(header))), list[list[int]]()
    while columns:
        shown = columns
        while sys.stdout.isatty() and len(shown) > 1 and not fits(*_part(header, rows, shown)):
            shown = shown[:-1]
        parts.append(shown)
        columns = columns[len(shown) :]
    for shown in parts:
        numbers = [0, *shown]
        own = {(row, numbers.index(n)): style for (row, n), style in (styles or {}).items() if n in numbers}
        print_table(*_part(header, rows, shown), left=(0,), styles=own, whole=(0,))
    if len(parts) > 1:
        print_text(f"(in {len(parts)} tables; one table: in a wider window, or piped)")


def _part(
    header: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    numbers = [0, *columns]
    return [header[n] for n in numbers], [[row[n] for n in numbers] for row in rows]


def fits(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table is printed whole: always but on a terminal that is narrower."""
    return not sys.stdout.isatty() or natural(header, [[as_shown(c) for c in row] for row in rows]) <= terminal_width()


def _draw(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: set[int],
    layout: Layout,
    styles: Styles,
    rules: Collection[int],
) -> None:
    from rich.box import Box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=Box(RULED), pad_edge=False)
    for column, width in zip(layout.columns, layout.widths, strict=True):
        table.add_column(
            Text(header[column]), justify="left" if column in left else "right", overflow="fold", width=width
        )
    for number, row in enumerate(rows):
        cells = [
            Text(cut_words(row[n], w), style=styles.get((number, n), ""))
            for n, w in zip(layout.columns, layout.widths, strict=True)
        ]
        table.add_row(*cells, end_section=number in rules)
    wide = max(terminal_width(), sum(layout.widths) + GAP * len(layout.widths) + EDGES)
    Console(width=wide, height=25).print(table)  # a dumb terminal would have 80 columns without a height


def as_shown(cell: str) -> str:
    """Return a cell as standard output shows it, so that columns are as wide as what stands for missing letters."""
    encoding = sys.stdout.encoding or "utf-8"
    return printable(cell).encode(encoding, sys.stdout.errors or "strict").decode(encoding)
