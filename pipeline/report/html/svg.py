"""Drawings of a page: shapes with their attributes, which the template writes as SVG; colours are the page's."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE = 500
"""Pixels from which a drawing is not made smaller on a phone."""
LETTER = 7.2
"""Width of a letter of 12 pixels, about."""


@dataclass(frozen=True)
class Shape:
    """An SVG element: tag, attributes, its text, and the title that is shown when it is pointed at."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""
    title: str = ""


@dataclass
class Drawing:
    """A drawing of width and height pixels; label: what it shows, for those who do not see it.

    stretched: it fills its place, whatever its shape.
    """

    width: float
    height: float
    label: str
    shapes: list[Shape] = field(default_factory=list)
    stretched: bool = False

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, title: str = "") -> None:
        """Draw a line. kind: a class of the style sheet."""
        points = {"x1": _short(x1), "y1": _short(y1), "x2": _short(x2), "y2": _short(y2)}
        self.shapes.append(Shape("line", {**points, "class": kind}, title=title))

    def rect(self, x: float, y: float, width: float, height: float, kind: str, title: str = "") -> None:
        """Draw a rectangle."""
        size = {"x": _short(x), "y": _short(y), "width": _short(max(width, 0)), "height": _short(max(height, 0))}
        self.shapes.append(Shape("rect", {**size, "class": kind}, title=title))

    def dot(self, x: float, y: float, radius: float, kind: str, title: str = "") -> None:
        """Draw a dot."""
        place = {"cx": _short(x), "cy": _short(y), "r": _short(radius)}
        self.shapes.append(Shape("circle", {**place, "class": kind}, title=title))

    @property
    def kind(self) -> str:
        """How it takes its room: stretched over it, wide (it can be scrolled), or made smaller where that is little."""
        return "stretched" if self.stretched else "wide" if self.width > WIDE else "fits"

    def text(self, x: float, y: float, text: str, kind: str = "", title: str = "", **more: object) -> None:
        """Write text. kind: also `end` and `middle`, for where x is."""
        place = {"x": _short(x), "y": _short(y), **({"class": kind} if kind else {}), **more}
        self.shapes.append(Shape("text", place, text, title))


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Scale:
    """From numbers to places: low to high are start to stop pixels."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Return the place of a number."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + share * (self.stop - self.start)

    def ticks(self, wanted: int = 4) -> list[float]:
        """Return round numbers from low to high, about as many as wanted."""
        step = _step((self.high - self.low) / wanted)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _step(rough: float) -> float:
    """Return a round number near rough: 1, 2 or 5 times a power of ten."""
    if not rough > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return min((power * factor for factor in (1, 2, 5, 10)), key=lambda step: abs(step - rough))


def scale(values: Sequence[float], start: float, stop: float, *, margin: float = 0.05) -> Scale:
    """Return a scale for numbers, with a margin; of no numbers, or one, from 0 to 1 around it."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = (high - low) * margin or 0.05
    return Scale(low - room, high + room, start, stop)


def width_of(texts: Sequence[str]) -> float:
    """Return the pixels that the longest of some texts takes, about."""
    return LETTER * max((len(text) for text in texts), default=0) + 8
