"""The plots of this extension, and the files of plots."""

import re
from collections.abc import Iterator

from pipeline.errors import InputError, known_names
from pipeline.files import file_name
from pipeline.report import PLOTS, PlotFigure, ReportContext
from pipeline.report.tables import groups, shown_level

from .canvas import (
    add_title,
    draw_curves,
    draw_rows,
    in_style,
    saved,
    short_text,
)
from .plot_data import difference_rows, rank_rows, score_rows, step_curves


@in_style
def scores(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw scores with their intervals, the best on top. A filled point differs significantly from
    the baseline.
    """
    for group in groups(context.results):
        rows = score_rows(group)
        figure, axes = draw_rows(rows, legend_below=True)
        yield PlotFigure(group, "", add_title(figure, axes, group))


@in_style
def curves(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw scores over steps, a line for each series of systems; several runs share a figure."""
    runs = [(context.name, context.results), *context.beside]
    for group, lines in step_curves(runs):
        figure, axes = draw_curves(lines)
        add_title(figure, axes, group, lines.label, *lines.caption)
        yield PlotFigure(group, lines.x_axis, figure)


@in_style
def ranks(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw rank ranges, with clusters as bands, for each leader board on which all systems have
    them. Ranges of different clusters do not overlap.
    """
    subject = (
        f"rank (circle) and its {shown_level(context.results.level)} range"
    )
    for group in groups(context.results):
        rows = rank_rows(group.scores)
        if rows and len(rows.names) == len(group.scores):
            figure, axes = draw_rows(rows)
            yield PlotFigure(group, "", add_title(figure, axes, group, subject))


@in_style
def differences(context: ReportContext) -> Iterator[PlotFigure]:
    """Draw differences from the baseline with their intervals, for each leader board with tests
    against one. A filled point is a significant difference.
    """
    baseline = short_text(str(context.results.baseline), 30)
    subject = f"difference from {baseline} (filled: significant)"
    for group in groups(context.results):
        rows = difference_rows(group)
        if rows:
            figure, axes = draw_rows(rows)
            yield PlotFigure(group, "", add_title(figure, axes, group, subject))


def plot_files(context: ReportContext) -> dict[str, bytes]:
    """Return the files of the plots in `context.plots`, or of all plots, that the run has data for:
    {PLOT.DATASET.LABEL.TYPE: bytes}, with numbers from 2 if names would be equal.

    Raises InputError for an unknown plot."""
    names = dict.fromkeys(context.plots or PLOTS)
    for name in names:
        if name not in PLOTS:
            hint = known_names(name, PLOTS)
            raise InputError(f"--plot {name}: no plot is called so{hint}")
    files: dict[str, bytes] = {}
    for name in names:
        for group, subject, figure in PLOTS[name].figures(context):
            parts = [name]
            if group.dataset:
                parts.append(file_name(group.dataset))
            label = f"{group.label} {subject}"
            label = re.sub("[^A-Za-z0-9]+", "_", label).strip("_")
            if label:
                parts.append(label)
            stem = ".".join(parts)
            file = f"{stem}.{context.plot_type}"
            copy = 2
            while file in files:  # labels may differ in punctuation alone
                file = f"{stem}.{copy}.{context.plot_type}"
                copy += 1
            files[file] = saved(figure, context.plot_type, context.plot_style)
    return files
