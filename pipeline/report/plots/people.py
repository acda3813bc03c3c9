"""Plots of people: how they rank the systems, and how far each metric agrees with them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..tables import shown_level
from ..tables.people import coefficient
from ..tables.plot_look import LOOK
from ..tables.plotted import forests, judged_systems, triangles
from ..tables.ranked import Group, groups
from .canvas import BLUE, GREY, ORANGE, rows_figure, title
from .scores import matrix_figure, rank_figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..material import Material
    from ..tables.plotted import Correlated

    Named = tuple[Group, str, Figure]


def people(material: Material) -> Iterator[Named]:
    """Draw the ranges of ranks of the systems that people judged, with clusters as bands."""
    from ...human.human_judgements import human_ranking  # here, because few runs have judgements

    human = material.results.human
    opened = material.people() if human else None
    ranking = human_ranking(opened, human["settings"]) if opened and human else None
    if human and ranking and human["correlations"]:
        plot, axes = rank_figure(judged_systems(ranking))
        group = _group(material, human["correlations"][0]["dataset"])
        title(axes, group, f"rank by people (circle) and its {shown_level(human['settings']['level'])} range")
        yield group, "", plot


def _group(material: Material, dataset: str) -> Group:
    """Return what stands for all metrics of a data set."""
    own = next(group for group in groups(material.results) if group.dataset == dataset)
    return own._replace(label="", metric="")


def correlations(material: Material) -> Iterator[Named]:
    """Draw each coefficient of each human score: a row for each metric, with its interval."""
    for forest in forests(material.results):
        group = _group(material, forest.dataset)
        for column, name in enumerate(forest.names):
            plot, axes = rows_figure([metric for metric, _ in forest.metrics])
            for row, (_, values) in enumerate(forest.metrics):
                _row(axes, row, values[column])
            axes.axvline(0.5 if name == "accuracy" else 0, color=ORANGE, linestyle="--", linewidth=0.8, zorder=0)
            axes.set_xlim(-0.03 if name == "accuracy" else -1.05, 1.05)
            axes.set_xlabel(f"{name} and its {forest.level} interval")
            title(axes, group, f"{name} with {forest.human_name}")
            yield group, f"{forest.human} {name}", plot


def _row(axes: Axes, row: int, found: Correlated) -> None:
    """Draw a coefficient with its interval, and write it to the right of the axes."""
    if math.isnan(found.value):
        return
    axes.plot([found.low, found.high], [row, row], color=BLUE, linewidth=1.4, marker="|", markersize=6)
    axes.plot(found.value, row, "o", color=BLUE, markersize=5)
    where, size = axes.get_yaxis_transform(), LOOK.get().points(8)
    shown = coefficient(found.value).replace("-", "\u2212")
    axes.text(1.01, row, shown, transform=where, va="center", fontsize=size, color=GREY)


def williams(material: Material) -> Iterator[Named]:
    """Draw the p-values of Williams' tests, small where the metric of the row is closer to people than the column's."""
    for shown in triangles(material.results):
        group = _group(material, shown.dataset)
        what = f"p of Williams' test, {shown.human_name}"
        yield group, shown.human, matrix_figure(group, shown.metrics, shown.tests, what)
