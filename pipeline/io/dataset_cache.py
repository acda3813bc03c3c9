"""The cache of data sets on this computer: which files are there, which are missing, and how they are fetched.

    locate_all(catalogue.named("conll14/INPUT"))        returns paths, checked; DataError says how to fetch the files
    missing("conll14")                                  lists the files that are missing or have changed
    fetch_files(catalogue.named("conll14/NUCLE*"))      takes the missing files from a mirror

Paths in configs and on the command line that begin with data: go through `path_of`. `catalogue.py` lists what can be
fetched, and `dataset_cache.py` takes a file from its public address. Only `fetch_files` uses the network.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import sys
import threading
import time
from dataclasses import field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal, Protocol
from urllib.parse import quote, urlsplit, urlunsplit

from ..dataclass import dataclass
from ..errors import DataError, Problem
from .catalogue import data_set, named_one
from .remote import expanded, home, is_data
from .safe_files import TEMPORARY, lock_of, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from .catalogue import DataFile


# Where the files of data sets come from: a folder, a web address, or the public addresses themselves.
#
# Every mirror has the layout REPOSITORY/COMMIT/PATH. The package pooch reads the web. What it has no means for is here:
# an upper limit of bytes and a lower one of speed, a checksum before the file gets its name, and one clear message.


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


CACHE = "GEC_PIPELINE_DATA"
"""The environment variable that names the cache."""
State = Literal["here", "missing", "changed"]
_folders: dict[str, Path] = {}
"""The folders that a user names for data sets, by the name of the data set."""
_dataset = attrgetter("dataset")


def cache() -> Path:
    """Return the folder of the cache: GEC_PIPELINE_DATA, else gec-pipeline in the platform's folder of caches.

    Raises DataError where that is in the home directory, which is not known.
    """
    given = os.environ.get(CACHE)
    if given:
        return Path(given).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        base = base if Path(base).is_absolute() else str(home() / ".cache")
    return Path(base) / "gec-pipeline"


@contextlib.contextmanager
def in_folders(folders: Mapping[str, Path]) -> Iterator[None]:
    """Take the files of some data sets from folders of the user, and not from the cache.

    `folders` has a folder for the name of each such data set. A file has the same name there as in the data set. Raises
    DataError where there is no such data set or folder.
    """
    for name, folder in folders.items():
        data_set(name)
        if not folder.is_dir():
            raise DataError(f"{name}: there is no folder '{folder}'")
    _folders.update(folders)
    try:
        yield
    finally:
        for name in folders:
            _folders.pop(name, None)


def folder_of(dataset: str) -> Path:
    """Return the folder that has the files of a data set: in the cache, or one that a user has named."""
    return _folders.get(dataset, cache() / dataset)


def cache_path(file: DataFile) -> Path:
    """Return the path that a file has in the cache, or in a folder of the user, whether or not it is there."""
    return folder_of(file.dataset) / file.name


def state(file: DataFile, *, quick: bool = False) -> State:
    """Return whether a file is here, missing or changed. `quick` compares the size and not the checksum."""
    path = cache_path(file)
    try:
        if not path.is_file():
            return "changed" if path.exists() else "missing"
        if file.size and path.stat().st_size != file.size:
            return "changed"
        if quick or not file.sha256:
            return "here"
        with path.open("rb") as opened:
            checksum = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return "changed"
    return "here" if checksum == file.sha256 else "changed"


def locate_all(files: Iterable[DataFile]) -> list[Path]:
    """Return the paths of files; raises DataError with one problem for each data set that lacks some of them."""
    files = list(dict.fromkeys(files))
    states = {file: state(file) for file in files}
    problems = []
    for name, group in groupby(sorted(files, key=_dataset), _dataset):
        keys: dict[State, list[str]] = {"here": [], "missing": [], "changed": []}
        for file in group:
            keys[states[file]].append(file.key)
        where, since = (_folders[name], "") if name in _folders else (cache(), " since fetched")
        for lacking, said in ((keys["missing"], f"not in {where}"), (keys["changed"], f"changed in {where}{since}")):
            if lacking:
                them = "it" if len(lacking) == 1 else "them"
                how = by_hand(name) or f"fetch {them}: gec-pipeline data fetch {name}"
                problems.append(Problem("", f"{_listed(lacking)} {said}; {how}"))
    if problems:
        raise DataError(problems)
    return [cache_path(file) for file in files]


def by_hand(name: str) -> str:
    """Return how a user gets a data set that is not fetched; an empty text for one that is fetched."""
    given = next((file.given for file in data_set(name).files.values() if file.given), "")
    if not given or name in _folders:
        return given
    return f"{given}; then say --data {name}=FOLDER to `gec-pipeline reproduce`, or put it at {folder_of(name)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more} {'is' if len(names) == 1 else 'are'}"


def missing(name: str) -> list[str]:
    """Return the names of a data set's files that are missing or changed; raises DataError for an unknown data set."""
    return [file.name for file in data_set(name).files.values() if state(file) != "here"]


def path_of(text: str, base: Path = Path()) -> Path:
    """Return the path that a user has written: data:NAME/FILE is in the cache, all else is relative to base.

    Raises DataError where a file of the cache is unknown, missing or changed, and for a variable that is not set.
    """
    return locate_all([named_one(text)])[0] if is_data(text) else base / expanded(text, base)


