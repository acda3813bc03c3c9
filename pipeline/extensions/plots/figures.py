"""The plots of PLOTS: what `tables/plot_data.py` describes, drawn by `canvas.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.extensions.human.stages import human_ranking_of
from pipeline.report.context import ReportContext
from pipeline.report.tables import shown_level
from pipeline.report.tables.comparisons import baseline_of, level_name
from pipeline.report.tables.ranked import Group, groups

from . import plot_data
from .canvas import draw_curves, draw_points, draw_rows, place_labels, text, titled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    Named = tuple[Group, str, Figure]


def scores(context: ReportContext) -> Iterator[Named]:
    """Draw scores with their intervals, the best on top. A filled point differs significantly from
    the baseline.
    """
    for group in groups(context.results):
        yield (
            group,
            "",
            titled(
                draw_rows(plot_data.score_rows(context.results, group), legend_below=True), group
            ),
        )


def curves(context: ReportContext) -> Iterator[Named]:
    """Draw scores over steps, a line for each series of systems; several runs share a figure."""
    for group, shown in plot_data.step_curves([(context.name, context.results), *context.beside]):
        yield group, shown.x_axis, titled(draw_curves(shown), group, shown.label, *shown.caption)


def ranks(context: ReportContext) -> Iterator[Named]:
    """Draw rank ranges, with clusters as bands; ranges of different clusters do not overlap."""
    what = f"rank (circle) and its {level_name(context.results)} range"
    for group in groups(context.results):
        shown = plot_data.rank_rows(group.scores)
        if shown and len(shown.names) == len(group.scores):  # a figure has all systems of a table
            yield group, "", titled(draw_rows(shown), group, what)


def differences(context: ReportContext) -> Iterator[Named]:
    """Draw differences from the baseline with their intervals. A filled point is a significant
    difference.
    """
    what = f"difference from {text(str(baseline_of(context.results)), 30)} (filled: significant)"
    for group in groups(context.results):
        if shown := plot_data.difference_rows(context.results, group):
            yield group, "", titled(draw_rows(shown), group, what)


def human_data(context: ReportContext) -> Iterator[Named]:
    """Draw the rank ranges of the systems that people judged, with clusters as bands."""
    human, ranking = context.results.human, human_ranking_of(context)
    if human and ranking:
        dataset = human["correlations"][0]["dataset"]
        own = next(group for group in groups(context.results) if group.dataset == dataset)
        group = own._replace(label="", metric="", called="")
        what = f"rank by people (circle) and its {shown_level(human['settings']['level'])} range"
        yield group, "", titled(draw_rows(plot_data.judged_rows(ranking)), group, what)


def correlations(context: ReportContext) -> Iterator[Named]:
    """Draw each coefficient of each human score: a row for each metric, with its interval."""
    for group, name, what, shown in plot_data.forests(context.results):
        yield group, name, titled(draw_rows(shown), group, what)


def human(context: ReportContext) -> Iterator[Named]:
    """Draw each metric against each human score, with a point for each system."""
    for group, name, what, shown in plot_data.scatters(context.results):
        plot, axes = draw_points(shown)
        titled((plot, axes), group, what)
        place_labels(
            plot, axes, [(text(point.name, 20), point.x, point.y) for point in shown.points]
        )
        yield group, name, plot


def windows(context: ReportContext) -> Iterator[Named]:
    """Draw the correlations of all metrics among neighbours in the human ranking, for each human
    score.
    """
    for group, name, shown in plot_data.window_curves(context.results):
        yield group, name, titled(draw_curves(shown), group, shown.label)
