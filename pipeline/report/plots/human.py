"""Plots of metrics against people, and of the spread over draws of references."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...scoring.scored_columns import scores_of_draws
from ..tables.labels import groups
from ..tables.plotted import scatters
from .canvas import BLUE, COLOURS, MARKERS, ORANGE, figure, place_labels, rows_figure, text, title

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
GRID = 120
"""Points at which a density is drawn."""


def draws(material: Material) -> Iterator[Named]:
    """How the score spreads over random draws of references: density, median, quartiles, 95 % of the draws."""
    by_metric = {(group.dataset, group.metric): group for group in groups(material.results)}
    for measured in material.measured:
        if not any(score.samples and score.samples.iterations > 1 for score in measured.scores):
            continue
        drawn = scores_of_draws(measured)
        if not drawn:
            continue
        group = by_metric[measured.scores[0].dataset, measured.scores[0].metric]
        names = [score.system for score in group.scores if score.system in drawn]
        made, axes = rows_figure(names)
        for row, name in enumerate(names):
            _spread(axes, row, 100 * drawn[name])
        title(axes, group, f"{len(drawn[names[0]]):,} draws of references")
        axes.set_xlabel(f"{text(group.output)} (percent); line: 95% of draws, bar: half of them, dot: median")
        yield group, "", made


def _spread(axes: Axes, row: int, values: Floats) -> None:
    low, first, middle, third, high = np.percentile(values, (2.5, 25, 50, 75, 97.5)).tolist()
    places, heights = density(values)
    axes.fill_between(places, row - HALF * heights, row + HALF * heights, color="#BFD9EA", linewidth=0)
    axes.hlines(row, low, high, color=BLUE, linewidth=1)
    axes.hlines(row, first, third, color=BLUE, linewidth=4)
    axes.plot(middle, row, "o", color="white", markeredgecolor=BLUE, markersize=4)


def density(values: Floats) -> tuple[Floats, Floats]:
    """Return places and the density there, the highest 1 (Gaussian kernel, Scott's width); none for equal values."""
    width = float(values.std(ddof=1)) * len(values) ** -0.2 if len(values) > 1 else 0.0
    if not width > 1e-12:
        return np.zeros(0), np.zeros(0)
    places = np.linspace(values.min() - 2 * width, values.max() + 2 * width, GRID)
    heights = np.exp(-0.5 * ((places[:, None] - values) / width) ** 2).sum(axis=1)
    return places, heights / heights.max()


def scatter(material: Material) -> Iterator[Named]:
    """Each metric against each human score, a point a system."""
    for plot in scatters(material.results):
        yield plot.group, plot.human, _scatter(plot)


def _scatter(plot: Scatter) -> Figure:
    size = 4.6 if len(plot.points) <= 20 else 7.5
    made, axes = figure(width=size + 0.9, height=size)
    points = [(text(point.system, 20), 100 * point.score, point.human) for point in plot.points]
    axes.plot([x for _, x, _ in points], [y for *_, y in points], "o", color=BLUE, markersize=5)
    axes.margins(0.12)
    title(axes, plot.group, plot.coefficients)
    axes.set_xlabel(f"{text(plot.group.output)} (percent)")
    axes.set_ylabel(text(plot.human_name))
    place_labels(made, axes, points)
    return made


def windows(material: Material) -> Iterator[Named]:
    """Correlation among neighbours in the human ranking, for each metric."""
    human = material.results.human or {}
    known = groups(material.results)
    for name in dict.fromkeys(item["human"] for item in human.get("windows", ())):
        items = [item for item in human["windows"] if item["human"] == name]
        of = [
            group for group in known if any((i["dataset"], i["metric"]) == (group.dataset, group.metric) for i in items)
        ]
        if of:
            yield of[0]._replace(label="", metric=""), name, _windows(of, items, name)


def _windows(known: Sequence[Group], items: Sequence[dict[str, Any]], human: str) -> Figure:
    made, axes = figure(height=3.6 + 0.16 * len(known))
    places = list(dict.fromkeys((item["first"], item["last"]) for item in items))
    for number, group in enumerate(known):
        own = {(i["first"], i["last"]): i["pearson"] for i in items if i["metric"] == group.metric}
        values = [math.nan if own.get(place) is None else own[place] for place in places]
        style: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        line = ("-", "--", ":", "-.")[number % 4]
        axes.plot(values, linestyle=line, linewidth=1.2, markersize=5, label=text(group.label, 40), **style)
    axes.axhline(0, color=ORANGE, linestyle="--", linewidth=0.8, zorder=0)
    axes.set_ylim(-1.05, 1.05)
    step = -(-len(places) // MOST_TICKS)
    axes.set_xticks(range(0, len(places), step), [f"{first}-{last}" for first, last in places[::step]])
    axes.set_xlabel(f"places in the ranking by {text(human.replace('_', ' '))}")
    axes.set_ylabel("pearson")
    title(axes, known[0]._replace(label=""), f"correlation among {places[0][1] - places[0][0] + 1} neighbours")
    made.legend(loc="outside lower center", ncols=2)
    return made
