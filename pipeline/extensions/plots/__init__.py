"""Plots by name, and their files.

To add one, write a function that takes Material and yields figures into a file of this folder, and
add a line to PLOTS."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pipeline.errors import InputError, known_names
from pipeline.files.safe_files import file_name
from pipeline.lookup import later
from pipeline.report.context import ReportContext
from pipeline.report.tables.ranked import Group

from .canvas import saved, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Plot(NamedTuple):
    """A kind of plot."""

    about: str
    """What it shows."""
    spec: str
    """What a run needs for it."""
    figures: "Callable[[ReportContext], Iterator[tuple[Group, str, Figure]]]"
    """Yields the group of scores that a figure shows, a further name or "", and the figure.

    The metric of a group is "" where the figure shows several metrics.
    """


CURVES = "curves"
"""The plot that takes several runs."""
_STATISTICS = "`statistics` in the config"
PLOTS: dict[str, Plot] = {
    "scores": Plot("scores with their intervals", "scores", later(__name__, "figures.scores")),
    CURVES: Plot(
        "scores over steps, such as the checkpoints of a training, also of several runs",
        "systems with numbers, such as step-1000 and step-2000, or `output: {x: ..}`",
        later(__name__, "figures.curves"),
    ),
    "ranks": Plot("rank ranges, and clusters", _STATISTICS, later(__name__, "figures.ranks")),
    "differences": Plot(
        "differences from the baseline with their intervals",
        "`statistics: {baseline: ..}`",
        later(__name__, "figures.differences"),
    ),
    "people": Plot(
        "rank ranges by people, and clusters",
        "`human` in the config, with a file of judgements that is at hand",
        later(__name__, "figures.people"),
    ),
    "correlations": Plot(
        "correlations of each metric with people, with intervals",
        "`human` in the config",
        later(__name__, "figures.correlations"),
    ),
    "human": Plot(
        "metric against human score", "`human` in the config", later(__name__, "figures.human")
    ),
    "windows": Plot(
        "correlation among neighbours in the human ranking",
        "`human: {window: ..}`",
        later(__name__, "figures.windows"),
    ),
}


def plot_files(context: ReportContext) -> dict[str, bytes]:
    """Return those of the plots in material.plots that the run has data for.

    Raises InputError for a name that is no plot.
    """
    names = dict.fromkeys(context.plots or PLOTS)
    for name in names:
        if name not in PLOTS:
            raise InputError(f"--plot {name}: no plot is called so{known_names(name, PLOTS)}")
    files: dict[str, bytes] = {}
    for name in names:
        with styled(context.plot_style):
            for group, more, figure in PLOTS[name].figures(context):
                label = re.sub("[^A-Za-z0-9]+", "_", f"{group.label} {more}").strip("_")
                stem = ".".join(
                    filter(None, (name, file_name(group.dataset) if group.dataset else "", label))
                )
                file, number = f"{stem}.{context.plot_type}", 2
                while file in files:  # labels may differ in signs alone
                    file, number = f"{stem}.{number}.{context.plot_type}", number + 1
                files[file] = saved(figure, context.plot_type)
    return files
