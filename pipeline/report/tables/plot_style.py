"""The style of plots: the width of the place that they are made for, the letters, and whether a title stands above."""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

from ...errors import InputError, did_you_mean

WIDTHS = {"column": 219 / 72.27, "text": 455 / 72.27}
"""Widths in inches: a column and the whole text of an A4 page in two columns, 219 and 455 points of TeX."""
FONTS = {"sans": ["DejaVu Sans"], "serif": ["STIXGeneral", "DejaVu Serif"]}
"""Letters by name. All come with matplotlib, so figures are the same on every machine. STIX looks as Times does."""
SMALLEST = 7.0
"""No letter is smaller, in points, in a figure that is made for a paper."""


class PlotStyle(NamedTuple):
    """What people choose for plots."""

    width: str = ""
    """One of WIDTHS, which every figure then has; "" lets each plot have a width that suits it."""
    font: str = "sans"
    """One of FONTS."""
    title: bool = True
    """Whether the figure says above the axes what it shows; in a paper the caption says so."""

    @property
    def narrow(self) -> bool:
        """Whether figures have to fit a column."""
        return self.width == "column"

    def inches(self, usual: float) -> float:
        """Return the width of a figure in inches, given what it is where no width was asked for."""
        return WIDTHS.get(self.width, usual)

    def points(self, usual: float) -> float:
        """Return the size of letters in points, given what it is where no width was asked for."""
        return SMALLEST if self.narrow else max(usual, SMALLEST) if self.width else usual


PLAIN = PlotStyle()
STYLE: ContextVar[PlotStyle] = ContextVar("STYLE", default=PLAIN)
"""The style of the figures that are being drawn; `styled` of canvas.py sets it."""


def plot_style(width: str | None, font: str, *, title: bool) -> PlotStyle:
    """Return the style of these settings. Raises InputError for a width or font that is not there."""
    for name, value, known in (("width", width, WIDTHS), ("font", font, FONTS)):
        if value is not None and value not in known:
            raise InputError(f"{name} '{value}': expected one of {', '.join(known)}{did_you_mean(value, known)}")
    return PlotStyle(width or "", font, title)
