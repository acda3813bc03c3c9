"""Whole numbers in little memory: columns of them in planes of a few bits, and weighted sums of
these.

A column is its least number, and what is above that: the lowest eight bits of each line in one
plane, the next eight in another, and the highest in a plane of as few bits as hold them. Equal
planes are kept once."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints

Bytes = NDArray[np.uint8]


LARGEST = 1 << 53
"""Up to this number, float64 has all whole numbers."""
PIECE = 2048
"""How many lines are summed at once by the Python kernel, which bounds memory."""


class Packed(NamedTuple):
    """A table of whole numbers [lines, ...], packed by columns."""

    data: Bytes
    """The planes, one after the other. Each has a number for every line, filled up with zeros to a
    multiple of eight lines. The number of the first line is in the lowest bits of a byte."""
    bits: Bytes
    """How many bits the numbers of each plane have: 1, 2, 4 or 8."""
    factors: Floats
    """The columns are the planes times these: float64 [planes + 1, columns]. The last row is added
    to each line."""
    shape: tuple[int, ...]
    """The shape of the table."""

    @classmethod
    def of(cls, array: Floats) -> "Packed | None":
        """Return a table of float64 packed, or None where not all numbers are whole, and between
        -2**53 and 2**53.
        """
        columns = np.ascontiguousarray(array.reshape(len(array), math.prod(array.shape[1:])).T)
        planes: dict[tuple[int, bytes], int] = {}
        factors: list[tuple[int, int, int]] = []
        least = np.zeros(len(columns))
        for column, numbers in enumerate(columns):
            low, top = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
            if not (low >= -LARGEST and top <= LARGEST):  # NaN is neither
                return None
            least[column] = low + 0.0  # -0.0 is 0.0
            split = _planes(numbers - low, int(top - low))
            if split is None or low != int(low):
                return None
            for shift, bits, plane in split:
                factors.append(
                    (planes.setdefault((bits, plane.tobytes()), len(planes)), column, 1 << shift)
                )
        table = np.zeros((len(planes) + 1, len(columns)))
        for place, column, factor in factors:
            table[place, column] += factor
        table[-1] = least
        data = np.frombuffer(b"".join(content for _, content in planes), np.uint8)
        return cls(data, np.array([size for size, _ in planes], np.uint8), table, array.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes this takes."""
        return self.data.nbytes + self.bits.nbytes + self.factors.nbytes

    def same_columns(self) -> Floats:
        """Return what is equal for equal columns of the table, and for no others: float64 [any
        length, ...].
        """
        return self.factors.reshape(-1, *self.shape[1:])

    def floats(self) -> Floats:
        """Return the table, as float64."""
        table: Floats = (
            _unpacked(self.data, self.bits, self.shape[0]).T @ self.factors[:-1] + self.factors[-1]
        )
        return table.reshape(self.shape)

    def of_sums(self, sums: Ints) -> Floats:
        """Return the sums of the columns, from what plane_sums() returns: float64 [samples, ...]."""
        table: Floats = sums.astype(np.float64) @ self.factors
        return table.reshape(len(sums), *self.shape[1:])


def _planes(numbers: Floats, top: int) -> list[tuple[int, int, Bytes]] | None:
    """Return the planes of numbers from 0 to `top`: the lowest bit, the number of bits, and the
    packed content.

    Return None where a number is not whole.
    """
    whole: NDArray[Any] = np.zeros((len(numbers) + 7) // 8 * 8, np.uint8 if top < 256 else np.int64)
    whole[: len(numbers)] = numbers
    if not np.array_equal(whole[: len(numbers)], numbers):
        return None
    planes, left = [], top.bit_length()
    for shift in range(0, left, 8):
        bits = next(size for size in (1, 2, 4, 8) if size >= min(left - shift, 8))
        own = whole if top < 256 else (whole >> shift & 255).astype(np.uint8)
        planes.append((shift, bits, own if bits == 8 else _packed(own, bits)))
    return planes


def _packed(numbers: Bytes, bits: int) -> Bytes:
    """Return numbers of so many bits, several in a byte, the first in the lowest bits."""
    own = numbers.reshape(-1, 8 // bits)
    packed = own[:, 0].copy()
    for place in range(1, 8 // bits):
        packed |= own[:, place] << np.uint8(bits * place)
    return packed


def _unpacked(data: Bytes, bits: Bytes, lines: int) -> Bytes:
    """Return the numbers of all planes: uint8 [planes, lines]."""
    planes, at = np.empty((len(bits), lines), np.uint8), 0
    for place, size in enumerate(bits.tolist()):
        count = (lines + 7) // 8 * size
        own = data[at : at + count, None] >> np.arange(0, 8, size, dtype=np.uint8) & np.uint8(
            (1 << size) - 1
        )
        planes[place] = own.ravel()[:lines]
        at += count
    return planes


def check_planes(data: Bytes, bits: Bytes, lines: int, weights: Bytes) -> None:
    """Raise ValueError where packed planes and weights do not fit together."""
    known = bits.dtype == np.uint8 and {1, 2, 4, 8}.issuperset(bits.tolist())
    if not known or lines < 0 or len(data) != (lines + 7) // 8 * int(bits.sum(dtype=np.int64)):
        raise ValueError(
            f"planes: expected bytes for {lines} lines and {len(bits)} planes, found {len(data)}"
        )
    fit = weights.dtype == np.uint8 and weights.ndim == 2 and weights.shape[1] == lines
    if not fit or (lines and weights.strides[1] != 1):
        raise ValueError(
            f"weights: expected uint8 [samples, {lines}], found {weights.dtype} {list(weights.shape)}"
        )


def plane_sums(data: Bytes, bits: Bytes, lines: int, weights: Bytes) -> Ints:
    """Return the sums of the numbers of packed planes (see Packed) times weights: int64 [samples,
    planes + 1].

    `weights` is uint8 [samples, lines]. The last column is the sum of the weights. Raises
    ValueError as check_planes()."""
    check_planes(data, bits, lines, weights)
    planes = _unpacked(data, bits, lines)
    sums = np.zeros((len(weights), len(planes) + 1), np.int64)
    for low in range(0, lines, PIECE):
        piece = slice(
            low, low + PIECE
        )  # float64 holds these sums exactly, and multiplies faster than integers
        sums[:, :-1] += (weights[:, piece].astype(np.float64) @ planes[:, piece].T).astype(np.int64)
        sums[:, -1] += weights[:, piece].sum(axis=1, dtype=np.int64)
    return sums
