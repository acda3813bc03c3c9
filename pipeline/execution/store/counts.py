"""Counts of systems: on disk, in memory, and on disk while a run is unfinished. They are read in
blocks of lines.

A .columns file begins with a line of JSON: the names of the columns, the number of lines, and the
key of the texts. Arrays in numpy's .npy format follow. Each has BLOCK lines (the last may have
fewer), in the narrowest integer type that holds its numbers. The last array, of int64, has a digest
of each array before it, by which damage is noticed.

Until all lines are counted, there is a file in unfinished/ for each shard. It begins with a line of
JSON, [[key, bytes, digest], ...]. An array in .npy format follows for each entry: the counts of a
system in a set of columns. A later run finds an array by its key and its lines, and takes all that
it can use. Whoever counts a shard writes its file, where it has the same folder as the first
process."""

import json
import math
import os
import re
import secrets
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from ...arrays import Ints
from ...errors import StoreError
from ...files import safe_files
from ...files.safe_files import file_name, open_regular, parse_json, write_atomic
from ...metrics.base.statistics_spec import Columns, Schema, narrow
from ...parallel import Shared, alone, in_batches, prefetch

BLOCK = 8192
"""The number of lines in each array of a .columns file, whatever the shards were."""
TOGETHER, BATCH = 6 * BLOCK, 4
"""About so many lines, or a shard, are joined by a thread at once, and so many times as many by all
threads."""
FORMAT = 3
"""Of .columns files. The digests in those of format 2 are BLAKE2b's."""
COLUMNS = ".columns"
"""The end of the names of these files."""
MAX_HEADER = 1 << 20
"""The most bytes that the first line may have: 255 references give 20,000 names of columns."""
SMALLEST = 2
"""Bytes of a number in the narrowest type."""
_HEADER = re.compile(
    rb"\{'descr': '(<u2|<i4|<i8)', 'fortran_order': False, 'shape': \(([0-9]{1,18}), ([0-9]{1,18})\), \} *\n"
)


Digest = Callable[..., str]
"""Takes pieces of bytes, and returns 16 hexadecimal digits by which damage is noticed."""


def digest(*data: bytes) -> str:
    """Return the digest of bytes: the first 64 bits of BLAKE3's, which takes a fifth of the time of
    BLAKE2b.
    """
    hashed = blake3()
    for piece in data:
        hashed.update(piece)
    return hashed.hexdigest(length=8)


def ids_file(dataset: str) -> str:
    """Return the name of the file in a run directory that has the ids of the lines of a data set,
    one a line.
    """
    return f"statistics/{file_name(dataset)}/ids.txt"


