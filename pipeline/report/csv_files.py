"""Results as long tables of plain text."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..scoring.results import Results
    from .material import Material

_FORMULA = ("=", "+", "-", "@")


def csv_files(material: Material) -> dict[str, str]:
    """Return scores.csv; tests.csv where there are tests, human.csv where metrics were correlated with people."""
    results = material.results
    files = {"scores.csv": to_csv(results), "tests.csv": tests_to_csv(results), "human.csv": human_to_csv(results)}
    return {name: text for name, text in files.items() if name == "scores.csv" or text.count("\n") > 1}


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
        if score.bootstrap:
            found = score.bootstrap
            values |= {"bootstrap_mean": found.mean, "bootstrap_std": found.std}
            values |= {"interval_low": found.interval[0], "interval_high": found.interval[1]}
            values |= {"rank_best": found.ranks[0], "rank_worst": found.ranks[1], "cluster": found.cluster}
        for name, value in (values | score.outputs).items():
            yield [_safe(score.dataset), _safe(score.system), _safe(score.metric), _safe(name), _number(value)]


def tests_to_csv(results: Results) -> str:
    """Return one row for each comparison of two systems, unrounded."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    numbers = ("difference", "low", "high", "better", "wins", "losses", "ties", "cohen_d", "p", "p_adjusted")
    writer.writerow(["dataset", "metric", "system", "other", *numbers])
    for test in results.tests:
        values = {**vars(test), "low": test.interval[0], "high": test.interval[1]}
        names = [_safe(text) for text in (test.dataset, test.metric, test.system, test.other)]
        writer.writerow([*names, *(_number(values[name]) for name in numbers)])
    return stream.getvalue()


def human_to_csv(results: Results) -> str:
    """Return one row for each metric, human score (or "pairs of outputs") and coefficient, unrounded."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["dataset", "metric", "human", "n", "coefficient", "value", "low", "high"])
    human = results.human or {}
    for item in [*human.get("correlations", ()), *human.get("sentences", ())]:
        names = [_safe(text) for text in (item["dataset"], item["metric"], item.get("human", "pairs of outputs"))]
        count = item["pairs"] if "pairs" in item else len(item["systems"])
        for name, found in item["coefficients"].items():
            numbers = [_number(value) for value in (found["value"], *found["interval"])]
            writer.writerow([*names, str(count), _safe(name), *numbers])
    return stream.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else repr(value)


def _safe(cell: str) -> str:
    """Return text that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
