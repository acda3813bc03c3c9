"""Where the files of data sets come from: a folder, a web address, or the public addresses themselves.

Every mirror has the layout REPOSITORY/COMMIT/PATH. The package pooch reads the web. What it has no means for is here:
an upper limit of bytes and a lower one of speed, a checksum before the file gets its name, and one clear message.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol
from urllib.parse import quote, urlsplit, urlunsplit

from ..errors import DataError
from .safe_files import TEMPORARY, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
"""Bytes read at once from a mirror in a folder."""
DROP = 1 << 10
"""Bytes of a download after which its speed is looked at; small, so that a slow trickle is noticed soon."""
LOOK = 0.5
"""Seconds between two looks at the speed of a download."""
_AGAIN = "run the same command again, or name another mirror with --mirror"


class UnreachableError(DataError):
    """No file can be fetched at all, so there is no use in asking for the next one."""


class Sink:
    """A file being written. It counts and hashes its bytes, and refuses more than are expected."""

    def __init__(self, opened: BinaryIO, file: DataFile, progress: Callable[[int], None], timeout: float) -> None:
        self.opened, self.file, self.progress, self.timeout = opened, file, progress, timeout
        self.size, self.hash, self.started = 0, hashlib.sha256(), time.monotonic()

    def write(self, data: bytes) -> None:
        """Take bytes; raises DataError where there are too many, UnreachableError where they come too slowly."""
        self.size += len(data)
        if self.size > self.file.size:
            raise DataError(f"expected {self.file.size:,} bytes, found more")
        self.check_speed()
        self.hash.update(data)
        self.opened.write(data)
        self.progress(self.size)

    def check_speed(self, more: float = 0.0) -> None:
        """Raise UnreachableError where the bytes come too slowly, and so many more seconds are over."""
        if time.monotonic() - self.started > self.timeout + self.size / SLOWEST + more:
            raise UnreachableError(f"came slower than {SLOWEST:,} bytes a second; {_AGAIN}")

    def flush(self) -> None:
        """Do nothing: the file is flushed once, at its end (pooch asks after every piece)."""

    def check(self) -> None:
        """Raise DataError unless the bytes are those expected."""
        checksum = self.hash.hexdigest()
        if checksum != self.file.sha256:
            expected = f"expected {self.file.size:,} bytes with sha256 {self.file.sha256}"
            raise DataError(f"{expected}, found {self.size:,} bytes with sha256 {checksum}")


def watched(download: Callable[[], object], sink: Sink) -> None:
    """Download in a thread, while this one looks at the speed; raises as the download does, and as check_speed().

    The package waits for DROP bytes before it hands them over, so that only a clock notices a slower trickle. A
    download that is given up ends when it next writes into the sink, whose file is closed then.
    """
    errors: list[BaseException] = []

    def run() -> None:
        try:
            download()
        except BaseException as error:  # noqa: BLE001 (this thread raises it)
            errors.append(error)

    thread = threading.Thread(target=run, name="download", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system gives no thread
        download()
        return
    while thread.is_alive():
        thread.join(LOOK)
        if thread.is_alive():
            sink.check_speed(4 * LOOK)  # a server that sends nothing at all is told otherwise, before that
    if errors:
        raise errors.pop()  # which refers to this list: a ring would keep the connection open


class Mirror(Protocol):
    """Something that files are taken from."""

    name: str
    """The folder or address, for messages."""
    timeout: float
    """Seconds without a byte after which a file is given up."""

    def send(self, file: DataFile, sink: Sink) -> None:
        """Write a file's bytes into sink; raises DataError, UnreachableError, and OSError where sink cannot write."""

    def where(self, file: DataFile) -> str:
        """Return the path or address of a file, for messages."""


