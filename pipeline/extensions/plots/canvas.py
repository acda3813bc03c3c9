"""Figures of matplotlib: style, colours, sizes and bytes; rows, curves and points. Needs the extra
`plot`.

The colours are those of Okabe and Ito (2008), which readers with any colour vision can tell apart.
In grey prints, shapes, fillings or positions show the same. Nothing here reads or changes the
user's matplotlib settings, or needs a display.
"""

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pipeline.errors import printable
from pipeline.report import PlotFigure, PlotStyle, ReportContext
from pipeline.report.tables import Group
from pipeline.report.terminal import shortened

from .label_positions import Box, label_positions
from .plot_data import Curves, Dot, Points, Rows

COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#F0E442",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
LINES = ("-", "--", ":", "-.")
"""How the lines of curves are drawn, by turns."""
BLUE = COLOURS[0]
ORANGE = COLOURS[1]
GREY = "#666666"
PALE = "#DDDDDD"
WIDTH = 6.3
"""Width of a figure in inches, as wide as the text of an A4 page or both columns of a paper."""
ROW = 0.24
"""Height of the row of a system in inches."""
LINE_HEIGHT = 1.3
"""Height of a line of the title, in units of the size of its letters."""
MAX_TICKS = 12
"""How many names at most are below an axis."""
MAX_NARROW_NAME = 18
"""How many letters of a name a narrow figure shows."""
MAX_SMALL_POINTS = 20
"""How many points at most a figure of usual size has; one with more is larger."""
MAX_NAMED_CLUSTERS = 30
"""In a figure of more rows, clusters of one system have only their number."""
PLAIN = PlotStyle()
STYLE: ContextVar[PlotStyle] = ContextVar("STYLE", default=PLAIN)
"""The style of the figures that are being drawn; styled() sets it."""
_DOT: dict[str, Any] = {"marker": "o", "markersize": 5, "linestyle": ""}
MARKS: dict[str, dict[str, Any]] = {
    "interval": {
        "color": BLUE,
        "marker": "|",
        "markersize": 6,
        "linewidth": 1.4,
    },
    "draws": {"color": PALE, "linewidth": 7, "solid_capstyle": "butt"},
    "line": {"color": ORANGE, "linestyle": "--", "linewidth": 1},
    "value": {"color": BLUE, **_DOT},
    "rank": {"color": ORANGE, **_DOT},
    "open": {"color": BLUE, **_DOT, "markerfacecolor": "white"},
}
"""The look of the kinds of marks (`plot_data.py`)."""

_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def styled(chosen: PlotStyle = PLAIN) -> Iterator[None]:
    """Within this context, set matplotlib's settings to its defaults, `plain.mplstyle` and the chosen
    style, whatever the user's settings are; these are restored afterwards.
    """
    letters = {
        "font.family": PlotStyle.FONTS[chosen.font],
        "font.size": chosen.points(9),
        "legend.fontsize": chosen.points(8),
    }
    plain = Path(__file__).with_name("plain.mplstyle")
    styles: list[Any] = ["default", plain, {"grid.color": PALE, **letters}]
    token = STYLE.set(chosen)
    try:
        with style.context(styles), warnings.catch_warnings():
            # A name in a script that the font lacks gets boxes, without a warning.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            yield
    finally:
        STYLE.reset(token)


class StyledFigure(Figure):
    """A figure that notebooks show in the style in which it was drawn."""

    plot_style: PlotStyle = PLAIN

    def _repr_png_(self) -> bytes:
        return saved(self, "png", self.plot_style)


def saved(figure: Figure, kind: str, plot_style: PlotStyle) -> bytes:
    """Return a figure as PNG, SVG or PDF. The same figure always gives the same bytes."""
    buffer = io.BytesIO()
    with styled(plot_style):
        figure.savefig(buffer, format=kind, metadata=_NO_DATES[kind])
    return buffer.getvalue()


