"""Texts in the records of a file: JSON lines, CSV, tab-separated lines, Parquet, Arrow, and lines
in other encodings.

Each reader takes a path, the name of the file in messages, and what the config says of the column.
It yields the text of each record, or a mapping in which `value_of` finds it. It raises CorpusError
with the line or row."""

import csv as csv_files
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from ...errors import CorpusError, Problem, did_you_mean
from ...files.plain_files import numbered_lines, open_bytes, small_bytes
from ...files.safe_files import MAX_JSON, parse_json
from ...files.small_tables import at_line
from ..config.resolved import Column

NULL = "null is for references, with `empty_references: none` (--empty-references none)"
SEVERAL = "; of references a list is read as several, of other texts name an item, such as"
LONGEST = 1 << 24
"""The most letters of a cell of a CSV file: a quote that is not closed takes the rest of the file.
"""
START = 1 << 20
"""Bytes of a file in which its fields are looked for."""
FOLDER, SPLITS = "state.json", "dataset_dict.json"
"""What a folder has that save_to_disk() of Hugging Face's package datasets wrote: of a data set,
and of its splits."""


def jsonl(path: Path, name: str, _: Column) -> Iterator[object]:
    """Yield the JSON object of each line."""
    for number, line in numbered_lines(path, name):
        try:
            record = json.loads(line, object_pairs_hook=_once)
        except (ValueError, RecursionError) as error:
            detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            detail += (
                "; a JSON list is no JSON lines, which have an object a line"
                if line.strip() == "["
                else ""
            )
            message = (
                f"not valid JSON: {detail}" if line.strip() else "is empty; expected a JSON object"
            )
            raise at_line(name, number, message) from None
        if not isinstance(record, dict):
            raise at_line(name, number, f"expected a JSON object, found {kind_of(record)}")
        yield record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object from its pairs; raises ValueError where a key comes twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(
            f"the key '{next(key for key in keys if keys.count(key) > 1)}' is given twice"
        )
    return record


def _steps(column: str) -> list[str]:
    """Return the steps of a path: "a.b[0]" and "a.b.0" are the first item of the list b inside a."""
    return column.replace("[", ".").replace("]", "").split(".")


def value_of(record: object, column: Column, place: Callable[[], str]) -> object:
    """Return the value at the key "a.b[0]", or else at that path. In a list, a step is the number
    of an item, from 0.

    An item beyond the end of a list is None where the config allows for missing texts. What is no
    record stays as it is. Raises CorpusError where there is no such value. `place` says where in
    which file the record is."""
    if not isinstance(record, dict):
        return record
    if column.column in record:
        return record[column.column]
    value: Any = record
    for step in _steps(column.column):
        if isinstance(value, list) and step.isascii() and step.isdigit():
            value = value[int(step[:9])] if int(step[:9]) < len(value) else None
            if value is None and not column.null:
                raise CorpusError(
                    [
                        Problem(
                            place(), f"has no '{column.column}': the list has too few items; {NULL}"
                        )
                    ]
                )
        elif isinstance(value, dict) and step in value:
            value = value[step]
        elif value is not None or not column.null:
            hint = (
                did_you_mean(column.column if value is record else step, value)
                if isinstance(value, dict)
                else ""
            )
            found = (
                f"; found {', '.join(list(value)[:20])}"
                if isinstance(value, dict) and not hint
                else ""
            )
            raise CorpusError([Problem(place(), f"has no '{column.column}'{hint}{found}")])
    return value


def as_text(value: object, column: Column, place: Callable[[], str]) -> bytes:
    """Return a text as UTF-8; null is a missing text where the config allows it, and becomes an
    empty one.

    Raises CorpusError for what is no text. `place` says where in which file it is.
    """
    if isinstance(value, bytes):
        return value
    if column.key == column.column:
        value = str(value) if type(value) is int else value
        if isinstance(value, str) and (not value.strip() or len(value.splitlines()) > 1):
            raise CorpusError(
                [Problem(place(), f"'{column.key}': expected an id, found {value[:50]!r}")]
            )
    if value is None and column.null:
        return b""
    if not isinstance(value, str):
        hint = (
            f"; {NULL}"
            if value is None
            else f"{SEVERAL} '{column.column}[0]'"
            if isinstance(value, list)
            else ""
        )
        hint = (
            f"; name a key of it, '{column.column}.{next(iter(value), 'KEY')}'"
            if isinstance(value, dict)
            else hint
        )
        raise CorpusError(
            [Problem(place(), f"'{column.column}': expected text, found {kind_of(value)}{hint}")]
        )
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        message = f"'{column.column}': character {error.start + 1} is half of a surrogate pair, which is no text"
        raise CorpusError([Problem(place(), message)]) from None


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


