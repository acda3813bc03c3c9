"""A recipe made of a config and a printed table: CSV, TSV, or Markdown as papers and READMEs have it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..config.compose import read
from ..errors import CorpusError, InputError, Problem
from ..io.plain_files import small_text
from ..io.small_tables import read_rows
from ..metrics.base.metric import Metric
from ..metrics.build import metrics_called
from .verdicts import read_number

MAX_BYTES = 1 << 24
OUTPUTS = {"p": "precision", "prec": "precision", "r": "recall", "rec": "recall"} | {
    n: n for n in ("precision", "recall")
}
"""What tables call outputs of the only metric of a config; F with anything behind it is the score."""


def new_recipe(config: Path, table: Path, metrics: list[Metric]) -> dict[str, Any]:
    """Return a config with what a table prints: systems in its first column, and a column for each metric or output.

    Numbers above 1 are percent. Raises InputError where the table has a column that no metric of the config means, and
    a cell that is no number.
    """
    expect: list[dict[str, Any]] = []
    (_, titles), *rows = _rows(table)
    for column, title in enumerate(titles[1:], 1):
        values = {
            cells[0]: cells[column] for _, cells in rows if len(cells) > column and cells[column] not in ("", "-")
        }
        wrong = next((text for text in values.values() if read_number(text) is None), None)
        if wrong is not None:
            raise InputError(f"{table}: {title}: '{wrong}' is no number")
        meant = {"metric": title} if len(metrics_called(title, metrics)) == 1 else {}
        output = "score" if title.lower().startswith("f") else OUTPUTS.get(title.lower(), "")
        if not meant and (len(metrics) > 1 or not output):
            names = ", ".join(metric.name for metric in metrics)
            raise InputError(f"{table}: which metric is '{title}'? Head the column with one of the config's: {names}")
        percent = any(abs(number) > 1 for text in values.values() if (number := read_number(text)) is not None)
        own = {"output": output} if output in OUTPUTS.values() and not meant else meant
        expect.append(
            {"title": title, **own, "scale": "100" if percent else "1", "rounding": "half_up", "values": values}
        )
    publication = {"what": f"the table {table.name}", "verdict": "not run"}
    return {"publication": publication, **read(config)[0].plain(), "expect": expect}


def _rows(table: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a table with the numbers of their lines, the first with the titles of the columns."""
    lines = enumerate(small_text(table, MAX_BYTES).splitlines(), 1)
    marked = [(number, line.strip()) for number, line in lines if line.strip().startswith("|")]
    rows = [(number, [cell.strip(" *`\\") for cell in line.strip("|").split("|")]) for number, line in marked]
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row[1])] or list(read_rows(table, MAX_BYTES))
    if len(rows) < 2 or len(rows[0][1]) < 2:
        message = "expected a table: a line of titles, and lines with a system and its numbers"
        raise CorpusError([Problem(str(table), message)])
    return rows
