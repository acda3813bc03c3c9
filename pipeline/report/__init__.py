"""Stored results as text: formatting only. To add a format: a file here, and a line in FORMATS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tables import to_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..results import Results

FORMATS: dict[str, tuple[str, Callable[[Results], str]]] = {
    "csv": ("scores.csv", to_csv),
}
"""Format: name of the file in the run directory, and the function that makes its text."""
