"""The comparison with published values on the page of a report."""

from collections.abc import Iterator
from typing import Any

from pipeline.extensions.page.shell import PageTable
from pipeline.report import ReportContext
from pipeline.report.tables import ReportTable

from .report_tables import finding_tables
from .tables import expectation_table, misses


def expected(context: ReportContext) -> dict[str, Any] | None:
    """Return the table of expected values, the numbers of entries and of missed ones, and lines
    about the misses; None without the section `expectations`.
    """
    expectations = context.results.expectations
    if not expectations:
        return None
    return {
        "table": PageTable(*expectation_table(expectations), left=(1, 4)),
        "entries": len(expectations["entries"]),
        "missed": len(expectations["missed"]),
        "misses": list(misses(expectations)),
    }


def findings(context: ReportContext) -> Iterator[ReportTable]:
    """Yield the tables of judgements, correlations, and agreement on sentences."""
    yield from finding_tables(context.results)
