"""A run directory: statistics and results on disk, written whole or not at all, keyed by content.

    statistics/DATASET/SYSTEM.NEEDS.columns   one file for each system and set of columns
    unfinished/KEY.LOW-HIGH.part              what finished of a run under way; joined and removed at its end
    results.json, *.csv                       depend on config, inputs and version alone
    run.json                                  all the rest: versions, times, kernel, command, and the list of files

A .columns file is a line of JSON (column names, lines, key of the content counted) and then arrays in numpy's .npy
format, one after the other, each of BLOCK lines (the last fewer), in the narrowest type that holds it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ._version import __version__
from .errors import StoreError
from .execute import narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from numpy.typing import NDArray

    from .metrics.base import Ints, Schema
    from .shards import Shard

BLOCK = 8192
"""Lines in an array of a .columns file, whatever the shards were."""
MANIFEST = "run.json"
TEMPORARY = ".tmp"
UNFINISHED = "unfinished"
_HEADER = re.compile(
    rb"\{'descr': '(<u2|<i4|<i8|<f8)', 'fortran_order': False, 'shape': \(([0-9]{1,18}), ([0-9]{1,18})\), \} *\n"
)


def content_key(*parts: object) -> str:
    """Return a digest of what a file depends on, and of the version of the program."""
    return hashlib.blake2b(repr((__version__, *parts)).encode(), digest_size=16).hexdigest()


def write_atomic(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file under a temporary name, flush it to disk and rename it; raises StoreError (a full disk, say)."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            for piece in [data] if isinstance(data, bytes) else data:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot be written: {error.strerror}; what was finished before is kept") from None


@dataclass(frozen=True)
class Statistics:
    """The columns of one system on one data set, read from disk in blocks of lines."""

    path: Path
    schema: Schema
    lines: int

    @staticmethod
    def place(directory: Path, dataset: str, system: str, needs_key: str) -> Path:
        """Return where the columns of a system are in a run directory."""
        return directory / "statistics" / dataset / f"{system}.{needs_key}.columns"

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield columns of BLOCK lines after BLOCK lines: int64 arrays, as Schema.unpack gives them."""
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}; run the config again") from None
        with file:
            file.readline()
            for low in range(0, self.lines, BLOCK):
                packed = _read_array(file, self.path)
                if packed.shape != (min(BLOCK, self.lines - low), self.schema.width):
                    raise StoreError(f"{self.path}: is damaged; delete it and run the same command again")
                yield self.schema.unpack(packed)


