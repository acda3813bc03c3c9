"""The plot of scores by type of edit: a map of systems by types, the higher the score the darker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..by_type import NONE, TIERS, types_of
from .canvas import COLOURS, cell_width, figure, matrix_names, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..by_type import Types
    from ..material import Material
    from ..tables.ranked import Group

ROW, COLUMN = 0.21, 0.62
"""Height and width of a cell in inches."""
LONGEST_SCORE = 23
"""Width of the longest score in a cell, in points. Where cells are narrower, shades alone tell the scores."""
DARK = 0.55
"""From this share of the scale on, numbers are white."""


def types(material: Material) -> Iterator[tuple[Group, str, Figure]]:
    """Draw the score of each system in each type, with the systems in the order of their scores."""
    for shown in types_of(material.results, material.tier):
        yield shown.group, f"tier {shown.tier}" if shown.tier != 2 else "", _map(shown, material.digits)


def _map(shown: Types, digits: int) -> Figure:
    systems = shown.systems
    whole, axes = figure(
        width=1.8 + max(COLUMN * len(systems), 2.4), height=1.5 + ROW * len(shown.names) + 0.05 * _longest(systems)
    )
    for row, name in enumerate(shown.names):
        for column, system in enumerate(systems):
            _cell(axes, shown, row, column, shown.shown(system, name, shown.fractions[0], digits))
    matrix_names(axes, systems, shown.names)
    axes.set_xlim(-0.5, len(systems) - 0.5)
    axes.set_ylim(len(shown.names) - 0.5, -0.5)
    if cell_width(len(systems)) <= LONGEST_SCORE:
        axes.set_xlabel("white: 0 percent, darkest: 100")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    title(axes, shown.group, f"{text(shown.fractions[0])} (percent) by type: {TIERS[shown.tier]}")
    return whole


def _longest(names: list[str]) -> int:
    return max(map(len, names))


def _cell(axes: Axes, shown: Types, row: int, column: int, number: str) -> None:
    """Draw the score of a system in a type. NONE means that the type does not occur with the system."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    item = shown.cells.get((shown.systems[column], shown.names[row]))
    share = item.score if item and number != NONE else 0.0
    colour = tuple(1 - share * (1 - part) for part in to_rgb(COLOURS[0]))
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
    ink = "white" if share > DARK else "black"
    if cell_width(len(shown.systems)) > LONGEST_SCORE:
        axes.text(column, row, number, ha="center", va="center", fontsize=7, color=ink)
