"""Formats of texts by name. Whatever the config names as texts becomes a file with one text after the other.

To add one: a file here with a function that yields the texts of a file, and a line in READERS.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...config.resolved import PACKED_SUFFIXES
from ...io.plain_files import SEPARATOR, Origin, Spool, Spooled, named
from ...io.remote import Remote
from ...lookup import later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...config.resolved import Column, Input


class TextFormat(NamedTuple):
    """A format of files with a text in each record. A config names such a file as {NAME OF THE FORMAT: PATH}."""

    texts: Callable[[Path, str, Column], Iterator[bytes]]
    """Yields the texts, from the path of a file, its name in messages, and what the config says of it."""
    summary: str
    """What such a file holds, for the schema."""
    column: str = ""
    """What the key `column` of a config means; empty where the format has no such key."""
    header: str = ""
    """What the key `header` of a config means; empty where the format has no such key."""
    unit: str = ":"
    """What stands between the name of a file and the number of a text in messages."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of such files, beside the name of the format: of these a column may be named as FILE:COLUMN."""


ANNOTATED = "m2"
"""The format of M2 files."""
ONE_ANNOTATOR = "m2_annotator"
"""The format of M2 files of which FILE:ANNOTATOR names one text. Without an annotator it is the source."""
READERS: dict[str, TextFormat] = {
    "jsonl": TextFormat(
        later(__name__, "records.jsonl"),
        "A text in each line's JSON object.",
        column="the key of the text; a.b is the key b inside a",
        suffixes=("ndjson",),
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
    "parquet": TextFormat(
        later(__name__, "records.parquet"),
        "A text in a column of a Parquet file; needs pyarrow.",
        column="the column of the text; a.b is the field b of a struct a",
        unit=", row ",
    ),
    ANNOTATED: TextFormat(
        later(__name__, "m2.corrected"),
        "The edits of a system in an M2 file. Its text is that which the edits make.",
        unit=", sentence ",
        suffixes=("errant",),
    ),
}
ENCODED = "encoded"
"""The format of lines in another encoding, whose name stands in place of the column."""
_OTHERS = {
    ENCODED: TextFormat(later(__name__, "records.encoded"), "Lines in another encoding than UTF-8."),
    "numbers": TextFormat(
        later(__name__, "numbers.numbers"), "Numbers of each sentence, which no data set names but the metric external."
    ),
    ONE_ANNOTATOR: TextFormat(
        later(__name__, "m2.annotated"),
        "The sentences of an M2 file, or as an annotator corrects them.",
        unit=", sentence ",
    ),
}
"""Formats that configs name in other ways, or the command line alone."""


def file_of(text: Input) -> Path | Remote:
    """Return the file that the config names as a text, or as what holds texts."""
    return text if isinstance(text, Path | Remote) else text.path


def spooled(text: Input, spool: Spool) -> Spooled:
    """Return the file that holds the texts: plain files are used in place, all else is spooled. Raises CorpusError."""
    if isinstance(text, Path | Remote):
        return Spooled(spool.raw(text), b"\n", Origin(named(text)))
    name = named(text.path)
    form = (READERS | _OTHERS)[text.kind]
    texts = form.texts(spool.local(text.path), name, text)
    origin = Origin(name, form.unit, int(text.header))
    return Spooled(spool.write_texts(name, texts), SEPARATOR, origin)


def format_in(name: str) -> str | None:
    """Return the format that the suffix of a file's name says, before that of a packed file; None for plain text."""
    parts = name.lower().split(".")[1:]
    suffix = next((part for part in reversed(parts) if f".{part}" not in PACKED_SUFFIXES), "")
    suffixes = {s: name for name, form in READERS.items() for s in (name, *form.suffixes)}
    return suffixes.get(suffix)
