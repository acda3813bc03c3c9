"""A run directory: counts and results on disk. A file is written completely or not at all.

statistics/DATASET/SYSTEM.NEEDS.columns   counts of a system, a file for each set of columns (see columns_file.py);
                                          signs that no file name should have are written as =20
unfinished/KEY.LOW-HIGH.part              counts of a shard, until the end of the run joins them (see unfinished.py)
results.json, *.csv                       results, which depend on config, inputs and version alone
run.json                                  all else: versions, times, kernel, command, and the list of files
log.txt                                   what happened at what time
run.lock                                  keeps other runs out
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import StoreError
from ...io.safe_files import LOCK, MAX_JSON, TEMPORARY, locked, open_regular, refuse_links, write_atomic
from ...io.workers.threads import alone
from ...metrics.base.columns import COUNTING
from . import unfinished
from .columns_file import COLUMNS, Statistics
from .log import LOG
from .manifest import MANIFEST, deletable, holder, other_config, read_manifest, running, write_manifest
from .unfinished import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ...io.safe_files import Content
    from ...io.workers.threads import Shared
    from ...metrics.base.columns import Schema
    from ...metrics.base.metric import Needs
    from .unfinished import Cell, Location


def content_key(*content: object) -> str:
    """Return a digest of content and of the version of the counting."""
    return hashlib.blake2b(repr((COUNTING, *content)).encode(), digest_size=16).hexdigest()


class _Plain(str):
    """Text without quotes in a digest, so that keys are the same as in earlier versions."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def counts_key(texts: Sequence[object], needs: Needs) -> str:
    """Return the key of the counts of some texts: a digest of everything on which the counts depend."""
    return content_key(*texts, _Plain(needs.cache_key))