@dataclass(kw_only=True)
class Fetched:
    """What fetching has done, and what went wrong."""

    taken: list[DataFile] = field(default_factory=list)
    """Files that were taken from the mirror."""
    here: list[DataFile] = field(default_factory=list)
    """Files that were in the cache already."""
    failed: dict[DataFile, str] = field(default_factory=dict)
    """Files that the mirror lacks or has with another content, and the reason."""
    stopped: str = ""
    """Why fetching stopped before the last file; empty where it did not."""
    skipped: list[DataFile] = field(default_factory=list)
    """Files that nobody asked the mirror for, since fetching had stopped."""
    given: list[DataFile] = field(default_factory=list)
    """Files that are missing and are not fetched, but come from the user."""
    mirror: Mirror | None = None

    @property
    def problems(self) -> list[Problem]:
        """What went wrong: one problem for all files of a data set that failed for the same reason."""
        messages = []
        alike: dict[tuple[str, str], list[DataFile]] = {}
        for file, reason in self.failed.items():
            alike.setdefault((file.dataset, reason), []).append(file)
        for (dataset, reason), files in alike.items():
            assert self.mirror  # noqa: S101 (for the type checker: files fail at a mirror)
            if len(files) == 1:
                messages.append(f"{files[0].key}: {reason}: {self.mirror.where(files[0])}")
            else:
                names = ", ".join(file.name for file in files)
                messages.append(f"{dataset}: {reason}, {len(files)} files of {self.mirror.name}: {names}")
        messages += [f"{name}: is not fetched; {by_hand(name)}" for name in dict.fromkeys(map(_dataset, self.given))]
        if self.stopped:
            messages.append(f"{self.stopped}; what was fetched is kept, files still to fetch: {len(self.skipped)}")
        return [Problem("", message) for message in messages]


def fetch_files(
    files: Iterable[DataFile],
    mirror: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[int, int], None] = lambda _done, _whole: None,
    timeout: float = TIMEOUT,
) -> Fetched:
    """Fetch the files that are not in the cache; return what was done, and what went wrong.

    `tell` is called with one line for each fetched file, `progress` with the bytes so far and the bytes in all. A file
    that fails is left out. Fetching stops where the mirror cannot be reached, or the cache cannot be written.
    Raises DataError where `mirror` names no mirror.
    """
    files = sorted(dict.fromkeys(files), key=_dataset)
    absent = [file for file in files if state(file) != "here"]
    lacking = [file for file in absent if not file.given]
    fetched = Fetched(here=[file for file in files if file not in absent], given=[f for f in absent if f.given])
    if not lacking:
        return fetched
    source = fetched.mirror = mirror_of(mirror, timeout)
    before, whole = 0, sum(file.size for file in lacking)
    for name, group in groupby(lacking, _dataset):
        try:
            with _held(cache() / name, tell):
                for file in group:
                    _fetch(file, source, fetched, tell, lambda size: progress(before + size, whole))  # noqa: B023
                    before += file.size
                    progress(before, whole)
        except UnreachableError as error:
            fetched.stopped = str(error)
            finished = {*fetched.taken, *fetched.here, *fetched.failed}
            fetched.skipped = [file for file in lacking if file not in finished]
            break
    return fetched


def _fetch(
    file: DataFile, mirror: Mirror, fetched: Fetched, tell: Callable[[str], None], progress: Callable[[int], None]
) -> None:
    """Fetch one file, and note what became of it; raises UnreachableError where the next one would fail as well."""
    if state(file) == "here":  # another process has brought it while this one waited
        fetched.here.append(file)
        return
    path = cache_path(file)
    try:
        _make(path.parent)
        bring(file, path, mirror, progress)
    except UnreachableError:
        raise
    except DataError as error:
        fetched.failed[file] = str(error)
    else:
        fetched.taken.append(file)
        tell(f"{file.key}: fetched, {file.size:,} bytes")


def _make(folder: Path) -> None:
    """Make a folder of the cache; raises UnreachableError, also for links: nothing is written through them."""
    path = cache()
    for step in folder.relative_to(path).parts:
        path /= step
        if path.is_symlink():
            raise UnreachableError(f"{path}: is a link; nothing is written through links inside the cache")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None


@contextlib.contextmanager
def _held(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a data set, after waiting for other processes; what killed ones left behind is deleted.

    Where a file system has no locks the work goes on: temporary names differ, and renaming is atomic.
    """
    from filelock import Timeout

    _make(folder)
    lock = lock_of(folder.with_name(f".{folder.name}.lock"))
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            tell(f"{folder.name}: another process is fetching it; waiting")
            lock.acquire()
        for left in folder.rglob(f".*{TEMPORARY}"):
            left.unlink(missing_ok=True)
    except PermissionError as error:
        raise unwritable(folder, error) from None
    except (OSError, RuntimeError, NotImplementedError):
        pass
    try:
        yield
    finally:
        for path in sorted([folder, *folder.rglob("*")], reverse=True):  # folders of files that then could not be had
            if path.is_dir() and not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.rmdir()  # only an empty one can be removed
        lock.release(force=True)
