"""Figures of a page as SVG: classes of the style sheet give the colours, and titles say what a mark
shows.

`drawn` draws what `tables/plot_data.py` describes. The bars in the cells of leader boards are drawn
here too."""

import math
import re
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from pipeline.errors import printable
from pipeline.extensions.plots.plot_data import Curves, Orders, Points, Rows, label_places, leaving
from pipeline.metrics.names import factor
from pipeline.report.tables import round_half_up
from pipeline.scoring.results import Score

MINUS = "\u2212"
_NUMBERS = re.compile(r"[-+<≤]?[0-9.,]+%?( to [-+]?[0-9.,]+%?)?[ *↑↓]*")
WIDE = 500
"""Drawings of more pixels than this are not made smaller on a phone, but can be scrolled."""
LETTER = 7.2
"""The average width of a letter in pixels, at a font size of 12 pixels."""
NAME = 18
"""How many letters of a name figures show where these tell all names apart. The title has all
letters."""
ROW, LINE = 22, 12
"""Height of a row, and of a line of small text, in pixels."""
ROWS = 40
"""A figure has at most so many rows, so that it fits a printed page. Further rows are figures of
their own."""
WIDEST = 640
"""Width in pixels of the scale of ranks, if there are many."""
FEW = 20
"""A figure of a metric against people is small with at most so many systems."""
KEY, LEAST, SIDE = 26, 300, 16
"""In a legend, in pixels: the width of a mark with its room, the least width of the drawing, and
that of a line."""
BETWEEN = 26
"""Pixels between two columns of orders, where lines join them."""
HUES = 6
"""How many colours and patterns of lines the style sheet has; further lines begin again."""
CLASSES = dict.fromkeys(("value", "rank", "large"), "dot")
CLASSES |= {"interval": "bar", "open": "dot hollow", "line": "rule"}
"""The classes of the style sheet for the kinds of marks and of a legend."""


class Scale(NamedTuple):
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
        """Return about `count` round numbers from low to high: steps are 1, 2 or 5 times a power of
        ten.
        """
        rough = (self.high - self.low) / count
        power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
        step = min((power * factor for factor in (1, 2, 5, 10)), key=lambda step: abs(step - rough))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


