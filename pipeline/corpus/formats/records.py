"""Texts in the records of a file: JSON lines, tab-separated columns, Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...errors import CorpusError, Problem, did_you_mean
from ...io.plain_files import numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...config.resolved import Column


def jsonl(path: Path, name: str, wanted: Column) -> Iterator[bytes]:
    """Yield the text at a key of each line's object."""
    for number, line in numbered_lines(path, name):
        try:
            record = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            message = f"not valid JSON: {detail}" if line.strip() else "is empty; expected a JSON object"
            raise _wrong(name, number, message) from None
        if not isinstance(record, dict):
            raise _wrong(name, number, f"expected a JSON object, found {_kind(record)}")
        yield _text(_at(record, wanted.column, name, number), name, number, wanted)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key '{next(key for key in keys if keys.count(key) > 1)}' is given twice")
    return found


def _at(record: dict[str, Any], column: str, name: str, number: int) -> object:
    """Return the value at a.b: the key of this name, or else b inside a; a number is a place in a list."""
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


def _text(value: object, name: str, number: int, wanted: Column, unit: str = ":") -> bytes:
    """Return a value as UTF-8; null is a missing text, where that is allowed."""
    if value is None and wanted.null:
        return b""
    if not isinstance(value, str):
        hint = "; null is for references, with `empty_references: none`" if value is None else ""
        message = f"'{wanted.column}': expected text, found {_kind(value)}{hint}"
        raise _wrong(name, number, message, unit)
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        message = f"'{wanted.column}': character {error.start + 1} is half of a surrogate pair, which is no text"
        raise _wrong(name, number, message, unit) from None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _wrong(name: str, number: int, message: str, unit: str = ":") -> CorpusError:
    return CorpusError([Problem(f"{name}{unit}{number}", message)])


def tsv(path: Path, name: str, wanted: Column) -> Iterator[bytes]:
    """Yield a column of tab-separated lines; all lines must have as many columns as the first."""
    index, width = 0, 0
    for number, line in numbered_lines(path, name):
        cells = line.split("\t")
        if number == 1:
            width, index = len(cells), _index(cells, wanted, name)
            if wanted.header:
                continue
        if len(cells) != width:
            raise _wrong(name, number, f"has {len(cells)} columns; the first line has {width}")
        yield cells[index].encode()


def _index(cells: list[str], wanted: Column, name: str) -> int:
    if wanted.header and wanted.column in cells:
        if cells.count(wanted.column) > 1:
            raise _wrong(name, 1, f"two columns are called '{wanted.column}'")
        return cells.index(wanted.column)
    if wanted.column.isascii() and wanted.column.isdigit():
        if not 1 <= int(wanted.column) <= len(cells):
            raise _wrong(name, 1, f"has {len(cells)} columns, numbered from 1; there is no column {wanted.column}")
        return int(wanted.column) - 1
    known = ", ".join(cells[:20])
    raise _wrong(name, 1, f"no column is called '{wanted.column}'{did_you_mean(wanted.column, cells)}; found {known}")


def parquet(path: Path, name: str, wanted: Column) -> Iterator[bytes]:
    """Yield a column of a Parquet file; needs pyarrow."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise CorpusError([Problem(name, "needs the package pyarrow: pip install 'gec-pipeline[parquet]'")]) from None
    try:
        with pq.ParquetFile(path) as file:
            leaves = [file.schema.column(i).path for i in range(len(file.schema.names))]
            if wanted.column not in leaves:
                hint = did_you_mean(wanted.column, leaves)
                found = ", ".join(leaves[:20])
                raise CorpusError([Problem(name, f"no column is called '{wanted.column}'{hint}; found {found}")])
            metadata = file.metadata
        # As a dictionary, a text that occurs a million times is in memory once: else a small file could fill it.
        with pq.ParquetFile(path, metadata=metadata, read_dictionary=[wanted.column]) as file:
            row = 0
            for batch in file.iter_batches(batch_size=1024, columns=[wanted.column], use_threads=False):
                whole = wanted.column in batch.schema.names
                for scalar in batch.column(wanted.column if whole else 0):
                    row += 1
                    value = scalar.as_py()
                    for step in () if whole else wanted.column.split(".")[1:]:
                        value = value.get(step) if isinstance(value, dict) else None
                    yield _text(value, name, row, wanted, ", row ")
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise CorpusError([Problem(name, f"cannot be read as Parquet: {str(error).splitlines()[0]}")]) from None
