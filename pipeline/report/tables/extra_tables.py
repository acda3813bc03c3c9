"""The tables below the scores: means over data sets, and those that extensions add."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...extension import installed
from ...metrics import goodness
from ...scoring.results import Mean, Results, ranks
from . import Table, percent
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
        rows = list(_mean_rows(results, mean, digits))
        table = ReportTable(
            name=f"findings-{number}",
            title=title,
            table=(header, rows),
            text_columns=(1,),
            position=MEANS,
        )
        tables.append(table)
    return tables


def _mean_rows(
    results: Results, mean: Mean, digits: int
) -> Iterator[list[str]]:
    scores: dict[tuple[str, str], float] = {}
    for score in results.scores:
        # the signature of a mean does not say how many references there are
        if re.sub(r"\|nrefs:[^|]*", "", score.metric) == mean.metric:
            scores[score.system, score.dataset] = score.score
    values = [goodness(mean.metric, value) for value in mean.systems.values()]
    positions = [*map(str, ranks(values)), *("-" for _ in mean.lacking)]
    systems = [*mean.systems, *mean.lacking]
    for position, system in zip(positions, systems, strict=True):
        values = [mean.systems.get(system, math.nan)]
        for dataset in mean.datasets:
            values.append(scores.get((system, dataset), math.nan))
        cells = [percent(value, digits, mean.metric) for value in values]
        yield [position, system, *cells]
