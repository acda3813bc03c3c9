"""Texts in the records of a file: JSON lines, CSV, TSV, Parquet, Arrow, and other encodings.

Each reader takes a path, the name of the file in messages, and the column as the config writes it.
It yields the text of each record, or a mapping in which `value_of` finds it. It raises CorpusError
with the line or row.
"""

import csv as csv_files
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from ...errors import CorpusError, did_you_mean
from ...files import numbered_lines, open_bytes, read_json, small_bytes
from ..config.resolved import Column

NULL_HINT = "null is for references, with `empty_references: none` (--empty-references none)"
LIST_HINT = "; of references a list is read as several, of other texts name an item, such as"
MAX_CELL_CHARACTERS = 1 << 24
"""Limits a cell of a CSV file: a quote that is not closed takes the rest of the file."""
HEAD_BYTES = 1 << 20
"""Bytes of a file in which its fields are looked up."""
MAX_STATE_BYTES = 1 << 25
"""Limits a JSON file in the folder of a data set."""
ARROW_STATE = "state.json"
"""A file in a folder that Dataset.save_to_disk() of the package `datasets` wrote."""
ARROW_SPLITS = "dataset_dict.json"
"""A file in a folder that DatasetDict.save_to_disk() of the package `datasets` wrote."""
CSV_ROW = ", row "
"""A row of a CSV file may have several lines. The row of names is row 1, as in spreadsheets."""


# ---- values of records


def value_of(
    record: object, column: Column, position: Callable[[], str]
) -> object:
    """Return the value at the key "a.b[0]", or else at that path; items of lists count from 0.

    An item beyond the end of a list is None if the config allows missing texts. What is no record
    is returned unchanged. Raises CorpusError if there is no such value; `position` returns the file
    and the line of the record.
    """
    if not isinstance(record, dict):
        return record
    if column.column in record:
        return record[column.column]
    value: Any = record
    for step in _steps(column.column):
        if isinstance(value, list) and step.isascii() and step.isdigit():
            index = int(step[:9])
            value = value[index] if index < len(value) else None
            if value is None and not column.null:
                message = f"has no '{column.column}': the list has too few items; {NULL_HINT}"
                raise CorpusError.at(position(), message)
        elif isinstance(value, dict) and step in value:
            value = value[step]
        elif value is not None or not column.null:
            hint = ""
            if isinstance(value, dict):
                hint = did_you_mean(
                    column.column if value is record else step, value
                )
                hint = hint or f"; found {', '.join(list(value)[:20])}"
            raise CorpusError.at(position(), f"has no '{column.column}'{hint}")
    return value


def _steps(column: str) -> list[str]:
    """Return the steps of a path: "a.b[0]" and "a.b.0" are the first item of the list b inside a."""
    return column.replace("[", ".").replace("]", "").split(".")


def as_text(
    value: object, column: Column, position: Callable[[], str]
) -> bytes:
    """Return a text as UTF-8; null becomes an empty text if the config allows missing texts.

    Raises CorpusError for what is no text; `position` returns the file and the line of the record.
    """
    if isinstance(value, bytes):
        return value
    if column.key == column.column:
        if type(value) is int:
            value = str(value)
        if isinstance(value, str) and (
            not value.strip() or len(value.splitlines()) > 1
        ):
            message = f"'{column.key}': expected an id, found {value[:50]!r}"
            raise CorpusError.at(position(), message)
    if value is None and column.null:
        return b""
    if not isinstance(value, str):
        hint = ""
        if value is None:
            hint = f"; {NULL_HINT}"
        elif isinstance(value, list):
            hint = f"{LIST_HINT} '{column.column}[0]'"
        elif isinstance(value, dict):
            hint = f"; name a key of it, '{column.column}.{next(iter(value), 'KEY')}'"
        message = (
            f"'{column.column}': expected text, found {kind_of(value)}{hint}"
        )
        raise CorpusError.at(position(), message)
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        message = (
            f"'{column.column}': character {error.start + 1} is half of a surrogate pair, which is "
            "no text"
        )
        raise CorpusError.at(position(), message) from None


def kind_of(value: object) -> str:
    """Return what a value of JSON is, in words."""
    names = {
        dict: "an object",
        list: "a list",
        str: "text",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(type(value), "a number")


# ---- JSON lines


def jsonl(path: Path, name: str, _: Column) -> Iterator[object]:
    """Yield the JSON object of each line."""
    for number, line in numbered_lines(path, name):
        try:
            record = json.loads(line, object_pairs_hook=_without_repeated_keys)
        except (ValueError, RecursionError) as error:
            raise CorpusError.at(
                f"{name}:{number}", _invalid_json(line, error)
            ) from None
        if not isinstance(record, dict):
            raise CorpusError.at(
                f"{name}:{number}",
                f"expected a JSON object, found {kind_of(record)}",
            )
        yield record


def _invalid_json(line: str, error: ValueError | RecursionError) -> str:
    """Return why a line is no JSON object."""
    if not line.strip():
        return "is empty; expected a JSON object"
    if isinstance(error, RecursionError):
        return "not valid JSON: nested too deeply"
    hint = ""
    if line.strip() == "[":
        hint = "; a JSON list is no JSON lines, which have an object a line"
    return f"not valid JSON: {error}{hint}"


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object from its pairs; raises ValueError for a repeated key."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key '{repeated}' is given twice")
    return record


