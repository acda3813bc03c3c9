"""Files of numbers: results as long tables of CSV, sentence scores and counts as Parquet."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import Any

import numpy as np

from ..data.texts import read_texts
from ..metrics.base.statistics_spec import StatisticsSpec
from ..scoring.metric_results import MetricResult
from ..scoring.results import Results
from ..scoring.sentences import every_output, sentence_scores
from ..scoring.terms import present_blocks
from .context import ReportContext
from .tables.ranked import check_picked, picked, ranked_table

Content = Iterator[bytes]
Row = Sequence[str | float | None]
Rows = tuple[dict[str, str], dict[str, Any]]
"""The names that rows of a table share, and an array [rows] for each of the other columns."""

_FORMULA = ("=", "+", "-", "@")
"""What a cell begins with that a spreadsheet takes for a formula."""


# --- CSV: one value or one comparison in a row


def csv_files(context: ReportContext) -> dict[str, str]:
    """Return scores.csv, and tests.csv, human.csv, means.csv and types.csv where they have rows.
    Nothing is rounded.
    """
    results = context.results
    if context.columns:
        check_picked(
            list(dict.fromkeys(str(row[3]) for row in _score_rows(results))), context.columns
        )
    names = [
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
    ]
    names += ["cohen_d", "p", "p_adjusted"]
    own = (
        {**vars(test), "low": test.interval[0], "high": test.interval[1]} for test in results.tests
    )
    tests = ([values[name] for name in names] for values in own)
    means = (
        (mean.metric, name, len(mean.datasets), value)
        for mean in results.means or ()
        for name, value in mean.systems.items()
    )
    types = (
        (part.dataset, part.system, part.metric, part.tier, item.category, name, value, *ends)
        for part in results.breakdown
        for item in part.categories
        for name, value in item.outputs.items()
        for ends in [item.intervals.get(name, (None, None))]
    )
    files = {
        "scores.csv": to_csv(results, context.columns),
        "tests.csv": _csv(names, tests),
        "human.csv": human_to_csv(results),
        "means.csv": _csv(["metric", "system", "datasets", "mean"], means),
    }
    header = ["dataset", "system", "metric", "tier", "type", "output", "value", "low", "high"]
    files = ({} if context.by_type else files) | {"types.csv": _csv(header, types)}
    return {
        name: text for name, text in files.items() if name == "scores.csv" or text.count("\n") > 1
    }


def to_csv(results: Results, columns: Sequence[str] = ()) -> str:
    """Return one row for each data set, system, metric and output: fractions, counts and ranks.

    With `columns`, names or patterns of outputs, score and rank stay, and of the others those that
    are named."""
    rows = (
        row
        for row in _score_rows(results)
        if not columns or picked([str(row[3])], [*columns, "score", "rank"])
    )
    return _csv(["dataset", "system", "metric", "output", "value"], rows)


def _score_rows(results: Results) -> Iterator[Row]:
    for score in results.scores:
        values: dict[str, float] = {"score": score.score, "rank": score.rank}
        if drawn := score.samples:
            values |= {"samples_iterations": drawn.iterations, "samples_std": drawn.std}
            values |= {"samples_low": drawn.interval[0], "samples_high": drawn.interval[1]}
        if boot := score.bootstrap:
            values |= {"bootstrap_mean": boot.mean, "bootstrap_std": boot.std}
            values |= {"interval_low": boot.interval[0], "interval_high": boot.interval[1]}
            values |= {
                "rank_best": boot.ranks[0],
                "rank_worst": boot.ranks[1],
                "cluster": boot.cluster,
            }
        for name, value in (values | score.outputs | score.ends).items():
            yield score.dataset, score.system, score.metric, name, value


def human_to_csv(results: Results) -> str:
    """Return one row for each metric, human score (or "pairs of outputs") and coefficient."""
    rows, human = list[Row](), results.human or {}
    for item in [*human.get("correlations", ()), *human.get("sentences", ())]:
        names = item["dataset"], item["metric"], item.get("human", "pairs of outputs")
        count = item["pairs"] if "pairs" in item else len(item["systems"])
        for name, cells in item["coefficients"].items():
            rows.append([*names, count, name, cells["value"], *cells["interval"]])
    for item in human.get("statistics", ()):
        names = item["dataset"], item["metric"], item["human"]
        rows.append([*names, item["scores"], item["statistic"], item["value"], None, None])
    return _csv(["dataset", "metric", "human", "n", "coefficient", "value", "low", "high"], rows)


def _csv(header: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table as CSV, with empty cells for None and NaN, and no text that a spreadsheet
    takes for a formula.
    """

    def shown(cell: str | float | None) -> str:
        if isinstance(cell, str):
            return f"'{cell}" if cell.startswith(_FORMULA) else cell
        return "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else repr(cell)

    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([header, *(map(shown, row) for row in rows)])
    return stream.getvalue()


# --- Parquet, for which pyarrow is needed. Block after block goes to a temporary file, so that
# memory does not grow.


GROUP = 16
"""Blocks in a row group; each has at most columns.BLOCK lines."""
PIECE = 1 << 20
"""How many bytes of a file are in memory at once, when all has been written to a temporary one."""
LABELS = ("dataset", "system", "metric")
"""Columns of names. The file has each name once, and rows refer to it by a number."""


