"""Plots of a run with matplotlib."""

from ...extension import Extension

EXTENSION = Extension(
    name="plots",
    about="plots with matplotlib",
    needs=("human",),
    plots={
        "scores": "plots:SCORES_PLOT",
        "curves": "plots:CURVES_PLOT",
        "ranks": "plots:RANKS_PLOT",
        "differences": "plots:DIFFERENCES_PLOT",
        "people": "plots:PEOPLE_PLOT",
        "correlations": "plots:CORRELATIONS_PLOT",
        "human": "plots:HUMAN_PLOT",
        "windows": "plots:WINDOWS_PLOT",
    },
    report_formats={"plots": "report_format:PLOTS_FORMAT"},
)
