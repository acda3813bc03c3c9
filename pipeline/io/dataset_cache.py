"""Data sets on this computer: the user's cache, what is there, what is missing, and fetching it.

    locate_all(catalogue.named("conll14/INPUT"))        their paths, checked; DataError says how to get them
    missing("conll14")                                  the files that are not there, or have changed
    fetch_files(catalogue.named("conll14/NUCLE*"))      taken from a mirror where they are missing

A path of a config or of the command line that begins with data: goes through `path_of`. `catalogue.py` knows what there
is, `mirrors.py` where it comes from. Only `fetch_files` ever uses the network.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import DataError, Problem
from .catalogue import data_set, is_data, named_one
from .lock import lock_of
from .mirrors import TIMEOUT, UnreachableError, bring, mirror_of, unwritable
from .safe_files import TEMPORARY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .catalogue import DataFile
    from .mirrors import Mirror

CACHE = "GEC_PIPELINE_DATA"
"""The environment variable that names the cache."""
State = Literal["here", "missing", "changed"]


def cache() -> Path:
    """Return the folder of the data sets: GEC_PIPELINE_DATA, else gec-pipeline in the platform's folder of caches."""
    given = os.environ.get(CACHE)
    if given:
        return Path(given).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        base = base if Path(base).is_absolute() else str(Path.home() / ".cache")
    return Path(base) / "gec-pipeline"


def place(file: DataFile) -> Path:
    """Return where a file is, or would be."""
    return cache() / file.dataset / file.name


def state(file: DataFile, *, quick: bool = False) -> State:
    """Return whether a file is here, missing or changed; quick: its size alone is looked at."""
    path = place(file)
    try:
        if not path.is_file():
            return "changed" if path.exists() else "missing"
        if path.stat().st_size != file.size:
            return "changed"
        if quick:
            return "here"
        with path.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError:
        return "changed"
    return "here" if found == file.sha256 else "changed"


def _dataset(file: DataFile) -> str:
    return file.dataset


def locate_all(files: Iterable[DataFile]) -> list[Path]:
    """Return the paths of files; raises DataError with a problem for each data set of which some are not here."""
    files = list(dict.fromkeys(files))
    states = {file: state(file) for file in files}
    problems = []
    for name, group in groupby(sorted(files, key=_dataset), _dataset):
        wrong = {file: states[file] for file in group if states[file] != "here"}
        for kind, said in (("missing", f"not in {cache()}"), ("changed", f"changed in {cache()} since fetched")):
            names = [file.key for file, found in wrong.items() if found == kind]
            if names:
                message = f"{_listed(names)} {said}; fetch {'it' if len(names) == 1 else 'them'}"
                problems.append(Problem("", f"{message}: gec-pipeline data fetch {name}"))
    if problems:
        raise DataError(problems)
    return [place(file) for file in files]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more} {'is' if len(names) == 1 else 'are'}"


def missing(name: str) -> list[str]:
    """Return the names of the files of a data set that are missing or changed; raises DataError for no data set."""
    return [file.name for file in data_set(name).files.values() if state(file) != "here"]


def path_of(text: str, base: Path = Path()) -> Path:
    """Return the path that text stands for: data:NAME/FILE in the cache (raises DataError), else one against base."""
    return locate_all([named_one(text)])[0] if is_data(text) else base / text


@dataclass(kw_only=True)
class Fetched:
    """What fetching has done: files taken, files that were here before, and what went wrong."""

    taken: list[DataFile] = field(default_factory=list)
    here: list[DataFile] = field(default_factory=list)
    failed: dict[DataFile, str] = field(default_factory=dict)
    """Files that the mirror does not have as they should be, and why."""
    stopped: str = ""
    """Why nothing more could be fetched; empty: all was asked for."""
    skipped: list[DataFile] = field(default_factory=list)
    """Files that were not asked for, since it had stopped."""
    mirror: Mirror | None = None

    @property
    def problems(self) -> list[Problem]:
        """What went wrong, files that lack the same way together."""
        told = []
        alike: dict[tuple[str, str], list[DataFile]] = {}
        for file, reason in self.failed.items():
            alike.setdefault((file.dataset, reason), []).append(file)
        for (dataset, reason), files in alike.items():
            assert self.mirror  # noqa: S101 (for the type checker: files fail at a mirror)
            if len(files) == 1:
                told.append(f"{files[0].key}: {reason}: {self.mirror.where(files[0])}")
            else:
                names = ", ".join(file.name for file in files)
                told.append(f"{dataset}: {reason}, {len(files)} files of {self.mirror.name}: {names}")
        if self.stopped:
            told.append(f"{self.stopped}; what was fetched is kept, files still to fetch: {len(self.skipped)}")
        return [Problem("", text) for text in told]


def fetch_files(
    wanted: Iterable[DataFile],
    mirror: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    progress: Callable[[int, int], None] = lambda _done, _whole: None,
    timeout: float = TIMEOUT,
) -> Fetched:
    """Fetch files that are not here; return what was done, and what went wrong.

    progress: is called with bytes done and bytes in all. Raises DataError where the mirror is none.
    """
    done = Fetched()
    files = sorted(dict.fromkeys(wanted), key=_dataset)
    lacking = [file for file in files if state(file) != "here"]
    done.here = [file for file in files if file not in lacking]
    if not lacking:
        return done
    counter = _Counter(sum(file.size for file in lacking), progress)
    source = done.mirror = mirror_of(mirror, timeout)
    for name, group in groupby(lacking, _dataset):
        try:
            with _held(cache() / name, tell):
                for file in group:
                    _fetch(file, source, done, tell, counter, timeout)
        except UnreachableError as error:
            done.stopped = str(error)
            known = {*done.taken, *done.here, *done.failed}
            done.skipped = [file for file in lacking if file not in known]
            break
    return done


class _Counter:
    """Sums up bytes for the progress bar."""

    def __init__(self, whole: int, progress: Callable[[int, int], None]) -> None:
        self.done, self.whole, self.progress = 0, whole, progress

    def __call__(self, count: int) -> None:
        self.done += count
        self.progress(self.done, self.whole)


def _fetch(
    file: DataFile, source: Mirror, done: Fetched, tell: Callable[[str], None], counter: _Counter, timeout: float
) -> None:
    """Take one file; a file that the mirror lacks is a problem, and the next one is tried."""
    if state(file) == "here":  # another process has brought it while this one waited
        done.here.append(file)
        return
    target = place(file)
    before = counter.done
    try:
        _make(target.parent)
        bring(file, target, source, counter, timeout)
    except UnreachableError:
        raise
    except DataError as error:
        done.failed[file] = str(error)
    else:
        done.taken.append(file)
        tell(f"{file.key}: fetched, {file.size:,} bytes")
    counter(before + file.size - counter.done)


def _make(folder: Path) -> None:
    """Make a folder of the cache; links below the cache are not followed, since writing would go elsewhere."""
    root = cache()
    path = root
    for step in folder.relative_to(root).parts:
        path /= step
        if path.is_symlink():
            raise UnreachableError(f"{path}: is a link; nothing is written through links inside the cache")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None


@contextlib.contextmanager
def _held(folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Hold a data set's lock, waiting for another process; what a killed one has left is deleted.

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
        for left in sorted(folder.rglob("*"), reverse=True):  # made for files that then were not there
            if left.is_dir() and not left.is_symlink():
                _remove_empty(left)
        _remove_empty(folder)
        lock.release(force=True)


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
