"""The cache of data sets on this computer: which files it has, and how the others are fetched.

    cache = DatasetCache()
    files = Catalogue.known().files("conll14/INPUT")
    cache.locate(files)                 return the paths, checked
    cache.fetch(files)                  take the missing files from a mirror
    cache.missing_files("conll14")      list the files that are missing or changed

Paths in configs and on the command line that begin with data: go through `path_of`. `catalogue.py`
lists what can be fetched. Only `fetch` uses the network. It reads a mirror like every other
address, by fsspec (`remote.py`). pooch is not used: it does not bound the bytes of a download,
holds no lock, and reads no mirror in a folder.
"""

import contextlib
import errno
import hashlib
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from ..errors import CorpusError, DataError, Problem
from ..files import TEMPORARY, Remote, WrittenPath, lock_of, replacing
from .catalogue import Catalogue, DataFile

ORIGIN = "https://raw.githubusercontent.com"
"""The public address of the repositories' files."""
MIRROR = "GEC_PIPELINE_MIRROR"
"""The environment variable with the default mirror."""
CACHE = "GEC_PIPELINE_DATA"
"""The environment variable with the folder of the cache."""
MAX_LISTED_FILES = 20
"""Limits the files in a message that failed for the same reason."""
CHUNK_BYTES = 1 << 20
"""Bytes that are read at once."""
State = Literal["here", "missing", "changed"]
_dataset = attrgetter("dataset")


def home() -> Path:
    """Return the home directory; raises DataError if the user has none."""
    try:
        return Path.home()
    except RuntimeError:
        advice = (
            "name a folder for the data with GEC_PIPELINE_DATA, or set HOME"
        )
        raise DataError(f"this user has no home directory; {advice}") from None


def _checksum(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


@dataclass(kw_only=True)
class Fetched:
    """What fetching has done, and what went wrong."""

    taken: list[DataFile] = field(default_factory=list)
    """Files that were taken from the mirror."""
    here: list[DataFile] = field(default_factory=list)
    """Files that were in the cache before."""
    failed: dict[DataFile, str] = field(default_factory=dict)
    """Files that the mirror does not have or has with another content, and the reason."""
    stopped: str = ""
    """Why fetching stopped before the last file, or an empty text."""
    skipped: list[DataFile] = field(default_factory=list)
    """Files that were not requested because fetching had stopped."""
    not_fetched: list[DataFile] = field(default_factory=list)
    """Missing files that the user has to obtain."""
    mirror: Path | Remote = Path()
    """The folder or address that files are taken from."""

    @property
    def problems(self) -> list[Problem]:
        """What went wrong: a problem for all files of a data set that failed for the same reason."""
        messages = []
        by_reason: dict[tuple[str, str], list[DataFile]] = {}
        for file, reason in self.failed.items():
            by_reason.setdefault((file.dataset, reason), []).append(file)
        for (dataset, reason), files in by_reason.items():
            if len(files) == 1:
                messages.append(
                    f"{files[0].key}: {reason}: {_source(self.mirror, files[0])}"
                )
                continue
            names = ", ".join(file.name for file in files[:MAX_LISTED_FILES])
            if len(files) > MAX_LISTED_FILES:
                names += f" and {len(files) - MAX_LISTED_FILES} more"
            messages.append(
                f"{dataset}: {reason}, {len(files)} files of {self.mirror}: {names}"
            )
        for name in dict.fromkeys(map(_dataset, self.not_fetched)):
            messages.append(
                f"{name}: is not fetched; {DatasetCache().how_to_obtain(name)}"
            )
        if self.stopped:
            rest = f"files still to fetch: {len(self.skipped)}"
            messages.append(f"{self.stopped}; what was fetched is kept, {rest}")
        return [Problem("", message) for message in messages]


class UnreachableError(DataError):
    """No file can be fetched, so the next one is not requested."""


def _mirror_of(text: str | None) -> Path | Remote:
    """Return the mirror that text names, else that of the environment, else the public address.

    Every mirror has the layout REPOSITORY/COMMIT/PATH. Raises DataError if text is neither a folder
    nor an address.
    """
    label = "--mirror"
    if text is None:
        label = MIRROR
        text = os.environ.get(MIRROR) or ORIGIN
    if WrittenPath(text).is_remote:
        address = text.rstrip("/")
        if WrittenPath(address).is_remote:
            return Remote(address)
        raise DataError(f"{label}: '{text}' names no host")
    # what can be no path
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        path = Path(str(WrittenPath(text).located())).expanduser()
        if text and path.is_dir():
            return path
    expected = "a mirror is one laid out as REPOSITORY/COMMIT/PATH"
    raise DataError(f"{label}: '{text}' is no folder; {expected}")


def _source(mirror: Path | Remote, file: DataFile) -> Path | Remote:
    """Return the path or address of a file in a mirror."""
    if isinstance(mirror, Path):
        return mirror / file.address
    return Remote(f"{mirror.url}/{quote(file.address)}")


def _chunks(source: Path | Remote) -> Iterator[bytes]:
    """Yield the bytes of a file of a mirror; raises DataError or CorpusError if it is unreadable."""
    if isinstance(source, Remote):
        yield from source.stream(-1)
        return
    try:
        if source.exists() and not source.is_file():
            raise DataError("is no regular file")
        with source.open("rb") as opened:
            yield from iter(lambda: opened.read(CHUNK_BYTES), b"")
    except FileNotFoundError:
        raise DataError("is not there") from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}") from None


