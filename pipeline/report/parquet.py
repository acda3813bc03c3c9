"""Sentence scores and counts as Parquet. Needs pyarrow.

They are written block after block, so that memory does not grow with the number of lines.
"""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..scoring.column_blocks import present_blocks
from ..scoring.sentences import every_output, sentence_scores
from .by_type.sheets import TYPE_COLUMNS, long_rows
from .tables.ranked import check_picked, picked, ranked_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Needs
    from ..scoring.board import Board
    from ..scoring.results import Results
    from .material import Material

    Content = Iterator[bytes]

GROUP = 16
"""Blocks in a row group; each has at most columns.BLOCK lines."""
LABELS = ("dataset", "system", "metric")
"""Columns of names. The file has each name once, and rows refer to it by a number."""


class Rows(NamedTuple):
    """Rows of a table that share their names."""

    names: dict[str, str]
    arrays: dict[str, Any]
    """An array [rows] for each of the other columns."""


def parquet_files(material: Material) -> dict[str, Content | bytes]:
    """Return sentences.parquet, and a columns.KEY.parquet for each kind of counts that the metrics need.

    Where there are scores by type, types.parquet has a row for each system, type and output, as types.csv has.

    A row of sentences.parquet has data set, system, signature, line (from 1) and score (a fraction). It also has the
    outputs of the sentence that `material.columns` name, and none where its metric has no such output. A row of a file
    of counts has data set, system, line, reference (from 0, or -1 if no count depends on it) and the counts; those that
    do not depend on the reference are repeated.
    """
    files: dict[str, Content | bytes] = {} if material.by_type else _of_sentences(material.measured, _asked(material))
    return files | ({"types.parquet": _types_file(material.results)} if material.results.breakdown else {})


def _asked(material: Material) -> list[str]:
    """Return the names of the outputs of sentences that are asked for; raises InputError for an unknown column."""
    if not material.columns:
        return []
    measured = [one for one in material.measured if one.columns]
    first = [(one.metric, next(present_blocks(one.metric, one.columns[0]))) for one in measured]
    names = list(dict.fromkeys(name for metric, block in first for name in every_output(metric, block)))
    check_picked([*names, *_titles(material)], material.columns)
    return [names[number] for number in picked(names, material.columns)]


def _titles(material: Material) -> list[str]:
    """Return the titles of the tables, whose columns are not those of sentences."""
    scores = [list(one.scores) for one in material.measured]
    return [title for own in scores for title in ranked_table(material.results, own, material.digits)[0]]


def _of_sentences(scored: Sequence[Board], asked: Sequence[str]) -> dict[str, Content | bytes]:
    """Return sentences.parquet and the files of counts."""
    types = {"line": "int64", **dict.fromkeys(["score", *asked], "float64")}
    files: dict[str, Content | bytes] = {
        "sentences.parquet": _parquet(partial(_sentences, scored, asked), types, scored)
    }
    for needs in dict.fromkeys(measured.metric.needs for measured in scored):
        own = [measured for measured in scored if measured.metric.needs == needs]
        once = list({measured.scores[0].dataset: measured for measured in reversed(own)}.values())[::-1]
        types = {"line": "int64", "reference": "int16", **_types(needs)}
        files[f"columns.{needs.key}.parquet"] = _parquet(partial(_counts, needs, once), types, once, LABELS[:2])
    return files


