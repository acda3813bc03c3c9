"""Counts of systems on disk and in memory. They are read in blocks of lines.

A .columns file begins with a line of JSON: the names of the columns, the number of lines, and the
key of the texts. Arrays in numpy's .npy format follow. Each has BLOCK_LINES lines (the last may
have fewer), in the narrowest integer type that holds its numbers. The last array, of int64, has a
digest of each array before it, which reveals damage.

Until all lines are counted, there is a file in unfinished/ for each shard. It begins with a line of
JSON, [[key, bytes, digest], ...]. An array in .npy format follows for each entry: the counts of a
system in a set of columns. A later run finds an array by its key and its lines, and uses all that
it can. The worker that counts a shard writes its file if it shares the folder with the first
process.
"""

import contextlib
import json
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
from ...files import digest as text_digest
from ...files import (
    file_name,
    in_the_way,
    open_regular,
    read_json,
    write_atomic,
)
from ...metrics.base import COUNTING, Columns, Schema, StatisticsSpec
from ...parallel import Shared, alone, in_batches, prefetch

BLOCK_LINES = 8192
"""The number of lines in each array of a .columns file, whatever the shards were."""
JOINED_LINES = 6 * BLOCK_LINES
"""About so many lines, or a shard, are joined by a thread at once."""
JOINED_BATCHES = 4
"""How many times JOINED_LINES are joined by all threads at once."""
FORMAT = 3
"""The format of .columns files. The digests of format 2 are BLAKE2b's."""
COLUMNS = ".columns"
"""The suffix of these files."""
MAX_HEADER_BYTES = 1 << 20
"""Limits the first line: 255 references give 20,000 names of columns."""
MIN_NUMBER_BYTES = 2
"""Bytes of a number in the narrowest type."""
_HEADER = re.compile(
    rb"\{'descr': '(<u2|<i4|<i8)', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,18}), ([0-9]{1,18})\), \} *\n"
)

Array = NDArray[np.integer]
Digest = Callable[..., str]
"""Takes pieces of bytes, and returns 16 hexadecimal digits that reveal damage."""


def digest(*data: bytes) -> str:
    """Return the first 64 bits of the BLAKE3 digest, which is five times as fast as BLAKE2b."""
    hashed = blake3()
    for part in data:
        hashed.update(part)
    return hashed.hexdigest(length=8)


def ids_file(dataset: str) -> str:
    """Return the name of the file in a run directory with the ids of a data set, one a line."""
    return f"statistics/{file_name(dataset)}/ids.txt"


def content_key(*content: object) -> str:
    """Return a digest of content and of the version of the counting."""
    return text_digest(repr((COUNTING, *content)).encode(), size=16)


def counts_key(texts: Sequence[object], spec: StatisticsSpec) -> str:
    """Return the key of the counts of some texts: a digest of everything that the counts depend on.

    `texts` are the digests of the texts, and what else the counts depend on but the specification.
    """
    # the key of the specification has no quotes around it
    content = f"{repr((COUNTING, *texts)).removesuffix(')')}, {spec.cache_key})"
    return text_digest(content.encode(), size=16)


