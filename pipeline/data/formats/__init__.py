"""Formats of texts by name. Texts that the config names become a file with one text after another.

To add one: a file here with a function that yields the texts of a file, and a line in TEXT_FORMATS.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from ...errors import CorpusError
from ...files import OPENERS, Origin, Remote, StoredTexts, TempFiles, named
from ...lookup import Table, later
from ..config.resolved import Column, Input, TextFormat
from ..inputs import MAX_REFERENCES
from .records import (
    ARROW_SPLITS,
    ARROW_STATE,
    CSV_ROW,
    as_text,
    fields,
    kind_of,
    value_of,
)

COLUMN_HELP = "its name in the first line, or its number from 1"
PATH_HELP = "the column of the text; a.b is the field b of a struct a, a[0] the first of a list"
HEADER_HELP = (
    "whether the first line has the names; default: only where column is a name"
)


class TextFormats(Table[TextFormat]):
    """A table of formats by name, which also knows the suffixes of their files."""

    def of_file(self, name: str) -> str | None:
        """Return the name of the format by the suffix of a file, before that of a packed file.

        None means plain text. A folder that `datasets` wrote is Arrow.
        """
        parts = Path(name).name.lower().split(".")[1:]
        suffixes = [part for part in parts if f".{part}" not in OPENERS]
        suffix = suffixes[-1] if suffixes else ""
        if suffix in ("", "txt") and not Path(name).is_dir():
            return None  # most texts, for which extensions need not be loaded
        with suppress(OSError, ValueError):  # names that no file can have
            if (Path(name) / ARROW_STATE).is_file() or (
                Path(name) / ARROW_SPLITS
            ).is_file():
                return "arrow"
        format_of_suffix = {}
        for kind, text_format in self.items():
            for known in (kind, *text_format.suffixes):
                format_of_suffix[known] = kind
        return format_of_suffix.get(suffix)


TEXT_FORMATS = TextFormats(
    __name__,
    {
        "jsonl": TextFormat(
            later(__name__, "records.jsonl"),
            "A text in each line's JSON object.",
            column="the key of the text; a.b is the key b inside a, a[0] the first of a list",
            suffixes=("ndjson", "json"),
        ),
        "csv": TextFormat(
            later(__name__, "records.csv"),
            "A text in a column of a CSV file, whose cells may be quoted.",
            column=COLUMN_HELP,
            header=HEADER_HELP,
            unit=CSV_ROW,
        ),
        "tsv": TextFormat(
            later(__name__, "records.tsv"),
            "A text in a column of tab-separated lines (no quoting).",
            column=COLUMN_HELP,
            header=HEADER_HELP,
        ),
        "parquet": TextFormat(
            later(__name__, "records.parquet"),
            "A text in a column of a Parquet file; needs pyarrow.",
            column=PATH_HELP,
            unit=", row ",
        ),
        "arrow": TextFormat(
            later(__name__, "records.arrow"),
            "A text in a column of an Arrow file, or of a folder that save_to_disk() of `datasets` "
            "wrote; needs pyarrow.",
            column=PATH_HELP,
            unit=", row ",
        ),
    },
    kind="text_formats",
)
"""The formats of texts in records, which a config names as {FORMAT: PATH}."""
_ENCODED = TextFormat(
    later(__name__, "records.encoded"),
    "Lines in another encoding than UTF-8.",
)
"""The format of Column.ENCODED, which the command line alone can name."""


def format_of(column: Column) -> TextFormat:
    """Return the format of a column; raises KeyError."""
    if column.format:
        return column.format
    if column.kind == Column.ENCODED:
        return _ENCODED
    return TEXT_FORMATS[column.kind]


def file_of(text: Input) -> Path | Remote:
    """Return the file of a text that the config names."""
    return text if isinstance(text, Path | Remote) else text.path


def stored_texts(text: Input, temp_files: TempFiles) -> StoredTexts:
    """Return the file that holds the texts; raises CorpusError.

    Plain files are read in place. The texts of all others are written to a temporary file.
    """
    if isinstance(text, Path | Remote):
        return StoredTexts(temp_files.raw(text), b"\n", Origin(named(text)))
    origin = _origin(text)
    values = _values(text, origin, temp_files)
    texts = (as_text(value, text, position) for value, position in values)
    return StoredTexts(
        temp_files.write_texts(origin.name, texts), TempFiles.SEPARATOR, origin
    )


def _origin(text: Column) -> Origin:
    return Origin(named(text.path), format_of(text).unit, int(text.header))


def _values(
    text: Column, origin: Origin, temp_files: TempFiles
) -> Iterator[tuple[object, Callable[[], str]]]:
    """Yield the value of each record, and a function that returns the position of the record."""
    path = temp_files.local(text.path)
    records = format_of(text).texts(path, origin.name, text)
    for number, record in enumerate(records, 1):
        position = partial(origin.at, number)
        yield value_of(record, text, position), position


def sizes_of_lists(text: Column, temp_files: TempFiles) -> bytearray:
    """Return how many texts the list of each record has, a byte each; empty for a column of texts.

    Raises CorpusError if only some records have lists, and for lists of more than MAX_REFERENCES.
    """
    sizes = bytearray()
    for value, position in _values(text, _origin(text), temp_files):
        texts = [] if value is None and text.null else value
        if not isinstance(texts, list):
            if not any(sizes):
                break
            message = f": expected a list of texts, as in the first record; found {kind_of(texts)}"
            raise CorpusError.at(position(), f"'{text.column}'{message}")
        if len(texts) > MAX_REFERENCES:
            message = f" has {len(texts):,} texts; at most {MAX_REFERENCES} references are supported"
            raise CorpusError.at(position(), f"'{text.column}'{message}")
        sizes.append(len(texts))
    return sizes if any(sizes) else bytearray()


def refuse_table(path: Path, plain: Path, name: str) -> None:
    """Raise CorpusError for a table that is named as plain text: one of its fields must be named.

    `plain` is the file unpacked. A file without a known suffix is refused if it holds JSON lines.
    """
    kind = TEXT_FORMATS.of_file(str(path))
    known = (
        []
        if kind and TEXT_FORMATS[kind].open
        else fields(plain, kind or "jsonl")
    )
    one_field_is_text = kind in ("csv", "tsv")
    if len(known) <= one_field_is_text:
        return
    if kind in ("jsonl", None):
        what = "the lines are JSON objects, not texts"
    else:
        what = f"is a table ({kind}), no text"
    how = (
        f"write {name}:{known[-1]}"
        if kind
        else "give it a name that ends in .jsonl"
    )
    how += f", or in a config {{{kind or 'jsonl'}: FILE, column: {known[-1]}}}"
    message = f"{what}: name one of its fields, {', '.join(known[:20])}: {how}"
    raise CorpusError.at(name, message)