@dataclass(frozen=True)
class MemoryStatistics:
    """The columns of one system, in memory: packed arrays in the order of lines."""

    arrays: list[NDArray[np.integer]]
    schema: Schema

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield columns as Statistics.blocks() does."""
        for packed in _reblock(self.arrays):
            yield self.schema.unpack(packed)


def _read_array(file: BinaryIO, path: Path) -> NDArray[np.integer]:
    """Read the next table of integers; raises StoreError for anything else, before memory is taken for it.

    The header is read here, not by numpy: its parser evaluates Python text, which several threads cannot do at
    once on Python 3.11, and a damaged header makes it raise nearly anything.
    """
    prefix = file.read(10)
    text = file.read(int.from_bytes(prefix[8:10], "little")) if prefix[:8] == b"\x93NUMPY\x01\x00" else b""
    found = _HEADER.fullmatch(text)
    if found:
        dtype, shape = np.dtype(found[1].decode()), (int(found[2]), int(found[3]))
        size = math.prod(shape) * dtype.itemsize
        left = os.fstat(file.fileno()).st_size - file.tell()
        data = file.read(size) if size <= left else b""
        if len(data) == size:
            array: NDArray[np.integer] = np.frombuffer(data, dtype).reshape(shape)
            return array
    raise StoreError(f"{path}: is damaged; delete it and run the same command again")


def _array_bytes(array: NDArray[Any]) -> bytes:
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


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
        if names - {MANIFEST + TEMPORARY} and MANIFEST not in names:
            raise StoreError(f"{path}: holds files but no {MANIFEST}, so no run of this program made it; name another")
        self.files: set[str] = set()
        self._before = {name for name in self.manifest().get("files", ()) if _inside(name)}

    def manifest(self) -> dict[str, Any]:
        """Return the content of run.json, {} where there is none."""
        try:
            content = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            raise StoreError(f"{self.path / MANIFEST}: cannot be read; delete it if the folder is yours") from None
        files = content.get("files") if isinstance(content, dict) else None
        return {**content, "files": files if isinstance(files, list) else []} if isinstance(content, dict) else {}

    def write(self, name: str, text: str) -> None:
        """Write a results file."""
        write_atomic(self.path / name, text.encode())
        self.files.add(name)

    def write_manifest(self, content: dict[str, Any]) -> None:
        """Write run.json."""
        listed = sorted(self.files | self._before)
        write_atomic(self.path / MANIFEST, json.dumps({**content, "files": listed}, indent=1).encode() + b"\n")

    def announce(self, statistics: Iterable[Statistics]) -> None:
        """List files before they are written, so that whatever stops this run, a later one may remove them."""
        self._before |= {place.path.relative_to(self.path).as_posix() for place in statistics}
        self.write_manifest({**self.manifest(), "state": "running"})

    def remove_stale(self) -> None:
        """Delete the files of earlier runs that this one has not made, and parts that nothing has joined."""
        folder = self.path / UNFINISHED
        self.remove_parts([*folder.glob("*.part*"), *folder.glob("*.joined*")] if folder.is_dir() else ())
        stale_names, self._before = self._before - self.files, set()
        for name in stale_names:
            stale = self.path / name
            real = stale.parent.resolve()  # a link may lead out of the folder
            if stale.is_file() and real.is_relative_to(self.path.resolve()):
                stale.unlink()

    def statistics(self, dataset: str, system: str, needs_key: str, schema: Schema, lines: int) -> Statistics:
        """Return the place of a system's columns; nothing is read yet."""
        return Statistics(Statistics.place(self.path, dataset, system, needs_key), schema, lines)

    def is_current(self, statistics: Statistics, key: str) -> bool:
        """Return whether the columns are there and were counted from the content that key stands for."""
        try:
            with statistics.path.open("rb") as file:
                header = json.loads(file.readline(1 << 20))
        except (OSError, ValueError):
            return False
        current = isinstance(header, dict) and header.get("key") == key
        if current:
            self._list(statistics.path)
        return current

    def part(self, key: str, shard: Shard) -> Path:
        """Return the place of what a shard gave."""
        name = f"{key}.{shard.low}-{shard.high}.{shard.first}-{shard.last}.part"
        return self.path / UNFINISHED / name

    @staticmethod
    def write_part(path: Path, arrays: Iterable[NDArray[np.integer]]) -> None:
        """Write the arrays of a shard, after a line of JSON with the sizes of their bytes."""
        pieces = [_array_bytes(array) for array in arrays]
        header = json.dumps([len(piece) for piece in pieces]).encode() + b"\n"
        write_atomic(path, [header, *pieces])

    def join(self, statistics: Statistics, key: str, parts: Iterable[tuple[Path, int]]) -> Path:
        """Write a .columns file from array number i of each (part, i), in the order of lines; return where it waits."""
        header = {
            "format": 1,
            "key": key,
            "lines": statistics.lines,
            "block": BLOCK,
            "columns": statistics.schema.names,
        }
        blocks = _reblock(_part_array(path, index) for path, index in parts)
        pieces = (_array_bytes(narrow(block)) for block in blocks)
        place = content_key(statistics.path.relative_to(self.path).as_posix())
        waiting = self.path / UNFINISHED / f"{place}.joined"
        write_atomic(waiting, chain([json.dumps(header).encode() + b"\n"], pieces))
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
        for path in paths:
            path.unlink(missing_ok=True)
        folder = self.path / UNFINISHED
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()

    def _list(self, path: Path) -> None:
        self.files.add(path.relative_to(self.path).as_posix())


def _inside(name: object) -> bool:
    """Whether a name from a manifest stays in its folder."""
    return (
        isinstance(name, str)
        and bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+/-]*", name))
        and ".." not in Path(name).parts
    )


def _part_array(path: Path, index: int) -> NDArray[np.integer]:
    with path.open("rb") as file:
        try:
            sizes = [int(size) for size in json.loads(file.readline())]
        except (ValueError, TypeError):
            raise StoreError(f"{path}: is damaged; delete it and run the same command again") from None
        file.seek(sum(sizes[:index]), os.SEEK_CUR)
        return _read_array(file, path)


def _reblock(arrays: Iterable[NDArray[np.integer]]) -> Iterator[NDArray[np.integer]]:
    """Cut arrays of any lengths, in order, into blocks of BLOCK lines."""
    waiting: list[NDArray[np.integer]] = []
    count = 0
    for array in arrays:
        waiting.append(array)
        count += len(array)
        while count >= BLOCK:
            joined = np.concatenate(waiting)
            yield joined[:BLOCK]
            waiting, count = [joined[BLOCK:]], count - BLOCK
    if count:
        yield np.concatenate(waiting)