Draw = Callable[[ReportContext], Iterator[PlotFigure]]


def in_style(draw: Draw) -> Draw:
    """Decorate a generator of figures so that each is drawn in the style of the report; while the
    caller has a figure, matplotlib's settings are the user's.
    """

    @wraps(draw)
    def figures(context: ReportContext) -> Iterator[PlotFigure]:
        drawings = draw(context)
        while True:
            with styled(context.plot_style):
                drawing = next(drawings, None)
            if drawing is None:
                return
            yield drawing

    return figures


def new_figure(
    width: float = WIDTH, height: float = 4.0, *, square: bool = False
) -> tuple[StyledFigure, Axes]:
    """Return an empty figure and its axes. Width and height are in inches.

    If the style has a width, the figure has that one; the height of a `square` figure changes in
    proportion."""
    plot_style = STYLE.get()
    chosen_width = PlotStyle.WIDTHS.get(plot_style.width, width)
    if square:
        height = height * chosen_width / width
    figure = StyledFigure(figsize=(chosen_width, height), layout="constrained")
    figure.plot_style = plot_style
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def add_title(
    figure: Figure,
    axes: Axes,
    group: Group,
    subject: str = "",
    *caption: str,
) -> Figure:
    """Write a title over the axes, and return the figure: the data set and metric of the group, the
    subject, and below them the sentences of a caption. A style may forbid titles.
    """
    plot_style = STYLE.get()
    if not plot_style.title:
        return figure
    parts = []
    for text in (group.dataset, group.called, subject):
        if text:
            line = printable(text.replace("\n", " "))
            parts.append(shortened(line, 60))
    title = ": ".join(parts)
    figure.draw_without_rendering()  # from here on the axes have their position
    left = axes.get_position().x0
    font_size = plot_style.points(10)
    # About so many letters have room above the axes.
    letters = int(140 / font_size * figure.get_figwidth() * (1 - left))
    lines: list[str] = []
    for text in (title, *map(printable, caption)):
        lines += textwrap.wrap(text, max(letters, 20), break_on_hyphens=False)
    if caption:
        more_height = LINE_HEIGHT * font_size / 72 * (len(lines) - 1)
        figure.set_figheight(figure.get_figheight() + more_height)
    figure.suptitle(
        "\n".join(lines),
        x=left,
        horizontalalignment="left",
        fontsize=font_size,
    )
    return figure


def add_legend(figure: Figure, entries: Sequence[Artist], columns: int) -> None:
    """Draw a legend in columns below the axes. A narrow figure has fewer columns if there is no room
    for all, and grows in height for further lines.
    """
    if STYLE.get().narrow:
        longest = max(len(str(entry.get_label())) for entry in entries)
        column_points = PlotStyle.MIN_POINTS * (0.55 * longest + 4)
        fitting_columns = int(figure.get_figwidth() * 72 / column_points)
        columns = max(1, min(columns, fitting_columns))
        lines = math.ceil(len(entries) / columns)
        more_height = 1.6 * PlotStyle.MIN_POINTS / 72 * (lines - 1)
        figure.set_figheight(figure.get_figheight() + more_height)
    figure.legend(
        handles=list(entries),
        loc="outside lower center",
        ncols=columns,
    )


