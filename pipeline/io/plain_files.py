"""What is no plain file becomes one: unpacked into a temporary folder of the run, up to a cap.

Compressed files and pipes are unpacked as they are; columns and annotations become lines that end with the byte
0xFF, which no UTF-8 text contains, so that a text may hold newlines.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from ..errors import CorpusError, Problem, did_you_mean
from . import lock
from .compressed import OPENERS, PackedError
from .remote import RangeReader, Remote, ranged, stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

SEPARATOR = b"\xff"
PIECE = 1 << 20
MAX_LINE = 1 << 28
"""Bytes in a line of records or annotations; one that is longer is a bomb."""
STDIN = Path("/dev/stdin")


PREFIX = "gec-pipeline-"
YOUNG, OLD = 60, 86_400
"""Seconds before a folder can be an abandoned one: time to take its lock, and for one that has none."""


class Origin(NamedTuple):
    """Where texts came from, as the user named it; text n, from 1, is at name + unit + (n + offset)."""

    name: str
    unit: str = ":"
    offset: int = 0

    def at(self, number: int) -> str:
        """Return the place of a text."""
        return f"{self.name}{self.unit}{number + self.offset}"


class Spooled(NamedTuple):
    """Texts in a file: how each ends, and where they came from."""

    path: Path | Remote
    separator: bytes
    origin: Origin


class Spool:
    """A temporary folder, made when first needed and removed when nobody holds the spool any more, or at exit."""

    def __init__(self, cap: int) -> None:
        self.cap = self.left = cap
        self._folder: Path | None = None
        self._held: object | None = None
        self._count = 0
        self._raw: dict[Path | Remote, Path] = {}
        self._lock = threading.RLock()
        self._locks: dict[Path | Remote, threading.Lock] = {}

    def new(self) -> Path:
        """Return the path of a file to be written."""
        with self._lock:
            if self._folder is None:
                try:
                    self._folder = Path(tempfile.mkdtemp(prefix=PREFIX))
                    self._held = lock.take(self._folder / lock.LOCK)
                    remove_abandoned(self._folder.parent)
                except OSError as error:
                    raise CorpusError([Problem("", f"no temporary folder can be made: {error}")]) from None
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            self._count += 1
            return self._folder / str(self._count)

    def write(self, place: str, pieces: Iterable[bytes]) -> Path:
        """Write pieces to a new file; raises CorpusError at the cap or where the disk is full."""
        path = self.new()
        with contextlib.ExitStack() as stack:
            try:
                file = stack.enter_context(path.open("wb"))
            except OSError as error:
                raise _full(path, error) from None
            for piece in pieces:
                self._take(len(piece), place)
                try:
                    file.write(piece)
                except OSError as error:
                    raise _full(path, error) from None
            try:
                file.flush()
            except OSError as error:
                raise _full(path, error) from None
        return path

    def write_texts(self, place: str, texts: Iterable[bytes]) -> Path:
        """Write texts, each with the separator after it."""
        return self.write(place, _joined(texts))

    def _take(self, size: int, place: str) -> None:
        with self._lock:
            self.left -= size
        if self.left < 0:
            message = f"unpacks, with what came before, to more than {self.cap:,} bytes; is it meant to?"
            raise CorpusError([Problem(place, f"{message} If so, set run.max_unpacked")])

    def raw(self, path: Path | Remote) -> Path | Remote:
        """Return what has the bytes of path and can be read by ranges: itself, or a file that it unpacks to."""
        if isinstance(path, Remote) and path.suffix.lower() not in OPENERS and ranged(path):
            return path
        return self.local(path)

    def local(self, path: Path | Remote) -> Path:
        """Return a plain file here with the bytes of path: itself, or what it unpacks to. Made once for each path."""
        if isinstance(path, Path) and is_plain(path):
            return path
        with self._lock:
            lock = self._locks.setdefault(path, threading.Lock())
        with lock:
            if path not in self._raw:
                self._raw[path] = self.write(named(path), _unpacked(path))
            return self._raw[path]


def remove_abandoned(parent: Path) -> None:
    """Delete the temporary folders of processes of this user that were killed: nobody holds their locks."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            mine = stat.S_ISDIR(found.st_mode) and (not hasattr(os, "geteuid") or found.st_uid == os.geteuid())
            locked = (folder / lock.LOCK).exists()
            if mine and time.time() - found.st_mtime > (YOUNG if locked else OLD) and lock.take(folder / lock.LOCK):
                shutil.rmtree(folder, ignore_errors=True)


