"""Digests of texts that are read side by side."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

from .. import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence


class Digests(Protocol):
    """BLAKE2b of 16 bytes of several streams of bytes; see `kernel/native/digests.pyx`."""

    def update(self, pieces: Sequence[bytes]) -> None:
        """Add the next bytes to each stream."""

    def digest(self, number: int) -> str:
        """Return the digest of a stream in hexadecimal digits; it takes no more bytes until begin()."""

    def begin(self, number: int) -> None:
        """Make a stream empty, for other bytes."""


class PlainDigests:
    """The same with hashlib, one stream after the other."""

    def __init__(self, count: int) -> None:
        self._hashes = [hashlib.blake2b(digest_size=16) for _ in range(count)]

    def update(self, pieces: Sequence[bytes]) -> None:
        """Add the next bytes to each stream."""
        for own, piece in zip(self._hashes, pieces, strict=True):
            own.update(piece)

    def digest(self, number: int) -> str:
        """Return the digest of a stream."""
        return self._hashes[number].hexdigest()

    def begin(self, number: int) -> None:
        """Make a stream empty."""
        self._hashes[number] = hashlib.blake2b(digest_size=16)


def digests_of(count: int) -> Digests:
    """Return empty streams: compiled ones where there are several, since one alone is faster with hashlib."""
    compiled = kernel.formula("Digests", "digests") if count > 1 else None
    streams: Digests = compiled(count) if compiled else PlainDigests(count)
    return streams
