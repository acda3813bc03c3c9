"""Plots of metrics against people, and of the spread over draws of references."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...scoring.board import scores_of_draws
from ..tables.labels import groups
from ..tables.plotted import scatters
from .canvas import BLUE, COLOURS, MARKERS, ORANGE, figure, legend, place_labels, rows_figure, text, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...arrays import Floats
    from ..material import Material
    from ..tables.labels import Group
    from ..tables.plotted import Scatter

    Named = tuple[Group, str, Figure]

HALF = 0.42
"""Half the height of a system's shape, in rows."""
MOST_TICKS = 12
"""How many windows at most have a tick."""
GRID = 120
"""Points at which a density is drawn."""


def draws(material: Material) -> Iterator[Named]:
    """Draw how the score spreads over random draws of references: density, median, quartiles, 95 % of the draws."""
    by_metric = {(group.dataset, group.metric): group for group in groups(material.results)}
    for measured in material.measured:
        if not any(score.samples and score.samples.iterations > 1 for score in measured.scores):
            continue
        drawn = scores_of_draws(measured)
        if not drawn:
            continue
        group = by_metric[measured.scores[0].dataset, measured.scores[0].metric]
        names = [score.system for score in group.scores if score.system in drawn]
        plot, axes = rows_figure(names)
        for row, name in enumerate(names):
            _spread(axes, row, 100 * drawn[name])
        title(axes, group, f"{len(drawn[names[0]]):,} draws of references")
        axes.set_xlabel(f"{text(group.output)} (percent); line: 95% of draws, bar: half of them, dot: median")
        yield group, "", plot


def _spread(axes: Axes, row: int, values: Floats) -> None:
    low, first, middle, third, high = np.percentile(values, (2.5, 25, 50, 75, 97.5)).tolist()
    points, heights = density(values)
    axes.fill_between(points, row - HALF * heights, row + HALF * heights, color="#BFD9EA", linewidth=0)
    axes.hlines(row, low, high, color=BLUE, linewidth=1)
    axes.hlines(row, first, third, color=BLUE, linewidth=4)
    axes.plot(middle, row, "o", color="white", markeredgecolor=BLUE, markersize=4)


def density(values: Floats) -> tuple[Floats, Floats]:
    """Return GRID points and the density of the values there, scaled so that the highest is 1: float64 [points].

    The kernel is Gaussian, and its width is by Scott's rule. For equal values there are no points.
    """
    width = float(values.std(ddof=1)) * len(values) ** -0.2 if len(values) > 1 else 0.0
    if not width > 1e-12:
        return np.zeros(0), np.zeros(0)
    points = np.linspace(values.min() - 2 * width, values.max() + 2 * width, GRID)
    heights = np.exp(-0.5 * ((points[:, None] - values) / width) ** 2).sum(axis=1)
    return points, heights / heights.max()


def scatter(material: Material) -> Iterator[Named]:
    """Draw each metric against each human score, with a point for each system."""
    for shown in scatters(material.results):
        yield shown.group, shown.human, _scatter(shown)


def _scatter(shown: Scatter) -> Figure:
    size = 4.6 if len(shown.points) <= 20 else 7.5
    plot, axes = figure(width=size + 0.9, height=size, square=True)
    points = [(text(point.system, 20), 100 * point.score, point.human) for point in shown.points]
    axes.plot([x for _, x, _ in points], [y for *_, y in points], "o", color=BLUE, markersize=5)
    axes.margins(0.12)
    title(axes, shown.group, shown.coefficients)
    axes.set_xlabel(f"{text(shown.group.output)} (percent)")
    axes.set_ylabel(text(shown.human_name))
    place_labels(plot, axes, points)
    return plot


def windows(material: Material) -> Iterator[Named]:
    """Draw the correlations of all metrics among neighbours in the human ranking, for each human score."""
    human = material.results.human or {}
    for name in dict.fromkeys(item["human"] for item in human.get("windows", ())):
        items = [item for item in human["windows"] if item["human"] == name]
        keys = {(item["dataset"], item["metric"]) for item in items}
        own = [group for group in groups(material.results) if (group.dataset, group.metric) in keys]
        if own:
            yield own[0]._replace(label="", metric=""), name, _windows(own, items, name)


def _windows(metrics: Sequence[Group], items: Sequence[dict[str, Any]], human: str) -> Figure:
    plot, axes = figure(height=3.6 + 0.16 * len(metrics))
    ranges = list(dict.fromkeys((item["first"], item["last"]) for item in items))
    for number, group in enumerate(metrics):
        own = {(i["first"], i["last"]): i["pearson"] for i in items if i["metric"] == group.metric}
        values = [math.nan if own.get(ranks) is None else own[ranks] for ranks in ranges]
        style: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        line = ("-", "--", ":", "-.")[number % 4]
        axes.plot(values, linestyle=line, linewidth=1.2, markersize=5, label=text(group.label, 40), **style)
    axes.axhline(0, color=ORANGE, linestyle="--", linewidth=0.8, zorder=0)
    axes.set_ylim(-1.05, 1.05)
    step = -(-len(ranges) // MOST_TICKS)
    axes.set_xticks(range(0, len(ranges), step), [f"{first}-{last}" for first, last in ranges[::step]])
    axes.set_xlabel(f"places in the ranking by {text(human.replace('_', ' '))}")
    axes.set_ylabel("pearson")
    title(axes, metrics[0]._replace(label=""), f"correlation among {ranges[0][1] - ranges[0][0] + 1} neighbours")
    legend(plot, axes.get_legend_handles_labels()[0], 2)
    return plot