def parquet_files(context: ReportContext) -> dict[str, Content]:
    """Return sentences.parquet, and a columns.KEY.parquet for each kind of counts that the metrics
    need.

    A row of sentences.parquet has data set, system, signature, line (from 1) and score (a
    fraction). Where lines have ids, the id stands before the line, here and in the files of counts.
    It also has the outputs of the sentence that `material.columns` name, and none where its metric
    has no such output. A row of a file of counts has data set, system, line, reference (from 0, or
    -1 if no count depends on it) and the counts; those that do not depend on the reference are
    repeated."""
    files: dict[str, Content] = {}
    scored, asked = [measured.by_line for measured in context.measured], _asked(context)
    lines = (
        {"id": "string", "line": "int64"}
        if any(metric_result.ids for metric_result in scored)
        else {"line": "int64"}
    )
    types = lines | dict.fromkeys(["score", *asked], "float64")
    files["sentences.parquet"] = _parquet(partial(_sentences, scored, asked), types, scored)
    for spec in dict.fromkeys(measured.metric.spec for measured in scored):
        own = [measured for measured in scored if measured.metric.spec == spec]
        once = list({measured.scores[0].dataset: measured for measured in reversed(own)}.values())[
            ::-1
        ]
        types = {**lines, "reference": "int16"}
        for item in spec.schema(1).fields:
            names = [f"{item.name}_{order}" for order in range(1, item.orders + 1)] or [item.name]
            types |= dict.fromkeys(names, "float64" if item.real else "int64")
        files[f"columns.{spec.key}.parquet"] = _parquet(
            partial(_counts, spec, once), types, once, LABELS[:2]
        )
    return files


def _asked(context: ReportContext) -> list[str]:
    """Return the names of the outputs of sentences that are asked for; raises InputError for an
    unknown column.

    The columns of tables are no columns of sentences, but no errors.
    """
    if not context.columns:
        return []
    measured = [one for one in context.measured if one.columns]
    first = [(one.metric, next(present_blocks(one.metric, one.columns[0]))) for one in measured]
    names = list(
        dict.fromkeys(name for metric, block in first for name in every_output(metric, block))
    )
    titles = [
        ranked_table(context.results, list(one.scores), context.digits)[0]
        for one in context.measured
    ]
    check_picked([*names, *(title for header in titles for title in header)], context.columns)
    return [names[number] for number in picked(names, context.columns)]


def _sentences(scored: Sequence[MetricResult], asked: Sequence[str]) -> Iterator[Rows]:
    for measured in scored:
        for score, columns in zip(measured.scores, measured.columns, strict=False):
            names = {"dataset": score.dataset, "system": score.system, "metric": score.metric}
            first = 1
            for block in present_blocks(measured.metric, columns):
                scores = sentence_scores(measured.metric, block)
                outputs = every_output(measured.metric, block) if asked else {}
                more = {name: outputs.get(name, np.full(len(scores), np.nan)) for name in asked}
                yield names, _places(measured, first, len(scores)) | {"score": scores} | more
                first += len(scores)


def _places(measured: MetricResult, first: int, count: int) -> dict[str, Any]:
    """Return the numbers of some lines, and their ids: None where they have none."""
    ids = measured.ids
    known = read_texts(ids, first - 1, first - 1 + count) if ids else [None] * count
    return {"id": np.array(known, object), "line": np.arange(first, first + count)}


def _counts(spec: StatisticsSpec, scored: Sequence[MetricResult]) -> Iterator[Rows]:
    """Yield the rows of a block for each reference, or once if no count depends on it; missing ones
    have no rows.
    """
    for measured in scored:
        fields = spec.schema(measured.references).fields
        apart = any(item.per_reference for item in fields)
        for score, columns in zip(measured.scores, measured.columns, strict=False):
            first = 1
            for block in columns.blocks():
                places = _places(measured, first, len(next(iter(block.values()))))
                first += len(places["line"])
                for reference in range(measured.references) if apart else (-1,):
                    arrays = {
                        **places,
                        "reference": np.full(len(places["line"]), reference, np.int16),
                    }
                    for item in fields:
                        array = (
                            block[item.name][:, reference]
                            if item.per_reference
                            else block[item.name]
                        )
                        split = {
                            f"{item.name}_{order + 1}": array[:, order]
                            for order in range(item.orders)
                        }
                        arrays |= split or {item.name: array}
                    if apart and "ref_len" in block:
                        present = np.flatnonzero(block["ref_len"][:, reference] >= 0)
                        arrays = {name: array[present] for name, array in arrays.items()}
                    yield {"dataset": score.dataset, "system": score.system}, arrays


def _parquet(
    rows: Callable[[], Iterator[Rows]],
    types: dict[str, str],
    scored: Sequence[MetricResult],
    labels: Sequence[str] = LABELS,
) -> Content:
    """Yield a Parquet file piece by piece: the columns of labels, and others of these types."""
    import pyarrow as pa
    from pyarrow import parquet

    names = {
        label: list(dict.fromkeys(getattr(s, label) for m in scored for s in m.scores))
        for label in labels
    }
    fields = [(label, pa.dictionary(pa.int32(), pa.string())) for label in labels]
    schema = pa.schema([*fields, *((name, getattr(pa, kind)()) for name, kind in types.items())])

    def batch(own: dict[str, str], others: dict[str, Any]) -> Any:
        arrays = []
        for label in labels:
            numbers = np.full(len(others["line"]), names[label].index(own[label]), np.int32)
            arrays.append(
                pa.DictionaryArray.from_arrays(numbers, pa.array(names[label], pa.string()))
            )
        return pa.record_batch(
            [*arrays, *(pa.array(others[name], from_pandas=True) for name in types)], schema=schema
        )

    with TemporaryFile() as file:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            batches = (batch(*own) for own in rows())
            while group := list(islice(batches, GROUP)):
                writer.write_table(pa.Table.from_batches(group))
        file.seek(0)
        yield from iter(partial(file.read, PIECE), b"")
