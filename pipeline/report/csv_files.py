"""Results as CSV: one value or one comparison in a row. Nothing is rounded."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence

from ..scoring import Results
from .context import ReportContext
from .tables import ColumnPatterns

Cell = str | float | None
Row = Sequence[Cell]

FORMULA = ("=", "+", "-", "@")
"""First letters of a cell that a spreadsheet takes for a formula."""
SCORE_COLUMNS = ("dataset", "system", "metric", "output", "value")
TEST_COLUMNS = (
    "dataset",
    "metric",
    "system",
    "other",
    "difference",
    "low",
    "high",
    "better",
    "wins",
    "losses",
    "ties",
    "cohen_d",
    "p",
    "p_adjusted",
)
MEAN_COLUMNS = ("metric", "system", "datasets", "mean")
TYPE_COLUMNS = (
    "dataset",
    "system",
    "metric",
    "tier",
    "type",
    "output",
    "value",
    "low",
    "high",
)
HUMAN_COLUMNS = (
    "dataset",
    "metric",
    "human",
    "n",
    "coefficient",
    "value",
    "low",
    "high",
)


def csv_files(context: ReportContext) -> dict[str, str]:
    """Return scores.csv, and tests.csv, human.csv, means.csv and types.csv if they have rows."""
    results = context.results
    if context.columns:
        outputs = dict.fromkeys(str(row[3]) for row in _score_rows(results))
        ColumnPatterns(context.columns).check(list(outputs))
    files = {}
    if not context.by_type:
        files["scores.csv"] = to_csv(results, context.columns)
        tests: list[Row] = []
        for test in results.tests:
            values = dict(vars(test))
            values["low"], values["high"] = test.interval
            tests.append([values[name] for name in TEST_COLUMNS])
        files["tests.csv"] = _csv(TEST_COLUMNS, tests)
        files["human.csv"] = human_to_csv(results)
        means: list[Row] = []
        for mean in results.means or ():
            for system, value in mean.systems.items():
                means.append((mean.metric, system, len(mean.datasets), value))
        files["means.csv"] = _csv(MEAN_COLUMNS, means)
    files["types.csv"] = _csv(TYPE_COLUMNS, _type_rows(results))
    for name, text in list(files.items()):
        is_empty = text.count("\n") <= 1
        if is_empty and name != "scores.csv":
            del files[name]
    return files


def to_csv(results: Results, columns: Sequence[str] = ()) -> str:
    """Return one row for each data set, system, metric and output: fractions, counts and ranks.

    With `columns`, names or patterns of outputs, only score, rank and the named ones stay.
    """
    rows: Iterable[Row] = _score_rows(results)
    if columns:
        patterns = ColumnPatterns([*columns, "score", "rank"])
        rows = [row for row in rows if patterns.numbers([str(row[3])])]
    return _csv(SCORE_COLUMNS, rows)


def _score_rows(results: Results) -> Iterator[Row]:
    for score in results.scores:
        values: dict[str, float] = {"score": score.score, "rank": score.rank}
        samples = score.samples
        if samples:
            values["samples_iterations"] = samples.iterations
            values["samples_std"] = samples.std
            values["samples_low"], values["samples_high"] = samples.interval
        bootstrap = score.bootstrap
        if bootstrap:
            values["bootstrap_mean"] = bootstrap.mean
            values["bootstrap_std"] = bootstrap.std
            values["interval_low"], values["interval_high"] = bootstrap.interval
            values["rank_best"], values["rank_worst"] = bootstrap.ranks
            values["cluster"] = bootstrap.cluster
        values |= score.outputs
        values |= score.ends
        for name, value in values.items():
            yield score.dataset, score.system, score.metric, name, value


def _type_rows(results: Results) -> Iterator[Row]:
    for part in results.breakdown:
        for item in part.categories:
            key = (
                part.dataset,
                part.system,
                part.metric,
                part.tier,
                item.category,
            )
            for name, value in item.outputs.items():
                low, high = item.intervals.get(name, (None, None))
                yield *key, name, value, low, high


def human_to_csv(results: Results) -> str:
    """Return one row for each metric, human score (or "pairs of outputs") and coefficient."""
    human = results.human or {}
    rows: list[Row] = []
    for item in [*human.get("correlations", ()), *human.get("sentences", ())]:
        human_name = item.get("human", "pairs of outputs")
        count = item["pairs"] if "pairs" in item else len(item["systems"])
        key = [item["dataset"], item["metric"], human_name, count]
        for name, coefficient in item["coefficients"].items():
            value = coefficient["value"]
            low, high = coefficient["interval"]
            rows.append([*key, name, value, low, high])
    for item in human.get("statistics", ()):
        key = [item["dataset"], item["metric"], item["human"], item["scores"]]
        rows.append([*key, item["statistic"], item["value"], None, None])
    return _csv(HUMAN_COLUMNS, rows)


def _csv(header: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table as CSV, with empty cells for None and NaN, and no text that a spreadsheet
    takes for a formula.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow(map(_csv_cell, row))
    return stream.getvalue()


def _csv_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(FORMULA) else cell
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return repr(cell)
