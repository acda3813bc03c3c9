"""Whole numbers in little memory: a byte for each, and the rest of the few numbers that are larger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..arrays import Floats

BYTE = 256
LARGEST = 1 << 24
"""Below this number, float32 has all whole numbers."""
RARE = 16
"""At most one number in so many may need more than a byte."""


class Packed(NamedTuple):
    """An array of whole numbers from 0 on."""

    low: NDArray[np.uint8]
    """The numbers modulo 256, in the shape of the array."""
    places: NDArray[np.int64]
    """Where numbers of 256 or more are, in the order of memory."""
    high: NDArray[np.float32]
    """What is missing from these numbers."""

    @classmethod
    def of(cls, array: Floats) -> Packed | None:
        """Return the numbers packed, or None where they are negative, broken, very large, or often above 255."""
        if not (array.min(initial=0) >= 0 and array.max(initial=0) < LARGEST):
            return None
        whole = array.astype(np.int32)
        places = np.flatnonzero(whole >= BYTE)
        if len(places) * RARE > array.size or not np.array_equal(whole, array):
            return None
        high = whole.ravel()[places] // BYTE * BYTE
        return cls((whole % BYTE).astype(np.uint8), places, high.astype(np.float32))

    @property
    def nbytes(self) -> int:
        """How many bytes this takes."""
        return sum(array.nbytes for array in self)

    def floats(self) -> NDArray[Any]:
        """Return the array, as float32."""
        array = self.low.astype(np.float32)
        array.ravel()[self.places] += self.high
        return array
