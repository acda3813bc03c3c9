"""A text file read once from end to end: checked, and remembered so that any lines of it can be read later."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import CorpusError, Problem
from ..io.plain_files import Origin, Spool, Spooled, reason
from ..io.remote import RangeReader, Remote, RemoteStamp
from .scan import Scanner, scan
from .spans import Stamp, stamp_of
from .texts import AnyText, TextFile

PIECE = 1 << 20
"""Bytes read at once."""
STRIDE = 128
"""Lines between two remembered places of a file; shards are cut at these."""


def index_text(file: Spooled, spool: Spool | None = None) -> TextFile:
    """Index and check texts in a file; spool: what they are in, and must outlive."""
    path, separator, origin = file
    try:
        stamp, found = _scanned(path, separator)
    except (OSError, ValueError) as error:
        message = reason(path, error) if isinstance(path, Path) else str(error)
        raise CorpusError([Problem(origin.name, message)]) from None
    except CorpusError as error:
        problem = error.problems[0]
        place = origin.at(int(problem.position)) if problem.position.isdecimal() else problem.position
        raise CorpusError([Problem(place, problem.message)]) from None
    return TextFile(
        path=path,
        lines=found.lines,
        size=found.offset,
        digest=found.hash.hexdigest(),
        has_bom=found.has_bom,
        blanks=np.array(found.blanks, np.int64),
        places=np.unique(np.concatenate(found.places)),
        stride=STRIDE,
        odd=found.odd,
        separator=separator,
        origin=None if origin == Origin(str(path)) else origin,
        keeper=spool,
        stamp=stamp,
    )


def _scanned(path: Path | Remote, separator: bytes) -> tuple[Stamp | RemoteStamp, Scanner]:
    if isinstance(path, Remote):
        reader = RangeReader(path)
        return reader.stamp, scan(reader, separator, PIECE, STRIDE)
    with path.open("rb") as opened:
        return Stamp.of(opened.fileno()), scan(opened, separator, PIECE, STRIDE)


def changed(file: AnyText) -> bool:
    """Whether a file has other lines than when it was checked; it is read again only where its stamp is another."""
    if not isinstance(file, TextFile) or file.stamp is None:
        return False
    try:
        if stamp_of(file.path) == file.stamp:
            return False
        return index_text(Spooled(file.path, file.separator, Origin(str(file.path)))).digest != file.digest
    except (OSError, CorpusError):
        return True
