"""Plots of the scores of systems: intervals, precisions of each order, ranks, and comparisons."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..tables.comparisons import baseline_of, is_significant, level_name, p_cell, tests_of
from ..tables.plot_look import LOOK
from ..tables.plotted import all_pairs, precisions, ranked_systems
from ..tables.ranked import groups
from .canvas import (
    BLUE,
    COLOURS,
    GREY,
    MARKERS,
    ORANGE,
    PALE,
    cell_width,
    figure,
    legend,
    matrix_names,
    rows_figure,
    text,
    title,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...scoring.results import Results, Score
    from ..material import Material
    from ..tables.plotted import RankedSystem
    from ..tables.ranked import Group

    Named = tuple[Group, str, Figure]

LEVELS = (0.001, 0.01, 0.05)
"""Bounds of p-values that share a shade."""
SHADES = ("#1B1B1B", "#5A5A5A", "#A6A6A6", "#F2F2F2")
"""The grey of p-values below each of LEVELS, and that of all others."""
WRITTEN = 16
"""A matrix of at most so many systems has numbers in its cells."""
LONGEST_P = 18
"""Width of the longest p-value in a cell, in points."""


def scores(material: Material) -> Iterator[Named]:
    """Draw scores with their intervals, the best on top. A filled point differs significantly from the baseline."""
    results = material.results
    for group in groups(results):
        plot, axes = rows_figure([score.system for score in group.scores], more=0.3)
        for row, score in enumerate(group.scores):
            _intervals(axes, row, score)
        _points(axes, results, group)
        title(axes, group)
        axes.set_xlabel(f"{text(group.output)} (percent)")
        _legend(plot, results, group)
        yield group, "", plot


def _intervals(axes: Axes, row: int, score: Score) -> None:
    if score.samples and not math.isnan(score.samples.interval[0]):
        low, high = (100 * bound for bound in score.samples.shown)
        axes.hlines(row, low, high, color=PALE, linewidth=7)
    if score.bootstrap:
        low, high = (100 * bound for bound in score.bootstrap.interval)
        axes.plot([low, high], [row, row], color=BLUE, linewidth=1.4, marker="|", markersize=6)


def _points(axes: Axes, results: Results, group: Group) -> None:
    """Draw the scores, as hollow points where the difference from the baseline is not significant."""
    baseline = baseline_of(results)
    tests = {test.system: test for test in tests_of(results, group.scores[0])} if baseline is not None else {}
    for row, score in enumerate(group.scores):
        test = tests.get(score.system)
        hollow = test is not None and not is_significant(test, results)
        axes.plot(100 * score.score, row, "o", color=BLUE, markerfacecolor="white" if hollow else BLUE, markersize=5)
        if score.system == baseline:
            axes.axvline(100 * score.score, color=ORANGE, linestyle="--", linewidth=1, zorder=0)


def _legend(whole: Figure, results: Results, group: Group) -> None:
    """Say below the axes what lines and circles mean."""
    from matplotlib.lines import Line2D

    entries = []
    if any(score.bootstrap for score in group.scores):
        name = f"{level_name(results)} interval (sentences)"
        entries.append(Line2D([], [], color=BLUE, marker="|", linewidth=1.4, label=name))
    if any(score.samples and not math.isnan(score.samples.interval[0]) for score in group.scores):
        entries.append(Line2D([], [], color=PALE, linewidth=7, label="95% of draws of references"))
    baseline = baseline_of(results)
    if baseline is not None and tests_of(results, group.scores[0]):
        entries.append(Line2D([], [], color=ORANGE, linestyle="--", linewidth=1, label=f"baseline {text(baseline)}"))
        hollow = {"marker": "o", "linestyle": "", "markerfacecolor": "white"}
        entries.append(Line2D([], [], color=BLUE, label="no significant difference from it", **hollow))  # type: ignore[arg-type]
    if entries:
        legend(whole, entries, 2)


def precision(material: Material) -> Iterator[Named]:
    """Draw the precision of each order, with the systems in the order of their scores."""
    for group in groups(material.results):
        orders, systems = precisions(material.results, group.scores)
        if not orders:
            continue
        plot, axes = rows_figure([row.system for row in systems], more=0.3)
        for number, order in enumerate(orders):
            values = [100 * row.values[number] for row in systems]
            style: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "color": COLOURS[number % len(COLOURS)]}
            axes.plot(values, range(len(values)), linewidth=0.6, markersize=5, label=f"n = {order}", **style)
        title(axes, group)
        axes.set_xlabel("precision (percent)")
        legend(plot, axes.get_legend_handles_labels()[0], min(len(orders), 9))
        yield group, "", plot


def ranks(material: Material) -> Iterator[Named]:
    """Draw ranges of ranks, with clusters as bands; ranges of different clusters do not overlap."""
    for group in groups(material.results):
        systems = ranked_systems(group.scores)
        if len(systems) < len(group.scores):  # a figure has all systems of a table
            continue
        plot, axes = rank_figure(systems)
        title(axes, group, f"rank (circle) and its {level_name(material.results)} range")
        yield group, "", plot


def rank_figure(systems: Sequence[RankedSystem]) -> tuple[Figure, Axes]:
    """Return a figure of ranges of ranks, with clusters as bands; it has no title yet."""
    from matplotlib.ticker import MaxNLocator

    plot, axes = rows_figure([system.system for system in systems])
    for row, system in enumerate(systems):
        _rank(axes, row, system)
    _clusters(axes, [system.cluster for system in systems])
    axes.set_xlabel("rank")
    axes.set_xlim(0.5, len(systems) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return plot, axes


def _rank(axes: Axes, row: int, system: RankedSystem) -> None:
    if system.cluster % 2 == 0:
        axes.axhspan(row - 0.5, row + 0.5, color="#EEEEEE", linewidth=0, zorder=0)
    if system.parted:
        axes.axhline(row - 0.5, color=GREY, linewidth=1)
    axes.plot([system.best, system.worst], [row, row], color=BLUE, linewidth=1.6, marker="|", markersize=7)
    axes.plot(system.rank, row, "o", color=ORANGE, markersize=5)


def _clusters(axes: Axes, clusters: list[int]) -> None:
    """Write the names of clusters beside the middles of their rows."""
    for cluster in sorted(set(clusters)):
        middle = clusters.index(cluster) + (clusters.count(cluster) - 1) / 2
        name = f"cluster {cluster}" if len(clusters) < 30 or clusters.count(cluster) > 1 else str(cluster)
        _beside(axes, middle, name)


def _beside(axes: Axes, row: float, words: str) -> None:
    """Write to the right of the axes, at the height of a row."""
    axes.text(
        1.01, row, words, transform=axes.get_yaxis_transform(), va="center", fontsize=LOOK.get().points(8), color=GREY
    )


def differences(material: Material) -> Iterator[Named]:
    """Draw differences from the baseline with their intervals. A filled point is a significant difference."""
    results = material.results
    baseline = baseline_of(results)
    for group in groups(results) if baseline is not None else ():
        tests = {test.system: test for test in tests_of(results, group.scores[0])}
        shown = [tests[score.system] for score in group.scores if score.system in tests]
        if not shown:
            continue
        plot, axes = rows_figure([test.system for test in shown])
        axes.axvline(0, color=ORANGE, linestyle="--", linewidth=1)
        for row, test in enumerate(shown):
            axes.plot([100 * bound for bound in test.interval], [row, row], color=BLUE, marker="|", linewidth=1.4)
            fill = BLUE if is_significant(test, results) else "white"
            axes.plot(100 * test.difference, row, "o", color=BLUE, markerfacecolor=fill, markersize=5)
            _beside(axes, row, f"p {p_cell(test, results)}")
        title(axes, group, f"difference from {text(str(baseline), 30)} (filled: significant)")
        axes.set_xlabel(f"{text(group.output)} (percent), {level_name(results)} interval")
        yield group, "", plot


def p_values(material: Material) -> Iterator[Named]:
    """Draw the adjusted p-values of all pairs, the smaller the darker, with systems in the order of their scores."""
    for group in groups(material.results):
        compared = all_pairs(material.results, group.scores)
        if compared:
            ps = {names: pair.p for names, pair in compared.pairs.items()}
            yield group, "", matrix_figure(group, compared.systems, ps, "p, adjusted")


def matrix_figure(group: Group, names: Sequence[str], ps: Mapping[tuple[str, str], float], what: str) -> Figure:
    """Return a figure of p-values by the names of row and column, the smaller the darker; `what` is its title."""
    from matplotlib.patches import Patch

    written = len(names) <= WRITTEN and cell_width(len(names)) > LONGEST_P
    side = max(3.4, min(0.42 * len(names), 9.5))
    plot, axes = figure(width=side + 1.6, height=side + 1.2, square=True)
    for row, system in enumerate(names):
        for column, other in enumerate(names):
            p = ps.get((system, other), math.nan)
            if not math.isnan(p):
                _cell(axes, row, column, p, written=written)
    matrix_names(axes, names, size=9 if len(names) <= 30 else 6)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    title(axes, group, what)
    meanings = [*(f"p < {level:g}" for level in LEVELS), f"p ≥ {LEVELS[-1]:g}"]
    patches = [Patch(facecolor=shade, edgecolor=GREY, label=of) for shade, of in zip(SHADES, meanings, strict=True)]
    legend(plot, patches, 4)
    return plot


def _cell(axes: Axes, row: int, column: int, p: float, *, written: bool) -> None:
    """Draw a cell of a matrix; `written` says that its p-value stands in it."""
    from matplotlib.patches import Rectangle

    shade = SHADES[sum(p >= level for level in LEVELS)]
    axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=shade, edgecolor="white"))
    if written:
        number = "<.001" if p < LEVELS[0] else f"{p:.{3 if p < 0.1 else 2}f}".lstrip("0") if p < 0.995 else "1"
        ink = "white" if p < LEVELS[1] else "black"
        axes.text(column, row, number, ha="center", va="center", fontsize=7, color=ink)
