"""The cache of data sets on this computer: which files are there, which are missing, and how they are fetched.

    locate_all(catalogue.named("conll14/INPUT"))        returns paths, checked; DataError says how to fetch the files
    missing("conll14")                                  lists the files that are missing or have changed
    fetch_files(catalogue.named("conll14/NUCLE*"))      takes the missing files from a mirror

Paths in configs and on the command line that begin with data: go through `path_of`. `catalogue.py` lists what can be
fetched. Only `fetch_files` uses the network. It reads a mirror as every other address is read, by fsspec (`remote.py`).
pooch is not used: it does not bound the bytes of a download, holds no lock, and reads no mirror in a folder.
"""

import contextlib
import errno
import hashlib
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from ..errors import CorpusError, DataError, Problem
from ..files.remote import (
    PIECE,
    UNREACHABLE,
    Remote,
    expanded,
    home,
    is_data,
    is_remote,
    locate,
    stream,
)
from ..files.safe_files import TEMPORARY, lock_of, replacing
from .catalogue import DataFile, data_set, named_one

ORIGIN = "https://raw.githubusercontent.com"
"""The public address of the repositories' files."""
MIRROR = "GEC_PIPELINE_MIRROR"
"""The environment variable that names a mirror where the command line does not."""
CACHE = "GEC_PIPELINE_DATA"
"""The environment variable that names the cache."""
NAMED = 20
"""How many files of a data set that failed for one reason are named."""
State = Literal["here", "missing", "changed"]
_dataset = attrgetter("dataset")


