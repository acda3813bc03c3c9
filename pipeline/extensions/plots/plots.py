"""The plots of the extension, and the files of plots."""

import re

from pipeline.errors import InputError, known_names
from pipeline.files.safe_files import file_name
from pipeline.lookup import later
from pipeline.report import PLOTS
from pipeline.report.context import Plot, ReportContext

from .canvas import saved, styled

_STATISTICS = "`statistics` in the config"
SCORES_PLOT = Plot("scores with their intervals", "scores", later(__package__, "figures.scores"))
CURVES_PLOT = Plot(
    "scores over steps, such as the checkpoints of a training, also of several runs",
    "systems with numbers, such as step-1000 and step-2000, or `output: {x: ..}`",
    later(__package__, "figures.curves"),
)
RANKS_PLOT = Plot("rank ranges, and clusters", _STATISTICS, later(__package__, "figures.ranks"))
DIFFERENCES_PLOT = Plot(
    "differences from the baseline with their intervals",
    "`statistics: {baseline: ..}`",
    later(__package__, "figures.differences"),
)
PEOPLE_PLOT = Plot(
    "rank ranges by people, and clusters",
    "`human` in the config, with a file of judgements that is at hand",
    later(__package__, "figures.human_data"),
)
CORRELATIONS_PLOT = Plot(
    "correlations of each metric with people, with intervals",
    "`human` in the config",
    later(__package__, "figures.correlations"),
)
HUMAN_PLOT = Plot(
    "metric against human score", "`human` in the config", later(__package__, "figures.human")
)
WINDOWS_PLOT = Plot(
    "correlation among neighbours in the human ranking",
    "`human: {window: ..}`",
    later(__package__, "figures.windows"),
)


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