def scale(values: Sequence[float], start: float, stop: float, *, margin: float = 0.05) -> Scale:
    """Return a scale for numbers, with a margin as a share of their range; without finite numbers
    it is from 0 to 1.
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    room = (high - low) * margin or 0.05 * max(abs(high), 1.0)
    return Scale(low - room, high + room, start, stop)


class Drawing:
    """A drawing. Its size is in pixels; the `kind` of a shape is one or more classes of the style
    sheet.
    """

    def __init__(self, width: float, height: float, label: str, *, stretched: bool = False) -> None:
        """Begin an empty drawing. `label` is for those who do not see it; "" where a text beside it
        says the same.

        If it is `stretched`, it fills the room that it is given, whatever its proportions.
        """
        self.width, self.height, self.label, self.stretched = width, height, label, stretched
        self.shapes: list[str] = []

    def shape(
        self, tag: str, kind: str, title: str = "", text: str = "", **attributes: float | str
    ) -> None:
        """Add an element of SVG. Its title is shown when the pointer is on it."""
        texts = (
            v if isinstance(v, str) else f"{v:.1f}".removesuffix(".0") for v in attributes.values()
        )
        own = dict(zip(attributes, texts, strict=True)) | ({"class": kind} if kind else {})
        inner = f"<title>{escape(printable(title))}</title>" if title else ""
        inner += escape(minus(printable(text)))
        written = "".join(f' {name}="{value}"' for name, value in own.items())
        self.shapes.append(f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>")

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, title: str = "") -> None:
        """Draw a line."""
        self.shape("line", kind, title, x1=x1, y1=y1, x2=x2, y2=y2)

    def text(
        self, x: float, y: float, text: str, kind: str = "", title: str = "", transform: str = ""
    ) -> None:
        """Write text that begins at x. The kinds `end` and `middle` make x its end or middle."""
        self.shape(
            "text", kind, title, text, x=x, y=y, **({"transform": transform} if transform else {})
        )

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """Draw entries below everything else, in as many lines as they need: the class of a mark,
        and what it means.
        """
        rooms = [KEY + LETTER * len(meaning) for _, meaning in entries]
        self.width = max(self.width, LEAST, max(rooms, default=0) + 4)
        x, y = 4.0, self.height + 10
        for room, (kind, meaning) in zip(rooms, entries, strict=True):
            if x > 4 and x + room > self.width:
                x, y = 4.0, y + 20
            outline = f"M{x + 2:.1f} {y:.1f}h{SIDE - 1}"
            if kind.startswith("dot"):
                outline = f"M{x + 4:.1f} {y:.1f}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"
            self.shape("path", f"{kind} key", d=outline)
            self.text(x + KEY - 4, y + 4, meaning, "small key")
            x += room + 8
        self.height = y + 10

    def __html__(self) -> str:
        """Return the drawing as an element of a page; templates take it as it is."""
        kind = "stretched" if self.stretched else "wide" if self.width > WIDE else "fits"
        size = f'width="{round(self.width)}" height="{round(self.height)}"'
        fit = 'preserveAspectRatio="none"' if self.stretched else size
        box = f'viewBox="0 0 {round(self.width, 1)} {round(self.height, 1)}" class="{kind}" {fit}'
        told = (
            f'role="img" aria-label="{escape(printable(self.label))}"'
            if self.label
            else 'aria-hidden="true"'
        )
        return f"<svg {box} {told}>{''.join(self.shapes)}</svg>"


def minus(text: str) -> str:
    """Return a number, an interval or the like with the minus sign that scripts write too; other
    text as it is.
    """
    return re.sub(r"(?<![0-9])-(?=[0-9.])", MINUS, text) if _NUMBERS.fullmatch(text) else text


def width_of(texts: Sequence[str]) -> float:
    """Return an estimate of the width of the longest text in pixels."""
    return LETTER * max((len(text) for text in texts), default=0) + 8


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return for each name what figures show: at least NAME letters of it, and as many as tell it
    from the others.
    """
    whole = list(dict.fromkeys(names))
    for size in range(NAME, max(map(len, whole), default=0)):
        for tail in (size // 3, size // 2, size - size // 3):
            cut = [
                n if len(n) <= size else f"{n[: size - tail - 1]}…{n[len(n) - tail :]}"
                for n in whole
            ]
            if len(set(cut)) == len(whole):
                return dict(zip(whole, cut, strict=True))
    return {name: name for name in whole}


def drawn(title: str, shown: Rows | Points | Curves | Orders | None) -> dict[str, Drawing]:
    """Return drawings by their titles: one, or several of equal length where there are many rows.

    There is none of what needs no figure: no rows, or points of two systems.
    """
    if shown is None:
        return {}
    if isinstance(shown, Curves):
        return {title: _curves(shown)}
    if isinstance(shown, Orders):
        return {title: _orders(shown)}
    if isinstance(shown, Points):
        return {title: _points(shown)} if len(shown.points) > 2 else {}
    count = len(shown.names)
    parts = -(-count // ROWS)
    if parts < 2:
        return {title: _rows(shown, 0, count)}
    size = -(-count // parts)
    ranges = [(first, min(first + size, count)) for first in range(0, count, size)]
    return {
        f"{title}, systems {first + 1} to {end}": _rows(shown, first, end) for first, end in ranges
    }


def _orders(shown: Orders) -> Drawing:
    """Draw the names of the systems in the order of each column, and a line where a system leaves
    its cluster.
    """
    names, heads = (
        short_names(list(shown.titles)),
        short_names([title for title, _ in shown.columns]),
    )
    width, left, top = width_of(list(names.values())), 30.0, 24
    step = max(width + BETWEEN, width_of(list(heads.values())))
    drawing = Drawing(
        left + step * (len(shown.columns) - 1) + width + 12, top + ROW * len(names) + 4, shown.label
    )
    kinds = {"border": "a cluster begins"}
    for row in range(len(names)):
        drawing.text(left - 10, top + ROW * row + 15, str(row + 1), "end small")
    for number, (title, clusters) in enumerate(shown.columns):
        start, beside = (
            left + step * number,
            shown.columns[number + 1][1] if number + 1 < len(shown.columns) else {},
        )
        drawing.text(start + width / 2, 13, heads[title], "middle head", title)
        rows, moves = list(beside), leaving(clusters, beside)
        for row, (name, cluster) in enumerate(clusters.items()):
            middle, said = top + ROW * row + ROW / 2, shown.titles[name]
            drawing.text(start + width / 2, middle + 4, names[name], "middle", said)
            if list(clusters.values()).index(cluster) == row:
                drawing.line(start, middle - ROW / 2, start + width, middle - ROW / 2, "border")
            if name in moves:
                kind = "move up" if moves[name] < 0 else "move down"
                kinds[kind] = f"{kind[5:]}, to another cluster"
                drawing.line(
                    start + width,
                    middle,
                    start + step,
                    top + ROW * rows.index(name) + ROW / 2,
                    kind,
                    said,
                )
    drawing.legend(list(kinds.items()))
    return drawing


def _rows(shown: Rows, first: int, end: int) -> Drawing:
    """Draw rows from the first to before the end. The scale is that of all rows."""
    count, names = len(shown.names), short_names(shown.names)
    left, bottom = width_of(list(names.values())), ROW * (end - first)
    width = 28 + max(min(24.0, WIDEST / max(count - 1, 1)) * (count - 1), 120)
    drawing = Drawing(left + width, bottom + 26, shown.label)
    inside, bounds = (
        (left + 14, left + width - 14),
        [bound for mark in shown.marks for bound in (mark.low, mark.high)],
    )
    over = Scale(*shown.ends, *inside) if shown.ends else scale(bounds, *inside)
    for tick in _ticks(shown, over):
        drawing.line(over(tick), 2, over(tick), bottom, "grid")
        drawing.text(over(tick), bottom + 16, f"{tick:.4g}", "middle small")
    if shown.line is not None:
        drawing.line(over(shown.line), 2, over(shown.line), bottom, "rule")
    for row in range(first, end):
        middle, name = ROW * (row - first) + ROW / 2, shown.names[row]
        if shown.clusters and row and shown.clusters[row] != shown.clusters[row - 1]:
            drawing.line(0, middle - ROW / 2, drawing.width, middle - ROW / 2, "rule")
        marks = [mark for mark in shown.marks if mark.row == row]
        drawing.text(left - 2, middle + 4, names[name], "end", marks[0].title if marks else name)
        for mark in marks:
            if CLASSES[mark.kind] == "bar":
                drawing.line(over(mark.low), middle, over(mark.high), middle, "bar", mark.title)
            else:
                drawing.shape(
                    "circle", CLASSES[mark.kind], mark.title, cx=over(mark.low), cy=middle, r=4.5
                )
    drawing.legend([(CLASSES[kind], meaning) for kind, meaning in shown.legend])
    return drawing


def _ticks(shown: Rows, over: Scale) -> list[float]:
    """Return the numbers on a scale that do not touch each other: all ranks or each fifth, else two
    or three.
    """
    if shown.clusters:
        last = int(over.high)
        every = last * (over(2) - over(1)) < WIDEST
        return [
            n
            for n in range(1, last + 1)
            if every or n in (1, last) or (n % 5 == 0 and n + 1 < last)
        ]
    ticks = over.ticks(2)
    wide = width_of([f"{tick:.4g}" for tick in ticks]) if shown.ends is None else 0
    if len(ticks) > 2 and over(ticks[1]) - over(ticks[0]) < wide:
        ticks = [ticks[0], ticks[-1]]
    return ticks if over(ticks[-1]) - over(ticks[0]) > wide else ticks[:1]


def _axes(
    shown: Points | Curves, wide: int, bottom: int, xs: Sequence[float], ys: Sequence[float]
) -> tuple[Drawing, Scale, Scale]:
    """Return a drawing with two axes on which these numbers have room, and both scales."""
    drawing = Drawing(wide, bottom + 40, shown.label)
    over, up = scale(xs, 54, wide - 20, margin=0.12), scale(ys, bottom, 12, margin=0.1)
    for tick in over.ticks():
        drawing.line(over(tick), 8, over(tick), bottom, "grid")
        drawing.text(
            over(tick),
            bottom + 16,
            f"{tick:.4g}" if abs(tick) < 10_000 else f"{tick:.0f}",
            "middle small",
        )
    for tick in up.ticks():
        drawing.line(50, up(tick), wide - 10, up(tick), "grid")
        drawing.text(46, up(tick) + 4, f"{tick:.4g}", "end small")
    drawing.text((54 + wide - 20) / 2, bottom + 34, shown.x_axis, "middle small")
    drawing.text(
        14,
        bottom / 2 + 6,
        shown.y_axis,
        "middle small",
        transform=f"rotate(-90 14 {bottom / 2 + 6:g})",
    )
    return drawing, over, up


def _curves(shown: Curves) -> Drawing:
    """Draw lines over their steps with shaded intervals, and a rule for each level. The best points
    are large.
    """
    dots, levels = (
        [dot for _, line in shown.lines for dot in line],
        [level for _, level in shown.levels],
    )
    bounds = [bound for dot in dots for bound in (dot.low, dot.high)]
    drawing, over, up = _axes(shown, 520, 280, [dot.x for dot in dots], [*bounds, *levels])
    for name, level in shown.levels:
        drawing.line(50, up(level), drawing.width - 10, up(level), "rule", f"{name}: {level:.2f}")
        drawing.text(drawing.width - 12, up(level) - 4, name, "end small")
    for number, (_, line) in enumerate(shown.lines):
        hue, ends = (
            f"hue{number % HUES}",
            [(dot.x, dot.low) for dot in line] + [(d.x, d.high) for d in reversed(line)],
        )
        for tag, kind, points in (
            ("polygon", "shade", ends if any(dot.low < dot.high for dot in line) else []),
            ("polyline", "curve", [(dot.x, dot.y) for dot in line]),
        ):
            if points:
                places = " ".join(f"{over(x):.1f},{up(y):.1f}" for x, y in points)
                drawing.shape(tag, f"{kind} {hue}", points=places)
    for number, (_, line) in enumerate(shown.lines):
        for dot in line:
            kind, radius = (
                f"{CLASSES[dot.kind]} hue{number % HUES}",
                7 if dot.kind == "large" else 4,
            )
            drawing.shape("circle", kind, dot.title, cx=over(dot.x), cy=up(dot.y), r=radius)
    lines = [(f"curve hue{number % HUES}", name) for number, (name, _) in enumerate(shown.lines)]
    drawing.legend([*lines, *((CLASSES[kind], meaning) for kind, meaning in shown.legend)])
    return drawing


def _points(shown: Points) -> Drawing:
    """Draw a dot with its name for each point, so that names do not cover each other.

    A line joins a name to a dot that is far off.
    """
    points = shown.points
    wide, bottom = (360, 260) if len(points) <= FEW else (560, 460)
    drawing, over, up = _axes(
        shown, wide, bottom, [point.x for point in points], [point.y for point in points]
    )
    centres = [(over(point.x), up(point.y)) for point in points]
    names = short_names([point.name for point in points])
    sizes = [(width_of([names[point.name]]) - 8, LINE) for point in points]
    frame = (50.0, -up.start, drawing.width, -8.0)
    places = label_places(
        [(x, -y) for x, y in centres], sizes, frame
    )  # pixels of a page count downwards
    for number, place in places.items():
        point, (x, y) = points[number], centres[number]
        left, right = place.x - sizes[number][0] / 2, place.x + sizes[number][0] / 2
        if place.far:
            below = -place.y + LINE / 2
            drawing.line(x, y, min(max(x, left), right), min(max(y, below - LINE), below), "leader")
        drawing.shape("circle", "dot", point.title, cx=x, cy=y, r=4)
        # widths are estimates, so a name is anchored at the end that is near its dot
        kind, start = (
            ("small", left)
            if left > x
            else ("end small", right)
            if right < x
            else ("middle small", place.x)
        )
        drawing.text(start, 4 - place.y, names[point.name], kind, point.title)
    return drawing


def interval_bar(score: Score, where: Scale) -> Drawing | None:
    """Return a bar that shows a score and its interval, as cells beside it do; None for a score
    that is not finite.
    """
    if not math.isfinite(score.score):
        return None
    low, high = bounds(score)
    unit = factor(score.metric)
    drawing = Drawing(160, 18, "", stretched=True)
    drawing.shape("path", "grid", d="".join(f"M{where(tick):.1f} 0v18" for tick in where.ticks()))
    start, end = where(unit * low), where(unit * high)
    drawing.shape("rect", "range", x=start, y=6, width=max(end - start, 0), height=6)
    drawing.shape("rect", "mark", x=where(unit * score.score) - 1.2, y=2, width=2.4, height=14)
    return drawing


def bounds(score: Score) -> tuple[float, float]:
    """Return the interval of a score: by bootstrap, else over draws of references, else the score
    itself twice.
    """
    if score.bootstrap:
        low, high = score.bootstrap.interval
    else:
        low, high = score.samples.shown if score.samples else (math.nan, math.nan)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (score.score, score.score)


def interval_scale(scores: Sequence[Score]) -> Scale:
    """Return the scale that the bars of a leader board share, in the unit in which scores are
    shown.
    """
    return scale(
        [factor(score.metric) * end for score in scores for end in (*bounds(score), score.score)],
        0,
        160,
    )


def interval_axis(where: Scale) -> Drawing:
    """Return a drawing of the numbers on this scale."""
    drawing = Drawing(
        160, 18, f"scale from {round_half_up(where.low, 1)} to {round_half_up(where.high, 1)}"
    )
    for tick in where.ticks():
        drawing.text(where(tick), 13, f"{tick:.4g}", "middle small")
    return drawing
