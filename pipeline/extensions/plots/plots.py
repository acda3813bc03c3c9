"""The plots of this extension, with what they need. matplotlib is imported when one is drawn."""

from pipeline.lookup import later
from pipeline.report import Plot

SCORES_PLOT = Plot(
    "scores with their intervals",
    "scores",
    later(__package__, "figures.scores"),
)
CURVES_PLOT = Plot(
    "scores over steps, such as the checkpoints of a training, also of several runs",
    "systems with numbers, such as step-1000 and step-2000, or `output: {x: ..}`",
    later(__package__, "figures.curves"),
)
RANKS_PLOT = Plot(
    "rank ranges, and clusters",
    "`statistics` in the config",
    later(__package__, "figures.ranks"),
)
DIFFERENCES_PLOT = Plot(
    "differences from the baseline with their intervals",
    "`statistics: {baseline: ..}`",
    later(__package__, "figures.differences"),
)
