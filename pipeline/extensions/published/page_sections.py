"""The comparison with published values on the page of a report."""

from typing import Any

from pipeline.extensions.page.shell import PageTable
from pipeline.report.context import ReportContext

from .tables import expectation_table, misses


def expected(context: ReportContext) -> dict[str, Any] | None:
    """Return the table of expected values, and those that were missed; None without expectations."""
    expectations = context.results.expectations
    if not expectations:
        return None
    return {
        "table": PageTable(*expectation_table(expectations), left=(1, 4)),
        "entries": len(expectations["entries"]),
        "missed": len(expectations["missed"]),
        "misses": list(misses(expectations)),
    }