def draw_rows(rows: Rows, *, legend_below: bool = False) -> tuple[Figure, Axes]:
    """Return a figure of rows and its axes: names at the left, the first on top, marks on a common
    scale, notes at the right. Every second cluster has a band; its name is a note.
    """
    plot_style = STYLE.get()
    count = len(rows.names)
    row_height = 0.7 * ROW if plot_style.narrow else ROW
    # Inches for all but the rows.
    frame_height = 1.1 if plot_style.title else 0.8
    if legend_below:
        frame_height += 0.3
    figure, axes = new_figure(height=frame_height + row_height * max(count, 2))
    axes.set_yticks(range(count), [short_text(name) for name in rows.names])
    axes.set_ylim(count - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    for row, cluster in enumerate(rows.clusters):
        if cluster % 2 == 0:
            axes.axhspan(
                row - 0.5,
                row + 0.5,
                color="#EEEEEE",
                linewidth=0,
                zorder=0,
            )
        if row and cluster != rows.clusters[row - 1]:
            axes.axhline(row - 0.5, color=GREY, linewidth=1)
    if rows.line is not None:
        axes.axvline(rows.line, zorder=0, **MARKS["line"])
    for mark in rows.marks:
        ends = [mark.low]
        if mark.low != mark.high:
            ends.append(mark.high)
        axes.plot(ends, [mark.row] * len(ends), **MARKS[mark.kind])
    axes.set_xlabel(short_text(rows.axis, 90))
    if rows.ends:
        low, high = rows.ends
        margin = 0.5 if rows.clusters else 0.025 * (high - low)
        axes.set_xlim(low - margin, high + margin)
    if rows.clusters:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    notes: list[tuple[float, str]] = list(enumerate(rows.notes))
    for cluster in sorted(set(rows.clusters)):
        size = rows.clusters.count(cluster)
        name = str(cluster)
        if len(rows.clusters) < MAX_NAMED_CLUSTERS or size > 1:
            name = f"cluster {cluster}"
        middle = rows.clusters.index(cluster) + (size - 1) / 2
        notes.append((middle, name))
    # x from 0 to 1 over the axes, y in rows.
    right_of_axes = axes.get_yaxis_transform()
    for y, note in notes:
        axes.text(
            1.01,
            y,
            note,
            transform=right_of_axes,
            va="center",
            fontsize=plot_style.points(8),
            color=GREY,
        )
    if legend_below and rows.legend:
        entries = []
        for kind, meaning in rows.legend:
            label = short_text(meaning, 60)
            entries.append(Line2D([], [], label=label, **MARKS[kind]))
        add_legend(figure, entries, 2)
    return figure, axes


def draw_curves(curves: Curves) -> tuple[Figure, Axes]:
    """Return a figure of curves with shaded intervals, and its axes. A level, a score without a
    position on the axis of x, is a horizontal line; the legend names all lines.
    """
    count = len(curves.lines) + len(curves.levels)
    figure, axes = new_figure(height=3.8 + 0.1 * count)
    for index, (name, dots) in enumerate(curves.lines):
        _draw_curve(axes, index, name, dots)
    for index, (name, level) in enumerate(curves.levels, len(curves.lines)):
        axes.axhline(
            level,
            zorder=0,
            label=short_text(name, 40),
            color=GREY if name else ORANGE,
            linestyle=LINES[index % len(LINES)],
            linewidth=0.9,
        )
    axes.set_xlabel(short_text(curves.x_axis, 60))
    axes.set_ylabel(short_text(curves.y_axis))
    if curves.ends:
        axes.set_ylim(*curves.ends)
    if curves.ticks:
        # Each label, or each second, third ... one.
        step = math.ceil(len(curves.ticks) / MAX_TICKS)
        axes.set_xticks(range(0, len(curves.ticks), step), curves.ticks[::step])
    entries = list(axes.get_legend_handles_labels()[0])
    for kind, meaning in curves.legend:
        look: dict[str, Any] = {
            "marker": "o",
            "linestyle": "",
            "color": GREY,
            "label": meaning,
        }
        if kind == "large":
            look |= {"markersize": 8, "markerfacecolor": GREY}
        else:
            look |= {"markersize": 5, "markerfacecolor": "white"}
        entries.append(Line2D([], [], **look))
    add_legend(figure, entries, 3)
    return figure, axes


def _draw_curve(
    axes: Axes,
    index: int,
    name: str,
    dots: Sequence[Dot],
) -> None:
    """Draw a curve with its shaded interval in the colour, marker and line of its index. Points of
    the kinds "large" and "open" are drawn again, larger or hollow.
    """
    colour = COLOURS[index % len(COLOURS)]
    marker = MARKERS[index % len(MARKERS)]
    xs = [dot.x for dot in dots]
    axes.plot(
        xs,
        [dot.y for dot in dots],
        marker=marker,
        markersize=4,
        label=short_text(name, 40),
        color=colour,
        linestyle=LINES[index % len(LINES)],
        linewidth=1.2,
    )
    if any(dot.low < dot.high for dot in dots):
        low = [dot.low for dot in dots]
        high = [dot.high for dot in dots]
        axes.fill_between(
            xs,
            low,
            high,
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
    for kind, size, inside in (("large", 9, colour), ("open", 5, "white")):
        marked = [dot for dot in dots if dot.kind == kind]
        axes.plot(
            [dot.x for dot in marked],
            [dot.y for dot in marked],
            color=colour,
            linestyle="",
            marker=marker,
            markersize=size,
            markerfacecolor=inside,
        )


def draw_points(points: Points) -> tuple[Figure, Axes]:
    """Return a figure of dots, larger for many, and its axes. add_labels() adds the names."""
    size = 4.6 if len(points.points) <= MAX_SMALL_POINTS else 7.5
    figure, axes = new_figure(size + 0.9, size, square=True)
    xs = [point.x for point in points.points]
    ys = [point.y for point in points.points]
    axes.plot(xs, ys, "o", color=BLUE, markersize=5)
    axes.margins(0.12)
    axes.set_xlabel(short_text(points.x_axis, 60))
    axes.set_ylabel(short_text(points.y_axis))
    return figure, axes


def add_labels(
    figure: Figure, axes: Axes, labels: Sequence[tuple[str, float, float]]
) -> None:
    """Write names beside their points where they cover least: `labels` are (name, x, y), in the units
    of the axes. A line joins a name to a distant point.

    If the style has a width, a name that has no room within the figure is left out."""
    plot_style = STYLE.get()
    figure.draw_without_rendering()  # from here on the axes have their position
    figure.set_layout_engine("none")
    inside = axes.get_window_extent()
    points_per_pixel = 72 / figure.dpi
    font_size = plot_style.points(8)
    # Points and sizes of names in pixels; a name is measured by drawing it.
    points: list[tuple[float, float]] = []
    sizes: list[tuple[float, float]] = []
    for name, x, y in labels:
        points.append(tuple(axes.transData.transform((x, y))))
        measured = axes.text(0, 0, name, fontsize=font_size)
        box = measured.get_window_extent()
        sizes.append((box.width, box.height))
        measured.remove()
    frame = Box(inside.x0, inside.y0, inside.x1, inside.y1)
    line = {
        "arrowstyle": "-",
        "color": GREY,
        "linewidth": 0.5,
        "shrinkA": 0,
        "shrinkB": 2,
    }
    for index, position in label_positions(points, sizes, frame).items():
        half_width = sizes[index][0] / 2
        left = position.x - half_width
        right = position.x + half_width
        is_inside = left >= 0 and right <= figure.bbox.width
        if plot_style.width and not is_inside:
            continue
        name, x, y = labels[index]
        point_x, point_y = points[index]
        x_offset = (position.x - point_x) * points_per_pixel
        y_offset = (position.y - point_y) * points_per_pixel
        axes.annotate(
            name,
            (x, y),
            xytext=(x_offset, y_offset),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=font_size,
            annotation_clip=False,
            arrowprops=line if position.needs_line else None,
        )


def short_text(name: str, width: int = 32) -> str:
    """Return a name for a plot: on one line, shortened to the width, with control characters as
    escapes.

    In a narrow figure, names of up to 40 letters have at most MAX_NARROW_NAME.
    """
    if STYLE.get().narrow and width <= 40:
        width = min(width, MAX_NARROW_NAME)
    return shortened(printable(name.replace("\n", " ")), width)