@dataclass(frozen=True)
class StoredCounts:
    """The counts of one system on one data set, in a .columns file."""

    path: Path
    schema: Schema
    lines: int

    @staticmethod
    def path_in(directory: Path, dataset: str, system: str, needs_key: str) -> Path:
        """Return where a run directory has the counts of a system."""
        return (
            directory
            / "statistics"
            / file_name(dataset)
            / f"{file_name(system)}.{needs_key}{COLUMNS}"
        )

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of BLOCK lines at a time, as Schema.unpack gives them: int64 arrays.
        Raises StoreError.
        """
        with self._opened() as file:
            older = file.readline(MAX_HEADER).startswith(b'{"format": 2,')
            yield from map(
                self.schema.unpack, self._packed(file, safe_files.digest if older else digest)
            )

    def check_size(self) -> None:
        """Raise StoreError where the file is too short for its lines: then no memory need be taken
        for any of them.
        """
        with self._opened() as file:
            self._checked_size(file)

    def _opened(self) -> BinaryIO:
        try:
            return open_regular(self.path)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be read: {error.strerror}; run the config again"
            ) from None

    def _checked_size(self, file: BinaryIO) -> int:
        whole = os.fstat(file.fileno()).st_size
        if self.lines * self.schema.width * SMALLEST > whole:
            raise damaged(self.path)
        return whole

    def _packed(self, file: BinaryIO, digest: Digest = digest) -> Iterator[NDArray[np.integer]]:
        """Yield the arrays of a file whose first line has been read; raises StoreError where it is
        damaged.
        """
        whole = self._checked_size(file)
        shapes = [
            (min(BLOCK, self.lines - low), self.schema.width) for low in range(0, self.lines, BLOCK)
        ]
        start, tail = file.tell(), len(array_bytes(np.zeros((len(shapes), 1), np.int64)))
        file.seek(max(whole - tail, start))
        checks, _ = read_array(file, self.path, (len(shapes), 1))
        file.seek(start)
        for shape, check in zip(shapes, checks[:, 0].tolist(), strict=True):
            array, array_digest = read_array(file, self.path, shape, digest)
            if _number(array_digest) != check:
                raise damaged(self.path)
            yield array
        if file.tell() != whole - tail:
            raise damaged(self.path)

    def is_whole(self, key: str) -> bool:
        """Whether the file exists, is undamaged, and has the counts of the texts that the key
        stands for.
        """
        try:
            with open_regular(self.path) as file:
                return file.readline(MAX_HEADER) == self._header(key) and all(
                    True for _ in self._packed(file)
                )
        except (OSError, StoreError):
            return False

    def _header(self, key: str) -> bytes:
        header = {
            "format": FORMAT,
            "key": key,
            "lines": self.lines,
            "block": BLOCK,
            "columns": self.schema.names,
        }
        return json.dumps(header).encode() + b"\n"

    def join(
        self, waiting: Path, key: str, parts: "Sequence[Location]", shared: Shared = alone
    ) -> None:
        """Write the content of this file to the path `waiting`, from the arrays of all shards in
        the order of lines.

        Threads may share the work; the bytes are the same.
        """
        edges = [0, *accumulate(part.shape[0] for part in parts)]
        several = max(TOGETHER * len(parts) // self.lines, 1)

        def packed(first: int) -> list[tuple[bytes, int]]:
            """Return the blocks that begin in some arrays, and their digests."""
            start, end = edges[first], edges[min(first + several, len(parts))]
            low, high = (min(-(-line // BLOCK) * BLOCK, self.lines) for line in (start, end))
            if low == high:
                return []
            rows = np.concatenate([part.read() for part in parts[first : bisect_left(edges, high)]])
            blocks = (
                array_bytes(narrow(rows[at : at + BLOCK]))
                for at in range(low - start, high - start, BLOCK)
            )
            return [(data, _number(digest(data))) for data in blocks]

        def pieces() -> Iterator[bytes]:
            checks = []
            made = in_batches(shared, packed, range(0, len(parts), several), BATCH)
            for data, check in chain.from_iterable(made if shared is alone else prefetch(made)):
                checks.append(check)
                yield data
            yield array_bytes(np.array(checks, np.int64).reshape(-1, 1))

        write_atomic(waiting, chain([self._header(key)], pieces()))


class InMemoryCounts:
    """The counts of one system in memory."""

    def __init__(
        self, arrays: Sequence[NDArray[np.integer]], schema: Schema, columns: Columns | None = None
    ) -> None:
        """Take packed arrays in the order of lines, or the columns of BLOCK lines at most as they
        were counted.
        """
        self.schema, self._arrays, self._columns = schema, arrays, columns
        if columns is not None:
            self._columns = {field.name: columns[field.name] for field in schema.fields}

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return (
            sum(map(len, self._arrays))
            if self._columns is None
            else len(next(iter(self._columns.values())))
        )

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of BLOCK lines at a time, as StoredCounts.blocks() does."""
        if self._columns is not None:
            yield dict(self._columns)
        else:
            yield from map(self.schema.unpack, reblock(self._arrays))


def damaged(path: Path) -> StoreError:
    """Return the error for a file that is not as it was written."""
    return StoreError(f"{path}: is damaged; run the same command again, which counts it anew")


def _number(text: str) -> int:
    """Return a digest as an int64."""
    return int.from_bytes(bytes.fromhex(text), "little", signed=True)


def read_array(
    file: BinaryIO, path: Path, shape: tuple[int, int], digest: Digest = digest
) -> tuple[NDArray[np.integer], str]:
    """Return the next array of a file, and its digest. Raises StoreError where it is damaged or of
    another shape.

    The header is not read by numpy. numpy evaluates it as Python text, which several threads cannot
    do at once on Python 3.11, and a damaged header can make numpy raise almost any error. The size
    is checked before memory is taken."""
    prefix = file.read(10)
    text = (
        file.read(int.from_bytes(prefix[8:10], "little"))
        if prefix[:8] == b"\x93NUMPY\x01\x00"
        else b""
    )
    header = _HEADER.fullmatch(text)
    if header and int(header[3]) == shape[1] and shape[0] in (ANY, int(header[2])):
        dtype, shape = np.dtype(header[1].decode()), (int(header[2]), shape[1])
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


# ---- the counts of an unfinished run

UNFINISHED = "unfinished"
_NAME = re.compile(r"[0-9a-z]+\.([0-9]{1,15})-([0-9]{1,15})\.part")
_OWN = re.compile(
    r"[0-9a-z]+\.(?:[0-9]{1,15}-[0-9]{1,15}\.part(?:(?:\.[0-9a-f]{8})?\.tmp)?|joined(?:\.tmp)?|shared)"
)

WHOLE = "whole-"
"""What the keys of surveys begin with, whose arrays have any number of rows; others have one for
each line."""
ANY = -1
"""The rows of an array that has any number of them."""


class CountsKey(NamedTuple):
    """Lines low <= i < high of the counts that have a key (see run_directory.counts_key)."""

    key: str
    low: int
    high: int


