"""Tables as text: a header and rows, which each form of report draws in its own way. Begin at
`ranked.py`.

- `groups()` and `Group`: the scores of a metric on a data set, with its tables; `Types` those by
  type of edit; `ReportTable`, `extra_tables()` and `means_tables()` tables below the scores
- `labels()` and `called()`: short names of metrics, and those of papers
- cells: `percent()`, `round_half_up()`, `output_cell()`, `p_cell()`, and the functions shown_...
- `Table`, `columns_of()`, `padded()`, and `ColumnPatterns`, which select columns by name
"""

from typing import TYPE_CHECKING

from ...lookup import lazy_names

if TYPE_CHECKING:
    from .by_type import Types
    from .cells import (
        ColumnPatterns,
        Table,
        columns_of,
        half_width,
        output_cell,
        padded,
        percent,
        round_half_up,
        shown_interval,
        shown_level,
        shown_p,
        shown_range,
        shown_role,
    )
    from .comparisons import BETTER, WORSE, p_cell, settings_line
    from .metric_names import called, labels
    from .ranked import Group, groups
    from .report_tables import ReportTable, extra_tables, means_tables

__all__ = [
    "BETTER",
    "WORSE",
    "ColumnPatterns",
    "Group",
    "ReportTable",
    "Table",
    "Types",
    "called",
    "columns_of",
    "extra_tables",
    "groups",
    "half_width",
    "labels",
    "means_tables",
    "output_cell",
    "p_cell",
    "padded",
    "percent",
    "round_half_up",
    "settings_line",
    "shown_interval",
    "shown_level",
    "shown_p",
    "shown_range",
    "shown_role",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "by_type": "Types",
            "cells": (
                "ColumnPatterns Table columns_of half_width output_cell padded percent round_half_up "
                "shown_interval shown_level shown_p shown_range shown_role"
            ),
            "comparisons": "BETTER WORSE p_cell settings_line",
            "report_tables": "ReportTable extra_tables means_tables",
            "metric_names": "called labels",
            "ranked": "Group groups",
        },
    )