def _types_file(results: Results) -> bytes:
    """Return the scores by type as a Parquet file."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = dict(zip(TYPE_COLUMNS, zip(*long_rows(results), strict=True), strict=True))
    types = {"tier": pa.int8(), **dict.fromkeys(("value", "low", "high"), pa.float64())}
    arrays = {name: pa.array(values, types.get(name, pa.string())) for name, values in columns.items()}
    buffer = io.BytesIO()
    parquet.write_table(pa.table(arrays), buffer, compression="zstd")
    return buffer.getvalue()


def _types(needs: Needs) -> dict[str, str]:
    """Return the types of the counts with one reference, by the names of their columns."""
    types: dict[str, str] = {}
    for item in needs.schema(1).fields:
        names = [f"{item.name}_{order}" for order in range(1, item.orders + 1)] or [item.name]
        types |= dict.fromkeys(names, "float64" if item.real else "int64")
    return types


def _sentences(scored: Sequence[Board], asked: Sequence[str]) -> Iterator[Rows]:
    for measured in scored:
        for score, columns in zip(measured.scores, measured.columns, strict=False):
            names = {"dataset": score.dataset, "system": score.system, "metric": score.metric}
            first = 1
            for block in present_blocks(measured.metric, columns):
                scores = sentence_scores(measured.metric, block)
                outputs = every_output(measured.metric, block) if asked else {}
                more = {name: outputs.get(name, np.full(len(scores), np.nan)) for name in asked}
                yield Rows(names, {"line": np.arange(first, first + len(scores)), "score": scores} | more)
                first += len(scores)


def _counts(needs: Needs, scored: Sequence[Board]) -> Iterator[Rows]:
    for measured in scored:
        for score, columns in zip(measured.scores, measured.columns, strict=False):
            first = 1
            for block in columns.blocks():
                lines = np.arange(first, first + len(next(iter(block.values()))))
                for rows in _by_reference(needs, block, lines, measured.references):
                    yield Rows({"dataset": score.dataset, "system": score.system}, rows)
                first += len(lines)


def _by_reference(needs: Needs, block: Columns, lines: Any, references: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a block for each reference, or once if no count depends on it; missing ones have no rows."""
    fields = needs.schema(references).fields
    apart = any(item.per_reference for item in fields)
    for reference in range(references) if apart else (-1,):
        arrays: dict[str, Any] = {"line": lines, "reference": np.full(len(lines), reference, np.int16)}
        for item in fields:
            array = block[item.name][:, reference] if item.per_reference else block[item.name]
            split = {f"{item.name}_{order + 1}": array[:, order] for order in range(item.orders)}
            arrays |= split or {item.name: array}
        present = np.flatnonzero(block["ref_len"][:, reference] >= 0) if apart and "ref_len" in block else slice(None)
        yield {name: array[present] for name, array in arrays.items()}


def _parquet(
    rows: Callable[[], Iterator[Rows]],
    types: dict[str, str],
    scored: Sequence[Board],
    labels: Sequence[str] = LABELS,
) -> Content:
    """Yield a Parquet file piece by piece: the columns of labels, and others of these types."""
    import pyarrow as pa
    from pyarrow import parquet

    names = {label: list(dict.fromkeys(getattr(s, label) for m in scored for s in m.scores)) for label in labels}
    fields = [(label, pa.dictionary(pa.int32(), pa.string())) for label in labels]
    schema = pa.schema([*fields, *((name, getattr(pa, kind)()) for name, kind in types.items())])
    pipe = _Pipe()
    with parquet.ParquetWriter(pipe, schema, compression="zstd") as writer:
        waiting: list[Any] = []
        for item in rows():
            count = len(item.arrays["line"])
            arrays = []
            for label in labels:
                numbers = np.full(count, names[label].index(item.names[label]), np.int32)
                arrays.append(pa.DictionaryArray.from_arrays(numbers, pa.array(names[label], pa.string())))
            arrays += [pa.array(item.arrays[name], from_pandas=True) for name in types]
            waiting.append(pa.record_batch(arrays, schema=schema))
            if len(waiting) == GROUP:
                writer.write_table(pa.Table.from_batches(waiting))
                waiting = []
                yield pipe.taken()
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting))
    yield pipe.taken()


class _Pipe(io.RawIOBase):
    """A file in memory, from which what was written is taken piece by piece."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.pieces.append(bytes(data))
        self.position += len(self.pieces[-1])
        return len(self.pieces[-1])

    def tell(self) -> int:
        return self.position

    def taken(self) -> bytes:
        """Return what has been written since the last call, and forget it."""
        data, self.pieces = b"".join(self.pieces), []
        return data
