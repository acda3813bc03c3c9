"""A run directory: statistics and results on disk, written whole or not at all, keyed by content.

statistics/DATASET/SYSTEM.NEEDS.columns   one file for each system and set of columns (see columns.py)
unfinished/KEY.LOW-HIGH.part              what finished of a run under way; joined and removed at its end
results.json, *.csv                       depend on config, inputs and version alone
run.json                                  all the rest: versions, times, kernel, command, and the list of files
log.txt, run.lock                         what happened when; who is at work
"""

from __future__ import annotations

import contextlib
import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import StoreError
from ...io import lock
from ...io.safe_files import TEMPORARY, refuse_links, write_atomic
from ...metrics.base.columns import COUNTING
from . import unfinished
from .columns_file import Statistics
from .log import LOG
from .manifest import MANIFEST, deletable, holder, read_manifest, running, write_manifest
from .unfinished import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from ...io.safe_files import Content
    from ...metrics.base.columns import Schema
    from ...metrics.base.metric import Needs
    from .unfinished import Cell, Found


def content_key(*content: object) -> str:
    """Return a digest of content, and of the version of the counting."""
    return hashlib.blake2b(repr((COUNTING, *content)).encode(), digest_size=16).hexdigest()


class _Plain(str):
    """Text that stands in a digest without quotes, as the classes of columns did before they had an identity."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def counts_key(texts: Sequence[object], needs: Needs) -> str:
    """Return the key of the columns that needs has of some texts: a digest of all that they depend on."""
    return content_key(*texts, _Plain(needs.identity))


class RunDirectory:
    """A run's folder. Everything it writes is listed in its manifest, and nothing else is ever deleted."""

    def __init__(self, path: Path, *, make: bool = True) -> None:
        """Open the folder, or make it; raises StoreError where it holds something that no run wrote."""
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
        if names - {MANIFEST + TEMPORARY, lock.LOCK} and MANIFEST not in names:
            raise StoreError(f"{path}: holds files but no {MANIFEST}, so no run of this program made it; name another")
        self.files: set[str] = set()
        self._about: dict[str, Any] = {}
        self._before = set(self.manifest().get("files", ()))

    def manifest(self) -> dict[str, Any]:
        """Return the content of run.json, {} where there is none; raises StoreError."""
        return read_manifest(self.path)

    @contextmanager
    def held(self, warn: Callable[[str], None]) -> Iterator[None]:
        """Keep other runs out; raises StoreError where one is at work, or a folder inside is a link."""
        with lock.held(self.path, lambda: holder(self.path), warn):
            self._before = set(self.manifest().get("files", ()))
            folders = [UNFINISHED, "statistics", *(item.name for item in self._statistics())]
            for name in folders:
                refuse_links(self.path, name if name in (UNFINISHED, "statistics") else f"statistics/{name}")
            yield

    def _statistics(self) -> list[Path]:
        folder = self.path / "statistics"
        return sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []

    def write_all(self, files: Mapping[str, Content]) -> None:
        """Write results files by their names; raises StoreError."""
        for name, content in files.items():
            write_atomic(self.path / name, content)
            self.files.add(name)

    def add(self, files: Mapping[str, Content], warn: Callable[[str], None]) -> None:
        """Write more files into a finished run, listed before they are there; raises StoreError."""
        with self.held(warn):
            about = {key: value for key, value in self.manifest().items() if key not in ("program", "files")}
            self._before |= set(files)
            self.write_manifest(about)
            self.write_all(files)

    def write_manifest(self, content: dict[str, Any]) -> None:
        """Write run.json."""
        self._about = content
        write_manifest(self.path, content, self.files | self._before | {LOG})

    def announce(self, statistics: Iterable[Statistics] = (), names: Iterable[str] = ()) -> None:
        """List files before they are written, so that whatever stops this run, a later one may remove them."""
        self._before |= {place.path.relative_to(self.path).as_posix() for place in statistics} | set(names)
        self.write_manifest({**self._about, **running()})

    def remove_stale(self) -> None:
        """Delete the files of earlier runs that this one has not made, and parts that nothing has joined."""
        stale = deletable(self.path, self._before - self.files - {LOG})
        scraps = deletable(self.path, [f"{name}{TEMPORARY}" for name in self.files | self._before])
        self.remove_parts(unfinished.ours(self.path / UNFINISHED))
        _delete([*stale, *scraps])
        self._before = set()

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
        """Delete contents(), and the folders that this empties; whole: lock, log and the folder itself too."""
        kept = () if whole else (self.path / MANIFEST, self.path / LOG)
        files = [path for path in self.contents() if path not in kept]
        _delete([*files, *([self.path / lock.LOCK] if whole else ())])
        folders = [
            *self._statistics(),
            self.path / "statistics",
            self.path / UNFINISHED,
            *([self.path] if whole else []),
        ]
        for folder in folders:
            if not folder.is_symlink():
                with contextlib.suppress(OSError):  # it has other files
                    folder.rmdir()
        self._before = set()

    def statistics(self, dataset: str, system: str, needs_key: str, schema: Schema, lines: int) -> Statistics:
        """Return the place of a system's columns; nothing is read yet."""
        return Statistics(Statistics.place(self.path, dataset, system, needs_key), schema, lines)

    def is_current(self, statistics: Statistics, key: str) -> bool:
        """Return whether the columns are there, whole, and counted from the content that key stands for."""
        current = statistics.is_whole(key)
        if current:
            self._list(statistics.path)
        return current

    def parts(self, widths: Mapping[str, int]) -> dict[Cell, Found]:
        """Return what is there of a run under way, of arrays with these keys (and numbers of columns)."""
        return unfinished.find(self.path / UNFINISHED, widths)

    def write_part(self, low: int, high: int, arrays: Mapping[str, NDArray[np.integer]]) -> dict[Cell, Found]:
        """Write what a shard gave, arrays of the lines low <= i < high by their keys; return where they are."""
        name = f"{content_key(*arrays)}.{low}-{high}.part"
        return unfinished.write_part(self.path / UNFINISHED / name, low, high, arrays)

    def join(self, statistics: Statistics, key: str, arrays: Iterable[NDArray[np.integer]]) -> Path:
        """Write a .columns file from arrays in the order of lines; return where it waits."""
        place = content_key(statistics.path.relative_to(self.path).as_posix())
        waiting = self.path / UNFINISHED / f"{place}.joined"
        statistics.join(waiting, key, arrays)
        return waiting

    def put_in_place(self, joined: Iterable[tuple[Path, Statistics]]) -> None:
        """Move joined files to where they belong."""
        for waiting, statistics in joined:
            try:
                statistics.path.parent.mkdir(parents=True, exist_ok=True)
                waiting.replace(statistics.path)
            except OSError as error:
                raise StoreError(f"{statistics.path}: cannot be written: {error.strerror}") from None
            self._list(statistics.path)

    def remove_parts(self, paths: Iterable[Path]) -> None:
        """Delete what join() has taken over, and the folder when it is empty."""
        _delete(paths)
        with contextlib.suppress(OSError):
            (self.path / UNFINISHED).rmdir()

    def _list(self, path: Path) -> None:
        self.files.add(path.relative_to(self.path).as_posix())


def _delete(paths: Iterable[Path]) -> None:
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: cannot be deleted: {error.strerror}") from None
