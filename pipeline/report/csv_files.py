"""Results as CSV: long tables, with one value or one comparison in a row."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from .by_type.sheets import TYPE_COLUMNS, long_rows
from .tables.ranked import check_picked, picked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..scoring.results import Results
    from .material import Material

_FORMULA = ("=", "+", "-", "@")
"""What a cell begins with that a spreadsheet takes for a formula."""


def csv_files(material: Material) -> dict[str, str]:
    """Return scores.csv, and tests.csv, human.csv, means.csv and types.csv where they have rows."""
    results = material.results
    if material.columns:
        check_picked(list(dict.fromkeys(row[3] for row in _score_rows(results))), material.columns)
    files = {
        "scores.csv": to_csv(results, material.columns),
        "tests.csv": tests_to_csv(results),
        "human.csv": human_to_csv(results),
        "means.csv": means_to_csv(results),
    }
    files = ({} if material.by_type else files) | {"types.csv": types_to_csv(results)}
    return {name: text for name, text in files.items() if name == "scores.csv" or text.count("\n") > 1}


def to_csv(results: Results, columns: Sequence[str] = ()) -> str:
    """Return one row for each data set, system, metric and output: fractions, counts and ranks, unrounded.

    With `columns`, names or patterns of outputs, score and rank stay, and of the others those that are named.
    """
    rows = (row for row in _score_rows(results) if not columns or picked([row[3]], [*columns, "score", "rank"]))
    return _csv(["dataset", "system", "metric", "output", "value"], rows)


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
        for name, value in (values | score.outputs | score.ends).items():
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
    for item in human.get("statistics", ()):
        names = [_safe(item[key]) for key in ("dataset", "metric", "human")]
        rows.append([*names, str(item["scores"]), _safe(item["statistic"]), _number(item["value"]), "", ""])
    return _csv(["dataset", "metric", "human", "n", "coefficient", "value", "low", "high"], rows)


def means_to_csv(results: Results) -> str:
    """Return one row for each metric and system that has a mean over the data sets, unrounded."""
    rows = [
        [_safe(mean.metric), _safe(name), str(len(mean.datasets)), _number(value)]
        for mean in results.means or ()
        for name, value in mean.systems.items()
    ]
    return _csv(["metric", "system", "datasets", "mean"], rows)


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
