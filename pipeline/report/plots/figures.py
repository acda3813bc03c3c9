"""The plots of PLOTS: what `tables/plot_data.py` describes, drawn by `canvas.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..material import Material
from ..tables import plot_data, shown_level
from ..tables.comparisons import baseline_of, level_name
from ..tables.ranked import Group, groups
from .canvas import draw_curves, draw_points, draw_rows, place_labels, text, titled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Named = tuple[Group, str, Figure]


def scores(material: Material) -> Iterator[Named]:
    """Draw scores with their intervals, the best on top. A filled point differs significantly from
    the baseline.
    """
    for group in groups(material.results):
        yield (
            group,
            "",
            titled(
                draw_rows(plot_data.score_rows(material.results, group), legend_below=True), group
            ),
        )


def curves(material: Material) -> Iterator[Named]:
    """Draw scores over steps, a line for each series of systems; several runs share a figure."""
    for group, shown in plot_data.step_curves(
        [(material.name, material.results), *material.beside]
    ):
        yield group, shown.x_axis, titled(draw_curves(shown), group, shown.label, *shown.caption)


def ranks(material: Material) -> Iterator[Named]:
    """Draw rank ranges, with clusters as bands; ranges of different clusters do not overlap."""
    what = f"rank (circle) and its {level_name(material.results)} range"
    for group in groups(material.results):
        shown = plot_data.rank_rows(group.scores)
        if shown and len(shown.names) == len(group.scores):  # a figure has all systems of a table
            yield group, "", titled(draw_rows(shown), group, what)


def differences(material: Material) -> Iterator[Named]:
    """Draw differences from the baseline with their intervals. A filled point is a significant
    difference.
    """
    what = f"difference from {text(str(baseline_of(material.results)), 30)} (filled: significant)"
    for group in groups(material.results):
        if shown := plot_data.difference_rows(material.results, group):
            yield group, "", titled(draw_rows(shown), group, what)


def people(material: Material) -> Iterator[Named]:
    """Draw the rank ranges of the systems that people judged, with clusters as bands."""
    human, ranking = material.results.human, material.judged()
    if human and ranking:
        dataset = human["correlations"][0]["dataset"]
        own = next(group for group in groups(material.results) if group.dataset == dataset)
        group = own._replace(label="", metric="", called="")
        what = f"rank by people (circle) and its {shown_level(human['settings']['level'])} range"
        yield group, "", titled(draw_rows(plot_data.judged_rows(ranking)), group, what)


def correlations(material: Material) -> Iterator[Named]:
    """Draw each coefficient of each human score: a row for each metric, with its interval."""
    for group, name, what, shown in plot_data.forests(material.results):
        yield group, name, titled(draw_rows(shown), group, what)


def human(material: Material) -> Iterator[Named]:
    """Draw each metric against each human score, with a point for each system."""
    for group, name, what, shown in plot_data.scatters(material.results):
        plot, axes = draw_points(shown)
        titled((plot, axes), group, what)
        place_labels(
            plot, axes, [(text(point.name, 20), point.x, point.y) for point in shown.points]
        )
        yield group, name, plot


def windows(material: Material) -> Iterator[Named]:
    """Draw the correlations of all metrics among neighbours in the human ranking, for each human
    score.
    """
    for group, name, shown in plot_data.window_curves(material.results):
        yield group, name, titled(draw_curves(shown), group, shown.label)
