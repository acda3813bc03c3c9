"""Whatever the config names as texts, as a file of texts. A newcomer adds a file, and a line in READERS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...io.plain_files import SEPARATOR, Origin, Spool, Spooled, named
from ...io.remote import Remote
from .numbers import numbers
from .records import jsonl, parquet, tsv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...config.resolved import Column, Input

READERS: dict[str, Callable[[Path, str, Column], Iterator[bytes]]] = {
    "jsonl": jsonl,
    "tsv": tsv,
    "parquet": parquet,
    "numbers": numbers,
}


def file_of(wanted: Input) -> Path | Remote:
    """Return the file that texts are in."""
    return wanted if isinstance(wanted, Path | Remote) else wanted.path


def spooled(wanted: Input, spool: Spool) -> Spooled:
    """Return where texts are: plain files in place, all else spooled; raises CorpusError."""
    if isinstance(wanted, Path | Remote):
        return Spooled(spool.raw(wanted), b"\n", Origin(named(wanted)))
    name = named(wanted.path)
    texts = READERS[wanted.kind](spool.local(wanted.path), name, wanted)
    unit, offset = (", row ", 0) if wanted.kind == "parquet" else (":", int(wanted.header))
    origin = Origin(name, unit, offset)
    return Spooled(spool.write_texts(name, texts), SEPARATOR, origin)
