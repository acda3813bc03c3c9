"""Paths as users write them, and files at addresses such as s3://bucket/file, which fsspec reads.

In a path, ~ is the home folder, and $NAME or ${NAME} a variable of the environment. fsspec and its
packages find keys and endpoints of servers in their own files and in the environment. Messages show
an address without its password and without what follows the question mark, which may be a
signature.
"""

import contextlib
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from urllib.parse import unquote, urlsplit

from ..errors import CorpusError, DataError, Problem, did_you_mean

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
CHUNK_BYTES = 1 << 20
"""The most bytes that are read at once, of files and of what a server sends."""
BLOCK_BYTES = 1 << 23
"""Bytes that fsspec reads ahead where a file is read from beginning to end."""
SILENCE = 30
"""Seconds after which an HTTP server that sends nothing is given up."""
REFUSALS = (401, 403, 407, 429, 503)
"""Answers of HTTP servers that would be the same for the next file."""
WEB = ("http", "https")
"""Kinds of addresses whose servers are asked for a file once, from beginning to end."""
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


@dataclass(frozen=True)
class Remote:
    """The address of a file, with the properties of a path that the program uses."""

    class Fingerprint(NamedTuple):
        """Size and version of a remote file. If they differ, the file may have changed."""

        size: int
        """In bytes; -1 if unknown."""
        token: str
        """The ETag, checksum or time of the file; empty if unknown."""

    UNREACHABLE: ClassVar[str] = "unreachable"
    """The kind of a problem with a server that need not be asked for the next file."""

    url: str

    @property
    def scheme(self) -> str:
        """The part before ://, in lower case."""
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
        url = self.url
        if self.scheme in WEB and "?" in url:
            url = url.partition("?")[0] + "?..."
        return re.sub(r"://[^/@]*@", "://", url)

    def fingerprint(self) -> Fingerprint:
        """Return size and version of the file; raises CorpusError if it is missing or a folder.

        fsspec's `ukey` treats every file of an HTTP server as one that never changes.
        """
        with self._clear_errors():
            system, name = self._file_system()
            system.invalidate_cache()
            info = system.info(name)
            if info.get("type") == "directory":
                raise IsADirectoryError
        size = -1 if info.get("size") is None else int(info["size"])
        for key in _TOKENS:
            if info.get(key):
                return self.Fingerprint(size, str(info[key]))
        return self.Fingerprint(size, "")

    def is_ranged(self) -> bool:
        """Return whether any process can read ranges of the file; raises CorpusError if it is missing.

        An HTTP server is asked for a file once, and files of memory:// are in one process only.
        """
        return (
            self.scheme not in (*WEB, "memory") and self.fingerprint().size >= 0
        )

    @contextlib.contextmanager
    def open(self, **settings: Any) -> Iterator[Any]:
        """Open the file with fsspec, for read(), readinto() and seek(); raises CorpusError.

        The settings are those of fsspec's open(); without any, it reads blocks of BLOCK_BYTES ahead.
        """
        with self._clear_errors():
            system, name = self._file_system()
            with system.open(
                name, "rb", **{"block_size": BLOCK_BYTES, **settings}
            ) as opened:
                yield opened

    def read_range(self, start: int, size: int) -> bytes:
        """Return `size` bytes of the file from `start` on; raises CorpusError, also if there are fewer."""
        if not size:
            return b""
        with self.open(cache_type="none") as opened:
            opened.seek(start)
            data = bytes(opened.read(size))
            if len(data) != size:
                raise ValueError(
                    f"asked for {size:,} bytes from {start:,} on, and got {len(data):,}"
                )
            return data

    def stream(self, size: int | None = None) -> Iterator[bytes]:
        """Yield the bytes of the file in chunks; raises CorpusError, also if the file ends too early.

        The server is asked for the size in bytes unless it is an argument; -1 if it is not known.
        """
        if size is None:
            size = self.fingerprint().size
        settings: dict[str, Any] = {}
        if self.scheme in WEB:
            # fsspec reads the file by one request
            settings = {"block_size": 0, "size": size}
        total = 0
        with self.open(**settings) as opened:
            while chunk := opened.read(CHUNK_BYTES):
                total += len(chunk)
                yield chunk
        if size not in (-1, total):
            message = f"ended after {total:,} of {size:,} bytes; try again"
            raise CorpusError.at(str(self), message)

    def matches(self) -> "list[Remote]":
        """Return the files that match the address, which has * or [...]; raises CorpusError."""
        files = []
        with self._clear_errors():
            system, name = self._file_system()
            system.invalidate_cache()
            for path, info in system.glob(name, detail=True).items():
                if info.get("type") != "directory":
                    files.append(Remote(system.unstrip_protocol(path)))
        if not files:
            raise CorpusError.at("", f"no file matches '{self}'")
        return files

    def _file_system(self) -> tuple[Any, str]:
        """Return fsspec's file system for the address, and the name of the file in it.

        Raises CorpusError for addresses that are not read, and ImportError for a missing package.
        """
        url = self.url
        known = self.scheme in PACKAGES
        # a file in a file, as fsspec writes it
        is_chained = "::" in url and self.scheme not in WEB
        if not known or is_chained:
            hint = "" if known else did_you_mean(self.scheme, PACKAGES)
            schemes = ", ".join(f"{name}://" for name in PACKAGES)
            message = (
                f"addresses of this kind are not read{hint}; known: {schemes}"
            )
            raise CorpusError([Problem(str(self), message, self.UNREACHABLE)])
        import fsspec

        if self.scheme in WEB:
            from aiohttp import ClientTimeout

            settings = {
                # A compressed transfer of a packed file would be unpacked twice.
                "headers": {"Accept-Encoding": "identity"},
                "timeout": ClientTimeout(
                    total=None, sock_connect=SILENCE, sock_read=SILENCE
                ),
                "trust_env": True,
            }
            return fsspec.filesystem(self.scheme, client_kwargs=settings), url
        options = {}
        if PACKAGES[self.scheme] == "s3fs":
            options["use_listings_cache"] = False  # files may change
        system, name = fsspec.url_to_fs(url, **options)
        return system, name

    @contextlib.contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Raise CorpusError with a clear message for all errors of file systems."""
        try:
            yield
        except CorpusError:
            raise
        except Exception as raised:  # noqa: BLE001 (each file system has errors of its own)
            error = raised
            if isinstance(raised, FileNotFoundError) and isinstance(
                raised.__cause__, Exception
            ):
                # fsspec hides failures of HTTP servers like this
                error = raised.__cause__
            kind = self.UNREACHABLE if _is_unreachable(error) else ""
            raise CorpusError(
                [Problem(str(self), self._reason(error), kind)]
            ) from None

    def _reason(self, error: Exception) -> str:
        """Return why a file cannot be read."""
        if isinstance(error, ImportError):
            package = PACKAGES[self.scheme]
            if (error.name or "").startswith("fsspec"):
                package = "fsspec"
            install = "pip install 'gec-pipeline[remote]'"
            if package not in ("fsspec", "aiohttp", ""):
                install += f" {package}"
            return f"{self.scheme}:// needs the package {package}: {install}"
        if isinstance(error, TimeoutError):
            return f"the server sends nothing: {SILENCE:g} seconds were waited; is it at work?"
        status = getattr(error, "status", None)
        if isinstance(error, FileNotFoundError) or status in (404, 410):
            return "no such file there"
        text = type(error).__name__
        lines = str(error).strip().splitlines()
        if lines:
            first_line = lines[0].strip().replace(self.url, str(self))
            text = f"{text}: {first_line[:300]}"
        if (
            isinstance(error, PermissionError)
            or status in (401, 403)
            or "credentials" in text.lower()
        ):
            return f"access is denied; are there credentials for it? ({text})"
        if isinstance(error, IsADirectoryError):
            return "is a folder; expected a text file"
        return f"cannot be read: {text}"


def _is_unreachable(error: Exception) -> bool:
    """Return whether the next file of the same server would fail as well."""
    if isinstance(error, FileNotFoundError):
        return False
    refused = getattr(error, "status", 0) in REFUSALS
    return refused or isinstance(error, OSError | ImportError | ValueError)


class ChunkFile(io.RawIOBase):
    """Reads chunks of bytes as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._waiting = b""

    def readinto(self, buffer: Any, /) -> int:
        """Write the next bytes to memory; return how many these are, 0 at the end."""
        data = self._waiting or next(self._chunks, b"")
        size = min(len(buffer), len(data))
        buffer[:size] = data[:size]
        self._waiting = data[size:]
        return size


