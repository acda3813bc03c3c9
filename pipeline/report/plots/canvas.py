"""What all plots share: style, colours, figures of a fitting size, and their bytes. Needs the extra `plot`.

The colours are those of Okabe and Ito (2008), which people with any colour vision can tell apart. For grey prints,
shape, fill or position says the same. Nothing here reads or changes the user's matplotlib settings, or needs a display.
"""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ..tables.label_places import label_places
from ..tables.plot_look import FONTS, LOOK, PLAIN, SMALLEST
from ..terminal.printing import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..tables.plot_look import Look
    from ..tables.ranked import Group

TYPES = ("png", "svg", "pdf")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
BLUE, ORANGE = COLOURS[:2]
GREY, PALE = "#666666", "#DDDDDD"
WIDTH = 6.3
"""Width of a figure in inches, as wide as the text of an A4 page or both columns of a paper."""
ROW = 0.24
"""Height of the row of a system in inches."""

STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": PALE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "text.parse_math": False,  # a $ in a name is printed as $
    "svg.fonttype": "none",
    "svg.hashsalt": "gec-pipeline",
    "pdf.fonttype": 42,  # TrueType, as publishers ask
}
_NO_DATES: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


@contextmanager
def styled(look: Look = PLAIN) -> Iterator[None]:
    """Set matplotlib's own defaults, STYLE and a look, and restore the user's settings afterwards."""
    from matplotlib import style

    letters = {
        "font.family": FONTS[look.font],
        "font.size": look.points(STYLE["font.size"]),
        "legend.fontsize": look.points(STYLE["legend.fontsize"]),
    }
    token = LOOK.set(look)
    try:
        with style.context(["default", STYLE | letters]), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a name in another script gets boxes
            yield
    finally:
        LOOK.reset(token)


def figure(width: float = WIDTH, height: float = 4.0, *, square: bool = False) -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes.

    Width and height are in inches. Where people asked for another width, the figure has that one; if it is `square`,
    its height changes likewise, else it stays.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    wide = LOOK.get().inches(width)
    empty = Figure(figsize=(wide, height * wide / width if square else height), layout="constrained")
    FigureCanvasAgg(empty)
    return empty, empty.add_subplot()


def rows_figure(names: Sequence[str], more: float = 0.0) -> tuple[Figure, Axes]:
    """Return a figure with a row for each name, the first on top at y = 0.

    `more` is the height in inches that a legend below the axes needs.
    """
    row = 0.7 * ROW if LOOK.get().narrow else ROW
    rows, axes = figure(height=(1.1 if LOOK.get().title else 0.8) + more + row * max(len(names), 2))
    axes.set_yticks(range(len(names)), [text(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    return rows, axes


def title(axes: Axes, group: Group, what: str = "") -> None:
    """Write above the axes what they show, unless figures shall have no title."""
    if not LOOK.get().title:
        return
    parts = [part.replace("\n", " ") for part in (group.dataset, group.label, what) if part]
    words = ": ".join(shortened(printable(part), 60) for part in parts)
    whole = axes.get_figure(root=True)
    assert whole is not None  # noqa: S101 (for the type checker: figure() has put the axes into a figure)
    size = LOOK.get().points(10)
    lines = textwrap.wrap(words, int(140 / size * whole.get_figwidth()))
    whole.suptitle("\n".join(lines), x=0.01, horizontalalignment="left", fontsize=size)


def legend(whole: Figure, entries: Sequence[Artist], columns: int) -> None:
    """Draw a legend below the axes, in so many columns, or in as many as a narrow figure has room for."""
    if LOOK.get().narrow:
        longest = max(len(str(entry.get_label())) for entry in entries)
        columns = max(1, min(columns, int(whole.get_figwidth() * 72 / (SMALLEST * (0.55 * longest + 4)))))
        rows = -(-len(entries) // columns)
        whole.set_figheight(whole.get_figheight() + 1.6 * SMALLEST / 72 * (rows - 1))
    whole.legend(handles=list(entries), loc="outside lower center", ncols=columns)


def matrix_names(axes: Axes, columns: Sequence[str], rows: Sequence[str] = (), size: float | None = None) -> None:
    """Write the names of the columns and rows of a matrix, in letters of `size` points (None: the usual size).

    Without names of rows they are those of the columns, and the cells are squares. Where people asked for a width,
    letters are not smaller than SMALLEST, and some names are left out if they would stand upon each other.
    """
    points = None if size is None else LOOK.get().points(size)
    step = max(math.ceil(1.25 * SMALLEST / cell_width(len(columns))), 1)
    across = range(0, len(columns), step)
    down = range(len(rows)) if rows else across
    axes.set_xticks(across, [text(columns[n], 24) for n in across], rotation=90, fontsize=points)
    axes.set_yticks(down, [text((rows or columns)[n], 24) for n in down], fontsize=points)


def cell_width(columns: int) -> float:
    """Return about how wide a column of a matrix is in points, where people asked for a width; else infinity."""
    look = LOOK.get()
    return 72 * 0.7 * look.inches(0) / max(columns, 1) if look.width else math.inf


def place_labels(whole: Figure, axes: Axes, labels: Sequence[tuple[str, float, float]]) -> None:
    """Write names beside their points, given as (name, x, y). A line joins a name to a point that is far off.

    Where people asked for a width, a name that has no room within the figure is left out.
    """
    whole.draw_without_rendering()  # from here on the axes have their position
    whole.set_layout_engine("none")
    points: list[tuple[float, float]] = [tuple(axes.transData.transform((x, y))) for _, x, y in labels]
    inside, scale = axes.get_window_extent(), 72 / whole.dpi
    sizes = [_size(axes, name) for name, *_ in labels]
    places = label_places(points, sizes, (inside.x0, inside.y0, inside.x1, inside.y1))
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
    for number, place in places.items():
        x, y = points[number]
        half = sizes[number][0] / 2
        if LOOK.get().width and not 0 <= place.x - half <= place.x + half <= whole.bbox.width:
            continue
        axes.annotate(
            labels[number][0],
            labels[number][1:],
            xytext=((place.x - x) * scale, (place.y - y) * scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=LOOK.get().points(8),
            annotation_clip=False,
            arrowprops=line if place.far else None,
        )


def _size(axes: Axes, name: str) -> tuple[float, float]:
    """Return width and height of a name in pixels."""
    drawn = axes.text(0, 0, name, fontsize=LOOK.get().points(8))
    box = drawn.get_window_extent()
    drawn.remove()
    return box.width, box.height


def text(name: str, width: int = 32) -> str:
    """Return a name for a plot: on one line, shortened to the width, with control characters as escapes.

    In a narrow figure names have at most 18 letters.
    """
    return shortened(printable(name.replace("\n", " ")), min(width, 18) if LOOK.get().narrow else width)


def saved(whole: Figure, kind: str) -> bytes:
    """Return a figure as PNG, SVG or PDF. The same figure always gives the same bytes."""
    buffer = io.BytesIO()
    whole.savefig(buffer, format=kind, metadata=_NO_DATES[kind])
    return buffer.getvalue()
