"""Reads a text file once from end to end: checks it, and keeps what is needed to read any of its lines later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CorpusError, Problem
from ..io.plain_files import Origin, Spool, Spooled, reason
from ..io.remote import RangeReader, Remote, RemoteStamp
from .scan import Scanner, scan
from .spans import Stamp, stamp_of
from .texts import AnyText, TextFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIECE = 1 << 18
"""Bytes read at once: so few that they are still in the processor's cache when they are hashed."""
STRIDE = 128
"""Lines between two byte offsets that are kept; shards are cut at these lines."""


def index_text(file: Spooled, spool: Spool | None = None) -> TextFile:
    """Index and check the texts of a file; raises CorpusError. The index keeps `spool` alive, which holds the file."""
    path, separator, origin = file
    try:
        stamp, scanner = _scanned(path, separator)
    except (OSError, ValueError) as error:
        message = reason(path, error) if isinstance(path, Path) else str(error)
        raise CorpusError([Problem(origin.name, message)]) from None
    except CorpusError as error:
        problem = error.problems[0]
        place = origin.at(int(problem.position)) if problem.position.isdecimal() else problem.position
        raise CorpusError([Problem(place, problem.message)]) from None
    return TextFile(
        path=path,
        lines=scanner.lines,
        size=scanner.offset,
        digest=scanner.hash.hexdigest(),
        has_bom=scanner.has_bom,
        blank=scanner.blank,
        blank_bits=np.concatenate(scanner.bits),
        offsets=_distinct(np.concatenate(scanner.offsets)),
        stride=STRIDE,
        odd=scanner.odd,
        separator=separator,
        origin=None if origin == Origin(str(path)) else origin,
        keeper=spool,
        stamp=stamp,
    )


def _distinct(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return rising offsets once each, as np.unique would, which imports numpy.ma: that takes 20 ms."""
    distinct: NDArray[np.int64] = offsets[np.append(True, offsets[1:] != offsets[:-1])]
    return distinct


def _scanned(path: Path | Remote, separator: bytes) -> tuple[Stamp | RemoteStamp, Scanner]:
    if isinstance(path, Remote):
        reader = RangeReader(path)
        return reader.stamp, scan(reader, separator, PIECE, STRIDE)
    with path.open("rb", buffering=0) as opened:
        return Stamp.of(opened.fileno()), scan(opened, separator, PIECE, STRIDE)


def changed(file: AnyText) -> bool:
    """Return whether a file has other lines than when it was checked. It is read again only where its stamp differs."""
    if not isinstance(file, TextFile) or file.stamp is None:
        return False
    try:
        if stamp_of(file.path) == file.stamp:
            return False
        return index_text(Spooled(file.path, file.separator, Origin(str(file.path)))).digest != file.digest
    except (OSError, CorpusError):
        return True
