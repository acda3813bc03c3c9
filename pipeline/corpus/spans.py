"""Where lines are in a file: the parent sends a span to a worker, which reads the lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import kernel
from ..errors import CorpusError, Problem, UnreadableError
from ..io import remote
from ..io.remote import Remote, RemoteStamp
from ..kernel.lines import Lines

if TYPE_CHECKING:
    from pathlib import Path

    from ..arrays import Ints

NEWLINE = b"\n"
BOM = b"\xef\xbb\xbf"


class Span(NamedTuple):
    """Lines of a file, and all that a worker needs to read them."""

    path: str
    """A path or an address."""
    start: int
    """The byte from which to read."""
    size: int
    """The bytes to read."""
    skip: int
    """Lines in these bytes before the first line of the span."""
    lines: int
    """How many lines the span has."""
    separator: bytes = NEWLINE
    """The byte that ends a line."""
    place: str = ""
    """The name of the file in messages, where that is not its path."""
    stamp: tuple[int, int] | RemoteStamp | None = None
    """Size and time of the file when it was checked."""
    temporary: bool = False
    """The file is in a temporary folder of this machine."""


class Stamp(NamedTuple):
    """Size, times and number of a file: where they are others than before, the file may have changed."""

    size: int
    mtime: int
    ctime: int
    inode: int

    @classmethod
    def of(cls, file: int | str | Path) -> Stamp:
        """Return the stamp of a file, by its path or descriptor; raises OSError."""
        info = os.stat(file)  # noqa: PTH116 (also of a descriptor)
        return cls(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def read_span(span: Span) -> Lines:
    """Read the lines of a span; raises UnreadableError where the file no longer holds them."""
    place = span.place or span.path
    # No absolute path of this machine has two slashes in a row, so this tells addresses from paths.
    data, same = _read_remote(span) if "://" in span.path else _read_bytes(span, place)
    unchanged = same and len(data) == span.size
    plain = span.separator == NEWLINE
    if span.start == 0 and plain:
        data = data.removeprefix(BOM)
    codes = np.frombuffer(data, np.uint8)
    ends = (kernel.formula("line_ends", "scan") or line_ends)(data, span.separator[0])
    starts = np.zeros(len(ends), np.int64)
    np.add(ends[:-1], 1, out=starts[1:])
    rows = slice(span.skip, span.skip + span.lines)
    starts, ends = starts[rows], ends[rows]
    if not unchanged or len(ends) != span.lines:
        raise UnreadableError([Problem(place, "the file changed while it was being read; start again")])
    if plain and b"\r" in data:
        ends = ends - ((ends > starts) & (ends < len(data)) & (codes[ends - 1] == ord("\r")))
    return Lines(data, starts, ends)


def line_ends(data: bytes, separator: int) -> Ints:
    """Return where each line of data ends: int64 [lines]; its compiled twin is in `kernel/native/scan.pyx`."""
    ends: Ints = np.flatnonzero(np.frombuffer(data, np.uint8) == separator)
    return np.append(ends, len(data)) if data and data[-1] != separator else ends


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
    """Return the stamp of a file or an address; raises OSError and CorpusError."""
    return remote.stamp_of(path) if isinstance(path, Remote) else Stamp.of(path)
