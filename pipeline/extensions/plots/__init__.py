"""Plots of a run with matplotlib."""

from ...extension import Extension

EXTENSION = Extension(
    name="plots",
    about="plots with matplotlib",
    plots={
        "scores": "plots:SCORES_PLOT",
        "curves": "plots:CURVES_PLOT",
        "ranks": "plots:RANKS_PLOT",
        "differences": "plots:DIFFERENCES_PLOT",
    },
    report_formats={"plots": "report_format:PLOTS_FORMAT"},
)