@dataclass(frozen=True)
class StoredCounts:
    """The counts of one system on one data set, in a .columns file."""

    path: Path
    schema: Schema
    lines: int
    key: str = ""
    """A digest of all that the counts depend on (see counts_key()). Reading
    does not need it."""

    @staticmethod
    def path_in(
        directory: Path, dataset: str, system: str, spec_key: str
    ) -> Path:
        """Return the path of the counts of a system in a run directory."""
        folder = directory / "statistics" / file_name(dataset)
        return folder / f"{file_name(system)}.{spec_key}{COLUMNS}"

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of BLOCK_LINES lines at a time, as Schema.unpack returns them.

        Raises StoreError.
        """
        with self._opened() as file:
            header = file.readline(MAX_HEADER_BYTES)
            digest_of_format: Digest = digest
            if header.startswith(b'{"format": 2,'):
                digest_of_format = text_digest
            arrays = self._packed(file, digest_of_format)
            yield from map(self.schema.unpack, arrays)

    def check_size(self) -> None:
        """Raise StoreError if the file is too short for its lines, before memory is taken."""
        with self._opened() as file:
            self._checked_size(file)

    def _opened(self) -> BinaryIO:
        try:
            return open_regular(self.path)
        except OSError as error:
            message = f"cannot be read: {error.strerror}; run the config again"
            raise StoreError(f"{self.path}: {message}") from None

    def _checked_size(self, file: BinaryIO) -> int:
        size = os.fstat(file.fileno()).st_size
        if self.lines * self.schema.width * MIN_NUMBER_BYTES > size:
            raise damaged(self.path)
        return size

    def _packed(
        self, file: BinaryIO, digest: Digest = digest
    ) -> Iterator[Array]:
        """Yield the blocks of a file whose first line has been read: integers [lines, width].

        `digest` is the digest function of the file's format. Raises StoreError if the file is
        damaged.
        """
        size = self._checked_size(file)
        block_starts = range(0, self.lines, BLOCK_LINES)
        blocks_position = file.tell()

        # read the digests, an array of known size at the end of the file
        no_digests = np.zeros((len(block_starts), 1), np.int64)
        digests_position = size - len(array_bytes(no_digests))
        file.seek(max(digests_position, blocks_position))
        digests, _ = read_array(file, self.path, no_digests.shape)

        # read the blocks, and compare their digests
        file.seek(blocks_position)
        for low, block_digest in zip(
            block_starts, digests[:, 0].tolist(), strict=True
        ):
            lines = min(BLOCK_LINES, self.lines - low)
            shape = (lines, self.schema.width)
            block, found_digest = read_array(file, self.path, shape, digest)
            if _number(found_digest) != block_digest:
                raise damaged(self.path)
            yield block
        if file.tell() != digests_position:
            raise damaged(self.path)

    def is_intact(self) -> bool:
        """Return whether the file exists, is undamaged, and has the counts of the key's texts."""
        try:
            with open_regular(self.path) as file:
                if file.readline(MAX_HEADER_BYTES) != self._header():
                    return False
                for _ in self._packed(file):
                    pass
                return True
        except (OSError, StoreError):
            return False

    def _header(self) -> bytes:
        header = {
            "format": FORMAT,
            "key": self.key,
            "lines": self.lines,
            "block": BLOCK_LINES,
            "columns": self.schema.names,
        }
        return json.dumps(header).encode() + b"\n"

    def join(
        self, waiting: Path, parts: "Sequence[Location]", shared: Shared = alone
    ) -> None:
        """Write the content of this file to the path `waiting`, from the arrays of all shards.

        `parts` is where these arrays are, in the order of lines. The file has blocks of BLOCK_LINES
        lines, whatever the lengths of the shards. Threads may share the work; the bytes are the
        same.
        """
        # Part i has the lines bounds[i] <= line < bounds[i + 1].
        bounds = [0, *accumulate(part.shape[0] for part in parts)]
        parts_at_once = max(JOINED_LINES * len(parts) // self.lines, 1)

        def blocks_of_parts(first: int) -> list[tuple[bytes, int]]:
            """Return the blocks that begin in the next `parts_at_once` parts, and their digests.

            The last of these blocks may end in later parts, which are then read too.
            """
            parts_start = bounds[first]
            parts_end = bounds[min(first + parts_at_once, len(parts))]
            low = min(_next_block(parts_start), self.lines)
            high = min(_next_block(parts_end), self.lines)
            if low == high:
                return []
            last = bisect_left(bounds, high)
            rows = np.concatenate([part.read() for part in parts[first:last]])
            blocks = []
            for line in range(low, high, BLOCK_LINES):
                start = line - parts_start
                block = rows[start : start + BLOCK_LINES]
                data = array_bytes(Schema.narrow(block))
                blocks.append((data, _number(digest(data))))
            return blocks

        def content() -> Iterator[bytes]:
            """Yield each block, and then the array of all digests."""
            digests = []
            firsts = range(0, len(parts), parts_at_once)
            batches = in_batches(
                shared, blocks_of_parts, firsts, JOINED_BATCHES
            )
            if shared is not alone:
                batches = prefetch(batches)
            for data, block_digest in chain.from_iterable(batches):
                digests.append(block_digest)
                yield data
            yield array_bytes(np.array(digests, np.int64).reshape(-1, 1))

        write_atomic(waiting, chain([self._header()], content()))


def _next_block(line: int) -> int:
    """Return the first line of the next block, from this line on."""
    return -(-line // BLOCK_LINES) * BLOCK_LINES


class InMemoryCounts:
    """The counts of one system in memory."""

    def __init__(
        self,
        arrays: Sequence[Array],
        schema: Schema,
        columns: Columns | None = None,
    ) -> None:
        """Take packed arrays in the order of lines, or columns as they were counted.

        Columns must have at most BLOCK_LINES lines.
        """
        self.schema = schema
        self._arrays = arrays
        self._columns: Columns | None = None
        if columns is not None:
            self._columns = {
                field.name: columns[field.name] for field in schema.fields
            }

    @property
    def lines(self) -> int:
        """How many lines there are."""
        if self._columns is None:
            return sum(map(len, self._arrays))
        return len(next(iter(self._columns.values())))

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of BLOCK_LINES lines at a time, as StoredCounts.blocks() does."""
        if self._columns is not None:
            yield dict(self._columns)
        else:
            yield from map(self.schema.unpack, reblock(self._arrays))


def damaged(path: Path) -> StoreError:
    """Return the error for a damaged file."""
    return StoreError(
        f"{path}: is damaged; run the same command again, which counts it anew"
    )


def _number(text: str) -> int:
    """Return a digest as an int64."""
    return int.from_bytes(bytes.fromhex(text), "little", signed=True)


def read_array(
    file: BinaryIO, path: Path, shape: tuple[int, int], digest: Digest = digest
) -> tuple[Array, str]:
    """Return the next array of a file in .npy format, integers [rows, width], and its digest.

    `shape` is the expected shape; the number of rows may be ANY_ROWS. Raises StoreError if the
    array is damaged or has another shape. The header is not read by numpy, which evaluates it as
    Python text: several threads cannot do this at once on Python 3.11, and a damaged header can
    make numpy raise almost any error.
    """
    # ten bytes: magic, version 1.0, and the length of the header
    prefix = file.read(10)
    header = b""
    if prefix[:8] == b"\x93NUMPY\x01\x00":
        header = file.read(int.from_bytes(prefix[8:10], "little"))
    fields = _HEADER.fullmatch(header)
    if not fields:
        raise damaged(path)
    rows = int(fields[2])
    width = int(fields[3])
    if width != shape[1] or shape[0] not in (ANY_ROWS, rows):
        raise damaged(path)
    dtype = np.dtype(fields[1].decode())
    size = rows * width * dtype.itemsize
    # A damaged header may ask for more bytes than there are, and memory for them.
    remaining = os.fstat(file.fileno()).st_size - file.tell()
    if size > remaining:
        raise damaged(path)
    data = file.read(size)
    if len(data) != size:
        raise damaged(path)
    array: Array = np.frombuffer(data, dtype).reshape(rows, width)
    return array, digest(prefix, header, data)


def array_bytes(array: NDArray[Any]) -> bytes:
    """Return the bytes of an array in .npy format."""
    buffer = BytesIO()
    # in C order, which is what the files of counts are read in
    rows = np.ascontiguousarray(array)
    np.lib.format.write_array(buffer, rows, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def reblock(arrays: Iterable[Array]) -> Iterator[Array]:
    """Cut arrays of any lengths, in order, into blocks of BLOCK_LINES lines."""
    waiting: list[Array] = []
    waiting_lines = 0
    for array in arrays:
        waiting.append(array)
        waiting_lines += len(array)
        while waiting_lines >= BLOCK_LINES:
            joined = np.concatenate(waiting)
            yield joined[:BLOCK_LINES]
            waiting = [joined[BLOCK_LINES:]]
            waiting_lines -= BLOCK_LINES
    if waiting_lines:
        yield np.concatenate(waiting)


# ---- the counts of an unfinished run

UNFINISHED = "unfinished"
_NAME = re.compile(r"[0-9a-z]+\.([0-9]{1,15})-([0-9]{1,15})\.part")
CORPUS_KEY_PREFIX = "whole-"
"""How keys of corpus passes begin. Their arrays have any number of rows, others a row a line."""
ANY_ROWS = -1
"""The rows of an array that has any number of them."""


class CountsKey(NamedTuple):
    """Lines low <= i < high of the counts with a key (see counts_key())."""

    key: str
    low: int
    high: int


class Location(NamedTuple):
    """Where an array is."""

    path: Path
    offset: int
    """The bytes of the file before the array."""
    shape: tuple[int, int]
    digest: str

    def read(self) -> Array:
        """Return the array; raises StoreError if its file is damaged or missing."""
        try:
            with open_regular(self.path) as file:
                file.seek(self.offset)
                array, found_digest = read_array(file, self.path, self.shape)
        except OSError as error:
            message = (
                f"cannot be read: {error.strerror}; run the same command again"
            )
            raise StoreError(f"{self.path}: {message}") from None
        if found_digest != self.digest:
            raise damaged(self.path)
        return array


class ShardFile(NamedTuple):
    """The file with the counts of a shard, lines low <= i < high, which its worker writes."""

    path: Path
    low: int
    high: int
    keys: tuple[str | None, ...]
    """The key of each array that the worker counts. None: it is counted, but not stored."""
    widths: tuple[int, ...]
    """The number of columns of each array."""
    proof: Path | None = None
    """A file beside this one: a machine that has it shares the folder with the first machine.

    None: it is the first machine.
    """

    def written(self, arrays: Sequence[Array]) -> bool:
        """Write the arrays of the shard; return whether that is possible here.

        If not, the first process gets the arrays, and writes them or reports the reason.
        """
        if not (self.proof or self.path.parent).exists():
            return False
        try:
            self.write(arrays, mark=f".{secrets.token_hex(4)}")
        except StoreError:
            return False
        return True

    def write(self, arrays: Sequence[Array | None], mark: str = "") -> None:
        """Write the arrays of the shard, one for each of `keys`; raises StoreError.

        Arrays without a key, and None in place of an incomplete array, are left out. `mark` is in
        the temporary name of the file, so that several workers can write it at once.
        """
        data_of: dict[str, bytes] = {}  # by key
        for key, array in zip(self.keys, arrays, strict=True):
            if key and array is not None:
                data_of[key] = array_bytes(array)
        header = []
        for key, data in data_of.items():
            header.append((key, len(data), digest(data)))
        first_line = json.dumps(header).encode() + b"\n"
        # Not synced to disk: a file that is damaged when the machine fails has another digest, and
        # its shard is counted again.
        write_atomic(
            self.path, [first_line, *data_of.values()], mark, durable=False
        )

    def locations(self, *, read: bool = False) -> dict[CountsKey, Location]:
        """Return where the arrays with a key are, by the file's header.

        `read`: read the arrays too, up to the first damaged one, which is left out like all after
        it.
        """
        widths = {}
        for key, width in zip(self.keys, self.widths, strict=True):
            if key:
                widths[key] = width
        return dict(
            _locations(self.path, self.low, self.high, widths, read=read)
        )


def new_proof(folder: Path) -> Path:
    """Make an empty file, which shows other machines that they share the folder; return its path."""
    path = folder / f"{secrets.token_hex(16)}.shared"
    write_atomic(path, b"")
    return path


def of_keys(paths: Iterable[Path], keys: Set[str]) -> Iterator[Path]:
    """Yield the files of unfinished counts whose arrays all have some of these keys.

    A file that cannot be read, or whose header is damaged, has none and is yielded too.
    """
    for path in paths:
        header: Any = []
        try:
            with open_regular(path) as file:
                if _NAME.fullmatch(path.name):
                    header = read_json(file.readline(MAX_HEADER_BYTES))
            keys_of_file = {str(key) for key, _, _ in header}
        except (OSError, ValueError, TypeError, StoreError):
            keys_of_file = set()
        if keys_of_file <= keys:
            yield path


def delete(paths: Iterable[Path], folders: Iterable[Path] = ()) -> None:
    """Delete files, and then those of some folders that are empty and no links.

    Raises StoreError if a file cannot be deleted. A folder that cannot be deleted is left.
    """
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            reason = in_the_way(path) or error.strerror
            raise StoreError(f"{path}: cannot be deleted: {reason}") from None
    for folder in folders:
        if not folder.is_symlink():
            with contextlib.suppress(OSError):
                folder.rmdir()


def find(folder: Path, widths: Mapping[str, int]) -> dict[CountsKey, Location]:
    """Find the arrays with some keys in the files of shards that an earlier run has left.

    `widths` has these keys, and the number of columns of their arrays. Each array is read once.
    Damaged arrays are left out, so that they are counted again.
    """
    locations: dict[CountsKey, Location] = {}
    if folder.is_symlink() or not folder.is_dir():
        return locations
    for path in sorted(folder.iterdir()):
        name = _NAME.fullmatch(path.name)
        if name:
            low = int(name[1])
            high = int(name[2])
            for key, location in _locations(path, low, high, widths, read=True):
                locations.setdefault(key, location)
    return locations


def _locations(
    path: Path, low: int, high: int, widths: Mapping[str, int], *, read: bool
) -> Iterator[tuple[CountsKey, Location]]:
    """Yield where a shard's file (lines low <= i < high) has the arrays with the keys of `widths`.

    Nothing is yielded if the header does not fit the file. `read`: each array is read, and the
    first damaged one ends the iteration.
    """
    try:
        with open_regular(path) as file:
            header = read_json(file.readline(MAX_HEADER_BYTES))
            offset = file.tell()
            file_size = os.fstat(file.fileno()).st_size
        entries = []
        for key, size, array_digest in header:
            entries.append((str(key), int(size), str(array_digest)))
        sizes = [size for _, size, _ in entries]
        if min(sizes, default=0) < 0 or offset + sum(sizes) != file_size:
            return
        for key, size, array_digest in entries:
            if key in widths:
                rows = high - low
                if key.startswith(CORPUS_KEY_PREFIX):
                    rows = ANY_ROWS
                shape = (rows, widths[key])
                location = Location(path, offset, shape, array_digest)
                if read:
                    location.read()
                yield CountsKey(key, low, high), location
            offset += size
    except (OSError, ValueError, TypeError, OverflowError, StoreError):
        return
