"""Where the files of data sets come from: their public addresses, or a mirror of these; and into place, whole or not.

A mirror has the layout REPOSITORY/COMMIT/PATH, in a folder or at a web address. The web is read by the package pooch.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol
from urllib.parse import quote, urlsplit, urlunsplit

from ..errors import DataError
from .safe_files import TEMPORARY, replacing

if TYPE_CHECKING:
    from collections.abc import Callable

    from .catalogue import DataFile

ORIGIN = "https://raw.githubusercontent.com"
"""The public address of the repositories' files."""
MIRROR = "GEC_PIPELINE_MIRROR"
"""The environment variable that names a mirror where the command line does not."""
TIMEOUT = 30.0
"""Seconds without a byte after which a download is given up."""
SLOWEST = 1000
"""Bytes a second, on average after TIMEOUT, below which a download is given up."""
PIECE = 1 << 16
DROP = 1 << 10
"""Bytes of a download that are waited for before its speed is looked at: a trickle must not take long to make one."""
_AGAIN = "run the same command again, or name another mirror with --mirror"


class UnreachableError(DataError):
    """No file can be had at all, so that there is no use in asking for the next one."""


class Sink:
    """A file being written: counts, hashes, and refuses more bytes than are expected."""

    def __init__(self, opened: BinaryIO, file: DataFile, progress: Callable[[int], None], timeout: float) -> None:
        self.opened, self.file, self.progress = opened, file, progress
        self.size, self.hash = 0, hashlib.sha256()
        self.started, self.patience = time.monotonic(), timeout

    def write(self, data: bytes) -> None:
        """Take bytes; raises DataError where there are too many, UnreachableError where they come too slowly."""
        self.size += len(data)
        if self.size > self.file.size:
            raise DataError(f"expected {self.file.size:,} bytes, found more")
        if time.monotonic() - self.started > self.patience + self.size / SLOWEST:
            raise UnreachableError(f"came slower than {SLOWEST:,} bytes a second; {_AGAIN}")
        self.hash.update(data)
        self.opened.write(data)
        self.progress(len(data))

    def flush(self) -> None:
        """Do nothing: the file is flushed once, at its end (pooch asks after every piece)."""

    def check(self) -> None:
        """Raise DataError unless the bytes are those expected."""
        found = self.hash.hexdigest()
        if found != self.file.sha256:
            expected = f"expected {self.file.size:,} bytes with sha256 {self.file.sha256}"
            raise DataError(f"{expected}, found {self.size:,} bytes with sha256 {found}")


class Mirror(Protocol):
    """A place to take files from."""

    name: str

    def send(self, file: DataFile, sink: Sink) -> None:
        """Write a file's bytes into sink; raises DataError, UnreachableError, and OSError of the sink alone."""

    def where(self, file: DataFile) -> str:
        """Return where the file would be, for messages."""


