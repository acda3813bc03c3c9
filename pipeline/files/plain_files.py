"""Whatever is no plain file is written to one, in a temporary folder of the run (a spool), up to a
limit of bytes.

Compressed files and pipes keep their lines. They are read in pieces of bounded size; damage and an
early end are errors. Of tables and annotated files the texts are written, each with the byte 0xFF
after it: no UTF-8 text contains this byte, so that a text may hold newlines."""

import bz2
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
from typing import Any, BinaryIO, NamedTuple, cast

from ..errors import CorpusError, Problem, did_you_mean
from ..parallel import FOLDER, refuse_want
from .remote import CHUNK_BYTES, Pieces, Remote, ranged, stream
from .safe_files import LOCK, open_regular, take_lock

BOM = b"\xef\xbb\xbf"
SEPARATOR = b"\xff"
"""The byte after each text of a spooled file."""
JOINED = 64
"""Texts that are written at once."""
MAX_LINE = 1 << 28
"""The most bytes of a line of records or annotations. A longer line is meant to fill the memory."""
UNPACKED = 1 << 34
"""Bytes that compressed and other unpacked inputs of a run may take together, unless a config says
otherwise: at most.

It is a tenth of the free space where that is less, or half of it where there is little."""
SMALL = 1 << 28
"""Bytes of which half may be taken."""
STDIN = Path("/dev/stdin")
UNWRITTEN = 60
"""Seconds for which a named pipe may have no program that writes it."""
YOUNG, OLD = 10, 86_400
"""Seconds after which a temporary folder counts as abandoned: where nobody holds its lock, and
where it has no lock."""
MAX_WINDOW = 1 << 27
"""Bytes of memory that a file may ask of an unpacker: twice what `xz -9` asks for."""
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
"""The first bytes of files that are no UTF-8 text, and what messages say of such a file."""


