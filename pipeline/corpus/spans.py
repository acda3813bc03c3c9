"""Where lines are in a file, and reading them there: what workers are sent, and what they do first."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import CorpusError, Problem, UnreadableError
from ..io import remote
from ..io.remote import Remote, RemoteStamp
from ..kernel.lines import Lines

if TYPE_CHECKING:
    from pathlib import Path


NEWLINE = b"\n"


BOM = b"\xef\xbb\xbf"


class Span(NamedTuple):
    """Lines of a file, as a worker needs to know them: where to read (also an address), what to skip, how many lines.

    separator: the byte that ends a line; place: what the user calls the file, where that is not its path; stamp: the
    file's size and time when it was checked; temporary: the file is in a temporary folder of this machine.
    """

    path: str
    start: int
    size: int
    skip: int
    lines: int
    separator: bytes = NEWLINE
    place: str = ""
    stamp: tuple[int, int] | RemoteStamp | None = None
    temporary: bool = False


class Stamp(NamedTuple):
    """What tells that a file may have changed."""

    size: int
    mtime: int
    ctime: int
    inode: int

    @classmethod
    def of(cls, file: int | str | Path) -> Stamp:
        """Return the stamp of a file, by its path or descriptor; raises OSError."""
        found = os.stat(file)  # noqa: PTH116 (also of a descriptor)
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


def read_span(span: Span) -> Lines:
    """Read the lines of a span; raises UnreadableError where the file no longer holds them."""
    place = span.place or span.path
    # No absolute path of a file here has two slashes in a row.
    data, same = _read_remote(span) if "://" in span.path else _read_bytes(span, place)
    whole = same and len(data) == span.size
    plain = span.separator == NEWLINE
    if span.start == 0 and plain:
        data = data.removeprefix(BOM)
    codes = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(codes == span.separator[0])
    if data and not data.endswith(span.separator):
        ends = np.append(ends, len(data))
    starts = np.concatenate((np.zeros(1, np.int64), ends + 1))[:-1]
    wanted = slice(span.skip, span.skip + span.lines)
    starts, ends = starts[wanted], ends[wanted]
    if not whole or len(ends) != span.lines:
        raise UnreadableError([Problem(place, "the file changed while it was being read; start again")])
    if plain:
        ends = ends - ((ends > starts) & (ends < len(data)) & (codes[ends - 1] == ord("\r")))
    return Lines(data, starts, ends)


def _read_bytes(span: Span, place: str) -> tuple[bytes, bool]:
    """Return the bytes of a span, and whether the file is the one that was checked."""
    try:
        with open(span.path, "rb") as file:  # noqa: PTH123 (a worker opens thousands: no Path objects)
            file.seek(span.start)
            data = file.read(span.size)
            same = span.stamp is None or Stamp.of(file.fileno())[:2] == span.stamp
    except OSError as error:
        raise UnreadableError([Problem(place, f"cannot be read: {error.strerror}")]) from None
    return data, same


def _read_remote(span: Span) -> tuple[bytes, bool]:
    try:
        data = remote.read_range(span.path, span.start, span.size)
        return data, remote.stamp_of(Remote(span.path)) == span.stamp
    except CorpusError as error:
        raise UnreadableError(error.problems) from None


def stamp_of(path: Path | Remote) -> Stamp | RemoteStamp:
    """Return what tells that a file may have changed; raises OSError and CorpusError."""
    return remote.stamp_of(path) if isinstance(path, Remote) else Stamp.of(path)
