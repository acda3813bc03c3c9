"""What finished of a run under way: a file a shard in unfinished/, with an array for each system and set of columns.

A part is a line of JSON, [[key, bytes, digest], ...], and then as many arrays in numpy's .npy format. Each array is
known by the key of its content and its lines, so that a later run takes what it can use, whatever else it needs.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from ...errors import StoreError
from ...io.safe_files import digest, open_regular, parse_json, write_atomic
from .columns_file import array_bytes, damaged, read_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

UNFINISHED = "unfinished"
_NAME = re.compile(r"[0-9a-z]+\.([0-9]{1,15})-([0-9]{1,15})\.part")
_OURS = re.compile(r"(?:[0-9a-z]+\.[0-9]{1,15}-[0-9]{1,15}\.part|[0-9a-z]+\.joined)(?:\.tmp)?")
_MAX_HEADER = 1 << 24


class Cell(NamedTuple):
    """The lines low <= i < high of a system and set of columns, whose content a key stands for."""

    key: str
    low: int
    high: int


class Found(NamedTuple):
    """Where an array is: file, number of bytes before it, shape, digest."""

    path: Path
    offset: int
    shape: tuple[int, int]
    digest: str


def write_part(path: Path, low: int, high: int, arrays: Mapping[str, NDArray[np.integer]]) -> dict[Cell, Found]:
    """Write the arrays of a shard by their keys; return where they are. Raises StoreError."""
    pieces = {key: array_bytes(array) for key, array in arrays.items()}
    listed = [(key, len(piece), digest(piece)) for key, piece in pieces.items()]
    header = json.dumps(listed).encode() + b"\n"
    write_atomic(path, [header, *pieces.values()])
    known, offset = {}, len(header)
    for key, size, check in listed:
        known[Cell(key, low, high)] = Found(path, offset, (high - low, arrays[key].shape[1]), check)
        offset += size
    return known


def read_part(found: Found) -> NDArray[np.integer]:
    """Return an array; raises StoreError: damage, or it went away."""
    try:
        with open_regular(found.path) as file:
            file.seek(found.offset)
            array, check = read_array(file, found.path, found.shape)
    except OSError as error:
        raise StoreError(f"{found.path}: cannot be read: {error.strerror}; run the same command again") from None
    if check != found.digest:
        raise damaged(found.path)
    return array


def is_part(name: str) -> bool:
    """Whether a file is called as parts are."""
    return bool(_NAME.fullmatch(name))


def ours(folder: Path) -> Iterator[Path]:
    """Yield the files of a run directory's folder of parts that the program has written."""
    if folder.is_dir() and not folder.is_symlink():
        yield from (path for path in sorted(folder.iterdir()) if _OURS.fullmatch(path.name))


def find(folder: Path, widths: Mapping[str, int]) -> dict[Cell, Found]:
    """Return the arrays that are there of some keys, each read once to see that it is whole.

    widths: columns of the arrays, by key. What is damaged is left out, and so counted again.
    """
    known: dict[Cell, Found] = {}
    for path in ours(folder):
        name = _NAME.fullmatch(path.name)
        if name:
            for found in _arrays(path, int(name[1]), int(name[2]), widths):
                known.setdefault(*found)
    return known


def _arrays(path: Path, low: int, high: int, widths: Mapping[str, int]) -> Iterator[tuple[Cell, Found]]:
    try:
        with open_regular(path) as file:
            header = parse_json(file.readline(_MAX_HEADER))
            offset, whole = file.tell(), os.fstat(file.fileno()).st_size
            listed = [(str(key), int(size), str(check)) for key, size, check in header]
        if any(size < 0 for _, size, _ in listed) or offset + sum(size for _, size, _ in listed) != whole:
            return
        for key, size, check in listed:
            if key in widths:
                found = Found(path, offset, (high - low, widths[key]), check)
                read_part(found)
                yield Cell(key, low, high), found
            offset += size
    except (OSError, ValueError, TypeError, OverflowError, StoreError):
        return
