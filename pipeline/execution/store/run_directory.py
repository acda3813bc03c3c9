"""A run directory: counts and results on disk. A file is written completely or not at all.

- statistics/DATASET/SYSTEM.SPEC.columns: counts of a system, a file for each set of columns (see
  counts.py); characters that no file name should have are written as =20
- statistics/DATASET/=whole.PASS.columns: the result of a corpus pass, in the form of a part
- statistics/DATASET/ids.txt: the ids of its lines, if any
- unfinished/KEY.LOW-HIGH.part: counts of a shard, until the end of the run joins them
- results.json, *.csv: results, which depend on config, inputs and version alone
- run.json: all else: versions, times, kernel, command, and the list of files
- log.txt: what happened at what time
- run.lock: keeps other runs out
"""

import contextlib
import json
import os
import platform
import re
import shlex
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from ... import kernel
from ..._version import __version__
from ...errors import StoreError, printable
from ...files import (
    TEMPORARY,
    Remote,
    WrittenPath,
    in_the_way,
    lock_of,
    open_regular,
    read_json,
    write_atomic,
)
from ...metrics.base import CorpusPass
from ...parallel import Shared, alone
from ..options import Listener, LoggingListener
from .counts import (
    COLUMNS,
    UNFINISHED,
    Location,
    ShardFile,
    StoredCounts,
    content_key,
    delete,
    new_proof,
    of_keys,
)

# ---- the manifest, run.json: it marks the folder as the program's, and lists the files in it
#
# Only listed files are ever deleted. A manifest may be damaged, or come from a stranger. So the
# program only believes names that a run could have given to files, and never follows links.

MANIFEST = "run.json"
PROGRAM = "gec-pipeline"
TIME = "%Y-%m-%dT%H:%M:%S%z"
_BEGINNING = f'{{\n "program": "{PROGRAM}'.encode()
_NAME = r"[A-Za-z0-9=][A-Za-z0-9._+=-]*"
_FILE = re.compile(f"{_NAME}|statistics/{_NAME}/{_NAME}")
_UNFINISHED_FILE = re.compile(
    r"[0-9a-z]+\.(?:[0-9]{1,15}-[0-9]{1,15}\.part(?:(?:\.[0-9a-f]{8})?\.tmp)?|joined(?:\.tmp)?|shared)"
)


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the content of run.json.

    Its "files" are only names that a run can have given to files. The content is empty if there is
    no run.json, or its end is missing. Raises StoreError if it cannot be read, or another program
    wrote it.
    """
    path = folder / MANIFEST
    try:
        content = read_json(path)
    except FileNotFoundError:
        return {}
    except ValueError:
        with open_regular(path) as file:
            start = file.read(len(_BEGINNING))
        if _BEGINNING.startswith(start):  # the end is missing
            return {}
        content = None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    if not isinstance(content, dict) or not str(
        content.get("program")
    ).startswith(PROGRAM):
        advice = "delete the folder if it is yours, or name another"
        raise StoreError(
            f"{path}: is not of this program, or damaged; {advice}"
        )
    files = content.get("files")
    if not isinstance(files, list):
        files = []
    return {**content, "files": list(filter(is_file_name, files))}


def _running() -> dict[str, object]:
    """Return the entries of the manifest for a run that has not ended."""
    return {
        "state": "running",
        "pid": os.getpid(),
        "host": platform.node(),
        "since": time.strftime(TIME),
    }


def _surroundings() -> dict[str, object]:
    """Return the entries of the manifest about where and when a run ended."""
    return {
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "finished": time.strftime(TIME),
        "python": platform.python_version(),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
    }


def is_file_name(name: object) -> bool:
    """Return whether a run can have written a file of this name, a path inside its folder."""
    if not isinstance(name, str) or name in ("unfinished", "statistics"):
        return False
    if not _FILE.fullmatch(name):
        return False
    # File systems allow names of 255 bytes. All characters that _FILE allows are ASCII.
    return all(len(part) <= 255 for part in name.split("/"))


def deletable(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the paths of those files that exist and that a run can have written.

    Folders are left out, and files below a link to a folder, which is not the program's.
    """
    paths = []
    for name in sorted(names):
        path = folder / name
        if not is_file_name(name) or _is_below_link(folder, name):
            continue
        if path.is_symlink() or path.is_file():
            paths.append(path)
    return paths


