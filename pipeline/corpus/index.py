"""Reads a text file once from end to end: checks it, and keeps what is needed to read any of its lines later."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CorpusError, Problem
from ..io.plain_files import Origin, Spool, Spooled, reason
from ..io.remote import RangeReader, Remote, RemoteStamp
from .digests import digests_of
from .scan import Scanner, scan
from .spans import Stamp, stamp_of
from .texts import AnyText, TextFile

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from numpy.typing import NDArray

    Scanned = tuple[Stamp | RemoteStamp, Scanner]

PIECE = 1 << 18
"""Bytes read at once: so few that they are still in the processor's cache when they are hashed."""
TOGETHER = 4
"""Files that are read side by side, as many as are hashed at once."""
STRIDE = 128
"""Lines between two byte offsets that are kept; shards are cut at these lines."""


def index_text(file: Spooled, spool: Spool | None = None) -> TextFile:
    """Index and check the texts of a file; raises CorpusError. The index keeps `spool` alive, which holds the file."""
    (result,) = index_texts([(file, spool)])
    if isinstance(result, CorpusError):
        raise result
    return result


def index_texts(files: Sequence[tuple[Spooled, Spool | None]]) -> list[TextFile | CorpusError]:
    """Do the same with several files, read side by side, a piece of each in turn: so digests take less time.

    In place of a text that is not sound there is the error.
    """
    results: dict[int, TextFile | CorpusError] = {}
    waiting, running = iter(range(len(files))), {}
    digests = digests_of(min(len(files), TOGETHER))
    for lane, number in zip(range(TOGETHER), waiting, strict=False):
        running[lane] = number, _scanned(*files[number][0][:2])
    while running:
        pieces = [b""] * min(len(files), TOGETHER)
        for lane, (number, scanned) in list(running.items()):
            try:
                pieces[lane] = next(scanned)
                continue
            except StopIteration as end:
                results[number] = _indexed(*files[number], end.value, digests.digest(lane))
            except (OSError, ValueError, CorpusError) as error:
                results[number] = _located(files[number][0], error)
            digests.begin(lane)
            following = next(waiting, None)
            if following is None:
                del running[lane]
            else:
                running[lane] = following, _scanned(*files[following][0][:2])
        digests.update(pieces)
    return [results[number] for number in range(len(files))]


def _located(file: Spooled, error: OSError | ValueError | CorpusError) -> CorpusError:
    """Return the error with the place where the user finds it."""
    path, _, origin = file
    if not isinstance(error, CorpusError):
        message = reason(path, error) if isinstance(path, Path) else str(error)
        return CorpusError([Problem(origin.name, message)])
    problem = error.problems[0]
    place = origin.at(int(problem.position)) if problem.position.isdecimal() else problem.position
    return CorpusError([Problem(place, problem.message)])


def _indexed(file: Spooled, spool: Spool | None, scanned: Scanned, digest: str) -> TextFile:
    stamp, scanner = scanned
    path, separator, origin = file
    return TextFile(
        path=path,
        lines=scanner.lines,
        size=scanner.offset,
        digest=digest,
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


def _scanned(path: Path | Remote, separator: bytes) -> Generator[bytes, None, Scanned]:
    if isinstance(path, Remote):
        reader = RangeReader(path)
        return reader.stamp, (yield from scan(reader, separator, PIECE, STRIDE))
    with path.open("rb", buffering=0) as opened:
        return Stamp.of(opened.fileno()), (yield from scan(opened, separator, PIECE, STRIDE))


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
