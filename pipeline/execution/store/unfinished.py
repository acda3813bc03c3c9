"""The counts of an unfinished run: a file in unfinished/ for each shard, which is called a part.

A part begins with a line of JSON, [[key, bytes, digest], ...]. An array in numpy's .npy format follows for each entry:
the counts of a system in a set of columns. A later run finds an array by its key and its lines, and takes all that it
can use. Whoever counts a shard writes its part, where it has the same folder as the first process.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from typing import TYPE_CHECKING, NamedTuple

from ...errors import StoreError
from ...io.safe_files import digest, open_regular, parse_json, write_atomic
from .columns_file import COLUMNS, array_bytes, damaged, read_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

UNFINISHED = "unfinished"
_NAME = re.compile(r"[0-9a-z]+\.([0-9]{1,15})-([0-9]{1,15})\.part")
_OURS = re.compile(r"[0-9a-z]+\.(?:[0-9]{1,15}-[0-9]{1,15}\.part(?:(?:\.[0-9a-f]{8})?\.tmp)?|joined(?:\.tmp)?|shared)")
_MAX_HEADER = 1 << 20


class Cell(NamedTuple):
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


class Part(NamedTuple):
    """Where a worker writes the counts of a shard, and what of them."""

    path: Path
    keys: tuple[str | None, ...]
    """The key of each array that the worker counts. None: it is counted, but not asked for."""
    proof: Path | None = None
    """A file beside the part. A machine that has it shares the folder with the first one. None: it is this machine."""

    def written(self, low: int, high: int, arrays: Sequence[NDArray[np.integer]]) -> list[Location | None] | None:
        """Write the arrays of a shard; return where each is. None: that is not possible here.

        Then the first process gets the arrays, writes them itself, and tells why it cannot, if that is so.
        """
        if not (self.proof or self.path.parent).exists():
            return None
        asked = {key: array for key, array in zip(self.keys, arrays, strict=True) if key is not None}
        try:
            places = write_part(self.path, low, high, asked, mark=f".{secrets.token_hex(4)}")
        except StoreError:
            return None
        return [None if key is None else places[Cell(key, low, high)] for key in self.keys]


def write_part(
    path: Path, low: int, high: int, arrays: Mapping[str, NDArray[np.integer]], mark: str = ""
) -> dict[Cell, Location]:
    """Write the arrays of a shard by their keys; return where they are. Raises StoreError.

    `mark` stands in the name of the file while it is written.
    """
    pieces = {key: array_bytes(array) for key, array in arrays.items()}
    listed = [(key, len(piece), digest(piece)) for key, piece in pieces.items()]
    header = json.dumps(listed).encode() + b"\n"
    # Nobody waits for the disk: a part that is damaged when the machine fails has another digest, and is counted again.
    write_atomic(path, [header, *pieces.values()], mark, durable=False)
    locations, offset = {}, len(header)
    for key, size, check in listed:
        locations[Cell(key, low, high)] = Location(path, offset, (high - low, arrays[key].shape[1]), check)
        offset += size
    return locations


def read_part(location: Location) -> NDArray[np.integer]:
    """Return an array; raises StoreError where its file is damaged or gone."""
    try:
        with open_regular(location.path) as file:
            file.seek(location.offset)
            array, check = read_array(file, location.path, location.shape)
    except OSError as error:
        raise StoreError(f"{location.path}: cannot be read: {error.strerror}; run the same command again") from None
    if check != location.digest:
        raise damaged(location.path)
    return array


def new_proof(folder: Path) -> Path:
    """Make an empty file with a new name, by which other machines see that they share the folder; return its path.

    Raises StoreError.
    """
    path = folder / f"{secrets.token_hex(16)}.shared"
    write_atomic(path, b"")
    return path


def is_part(name: str) -> bool:
    """Whether a file has the name of a part."""
    return bool(_NAME.fullmatch(name))


def ours(folder: Path) -> Iterator[Path]:
    """Yield the files in the folder of parts that the program has written."""
    if folder.is_dir() and not folder.is_symlink():
        yield from (path for path in sorted(folder.iterdir()) if _OURS.fullmatch(path.name))


def is_remains(run: Path, names: Set[str]) -> bool:
    """Whether a folder with these names in it has counts of ours and nothing else.

    That is left where a run directory is deleted while a run writes to it, and the run is stopped.
    """
    folders = [run / name for name in names]
    if not names or not names <= {UNFINISHED, "statistics"} or any(map(_is_odd, folders)):
        return False
    files = [path for folder in folders if folder.name == "statistics" for path in folder.iterdir()]
    if any(map(_is_odd, files)):
        return False
    counts = [path for folder in files for path in folder.iterdir()]
    parts = [path for folder in folders if folder.name == UNFINISHED for path in folder.iterdir()]
    return all(path.suffix == COLUMNS for path in counts) and all(_OURS.fullmatch(path.name) for path in parts)


def _is_odd(path: Path) -> bool:
    return path.is_symlink() or not path.is_dir()


def of_keys(folder: Path, keys: Set[str]) -> Iterator[Path]:
    """Yield the files in the folder of parts that have nothing but arrays with these keys, or cannot be read."""
    for path in ours(folder):
        name = _NAME.fullmatch(path.name)
        try:
            with open_regular(path) as file:
                listed = {str(key) for key, _, _ in parse_json(file.readline(_MAX_HEADER))} if name else set()
        except (OSError, ValueError, TypeError, StoreError):
            listed = set()
        if listed <= keys:
            yield path


def find(folder: Path, widths: Mapping[str, int]) -> dict[Cell, Location]:
    """Return where the arrays with some keys are. `widths` has the number of columns of each array, by its key.

    Each array is read once to see whether it is damaged. Damaged arrays are left out, and so are counted again.
    """
    locations: dict[Cell, Location] = {}
    for path in ours(folder):
        name = _NAME.fullmatch(path.name)
        if name:
            for cell, location in _arrays(path, int(name[1]), int(name[2]), widths):
                locations.setdefault(cell, location)
    return locations


def _arrays(path: Path, low: int, high: int, widths: Mapping[str, int]) -> Iterator[tuple[Cell, Location]]:
    try:
        with open_regular(path) as file:
            header = parse_json(file.readline(_MAX_HEADER))
            offset, whole = file.tell(), os.fstat(file.fileno()).st_size
            listed = [(str(key), int(size), str(check)) for key, size, check in header]
        if any(size < 0 for _, size, _ in listed) or offset + sum(size for _, size, _ in listed) != whole:
            return
        for key, size, check in listed:
            if key in widths:
                location = Location(path, offset, (high - low, widths[key]), check)
                read_part(location)
                yield Cell(key, low, high), location
            offset += size
    except (OSError, ValueError, TypeError, OverflowError, StoreError):
        return
