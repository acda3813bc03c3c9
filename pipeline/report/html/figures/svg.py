"""Drawings of a page: shapes with their attributes, which the template writes as SVG. Styles give the colours."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDE = 500
"""Drawings of more pixels than this are not made smaller on a phone, but can be scrolled."""
LETTER = 7.2
"""The average width of a letter in pixels, at a font size of 12 pixels."""


@dataclass(frozen=True)
class Shape:
    """An SVG element."""

    tag: str
    attributes: dict[str, Any]
    text: str = ""
    title: str = ""
    """What is shown when the pointer is on it."""


@dataclass
class Drawing:
    """A drawing. Its size is in pixels, and a `kind` of its shapes is one or more classes of the style sheet."""

    width: float
    height: float
    label: str
    """What it shows, for those who do not see it."""
    shapes: list[Shape] = field(default_factory=list)
    stretched: bool = False
    """Whether it fills the room that it is given, whatever its proportions."""

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, title: str = "") -> None:
        """Draw a line."""
        points = {"x1": _short(x1), "y1": _short(y1), "x2": _short(x2), "y2": _short(y2)}
        self.shapes.append(Shape("line", {**points, "class": kind}, title=title))

    def rect(self, x: float, y: float, width: float, height: float, kind: str, title: str = "") -> None:
        """Draw a rectangle."""
        size = {"x": _short(x), "y": _short(y), "width": _short(max(width, 0)), "height": _short(max(height, 0))}
        self.shapes.append(Shape("rect", {**size, "class": kind}, title=title))

    def dot(self, x: float, y: float, radius: float, kind: str, title: str = "") -> None:
        """Draw a dot."""
        circle = {"cx": _short(x), "cy": _short(y), "r": _short(radius)}
        self.shapes.append(Shape("circle", {**circle, "class": kind}, title=title))

    @property
    def kind(self) -> str:
        """How it fits into its room: "stretched", "wide" (it can be scrolled), or "fits" (it is made smaller)."""
        return "stretched" if self.stretched else "wide" if self.width > WIDE else "fits"

    def text(self, x: float, y: float, text: str, kind: str = "", title: str = "", **more: object) -> None:
        """Write text that begins at x. The kinds `end` and `middle` make x its end or middle."""
        attributes = {"x": _short(x), "y": _short(y), **({"class": kind} if kind else {}), **more}
        self.shapes.append(Shape("text", attributes, text, title))


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Scale:
    """A linear scale, on which the numbers from low to high are at the pixels from start to stop."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a number."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + share * (self.stop - self.start)

    def ticks(self, count: int = 4) -> list[float]:
        """Return about `count` round numbers from low to high."""
        step = _step((self.high - self.low) / count)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _step(rough: float) -> float:
    """Return a round number near rough: 1, 2 or 5 times a power of ten."""
    if not rough > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return min((power * factor for factor in (1, 2, 5, 10)), key=lambda step: abs(step - rough))


def scale(values: Sequence[float], start: float, stop: float, *, margin: float = 0.05) -> Scale:
    """Return a scale for numbers, with a margin as a share of their range; without finite numbers it is from 0 to 1."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = (high - low) * margin or 0.05
    return Scale(low - room, high + room, start, stop)


def width_of(texts: Sequence[str]) -> float:
    """Return an estimate of the width of the longest text in pixels."""
    return LETTER * max((len(text) for text in texts), default=0) + 8
