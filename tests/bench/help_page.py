"""Writes measured rows into `gec-pipeline help speed` and into the README: `python -m tests.bench --page`."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pipeline
from pipeline import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.bench.measuring.rows import Row

ROOT = Path(__file__).parents[2]
PAGE, README = ROOT / "pipeline" / "help" / "speed.md", ROOT / "README.md"
COLUMNS = "| what | here | peer | ratio |"
"""How the header of both tables begins."""
SHOWN = (("package", ""), ("bleu", "whole process.*sacreBLEU"), ("statistics", "shuffles"))
"""The rows of the README: the first of this group that this regular expression fits."""


def compiled() -> None:
    """Stop unless the compiled kernel is used, whose times the page has."""
    if kernel.name() != "native":
        raise SystemExit("the page has times of the compiled kernel, which is not here")


def today() -> str:
    """Return day, version and processors, as the column measured has them."""
    return f"{datetime.now(UTC):%Y-%m-%d}, {pipeline.__version__}, {os.cpu_count()} cores"


def cells(row: Row, measured: str, group: str) -> str:
    """Return a line of the table of the page."""
    if row.ratio != row.ratio:  # NaN: there is no peer
        ratio = ""
    elif "its time" in row.aim or "the time" in row.aim:
        ratio = f"{row.ratio:.1f} times its time"
    else:
        ratio = f"{row.ratio:.{0 if row.ratio >= 10 else 1}f} times {'faster' if row.ratio >= 1 else 'as fast'}"
    return " | ".join(["| " + row.name, row.ours, row.peer, ratio, measured, group + " |"]).replace("|  |", "| |")


def split(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the lines before the rows of the table of times, its rows, and the lines after them."""
    lines = text.split("\n")
    begin = next(number for number, line in enumerate(lines) if line.startswith(COLUMNS)) + 2
    end = next(number for number in range(begin, len(lines)) if not lines[number].startswith("|"))
    return lines[:begin], lines[begin:end], lines[end:]


def group_of(line: str) -> str:
    """Return the last cell of a row."""
    return line.strip("| ").split(" | ")[-1]


def renewed_page(text: str, measured: Mapping[str, Sequence[Row]], when: str) -> str:
    """Return the page with the rows that were measured in the place of those of the same groups; others stay."""
    before, rows, after = split(text)
    for group, new in measured.items():
        place = next((number for number, line in enumerate(rows) if group_of(line) == group), len(rows))
        rows = [line for line in rows if group_of(line) != group]
        rows[place:place] = [cells(row, when, group) for row in new]
    return "\n".join([*before, *rows, *after])


def renewed_readme(readme: str, page: str) -> str:
    """Return the README with three rows as the page has them."""
    before, _, after = split(readme)
    rows = [line.strip("| ").split(" | ") for line in split(page)[1]]
    shown = [next(r for r in rows if r[-1] == group and re.search(part, " ".join(r), re.I)) for group, part in SHOWN]
    return "\n".join([*before, *(f"| {' | '.join(row[:4])} |" for row in shown), *after])


def write(measured: Mapping[str, Sequence[Row]]) -> None:
    """Write rows by their groups into both files."""
    page = renewed_page(PAGE.read_text(encoding="utf-8"), measured, today())
    PAGE.write_text(page, encoding="utf-8")
    README.write_text(renewed_readme(README.read_text(encoding="utf-8"), page), encoding="utf-8")
