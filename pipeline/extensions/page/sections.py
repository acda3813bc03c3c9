"""The parts of the report that other extensions add, and how they are found.

An extension names a function for each part in `page_sections`:

    "human": (context) -> the variable `human` of the template, or None
    "rankings": (context) -> titles and RankedSystems beside the rankings by metrics
    "findings": (context) -> ReportTables below the scores
    "expected": (context) -> the variable `expected` of the template, or None
    "effects": (corpus, metric_result, lines, digits) -> {(system, line): effects of its edits}
"""

from collections.abc import Callable
from typing import Any

from pipeline.lookup import Table

SECTIONS: Table[Callable[..., Any]] = Table(
    __package__, {}, kind="page_sections"
)
"""The functions that fill parts of the report, by the names above."""


def section(name: str, default: Any, *arguments: Any) -> Any:
    """Return a part of the report, or the default if no extension has it."""
    if name not in SECTIONS:
        return default
    return SECTIONS[name](*arguments)
