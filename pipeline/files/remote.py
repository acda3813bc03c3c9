"""Paths as people write them, and files at addresses such as s3://bucket/file, which fsspec reads.

In a path, ~ is the home folder, and $NAME or ${NAME} a variable of the environment. Keys and
endpoints of servers are not given here: fsspec and its packages find them in their own files and in
the environment. Messages show an address without its password and without what follows the question
mark, which may be a signature."""

import io
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

from ..errors import CorpusError, DataError, Problem, did_you_mean

T = TypeVar("T")

PACKAGES = {
    "http": "aiohttp",
    "https": "aiohttp",
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "hdfs": "pyarrow",
    "webhdfs": "requests",
    "memory": "",
}
"""Kinds of addresses that are read, and the package that each needs beside fsspec."""
LOCAL = ("file", "local")
"""Kinds of addresses that name files of this computer."""
PIECE = 1 << 20
"""The most bytes that are read at once, of files and of what a server sends."""
CHUNK = 1 << 23
"""Bytes asked for at once where a whole file is read."""
TRIES = 3
"""How often a request is made before its failure is told; of a server that sends nothing, the last
try is left out."""
PAUSE = 0.2
"""Seconds between the first try and the second; each further pause is twice as long."""
SILENCE = 30
"""Seconds after which an HTTP server that sends nothing is given up."""
LONGEST = 86_400
"""Seconds after which an HTTP server is given up, whatever it sends."""
SLOWEST = 1000
"""Bytes a second, on average after SILENCE, below which an HTTP server is given up."""
REFUSALS = (401, 403, 407, 429, 503)
"""Answers of HTTP servers that would be the same for the next file."""
UNREACHABLE = "unreachable"
"""The kind of a problem with a server that need not be asked for the next file."""
WEB = ("http", "https")
"""Kinds of addresses whose servers may take their time; the packages for the other kinds have
limits of their own."""
clock = time.monotonic
PREFIX = "data:"
"""What begins a path that names a file of a data set: data:NAME/FILE."""
_VARIABLE = re.compile(
    r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{(?!dataset\}|system\}|name\})([A-Za-z_][A-Za-z0-9_]*)\})"
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_TOKENS = (
    "ETag",
    "etag",
    "md5Hash",
    "LastModified",
    "Last-Modified",
    "last_modified",
    "updated",
    "mtime",
    "created",
)


class RemoteStamp(NamedTuple):
    """Size and version of a remote file: where they are others than before, the file may have
    changed.
    """

    size: int
    """In bytes; -1 where the server does not say."""
    token: str
    """The ETag, checksum or time of the file; empty where the server says none."""