# ---- columns of CSV and TSV


def tsv(path: Path, name: str, column: Column) -> Iterator[str]:
    """Yield a column of tab-separated lines; all lines must have as many columns as the first."""
    rows = (line.split("\t") for _, line in numbered_lines(path, name))
    return _cells(rows, name, column, ":")


def csv(path: Path, name: str, column: Column) -> Iterator[str]:
    """Yield a column of a CSV file, as spreadsheets write them.

    Cells may be quoted and hold line ends. The first line says whether commas, semicolons or tabs
    separate the cells.
    """
    lines = (f"{line}\n" for _, line in numbered_lines(path, name))
    first = next(lines, "")
    table = csv_files.reader(
        chain([first], lines), delimiter=separator_of(first), strict=True
    )

    def rows() -> Iterator[list[str]]:
        number = 1
        # of the process; small tables set theirs
        csv_files.field_size_limit(MAX_CELL_CHARACTERS)
        try:
            for number, row in enumerate(table, 2):  # noqa: B007 (the number of the row after this one)
                yield row or [""]
        except csv_files.Error as error:
            message = f"not valid CSV: {error}; is a quote not closed?"
            raise CorpusError.at(f"{name}{CSV_ROW}{number}", message) from None

    return _cells(rows(), name, column, CSV_ROW)


def separator_of(line: str) -> str:
    """Return what separates the cells of a CSV file with this first line."""
    return max(",;\t", key=line.count)


def _cells(
    rows: Iterable[list[str]],
    name: str,
    column: Column,
    unit: str,
) -> Iterator[str]:
    """Yield the cells of a column; raises CorpusError if rows have different numbers of cells."""
    index = 0
    width = 0
    for number, cells in enumerate(rows, 1):
        if number == 1:
            width = len(cells)
            index = _index(cells, column, name)
            if column.header:
                continue
        if len(cells) != width:
            message = f"has {len(cells)} columns; the first line has {width}"
            raise CorpusError.at(f"{name}{unit}{number}", message)
        yield cells[index]


def _index(cells: list[str], column: Column, name: str) -> int:
    """Return the index of a column by the first row; raises CorpusError."""
    title = column.column
    if column.header and title in cells:
        if cells.count(title) > 1:
            raise CorpusError.at(
                f"{name}:{1}", f"two columns are called '{title}'"
            )
        return cells.index(title)
    if title.isascii() and title.isdigit():
        if not 1 <= int(title) <= len(cells):
            numbers = f"has {len(cells)} columns, numbered from 1"
            raise CorpusError.at(
                f"{name}:{1}", f"{numbers}; there is no column {title}"
            )
        return int(title) - 1
    raise _no_column(f"{name}:1", title, cells)


def _no_column(position: str, column: str, names: list[str]) -> CorpusError:
    hint = did_you_mean(column, names)
    message = (
        f"no column is called '{column}'{hint}; found {', '.join(names[:20])}"
    )
    return CorpusError.at(position, message)


# ---- lines in other encodings


def encoded(path: Path, name: str, text: Column) -> Iterator[bytes]:
    """Yield the lines of a text in another encoding than UTF-8, named in place of the column."""
    number = 1
    with open_bytes(path, name) as file:
        try:
            lines = io.TextIOWrapper(file, encoding=text.column, newline="\n")
            for number, line in enumerate(lines, 2):  # noqa: B007 (the number of the line after this one)
                yield line.removesuffix("\n").removesuffix("\r").encode()
        except UnicodeDecodeError as error:
            number += (
                error.object[: error.start]
                .decode(error.encoding, "ignore")
                .count("\n")
            )
            byte = f"the byte 0x{error.object[error.start]:02x}"
            message = f"{byte} is not valid {text.column}: {error.reason}"
            raise CorpusError.at(f"{name}:{number}", message) from None
        except UnicodeError as error:
            raise CorpusError.at(
                f"{name}:{number}", f"cannot be read as {text.column}: {error}"
            ) from None


# ---- Parquet and Arrow


