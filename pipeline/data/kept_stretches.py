"""What was found in stretches of large texts, kept on this computer: a text with the same stamp is
not read again.

A stamp cannot tell whether a text that has grown begins as it did. Such a text is read as a whole.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np
from blake3 import blake3

from ..errors import DataError
from ..files.content_cache import ContentCache, Kind
from .scan import Found, Opening, Stretch

OPENED = Kind("texts/opened-1.sqlite", "opened", "found")
OF = "stretches"
"""The name of the table, as `gec-pipeline cache` shows it."""
MOST = 1 << 28
"""Bytes of all that is kept: of 32 MiB of text 5 KB, or more where lines are blank. Where they are
more, all goes."""
NUMBERS = (
    "lines",
    "head",
    "head_blank",
    "rest",
    "rest_blank",
    "longest",
    "blank",
    "subwords",
    "nuls",
    "windows",
)
"""The fields of Found that JSON can hold."""
LEAF_SIZE = blake3.digest_size


class KeptStretches:
    """What was found in stretches of some texts before. It is never the reason why a text cannot be
    opened.
    """

    def __init__(self, openings: Iterable[Opening]) -> None:
        self._keys = {
            stretch: blake3(repr((opening.fingerprint, stretch)).encode()).digest()
            for opening in openings
            if opening.settled
            for stretch in opening.stretches
        }
        self._cache: ContentCache | None = None
        with suppress(DataError, OSError):  # there is no folder of caches, or nothing in it yet
            self._cache = ContentCache(OPENED, of=OF)
            if self._cache.path.stat().st_size > MOST:
                self._cache.delete(OF)

    def read(self) -> dict[Stretch, Found]:
        """Return what is kept of these texts."""
        kept = self._cache.read(list(self._keys.values())) if self._cache else {}
        return {stretch: unpacked(kept[key]) for stretch, key in self._keys.items() if key in kept}

    def write(self, found: Mapping[Stretch, Found]) -> None:
        """Keep what was found in stretches of these texts, unless something is wrong there."""
        good = {
            stretch: own
            for stretch, own in found.items()
            if stretch in self._keys and not own.problem
        }
        if self._cache:
            self._cache.write({self._keys[stretch]: packed(own) for stretch, own in good.items()})


def packed(found: Found) -> bytes:
    """Return what was found in a stretch as bytes."""
    marks = np.concatenate([np.zeros((2, 0), np.int64), *found.marks], axis=1)
    bits = b"".join(own.tobytes() for _, own in found.blanks)  # of all lines, where there are any
    numbers = {name: getattr(found, name) for name in NUMBERS}
    head = json.dumps({**numbers, "marks": marks.shape[1], "leaves": len(found.leaves)}).encode()
    steps = np.diff(marks, prepend=0).astype("<i8").tobytes()
    return zlib.compress(b"".join([head, b"\n", steps, *found.leaves, bits]), 1)


def unpacked(data: bytes) -> Found:
    """Return what was found in a stretch, from the bytes of packed()."""
    head, _, rest = zlib.decompress(data).partition(b"\n")
    numbers = json.loads(head)
    marks, leaves = 2 * numbers.pop("marks"), LEAF_SIZE * numbers.pop("leaves")
    edge = 8 * marks
    found = Found(**numbers | {"longest": tuple(numbers["longest"])})
    if marks:
        found.marks = [np.frombuffer(rest[:edge], "<i8").reshape(2, -1).cumsum(axis=1)]
    found.leaves = [rest[low : low + LEAF_SIZE] for low in range(edge, edge + leaves, LEAF_SIZE)]
    if bits := rest[edge + leaves :]:
        found.blanks = [(0, np.frombuffer(bits, np.uint8).copy())]
    return found
