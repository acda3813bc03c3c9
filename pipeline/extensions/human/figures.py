"""The figures of human judgements, and of how metrics agree with them. Needs the extra `plot`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pipeline.extensions.plots.canvas import (
    add_labels,
    add_title,
    draw_curves,
    draw_points,
    draw_rows,
    in_style,
    short_text,
)
from pipeline.extensions.plots.plot_data import rows_of_ranks
from pipeline.report import PlotFigure, ReportContext
from pipeline.report.tables import groups, shown_level

from .plot_data import (
    AgreementPlot,
    coefficient_plots,
    of_all_metrics,
    point_plots,
    ranked_systems,
    window_plots,
)
from .stages import human_ranking_of


@in_style
def human_ranks(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw the rank ranges of the systems that people judged, with clusters as bands: one figure for
    the data set that was judged; none without judgements.
    """
    human = context.results.human
    ranking = human_ranking_of(context)
    if not human or not ranking:
        return
    dataset = human["correlations"][0]["dataset"]
    groups_of_dataset = [
        group for group in groups(context.results) if group.dataset == dataset
    ]
    group = of_all_metrics(groups_of_dataset[0])
    subject = f"rank by people (circle) and its {shown_level(human['settings']['level'])} range"
    rows = rows_of_ranks(ranked_systems(ranking))
    yield PlotFigure(group, "", add_title(*draw_rows(rows), group, subject))


def _figures(
    plots: Iterable[AgreementPlot],
    draw: Callable[[Any], tuple[Any, Any]],
) -> Iterator[PlotFigure]:
    for group, name, subject, content in plots:
        figure, axes = draw(content)
        yield PlotFigure(group, name, add_title(figure, axes, group, subject))


@in_style
def correlations(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw each coefficient of each human score: a row for each metric, with its interval."""
    return _figures(coefficient_plots(context.results), draw_rows)


@in_style
def windows(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw the correlations of all metrics among neighbours in the human ranking, for each human
    score.
    """
    return _figures(window_plots(context.results), draw_curves)


@in_style
def points(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw each metric against each human score, with a point for each system and its name."""
    for group, name, subject, content in point_plots(context.results):
        figure, axes = draw_points(content)
        add_title(figure, axes, group, subject)
        labels = []
        for point in content.points:
            labels.append((short_text(point.name, 20), point.x, point.y))
        add_labels(figure, axes, labels)
        yield PlotFigure(group, name, figure)