class Location(NamedTuple):
    """Where an array is."""

    path: Path
    offset: int
    """How many bytes of the file come before the array."""
    shape: tuple[int, int]
    digest: str

    def read(self) -> NDArray[np.integer]:
        """Return the array; raises StoreError where its file is damaged or gone."""
        try:
            with open_regular(self.path) as file:
                file.seek(self.offset)
                array, check = read_array(file, self.path, self.shape)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot be read: {error.strerror}; run the same command again"
            ) from None
        if check != self.digest:
            raise damaged(self.path)
        return array


class ShardFile(NamedTuple):
    """The file with the counts of a shard, lines low <= i < high, which the worker writes that
    counts it.
    """

    path: Path
    low: int
    high: int
    keys: tuple[str | None, ...]
    """The key of each array that the worker counts. None: it is counted, but not asked for."""
    widths: tuple[int, ...]
    """The number of columns of each array."""
    proof: Path | None = None
    """A file beside this one. A machine that has it shares the folder with the first one. None: it
    is this machine."""

    def written(self, arrays: Sequence[NDArray[np.integer]]) -> bool:
        """Write the arrays of the shard; return whether that is possible here.

        Else the first process gets the arrays, writes them itself, and tells why it cannot, if that
        is so."""
        if not (self.proof or self.path.parent).exists():
            return False
        try:
            self.write(arrays, mark=f".{secrets.token_hex(4)}")
        except StoreError:
            return False
        return True

    def write(self, arrays: Sequence[NDArray[np.integer] | None], mark: str = "") -> None:
        """Write the arrays that are asked for and there. `mark` stands in the name of the file
        until it is whole.

        Raises StoreError.
        """
        asked = {
            key: array
            for key, array in zip(self.keys, arrays, strict=True)
            if key and array is not None
        }
        pieces = {key: array_bytes(array) for key, array in asked.items()}
        header = (
            json.dumps([(key, len(piece), digest(piece)) for key, piece in pieces.items()]).encode()
            + b"\n"
        )
        # Nobody waits for the disk: a file that is damaged when the machine fails has another
        # digest, and its shard is counted again.
        write_atomic(self.path, [header, *pieces.values()], mark, durable=False)

    def locations(self, *, read: bool = False) -> dict[CountsKey, Location]:
        """Return where the arrays are, as the header tells. `read` says to leave out those that are
        damaged.
        """
        widths = {key: width for key, width in zip(self.keys, self.widths, strict=True) if key}
        return dict(_locations(self.path, self.low, self.high, widths, read=read))


def new_proof(folder: Path) -> Path:
    """Make an empty file with a new name, by which other machines see that they share the folder;
    return its path.
    """
    path = folder / f"{secrets.token_hex(16)}.shared"
    write_atomic(path, b"")
    return path


def own_files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder of unfinished counts that the program has written."""
    if folder.is_dir() and not folder.is_symlink():
        yield from (path for path in sorted(folder.iterdir()) if _OWN.fullmatch(path.name))


def of_keys(folder: Path, keys: Set[str]) -> Iterator[Path]:
    """Yield the files of unfinished counts that have nothing but arrays with these keys, or cannot
    be read.
    """
    for path in own_files(folder):
        try:
            with open_regular(path) as file:
                header = parse_json(file.readline(MAX_HEADER)) if _NAME.fullmatch(path.name) else []
            listed = {str(key) for key, _, _ in header}
        except (OSError, ValueError, TypeError, StoreError):
            listed = set()
        if listed <= keys:
            yield path


def find(folder: Path, widths: Mapping[str, int]) -> dict[CountsKey, Location]:
    """Return where the arrays with some keys are. `widths` has the number of columns of each array,
    by its key.

    Each array is read once to see whether it is damaged. Damaged arrays are left out, and so are
    counted again."""
    locations: dict[CountsKey, Location] = {}
    for path in own_files(folder):
        if name := _NAME.fullmatch(path.name):
            for key, location in _locations(path, int(name[1]), int(name[2]), widths, read=True):
                locations.setdefault(key, location)
    return locations


def _locations(
    path: Path, low: int, high: int, widths: Mapping[str, int], *, read: bool
) -> Iterator[tuple[CountsKey, Location]]:
    """Yield where arrays are, up to the first that is damaged; nothing where the header does not
    fit the file.
    """
    try:
        with open_regular(path) as file:
            header = parse_json(file.readline(MAX_HEADER))
            offset, whole = file.tell(), os.fstat(file.fileno()).st_size
            listed = [(str(key), int(size), str(check)) for key, size, check in header]
        if (
            any(size < 0 for _, size, _ in listed)
            or offset + sum(size for _, size, _ in listed) != whole
        ):
            return
        for key, size, check in listed:
            if key in widths:
                rows = ANY if key.startswith(WHOLE) else high - low
                location = Location(path, offset, (rows, widths[key]), check)
                if read:
                    location.read()
                yield CountsKey(key, low, high), location
            offset += size
    except (OSError, ValueError, TypeError, OverflowError, StoreError):
        return
