"""Results as CSV: long tables, with one value or one comparison in a row."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from .by_type import TYPE_COLUMNS, long_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..scoring.results import Results
    from .material import Material

_FORMULA = ("=", "+", "-", "@")
"""What a cell begins with that a spreadsheet takes for a formula."""


def csv_files(material: Material) -> dict[str, str]:
    """Return scores.csv, and tests.csv, human.csv and types.csv where they have rows."""
    results = material.results
    files = {"scores.csv": to_csv(results), "tests.csv": tests_to_csv(results), "human.csv": human_to_csv(results)}
    files = ({} if material.by_type else files) | {"types.csv": types_to_csv(results)}
    return {name: text for name, text in files.items() if name == "scores.csv" or text.count("\n") > 1}


def to_csv(results: Results) -> str:
    """Return one row for each data set, system, metric and output: fractions, counts and ranks, unrounded."""
    return _csv(["dataset", "system", "metric", "output", "value"], _score_rows(results))


def _score_rows(results: Results) -> Iterator[list[str]]:
    for score in results.scores:
        values: dict[str, float] = {"score": score.score, "rank": score.rank}
        if score.samples:
            low, high = score.samples.interval
            values |= {"samples_iterations": score.samples.iterations, "samples_std": score.samples.std}
            values |= {"samples_low": low, "samples_high": high}
        if score.bootstrap:
            boot = score.bootstrap
            values |= {"bootstrap_mean": boot.mean, "bootstrap_std": boot.std}
            values |= {"interval_low": boot.interval[0], "interval_high": boot.interval[1]}
            values |= {"rank_best": boot.ranks[0], "rank_worst": boot.ranks[1], "cluster": boot.cluster}
        for name, value in (values | score.outputs).items():
            yield [_safe(score.dataset), _safe(score.system), _safe(score.metric), _safe(name), _number(value)]


def tests_to_csv(results: Results) -> str:
    """Return one row for each comparison of two systems, unrounded."""
    numbers = ("difference", "low", "high", "better", "wins", "losses", "ties", "cohen_d", "p", "p_adjusted")
    rows = []
    for test in results.tests:
        values = {**vars(test), "low": test.interval[0], "high": test.interval[1]}
        names = [_safe(text) for text in (test.dataset, test.metric, test.system, test.other)]
        rows.append([*names, *(_number(values[name]) for name in numbers)])
    return _csv(["dataset", "metric", "system", "other", *numbers], rows)


def human_to_csv(results: Results) -> str:
    """Return one row for each metric, human score (or "pairs of outputs") and coefficient, unrounded."""
    rows = []
    human = results.human or {}
    for item in [*human.get("correlations", ()), *human.get("sentences", ())]:
        names = [_safe(text) for text in (item["dataset"], item["metric"], item.get("human", "pairs of outputs"))]
        count = item["pairs"] if "pairs" in item else len(item["systems"])
        for name, cells in item["coefficients"].items():
            numbers = [_number(value) for value in (cells["value"], *cells["interval"])]
            rows.append([*names, str(count), _safe(name), *numbers])
    return _csv(["dataset", "metric", "human", "n", "coefficient", "value", "low", "high"], rows)


def types_to_csv(results: Results) -> str:
    """Return one row for each system, type (of every tier) and output, with the ends of its interval, unrounded."""
    rows = ([_safe(cell) if isinstance(cell, str) else _number(cell) for cell in row] for row in long_rows(results))
    return _csv(TYPE_COLUMNS, rows)


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([header, *rows])
    return stream.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else repr(value)


def _safe(cell: str) -> str:
    """Return text in a form that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
