"""Formats of texts by name. Whatever the config names as texts becomes a file with one text after
the other.

To add one: a file here with a function that yields the texts of a file, and a line in READERS.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from ...errors import CorpusError, Problem
from ...files.plain_files import OPENERS, SEPARATOR, Origin, StoredTexts, TempFiles, named
from ...files.remote import Remote
from ...lookup import Table, later
from ..config.resolved import Column, Input, TextFormat
from .records import CSV_ROW, FOLDER, SPLITS, as_text, fields, kind_of, value_of

READERS: Table[TextFormat] = Table(
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
            column="its name in the first line, or its number from 1",
            header="whether the first line has the names; default: only where column is a name",
            unit=CSV_ROW,
        ),
        "tsv": TextFormat(
            later(__name__, "records.tsv"),
            "A text in a column of tab-separated lines (no quoting).",
            column="its name in the first line, or its number from 1",
            header="whether the first line has the names; default: only where column is a name",
        ),
        "blocks": TextFormat(
            later(__name__, "blocks.blocks"),
            "The references of an output on a line each, and an empty line before those of the next output.",
            unit=", block ",
        ),
        "by_source": TextFormat(
            later(__name__, "blocks.by_source"),
            "The texts of each source, in a CSV or TSV file with sources and texts: references, or outputs.",
            unit=", source ",
        ),
        "parquet": TextFormat(
            later(__name__, "records.parquet"),
            "A text in a column of a Parquet file; needs pyarrow.",
            column="the column of the text; a.b is the field b of a struct a, a[0] the first of a list",
            unit=", row ",
        ),
        "arrow": TextFormat(
            later(__name__, "records.arrow"),
            "A text in a column of an Arrow file, or of a folder that save_to_disk() of `datasets` wrote; needs pyarrow.",
            column="the column of the text; a.b is the field b of a struct a, a[0] the first of a list",
            unit=", row ",
        ),
    },
    kind="text_formats",
)
ENCODED = "encoded"
"""The format of lines in another encoding, whose name stands in place of the column."""
_OTHERS = {
    ENCODED: TextFormat(
        later(__name__, "records.encoded"), "Lines in another encoding than UTF-8."
    ),
    "numbers": TextFormat(
        later(__name__.rpartition(".")[0], "number_files.numbers"),
        "Numbers of each sentence, which no data set names but the metric external.",
    ),
}
"""Formats that configs name in other ways, or the command line alone."""


def format_named(kind: str) -> TextFormat:
    """Return a format, also one that configs name in other ways; raises KeyError."""
    return _OTHERS[kind] if kind in _OTHERS else READERS[kind]


def file_of(text: Input) -> Path | Remote:
    """Return the file that the config names as a text, or as what holds texts."""
    return text if isinstance(text, Path | Remote) else text.path


def stored_texts(text: Input, temp_files: TempFiles) -> StoredTexts:
    """Return the file that holds the texts: plain files are used in place, all else is spooled.
    Raises CorpusError."""
    if isinstance(text, Path | Remote):
        return StoredTexts(temp_files.raw(text), b"\n", Origin(named(text)))
    origin = Origin(named(text.path), format_named(text.kind).unit, int(text.header))
    texts = (as_text(value, text, place) for value, place in _values(text, origin, temp_files))
    return StoredTexts(temp_files.write_texts(origin.name, texts), SEPARATOR, origin)


def _values(
    text: Column, origin: Origin, temp_files: TempFiles
) -> Iterator[tuple[object, Callable[[], str]]]:
    """Yield what each record has, and a function that says where it is."""
    for number, record in enumerate(
        format_named(text.kind).texts(temp_files.local(text.path), origin.name, text), 1
    ):
        place = partial(origin.at, number)
        yield value_of(record, text, place), place


def sizes_of_lists(text: Column, temp_files: TempFiles) -> bytearray:
    """Return how many texts the list of each record has, a byte for each; nothing where the first
    one is no list.

    Raises CorpusError where another record has none, and for a list with more texts than there may
    be references."""
    sizes, origin = (
        bytearray(),
        Origin(named(text.path), format_named(text.kind).unit, int(text.header)),
    )
    for value, place in _values(text, origin, temp_files):
        own = [] if value is None and text.null else value
        if isinstance(own, list) and len(own) <= MOST:
            sizes.append(len(own))
            continue
        if not isinstance(own, list) and not any(sizes):
            break
        many = (
            f" has {len(own):,} texts; at most {MOST} references are supported"
            if isinstance(own, list)
            else ""
        )
        message = (
            many or f": expected a list of texts, as in the first record; found {kind_of(own)}"
        )
        raise CorpusError([Problem(place(), f"'{text.column}'{message}")])
    return sizes if any(sizes) else bytearray()


MOST = 255
"""The most references."""


def refuse_table(path: Path, plain: Path, name: str) -> None:
    """Raise CorpusError for a file that is named as plain text, and has fields, of which one has to
    be named.

    `plain` is the file unpacked. One whose name does not say that it is a table is taken for JSON
    lines if it is that."""
    kind = format_in(str(path))
    known = [] if kind and READERS[kind].open else fields(plain, kind or "jsonl")
    if len(known) > (kind in ("csv", "tsv")):
        what = (
            "the lines are JSON objects, not texts"
            if kind in ("jsonl", None)
            else f"is a table ({kind}), no text"
        )
        how = f"write {name}:{known[-1]}" if kind else "give it a name that ends in .jsonl"
        how += f", or in a config {{{kind or 'jsonl'}: FILE, column: {known[-1]}}}"
        raise CorpusError(
            [Problem(name, f"{what}: name one of its fields, {', '.join(known[:20])}: {how}")]
        )


def format_in(name: str) -> str | None:
    """Return the format that the suffix of a file's name says, before that of a packed file; None
    for plain text.

    A folder that `datasets` wrote is Arrow.
    """
    parts = Path(name).name.lower().split(".")[1:]
    suffix = next((part for part in reversed(parts) if f".{part}" not in OPENERS), "")
    if suffix in ("", "txt") and not Path(name).is_dir():
        return None  # most texts, for which no extension has to be looked for
    suffixes = {s: name for name, form in READERS.items() for s in (name, *form.suffixes)}
    with suppress(OSError, ValueError):  # what no file can be called is no such folder
        if any((Path(name) / file).is_file() for file in (FOLDER, SPLITS)):
            return "arrow"
    return suffixes.get(suffix)