class Origin(NamedTuple):
    """Where texts came from, for messages: text n, counted from 1, is at name + unit + (n +
    offset).
    """

    name: str
    """The file, as the user named it."""
    unit: str = ":"
    offset: int = 0
    """The lines before the first text, such as a header."""

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
                    self._folder = Path(tempfile.mkdtemp(prefix=FOLDER))
                    self._held = take_lock(self._folder / LOCK)
                    remove_abandoned(self._folder.parent)
                except OSError as error:
                    raise CorpusError(
                        [Problem("", f"no temporary folder can be made: {error}")]
                    ) from None
                if self.cap == UNPACKED:  # nobody has said that so much is meant
                    free = shutil.disk_usage(self._folder).free
                    self.cap = self.left = min(self.cap, max(free // 10, min(free, SMALL) // 2))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            self._count += 1
            return self._folder / str(self._count)

    def write(self, place: str, pieces: Iterable[bytes], path: Path | None = None) -> Path:
        """Write pieces of `place` to a new file, or at the end of `path`; raises CorpusError where
        there is no room.
        """
        path = path or self.new()
        try:
            with path.open("ab") as file:
                for piece in pieces:
                    with self._lock:
                        self.left -= len(piece)
                    if self.left < 0:
                        message = f"unpacks, with what came before, to more than {self.cap:,} bytes"
                        advice = "is it meant to? If so, set run.max_unpacked"
                        raise CorpusError([Problem(place, f"{message}; {advice}")])
                    file.write(piece)
        except OSError as error:  # of writing: pieces that cannot be read raise CorpusError
            message = (
                f"the temporary folder cannot be written: {error.strerror}; TMPDIR may name another"
            )
            raise CorpusError([Problem(str(path.parent), message)]) from None
        return path

    def write_texts(self, place: str, texts: Iterable[bytes], path: Path | None = None) -> Path:
        """Write texts, each with the separator after it, to where write() does, and raise as it
        does.
        """
        every = iter(texts)
        pieces = iter(lambda: list(islice(every, JOINED)), [])
        return self.write(place, (SEPARATOR.join([*several, b""]) for several in pieces), path)

    def remove(self, paths: Iterable[Path]) -> None:
        """Delete files that nobody has read, so that there is room for others."""
        for path in paths:
            with self._lock:
                self.left += path.stat().st_size
            path.unlink()

    def raw(self, path: Path | Remote) -> Path | Remote:
        """Return the path itself where ranges of its text can be read, else a file here that it is
        unpacked to.
        """
        if isinstance(path, Remote) and path.suffix.lower() not in OPENERS and ranged(path):
            return path
        return self.local(path)

    def local(self, path: Path | Remote) -> Path:
        """Return the path itself where it is a plain file here, else a file that it is unpacked to,
        once only.
        """
        if isinstance(path, Path) and is_plain(path):
            return path
        with self._lock:
            lock = self._locks.setdefault(path, threading.Lock())
        with lock:
            if path not in self._raw:
                self._raw[path] = self.write(named(path), _unpacked(path))
            return self._raw[path]


def remove_abandoned(parent: Path | None = None) -> None:
    """Delete the temporary folders of this user's processes that were killed: nobody holds their
    locks.

    Without a parent folder, they are looked for in that of the system (TMPDIR).
    """
    with contextlib.suppress(OSError):  # there may be none that can be written
        parent = parent or Path(tempfile.gettempdir())
    for folder in parent.glob(f"{FOLDER}*") if parent else ():
        with contextlib.suppress(OSError):
            info = folder.lstat()
            mine = stat.S_ISDIR(info.st_mode) and (
                not hasattr(os, "geteuid") or info.st_uid == os.geteuid()
            )
            has_lock = (folder / LOCK).exists()
            if (
                mine
                and time.time() - info.st_mtime > (YOUNG if has_lock else OLD)
                and take_lock(folder / LOCK)
            ):
                shutil.rmtree(folder, ignore_errors=True)


def is_plain(path: Path) -> bool:
    """Return whether a path is read in place: it is a regular file and not compressed, or cannot be
    opened at all.
    """
    if path == STDIN:
        return False
    try:
        info = path.stat()
    except (OSError, ValueError):
        return True
    if not stat.S_ISREG(info.st_mode):
        return stat.S_ISDIR(info.st_mode)
    return path.suffix.lower() not in OPENERS and not (info.st_size == 0 and _is_made_up(path))


def _is_made_up(path: Path) -> bool:
    """Return whether a regular file is one that the system makes up while it is read, such as
    /proc/kmsg.

    Nobody knows its size, and to read it may take for ever.
    """
    with contextlib.suppress(OSError), open_regular(path, links=True) as file:
        return file.read(1) != b""
    return False


def named(path: Path | Remote) -> str:
    """Return the name of a path for messages."""
    return "standard input" if path == STDIN else str(path)


def _unpacked(path: Path | Remote) -> Iterator[bytes]:
    """Yield the bytes of a file, unpacked where its suffix says that it is packed; raises
    CorpusError.
    """
    unpack = OPENERS.get(path.suffix.lower())
    try:
        if isinstance(path, Remote):
            pieces = stream(path)
        elif path == STDIN:
            yield from iter(lambda: sys.stdin.buffer.read(CHUNK_BYTES), b"")
            return
        elif stat.S_ISFIFO(mode := path.stat().st_mode):
            pieces = _from_pipe(path)
        elif not stat.S_ISREG(mode) or (path.stat().st_size == 0 and _is_made_up(path)):
            made_up = "file that the system makes up while it is read"
            kind = made_up if stat.S_ISREG(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
            raise PackedError(f"is a {kind}; expected a file or a pipe")
        else:
            with path.open("rb") as packed:
                yield from unpack(packed) if unpack else iter(lambda: packed.read(CHUNK_BYTES), b"")
            return
        yield from unpack(cast("BinaryIO", Pieces(pieces))) if unpack else pieces
    except PackedError as error:
        raise CorpusError([Problem(str(path), str(error))]) from None
    except OSError as error:
        refuse_want(error, named(path))
        raise CorpusError(
            [Problem(named(path), f"cannot be read: {error.strerror or error}")]
        ) from None


def _from_pipe(path: Path) -> Iterator[bytes]:
    """Yield what programs write to a named pipe; raises CorpusError where none opens it for
    UNWRITTEN seconds.
    """
    handle, start = os.open(path, os.O_RDONLY | os.O_NONBLOCK), time.monotonic()
    with os.fdopen(handle, "rb", buffering=0) as pipe:
        while not select.select([handle], [], [], 0.1)[0]:
            try:
                if piece := os.read(handle, CHUNK_BYTES):  # written just now
                    yield piece
                    break
            except BlockingIOError:  # a program has opened it, and may take its time
                break
            if time.monotonic() - start >= UNWRITTEN:
                message = (
                    f"is a pipe that no program has opened for writing for {UNWRITTEN} seconds"
                )
                raise CorpusError([Problem(named(path), f"{message}; start first what writes it")])
        os.set_blocking(handle, True)
        yield from iter(lambda: pipe.read(CHUNK_BYTES), b"")


def numbered_lines(path: Path, name: str) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line without its end); raises CorpusError for a line that is no UTF-8
    or too long.
    """
    with open_bytes(path, name) as file:
        number = 1
        for piece in _whole_lines(file):
            whole = piece.removeprefix(BOM) if number == 1 else piece
            yield from enumerate(_lines(whole, name, number), number)
            number += piece.count(b"\n")


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield pieces of a file, each of whole lines. A line that is too long may be cut."""
    rest = b""
    while piece := file.read(max(CHUNK_BYTES, len(rest))):
        rest += piece
        end = len(rest) if len(rest) > MAX_LINE else rest.rfind(b"\n") + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _lines(piece: bytes, name: str, first: int) -> Iterable[str]:
    """Return the lines of a piece, whose first line has this number; all at once where nothing is
    wrong with them.
    """
    lines = piece.replace(b"\r\n", b"\n").removesuffix(b"\n")
    if len(piece) <= MAX_LINE:
        with contextlib.suppress(UnicodeDecodeError):
            return lines.decode().split("\n")

    def one_by_one() -> Iterator[str]:
        for number, line in enumerate(lines.split(b"\n"), first):
            if len(line) >= MAX_LINE:
                raise CorpusError(
                    [Problem(f"{name}:{number}", f"the line has more than {MAX_LINE:,} bytes")]
                )
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                message = f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not valid UTF-8"
                raise CorpusError([Problem(f"{name}:{number}", message)]) from None

    return one_by_one()


@contextlib.contextmanager
def open_bytes(path: Path, name: str, most: int | None = None) -> Iterator[BinaryIO]:
    """Open a plain file for reading; raises CorpusError, also for errors while it is read.

    It may have at most so many bytes: a larger one is not what it is named for. A pipe or device is
    not waited for."""
    try:
        with open_regular(path, links=True) as file:
            if most is not None and os.fstat(file.fileno()).st_size > most:
                raise CorpusError(
                    [Problem(name, f"is larger than {most:,} bytes; is it the file that is meant?")]
                )
            yield file
    except (OSError, ValueError) as error:
        raise CorpusError([Problem(name, reason(path, error))]) from None


def small_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file that is read as a whole. It may be compressed, or a pipe.

    Raises CorpusError where it has more than `most` bytes.
    """
    temp_files = TempFiles(most)
    with open_bytes(temp_files.local(path), named(path), most) as file:
        return file.read()


def small_text(path: Path, most: int) -> str:
    """Return the text of a file that is read as a whole, such as a config, without a byte order
    mark.

    Raises CorpusError as small_bytes() does, and where it is no UTF-8.
    """
    name, data = named(path), small_bytes(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} of the file is not valid UTF-8{looks_like(data)}"
        raise CorpusError([Problem(f"{name}:{line}", message)]) from None


def reason(path: Path, error: OSError | ValueError) -> str:
    """Return why a file cannot be read; where it does not exist, suggest the nearest name in its
    folder.

    Raises IncompleteError where the system gives too little.
    """
    refuse_want(error, str(path))
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir():
            return "is a folder; expected a text file"
        if isinstance(error, FileNotFoundError):
            if not path.parent.is_dir():
                return f"no such file; no folder {path.parent}"
            return f"no such file{did_you_mean(path.name, (p.name for p in path.parent.iterdir()))}"
    return f"cannot be read: {error.strerror if isinstance(error, OSError) and error.strerror else error}"


class PackedError(Exception):
    """A compressed file cannot be unpacked; the message says why."""


def _gzip(packed: BinaryIO) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=packed, mode="rb") as file:
            while piece := file.read(CHUNK_BYTES):
                yield piece
    except EOFError:
        raise PackedError("is cut short: the gzip data ends before its end mark") from None
    except (zlib.error, OSError) as error:
        raise PackedError(f"is no gzip file, or damaged ({error})") from None


def _streams(kind: str, new: Callable[[], Any], packed: BinaryIO) -> Iterator[bytes]:
    """Yield what a file of streams one after the other holds.

    BZ2File and LZMAFile pass over other bytes after a stream, and LZMAFile has no limit of memory.
    """
    data = packed.read(CHUNK_BYTES)
    if not data:
        raise PackedError(f"is empty; expected {kind} data")
    unpacker, complete, hungry = new(), True, True
    try:
        while data or not hungry:
            if piece := unpacker.decompress(data, CHUNK_BYTES):
                yield piece
            complete, hungry, data = unpacker.eof, unpacker.needs_input, b""
            if complete:
                data, hungry = unpacker.unused_data or packed.read(CHUNK_BYTES), True
                if kind == "xz" and not data.strip(b"\0"):  # the format allows such padding
                    data = packed.read(CHUNK_BYTES)
                unpacker = new()
            elif hungry:
                data = packed.read(CHUNK_BYTES)
    except (lzma.LZMAError, OSError, ValueError) as error:
        raise PackedError(f"is no {kind} file, or damaged ({error})") from None
    if not complete:
        raise PackedError(f"is cut short: the {kind} data ends before its end mark")


OPENERS: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
    ".gz": _gzip,
    ".bz2": partial(_streams, "bzip2", bz2.BZ2Decompressor),
    ".xz": partial(_streams, "xz", partial(lzma.LZMADecompressor, memlimit=MAX_WINDOW)),
}
"""Unpackers by suffix: each takes an open file, and yields its bytes in pieces or raises
PackedError."""


def looks_like(start: bytes) -> str:
    """Return a hint for a file that is not valid UTF-8, or "" where its first bytes are of no known
    kind.
    """
    return next(
        (
            f"; the file looks like {kind}"
            for magic, kind in MAGIC.items()
            if start.startswith(magic)
        ),
        "",
    )
