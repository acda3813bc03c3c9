"""Figures of matplotlib: style, colours, sizes, bytes; rows, curves, matrices, points. Needs the
extra `plot`.

The colours are those of Okabe and Ito (2008), which people with any colour vision can tell apart.
For grey prints, shape, fill or position says the same. Nothing here reads or changes the user's
matplotlib settings, or needs a display."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import printable
from pipeline.report.context import FONTS, PLAIN, SMALLEST, STYLE, WIDTHS, PlotStyle
from pipeline.report.tables.ranked import Group
from pipeline.report.terminal.printing import shortened

from .plot_data import Curves, Points, Rows, label_places

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
BLUE, ORANGE = COLOURS[:2]
GREY, PALE = "#666666", "#DDDDDD"
WIDTH = 6.3
"""Width of a figure in inches, as wide as the text of an A4 page or both columns of a paper."""
ROW = 0.24
"""Height of the row of a system in inches."""
LINES = ("-", "--", ":", "-.")
"""How the lines of curves are drawn, by turns."""
MOST_TICKS = 12
"""How many names at most stand below an axis."""
MARKS: dict[str, dict[str, Any]] = {
    "interval": {"color": BLUE, "marker": "|", "markersize": 6, "linewidth": 1.4},
    "draws": {"color": PALE, "linewidth": 7, "solid_capstyle": "butt"},
    "line": {"color": ORANGE, "linestyle": "--", "linewidth": 1},
    "value": {"color": BLUE, "marker": "o", "markersize": 5, "linestyle": ""},
    "rank": {"color": ORANGE, "marker": "o", "markersize": 5, "linestyle": ""},
    "open": {
        "color": BLUE,
        "marker": "o",
        "markersize": 5,
        "linestyle": "",
        "markerfacecolor": "white",
    },
}
"""How kinds of marks look (`tables/plot_data.py`)."""

_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def styled(chosen: PlotStyle = PLAIN) -> Iterator[None]:
    """Set matplotlib's own defaults, `plain.mplstyle` and what people chose; restore the user's
    settings afterwards.
    """
    from matplotlib import style

    letters = {
        "font.family": FONTS[chosen.font],
        "font.size": chosen.points(9),
        "legend.fontsize": chosen.points(8),
    }
    styles: list[Any] = [
        "default",
        Path(__file__).with_name("plain.mplstyle"),
        {"grid.color": PALE, **letters},
    ]
    token = STYLE.set(chosen)
    try:
        with style.context(styles), warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore", message="Glyph .* missing from"
            )  # a name in another script gets boxes
            yield
    finally:
        STYLE.reset(token)


def figure(
    width: float = WIDTH, height: float = 4.0, *, square: bool = False
) -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes.

    Width and height are in inches. Where people asked for another width, the figure has that one;
    if it is `square`, its height changes likewise, else it stays."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    wide = WIDTHS.get(STYLE.get().width, width)
    empty = Figure(
        figsize=(wide, height * wide / width if square else height), layout="constrained"
    )
    FigureCanvasAgg(empty)
    return empty, empty.add_subplot()


def titled(drawing: tuple[Figure, Axes], group: Group, what: str = "", *caption: str) -> Figure:
    """Return a figure with what it shows, and a caption, written over the axes, unless figures
    shall have no title.
    """
    (whole, axes), style = drawing, STYLE.get()
    if style.title:
        parts = [part.replace("\n", " ") for part in (group.dataset, group.called, what) if part]
        words = ": ".join(shortened(printable(part), 60) for part in parts)
        whole.draw_without_rendering()  # from here on the axes have their place from left to right
        left = axes.get_position().x0
        letters = int(140 / style.points(10) * whole.get_figwidth() * (1 - left))
        said = [words, *map(printable, caption)]
        lines = [
            line
            for one in said
            for line in textwrap.wrap(one, max(letters, 20), break_on_hyphens=False)
        ]
        whole.set_figheight(
            whole.get_figheight()
            + (1.3 * style.points(10) / 72 * (len(lines) - 1) if caption else 0)
        )
        whole.suptitle(
            "\n".join(lines), x=left, horizontalalignment="left", fontsize=style.points(10)
        )
    return whole


def legend(whole: Figure, entries: Sequence[Artist], columns: int) -> None:
    """Draw a legend below the axes, in so many columns, or in as many as a narrow figure has room
    for.
    """
    if STYLE.get().narrow:
        longest = max(len(str(entry.get_label())) for entry in entries)
        columns = max(
            1, min(columns, int(whole.get_figwidth() * 72 / (SMALLEST * (0.55 * longest + 4))))
        )
        whole.set_figheight(
            whole.get_figheight() + 1.6 * SMALLEST / 72 * (-(-len(entries) // columns) - 1)
        )
    whole.legend(handles=list(entries), loc="outside lower center", ncols=columns)


def draw_rows(shown: Rows, *, legend_below: bool = False) -> tuple[Figure, Axes]:
    """Return a figure of rows, the first on top."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import MaxNLocator

    entries, style = list(shown.legend) if legend_below else [], STYLE.get()
    row_height = 0.7 * ROW if style.narrow else ROW
    room = (1.1 if style.title else 0.8) + (0.3 if legend_below else 0.0)
    whole, axes = figure(height=room + row_height * max(len(shown.names), 2))
    axes.set_yticks(range(len(shown.names)), [text(name) for name in shown.names])
    axes.set_ylim(len(shown.names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    for row, cluster in enumerate(shown.clusters):
        if cluster % 2 == 0:
            axes.axhspan(row - 0.5, row + 0.5, color="#EEEEEE", linewidth=0, zorder=0)
        if row and cluster != shown.clusters[row - 1]:
            axes.axhline(row - 0.5, color=GREY, linewidth=1)
    if shown.line is not None:
        axes.axvline(shown.line, zorder=0, **MARKS["line"])
    for mark in shown.marks:
        ends = [mark.low] if mark.low == mark.high else [mark.low, mark.high]
        axes.plot(ends, [mark.row] * len(ends), **MARKS[mark.kind])
    axes.set_xlabel(text(shown.axis, 90))
    if shown.ends:
        low, high = shown.ends
        room = 0.5 if shown.clusters else 0.025 * (high - low)
        axes.set_xlim(low - room, high + room)
    if shown.clusters:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    notes: list[tuple[float, str]] = list(enumerate(shown.notes))
    for cluster in sorted(set(shown.clusters)):  # its name stands beside the middle of its rows
        size = shown.clusters.count(cluster)
        named = f"cluster {cluster}" if len(shown.clusters) < 30 or size > 1 else str(cluster)
        notes.append((shown.clusters.index(cluster) + (size - 1) / 2, named))
    where, points = axes.get_yaxis_transform(), STYLE.get().points(8)
    for at, note in notes:
        axes.text(1.01, at, note, transform=where, va="center", fontsize=points, color=GREY)
    if entries:
        legend(
            whole,
            [Line2D([], [], label=text(meaning, 60), **MARKS[kind]) for kind, meaning in entries],
            2,
        )
    return whole, axes


def draw_curves(shown: Curves) -> tuple[Figure, Axes]:
    """Return a figure of lines over their steps, with shaded intervals. The best point of each line
    is large.
    """
    from matplotlib.lines import Line2D

    whole, axes = figure(height=3.8 + 0.1 * (len(shown.lines) + len(shown.levels)))
    for number, (name, dots) in enumerate(shown.lines):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        style: dict[str, Any] = {
            "color": colour,
            "linestyle": LINES[number % len(LINES)],
            "linewidth": 1.2,
        }
        xs, ys = [dot.x for dot in dots], [dot.y for dot in dots]
        axes.plot(xs, ys, marker=marker, markersize=4, label=text(name, 40), **style)
        if any(dot.low < dot.high for dot in dots):
            ends = [dot.low for dot in dots], [dot.high for dot in dots]
            axes.fill_between(xs, *ends, color=colour, alpha=0.15, linewidth=0)
        for kind, size, inside in (("large", 9, colour), ("open", 5, "white")):
            own = [(dot.x, dot.y) for dot in dots if dot.kind == kind]
            where = [x for x, _ in own], [y for _, y in own]
            axes.plot(
                *where,
                color=colour,
                linestyle="",
                marker=marker,
                markersize=size,
                markerfacecolor=inside,
            )
    for number, (name, level) in enumerate(shown.levels, len(shown.lines)):
        line, colour = LINES[number % len(LINES)], GREY if name else ORANGE
        axes.axhline(
            level, zorder=0, label=text(name, 40), color=colour, linestyle=line, linewidth=0.9
        )
    axes.set_xlabel(text(shown.x_axis, 60))
    axes.set_ylabel(text(shown.y_axis))
    if shown.ends:
        axes.set_ylim(*shown.ends)
    if shown.ticks:
        step = -(-len(shown.ticks) // MOST_TICKS)
        axes.set_xticks(range(0, len(shown.ticks), step), shown.ticks[::step])
    entries = list(axes.get_legend_handles_labels()[0])
    for kind, meaning in shown.legend:
        size, inside = (8, GREY) if kind == "large" else (5, "white")
        look: dict[str, Any] = {
            "marker": "o",
            "markersize": size,
            "markerfacecolor": inside,
            "linestyle": "",
        }
        entries.append(Line2D([], [], color=GREY, label=meaning, **look))
    legend(whole, entries, 3)
    return whole, axes


def draw_points(shown: Points) -> tuple[Figure, Axes]:
    """Return a figure of dots, which have no names yet: see place_labels()."""
    size = 4.6 if len(shown.points) <= 20 else 7.5
    whole, axes = figure(size + 0.9, size, square=True)
    axes.plot(
        [point.x for point in shown.points],
        [point.y for point in shown.points],
        "o",
        color=BLUE,
        markersize=5,
    )
    axes.margins(0.12)
    axes.set_xlabel(text(shown.x_axis, 60))
    axes.set_ylabel(text(shown.y_axis))
    return whole, axes


def place_labels(whole: Figure, axes: Axes, labels: Sequence[tuple[str, float, float]]) -> None:
    """Write names beside their points, given as (name, x, y). A line joins a name to a point that
    is far off.

    Where people asked for a width, a name that has no room within the figure is left out.
    """
    whole.draw_without_rendering()  # from here on the axes have their position
    whole.set_layout_engine("none")
    points: list[tuple[float, float]] = [
        tuple(axes.transData.transform((x, y))) for _, x, y in labels
    ]
    inside, scale = axes.get_window_extent(), 72 / whole.dpi
    sizes: list[tuple[float, float]] = []
    for name, *_ in labels:
        drawn = axes.text(0, 0, name, fontsize=STYLE.get().points(8))
        box = drawn.get_window_extent()
        sizes.append((box.width, box.height))
        drawn.remove()
    places = label_places(points, sizes, (inside.x0, inside.y0, inside.x1, inside.y1))
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
    for number, place in places.items():
        x, y = points[number]
        half = sizes[number][0] / 2
        if STYLE.get().width and not 0 <= place.x - half <= place.x + half <= whole.bbox.width:
            continue
        axes.annotate(
            labels[number][0],
            labels[number][1:],
            xytext=((place.x - x) * scale, (place.y - y) * scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=STYLE.get().points(8),
            annotation_clip=False,
            arrowprops=line if place.far else None,
        )


def text(name: str, width: int = 32) -> str:
    """Return a name for a plot: on one line, shortened to the width, with control characters as
    escapes.

    In a narrow figure names, for which up to 40 letters are usual, have at most 18.
    """
    most = min(width, 18) if STYLE.get().narrow and width <= 40 else width
    return shortened(printable(name.replace("\n", " ")), most)


def saved(whole: Figure, kind: str) -> bytes:
    """Return a figure as PNG, SVG or PDF. The same figure always gives the same bytes."""
    buffer = io.BytesIO()
    whole.savefig(buffer, format=kind, metadata=_NO_DATES[kind])
    return buffer.getvalue()