class Folder:
    """A mirror in a folder."""

    def __init__(self, path: Path, timeout: float = TIMEOUT) -> None:
        self.path, self.name, self.timeout = path, str(path), timeout

    def where(self, file: DataFile) -> str:
        """Return the path of a file, for messages."""
        return str(self.path / file.address)

    def send(self, file: DataFile, sink: Sink) -> None:
        """Copy a file; raises DataError where it cannot be read."""
        for piece in _pieces(self.path / file.address):
            sink.write(piece)


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file; raises DataError where it cannot be read."""
    try:
        if path.exists() and not path.is_file():
            raise DataError("is no regular file")
        with path.open("rb") as opened:
            yield from iter(lambda: opened.read(PIECE), b"")
    except FileNotFoundError:
        raise DataError("is not there") from None
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
        """Return the address of a file, for messages."""
        return f"{self.name}/{quote(file.address)}"

    def send(self, file: DataFile, sink: Sink) -> None:
        """Download a file; raises DataError and UnreachableError where that fails."""
        from requests import RequestException

        try:
            watched(lambda: self.download(f"{self.address}/{quote(file.address)}", sink, None), sink)
        except RequestException as error:
            raise self._meaning(error, sink) from None

    def _meaning(self, error: OSError, sink: Sink) -> DataError:
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
    while below := error.__cause__ or error.__context__:
        error = below
    return getattr(error, "strerror", None) or str(error).rpartition(": ")[2] or type(error).__name__


def mirror_of(text: str | None, timeout: float = TIMEOUT) -> Mirror:
    """Return the mirror that text names, else the one of the environment, else the public addresses.

    Raises DataError where the mirror is none, UnreachableError where it needs a package that is not installed.
    """
    label = "--mirror" if text is not None else MIRROR
    text = text if text is not None else os.environ.get(MIRROR) or ORIGIN
    scheme = text.partition("://")[0].lower() if "://" in text else ""
    if scheme not in ("", "file", "http", "https"):
        raise DataError(f"{label}: expected a folder, file://, http:// or https://, found '{text}'")
    if scheme in ("http", "https"):
        if not _host(text):
            raise DataError(f"{label}: '{text}' names no host")
        return Web(text, timeout)
    try:
        path = _file_url(text, label) if scheme else Path(text).expanduser()
        if text and path.is_dir():
            return Folder(path, timeout)
    except (OSError, RuntimeError, ValueError):  # what can be no path
        pass
    raise DataError(f"{label}: '{text}' is no folder; a mirror is one laid out as REPOSITORY/COMMIT/PATH")


def _host(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises ValueError where it is none
    except ValueError:
        return None
    return parts.hostname


def _file_url(text: str, label: str) -> Path:
    """Return the path that file:///PATH names; raises DataError where another computer is named."""
    from urllib.request import url2pathname

    parts = urlsplit(text)
    if parts.netloc not in ("", "localhost"):
        raise DataError(f"{label}: expected file:///FOLDER, found '{text}'")
    return Path(url2pathname(parts.path))


def bring(file: DataFile, target: Path, mirror: Mirror, progress: Callable[[int], None]) -> None:
    """Take a file from a mirror: it is written under a temporary name, checked, then renamed to target.

    `progress` is called with the bytes of the file so far. Raises DataError where the mirror lacks the file or has
    another, UnreachableError where nothing can be taken or written.
    """
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with replacing(target, temporary) as opened:
            sink = Sink(opened, file, progress, mirror.timeout)
            mirror.send(file, sink)
            sink.check()
    except UnreachableError as error:
        raise UnreachableError(f"{file.key}: {mirror.where(file)}: {error}") from None
    except OSError as error:
        raise unwritable(target, error) from None


def unwritable(path: Path, error: OSError) -> UnreachableError:
    """Return the error that says that the cache cannot be written."""
    full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
    advice = "make room" if full else "see who may write there"
    return UnreachableError(
        f"{path}: cannot be written: {error.strerror}; {advice}, or name another folder with GEC_PIPELINE_DATA"
    )
