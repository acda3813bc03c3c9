"""A run directory: counts and results on disk. A file is written completely or not at all.

statistics/DATASET/SYSTEM.NEEDS.columns   counts of a system, a file for each set of columns (see
counts.py);
                                          signs that no file name should have are written as =20
statistics/DATASET/=whole.SURVEY.columns  what a survey of the whole data set has found, in the form
of a part statistics/DATASET/ids.txt                the ids of its lines, where it has some
unfinished/KEY.LOW-HIGH.part              counts of a shard, until the end of the run joins them
(see counts.py) results.json, *.csv                       results, which depend on config, inputs
and version alone run.json                                  all else: versions, times, kernel,
command, and the list of files log.txt                                   what happened at what time
run.lock                                  keeps other runs out"""

import contextlib
import json
import os
import platform
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...errors import StoreError, printable
from ...files import safe_files
from ...files.remote import Remote, expanded, is_remote
from ...metrics.base.statistics_spec import COUNTING, CorpusPass, Schema, StatisticsSpec
from ...parallel import Shared, alone
from .counts import (
    COLUMNS,
    UNFINISHED,
    Location,
    ShardFile,
    StoredCounts,
    new_proof,
    of_keys,
    own_files,
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


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the content of run.json, in which "files" is a list of names that a run could have
    given.

    The content is empty where there is no run.json, or one whose end is missing. Raises StoreError
    where run.json cannot be read, or another program wrote it."""
    path = folder / MANIFEST
    try:
        content = safe_files.read_json(path)
    except FileNotFoundError:
        return {}
    except ValueError:
        with safe_files.open_regular(path) as file:
            start = file.read(len(_BEGINNING))
        if _BEGINNING.startswith(start):  # the end is missing
            return {}
        content = None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    if not isinstance(content, dict) or not str(content.get("program")).startswith(PROGRAM):
        advice = "delete the folder if it is yours, or name another"
        raise StoreError(f"{path}: is not of this program, or damaged; {advice}")
    files = content.get("files")
    return {
        **content,
        "files": [name for name in files if is_file_name(name)] if isinstance(files, list) else [],
    }


def running() -> dict[str, object]:
    """Return what the manifest says of a run that has not ended."""
    return {
        "state": "running",
        "pid": os.getpid(),
        "host": platform.node(),
        "since": time.strftime(TIME),
    }


def surroundings() -> dict[str, object]:
    """Return what the manifest says of where and when a run ended."""
    return {
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "finished": time.strftime(TIME),
        "python": platform.python_version(),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
    }


def is_file_name(name: object) -> bool:
    """Whether a run could have given this name to a file; such names never lead out of the folder."""
    if (
        not isinstance(name, str)
        or not _FILE.fullmatch(name)
        or name in ("unfinished", "statistics")
    ):
        return False
    return all(
        len(part.encode("utf-8", "surrogatepass")) <= 255 for part in name.split("/")
    )  # as file systems allow


def deletable(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the files with these names that exist. Folders, and files in folders that are links,
    are left out.
    """
    paths = []
    for name in sorted(names):
        path = folder / name
        parents = [
            folder / Path(*Path(name).parts[:depth]) for depth in range(1, len(Path(name).parts))
        ]
        if is_file_name(name) and not any(parent.is_symlink() for parent in parents):
            paths += [path] if path.is_symlink() or path.is_file() else []
    return paths


def folder_of(written: str | Path) -> Path:
    """Return the run directory that a user has written; raises StoreError for an address: a run
    works in a folder.
    """
    if is_remote(str(written)):
        advice = "name a folder, and copy it there with the tool of your store"
        raise StoreError(f"{Remote(str(written))}: is an address; {advice}")
    return Path(expanded(str(written)))


# ---- the log, log.txt: what happened at what time in each run; it is not a part of the results

LOG = "log.txt"
MAX_LOG = 1 << 20
"""A run empties a log that is larger than so many bytes."""
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | safe_files.NO_LINK
_APPEND |= getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Log:
    """A log file. Texts that cannot be written, such as on a full disk, are left out without an
    error.
    """

    def __init__(self, folder: Path) -> None:
        """Open the log of a run directory; raises StoreError where it is a link, or not a regular
        file.
        """
        path = folder / LOG
        try:
            number = os.open(path, _APPEND, 0o666)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
        self._file = os.fdopen(number, "ab", buffering=0)
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            self._file.close()
            raise StoreError(f"{path}: cannot be written: is a link, or no regular file")
        if status.st_size > MAX_LOG:
            self._file.truncate(0)

    def __call__(self, text: str) -> None:
        """Write the time and a text as one line."""
        line = printable(text).replace("\n", " | ")
        with contextlib.suppress(OSError, ValueError):
            self._file.write(f"{time.strftime(TIME)} {line}\n".encode(errors="backslashreplace"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


# ---- the folder


def content_key(*content: object) -> str:
    """Return a digest of content and of the version of the counting."""
    return safe_files.digest(repr((COUNTING, *content)).encode(), size=16)


def counts_key(texts: Sequence[object], spec: StatisticsSpec) -> str:
    """Return the key of the counts of some texts: a digest of everything on which the counts
    depend.
    """
    whole = f"{repr((COUNTING, *texts)).removesuffix(')')}, {spec.cache_key})"  # a key without quotes around it
    return safe_files.digest(whole.encode(), size=16)


class RunDirectory:
    """The folder of a run. Its manifest lists all files that the program writes, and only these are
    ever deleted.
    """

    def __init__(self, path: Path, *, make: bool = True) -> None:
        """Open the folder, or make it; raises StoreError where that fails, or no run wrote what it
        contains.
        """
        self.path = path
        try:
            if make:
                path.mkdir(parents=True, exist_ok=True)
            names = {item.name for item in path.iterdir()} if make or path.exists() else set()
        except (FileExistsError, NotADirectoryError) as error:
            what = (
                "is a file; output.dir must be a folder"
                if path.exists()
                else f"cannot be made: {error.strerror}"
            )
            raise StoreError(f"{path}: {what}") from None
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{path}: cannot be made: {getattr(error, 'strerror', None) or error}"
            ) from None
        left = names - {MANIFEST + safe_files.TEMPORARY, safe_files.LOCK}
        if left and MANIFEST not in names:
            also = (
                f", or delete {path} if it was a run directory"
                if left & {UNFINISHED, "statistics"}
                else ""
            )
            message = f"holds files but no {MANIFEST}, so no run of this program made it; name another{also}"
            raise StoreError(f"{path}: {message}")
        self.files: set[str] = set()
        self._keys: set[str] = set()
        self._results: bytes | None = None
        self._before = set(self.manifest().get("files", ()))

    def manifest(self) -> dict[str, Any]:
        """Return the content of run.json, or {} where there is none; raises StoreError."""
        return read_manifest(self.path)

    def about(self) -> dict[str, Any]:
        """Return the content of run.json without what write_manifest() adds itself."""
        return {
            key: value for key, value in self.manifest().items() if key not in ("program", "files")
        }

    def refuse_other_config(self, about: dict[str, Any]) -> None:
        """Raise StoreError where the results in the folder are of another config file than `about`
        says.

        A config that was moved, renamed or copied is the same: the earlier file is gone, or says
        the same. Counts without results are nobody's own: every config takes those that it needs,
        and leaves the others."""
        manifest = self.manifest()
        theirs, own = manifest.get("config"), about.get("config")
        if (
            not isinstance(theirs, str)
            or not isinstance(own, str)
            or manifest.get("written") == about.get("written")
        ):
            return
        if (
            "results.json" in manifest.get("files", ())
            and Path(theirs).is_file()
            and not Path(theirs).samefile(own)
        ):
            raise StoreError(
                f"{self.path}: has the results of another config, {theirs}, which this run would replace; "
                "name another folder with --output or `output.dir`, or delete them first with --fresh"
            )

    @contextmanager
    def held(self, warn: Callable[[str], None]) -> Iterator[None]:
        """Keep other runs out; raises StoreError where one already works here, or a folder inside
        is a link.
        """

        def holder() -> str:
            try:
                content = safe_files.read_json(self.path / MANIFEST)
                where = f"{str(content['host'])[:99]}, since {str(content['since'])[:99]}"
                return f"process {int(content['pid'])} on {where}"
            except (OSError, ValueError, KeyError, TypeError):
                return "its run.json does not say who"

        with safe_files.locked(self.path, holder, warn):
            manifest = self.manifest()
            self._before = set(manifest.get("files", ()))
            self._results = self._read_results() if manifest.get("state") == "done" else None
            for folder in (self.path / UNFINISHED, self.path / "statistics", *self._statistics()):
                if folder.is_symlink():
                    advice = "a run directory with links inside is not written to: delete it"
                    raise StoreError(f"{folder}: is a link; {advice}")
            yield

    def _statistics(self) -> list[Path]:
        folder = self.path / "statistics"
        return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []

    def _read_results(self) -> bytes | None:
        """Return the content of results.json, or None where it cannot be read or is too large to be
        one.
        """
        try:
            with safe_files.open_regular(self.path / "results.json") as file:
                return (
                    file.read() if os.fstat(file.fileno()).st_size <= safe_files.MAX_JSON else None
                )
        except (OSError, StoreError):
            return None

    def write_all(self, files: Mapping[str, safe_files.Content]) -> None:
        """Write files of results, by their names; raises StoreError."""
        for name, content in files.items():
            safe_files.write_atomic(self.path / name, content)
            self.files.add(name)

    def add(self, files: Mapping[str, safe_files.Content], warn: Callable[[str], None]) -> None:
        """Add files to a finished run; they are listed before they are written. Raises StoreError."""
        with self.held(warn):
            about = self.about()
            self._before |= set(files)
            self.write_manifest(about)
            self.write_all(files)

    def write_manifest(self, content: dict[str, Any]) -> None:
        """Write run.json; raises StoreError."""
        whole = {
            "program": f"{PROGRAM} {__version__}",
            **content,
            "files": sorted(self.files | self._before | {LOG}),
        }
        safe_files.write_atomic(self.path / MANIFEST, json.dumps(whole, indent=1).encode() + b"\n")

    def announce(
        self, counts: Iterable[StoredCounts | ShardFile] = (), names: Iterable[str] = ()
    ) -> None:
        """List files before they are written, so that a later run may remove them if this one is
        stopped.
        """
        self._before |= {self._name(file.path) for file in counts} | set(names)
        self.write_manifest({**running(), **self.about()})

    def remove_stale(self) -> list[str]:
        """Delete what earlier runs have left and nobody needs; return the names of the reports that
        are deleted.

        Reports stay where the results are as before. Counts of other configs stay, finished or not,
        for they may be used again."""
        same = self._results is not None and self._results == self._read_results()
        kept = self._before if same else set(map(self._name, self._counts_beside(self.files)))
        stale = deletable(self.path, self._before - self.files - kept - {LOG})
        scraps = deletable(
            self.path, [f"{name}{safe_files.TEMPORARY}" for name in self.files | self._before]
        )
        self.remove_parts(of_keys(self.path / UNFINISHED, self._keys))
        _delete([*stale, *scraps])
        self._before = {self._name(path) for path in deletable(self.path, kept)}
        return [self._name(path) for path in stale]

    def unneeded(self, used: Set[str]) -> list[Path]:
        """Return the files of counts whose names are not in `used`, and those of unfinished counts."""
        return [*self._counts_beside(used), *own_files(self.path / UNFINISHED)]

    def remove_unneeded(self, used: Set[str]) -> None:
        """Delete the files of unneeded(), and then folders that are empty."""
        about, files = self.about(), self.unneeded(used)
        _delete(files)
        for folder in (*self._statistics(), self.path / UNFINISHED):
            _remove_empty(folder)
        self._before -= set(map(self._name, files))
        self.write_manifest(about)

    def _counts_beside(self, used: Set[str]) -> list[Path]:
        """Return the files of counts, finished by earlier runs, whose names are not in `used`."""
        return [
            path for path in deletable(self.path, self._before - used) if path.suffix == COLUMNS
        ]

    def contents(self) -> list[Path]:
        """Return the files that the program has written here and may delete, run.json last."""
        listed = set(self.manifest().get("files", ())) - {MANIFEST}
        names = [*listed, *(f"{name}{safe_files.TEMPORARY}" for name in [*listed, MANIFEST])]
        return [
            *deletable(self.path, names),
            *own_files(self.path / UNFINISHED),
            *deletable(self.path, [MANIFEST]),
        ]

    def clear(self, *, whole: bool) -> None:
        """Delete the files of contents() but run.json and log.txt, and then the folders that are
        empty.

        `whole` says that run.json, the log, the lock and the folder itself are deleted too.
        """
        kept = () if whole else (self.path / MANIFEST, self.path / LOG)
        files = [path for path in self.contents() if path not in kept]
        _delete([*files, *([self.path / safe_files.LOCK] if whole else ())])
        own = [self.path / "statistics", self.path / UNFINISHED, *([self.path] if whole else [])]
        for folder in [*self._statistics(), *own]:
            _remove_empty(folder)
        self._before = set()

    def counts(
        self, dataset: str, system: str, needs_key: str, schema: Schema, lines: int
    ) -> StoredCounts:
        """Return the counts of a system, from which nothing is read yet."""
        return StoredCounts(
            StoredCounts.path_in(self.path, dataset, system, needs_key), schema, lines
        )

    def whole_file(
        self, dataset: str, lines: int, corpus_pass: CorpusPass, key: str, references: int
    ) -> ShardFile:
        """Return the file for what a survey finds in a whole data set, which is of this run.

        It has the form of a file with the counts of a shard, and its name is that of no system.
        """
        path = StoredCounts.path_in(self.path, dataset, "", corpus_pass.key)
        path = path.with_name(f"=whole{path.name}")
        self._keys.add(key)
        self.files.add(self._name(path))
        return ShardFile(path, 0, lines, (key,), (corpus_pass.schema(references).width,))

    def is_current(self, counts: StoredCounts, key: str) -> bool:
        """Whether the counts are there, undamaged, and of the texts that the key stands for; note
        the key as in use.
        """
        self._keys.add(key)
        current = counts.is_whole(key)
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
        """Return the file for the arrays of a shard, lines low <= i < high, that have these keys
        and widths.
        """
        name = f"{content_key(*filter(None, keys))}.{low}-{high}.part"
        return ShardFile(self.path / UNFINISHED / name, low, high, (*keys,), (*widths,), proof)

    @contextmanager
    def open_to_workers(self, *, machines: bool) -> Iterator[Path | None]:
        """Make the folder of parts, so that workers can write them there; raises StoreError.

        `machines` says that some may be on other machines. Then the path of a file is yielded, by
        which they see whether the folder is theirs too."""
        folder = self.path / UNFINISHED
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            why = safe_files.in_the_way(folder / "x") or error.strerror
            raise StoreError(f"{folder}: cannot be made: {why}") from None
        proof = new_proof(folder) if machines else None
        try:
            yield proof
        finally:
            with contextlib.suppress(OSError):
                if proof:
                    proof.unlink(missing_ok=True)
            _remove_empty(folder)

    def join(
        self, counts: StoredCounts, key: str, parts: Sequence[Location], shared: Shared = alone
    ) -> Path:
        """Write a .columns file from arrays of all shards, at first under another path, which is
        returned.

        Threads may share the work. Raises StoreError where the file cannot be written.
        """
        waiting = self.path / UNFINISHED / f"{content_key(self._name(counts.path))}.joined"
        counts.join(waiting, key, parts, shared)
        return waiting

    def put_in_place(self, joined: Iterable[tuple[Path, StoredCounts]]) -> None:
        """Move joined files to their own paths."""
        for waiting, counts in joined:
            try:
                counts.path.parent.mkdir(parents=True, exist_ok=True)
                waiting.replace(counts.path)
            except OSError as error:
                why = safe_files.in_the_way(counts.path) or error.strerror
                raise StoreError(f"{counts.path}: cannot be written: {why}") from None
            self.files.add(self._name(counts.path))

    def remove_parts(self, paths: Iterable[Path]) -> None:
        """Delete parts that are joined or of no use, and their folder when it is empty."""
        _delete(paths)
        _remove_empty(self.path / UNFINISHED)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.path).as_posix()


def _remove_empty(folder: Path) -> None:
    """Remove a folder, unless it has files, or is a link or not there."""
    if not folder.is_symlink():
        with contextlib.suppress(OSError):
            folder.rmdir()


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{path}: cannot be deleted: {safe_files.in_the_way(path) or error.strerror}"
            ) from None
