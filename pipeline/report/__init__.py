"""Reports: stored results in other forms. Nothing is computed here, only formatted.

To add a format, write a file here with a function that takes a ReportContext and returns files by
their names, and add a line to FORMATS in `formats.py`.

- `ReportContext` is what a report is made of. `Format`, `Plot` and `SeveralRunsFormat` describe
  forms of reports, and FORMATS, PLOTS and SEVERAL_RUNS_FORMATS have them by name.
- `print_results()`, `print_comparisons()`, `print_types()` and `print_extra_tables()` print tables
  as commands do; `Sentence`, `AnnotatedEdits` and `print_texts()` are for one sentence.
- `overviews()` are systems by metrics, with a `verdict_sentence()` for each; `document_tables()`
  are the tables of Markdown and LaTeX.
- `Reportable` is the base of results in Python.
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names
from .context import (
    Format,
    NamedRun,
    Plot,
    PlotFigure,
    PlotStyle,
    ReportContext,
    SeveralRunsFormat,
)
from .formats import FORMATS, PLOTS, SEVERAL_RUNS_FORMATS, unavailable_formats

if TYPE_CHECKING:
    from .console import (
        print_comparisons,
        print_extra_tables,
        print_results,
        print_types,
    )
    from .documents import Cell, DocumentTable, document_tables
    from .in_python import Reportable
    from .overview import Overview, overviews, verdict_sentence
    from .sentence import AnnotatedEdits, Sentence, print_texts

__all__ = [
    "FORMATS",
    "PLOTS",
    "SEVERAL_RUNS_FORMATS",
    "AnnotatedEdits",
    "Cell",
    "DocumentTable",
    "Format",
    "NamedRun",
    "Overview",
    "Plot",
    "PlotFigure",
    "PlotStyle",
    "ReportContext",
    "Reportable",
    "Sentence",
    "SeveralRunsFormat",
    "document_tables",
    "overviews",
    "print_comparisons",
    "print_extra_tables",
    "print_results",
    "print_texts",
    "print_types",
    "unavailable_formats",
    "verdict_sentence",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "console": "print_comparisons print_extra_tables print_results print_types",
            "documents": "Cell DocumentTable document_tables",
            "in_python": "Reportable",
            "overview": "Overview overviews verdict_sentence",
            "sentence": "AnnotatedEdits Sentence print_texts",
        },
    )
