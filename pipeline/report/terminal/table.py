"""Tables and sentences as they are printed: fitted to a terminal, plain and whole where they are piped."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...errors import printable
from .layout import EDGES, GAP, cut_words, fit, natural
from .text import print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .layout import Layout


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Iterable[int] = (1,),
    *,
    first_out: Sequence[str] = (),
) -> None:
    """Print a table, drawn by rich on a terminal and as aligned text elsewhere.

    `left` holds the numbers of the columns that are aligned to the left. Where a terminal is too narrow, columns are
    left out, those with the titles `first_out` first, and a line below says which.
    """
    rows, lefts = [[as_shown(cell) for cell in row] for row in rows], set(left)
    if sys.stdout.isatty():
        layout = fit(header, rows, left=lefts, width=terminal_width(), first_out=first_out)
        _draw(header, rows, lefts, layout)
        if layout.left_out:
            print_text(f"({', '.join(layout.left_out)}: in a wider window, or piped)")
        return
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [c.ljust(w) if i in lefts else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        print("  ".join(cells).rstrip())


def print_square(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table whose columns are of one kind. On a terminal, those that do not fit stand in tables below it."""
    columns = list(range(1, len(header)))
    while columns:
        shown = columns
        while sys.stdout.isatty() and len(shown) > 1 and not fits(*_part(header, rows, shown)):
            shown = shown[:-1]
        print_table(*_part(header, rows, shown), left=(0,))
        columns = columns[len(shown) :]


def _part(
    header: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[int]
) -> tuple[list[str], list[list[str]]]:
    numbers = [0, *columns]
    return [header[n] for n in numbers], [[row[n] for n in numbers] for row in rows]


def fits(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table is printed whole: always but on a terminal that is narrower."""
    return not sys.stdout.isatty() or natural(header, [[as_shown(c) for c in row] for row in rows]) <= terminal_width()


def _draw(header: Sequence[str], rows: Sequence[Sequence[str]], left: set[int], layout: Layout) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(layout.columns, layout.widths, strict=True):
        table.add_column(
            Text(header[column]), justify="left" if column in left else "right", overflow="fold", width=width
        )
    for row in rows:
        table.add_row(*(Text(cut_words(row[n], w)) for n, w in zip(layout.columns, layout.widths, strict=True)))
    wide = max(terminal_width(), sum(layout.widths) + GAP * len(layout.widths) + EDGES)
    Console(width=wide, height=25).print(table)  # a dumb terminal would have 80 columns without a height


def as_shown(cell: str) -> str:
    """Return a cell as standard output shows it, so that columns are as wide as what stands for missing letters."""
    encoding = sys.stdout.encoding or "utf-8"
    return printable(cell).encode(encoding, sys.stdout.errors or "strict").decode(encoding)
