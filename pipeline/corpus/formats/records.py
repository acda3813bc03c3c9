"""Texts in the records of a file: JSON lines, tab-separated lines, Parquet, and lines in other encodings.

Each reader takes a path, the name of the file in messages, and what the config says of the column. It yields texts, or
raises CorpusError with the line or row.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from ...errors import CorpusError, Problem, did_you_mean
from ...io.plain_files import numbered_lines, open_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...config.resolved import Column


NULL = "null is for references, with `empty_references: none` (--empty-references none)"


def jsonl(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the text at a key of the JSON object of each line."""
    for number, line in numbered_lines(path, name):
        try:
            record = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            message = f"not valid JSON: {detail}" if line.strip() else "is empty; expected a JSON object"
            raise _wrong(name, number, message) from None
        if not isinstance(record, dict):
            raise _wrong(name, number, f"expected a JSON object, found {_kind(record)}")
        yield _text(_at(record, column.column, name, number), name, number, column)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object from its pairs; raises ValueError where a key comes twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key '{next(key for key in keys if keys.count(key) > 1)}' is given twice")
    return record


def _at(record: dict[str, Any], column: str, name: str, number: int) -> object:
    """Return the value at the key "a.b", or else at b inside a. In a list, a step is the number of an item, from 0."""
    if column in record:
        return record[column]
    value: Any = record
    for step in column.split("."):
        if isinstance(value, list) and step.isascii() and step.isdigit() and int(step[:9]) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            hint = did_you_mean(column if value is record else step, value) if isinstance(value, dict) else ""
            raise _wrong(name, number, f"has no '{column}'{hint}")
    return value


def _text(value: object, name: str, number: int, column: Column, unit: str = ":") -> bytes:
    """Return a text as UTF-8; null is a missing text where the config allows it, and becomes an empty one."""
    if value is None and column.null:
        return b""
    if not isinstance(value, str):
        hint = f"; {NULL}" if value is None else ""
        message = f"'{column.column}': expected text, found {_kind(value)}{hint}"
        raise _wrong(name, number, message, unit)
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        message = f"'{column.column}': character {error.start + 1} is half of a surrogate pair, which is no text"
        raise _wrong(name, number, message, unit) from None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _wrong(name: str, number: int, message: str, unit: str = ":") -> CorpusError:
    return CorpusError([Problem(f"{name}{unit}{number}", message)])


def tsv(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield a column of tab-separated lines; all lines must have as many columns as the first."""
    index, width = 0, 0
    for number, line in numbered_lines(path, name):
        cells = line.split("\t")
        if number == 1:
            width, index = len(cells), _index(cells, column, name)
            if column.header:
                continue
        if len(cells) != width:
            raise _wrong(name, number, f"has {len(cells)} columns; the first line has {width}")
        yield cells[index].encode()


def _index(cells: list[str], column: Column, name: str) -> int:
    if column.header and column.column in cells:
        if cells.count(column.column) > 1:
            raise _wrong(name, 1, f"two columns are called '{column.column}'")
        return cells.index(column.column)
    if column.column.isascii() and column.column.isdigit():
        if not 1 <= int(column.column) <= len(cells):
            raise _wrong(name, 1, f"has {len(cells)} columns, numbered from 1; there is no column {column.column}")
        return int(column.column) - 1
    raise _absent(f"{name}:1", column.column, cells)


def _absent(place: str, column: str, names: list[str]) -> CorpusError:
    hint, listed = did_you_mean(column, names), ", ".join(names[:20])
    return CorpusError([Problem(place, f"no column is called '{column}'{hint}; found {listed}")])


def encoded(path: Path, name: str, text: Column) -> Iterator[bytes]:
    """Yield the lines of a text in another encoding than UTF-8, which stands in place of the column."""
    number = 1
    with open_bytes(path, name) as file:
        try:
            lines = io.TextIOWrapper(file, encoding=text.column, newline="\n")
            for number, line in enumerate(lines, 2):  # noqa: B007 (the number of the line after this one)
                yield line.removesuffix("\n").removesuffix("\r").encode()
        except UnicodeDecodeError as error:
            number += error.object[: error.start].decode(error.encoding, "ignore").count("\n")
            message = f"the byte 0x{error.object[error.start]:02x} is not valid {text.column}: {error.reason}"
            raise _wrong(name, number, message) from None
        except UnicodeError as error:
            raise _wrong(name, number, f"cannot be read as {text.column}: {error}") from None


def parquet(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield a column of a Parquet file; needs pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise CorpusError([Problem(name, "needs the package pyarrow: pip install 'gec-pipeline[parquet]'")]) from None
    try:
        with pq.ParquetFile(path) as file:
            leaves = [file.schema.column(i).path for i in range(len(file.schema.names))]
            if column.column not in leaves:
                raise _absent(name, column.column, leaves)
            metadata = file.metadata
        # With read_dictionary, a text that occurs a million times is in memory once; else a small file could fill it.
        with pq.ParquetFile(path, metadata=metadata, read_dictionary=[column.column]) as file:
            row = 0
            for batch in file.iter_batches(batch_size=1024, columns=[column.column], use_threads=False):
                whole = column.column in batch.schema.names
                for scalar in batch.column(column.column if whole else 0):
                    row += 1
                    value = scalar.as_py()
                    for step in () if whole else column.column.split(".")[1:]:
                        value = value.get(step) if isinstance(value, dict) else None
                    yield _text(value, name, row, column, ", row ")
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise CorpusError([Problem(name, f"cannot be read as Parquet: {str(error).splitlines()[0]}")]) from None
