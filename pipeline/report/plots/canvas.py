"""What all plots share: style, colours, figures of a fitting size, and their bytes. Needs the extra `plot`.

The colours are those of Okabe and Ito (2008), which people with any colour vision can tell apart. For grey prints,
shape, fill or position says the same. Nothing here reads or changes the user's matplotlib settings, or needs a display.
"""

from __future__ import annotations

import io
import textwrap
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ..tables.label_places import label_places
from ..terminal.layout import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..tables.labels import Group

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
    "font.family": ["DejaVu Sans"],  # comes with matplotlib
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
def styled() -> Iterator[None]:
    """Set matplotlib's own defaults and STYLE, and restore the user's settings afterwards."""
    from matplotlib import style

    with style.context(["default", STYLE]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a name in another script gets boxes
        yield


def figure(width: float = WIDTH, height: float = 4.0) -> tuple[Figure, Axes]:
    """Return an empty figure with one pair of axes; width and height are in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    empty = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(empty)
    return empty, empty.add_subplot()


def rows_figure(names: Sequence[str], more: float = 0.0) -> tuple[Figure, Axes]:
    """Return a figure with a row for each name, the first on top at y = 0.

    `more` is the height in inches that a legend below the axes needs.
    """
    rows, axes = figure(height=1.1 + more + ROW * max(len(names), 2))
    axes.set_yticks(range(len(names)), [text(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    return rows, axes


def title(axes: Axes, group: Group, what: str = "") -> None:
    """Write above the axes what they show."""
    words = ": ".join(text(part, 60) for part in (group.dataset, group.label, what) if part)
    whole = axes.get_figure(root=True)
    assert whole is not None  # noqa: S101 (for the type checker: figure() has put the axes into a figure)
    lines = textwrap.wrap(words, int(14 * whole.get_figwidth()))
    whole.suptitle("\n".join(lines), x=0.01, horizontalalignment="left", fontsize=10)


def place_labels(whole: Figure, axes: Axes, labels: Sequence[tuple[str, float, float]]) -> None:
    """Write names beside their points, given as (name, x, y). A line joins a name to a point that is far off."""
    whole.draw_without_rendering()  # from here on the axes have their position
    whole.set_layout_engine("none")
    points: list[tuple[float, float]] = [tuple(axes.transData.transform((x, y))) for _, x, y in labels]
    inside, scale = axes.get_window_extent(), 72 / whole.dpi
    sizes = [_size(axes, name) for name, *_ in labels]
    places = label_places(points, sizes, (inside.x0, inside.y0, inside.x1, inside.y1))
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
    for number, place in places.items():
        x, y = points[number]
        axes.annotate(
            labels[number][0],
            labels[number][1:],
            xytext=((place.x - x) * scale, (place.y - y) * scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            annotation_clip=False,
            arrowprops=line if place.far else None,
        )


def _size(axes: Axes, name: str) -> tuple[float, float]:
    """Return width and height of a name in pixels."""
    drawn = axes.text(0, 0, name, fontsize=8)
    box = drawn.get_window_extent()
    drawn.remove()
    return box.width, box.height


def text(name: str, width: int = 32) -> str:
    """Return a name for a plot: on one line, shortened to the width, with control characters as escapes."""
    return shortened(printable(name.replace("\n", " ")), width)


def saved(whole: Figure, kind: str) -> bytes:
    """Return a figure as PNG, SVG or PDF. The same figure always gives the same bytes."""
    buffer = io.BytesIO()
    whole.savefig(buffer, format=kind, metadata=_NO_DATES[kind])
    return buffer.getvalue()
