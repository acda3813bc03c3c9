"""The tables below the scores: means over data sets, and those that extensions add."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...extension import installed
from ...scoring import Results
from .cells import Table, percent
from .metric_names import called


@dataclass(frozen=True, kw_only=True)
class ReportTable:
    """A table below the scores, for the terminal, Markdown and LaTeX."""

    name: str
    """The name that its label in LaTeX is made of."""
    title: str
    """The line above it in the terminal; empty for none."""
    caption: str = ""
    """Its caption in documents; empty: the title."""
    table: Table
    text_columns: tuple[int, ...] = (0,)
    """Numbers of the columns of texts, which are aligned to the left."""
    first_out: Sequence[str] = ()
    """Titles of the columns that a narrow terminal leaves out, in this order."""
    notes: Sequence[str] = ()
    """Sentences below it in documents."""
    items: Sequence[str] = ()
    """Lines below it."""
    signatures: Sequence[str] = ()
    """Signatures of its metrics, if it has their short names."""
    position: int = 100
    """Where it stands: tables are sorted by this number. Means over data sets have MEANS."""


MEANS = 50
"""The position of means over data sets."""


def extra_tables(results: Results, digits: int) -> list[ReportTable]:
    """Return all tables below the scores, in their order."""
    tables = means_tables(results, digits)
    # else no extension is looked for, which takes time
    if results.has_sections:
        for extension in installed().values():
            for reference in extension.report_tables:
                tables += extension.load(reference)(results, digits)
    return sorted(tables, key=lambda table: table.position)


def means_tables(results: Results, digits: int) -> list[ReportTable]:
    """Return a table for each metric: the mean over data sets of each system, and its score on each
    of them.
    """
    means = results.means or []
    names = called(mean.metric for mean in means)
    tables: list[ReportTable] = []
    for number, mean in enumerate(means, 1):
        count = len(mean.datasets)
        title = f"mean over {count} data sets, each counts the same: {names[mean.metric]}"
        for system, datasets in mean.lacking.items():
            title += f"; {system} has no score on {', '.join(datasets)}"
        header = ["rank", "system", "mean", *mean.datasets]
        rows = []
        for position, system, numbers in mean.rows(results.scores):
            cells = [percent(value, digits, mean.metric) for value in numbers]
            rows.append([position, system, *cells])
        table = ReportTable(
            name=f"findings-{number}",
            title=title,
            table=(header, rows),
            text_columns=(1,),
            position=MEANS,
        )
        tables.append(table)
    return tables
