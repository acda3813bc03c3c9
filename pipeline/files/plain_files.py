"""Plain files, and temporary files with the content of all others, up to a limit of bytes.

Compressed files and pipes are written unchanged. They are read in chunks; damage and an early end
are errors. Of tables and annotated files the texts are written, each with the byte 0xFF after it:
no UTF-8 text contains this byte, so that a text may hold newlines.
"""

import bz2
import codecs
import contextlib
import gzip
import lzma
import os
import select
import shutil
import stat
import sys
import tempfile
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple, cast

from ..errors import CorpusError, IncompleteError, did_you_mean
from ..parallel import FOLDER, starved
from .remote import CHUNK_BYTES, ChunkFile, Remote, WrittenPath
from .safe_files import lock_of, open_regular

TEXTS_AT_ONCE = 64
"""Texts that are written at once."""
MAX_LINE_BYTES = 1 << 28
"""Limits a line of records or annotations: a longer line is an attempt to fill the memory."""
HALF_FREE_BYTES = 1 << 28
"""Free bytes of which half may be used."""
LOCK = "run.lock"
"""The lock in a temporary folder."""
PIPE_SECONDS = 60
"""How long a named pipe may have no program that writes to it."""
MAX_AGE_WITH_LOCK = 10
"""Seconds after which a temporary folder counts as abandoned if nobody holds its lock."""
MAX_AGE_WITHOUT_LOCK = 86_400
"""Seconds after which a temporary folder without a lock counts as abandoned."""
MAX_WINDOW_BYTES = 1 << 27
"""Limits the memory that a file may request of an unpacker: twice what `xz -9` requests."""
MAGIC = {
    b"\x1f\x8b": "gzip data; name it .gz",
    b"BZh": "bzip2 data; name it .bz2",
    b"\xfd7zXZ\x00": "xz data; name it .xz",
    b"\x28\xb5\x2f\xfd": "zstd data; unpack it first",
    b"PAR1": "a Parquet file; write {parquet: FILE, column: NAME}",
    b"PK\x03\x04": "a ZIP archive, which is not read",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
"""The first bytes of files that are no UTF-8 text, and what they are, for messages."""


class Origin(NamedTuple):
    """Where texts came from, for messages: text n, from 1, is at name + unit + (n + offset)."""

    name: str
    """The file, as the user named it."""
    unit: str = ":"
    offset: int = 0
    """Number of lines before the first text, such as a header."""

    def at(self, number: int) -> str:
        """Return where the user finds a text, counted from 1."""
        return f"{self.name}{self.unit}{number + self.offset}"


class StoredTexts(NamedTuple):
    """A file of texts, which need not be the file that the user named."""

    path: Path | Remote
    separator: bytes
    """The byte after each text."""
    origin: Origin


class TempFiles:
    """A temporary folder. It is made when first needed, and removed with this object or at exit.

    `cap` limits the bytes of all its files together.
    """

    SEPARATOR: ClassVar[bytes] = b"\xff"
    """The byte after each text of a file."""
    DEFAULT_CAP: ClassVar[int] = 1 << 34
    """Limits all compressed and other unpacked inputs of a run, unless a config does.

    It is a tenth of the free space if that is less, but half of the space up to HALF_FREE_BYTES.
    """

    def __init__(self, cap: int = DEFAULT_CAP) -> None:
        self.cap = cap
        self.remaining = cap
        self._folder: Path | None = None
        self._folder_lock: object | None = None
        self._count = 0
        self._raw: dict[Path | Remote, Path] = {}
        self._lock = threading.RLock()
        self._locks: dict[Path | Remote, threading.Lock] = {}

    def new(self) -> Path:
        """Return the path of a file to be written."""
        with self._lock:
            if self._folder is None:
                try:
                    self._folder = Path(tempfile.mkdtemp(prefix=FOLDER))
                    self._folder_lock = _take_lock(self._folder / LOCK)
                    self.remove_abandoned(self._folder.parent)
                except OSError as error:
                    message = f"no temporary folder can be made: {error}"
                    raise CorpusError.at("", message) from None
                if self.cap == self.DEFAULT_CAP:  # nobody has set the limit
                    free = shutil.disk_usage(self._folder).free
                    self.cap = min(
                        self.cap,
                        max(free // 10, min(free, HALF_FREE_BYTES) // 2),
                    )
                    self.remaining = self.cap
                weakref.finalize(
                    self, shutil.rmtree, self._folder, ignore_errors=True
                )
            self._count += 1
            return self._folder / str(self._count)

    def write(
        self,
        name: str,
        chunks: Iterable[bytes],
        path: Path | None = None,
    ) -> Path:
        """Write chunks of the input `name` to a new file, or append them to `path`.

        Raises CorpusError if there is no room.
        """
        path = path or self.new()
        try:
            with path.open("ab") as file:
                for chunk in chunks:
                    with self._lock:
                        self.remaining -= len(chunk)
                    if self.remaining < 0:
                        message = f"unpacks, with what came before, to more than {self.cap:,} bytes"
                        advice = "is it meant to? If so, set run.max_unpacked"
                        raise CorpusError.at(name, f"{message}; {advice}")
                    file.write(chunk)
        except (
            OSError
        ) as error:  # of writing: chunks that cannot be read raise CorpusError
            message = (
                f"the temporary folder cannot be written: {error.strerror}"
            )
            advice = "TMPDIR may name another"
            raise CorpusError.at(
                str(path.parent), f"{message}; {advice}"
            ) from None
        return path

    def write_texts(
        self,
        name: str,
        texts: Iterable[bytes],
        path: Path | None = None,
    ) -> Path:
        """Write texts, each with the separator after it, as write() does."""
        return self.write(name, _separated(texts), path)

    def remove(self, paths: Iterable[Path]) -> None:
        """Delete files that nobody has read, so that there is room for others."""
        for path in paths:
            with self._lock:
                self.remaining += path.stat().st_size
            path.unlink()

    def raw(self, path: Path | Remote) -> Path | Remote:
        """Return the path itself if ranges of its text can be read, else an unpacked file."""
        if (
            isinstance(path, Remote)
            and path.suffix.lower() not in OPENERS
            and path.is_ranged()
        ):
            return path
        return self.local(path)

    def local(self, path: Path | Remote) -> Path:
        """Return the path itself if it is a plain file here, else a file that it is unpacked to.

        Each path is unpacked once.
        """
        if isinstance(path, Path) and is_plain(path):
            return path
        with self._lock:
            lock = self._locks.setdefault(path, threading.Lock())
        with lock:
            if path not in self._raw:
                self._raw[path] = self.write(named(path), _unpacked(path))
            return self._raw[path]

    @staticmethod
    def remove_abandoned(parent: Path | None = None) -> None:
        """Delete the temporary folders of this user's processes that were killed, by their free locks.

        The default parent folder is that of the system (TMPDIR).
        """
        with contextlib.suppress(
            OSError
        ):  # there may be none that can be written
            parent = parent or Path(tempfile.gettempdir())
        for folder in parent.glob(f"{FOLDER}*") if parent else ():
            with contextlib.suppress(OSError):
                if _may_be_abandoned(folder) and _take_lock(folder / LOCK):
                    shutil.rmtree(folder, ignore_errors=True)


def _separated(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield chunks of several texts, each text with the separator after it."""
    remaining = iter(texts)
    while batch := list(islice(remaining, TEXTS_AT_ONCE)):
        yield TempFiles.SEPARATOR.join([*batch, b""])


def _take_lock(path: Path) -> object | None:
    """Take a lock on a file and return it; the lock is held as long as the object lives.

    Returns None if another process holds the lock, or the file system has no locks.
    """
    from filelock import Timeout

    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, RuntimeError):
        return None
    return lock


def _may_be_abandoned(folder: Path) -> bool:
    """Return whether a temporary folder is this user's and old enough."""
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        return False
    if hasattr(os, "geteuid") and info.st_uid != os.geteuid():
        return False
    has_lock = (folder / LOCK).exists()
    max_age = MAX_AGE_WITH_LOCK if has_lock else MAX_AGE_WITHOUT_LOCK
    return time.time() - info.st_mtime > max_age


def is_plain(path: Path) -> bool:
    """Return whether a path is read in place: an uncompressed regular file, or an unreadable one."""
    if path == WrittenPath.STDIN:
        return False
    try:
        info = path.stat()
    except (OSError, ValueError):
        return True
    if not stat.S_ISREG(info.st_mode):
        return stat.S_ISDIR(info.st_mode)
    if path.suffix.lower() in OPENERS:
        return False
    return info.st_size > 0 or not _is_generated(path)


def _is_generated(path: Path) -> bool:
    """Return whether a regular file is generated by the system while it is read, as /proc/kmsg.

    Its size is unknown, and reading it may take for ever.
    """
    with contextlib.suppress(OSError), open_regular(path, links=True) as file:
        return file.read(1) != b""
    return False


def named(path: Path | Remote) -> str:
    """Return the name of a path for messages."""
    return "standard input" if path == WrittenPath.STDIN else str(path)


def _unpacked(path: Path | Remote) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked by its suffix; raises CorpusError."""
    unpack = OPENERS.get(path.suffix.lower())
    try:
        if path == WrittenPath.STDIN:
            yield from iter(lambda: sys.stdin.buffer.read(CHUNK_BYTES), b"")
        elif isinstance(path, Path) and stat.S_ISREG(path.stat().st_mode):
            if path.stat().st_size == 0 and _is_generated(path):
                kind = "file that the system makes up while it is read"
                raise PackedError(f"is a {kind}; expected a file or a pipe")
            with path.open("rb") as packed:
                if unpack:
                    yield from unpack(packed)
                else:
                    yield from iter(lambda: packed.read(CHUNK_BYTES), b"")
        else:
            chunks = (
                _from_pipe(path) if isinstance(path, Path) else path.stream()
            )
            yield from (
                unpack(cast("BinaryIO", ChunkFile(chunks)))
                if unpack
                else chunks
            )
    except PackedError as error:
        raise CorpusError.at(str(path), str(error)) from None
    except OSError as error:
        resource = starved(error)
        if resource:
            raise IncompleteError(f"{named(path)}: {resource}") from None
        message = f"cannot be read: {error.strerror or error}"
        raise CorpusError.at(named(path), message) from None


def _from_pipe(path: Path) -> Iterator[bytes]:
    """Yield what programs write to a named pipe; raises PackedError for sockets and devices.

    Raises CorpusError if no program opens it for PIPE_SECONDS.
    """
    mode = path.stat().st_mode
    if not stat.S_ISFIFO(mode):
        kind = "socket" if stat.S_ISSOCK(mode) else "device"
        raise PackedError(f"is a {kind}; expected a file or a pipe")
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    started = time.monotonic()
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:
        while not select.select([descriptor], [], [], 0.1)[0]:
            try:
                chunk = os.read(descriptor, CHUNK_BYTES)
                if chunk:  # written just now
                    yield chunk
                    break
            except BlockingIOError:
                # a program has opened it, and may take its time
                break
            if time.monotonic() - started >= PIPE_SECONDS:
                what = f"is a pipe that no program has opened for writing for {PIPE_SECONDS} seconds"
                raise CorpusError.at(
                    named(path), f"{what}; start first what writes it"
                )
        os.set_blocking(descriptor, True)
        yield from iter(lambda: pipe.read(CHUNK_BYTES), b"")


def numbered_lines(path: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line without its end).

    Raises CorpusError for a line that is invalid UTF-8 or too long.
    """
    with open_bytes(path, name) as file:
        number = 1
        for chunk in _chunks_of_lines(file):
            data = chunk.removeprefix(codecs.BOM_UTF8) if number == 1 else chunk
            yield from enumerate(_lines(data, name, number), number)
            number += chunk.count(b"\n")


def _chunks_of_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield chunks of a file that end with a line. A line that is too long may be cut."""
    rest = b""
    while chunk := file.read(max(CHUNK_BYTES, len(rest))):
        rest += chunk
        end = len(rest) if len(rest) > MAX_LINE_BYTES else rest.rfind(b"\n") + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _lines(chunk: bytes, name: str, first: int) -> Iterable[str]:
    """Return the lines of a chunk, whose first line has this number.

    They are decoded at once unless there is an error.
    """
    data = chunk.replace(b"\r\n", b"\n").removesuffix(b"\n")
    if len(chunk) <= MAX_LINE_BYTES:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode().split("\n")
    return _checked_lines(data, name, first)


def _checked_lines(data: bytes, name: str, first: int) -> Iterator[str]:
    """Yield lines up to the first error, which is raised as CorpusError."""
    for number, line in enumerate(data.split(b"\n"), first):
        position = f"{name}:{number}"
        if len(line) >= MAX_LINE_BYTES:
            message = f"the line has more than {MAX_LINE_BYTES:,} bytes"
            raise CorpusError.at(position, message)
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            byte = f"byte {error.start + 1} of the line (0x{line[error.start]:02x})"
            raise CorpusError.at(
                position, f"{byte} is not valid UTF-8"
            ) from None


@contextlib.contextmanager
def open_bytes(
    path: Path,
    name: str,
    max_bytes: int | None = None,
) -> Iterator[BinaryIO]:
    """Open a plain file for reading; raises CorpusError, also for errors while it is read.

    A file of more than `max_bytes` is refused. Pipes and devices are errors.
    """
    try:
        with open_regular(path, links=True) as file:
            if (
                max_bytes is not None
                and os.fstat(file.fileno()).st_size > max_bytes
            ):
                message = f"is larger than {max_bytes:,} bytes; is it the file that is meant?"
                raise CorpusError.at(name, message)
            yield file
    except (OSError, ValueError) as error:
        raise CorpusError.at(name, why_unreadable(path, error)) from None


def small_bytes(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file, which may be compressed, or a pipe.

    Raises CorpusError if it has more than `max_bytes` bytes.
    """
    temp_files = TempFiles(max_bytes)
    with open_bytes(temp_files.local(path), named(path), max_bytes) as file:
        return file.read()


def small_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file, such as a config, without a byte order mark.

    Raises CorpusError as small_bytes() does, and for invalid UTF-8.
    """
    data = small_bytes(path, max_bytes)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} of the file is not valid UTF-8{content_hint(data)}"
        raise CorpusError.at(f"{named(path)}:{line}", message) from None


def why_unreadable(path: Path, error: OSError | ValueError) -> str:
    """Return why a file cannot be read; for a missing file with the nearest name in its folder.

    Raises IncompleteError if the system is out of resources.
    """
    resource = starved(error)
    if resource:
        raise IncompleteError(f"{path}: {resource}") from None
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir():
            return "is a folder; expected a text file"
        if isinstance(error, FileNotFoundError):
            if not path.parent.is_dir():
                return f"no such file; no folder {path.parent}"
            names = [item.name for item in path.parent.iterdir()]
            return f"no such file{did_you_mean(path.name, names)}"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror}"
    return f"cannot be read: {error}"


class PackedError(Exception):
    """A compressed file cannot be unpacked; the message says why."""


def _gzip(packed: BinaryIO) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=packed, mode="rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    except EOFError:
        raise PackedError(
            "is cut short: the gzip data ends before its end mark"
        ) from None
    except (zlib.error, OSError) as error:
        raise PackedError(f"is no gzip file, or damaged ({error})") from None


def _streams(
    kind: str,
    new: Callable[[], Any],
    packed: BinaryIO,
) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file of streams one after the other.

    BZ2File and LZMAFile ignore other bytes after a stream, and LZMAFile has no limit of memory.
    """
    data = packed.read(CHUNK_BYTES)
    if not data:
        raise PackedError(f"is empty; expected {kind} data")
    unpacker = new()
    is_complete = True
    needs_input = True
    try:
        while data or not needs_input:
            chunk = unpacker.decompress(data, CHUNK_BYTES)
            if chunk:
                yield chunk
            is_complete = unpacker.eof
            needs_input = is_complete or unpacker.needs_input
            if is_complete:
                data = unpacker.unused_data or packed.read(CHUNK_BYTES)
                # the format allows such padding
                if kind == "xz" and not data.strip(b"\0"):
                    data = packed.read(CHUNK_BYTES)
                unpacker = new()
            elif needs_input:
                data = packed.read(CHUNK_BYTES)
            else:
                data = b""
    except (lzma.LZMAError, OSError, ValueError) as error:
        raise PackedError(f"is no {kind} file, or damaged ({error})") from None
    if not is_complete:
        raise PackedError(
            f"is cut short: the {kind} data ends before its end mark"
        )


OPENERS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
    ".gz": _gzip,
    ".bz2": partial(_streams, "bzip2", bz2.BZ2Decompressor),
    ".xz": partial(
        _streams,
        "xz",
        partial(lzma.LZMADecompressor, memlimit=MAX_WINDOW_BYTES),
    ),
}
"""Unpackers by suffix: each takes an open file, and yields its bytes or raises PackedError."""


def content_hint(start: bytes) -> str:
    """Return a hint for a file that is invalid UTF-8 by its first bytes, or an empty text."""
    for magic, kind in MAGIC.items():
        if start.startswith(magic):
            return f"; the file looks like {kind}"
    return ""
