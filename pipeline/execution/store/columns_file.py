"""Counts of systems on disk and in memory, which are read in blocks of lines.

A .columns file begins with a line of JSON: the names of the columns, the number of lines, and the key of the texts.
Arrays in numpy's .npy format follow. Each has BLOCK lines (the last may have fewer), in the narrowest integer type
that holds its numbers. The last array, of int64, has a digest of each array before it, by which damage is noticed.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import StoreError
from ...io.safe_files import digest, file_name, open_regular, parse_json, write_atomic
from ...io.workers.threads import alone, in_batches
from ...metrics.base.needs import narrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from ...arrays import Ints
    from ...io.workers.threads import Shared
    from ...metrics.base.needs import Columns, Schema

BLOCK = 8192
"""The number of lines in each array of a .columns file, whatever the shards were."""
BATCH = 8
"""So many arrays are worked on at once where threads share them."""
FORMAT = 2
COLUMNS = ".columns"
"""The end of the names of these files."""
MAX_HEADER = 1 << 20
"""The most bytes that the first line may have: 255 references give 20,000 names of columns."""
SMALLEST = 2
"""Bytes of a number in the narrowest type."""
_HEADER = re.compile(
    rb"\{'descr': '(<u2|<i4|<i8)', 'fortran_order': False, 'shape': \(([0-9]{1,18}), ([0-9]{1,18})\), \} *\n"
)


@dataclass(frozen=True)
class Statistics:
    """The counts of one system on one data set, in a .columns file."""

    path: Path
    schema: Schema
    lines: int

    @staticmethod
    def path_in(directory: Path, dataset: str, system: str, needs_key: str) -> Path:
        """Return where a run directory has the counts of a system."""
        return directory / "statistics" / file_name(dataset) / f"{file_name(system)}.{needs_key}{COLUMNS}"

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of BLOCK lines at a time, as Schema.unpack gives them: int64 arrays. Raises StoreError."""
        try:
            file = open_regular(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}; run the config again") from None
        with file:
            file.readline(MAX_HEADER)
            yield from map(self.schema.unpack, self._packed(file))

    def check_size(self) -> None:
        """Raise StoreError where the file is too short for its lines: then no memory need be taken for any of them."""
        try:
            with open_regular(self.path) as file:
                whole = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}; run the config again") from None
        if self.lines * self.schema.width * SMALLEST > whole:
            raise damaged(self.path)

    def _packed(self, file: BinaryIO) -> Iterator[NDArray[np.integer]]:
        """Yield the arrays of a file whose first line has been read; raises StoreError where it is damaged."""
        whole = os.fstat(file.fileno()).st_size
        if self.lines * self.schema.width * SMALLEST > whole:
            raise damaged(self.path)
        shapes = [(min(BLOCK, self.lines - low), self.schema.width) for low in range(0, self.lines, BLOCK)]
        start, tail = file.tell(), len(array_bytes(np.zeros((len(shapes), 1), np.int64)))
        file.seek(max(whole - tail, start))
        checks, _ = read_array(file, self.path, (len(shapes), 1))
        file.seek(start)
        for shape, check in zip(shapes, checks[:, 0].tolist(), strict=True):
            array, array_digest = read_array(file, self.path, shape)
            if _number(array_digest) != check:
                raise damaged(self.path)
            yield array
        if file.tell() != whole - tail:
            raise damaged(self.path)

    def is_whole(self, key: str) -> bool:
        """Whether the file exists, is undamaged, and has the counts of the texts that the key stands for."""
        try:
            with open_regular(self.path) as file:
                return file.readline(MAX_HEADER) == self._header(key) and all(True for _ in self._packed(file))
        except (OSError, StoreError):
            return False

    def is_of_other_texts(self, key: str) -> bool:
        """Whether the file has counts, but of other texts than those that the key stands for."""
        try:
            with open_regular(self.path) as file:
                header = parse_json(file.readline(MAX_HEADER))
            return bool(isinstance(header, dict) and header.get("format") == FORMAT and header["key"] != key)
        except (OSError, ValueError, KeyError, StoreError):
            return False

    def _header(self, key: str) -> bytes:
        names = self.schema.names
        header = {"format": FORMAT, "key": key, "lines": self.lines, "block": BLOCK, "columns": names}
        return json.dumps(header).encode() + b"\n"

    def join(self, waiting: Path, key: str, arrays: Iterable[NDArray[np.integer]], shared: Shared = alone) -> None:
        """Write the content of this file to the path `waiting`, from arrays of any lengths in the order of lines.

        Threads may share the work on blocks; the bytes are the same.
        """
        checks: list[int] = []

        def blocks() -> Iterator[bytes]:
            for data, check in in_batches(shared, _block, reblock(arrays), BATCH):
                checks.append(check)
                yield data
            yield array_bytes(np.array(checks, np.int64).reshape(-1, 1))

        write_atomic(waiting, chain([self._header(key)], blocks()))


@dataclass(frozen=True)
class MemoryStatistics:
    """The counts of one system in memory."""

    arrays: list[NDArray[np.integer]]
    """Packed arrays in the order of lines."""
    schema: Schema

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return sum(map(len, self.arrays))

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of BLOCK lines at a time, as Statistics.blocks() does."""
        for packed in reblock(self.arrays):
            yield self.schema.unpack(packed)


class FewStatistics(MemoryStatistics):
    """The counts of one system with few lines, kept as they were counted, and packed when that is asked for."""

    columns: Columns

    def __init__(self, columns: Columns, schema: Schema) -> None:
        """Take the columns of BLOCK lines at most."""
        object.__setattr__(self, "schema", schema)
        object.__setattr__(self, "columns", {field.name: columns[field.name] for field in schema.fields})

    @cached_property
    def arrays(self) -> list[NDArray[np.integer]]:
        """The columns as one packed array."""
        return [self.schema.narrowed(self.columns)]

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(next(iter(self.columns.values())))

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns."""
        yield dict(self.columns)


def damaged(path: Path) -> StoreError:
    """Return the error for a file that is not as it was written."""
    return StoreError(f"{path}: is damaged; run the same command again, which counts it anew")


def _block(block: NDArray[np.integer]) -> tuple[bytes, int]:
    """Return what a file has of a block, and the digest of that."""
    data = array_bytes(narrow(block))
    return data, _number(digest(data))


def _number(text: str) -> int:
    """Return a digest as an int64."""
    return int.from_bytes(bytes.fromhex(text), "little", signed=True)


def read_array(file: BinaryIO, path: Path, shape: tuple[int, int]) -> tuple[NDArray[np.integer], str]:
    """Return the next array of a file, and its digest. Raises StoreError where it is damaged or of another shape.

    The header is not read by numpy. numpy evaluates it as Python text, which several threads cannot do at once on
    Python 3.11, and a damaged header can make numpy raise almost any error. The size is checked before memory is taken.
    """
    prefix = file.read(10)
    text = file.read(int.from_bytes(prefix[8:10], "little")) if prefix[:8] == b"\x93NUMPY\x01\x00" else b""
    header = _HEADER.fullmatch(text)
    if header and (int(header[2]), int(header[3])) == shape:
        dtype = np.dtype(header[1].decode())
        size = math.prod(shape) * dtype.itemsize
        left = os.fstat(file.fileno()).st_size - file.tell()
        data = file.read(size) if size <= left else b""
        if len(data) == size:
            array: NDArray[np.integer] = np.frombuffer(data, dtype).reshape(shape)
            return array, digest(prefix, text, data)
    raise damaged(path)


def array_bytes(array: NDArray[Any]) -> bytes:
    """Return the bytes of an array in .npy format."""
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
