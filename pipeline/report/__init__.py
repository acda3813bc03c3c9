"""Stored results in other forms: formatting only.

To add a form: a file here with a function of Material that gives files, a line in FORMATS, its name in models.FORMATS.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .material import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..io.safe_files import Content
    from .material import Material


def later(name: str) -> Callable[[Material], Mapping[str, Content]]:
    """Return the function "module.function" of this folder; it is imported when it is called."""
    module, _, function = name.rpartition(".")

    def files(material: Material) -> Mapping[str, Content]:
        made: Mapping[str, Content] = getattr(import_module(f".{module}", __package__), function)(material)
        return made

    return files


FORMATS: dict[str, Format] = {
    "json": Format(
        told="results.json, which every run writes",
        files=lambda material: {"results.json": material.results.to_json()},
        printed=True,
        texts=False,
    ),
    "csv": Format(
        told="scores.csv, long; tests.csv and human.csv where there are such",
        files=later("csv_files.csv_files"),
        printed=True,
        texts=False,
    ),
    "markdown": Format(
        told="results.md: tables for GitHub and notebooks",
        files=later("markdown.markdown_files"),
        printed=True,
        texts=False,
    ),
    "latex": Format(
        told="results.tex: tables with booktabs", files=later("latex.latex_files"), printed=True, texts=False
    ),
    "parquet": Format(
        told="sentences.parquet: a score a sentence; columns.*.parquet: the counts",
        files=later("parquet.parquet_files"),
        package="pyarrow",
        extra="parquet",
        texts=False,
    ),
    "plots": Format(
        told="figures: scores, ranks, p-values and more",
        files=later("plots.plot_files"),
        package="matplotlib",
        extra="plot",
        texts=False,
    ),
    "html": Format(
        told="report.html: a page to explore, sentences and all",
        files=later("html.page.html_files"),
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
