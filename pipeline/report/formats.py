"""The tables of report formats and plots."""

import importlib.util
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..extension import missing_extension
from ..lookup import Table, later
from .context import Format, Plot, SeveralRunsFormat

if TYPE_CHECKING:
    from ..scoring import Results

FORMATS: Table[Format] = Table(
    __package__,
    {
        "json": Format(
            about="results.json, which every run writes",
            files=lambda context: {"results.json": context.results.to_json()},
            printed=True,
        ),
        "csv": Format(
            about=(
                "scores.csv, one value a row; tests.csv, human.csv, means.csv and types.csv where "
                "the run has them"
            ),
            files=later(__package__, "csv_files.csv_files"),
            printed=True,
            columns=True,
            by_type=True,
        ),
        "markdown": Format(
            about="results.md: tables for GitHub and notebooks; types.md for scores by type",
            files=later(__package__, "markdown.markdown_files"),
            printed=True,
            columns=True,
            by_type=True,
        ),
        "latex": Format(
            about="results.tex: tables with booktabs; types.tex",
            files=later(__package__, "latex.latex_files"),
            printed=True,
            columns=True,
            by_type=True,
        ),
    },
    kind="report_formats",
)
"""Forms of reports by the names that `output.formats` of a config and `--format` of the command
`report` take."""

PLOTS: Table[Plot] = Table(__package__, {}, kind="plots")
"""Plots by the names that `output.plots` of a config and `--plot` of the command `report` take."""

DISPLAYS: "Table[Callable[[Results], str]]" = Table(
    __package__, {}, kind="displays"
)
"""How notebooks show results, by MIME type."""

SEVERAL_RUNS_FORMATS: Table[SeveralRunsFormat] = Table(
    __package__, {}, kind="several_runs_formats"
)
"""Forms of reports of several runs, by the names that `--format` of the command `report` takes."""


def unavailable_formats(names: Iterable[str]) -> list[str]:
    """Return a message for each of these forms that needs a package or an extension which is not
    installed.
    """
    messages = []
    for name in dict.fromkeys(names):
        form = FORMATS.get(name) or SEVERAL_RUNS_FORMATS.get(name)
        if form is None:
            messages.append(missing_extension("report_formats", name))
        elif form.package and importlib.util.find_spec(form.package) is None:
            hint = f"pip install 'gec-pipeline[{form.extra}]'"
            messages.append(f"{name}: needs the package {form.package}: {hint}")
    return messages
