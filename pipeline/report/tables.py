"""Results as long tables of plain text."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..results import Results

_FORMULA = ("=", "+", "-", "@")


def to_csv(results: Results) -> str:
    """Return one row for each data set, system, metric and output: fractions, counts and ranks, unrounded."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["dataset", "system", "metric", "output", "value"])
    writer.writerows(_rows(results))
    return stream.getvalue()


def _rows(results: Results) -> Iterator[list[str]]:
    for score in results.scores:
        values: dict[str, float] = {"score": score.score, "rank": score.rank}
        if score.samples:
            low, high = score.samples.interval
            values |= {"samples_iterations": score.samples.iterations, "samples_std": score.samples.std}
            values |= {"samples_low": low, "samples_high": high}
        for name, value in (values | score.outputs).items():
            text = "" if isinstance(value, float) and math.isnan(value) else repr(value)
            yield [_safe(score.dataset), _safe(score.system), _safe(score.metric), _safe(name), text]


def _safe(cell: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