def tsv(path: Path, name: str, column: Column) -> Iterator[str]:
    """Yield a column of tab-separated lines; all lines must have as many columns as the first."""
    return _cells((line.split("\t") for _, line in numbered_lines(path, name)), name, column, ":")


def csv(path: Path, name: str, column: Column) -> Iterator[str]:
    """Yield a column of a CSV file, as spreadsheets write them: cells may stand in quotes, and hold
    line ends.

    The first line says whether commas, semicolons or tabs separate the cells.
    """
    lines = (f"{line}\n" for _, line in numbered_lines(path, name))
    first = next(lines, "")
    every = csv_files.reader(chain([first], lines), delimiter=separator_of(first), strict=True)

    def rows() -> Iterator[list[str]]:
        number = 1
        csv_files.field_size_limit(LONGEST)  # of the whole process; small tables set theirs
        try:
            for number, row in enumerate(every, 2):  # noqa: B007 (the number of the row after this one)
                yield row or [""]
        except csv_files.Error as error:
            raise at_line(
                name, number, f"not valid CSV: {error}; is a quote not closed?", CSV_ROW
            ) from None

    return _cells(rows(), name, column, CSV_ROW)


CSV_ROW = ", row "
"""A row of a CSV file may have several lines. The row of names is row 1, as in spreadsheets."""


def separator_of(line: str) -> str:
    """Return what separates the cells of a CSV file with this first line."""
    return max(",;\t", key=line.count)


def _cells(rows: Iterable[list[str]], name: str, column: Column, unit: str) -> Iterator[str]:
    """Yield the cells of a column; raises CorpusError where a row has more or fewer cells than the
    first.
    """
    index, width = 0, 0
    for number, cells in enumerate(rows, 1):
        if number == 1:
            width, index = len(cells), _index(cells, column, name)
            if column.header:
                continue
        if len(cells) != width:
            raise at_line(
                name, number, f"has {len(cells)} columns; the first line has {width}", unit
            )
        yield cells[index]


def _index(cells: list[str], column: Column, name: str) -> int:
    if column.header and column.column in cells:
        if cells.count(column.column) > 1:
            raise at_line(name, 1, f"two columns are called '{column.column}'")
        return cells.index(column.column)
    if column.column.isascii() and column.column.isdigit():
        if not 1 <= int(column.column) <= len(cells):
            raise at_line(
                name,
                1,
                f"has {len(cells)} columns, numbered from 1; there is no column {column.column}",
            )
        return int(column.column) - 1
    raise _absent(f"{name}:1", column.column, cells)


def _absent(place: str, column: str, names: list[str]) -> CorpusError:
    hint, listed = did_you_mean(column, names), ", ".join(names[:20])
    return CorpusError([Problem(place, f"no column is called '{column}'{hint}; found {listed}")])


def encoded(path: Path, name: str, text: Column) -> Iterator[bytes]:
    """Yield the lines of a text in another encoding than UTF-8, which stands in place of the
    column.
    """
    number = 1
    with open_bytes(path, name) as file:
        try:
            lines = io.TextIOWrapper(file, encoding=text.column, newline="\n")
            for number, line in enumerate(lines, 2):  # noqa: B007 (the number of the line after this one)
                yield line.removesuffix("\n").removesuffix("\r").encode()
        except UnicodeDecodeError as error:
            number += error.object[: error.start].decode(error.encoding, "ignore").count("\n")
            message = f"the byte 0x{error.object[error.start]:02x} is not valid {text.column}: {error.reason}"
            raise at_line(name, number, message) from None
        except UnicodeError as error:
            raise at_line(name, number, f"cannot be read as {text.column}: {error}") from None


