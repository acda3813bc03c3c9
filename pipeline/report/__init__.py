"""Stored results in other forms: formatting only. To add one: a file here, a line in FORMATS, its name in models."""

from __future__ import annotations

from .material import Format
from .tables import csv_files

FORMATS: dict[str, Format] = {
    "json": Format(
        "results.json, which every run writes", lambda material: {"results.json": material.results.to_json()}
    ),
    "csv": Format("long tables: scores.csv, and tests.csv where there are tests", csv_files, printed=True),
}
"""Forms of reports by name: `output.formats` of a config, `--format` of the command `report`."""