def unfinished_files(folder: Path) -> list[Path]:
    """Return the files in a folder of unfinished counts that the program has written."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    paths = sorted(folder.iterdir())
    return [path for path in paths if _UNFINISHED_FILE.fullmatch(path.name)]


def _is_below_link(folder: Path, name: str) -> bool:
    # without the last, which is the folder itself
    parents = Path(name).parents[:-1]
    return any((folder / parent).is_symlink() for parent in parents)


def folder_of(written: str | Path) -> Path:
    """Return the run directory that a user has written; raises StoreError for an address."""
    if WrittenPath(str(written)).is_remote:
        advice = "name a folder, and copy it there with the tool of your store"
        raise StoreError(f"{Remote(str(written))}: is an address; {advice}")
    return Path(WrittenPath(str(written)).expanded())


LOCK = "run.lock"
"""An empty file. It is never deleted, or two runs could hold two files of this name."""


@contextmanager
def locked(
    folder: Path,
    holder: Callable[[], str],
    warn: Callable[[str], None],
) -> Iterator[None]:
    """Hold the lock of a folder; raises StoreError if another run holds it, or it cannot be made.

    `holder` returns who holds the lock, for the message. If a file system has no locks, `warn` is
    called with a message, and the run goes on.
    """
    from filelock import Timeout

    file = folder / LOCK
    lock = lock_of(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        message = f"another run is using it ({holder()}); wait for its end, or name another"
        raise StoreError(f"{folder}: {message}") from None
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if not file.is_file() or file.is_symlink():
            raise StoreError(f"{file}: cannot be made: {reason}") from None
        advice = "see that no other run uses this folder"
        warn(f"{folder}: its file system has no locks ({reason}); {advice}")
    try:
        yield
    finally:
        lock.release(force=True)


# ---- the log, log.txt: what happened at what time in each run; it is not a part of the results

LOG = "log.txt"
MAX_LOG_BYTES = 1 << 20
"""A run empties a larger log."""
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
_APPEND |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Log:
    """A log file. Texts that cannot be written, as on a full disk, are left out silently."""

    def __init__(self, folder: Path) -> None:
        """Open the log of a run directory; raises StoreError if it is a link or no regular file."""
        path = folder / LOG
        try:
            descriptor = os.open(path, _APPEND, 0o666)
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be written: {error.strerror}"
            ) from None
        self._file = os.fdopen(descriptor, "ab", buffering=0)
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            self._file.close()
            raise StoreError(
                f"{path}: cannot be written: is a link, or no regular file"
            )
        if status.st_size > MAX_LOG_BYTES:
            self._file.truncate(0)

    def __call__(self, text: str) -> None:
        """Write the time and a text as one line."""
        line = printable(text).replace("\n", " | ")
        with contextlib.suppress(OSError, ValueError):
            self._file.write(
                f"{time.strftime(TIME)} {line}\n".encode(
                    errors="backslashreplace"
                )
            )

    def close(self) -> None:
        """Close the file."""
        self._file.close()


# ---- the folder


class RunDirectory:
    """The folder of a run.

    Its manifest lists all files that the program writes, and only these are ever deleted.
    """

    def __init__(self, path: Path, *, make: bool = True) -> None:
        """Open the folder, or make it (`make`).

        Raises StoreError if that fails, or if there are files in the folder but no manifest.
        """
        self.path = path
        names = set()
        try:
            if make:
                path.mkdir(parents=True, exist_ok=True)
            if make or path.exists():
                names = {item.name for item in path.iterdir()}
        except (FileExistsError, NotADirectoryError) as error:
            reason = f"cannot be made: {error.strerror}"
            if path.exists():
                reason = "is a file; output.dir must be a folder"
            raise StoreError(f"{path}: {reason}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise StoreError(f"{path}: cannot be made: {reason}") from None
        # A run that ended before it wrote its manifest may have left these two.
        others = names - {MANIFEST + TEMPORARY, LOCK}
        if others and MANIFEST not in names:
            reason = f"holds files but no {MANIFEST}, so no run of this program made it"
            advice = "name another"
            if others & {UNFINISHED, "statistics"}:
                advice += f", or delete {path} if it was a run directory"
            raise StoreError(f"{path}: {reason}; {advice}")
        self.files: set[str] = set()
        """The names of the files of this run."""
        self._keys: set[str] = set()
        """The keys of the counts and corpus passes of this run."""
        self._had_results = False
        """Whether there were results of a finished run when this one began."""
        self._repeats_results = False
        """Whether the results of this run are the same as those."""

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The content of run.json, or {} if there is none; raises StoreError."""
        return read_manifest(self.path)

    @cached_property
    def _listed(self) -> set[str]:
        """The files that run.json lists, or will list."""
        return set(self.manifest.get("files", ()))

    @property
    def about(self) -> dict[str, Any]:
        """The content of run.json without what write_manifest() adds itself."""
        added = ("program", "files")
        return {
            key: value
            for key, value in self.manifest.items()
            if key not in added
        }

    @contextmanager
    def held(self, warn: Callable[[str], None]) -> Iterator[None]:
        """Hold the lock of the folder, which keeps other runs out.

        Raises StoreError if another run holds it, or a folder inside is a link. warn() gets a
        message if the file system has no locks.
        """
        for folder in self._folders():
            if folder.is_symlink():
                advice = "a run directory with links inside is not written to: delete it"
                raise StoreError(f"{folder}: is a link; {advice}")
        with locked(self.path, self._holder, warn):
            # Read the manifest anew: another run may have ended since it was read.
            for name in ("manifest", "_listed"):
                vars(self).pop(name, None)
            self._had_results = self.manifest.get("state") == "done"
            yield

    def _holder(self) -> str:
        """Return which process holds the lock, for messages."""
        try:
            content = read_manifest(self.path)
            where = f"{str(content['host'])[:99]}, since {str(content['since'])[:99]}"
            return f"process {int(content['pid'])} on {where}"
        except (StoreError, ValueError, KeyError, TypeError):
            return "its run.json does not say who"

    def _folders(self) -> list[Path]:
        """Return the folders that runs make here, the innermost first."""
        statistics = self.path / "statistics"
        folders = [self.path / UNFINISHED, statistics]
        if statistics.is_dir() and not statistics.is_symlink():
            folders = [*sorted(statistics.iterdir()), *folders]
        return folders

    def write_all(
        self, files: Mapping[str, str | bytes | Iterable[bytes]]
    ) -> None:
        """Write files of results, by their names; raises StoreError."""
        results = files.get("results.json")
        if self._had_results and isinstance(results, str):
            self._repeats_results = self._has("results.json", results.encode())
        for name, content in files.items():
            write_atomic(self.path / name, content)
            self.files.add(name)

    def _has(self, name: str, content: bytes) -> bool:
        """Return whether a file has this content."""
        try:
            with open_regular(self.path / name) as file:
                size = os.fstat(file.fileno()).st_size
                return size == len(content) and file.read() == content
        except OSError:
            return False

    def add(
        self,
        files: Mapping[str, str | bytes | Iterable[bytes]],
        warn: Callable[[str], None],
    ) -> None:
        """Add files to a finished run; they are listed before they are written. Raises StoreError."""
        with self.held(warn):
            self._listed |= set(files)
            self.write_manifest(self.about)
            self.write_all(files)

    def write_manifest(self, content: dict[str, Any]) -> None:
        """Write run.json; raises StoreError."""
        self.manifest = {
            "program": f"{PROGRAM} {__version__}",
            **content,
            "files": sorted(self.files | self._listed | {LOG}),
        }
        data = json.dumps(self.manifest, indent=1).encode() + b"\n"
        write_atomic(self.path / MANIFEST, data)

    def begin(self, content: dict[str, Any]) -> None:
        """Write run.json of a run that begins; raises StoreError."""
        self.write_manifest({**content, **_running()})

    def finish(self, content: dict[str, Any]) -> None:
        """Write run.json of a run that has ended; raises StoreError."""
        self.write_manifest({**content, **_surroundings()})

    @contextmanager
    def logged(self, listener: Listener) -> Iterator[LoggingListener]:
        """Log the begin of a run, what its listener gets, and the error that ends it."""
        command = shlex.join(sys.argv)
        with contextlib.closing(Log(self.path)) as log:
            log(
                f"begins: gec-pipeline {__version__}, {kernel.name()} kernel: {command}"
            )
            try:
                yield LoggingListener(listener, log)
            except BaseException as error:
                lines = [f"stopped: {type(error).__name__}: {error}"]
                lines += getattr(error, "__notes__", ())[:1]
                log("\n".join(lines))
                raise

    def announce(
        self,
        counts: Iterable[StoredCounts | ShardFile] = (),
        names: Iterable[str] = (),
    ) -> None:
        """List files before they are written, so that a later run may delete them after a crash."""
        self._listed |= {self._name(file.path) for file in counts}
        self._listed |= set(names)
        self.write_manifest({**_running(), **self.about})

    def remove_stale(self) -> list[str]:
        """Delete unused files of earlier runs; return the names of the reports that are deleted.

        Reports stay if the results are as before. Counts of other configs stay, finished or not,
        since they may be used again.
        """
        earlier = self._listed
        if not self._repeats_results:
            earlier = set(map(self._name, self._counts_beside(self.files)))
        stale = deletable(
            self.path, self._listed - self.files - earlier - {LOG}
        )
        written = self.files | self._listed
        temporary = deletable(
            self.path, [f"{name}{TEMPORARY}" for name in written]
        )
        # counts of shards that this run has joined
        folder = self.path / UNFINISHED
        joined = of_keys(unfinished_files(folder), self._keys)
        delete([*joined, *stale, *temporary], [folder])
        self._listed = set(map(self._name, deletable(self.path, earlier)))
        return [self._name(path) for path in stale]

    def unneeded(self, used: Set[str]) -> list[Path]:
        """Return the files of counts whose names are not in `used`, and those of unfinished counts."""
        return [
            *self._counts_beside(used),
            *unfinished_files(self.path / UNFINISHED),
        ]

    def remove_unneeded(self, used: Set[str]) -> None:
        """Delete the files of unneeded(), and then folders that are empty."""
        files = self.unneeded(used)
        delete(files, self._folders())
        self._listed -= set(map(self._name, files))
        self.write_manifest(self.about)

    def _counts_beside(self, used: Set[str]) -> list[Path]:
        """Return the files of counts, finished by earlier runs, whose names are not in `used`."""
        paths = deletable(self.path, self._listed - used)
        return [path for path in paths if path.suffix == COLUMNS]

    def contents(self) -> list[Path]:
        """Return the files that the program has written here and may delete, run.json last."""
        listed = set(self.manifest.get("files", ())) - {MANIFEST}
        temporary = [f"{name}{TEMPORARY}" for name in [*listed, MANIFEST]]
        return [
            *deletable(self.path, [*listed, *temporary]),
            *unfinished_files(self.path / UNFINISHED),
            *deletable(self.path, [MANIFEST]),
        ]

    def clear(self, *, everything: bool) -> None:
        """Delete the files of contents() but run.json and log.txt, and then empty folders.

        `everything`: run.json, the log, the lock and the folder itself are deleted too.
        """
        files = self.contents()
        folders = self._folders()
        if everything:
            files.append(self.path / LOCK)
            folders.append(self.path)
        else:
            files = [path for path in files if path.name not in (MANIFEST, LOG)]
        delete(files, folders)
        self._listed = set()

    def corpus_pass_file(
        self,
        dataset: str,
        lines: int,
        corpus_pass: CorpusPass,
        key: str,
        references: int,
    ) -> ShardFile:
        """Return the file for the result of a corpus pass, and record it as a file of this run.

        `lines` and `references` are how many the data set has, and `key` is the key of the result.
        The file has the form of a file with the counts of a shard. No system can have its name.
        """
        path = StoredCounts.path_in(self.path, dataset, "", corpus_pass.key)
        path = path.with_name(f"=whole{path.name}")
        self._keys.add(key)
        self.files.add(self._name(path))
        return ShardFile(
            path, 0, lines, (key,), (corpus_pass.schema(references).width,)
        )

    def is_current(self, counts: StoredCounts) -> bool:
        """Return whether the counts exist, undamaged, for the texts of the key; record the key."""
        self._keys.add(counts.key)
        current = counts.is_intact()
        if current:
            self.files.add(self._name(counts.path))
        return current

    def shard_file(
        self,
        low: int,
        high: int,
        keys: Sequence[str | None],
        widths: Sequence[int],
        proof: Path | None = None,
    ) -> ShardFile:
        """Return the file for the counts of a shard, lines low <= i < high.

        `keys`, `widths` and `proof` are as in ShardFile.
        """
        name = f"{content_key(*filter(None, keys))}.{low}-{high}.part"
        path = self.path / UNFINISHED / name
        return ShardFile(path, low, high, tuple(keys), tuple(widths), proof)

    @contextmanager
    def open_to_workers(self, *, machines: bool) -> Iterator[Path | None]:
        """Make the folder in which workers write the counts of shards; raises StoreError.

        `machines`: workers may be on other machines. Then the path of an empty file is yielded:
        machines that find it share the folder. Otherwise None is yielded.
        """
        folder = self.path / UNFINISHED
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            # in_the_way() looks for a file among the parents of a path
            reason = in_the_way(folder / "x") or error.strerror
            raise StoreError(f"{folder}: cannot be made: {reason}") from None
        proof = new_proof(folder) if machines else None
        try:
            yield proof
        finally:
            with contextlib.suppress(OSError):
                if proof:
                    proof.unlink(missing_ok=True)
            delete((), [folder])

    def join(
        self,
        counts: StoredCounts,
        parts: Sequence[Location],
        shared: Shared = alone,
    ) -> Path:
        """Write the .columns file of some counts to a temporary path, which is returned.

        `parts` is where the arrays of all shards are, in the order of lines. Threads may share the
        work. Raises StoreError if the file cannot be written.
        """
        name = f"{content_key(self._name(counts.path))}.joined"
        waiting = self.path / UNFINISHED / name
        counts.join(waiting, parts, shared)
        return waiting

    def put_in_place(self, joined: Iterable[tuple[Path, StoredCounts]]) -> None:
        """Move files that join() has written to the paths of their counts; raises StoreError."""
        for waiting, counts in joined:
            try:
                counts.path.parent.mkdir(parents=True, exist_ok=True)
                waiting.replace(counts.path)
            except OSError as error:
                reason = in_the_way(counts.path) or error.strerror
                raise StoreError(
                    f"{counts.path}: cannot be written: {reason}"
                ) from None
            self.files.add(self._name(counts.path))

    def _name(self, path: Path) -> str:
        return path.relative_to(self.path).as_posix()
