"""The plots of PLOTS: what `tables/plot_data.py` describes, drawn by `canvas.py`; two have drawings of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...scoring.board import scores_of_draws
from ..by_type import NONE, TIERS, types_of
from ..tables import shown_level
from ..tables.comparisons import baseline_of, level_name
from ..tables.people import coefficient
from ..tables.plot_data import (
    Cell,
    Matrix,
    difference_rows,
    forests,
    judged_rows,
    pair_matrix,
    precision_rows,
    rank_rows,
    scatters,
    score_rows,
    triangles,
)
from ..tables.ranked import groups
from .canvas import (
    BLUE,
    COLOURS,
    MARKERS,
    ORANGE,
    draw_matrix,
    draw_points,
    draw_rows,
    figure,
    legend,
    place_labels,
    rows_figure,
    text,
    titled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from ..material import Material
    from ..tables.ranked import Group

    Named = tuple[Group, str, Figure]

MOST_TICKS = 12
"""How many windows at most have a tick."""


def scores(material: Material) -> Iterator[Named]:
    """Draw scores with their intervals, the best on top. A filled point differs significantly from the baseline."""
    for group in groups(material.results):
        yield group, "", titled(draw_rows(score_rows(material.results, group), legend_below=True), group)


def precision(material: Material) -> Iterator[Named]:
    """Draw the precision of each order, with the systems in the order of their scores."""
    for group in groups(material.results):
        if shown := precision_rows(material.results, group.scores):
            yield group, "", titled(draw_rows(shown, legend_below=True), group)


def ranks(material: Material) -> Iterator[Named]:
    """Draw rank ranges, with clusters as bands; ranges of different clusters do not overlap."""
    what = f"rank (circle) and its {level_name(material.results)} range"
    for group in groups(material.results):
        shown = rank_rows(group.scores)
        if shown and len(shown.names) == len(group.scores):  # a figure has all systems of a table
            yield group, "", titled(draw_rows(shown), group, what)


def differences(material: Material) -> Iterator[Named]:
    """Draw differences from the baseline with their intervals. A filled point is a significant difference."""
    what = f"difference from {text(str(baseline_of(material.results)), 30)} (filled: significant)"
    for group in groups(material.results):
        if shown := difference_rows(material.results, group):
            yield group, "", titled(draw_rows(shown), group, what)


def p_values(material: Material) -> Iterator[Named]:
    """Draw the adjusted p-values of all pairs, the smaller the darker, with systems in the order of their scores."""
    for group in groups(material.results):
        if shown := pair_matrix(material.results, group.scores, material.digits):
            yield group, "", titled(draw_matrix(shown), group, "p, adjusted")


def types(material: Material) -> Iterator[Named]:
    """Draw the score of each system in each type, the higher the darker."""
    for shown in types_of(material.results, material.tier):
        cells = {}
        for row, name in enumerate(shown.names):
            for column, system in enumerate(shown.systems):
                number = shown.shown(system, name, shown.fractions[0], material.digits)
                item = shown.cells.get((system, name))
                value = item.score if item and number != NONE else 0.0
                cells[row, column] = Cell("share", value, f"{system}, {name}", number)
        drawing = draw_matrix(Matrix("scores by type", shown.names, shown.systems, cells))
        what = f"{text(shown.fractions[0])} (percent) by type: {TIERS[shown.tier]}"
        yield shown.group, f"tier {shown.tier}" if shown.tier != 2 else "", titled(drawing, shown.group, what)


def people(material: Material) -> Iterator[Named]:
    """Draw the rank ranges of the systems that people judged, with clusters as bands."""
    from ...human.human_judgements import human_ranking  # here, because few runs have judgements

    human = material.results.human
    opened = material.people() if human else None
    ranking = human_ranking(opened, human["settings"]) if opened and human else None
    if human and ranking and human["correlations"]:
        dataset = human["correlations"][0]["dataset"]
        own = next(group for group in groups(material.results) if group.dataset == dataset)
        group = own._replace(label="", metric="")
        what = f"rank by people (circle) and its {shown_level(human['settings']['level'])} range"
        yield group, "", titled(draw_rows(judged_rows(ranking)), group, what)


def correlations(material: Material) -> Iterator[Named]:
    """Draw each coefficient of each human score: a row for each metric, with its interval."""
    for forest in forests(material.results):
        for column in forest.shown.columns:
            values = {
                mark.row: coefficient(mark.low).replace("-", "\u2212") for mark in column.marks if mark.kind == "value"
            }
            notes = [values.get(row, "") for row in range(len(forest.shown.names))]
            drawing = draw_rows(forest.shown._replace(columns=[column], notes=notes))
            plot = titled(drawing, forest.group, f"{column.title} with {forest.human_name}")
            yield forest.group, f"{forest.human} {column.title}", plot


def williams(material: Material) -> Iterator[Named]:
    """Draw the p-values of Williams' tests, small where the metric of the row is closer to people than the column's."""
    for triangle in triangles(material.results):
        yield triangle.group, triangle.human, titled(draw_matrix(triangle.shown), triangle.group, triangle.what)


def human(material: Material) -> Iterator[Named]:
    """Draw each metric against each human score, with a point for each system."""
    for found in scatters(material.results):
        plot, axes = draw_points(found.shown)
        titled((plot, axes), found.group, found.what)
        place_labels(plot, axes, [(text(point.name, 20), point.x, point.y) for point in found.shown.points])
        yield found.group, found.human, plot


def draws(material: Material) -> Iterator[Named]:
    """Draw how the score spreads over random draws of references: median, quartiles, 95 % of the draws."""
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
            values = 100 * drawn[name]
            low, first, middle, third, high = np.percentile(values, (2.5, 25, 50, 75, 97.5)).tolist()
            axes.hlines(row, low, high, color=BLUE, linewidth=1)
            axes.hlines(row, first, third, color=BLUE, linewidth=4)
            axes.plot(middle, row, "o", color="white", markeredgecolor=BLUE, markersize=4)
        axes.set_xlabel(f"{text(group.output)} (percent); line: 95% of draws, bar: half of them, dot: median")
        yield group, "", titled((plot, axes), group, f"{len(drawn[names[0]]):,} draws of references")


def windows(material: Material) -> Iterator[Named]:
    """Draw the correlations of all metrics among neighbours in the human ranking, for each human score."""
    human = material.results.human or {}
    for name in dict.fromkeys(item["human"] for item in human.get("windows", ())):
        items = [item for item in human["windows"] if item["human"] == name]
        keys = {(item["dataset"], item["metric"]) for item in items}
        own = [group for group in groups(material.results) if (group.dataset, group.metric) in keys]
        if not own:
            continue
        plot, axes = figure(height=3.6 + 0.16 * len(own))
        ranges = list(dict.fromkeys((item["first"], item["last"]) for item in items))
        for number, group in enumerate(own):
            found = {(i["first"], i["last"]): i["pearson"] for i in items if i["metric"] == group.metric}
            values = [math.nan if found.get(ranks) is None else found[ranks] for ranks in ranges]
            style: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
            line = ("-", "--", ":", "-.")[number % 4]
            axes.plot(values, linestyle=line, linewidth=1.2, markersize=5, label=text(group.label, 40), **style)
        axes.axhline(0, color=ORANGE, linestyle="--", linewidth=0.8, zorder=0)
        axes.set_ylim(-1.05, 1.05)
        step = -(-len(ranges) // MOST_TICKS)
        axes.set_xticks(range(0, len(ranges), step), [f"{first}-{last}" for first, last in ranges[::step]])
        axes.set_xlabel(f"places in the ranking by {text(name.replace('_', ' '))}")
        axes.set_ylabel("pearson")
        whole = own[0]._replace(label="", metric="")
        legend(plot, axes.get_legend_handles_labels()[0], 2)
        what = f"correlation among {ranges[0][1] - ranges[0][0] + 1} neighbours"
        yield whole, name, titled((plot, axes), whole, what)
