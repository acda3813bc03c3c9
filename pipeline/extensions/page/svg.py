"""Drawings of a page as SVG: classes of the style sheet give the colours, and titles say what a
mark shows.

The bars in the cells of leader boards are drawn here; figures are in `charts.py`.
"""

import math
import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from pipeline.errors import printable
from pipeline.metrics import factor
from pipeline.report.tables import round_half_up
from pipeline.scoring import Score

MINUS = "\u2212"
_NUMBERS = re.compile(r"[-+<≤]?[0-9.,]+%?( to [-+]?[0-9.,]+%?)?[ *↑↓]*")
MAX_FITTED_WIDTH = 500
"""Drawings of more pixels than this are not made smaller on a phone, but can be scrolled."""
LETTER = 7.2
"""The average width of a letter in pixels, at a font size of 12 pixels."""
MIN_NAME = 18
"""How many letters of a name figures show if these tell all names apart. The title has all
letters."""
LEGEND_MARK = 26
"""In a legend, the width of a mark with the space around it, in pixels."""
LEGEND_LINE = 16
"""In a legend, the width of a line in pixels."""
MIN_LEGEND_WIDTH = 300
"""The least width in pixels of a drawing with a legend."""
BAR_WIDTH = 160
"""Width of a bar of a leader board in pixels."""


class Scale(NamedTuple):
    """A linear scale, on which the numbers from low to high are at the pixels from start to stop."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a number."""
        share = 0.5
        if self.high > self.low:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, count: int = 4) -> list[float]:
        """Return about `count` round numbers from low to high: steps are 1, 2 or 5 times a power of
        ten.
        """
        exact_step = (self.high - self.low) / count
        power = 1.0
        if exact_step > 0:
            power = 10.0 ** math.floor(math.log10(exact_step))
        round_steps = [power * digit for digit in (1, 2, 5, 10)]
        step = min(round_steps, key=lambda step: abs(step - exact_step))
        # The small numbers keep an end of the scale that is a tick itself.
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [multiple * step for multiple in range(first, last + 1)]


def scale(
    values: Sequence[float],
    start: float,
    stop: float,
    *,
    margin: float = 0.05,
) -> Scale:
    """Return a scale for numbers from the pixel `start` to `stop`, with a margin at both ends, a
    share of their range. Without finite numbers the range is from 0 to 1.
    """
    finite = [value for value in values if math.isfinite(value)]
    low = min(finite, default=0.0)
    high = max(finite, default=1.0)
    room = (high - low) * margin
    if not room:  # a single number
        room = 0.05 * max(abs(high), 1.0)
    return Scale(low - room, high + room, start, stop)