@contextmanager
def _arrow(name: str, kind: str) -> Iterator[Any]:
    """Yield the module pyarrow; its errors in the `with` block become a CorpusError.

    Raises CorpusError if pyarrow is not installed. `kind` is the format in messages.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        message = (
            "needs the package pyarrow: pip install 'gec-pipeline[parquet]'"
        )
        raise CorpusError.at(name, message) from None
    try:
        yield pa
    except (
        pa.ArrowException,
        OSError,
        UnicodeDecodeError,
        ValueError,
    ) as error:
        message = f"cannot be read as {kind}: {str(error).splitlines()[0]}"
        raise CorpusError.at(name, message) from None


def parquet(path: Path, name: str, column: Column) -> Iterator[object]:
    """Yield records of a Parquet file with the column alone; needs pyarrow."""
    with _arrow(name, "Parquet") as pa:
        metadata = pa.parquet.read_metadata(path)
        schema = metadata.schema
        root = _root(schema.to_arrow_schema(), column, name)
        leaves = []
        for index in range(len(schema.names)):
            leaf = schema.column(index).path
            if f"{leaf}.".startswith(f"{root}."):
                leaves.append(leaf)
        # If the path names a field of a struct and no list, only this field is read.
        inner = column.column.partition("[")[0]
        if inner in leaves:
            leaves = [inner]
        # With read_dictionary, a text that occurs a million times is in memory once; else a small
        # file could fill it. pyarrow has no dictionaries inside of lists and structs, so that few
        # of these are in memory at once.
        is_plain = leaves == [root]
        dictionaries = leaves if is_plain else None
        batch_rows = 1024 if is_plain else 64
        with pa.parquet.ParquetFile(
            path, metadata=metadata, read_dictionary=dictionaries
        ) as file:
            batches = file.iter_batches(
                batch_size=batch_rows, columns=leaves, use_threads=False
            )
            yield from _records(batches, root)


def arrow(path: Path, name: str, column: Column) -> Iterator[object]:
    """Yield records, with the column alone, of an Arrow file or a folder of `datasets`.

    Needs pyarrow.
    """
    for file in _arrow_files(path, name):
        with (
            open_bytes(file, name) as source,
            _arrow(name, "Arrow") as pa,
            pa.ipc.open_stream(source) as reader,
        ):
            yield from _records(reader, _root(reader.schema, column, name))


def _arrow_files(path: Path, name: str) -> list[Path]:
    """Return the files of Arrow at a path, in order.

    Raises CorpusError for a folder that is not a single data set.
    """
    if not path.is_dir():
        return [path]
    try:
        if (path / ARROW_STATE).is_file():
            state = read_json(small_bytes(path / ARROW_STATE, MAX_STATE_BYTES))
            return [
                path / Path(str(item["filename"])).name
                for item in state["_data_files"]
            ]
        splits = read_json(small_bytes(path / ARROW_SPLITS, MAX_STATE_BYTES))[
            "splits"
        ]
    except (CorpusError, ValueError, LookupError, TypeError):
        expected = "expected what Dataset.save_to_disk() writes, or name an .arrow file"
        message = f"is a folder without {ARROW_STATE}; {expected}"
        raise CorpusError.at(name, message) from None
    listed = ", ".join(f"{name}/{split}" for split in splits)
    message = (
        f"is a folder of several data sets, the splits; name one of {listed}"
    )
    raise CorpusError.at(name, message)


def _root(schema: Any, column: Column, name: str) -> str:
    """Return the column of a table that a path begins with; raises CorpusError if there is none."""
    root = column.column
    if root not in schema.names:
        root = _steps(root)[0]
    if root not in schema.names:
        raise _no_column(name, column.column, schema.names)
    return root


def _records(batches: Iterable[Any], root: str) -> Iterator[dict[str, Any]]:
    for batch in batches:
        batch.validate(full=True)
        for scalar in batch.column(root):
            yield {root: scalar.as_py()}


# ---- fields of any of these


def fields(path: Path, kind: str) -> list[str]:
    """Return the fields of a file of records, as a column may name them, or [] for other files.

    Raises CorpusError for what cannot be read as Parquet or Arrow.
    """
    if kind in ("parquet", "arrow"):
        file = _arrow_files(path, str(path))[0]
        with (
            open_bytes(file, str(path)) as source,
            _arrow(str(path), kind) as pa,
        ):
            if kind == "parquet":
                schema = pa.parquet.read_schema(source)
            else:
                schema = pa.ipc.open_stream(source).schema
            return list(schema.names)
    try:
        with open_bytes(path, str(path)) as source:
            head = source.read(HEAD_BYTES).decode("utf-8-sig", "replace")
        lines = head.splitlines()[:3]
        if kind == "jsonl":
            records = [json.loads(line) for line in lines]
            is_table = all(isinstance(record, dict) for record in records)
            return list(records[0]) if is_table else []
        separator = separator_of(lines[0]) if kind == "csv" else "\t"
        return next(csv_files.reader(lines, delimiter=separator))
    except (
        CorpusError,
        ValueError,
        RecursionError,
        LookupError,
        csv_files.Error,
    ):
        return []
