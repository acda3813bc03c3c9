"""Stored results in other forms: formatting only.

To add a form: a file here with a function that takes Material and returns files by their names, and a line in FORMATS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lookup import later
from .material import Format

if TYPE_CHECKING:
    from collections.abc import Iterable


FORMATS: dict[str, Format] = {
    "json": Format(
        told="results.json, which every run writes",
        files=lambda material: {"results.json": material.results.to_json()},
        printed=True,
        texts=False,
    ),
    "csv": Format(
        told="scores.csv, long; tests.csv and human.csv where there are such",
        files=later(__name__, "csv_files.csv_files"),
        printed=True,
        texts=False,
    ),
    "markdown": Format(
        told="results.md: tables for GitHub and notebooks",
        files=later(__name__, "markdown.markdown_files"),
        printed=True,
        texts=False,
    ),
    "latex": Format(
        told="results.tex: tables with booktabs", files=later(__name__, "latex.latex_files"), printed=True, texts=False
    ),
    "parquet": Format(
        told="sentences.parquet: a score a sentence; columns.*.parquet: the counts",
        files=later(__name__, "parquet.parquet_files"),
        package="pyarrow",
        extra="parquet",
        texts=False,
    ),
    "plots": Format(
        told="figures: scores, ranks, p-values and more",
        files=later(__name__, "plots.plot_files"),
        package="matplotlib",
        extra="plot",
        texts=False,
    ),
    "html": Format(
        told="report.html: a page to explore, sentences and all",
        files=later(__name__, "html.page.html_files"),
        package="jinja2",
        extra="report",
    ),
}
"""Forms of reports by name: `output.formats` of a config, `--format` of the command `report`."""


def unavailable(names: Iterable[str]) -> list[str]:
    """Return why some of these forms cannot be made here: packages that are not installed."""
    from importlib.util import find_spec

    wanted = [(name, FORMATS[name]) for name in dict.fromkeys(names)]
    return [
        f"{name}: needs the package {form.package}: pip install 'gec-pipeline[{form.extra}]'"
        for name, form in wanted
        if form.package and find_spec(form.package) is None
    ]