class Drawing:
    """A drawing. Its size is in pixels; the `kind` of a shape is one or more classes of the style
    sheet.
    """

    def __init__(
        self,
        width: float,
        height: float,
        label: str,
        *,
        stretched: bool = False,
    ) -> None:
        """Begin an empty drawing. `label` describes it to readers who do not see it; it is empty if
        a text beside it says the same.

        A `stretched` drawing fills the available room, whatever its proportions.
        """
        self.width = width
        self.height = height
        self.label = label
        self.stretched = stretched
        self.shapes: list[str] = []

    def shape(
        self,
        tag: str,
        kind: str,
        title: str = "",
        text: str = "",
        **attributes: float | str,
    ) -> None:
        """Add an element of SVG with attributes; numbers have one decimal at most.

        `kind` is its class, `title` is shown when the pointer is on it, and `text` is its content."""
        element = tag
        for name, value in attributes.items():
            written = value
            if not isinstance(value, str):
                written = f"{value:.1f}".removesuffix(".0")
            element += f' {name}="{written}"'
        if kind:
            element += f' class="{kind}"'
        inner = ""
        if title:
            inner = f"<title>{escape(printable(title))}</title>"
        inner += escape(minus(printable(text)))
        if inner:
            self.shapes.append(f"<{element}>{inner}</{tag}>")
        else:
            self.shapes.append(f"<{element}/>")

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        kind: str,
        title: str = "",
    ) -> None:
        """Draw a line."""
        self.shape("line", kind, title, x1=x1, y1=y1, x2=x2, y2=y2)

    def dot(
        self, x: float, y: float, radius: float, kind: str, title: str
    ) -> None:
        """Draw a circle."""
        self.shape("circle", kind, title, cx=x, cy=y, r=radius)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        kind: str = "",
        title: str = "",
        transform: str = "",
    ) -> None:
        """Write text that begins at x. The kinds `end` and `middle` make x its end or middle."""
        optional = {"transform": transform} if transform else {}
        self.shape("text", kind, title, text, x=x, y=y, **optional)

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Draw a legend below everything else, in as many lines as it needs, and make room for it.
        An entry is the class of a mark, drawn as a dot or a line, and its meaning.
        """
        widths = [LEGEND_MARK + LETTER * len(meaning) for _, meaning in entries]
        self.width = max(
            self.width, MIN_LEGEND_WIDTH, max(widths, default=0) + 4
        )
        x = 4.0
        y = self.height + 10
        for width, (kind, meaning) in zip(widths, entries, strict=True):
            if x > 4 and x + width > self.width:
                x = 4.0
                y += 20
            outline = f"M{x + 2:.1f} {y:.1f}h{LEGEND_LINE - 1}"
            if kind.startswith("dot"):
                outline = f"M{x + 4:.1f} {y:.1f}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"
            self.shape("path", f"{kind} key", d=outline)
            self.text(x + LEGEND_MARK - 4, y + 4, meaning, "small key")
            x += width + 8
        self.height = y + 10

    def __html__(self) -> str:
        """Return the drawing as an element of a page; templates take it as it is."""
        size = f'width="{round(self.width)}" height="{round(self.height)}"'
        kind = "wide" if self.width > MAX_FITTED_WIDTH else "fits"
        if self.stretched:
            size = 'preserveAspectRatio="none"'
            kind = "stretched"
        box = f'viewBox="0 0 {round(self.width, 1)} {round(self.height, 1)}" class="{kind}" {size}'
        label = 'aria-hidden="true"'
        if self.label:
            label = f'role="img" aria-label="{escape(printable(self.label))}"'
        return f"<svg {box} {label}>{''.join(self.shapes)}</svg>"


def minus(text: str) -> str:
    """Return a number, an interval or the like with the minus sign that scripts write too; other
    text as it is.
    """
    if not _NUMBERS.fullmatch(text):
        return text
    return re.sub(r"(?<![0-9])-(?=[0-9.])", MINUS, text)


def width_of(texts: Sequence[str]) -> float:
    """Return an estimate of the width of the longest text in pixels."""
    return LETTER * max((len(text) for text in texts), default=0) + 8


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return a short form of each name for figures: {name: short name}. All have the same number of
    letters, MIN_NAME or the fewest with which all short names differ; the middle is left out.
    """
    unique = list(dict.fromkeys(names))
    longest = max(map(len, unique), default=0)
    for size in range(MIN_NAME, longest):
        # How many letters of the end stay.
        for tail in (size // 3, size // 2, size - size // 3):
            short = [_short_name(name, size, tail) for name in unique]
            if len(set(short)) == len(unique):
                return dict(zip(unique, short, strict=True))
    return {name: name for name in unique}


def _short_name(name: str, size: int, tail: int) -> str:
    if len(name) <= size:
        return name
    return f"{name[: size - tail - 1]}…{name[len(name) - tail :]}"


def interval_bar(score: Score, axis: Scale) -> Drawing | None:
    """Return a drawing of a score and its interval on the scale of a leader board, or None for a
    score that is not finite.
    """
    if not math.isfinite(score.score):
        return None
    low, high = bounds(score)
    unit = factor(score.metric)
    drawing = Drawing(BAR_WIDTH, 18, "", stretched=True)
    outline = ""
    for tick in axis.ticks():
        outline += f"M{axis(tick):.1f} 0v18"
    drawing.shape("path", "grid", d=outline)
    start = axis(unit * low)
    width = axis(unit * high) - start
    drawing.shape(
        "rect",
        "range",
        x=start,
        y=6,
        width=max(width, 0),
        height=6,
    )
    drawing.shape(
        "rect",
        "mark",
        x=axis(unit * score.score) - 1.2,
        y=2,
        width=2.4,
        height=14,
    )
    return drawing


def bounds(score: Score) -> tuple[float, float]:
    """Return the ends of the interval of a score: by bootstrap, else over draws of references; the
    score itself twice if there is none, or an end is not finite.
    """
    interval = (math.nan, math.nan)
    if score.bootstrap:
        interval = score.bootstrap.interval
    elif score.samples:
        interval = score.samples.clipped_interval
    if all(map(math.isfinite, interval)):
        return interval
    return (score.score, score.score)


def interval_scale(scores: Sequence[Score]) -> Scale:
    """Return the scale that the bars of a leader board share, in the unit in which scores are
    displayed. It holds all scores and their intervals.
    """
    displayed = []
    for score in scores:
        unit = factor(score.metric)
        for value in (*bounds(score), score.score):
            displayed.append(unit * value)
    return scale(displayed, 0, BAR_WIDTH)


def interval_axis(axis: Scale) -> Drawing:
    """Return a drawing of the numbers on this scale."""
    label = f"scale from {round_half_up(axis.low, 1)} to {round_half_up(axis.high, 1)}"
    drawing = Drawing(BAR_WIDTH, 18, label)
    for tick in axis.ticks():
        drawing.text(axis(tick), 13, f"{tick:.4g}", "middle small")
    return drawing