def _full(path: Path, error: OSError) -> CorpusError:
    return CorpusError([Problem(str(path.parent), f"the temporary folder cannot be written: {error.strerror}")])


def is_plain(path: Path) -> bool:
    """Whether a path is read in place: a regular file that is not compressed, or nothing that can be opened."""
    if path == STDIN:
        return False
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return True
    return stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and path.suffix.lower() not in OPENERS)


def named(path: Path | Remote) -> str:
    """Return what messages call a path."""
    return "standard input" if path == STDIN else str(path)


def _joined(texts: Iterable[bytes]) -> Iterator[bytes]:
    waiting, size = [], 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size > PIECE or len(waiting) > PIECE >> 6:
            yield SEPARATOR.join([*waiting, b""])
            waiting, size = [], 0
    yield SEPARATOR.join([*waiting, b""])


def _unpacked(path: Path | Remote) -> Iterator[bytes]:
    suffix = path.suffix.lower()
    try:
        if isinstance(path, Remote):
            yield from _fetched(path)
            return
        if path == STDIN:
            yield from iter(lambda: sys.stdin.buffer.read(PIECE), b"")
            return
        with path.open("rb") as packed:
            if suffix not in OPENERS:
                yield from iter(lambda: packed.read(PIECE), b"")
            else:
                yield from OPENERS[suffix](packed)
    except PackedError as error:
        raise CorpusError([Problem(str(path), str(error))]) from None
    except OSError as error:
        raise CorpusError([Problem(named(path), f"cannot be read: {error.strerror or error}")]) from None


def _fetched(path: Remote) -> Iterator[bytes]:
    if path.suffix.lower() not in OPENERS:
        yield from stream(path)
        return
    packed = RangeReader(path) if ranged(path) else _Pieces(stream(path))
    yield from OPENERS[path.suffix.lower()](cast("BinaryIO", packed))


class _Pieces:
    """Bytes that come in pieces, read as a file from its beginning to its end."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._waiting = pieces, b""

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most so many; none at the end."""
        data = self._waiting or next(self._pieces, b"")
        self._waiting = data[size:]
        return data[:size]


def numbered_lines(path: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line without its end); raises CorpusError: no UTF-8, a line that is too long."""
    with open_bytes(path, name) as file:
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE + 1), b""), 1):
            if len(line) > MAX_LINE:
                raise CorpusError([Problem(f"{name}:{number}", f"the line has more than {MAX_LINE:,} bytes")])
            data = line.removesuffix(b"\n")
            data = data.removesuffix(b"\r") if line.endswith(b"\n") else data
            try:
                text = data.decode()
            except UnicodeDecodeError as error:
                found = data[error.start : error.start + 1].hex()
                message = f"byte {error.start + 1} of the line (0x{found}) is not valid UTF-8"
                raise CorpusError([Problem(f"{name}:{number}", message)]) from None
            yield number, text.removeprefix("\ufeff") if number == 1 else text


@contextlib.contextmanager
def open_bytes(path: Path, name: str) -> Iterator[BinaryIO]:
    """Open a plain file; raises CorpusError."""
    try:
        with path.open("rb") as file:
            yield file
    except (OSError, ValueError) as error:
        raise CorpusError([Problem(name, reason(path, error))]) from None


def reason(path: Path, error: OSError | ValueError) -> str:
    """Return why a file cannot be read, with the nearest name where there is none."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir():
            return "is a folder; expected a text file"
        if isinstance(error, FileNotFoundError):
            if not path.parent.is_dir():
                return f"no such file; no folder {path.parent}"
            return f"no such file{did_you_mean(path.name, (p.name for p in path.parent.iterdir()))}"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) and error.strerror else error}"