def cache() -> Path:
    """Return the folder of the cache: GEC_PIPELINE_DATA, else gec-pipeline in the platform's folder
    of caches.

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


def cache_path(file: DataFile) -> Path:
    """Return the path that a file has in the cache, whether or not it is there."""
    return cache() / file.key


def state(file: DataFile, *, quick: bool = False) -> State:
    """Return whether a file is here, missing or changed. `quick` compares the size and not the
    checksum.
    """
    path = cache_path(file)
    try:
        if not path.is_file():
            return "changed" if path.exists() else "missing"
        has_size = not file.size or path.stat().st_size == file.size
        is_same = has_size and (quick or not file.sha256 or _checksum(path) == file.sha256)
    except OSError:
        is_same = False
    return "here" if is_same else "changed"


def _checksum(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def content_of(file: DataFile) -> str:
    """Return what is equal for files with the same content: the checksum on record, else that of
    the file here.

    A file that has neither is equal to no other one.
    """
    try:
        return file.sha256 or _checksum(cache_path(file))
    except OSError:
        return file.key


def locate_all(files: Iterable[DataFile]) -> list[Path]:
    """Return the paths of files; raises DataError with one problem for each data set that lacks
    some of them.
    """
    files = list(dict.fromkeys(files))
    states = {file: state(file) for file in files}
    problems = []
    for name, group in groupby(sorted(files, key=_dataset), _dataset):
        keys: dict[State, list[str]] = {"here": [], "missing": [], "changed": []}
        for file in group:
            keys[states[file]].append(file.key)
        for lacking, said in (
            (keys["missing"], f"not in {cache()}"),
            (keys["changed"], f"changed in {cache()} since fetched"),
        ):
            if lacking:
                are, them = ("is", "it") if len(lacking) == 1 else ("are", "them")
                more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
                how = (
                    by_hand(name)
                    or f"fetch {them}: gec-pipeline data fetch {data_set(name).home or name}"
                )
                problems.append(Problem("", f"{', '.join(lacking[:3])}{more} {are} {said}; {how}"))
    if problems:
        raise DataError(problems)
    return [cache_path(file) for file in files]


def by_hand(name: str) -> str:
    """Return how a user gets a data set that is not fetched; an empty text for one that is fetched."""
    given = next((file.given for file in data_set(name).files.values() if file.given), "")
    return given and f"{given}; then put it at {cache() / name}, or a link to its folder"


def missing(name: str) -> list[str]:
    """Return the names of a data set's files that are missing or changed; raises DataError for an
    unknown data set.
    """
    return [file.name for file in data_set(name).files.values() if state(file) != "here"]


def path_of(text: str, base: Path = Path()) -> Path:
    """Return the path that a user has written: data:NAME/FILE is in the cache, all else is relative
    to base.

    Raises DataError where a file of the cache is unknown, missing or changed, and for a variable
    that is not set."""
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
    mirror: Path | Remote = Path()
    """The folder or address that files are taken from."""

    @property
    def problems(self) -> list[Problem]:
        """What went wrong: one problem for all files of a data set that failed for the same reason."""
        messages = []
        alike: dict[tuple[str, str], list[DataFile]] = {}
        for file, reason in self.failed.items():
            alike.setdefault((file.dataset, reason), []).append(file)
        for (dataset, reason), files in alike.items():
            if len(files) == 1:
                messages.append(f"{files[0].key}: {reason}: {_source(self.mirror, files[0])}")
            else:
                more = f" and {len(files) - NAMED} more" if len(files) > NAMED else ""
                names = ", ".join(file.name for file in files[:NAMED]) + more
                messages.append(
                    f"{dataset}: {reason}, {len(files)} files of {self.mirror}: {names}"
                )
        messages += [
            f"{name}: is not fetched; {by_hand(name)}"
            for name in dict.fromkeys(map(_dataset, self.given))
        ]
        if self.stopped:
            messages.append(
                f"{self.stopped}; what was fetched is kept, files still to fetch: {len(self.skipped)}"
            )
        return [Problem("", message) for message in messages]


class UnreachableError(DataError):
    """No file can be fetched at all, so there is no use in asking for the next one."""


def fetch_files(
    files: Iterable[DataFile],
    mirror: str | None = None,
    warn: Callable[[str], None] = lambda _: None,
    progress: Callable[[int, int], None] = lambda _done, _whole: None,
) -> Fetched:
    """Fetch the files that are not in the cache; return what was done, and what went wrong.

    `tell` is called with one line for each fetched file, `progress` with the bytes so far and the
    bytes in all. A file that fails is left out. Fetching stops where the mirror cannot be reached,
    or the cache cannot be written. Raises DataError where `mirror` names no mirror."""
    files = sorted(dict.fromkeys(files), key=_dataset)
    absent = [file for file in files if state(file) != "here"]
    lacking = [file for file in absent if not file.given]
    fetched = Fetched(
        here=[file for file in files if file not in absent], given=[f for f in absent if f.given]
    )
    if not lacking:
        return fetched
    fetched.mirror = _mirror_of(mirror)
    before, whole = 0, sum(file.size for file in lacking)
    for name, group in groupby(lacking, _dataset):
        try:
            with _held(cache() / name, warn):
                for file in group:
                    _fetch(file, fetched, warn, lambda size: progress(before + size, whole))  # noqa: B023
                    before += file.size
                    progress(before, whole)
        except UnreachableError as error:
            fetched.stopped = str(error)
            finished = {*fetched.taken, *fetched.here, *fetched.failed}
            fetched.skipped = [file for file in lacking if file not in finished]
            break
    return fetched


def _mirror_of(text: str | None) -> Path | Remote:
    """Return the mirror that text names, else the one of the environment, else the public address.

    Every mirror has the layout REPOSITORY/COMMIT/PATH. Raises DataError where text is neither a
    folder nor an address."""
    label = "--mirror" if text is not None else MIRROR
    text = text if text is not None else os.environ.get(MIRROR) or ORIGIN
    if is_remote(text):
        if is_remote(address := text.rstrip("/")):
            return Remote(address)
        raise DataError(f"{label}: '{text}' names no host")
    with contextlib.suppress(OSError, RuntimeError, ValueError):  # what can be no path
        path = Path(str(locate(Path(), text))).expanduser()
        if text and path.is_dir():
            return path
    raise DataError(
        f"{label}: '{text}' is no folder; a mirror is one laid out as REPOSITORY/COMMIT/PATH"
    )


def _source(mirror: Path | Remote, file: DataFile) -> Path | Remote:
    """Return where a mirror has a file."""
    return (
        mirror / file.address
        if isinstance(mirror, Path)
        else Remote(f"{mirror.url}/{quote(file.address)}")
    )


def _fetch(
    file: DataFile, fetched: Fetched, warn: Callable[[str], None], progress: Callable[[int], None]
) -> None:
    """Fetch one file, and note what became of it; raises UnreachableError where the next one would
    fail as well.

    It is written under a temporary name, no further than the bytes that are expected, and gets its
    name when its checksum is right."""
    if state(file) == "here":  # another process has brought it while this one waited
        fetched.here.append(file)
        return
    path, source = cache_path(file), _source(fetched.mirror, file)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
    _make(path.parent)
    size, hashed = 0, hashlib.sha256()
    try:
        with replacing(path, temporary) as opened:
            for piece in _pieces(source):
                size += len(piece)
                if size > file.size:
                    raise DataError(f"expected {file.size:,} bytes, found more")
                hashed.update(piece)
                opened.write(piece)
                progress(size)
            if file.sha256 and hashed.hexdigest() != file.sha256:
                expected = f"expected {file.size:,} bytes with sha256 {file.sha256}"
                raise DataError(
                    f"{expected}, found {size:,} bytes with sha256 {hashed.hexdigest()}"
                )
    except CorpusError as error:
        problem = error.problems[0]
        if problem.kind == UNREACHABLE:
            again = "run the same command again, or name another mirror with --mirror"
            raise UnreachableError(f"{file.key}: {source}: {problem.message}; {again}") from None
        fetched.failed[file] = problem.message
    except DataError as error:
        fetched.failed[file] = str(error)
    except OSError as error:
        raise _unwritable(path, error) from None
    else:
        fetched.taken.append(file)
        warn(f"{file.key}: fetched, {file.size:,} bytes")


def _pieces(source: Path | Remote) -> Iterator[bytes]:
    """Yield the bytes of a file of a mirror; raises DataError or CorpusError where it cannot be
    read.
    """
    if isinstance(source, Remote):
        yield from stream(source, -1)
        return
    try:
        if source.exists() and not source.is_file():
            raise DataError("is no regular file")
        with source.open("rb") as opened:
            yield from iter(lambda: opened.read(PIECE), b"")
    except FileNotFoundError:
        raise DataError("is not there") from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}") from None


def _unwritable(path: Path, error: OSError) -> UnreachableError:
    """Return the error that says that the cache cannot be written."""
    full = error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
    advice = (
        f"{'make room' if full else 'see who may write there'}, or name another folder with {CACHE}"
    )
    return UnreachableError(f"{path}: cannot be written: {error.strerror}; {advice}")


def _make(folder: Path) -> None:
    """Make a folder of the cache; raises UnreachableError, also for links: nothing is written
    through them.
    """
    path = cache()
    for step in folder.relative_to(path).parts:
        path /= step
        if path.is_symlink():
            raise UnreachableError(
                f"{path}: is a link; nothing is written through links inside the cache"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None


@contextlib.contextmanager
def _held(folder: Path, warn: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a data set, after waiting for other processes; what killed ones left behind
    is deleted.

    Where a file system has no locks the work goes on: temporary names differ, and renaming is
    atomic."""
    from filelock import Timeout

    _make(folder)
    lock = lock_of(folder.with_name(f".{folder.name}.lock"))
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            warn(f"{folder.name}: another process is fetching it; waiting")
            lock.acquire()
        for left in folder.rglob(f".*{TEMPORARY}"):
            left.unlink(missing_ok=True)
    except PermissionError as error:
        raise _unwritable(folder, error) from None
    except (OSError, RuntimeError, NotImplementedError):
        pass
    try:
        yield
    finally:
        for path in sorted(
            [folder, *folder.rglob("*")], reverse=True
        ):  # folders of files that then could not be had
            if path.is_dir() and not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.rmdir()  # only an empty one can be removed
        lock.release(force=True)
