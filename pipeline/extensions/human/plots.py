"""Plots of human judgements, and of how metrics agree with them."""

from pipeline.lookup import later
from pipeline.report import Plot

PEOPLE_PLOT = Plot(
    "rank ranges by people, and clusters",
    "`human` in the config, with a file of judgements that is at hand",
    later(__package__, "figures.human_ranks"),
)
CORRELATIONS_PLOT = Plot(
    "correlations of each metric with people, with intervals",
    "`human` in the config",
    later(__package__, "figures.correlations"),
)
HUMAN_PLOT = Plot(
    "metric against human score",
    "`human` in the config",
    later(__package__, "figures.points"),
)
WINDOWS_PLOT = Plot(
    "correlation among neighbours in the human ranking",
    "`human: {window: ..}`",
    later(__package__, "figures.windows"),
)