@contextmanager
def _arrow(name: str, kind: str) -> Iterator[Any]:
    """Give pyarrow; raises CorpusError where it is not installed, and where it cannot read a file
    of this kind.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        raise CorpusError(
            [Problem(name, "needs the package pyarrow: pip install 'gec-pipeline[parquet]'")]
        ) from None
    try:
        yield pa
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        raise CorpusError(
            [Problem(name, f"cannot be read as {kind}: {str(error).splitlines()[0]}")]
        ) from None


def parquet(path: Path, name: str, column: Column) -> Iterator[object]:
    """Yield records of a Parquet file with the column alone; needs pyarrow."""
    with _arrow(name, "Parquet") as pa:
        metadata = pa.parquet.read_metadata(path)
        root = _root(metadata.schema.to_arrow_schema(), column, name)
        leaves = [metadata.schema.column(i).path for i in range(len(metadata.schema.names))]
        inner = column.column.partition("[")[
            0
        ]  # of a struct only this field is read, where that is no list
        own = [leaf for leaf in leaves if f"{leaf}.".startswith(f"{root}.")]
        leaves = [leaf for leaf in own if leaf == inner] or own
        # With read_dictionary, a text that occurs a million times is in memory once; else a small
        # file could fill it. pyarrow has no dictionaries inside of lists and structs, so that few
        # of these are in memory at once.
        alone = leaves == [root]
        with pa.parquet.ParquetFile(
            path, metadata=metadata, read_dictionary=leaves if alone else None
        ) as file:
            batches = file.iter_batches(
                batch_size=1024 if alone else 64, columns=leaves, use_threads=False
            )
            yield from _records(batches, root)


def arrow(path: Path, name: str, column: Column) -> Iterator[object]:
    """Yield records, with the column alone, of an Arrow file or a folder of `datasets`; needs
    pyarrow.
    """
    for file in _arrow_files(path, name):
        with (
            open_bytes(file, name) as source,
            _arrow(name, "Arrow") as pa,
            pa.ipc.open_stream(source) as reader,
        ):
            yield from _records(reader, _root(reader.schema, column, name))


def _arrow_files(path: Path, name: str) -> list[Path]:
    """Return the files of Arrow at a path, in order; raises CorpusError for a folder that is no
    single data set.
    """
    if not path.is_dir():
        return [path]
    try:
        if (path / FOLDER).is_file():
            state = parse_json(small_bytes(path / FOLDER, MAX_JSON))
            return [path / Path(str(item["filename"])).name for item in state["_data_files"]]
        splits = parse_json(small_bytes(path / SPLITS, MAX_JSON))["splits"]
    except (CorpusError, ValueError, LookupError, TypeError):
        message = f"is a folder without {FOLDER}; expected what Dataset.save_to_disk() writes, or name an .arrow file"
        raise CorpusError([Problem(name, message)]) from None
    listed = ", ".join(f"{name}/{split}" for split in splits)
    raise CorpusError(
        [Problem(name, f"is a folder of several data sets, the splits; name one of {listed}")]
    )


def _root(schema: Any, column: Column, name: str) -> str:
    """Return the column of a table that a path begins with; raises CorpusError where there is none."""
    root = column.column if column.column in schema.names else _steps(column.column)[0]
    if root not in schema.names:
        raise _absent(name, column.column, schema.names)
    return root


def _records(batches: Iterable[Any], root: str) -> Iterator[dict[str, Any]]:
    for batch in batches:
        batch.validate(full=True)
        yield from ({root: scalar.as_py()} for scalar in batch.column(root))


def fields(path: Path, kind: str) -> list[str]:
    """Return the fields of a file of records, as a column may name them; none where it is no such
    file.

    Raises CorpusError for what cannot be read as Parquet or Arrow.
    """
    if kind in ("parquet", "arrow"):
        with (
            open_bytes(_arrow_files(path, str(path))[0], str(path)) as source,
            _arrow(str(path), kind) as pa,
        ):
            schema = (
                pa.parquet.read_schema(source)
                if kind == "parquet"
                else pa.ipc.open_stream(source).schema
            )
            return list(schema.names)
    try:
        with open_bytes(path, str(path)) as file:
            lines = file.read(START).decode("utf-8-sig", "replace").splitlines()[:3]
        if kind == "jsonl":
            records = [json.loads(line) for line in lines]
            return list(records[0]) if all(isinstance(record, dict) for record in records) else []
        return next(
            csv_files.reader(lines, delimiter=separator_of(lines[0]) if kind == "csv" else "\t")
        )
    except (CorpusError, ValueError, RecursionError, LookupError, csv_files.Error):
        return []