class WrittenPath(str):
    """A path as a user wrote it, in a config or on the command line."""

    __slots__ = ()
    DATA: ClassVar[str] = "data:"
    """What begins a path that names a file of a data set: data:NAME/FILE."""
    STDIN: ClassVar[Path] = Path("/dev/stdin")
    """The path of standard input, which users write as -."""

    @property
    def is_remote(self) -> bool:
        """Whether it is an address, also one of a kind that cannot be read."""
        match = _SCHEME.match(self)
        return bool(match and match[1].lower() not in LOCAL)

    @property
    def is_data(self) -> bool:
        """Whether it begins with data: and so names a file of a data set."""
        return self.startswith(self.DATA)

    @property
    def is_glob(self) -> bool:
        """Whether it is a pattern. In an address, ? begins a query and is no wildcard."""
        wildcards = "*[" if self.is_remote else "*?["
        return any(character in self for character in wildcards)

    def located(self, base: Path = Path()) -> Path | Remote:
        """Return the address or the path (also of file://), which is relative to `base`."""
        if self.is_remote:
            return Remote(str(self))
        if _SCHEME.match(self):
            from urllib.request import url2pathname

            return Path(url2pathname(urlsplit(self).path))
        return base / self

    def exists(self, base: Path = Path()) -> bool:
        """Return whether it is a file or folder here; False for an address, and an invalid path."""
        path = self.located(base)
        try:
            return isinstance(path, Path) and path.exists()
        except (OSError, ValueError):
            return False

    def expanded(self, base: Path = Path()) -> "WrittenPath":
        """Return the path with ~ and variables replaced, unless `base` has a file of this name.

        Addresses and paths of data sets stay. Raises DataError for a variable that is not set, or
        empty.
        """
        if self.is_data or self.is_remote:
            return self
        is_short = self.startswith("~") or _VARIABLE.search(self)
        if not is_short or self.exists(base):
            return self

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if not os.environ.get(name):
                message = f"the environment variable {name} is not set{did_you_mean(name, os.environ)}"
                raise DataError(f"{message}, and no file is called '{self}'")
            return os.environ[name]

        filled = _VARIABLE.sub(value, self)
        return WrittenPath(os.path.expanduser(filled))  # noqa: PTH111 (Path.expanduser fails for unknown users)

    def files(self, base: Path) -> list[Path | Remote]:
        """Return the files that the pattern matches, in natural order; `base` as for located().

        A local file of this exact name is the only one. Raises CorpusError for addresses that cannot be
        read, or that match no file.
        """
        if self.is_remote:
            return sorted(Remote(str(self)).matches(), key=natural_key)
        try:
            literal = base / self
            if literal.exists() and not literal.is_dir():
                return [literal]
            anchor = Path(self).anchor
            folder = Path(anchor) if anchor else base
            files = [
                path
                for path in folder.glob(self[len(anchor) :])
                if path.is_file()
            ]
        except (OSError, ValueError, IndexError, NotImplementedError, re.error):
            return []
        return sorted(files, key=natural_key)


def natural_key(file: Path | Remote) -> list[list[tuple[int, str]]]:
    """Return a sort key that puts system2 before system10. Different paths have different keys."""
    keys = []
    for part in file.parts:
        name = Path(part).name
        key = []
        for text in re.split(r"([0-9]+)", name):
            key.append((int(text), "") if text.isdecimal() else (-1, text))
        keys.append([*key, (-1, name)])
    return keys
