"""Stored results in other forms: formatting only.

To add a form: a file here with a function of Material that gives files, a line in FORMATS, its name in models.FORMATS.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from .latex import latex_files
from .markdown import markdown_files
from .material import Format
from .page import html_files
from .parquet import parquet_files
from .plots import PLOTS, plot_files
from .tables import csv_files

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMATS: dict[str, Format] = {
    "json": Format(
        "results.json, which every run writes",
        lambda material: {"results.json": material.results.to_json()},
        printed=True,
    ),
    "csv": Format("scores.csv, long; tests.csv and human.csv where there are such", csv_files, printed=True),
    "markdown": Format("results.md: tables for GitHub and notebooks", markdown_files, printed=True),
    "latex": Format("results.tex: tables with booktabs", latex_files, printed=True),
    "parquet": Format(
        "sentences.parquet: a score a sentence; columns.*.parquet: the counts",
        parquet_files,
        package="pyarrow",
        extra="parquet",
    ),
    "plots": Format(f"figures: {', '.join(PLOTS)}", plot_files, package="matplotlib", extra="plot"),
    "html": Format("report.html: a page to explore, sentences and all", html_files, package="jinja2", extra="report"),
}
"""Forms of reports by name: `output.formats` of a config, `--format` of the command `report`."""


def unavailable(names: Iterable[str]) -> list[str]:
    """Return why some of these forms cannot be made here: packages that are not installed."""
    wanted = [(name, FORMATS[name]) for name in dict.fromkeys(names)]
    return [
        f"{name}: needs the package {form.package}: pip install 'gec-pipeline[{form.extra}]'"
        for name, form in wanted
        if form.package and find_spec(form.package) is None
    ]
