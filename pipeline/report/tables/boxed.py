"""Tables drawn in plain characters, equal to those that the package gleu prints with -v by prettytable."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def ascii_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a boxed table with centred cells."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [
        "|" + "|".join(f" {_centre(c, w)} " for c, w in zip(row, widths, strict=True)) + "|" for row in [header, *rows]
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def _centre(cell: str, width: int) -> str:
    """Centre a cell. If the blanks are odd in number, the larger half is on the right of cells of odd length."""
    missing = width - len(cell)
    left = missing // 2 + (missing % 2 if len(cell) % 2 == 0 else 0)
    return " " * left + cell + " " * (missing - left)
