"""Columns on disk and in memory: what workers counted, in blocks of lines.

A .columns file is a line of JSON (column names, lines, key of the content counted) and then arrays in numpy's .npy
format, one after the other: each of BLOCK lines (the last fewer), in the narrowest type that holds it, and at the end
an int64 table with a digest of each, by which damage is noticed.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import StoreError
from ...io.safe_files import digest, open_regular, write_atomic
from ...metrics.base.columns import narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from ...arrays import Ints
    from ...metrics.base.columns import Schema

BLOCK = 8192
"""Lines in an array of a .columns file, whatever the shards were."""
FORMAT = 2
MAX_HEADER = 1 << 20
"""Bytes of the first line: 255 references give 20,000 names."""
_HEADER = re.compile(
    rb"\{'descr': '(<u2|<i4|<i8)', 'fortran_order': False, 'shape': \(([0-9]{1,18}), ([0-9]{1,18})\), \} *\n"
)


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
            file = open_regular(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}; run the config again") from None
        with file:
            file.readline(MAX_HEADER)
            yield from map(self.schema.unpack, self._packed(file))

    def _packed(self, file: BinaryIO) -> Iterator[NDArray[np.integer]]:
        """Yield the arrays of an open file, which stands behind the first line; raises StoreError: damage."""
        shapes = [(min(BLOCK, self.lines - low), self.schema.width) for low in range(0, self.lines, BLOCK)]
        start, tail = file.tell(), len(array_bytes(np.zeros((len(shapes), 1), np.int64)))
        whole = os.fstat(file.fileno()).st_size
        file.seek(max(whole - tail, start))
        checks, _ = read_array(file, self.path, (len(shapes), 1))
        file.seek(start)
        for shape, check in zip(shapes, checks[:, 0].tolist(), strict=True):
            array, found = read_array(file, self.path, shape)
            if _number(found) != check:
                raise damaged(self.path)
            yield array
        if file.tell() != whole - tail:
            raise damaged(self.path)

    def is_whole(self, key: str) -> bool:
        """Return whether the file is there, was counted from the content that key stands for, and is undamaged."""
        try:
            with open_regular(self.path) as file:
                return file.readline(MAX_HEADER) == self._header(key) and all(True for _ in self._packed(file))
        except (OSError, StoreError):
            return False

    def _header(self, key: str) -> bytes:
        names = self.schema.names
        header = {"format": FORMAT, "key": key, "lines": self.lines, "block": BLOCK, "columns": names}
        return json.dumps(header).encode() + b"\n"

    def join(self, waiting: Path, key: str, arrays: Iterable[NDArray[np.integer]]) -> None:
        """Write a .columns file from arrays of any lengths in the order of lines; at first to another path."""
        checks: list[int] = []

        def blocks() -> Iterator[bytes]:
            for block in reblock(arrays):
                data = array_bytes(narrow(block))
                checks.append(_number(digest(data)))
                yield data
            yield array_bytes(np.array(checks, np.int64).reshape(-1, 1))

        write_atomic(waiting, chain([self._header(key)], blocks()))


@dataclass(frozen=True)
class MemoryStatistics:
    """The columns of one system, in memory: packed arrays in the order of lines."""

    arrays: list[NDArray[np.integer]]
    schema: Schema

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield columns as Statistics.blocks() does."""
        for packed in reblock(self.arrays):
            yield self.schema.unpack(packed)


def damaged(path: Path) -> StoreError:
    """Return what is said of a file that is not as it was written."""
    return StoreError(f"{path}: is damaged; run the same command again, which counts it anew")


def _number(text: str) -> int:
    """Return a digest as an int64."""
    return int.from_bytes(bytes.fromhex(text), "little", signed=True)


def read_array(file: BinaryIO, path: Path, shape: tuple[int, int]) -> tuple[NDArray[np.integer], str]:
    """Read the next table of integers, and its digest; raises StoreError for anything else, or of another shape.

    The header is read here, not by numpy: its parser evaluates Python text, which several threads cannot do at
    once on Python 3.11, and a damaged header makes it raise nearly anything. No memory is taken for what is not there.
    """
    prefix = file.read(10)
    text = file.read(int.from_bytes(prefix[8:10], "little")) if prefix[:8] == b"\x93NUMPY\x01\x00" else b""
    found = _HEADER.fullmatch(text)
    if found and (int(found[2]), int(found[3])) == shape:
        dtype = np.dtype(found[1].decode())
        size = math.prod(shape) * dtype.itemsize
        left = os.fstat(file.fileno()).st_size - file.tell()
        data = file.read(size) if size <= left else b""
        if len(data) == size:
            array: NDArray[np.integer] = np.frombuffer(data, dtype).reshape(shape)
            return array, digest(prefix, text, data)
    raise damaged(path)


def array_bytes(array: NDArray[Any]) -> bytes:
    """Return an array as an .npy file."""
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def reblock(arrays: Iterable[NDArray[np.integer]]) -> Iterator[NDArray[np.integer]]:
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
