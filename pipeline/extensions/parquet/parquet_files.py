"""The scores of each sentence, and the counts that they are made of, as Parquet files.

Block after block goes to a temporary file, so that memory does not grow. Needs pyarrow.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np

from pipeline.arrays import Ints
from pipeline.metrics.base import StatisticsSpec
from pipeline.report import ReportContext
from pipeline.report.tables import ColumnPatterns, groups
from pipeline.scoring import MetricColumns, MetricResult, SentenceScores

Content = Iterator[bytes]

BLOCKS_IN_GROUP = 16
"""Blocks in a row group; each has at most columns.BLOCK lines."""
READ_BYTES = 1 << 20
"""How many bytes of the temporary file are in memory at once when it is copied."""
LABELS = ("dataset", "system", "metric")
"""Columns of names. The file has each name once, and rows refer to it by a number."""


class Rows(NamedTuple):
    """Some rows of a table."""

    labels: dict[str, str]
    """The names that they share."""
    arrays: dict[str, Any]
    """An array [rows] for each of the other columns."""


def parquet_files(context: ReportContext) -> dict[str, Content]:
    """Return the contents of sentences.parquet, and of columns.KEY.parquet for each specification of
    statistics, by name.

    A row of sentences.parquet has data set, system, signature, line (from 1) and score (a
    fraction). If lines have ids, the id is before the line, here and in the files of counts.
    It also has the outputs of the sentence that `context.columns` name, and none if its metric
    has no such output. A row of a file of counts has data set, system, line, reference (from 0, or
    -1 if no count depends on it) and the counts; those that do not depend on the reference are
    repeated.
    """
    # the scores of sentences
    metric_results = []
    has_ids = False
    for measured in context.measured:
        metric_results.append(measured.by_line)
        has_ids = has_ids or bool(measured.by_line.ids)
    outputs = _requested_outputs(context)
    line_types = {"line": "int64"}
    if has_ids:
        line_types = {"id": "string", "line": "int64"}
    types = dict(line_types)
    for name in ("score", *outputs):
        types[name] = "float64"
    rows = partial(_sentence_rows, metric_results, outputs)
    files = {"sentences.parquet": _parquet(rows, types, metric_results)}

    # the counts; one metric is enough for those that several share on a data set
    by_spec: dict[StatisticsSpec, dict[str, MetricResult]] = {}
    for metric_result in metric_results:
        by_dataset = by_spec.setdefault(metric_result.metric.spec, {})
        by_dataset.setdefault(metric_result.scores[0].dataset, metric_result)
    for spec, by_dataset in by_spec.items():
        types = {**line_types, "reference": "int16"}
        for field in spec.schema(1).fields:
            names = [field.name]
            if field.orders:
                orders = range(1, field.orders + 1)
                names = [f"{field.name}_{order}" for order in orders]
            kind = "float64" if field.real else "int64"
            types |= dict.fromkeys(names, kind)
        results_of_spec = list(by_dataset.values())
        rows = partial(_count_rows, spec, results_of_spec)
        files[f"columns.{spec.key}.parquet"] = _parquet(
            rows, types, results_of_spec, LABELS[:2]
        )
    return files


def _requested_outputs(context: ReportContext) -> list[str]:
    """Return the names of the outputs of sentences that are requested; raises InputError for an
    unknown column.

    The columns of tables are no columns of sentences, but no errors.
    """
    if not context.columns:
        return []
    names: dict[str, None] = {}
    titles: list[str] = []
    for metric_result in context.measured:
        metric = metric_result.metric
        if metric_result.columns:
            blocks = MetricColumns(metric).compact_blocks(
                metric_result.columns[0]
            )
            for name in SentenceScores(metric).outputs(next(blocks)):
                names[name] = None
    for group in groups(context.results):
        header, _ = group.ranked_table(context.digits)
        titles += header
    outputs = list(names)
    patterns = ColumnPatterns(context.columns)
    patterns.check([*outputs, *titles])
    return [outputs[number] for number in patterns.numbers(outputs)]


def _sentence_rows(
    metric_results: Sequence[MetricResult], outputs: Sequence[str]
) -> Iterator[Rows]:
    """Yield the rows of sentences.parquet, a block of lines at a time.

    `outputs` are the names of the outputs beside the score. They are NaN for a metric that does not
    have them.
    """
    for metric_result in metric_results:
        metric = metric_result.metric
        sentence_scores = SentenceScores(metric)
        for score, columns in zip(
            metric_result.scores, metric_result.columns, strict=False
        ):
            labels = {
                "dataset": score.dataset,
                "system": score.system,
                "metric": score.metric,
            }
            first_line = 1
            for block in MetricColumns(metric).compact_blocks(columns):
                scores = sentence_scores.scores(block)
                count = len(scores)
                arrays = _line_arrays(metric_result, first_line, count)
                arrays["score"] = scores
                if outputs:
                    missing = np.full(count, np.nan)
                    output_arrays = sentence_scores.outputs(block)
                    for name in outputs:
                        arrays[name] = output_arrays.get(name, missing)
                yield Rows(labels, arrays)
                first_line += count


def _line_arrays(
    metric_result: MetricResult, first: int, count: int
) -> dict[str, Any]:
    """Return the columns line and id of `count` lines from line `first`; ids may be None."""
    ids: Sequence[str | None] = [None] * count
    if metric_result.ids:
        ids = metric_result.ids.read(first - 1, first - 1 + count)
    return {
        "id": np.array(ids, object),
        "line": np.arange(first, first + count),
    }


def _count_rows(
    spec: StatisticsSpec, metric_results: Sequence[MetricResult]
) -> Iterator[Rows]:
    """Yield the rows of columns.KEY.parquet, a block of lines at a time, for each reference.

    If no count depends on the reference, a block comes once, with reference -1. A line without the
    reference has no row.
    """
    for metric_result in metric_results:
        fields = spec.schema(metric_result.references).fields
        references: Sequence[int] = (-1,)
        if any(field.per_reference for field in fields):
            references = range(metric_result.references)
        for score, columns in zip(
            metric_result.scores, metric_result.columns, strict=False
        ):
            labels = {"dataset": score.dataset, "system": score.system}
            first = 1
            for block in columns.blocks():
                count = len(next(iter(block.values())))
                lines = _line_arrays(metric_result, first, count)
                first += count
                for reference in references:
                    arrays = dict(lines)
                    arrays["reference"] = np.full(count, reference, np.int16)
                    for field in fields:
                        arrays |= _field_arrays(block, field, reference)
                    if reference >= 0 and "ref_len" in block:
                        lengths = block["ref_len"][:, reference]
                        present = np.flatnonzero(lengths >= 0)
                        for name, array in arrays.items():
                            arrays[name] = array[present]
                    yield Rows(labels, arrays)


def _field_arrays(
    block: Mapping[str, Any], field: Any, reference: int
) -> dict[str, Ints]:
    """Return the columns of a field of the counts: one for each order, if it has orders."""
    array = block[field.name]
    if field.per_reference:
        array = array[:, reference]
    if not field.orders:
        return {field.name: array}
    arrays = {}
    for order in range(field.orders):
        arrays[f"{field.name}_{order + 1}"] = array[:, order]
    return arrays


def _parquet(
    rows: Callable[[], Iterator[Rows]],
    types: dict[str, str],
    metric_results: Sequence[MetricResult],
    labels: Sequence[str] = LABELS,
) -> Content:
    """Yield the bytes of a Parquet file with the rows that rows() yields.

    `types` has the type of pyarrow of each column but those of names, `labels`. All names are those
    of the scores of `metric_results`.
    """
    import pyarrow as pa
    from pyarrow import parquet

    # number the names of each label
    label_type = pa.dictionary(pa.int32(), pa.string())
    numbers: dict[str, dict[str, int]] = {}
    fields = []
    for label in labels:
        label_numbers: dict[str, int] = {}
        for metric_result in metric_results:
            for score in metric_result.scores:
                name = getattr(score, label)
                label_numbers.setdefault(name, len(label_numbers))
        numbers[label] = label_numbers
        fields.append((label, label_type))
    for name, kind in types.items():
        column_type = getattr(pa, kind)()
        fields.append((name, column_type))
    schema = pa.schema(fields)

    def batch(block: Rows) -> Any:
        """Return a block of rows as pyarrow has them."""
        arrays = []
        count = len(block.arrays["line"])
        for label in labels:
            name = block.labels[label]
            number = numbers[label][name]
            names = pa.array(numbers[label], pa.string())
            indices = np.full(count, number, np.int32)
            arrays.append(pa.DictionaryArray.from_arrays(indices, names))
        for name in types:
            # NaN and None become missing values
            column = pa.array(block.arrays[name], from_pandas=True)
            arrays.append(column)
        return pa.record_batch(arrays, schema=schema)

    with TemporaryFile() as file:
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            batches = map(batch, rows())
            while group := list(islice(batches, BLOCKS_IN_GROUP)):
                table = pa.Table.from_batches(group)
                writer.write_table(table)
        file.seek(0)
        while data := file.read(READ_BYTES):
            yield data