class Folder:
    """A mirror in a folder."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)

    def where(self, file: DataFile) -> str:
        """Return the path."""
        return str(self.path / file.address)

    def send(self, file: DataFile, sink: Sink) -> None:
        """Copy the file."""
        path = self.path / file.address
        try:
            if path.exists() and not path.is_file():
                raise DataError("is no regular file")
            opened = path.open("rb")
        except FileNotFoundError:
            raise DataError("is not there") from None
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}") from None
        with opened:
            for piece in iter(partial(_read, opened), b""):
                sink.write(piece)


def _read(opened: BinaryIO) -> bytes:
    try:
        return opened.read(PIECE)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}") from None


class Web:
    """A mirror at a web address, or the public addresses themselves."""

    def __init__(self, address: str, timeout: float = TIMEOUT) -> None:
        self.address, self.timeout = address.rstrip("/"), timeout
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2]  # without the password
        self.name = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
        try:
            from pooch import HTTPDownloader
        except ImportError:
            needs = "downloads need the package pooch: pip install 'gec-pipeline[data]'; a mirror in a folder does not"
            raise UnreachableError(needs) from None
        # Compressed transfers would hide a truncated one.
        headers = {"Accept-Encoding": "identity", "User-Agent": "gec-pipeline"}
        self.download = HTTPDownloader(chunk_size=DROP, timeout=timeout, headers=headers)

    def where(self, file: DataFile) -> str:
        """Return the address."""
        return f"{self.name}/{quote(file.address)}"

    def send(self, file: DataFile, sink: Sink) -> None:
        """Download the file."""
        from requests import RequestException

        try:
            self.download(f"{self.address}/{quote(file.address)}", sink, None)
        except RequestException as error:
            raise self._told(error, sink) from None

    def _told(self, error: OSError, sink: Sink) -> DataError:
        """Return what a failed request means to a user."""
        import requests

        response = getattr(error, "response", None)
        if isinstance(error, requests.HTTPError) and response is not None:
            return _refused(response.status_code, response.reason)
        if isinstance(error, requests.TooManyRedirects):
            return DataError("the server sends from one address to the next without end")
        if isinstance(error, requests.Timeout) or "timed out" in str(error).lower():
            return UnreachableError(f"no answer within {self.timeout:g} seconds; {_AGAIN}")
        if sink.size or isinstance(error, requests.exceptions.ChunkedEncodingError):
            read = re.search(r"IncompleteRead\((\d+) bytes read", str(error))  # also what had not come to the sink yet
            count = max(sink.size, int(read[1]) if read else 0)
            return DataError(f"the connection broke after {count:,} of {sink.file.size:,} bytes; {_AGAIN}")
        return UnreachableError(f"cannot be reached: {_innermost(error)}; is there a network? {_AGAIN}")


def _refused(code: int, reason: str) -> DataError:
    if code in (404, 410):
        return DataError(f"is not there (HTTP {code})")
    message = f"the server answered HTTP {code} {reason}; {_AGAIN}"
    return UnreachableError(message) if code in (401, 403, 407, 429, 503) else DataError(message)


def _innermost(error: BaseException) -> str:
    """Return what the operating system said, from below the layers of libraries."""
    seen: BaseException = error
    for _ in range(10):
        below = getattr(seen, "reason", None) or seen.__cause__ or seen.__context__
        below = (
            below
            if isinstance(below, BaseException)
            else next((a for a in seen.args if isinstance(a, Exception)), None)
        )
        if below is None:
            break
        seen = below
    return getattr(seen, "strerror", None) or str(seen).rpartition(": ")[2] or type(seen).__name__


def mirror_of(text: str | None, timeout: float = TIMEOUT) -> Mirror:
    """Return the mirror that text names, else the environment, else the public addresses; raises DataError."""
    label = "--mirror" if text is not None else MIRROR
    text = text if text is not None else os.environ.get(MIRROR) or ORIGIN
    scheme = text.partition("://")[0].lower() if "://" in text else ""
    if scheme in ("http", "https"):
        if not _host(text):
            raise DataError(f"{label}: '{text}' names no host")
        return Web(text, timeout)
    if scheme not in ("", "file"):
        raise DataError(f"{label}: expected a folder, file://, http:// or https://, found '{text}'")
    path = _local(text, label) if scheme else Path(text).expanduser()
    try:
        found = text != "" and path.is_dir()
    except (OSError, ValueError):
        found = False
    if not found:
        raise DataError(f"{label}: '{text}' is no folder; a mirror is one laid out as REPOSITORY/COMMIT/PATH")
    return Folder(path)


def _host(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    return parts.hostname


def _local(text: str, label: str) -> Path:
    parts = urlsplit(text)
    if parts.netloc not in ("", "localhost"):
        raise DataError(f"{label}: expected file:///FOLDER, found '{text}'")
    from urllib.request import url2pathname

    return Path(url2pathname(parts.path))


def bring(file: DataFile, target: Path, mirror: Mirror, progress: Callable[[int], None], timeout: float) -> None:
    """Take a file from a mirror into place: under a temporary name, checked, then renamed.

    Raises DataError where the mirror does not have it so, UnreachableError where nothing can be taken or written.
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with replacing(target, temporary) as opened:
            sink = Sink(opened, file, progress, timeout)
            mirror.send(file, sink)
            sink.check()
    except UnreachableError as error:
        raise UnreachableError(f"{file.key}: {mirror.where(file)}: {error}") from None
    except OSError as error:
        raise unwritable(target, error) from None


def unwritable(path: Path, error: OSError) -> UnreachableError:
    """Return what is said where the cache cannot be written."""
    full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
    advice = "make room" if full else "see who may write there"
    return UnreachableError(
        f"{path}: cannot be written: {error.strerror}; {advice}, or name another folder with GEC_PIPELINE_DATA"
    )