class RunDirectory:
    """The folder of a run. Its manifest lists all files that the program writes, and only these are ever deleted."""

    def __init__(self, path: Path, *, make: bool = True) -> None:
        """Open the folder, or make it; raises StoreError where that fails, or no run wrote what it contains."""
        self.path = path
        try:
            if make:
                path.mkdir(parents=True, exist_ok=True)
            names = {item.name for item in path.iterdir()} if make or path.exists() else set()
        except (FileExistsError, NotADirectoryError) as error:
            what = "is a file; output.dir must be a folder" if path.exists() else f"cannot be made: {error.strerror}"
            raise StoreError(f"{path}: {what}") from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{path}: cannot be made: {getattr(error, 'strerror', None) or error}") from None
        left = names - {MANIFEST + TEMPORARY, LOCK}
        if left and MANIFEST not in names and not unfinished.is_remains(path, left - {LOG}):
            also = f", or delete {path} if it was a run directory" if left & {UNFINISHED, "statistics"} else ""
            message = f"holds files but no {MANIFEST}, so no run of this program made it; name another{also}"
            raise StoreError(f"{path}: {message}")
        self.files: set[str] = set()
        self._about: dict[str, Any] = {}
        self._keys: set[str] = set()
        self._results: bytes | None = None
        self._before = set(self.manifest().get("files", ()))

    def manifest(self) -> dict[str, Any]:
        """Return the content of run.json, or {} where there is none; raises StoreError."""
        return read_manifest(self.path)

    def refuse_other_config(self, about: dict[str, Any]) -> None:
        """Raise StoreError where the folder is of another config than `about` says."""
        other = other_config(self.manifest(), about)
        if other:
            raise StoreError(
                f"{self.path}: has the results of another config, {other}, which this run would replace; "
                "name another folder with --output, or begin anew here with --fresh"
            )

    @contextmanager
    def held(self, warn: Callable[[str], None]) -> Iterator[None]:
        """Keep other runs out; raises StoreError where one already works here, or a folder inside is a link."""
        with locked(self.path, lambda: holder(self.path), warn):
            manifest = self.manifest()
            self._before = set(manifest.get("files", ()))
            self._results = self._read_results() if manifest.get("state") == "done" else None
            folders = [UNFINISHED, "statistics", *(item.name for item in self._statistics())]
            for name in folders:
                refuse_links(self.path, name if name in (UNFINISHED, "statistics") else f"statistics/{name}")
            yield

    def _statistics(self) -> list[Path]:
        folder = self.path / "statistics"
        return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []

    def _read_results(self) -> bytes | None:
        """Return the content of results.json, or None where it cannot be read or is too large to be one."""
        try:
            with open_regular(self.path / "results.json") as file:
                return file.read() if os.fstat(file.fileno()).st_size <= MAX_JSON else None
        except (OSError, StoreError):
            return None

    def write_all(self, files: Mapping[str, Content]) -> None:
        """Write files of results, by their names; raises StoreError."""
        for name, content in files.items():
            write_atomic(self.path / name, content)
            self.files.add(name)

    def add(self, files: Mapping[str, Content], warn: Callable[[str], None]) -> None:
        """Add files to a finished run; they are listed before they are written. Raises StoreError."""
        with self.held(warn):
            about = {key: value for key, value in self.manifest().items() if key not in ("program", "files")}
            self._before |= set(files)
            self.write_manifest(about)
            self.write_all(files)

    def write_manifest(self, content: dict[str, Any]) -> None:
        """Write run.json."""
        self._about = content
        write_manifest(self.path, content, self.files | self._before | {LOG})

    def announce(self, counts: Iterable[Statistics] = (), names: Iterable[str] = ()) -> None:
        """List files before they are written, so that a later run may remove them if this one is stopped."""
        self._before |= {self._name(file.path) for file in counts} | set(names)
        self.write_manifest({**running(), **self._about})

    def remove_stale(self) -> list[str]:
        """Delete what earlier runs have left and nobody needs; return the names of the reports that are deleted.

        Reports stay where the results are as before. Counts of other configs stay, finished or not, for they may be
        used again.
        """
        same = self._results is not None and self._results == self._read_results()
        kept = self._before if same else set(map(self._name, self._counts_beside(self.files)))
        stale = deletable(self.path, self._before - self.files - kept - {LOG})
        scraps = deletable(self.path, [f"{name}{TEMPORARY}" for name in self.files | self._before])
        self.remove_parts(unfinished.of_keys(self.path / UNFINISHED, self._keys))
        _delete([*stale, *scraps])
        self._before = {self._name(path) for path in deletable(self.path, kept)}
        return [self._name(path) for path in stale]

    def unneeded(self, used: Set[str]) -> list[Path]:
        """Return the files of counts whose names are not in `used`, and those of unfinished counts."""
        return [*self._counts_beside(used), *unfinished.ours(self.path / UNFINISHED)]

    def remove_unneeded(self, used: Set[str]) -> None:
        """Delete the files of unneeded(), and then folders that are empty."""
        about = {key: value for key, value in self.manifest().items() if key not in ("program", "files")}
        counts = self._counts_beside(used)
        _delete(counts)
        self.remove_parts(unfinished.ours(self.path / UNFINISHED))
        for folder in self._statistics():
            _remove_empty(folder)
        self._before -= set(map(self._name, counts))
        self.write_manifest(about)

    def _counts_beside(self, used: Set[str]) -> list[Path]:
        """Return the files of counts, finished by earlier runs, whose names are not in `used`."""
        return [path for path in deletable(self.path, self._before - used) if path.suffix == COLUMNS]

    def contents(self) -> list[Path]:
        """Return the files that the program has written here and may delete, run.json last."""
        listed = set(self.manifest().get("files", ())) - {MANIFEST}
        names = [*listed, *(f"{name}{TEMPORARY}" for name in [*listed, MANIFEST])]
        return [
            *deletable(self.path, names),
            *unfinished.ours(self.path / UNFINISHED),
            *deletable(self.path, [MANIFEST]),
        ]

    def clear(self, *, whole: bool) -> None:
        """Delete the files of contents() but run.json and log.txt, and then the folders that are empty.

        `whole` says that run.json, the log, the lock and the folder itself are deleted too.
        """
        kept = () if whole else (self.path / MANIFEST, self.path / LOG)
        files = [path for path in self.contents() if path not in kept]
        _delete([*files, *([self.path / LOCK] if whole else ())])
        own = [self.path / "statistics", self.path / UNFINISHED, *([self.path] if whole else [])]
        for folder in [*self._statistics(), *own]:
            _remove_empty(folder)
        self._before = set()

    def statistics(self, dataset: str, system: str, needs_key: str, schema: Schema, lines: int) -> Statistics:
        """Return the counts of a system, from which nothing is read yet."""
        return Statistics(Statistics.path_in(self.path, dataset, system, needs_key), schema, lines)

    def is_current(self, counts: Statistics, key: str) -> bool:
        """Whether the counts are there, undamaged, and of the texts that the key stands for; note the key as in use."""
        self._keys.add(key)
        current = counts.is_whole(key)
        if current:
            self._list(counts.path)
        return current

    def parts(self, widths: Mapping[str, int]) -> dict[Cell, Location]:
        """Return the arrays that an unfinished run has left. `widths` has the number of columns for each key."""
        return unfinished.find(self.path / UNFINISHED, widths)

    def part(self, low: int, high: int, keys: Iterable[str]) -> Path:
        """Return the path of the part with the arrays of a shard, lines low <= i < high, that have these keys."""
        return self.path / UNFINISHED / f"{content_key(*keys)}.{low}-{high}.part"

    def write_part(self, low: int, high: int, arrays: Mapping[str, NDArray[np.integer]]) -> dict[Cell, Location]:
        """Write the arrays of a shard, lines low <= i < high, by their keys; return where each is."""
        return unfinished.write_part(self.part(low, high, arrays), low, high, arrays)

    @contextmanager
    def open_to_workers(self, *, machines: bool) -> Iterator[Path | None]:
        """Make the folder of parts, so that workers can write them there; raises StoreError.

        `machines` says that some may be on other machines. Then the path of a file is yielded, by which they see
        whether the folder is theirs too.
        """
        folder = self.path / UNFINISHED
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be made: {error.strerror}") from None
        proof = unfinished.new_proof(folder) if machines else None
        try:
            yield proof
        finally:
            with contextlib.suppress(OSError):
                if proof:
                    proof.unlink(missing_ok=True)
            _remove_empty(folder)

    def join(self, counts: Statistics, key: str, arrays: Iterable[NDArray[np.integer]], shared: Shared = alone) -> Path:
        """Write a .columns file from arrays in the order of lines, at first under another path, which is returned.

        Threads may share the work. Raises StoreError where the file cannot be written.
        """
        name = content_key(counts.path.relative_to(self.path).as_posix())
        waiting = self.path / UNFINISHED / f"{name}.joined"
        counts.join(waiting, key, arrays, shared)
        return waiting

    def put_in_place(self, joined: Iterable[tuple[Path, Statistics]]) -> None:
        """Move joined files to their own paths."""
        for waiting, counts in joined:
            try:
                counts.path.parent.mkdir(parents=True, exist_ok=True)
                waiting.replace(counts.path)
            except OSError as error:
                raise StoreError(f"{counts.path}: cannot be written: {error.strerror}") from None
            self._list(counts.path)

    def remove_parts(self, paths: Iterable[Path]) -> None:
        """Delete parts that are joined or of no use, and their folder when it is empty."""
        _delete(paths)
        _remove_empty(self.path / UNFINISHED)

    def _list(self, path: Path) -> None:
        self.files.add(self._name(path))

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
            raise StoreError(f"{path}: cannot be deleted: {error.strerror}") from None