@dataclass(frozen=True)
class Remote:
    """The address of a file, with the properties of a path that the program uses."""

    url: str

    @property
    def scheme(self) -> str:
        """What stands before ://, in lower case."""
        match = _SCHEME.match(self.url)
        return match[1].lower() if match else ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The address without its secrets, cut at slashes."""
        return tuple(str(self).split("/"))

    @property
    def name(self) -> str:
        """The name of the file, without folders."""
        return unquote(self.parts[-1].partition("?")[0])

    @property
    def suffix(self) -> str:
        """The suffix of the name, such as ".gz"."""
        return Path(self.name).suffix

    def __str__(self) -> str:
        plain, mark, _ = self.url.partition("?") if self.scheme in WEB else (self.url, "", "")
        return re.sub(r"://[^/@]*@", "://", plain) + ("?..." if mark else "")


def is_remote(text: str) -> bool:
    """Return whether a written path is an address, also one of a kind that cannot be read."""
    match = _SCHEME.match(text)
    return bool(match and match[1].lower() not in LOCAL)


def locate(base: Path, text: str) -> Path | Remote:
    """Return the address or the path (also of file://) that a user has written; relative paths are
    relative to base.
    """
    if is_remote(text):
        return Remote(text)
    if _SCHEME.match(text):
        from urllib.request import url2pathname

        return Path(url2pathname(urlsplit(text).path))
    return base / text


def is_data(text: str) -> bool:
    """Return whether a written path begins with data: and so names a file of a data set."""
    return text.startswith(PREFIX)


def is_short(text: str) -> bool:
    """Return whether a written path has a ~ or a variable in it. Addresses and data:NAME/FILE have
    none.
    """
    return (
        bool(text[:1] == "~" or _VARIABLE.search(text))
        and not is_data(text)
        and not is_remote(text)
    )


def expanded(text: str, base: Path = Path()) -> str:
    """Return a written path with ~ and variables replaced. A file in `base` whose very name is
    written so stays.

    Raises DataError for a variable that is not set, or empty.
    """
    if not is_short(text) or is_there(base / text):
        return text

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not os.environ.get(name):
            hint = did_you_mean(name, os.environ)
            raise DataError(
                f"the environment variable {name} is not set{hint}, and no file is called '{text}'"
            )
        return os.environ[name]

    return os.path.expanduser(_VARIABLE.sub(value, text))  # noqa: PTH111 (Path.expanduser fails for unknown users)


def is_there(path: Path | Remote) -> bool:
    """Return whether there is such a file or folder; False for what can be no path, and for an
    address.
    """
    try:
        return isinstance(path, Path) and path.exists()
    except (OSError, ValueError):
        return False


def home() -> Path:
    """Return the home directory; raises DataError where the user has none: no HOME, and no entry in
    the system.
    """
    try:
        return Path.home()
    except RuntimeError:
        message = "this user has no home directory; name a folder for the data with GEC_PIPELINE_DATA, or set HOME"
        raise DataError(message) from None


def _file_system(url: str) -> tuple[Any, str]:
    """Return fsspec's file system for an address, and its name for the file; raises CorpusError,
    ImportError.
    """
    scheme = Remote(url).scheme
    if scheme not in PACKAGES or (
        "::" in url and scheme not in WEB
    ):  # files in files, as fsspec writes them
        known = ", ".join(f"{name}://" for name in PACKAGES)
        hint = did_you_mean(scheme, PACKAGES) if scheme not in PACKAGES else ""
        message = f"addresses of this kind are not read{hint}; known: {known}"
        raise CorpusError([Problem(str(Remote(url)), message, UNREACHABLE)])
    import fsspec

    if scheme in WEB:
        import aiohttp

        assert aiohttp  # noqa: S101 (where it is lacking, fsspec would name the class that it cannot make)
        # A range of a compressed transfer would not be a range of the text.
        settings = {"headers": {"Accept-Encoding": "identity"}, "trust_env": True}
        return fsspec.filesystem(scheme, client_kwargs=settings), url
    listings = (
        {"use_listings_cache": False} if PACKAGES[scheme] == "s3fs" else {}
    )  # none, since files may change
    system, name = fsspec.url_to_fs(url, **listings)
    return system, name


def tried(file: Remote, call: Callable[[Any, str], T], tries: int = TRIES) -> T:
    """Return call(file system, name of the file in it), tried again where that may help.

    Raises CorpusError with one clear message, whatever was raised below.
    """
    for left in reversed(range(tries)):
        try:
            return call(*_file_system(file.url))
        except CorpusError:
            raise
        except Exception as raised:  # noqa: BLE001 (each file system has errors of its own)
            hidden = raised.__cause__ if isinstance(raised, FileNotFoundError) else None
            error = (
                hidden if isinstance(hidden, Exception) else raised
            )  # fsspec hides failures of HTTP servers so
            message, again = _reason(file, error, tries)
            silent = isinstance(error, TimeoutError)
            if not left or not again or (silent and left == 1):
                down = (
                    isinstance(error, OSError | ImportError | ValueError)
                    or getattr(error, "status", 0) in REFUSALS
                )
                kind = UNREACHABLE if down and not isinstance(error, FileNotFoundError) else ""
                raise CorpusError([Problem(str(file), message, kind)]) from None
            time.sleep(PAUSE * 2 ** (tries - 1 - left))
    raise AssertionError


def _reason(file: Remote, error: Exception, tries: int) -> tuple[str, bool]:
    """Return why a file cannot be read after so many tries at most, and whether another try may
    help.
    """
    if isinstance(error, ImportError):
        package = "fsspec" if (error.name or "").startswith("fsspec") else PACKAGES[file.scheme]
        extra = "'gec-pipeline[remote]'" + (
            f" {package}" if package not in ("fsspec", "aiohttp", "") else ""
        )
        return f"{file.scheme}:// needs the package {package}: pip install {extra}", False
    if isinstance(error, TimeoutError):
        twice = ", twice" if tries > 1 else ""
        return (
            f"the server sends nothing: {SILENCE:g} seconds were waited{twice}; is it at work?",
            True,
        )
    status = getattr(error, "status", None)
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return "no such file there", False
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "").replace(
        file.url, str(file)
    )
    text = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    if isinstance(error, PermissionError) or status in (401, 403) or "credentials" in text.lower():
        return f"access is denied; are there credentials for it? ({text})", False
    if isinstance(error, IsADirectoryError):
        return "is a folder; expected a text file", False
    return f"cannot be read: {text}", True


def stamp_of(file: Remote) -> RemoteStamp:
    """Return the stamp of a file; raises CorpusError where there is none, or it is a folder.

    fsspec's own `ukey` takes every file of an HTTP server for one that never changes.
    """

    def find(system: Any, name: str) -> RemoteStamp:
        system.invalidate_cache()
        info = system.info(name, **({"timeout": SILENCE} if file.scheme in WEB else {}))
        if info.get("type") == "directory":
            raise IsADirectoryError
        size = -1 if info.get("size") is None else int(info["size"])
        return RemoteStamp(size, next((str(info[key]) for key in _TOKENS if info.get(key)), ""))

    return tried(file, find)


def ranged(file: Remote) -> bool:
    """Return whether any process can read ranges of a file; raises CorpusError where there is no
    such file.

    An HTTP server is asked for a file once, and files of memory:// are in one process only.
    """
    return file.scheme not in (*WEB, "memory") and stamp_of(file).size >= 0


def _received(file: Remote, opened: Any) -> Iterator[bytes]:
    """Yield the bytes of an opened file as they come; raises CorpusError where an HTTP server sends
    them too slowly.
    """
    started = clock()
    size = 0
    with opened:
        while piece := opened.read(PIECE):
            size += len(piece)
            yield piece
            taken = clock() - started
            if file.scheme in WEB and taken > SILENCE + size / SLOWEST:
                message = f"the server sends fewer than {SLOWEST:,} bytes a second: {size:,} bytes in {taken:.0f} s"
                advice = "try again, or fetch the file and name it here"
                raise CorpusError([Problem(str(file), f"{message}; {advice}", UNREACHABLE)])


def read_range(url: str, start: int, size: int) -> bytes:
    """Return size bytes of a file, from the byte start on; raises CorpusError, also where there are
    fewer.
    """

    def read(system: Any, name: str) -> bytes:
        data = bytes(system.cat_file(name, start=start, end=start + size))
        if len(data) != size:
            raise ValueError(f"asked for {size:,} bytes from {start:,} on, and got {len(data):,}")
        return data

    return tried(Remote(url), read) if size else b""


class Pieces(io.RawIOBase):
    """Reads pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._waiting = pieces, b""

    def readinto(self, buffer: Any, /) -> int:
        """Write the next bytes to memory; return how many these are, 0 at the end."""
        data = self._waiting or next(self._pieces, b"")
        size = min(len(buffer), len(data))
        buffer[:size], self._waiting = data[:size], data[size:]
        return size


class RangeReader(Pieces):
    """Reads the bytes start <= i < stop of a remote file, by ranges."""

    def __init__(self, file: Remote, start: int, stop: int) -> None:
        self.fingerprint = stamp_of(file)
        super().__init__(
            read_range(file.url, at, min(CHUNK, stop - at)) for at in range(start, stop, CHUNK)
        )


def stream(file: Remote, size: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces, by one request; raises CorpusError, also where the file
    ends too early.

    The server is asked for the size unless it is given.
    """
    size = stamp_of(file).size if size is None else size

    def opened(system: Any, name: str) -> Any:
        if file.scheme not in WEB:
            return system.open(name, "rb")
        from aiohttp import ClientTimeout

        waits = ClientTimeout(total=LONGEST, sock_connect=SILENCE / 4, sock_read=SILENCE)
        return system.open(
            name, block_size=0, size=1, timeout=waits
        )  # with a size the server is not asked for it

    total, pieces = 0, _received(file, tried(file, opened))
    while piece := tried(file, lambda *_: next(pieces, b""), 1):
        total += len(piece)
        yield piece
    if size not in (-1, total):
        raise CorpusError(
            [Problem(str(file), f"ended after {total:,} of {size:,} bytes; try again")]
        )


def glob(pattern: Remote) -> list[Remote]:
    """Return the files that match an address with * or [...]; raises CorpusError where files cannot
    be listed.
    """

    def find(system: Any, name: str) -> list[Remote]:
        system.invalidate_cache()
        names = [
            name
            for name, info in system.glob(name, detail=True).items()
            if info.get("type") != "directory"
        ]
        return [Remote(system.unstrip_protocol(name)) for name in names]

    return tried(pattern, find)
