"""Plots as a form of reports."""

from pipeline.lookup import later
from pipeline.report import Format

PLOTS_FORMAT = Format(
    about="figures: scores, ranks, p-values and more",
    files=later(__package__, "figures.plot_files"),
    package="matplotlib",
    extra="plot",
)