def _unwritable(path: Path, error: OSError) -> UnreachableError:
    """Return the error that the cache cannot be written."""
    is_full = error.errno in (
        errno.ENOSPC,
        getattr(errno, "EDQUOT", errno.ENOSPC),
    )
    remedy = "make room" if is_full else "see who may write there"
    advice = f"{remedy}, or name another folder with {CACHE}"
    return UnreachableError(
        f"{path}: cannot be written: {error.strerror}; {advice}"
    )


class DatasetCache:
    """The files of data sets on this computer: which are here, and how the others are fetched."""

    @cached_property
    def folder(self) -> Path:
        """The folder: GEC_PIPELINE_DATA, or gec-pipeline in the platform's caches.

        Raises DataError if that is in the home directory, which is unknown.
        """
        variable = os.environ.get(CACHE)
        if variable:
            return Path(variable).expanduser().absolute()
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or str(
                home() / "AppData" / "Local"
            )
        elif sys.platform == "darwin":
            base = str(home() / "Library" / "Caches")
        else:
            base = os.environ.get("XDG_CACHE_HOME", "")
            if not Path(base).is_absolute():
                base = str(home() / ".cache")
        return Path(base) / "gec-pipeline"

    def path(self, file: DataFile) -> Path:
        """Return the path of a file in the cache, whether or not it exists."""
        return self.folder / file.key

    def state(self, file: DataFile, *, quick: bool = False) -> State:
        """Return whether a file is here, missing or changed; `quick` skips the checksum."""
        path = self.path(file)
        try:
            if not path.is_file():
                return "changed" if path.exists() else "missing"
            if file.size and path.stat().st_size != file.size:
                return "changed"
            if not quick and file.sha256 and _checksum(path) != file.sha256:
                return "changed"
        except OSError:
            return "changed"
        return "here"

    def content(self, file: DataFile) -> str:
        """Return the checksum on record, else that of the file here, else the unique key of the file."""
        try:
            return file.sha256 or _checksum(self.path(file))
        except OSError:
            return file.key

    def locate(self, files: Iterable[DataFile]) -> list[Path]:
        """Return the paths of files.

        Raises DataError with a problem for each data set of which files are missing or changed.
        """
        files = list(dict.fromkeys(files))
        messages: dict[State, str] = {
            "missing": f"not in {self.folder}",
            "changed": f"changed in {self.folder} since fetched",
        }
        problems = []
        for name, group in groupby(sorted(files, key=_dataset), _dataset):
            keys: dict[State, list[str]] = {"missing": [], "changed": []}
            for file in group:
                state = self.state(file)
                if state != "here":
                    keys[state].append(file.key)
            for state, message in messages.items():
                if keys[state]:
                    problems.append(
                        self._unavailable(name, keys[state], message)
                    )
        if problems:
            raise DataError(problems)
        return [self.path(file) for file in files]

    def _unavailable(self, name: str, keys: list[str], message: str) -> Problem:
        """Return the problem that files of a data set are missing or changed, with the remedy."""
        is_one = len(keys) == 1
        more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
        how = self.how_to_obtain(name)
        if not how:
            what = "it" if is_one else "them"
            how = f"fetch {what}: gec-pipeline data fetch {Catalogue.known().data_set(name).home or name}"
        are = "is" if is_one else "are"
        return Problem(
            "", f"{', '.join(keys[:3])}{more} {are} {message}; {how}"
        )

    def how_to_obtain(self, name: str) -> str:
        """Return how a user gets a data set that is not fetched, or an empty text for other data sets."""
        for file in Catalogue.known().data_set(name).files.values():
            if file.how_to_obtain:
                path = self.folder / name
                return f"{file.how_to_obtain}; then put it at {path}, or a link to its folder"
        return ""

    def missing_files(self, name: str) -> list[str]:
        """Return the names of files of a data set that are missing or changed.

        Raises DataError for an unknown data set.
        """
        return [
            file.name
            for file in Catalogue.known().data_set(name).files.values()
            if self.state(file) != "here"
        ]

    def path_of(self, text: str, base: Path = Path()) -> Path:
        """Return the path that a user has written: in the cache for data:NAME/FILE, else below base.

        Raises DataError for a file of the cache that is unknown, missing or changed, and for a variable
        that is not set.
        """
        if WrittenPath(text).is_data:
            return self.locate([Catalogue.known().file(text)])[0]
        return base / WrittenPath(text).expanded(base)

    def fetch(
        self,
        files: Iterable[DataFile],
        mirror: str | None = None,
        warn: Callable[[str], None] = lambda _: None,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Fetched:
        """Fetch the files that are not in the cache; return what was done, and what went wrong.

        `warn` is called with a line for each fetched file, `progress` with the bytes so far and in all.
        A file that fails is left out. Fetching stops if the mirror is unreachable or the cache cannot
        be written. Raises DataError if `mirror` is no mirror.
        """
        files = sorted(dict.fromkeys(files), key=_dataset)
        fetched = Fetched()
        to_fetch = []
        for file in files:
            if self.state(file) == "here":
                fetched.here.append(file)
            elif file.how_to_obtain:
                fetched.not_fetched.append(file)
            else:
                to_fetch.append(file)
        if not to_fetch:
            return fetched
        fetched.mirror = _mirror_of(mirror)
        bytes_before = 0
        total = sum(file.size for file in to_fetch)

        def report(bytes_of_file: int) -> None:
            progress(bytes_before + bytes_of_file, total)

        for name, group in groupby(to_fetch, _dataset):
            try:
                with self._held(self.folder / name, warn):
                    for file in group:
                        self._fetch(file, fetched, warn, report)
                        bytes_before += file.size
                        report(0)
            except UnreachableError as error:
                fetched.stopped = str(error)
                finished = {*fetched.taken, *fetched.here, *fetched.failed}
                fetched.skipped = [
                    file for file in to_fetch if file not in finished
                ]
                break
        return fetched

    def _fetch(
        self,
        file: DataFile,
        fetched: Fetched,
        warn: Callable[[str], None],
        progress: Callable[[int], None],
    ) -> None:
        """Fetch one file, and record the outcome; raises UnreachableError if the next would fail too.

        It is written under a temporary name, not beyond the expected bytes, and renamed when its
        checksum is right.
        """
        # another process has fetched it while this one waited
        if self.state(file) == "here":
            fetched.here.append(file)
            return
        path = self.path(file)
        source = _source(fetched.mirror, file)
        temporary = path.with_name(
            f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}"
        )
        self._make(path.parent)
        size = 0
        hashed = hashlib.sha256()
        try:
            with replacing(path, temporary) as opened:
                for chunk in _chunks(source):
                    size += len(chunk)
                    if size > file.size:
                        raise DataError(
                            f"expected {file.size:,} bytes, found more"
                        )
                    hashed.update(chunk)
                    opened.write(chunk)
                    progress(size)
                checksum = hashed.hexdigest()
                if file.sha256 and checksum != file.sha256:
                    expected = f"expected {file.size:,} bytes with sha256 {file.sha256}"
                    raise DataError(
                        f"{expected}, found {size:,} bytes with sha256 {checksum}"
                    )
        except CorpusError as error:
            problem = error.problems[0]
            if problem.kind == Remote.UNREACHABLE:
                again = "run the same command again, or name another mirror with --mirror"
                raise UnreachableError(
                    f"{file.key}: {source}: {problem.message}; {again}"
                ) from None
            fetched.failed[file] = problem.message
        except DataError as error:
            fetched.failed[file] = str(error)
        except OSError as error:
            raise _unwritable(path, error) from None
        else:
            fetched.taken.append(file)
            warn(f"{file.key}: fetched, {file.size:,} bytes")

    def _make(self, folder: Path) -> None:
        """Make a folder of the cache; raises UnreachableError.

        Nothing is written through links, so they are errors too.
        """
        path = self.folder
        for step in folder.relative_to(path).parts:
            path /= step
            if path.is_symlink():
                message = "is a link; nothing is written through links inside the cache"
                raise UnreachableError(f"{path}: {message}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from None

    @contextlib.contextmanager
    def _held(
        self, folder: Path, warn: Callable[[str], None]
    ) -> Iterator[None]:
        """Hold the lock of a data set, after other processes, and delete what killed ones left behind.

        Without locks in the file system, the work goes on: temporary names differ, and renaming is
        atomic.
        """
        from filelock import Timeout

        self._make(folder)
        lock = lock_of(folder.with_name(f".{folder.name}.lock"))
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                warn(f"{folder.name}: another process is fetching it; waiting")
                lock.acquire()
            for temporary in folder.rglob(f".*{TEMPORARY}"):
                temporary.unlink(missing_ok=True)
        except PermissionError as error:
            raise _unwritable(folder, error) from None
        except (OSError, RuntimeError, NotImplementedError):
            pass
        try:
            yield
        finally:
            # Remove the empty folders of files that could not be fetched, inner ones first.
            for path in sorted([folder, *folder.rglob("*")], reverse=True):
                if path.is_dir() and not path.is_symlink():
                    with contextlib.suppress(OSError):  # it is not empty
                        path.rmdir()
            lock.release(force=True)
