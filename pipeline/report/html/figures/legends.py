"""The legend below a drawing: each mark of it, with what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .svg import LETTER, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .svg import Drawing

LINE = 20
"""Height of a line of the legend in pixels."""
KEY = 26
"""Width of a mark in the legend in pixels."""
LEAST = 300
"""A drawing with a legend is at least so wide, in pixels."""
SIDE = 16
"""Side of a cell of a matrix in the legend, in pixels."""


def add_legend(drawing: Drawing, entries: Sequence[tuple[str, str, str]]) -> None:
    """Draw entries below everything else, in as many lines as they need.

    An entry is the class of a mark, the sign that stands in it, which may be empty, and what it means.
    """
    rooms = [KEY + LETTER * len(meaning) for _, _, meaning in entries]
    drawing.width = max(drawing.width, LEAST, max(rooms, default=0) + 4)
    x, y = 4.0, drawing.height + LINE / 2
    for room, (kind, sign, meaning) in zip(rooms, entries, strict=True):
        if x > 4 and x + room > drawing.width:
            x, y = 4.0, y + LINE
        drawing.shapes.append(Shape("path", {"d": _outline(kind, x, y), "class": f"{kind} key"}))
        if sign:
            drawing.text(x + SIDE / 2, y + 4, sign, f"small middle {kind.removeprefix('cell ')}")
        drawing.text(x + KEY - 4, y + 4, meaning, "small key")
        x += room + 8
    drawing.height = y + LINE / 2


def _outline(kind: str, x: float, y: float) -> str:
    """Return the path of a mark at the left end of an entry, whose middle is at the height y."""
    if kind.startswith("dot"):
        return f"M{x + 4:.1f} {y:.1f}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"
    if kind.startswith("cell"):
        return f"M{x:.1f} {y - SIDE / 2:.1f}h{SIDE}v{SIDE}h-{SIDE}z"
    return f"M{x + 2:.1f} {y:.1f}h{SIDE - 1}"
