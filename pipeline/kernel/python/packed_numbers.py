"""Whole numbers in little memory: their columns in planes of a few bits, and weighted sums.

A column is its least number, and what is above that: the lowest eight bits of each line in one
plane, the next eight in another, and the highest in a plane of as few bits as hold them. Equal
planes are stored once.
"""

import math
from bisect import bisect_left
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints

Bytes = NDArray[np.uint8]

LARGEST = 1 << 53
"""Up to this number, float64 has all whole numbers."""
LINES_AT_ONCE = 2048
"""How many lines the Python kernel sums at once, which bounds memory."""
PLANE_BITS = (1, 2, 4, 8)
"""How many bits the numbers of a plane may have."""


class Plane(NamedTuple):
    """Some bits of the numbers of a column."""

    shift: int
    """Which bit of the numbers is the lowest of the plane."""
    bits: int
    data: bytes
    """The bits of all numbers, packed."""

    @property
    def content(self) -> tuple[int, bytes]:
        """What is stored once for equal planes."""
        return self.bits, self.data


class Packed(NamedTuple):
    """A table of whole numbers [lines, ...], packed by columns."""

    data: Bytes
    """The planes, one after the other. Each has a number for every line, filled up with zeros to a
    multiple of eight lines. The number of the first line is in the lowest bits of a byte."""
    bits: Bytes
    """How many bits the numbers of each plane have: one of PLANE_BITS."""
    factors: Floats
    """The columns are the planes times these: float64 [planes + 1, columns]. The last row is added
    to each line."""
    shape: tuple[int, ...]
    """The shape of the table."""

    @classmethod
    def of(cls, array: Floats) -> "Packed | None":
        """Return a table of float64 [lines, ...] packed.

        Returns None unless all its numbers are whole, and between -2**53 and 2**53.
        """
        width = math.prod(array.shape[1:])
        table = array.reshape(len(array), width)
        columns = np.ascontiguousarray(table.T)

        # cut the columns into planes; equal planes get one index
        plane_indices: dict[tuple[int, bytes], int] = {}
        planes_of_columns: list[list[Plane]] = []
        minima = np.zeros(width)
        for column, numbers in enumerate(columns):
            minimum = 0.0
            maximum = 0.0
            if len(numbers):
                minimum = numbers.min()
                maximum = numbers.max()
            # both comparisons are false for NaN
            in_range = minimum >= -LARGEST and maximum <= LARGEST
            if not in_range or minimum != int(minimum):
                return None
            minima[column] = minimum + 0.0  # turns -0.0 into 0.0
            planes = _planes(numbers - minimum, int(maximum - minimum))
            if planes is None:
                return None
            planes_of_columns.append(planes)
            for plane in planes:
                plane_indices.setdefault(plane.content, len(plane_indices))

        # a column is its planes, times the value of their lowest bit, and its minimum
        factors = np.zeros((len(plane_indices) + 1, width))
        factors[-1] = minima
        for column, planes in enumerate(planes_of_columns):
            for plane in planes:
                index = plane_indices[plane.content]
                factors[index, column] += 1 << plane.shift

        # store the planes, in the order of their indices
        bits = []
        data = bytearray()
        for plane_bits, plane_data in plane_indices:
            bits.append(plane_bits)
            data += plane_data
        return cls(
            data=np.frombuffer(bytes(data), np.uint8),
            bits=np.array(bits, np.uint8),
            factors=factors,
            shape=array.shape,
        )

    @property
    def nbytes(self) -> int:
        """How many bytes this takes."""
        return self.data.nbytes + self.bits.nbytes + self.factors.nbytes

    def same_columns(self) -> Floats:
        """Return an array that shows which columns are equal: float64 [planes + 1, ...].

        Columns of the table are equal if they are equal in this array, which has fewer rows.
        """
        columns_shape = self.shape[1:]
        return self.factors.reshape(-1, *columns_shape)

    def floats(self) -> Floats:
        """Return the table, as float64."""
        lines = self.shape[0]
        planes = _unpacked(self.data, self.bits, lines)
        factors = self.factors[:-1]
        minima = self.factors[-1]
        table: Floats = planes.T @ factors + minima
        return table.reshape(self.shape)

    def of_sums(self, sums: Ints) -> Floats:
        """Return the sums of the columns in each sample: float64 [samples, ...].

        `sums` is the result of plane_sums(): the sums of the planes, and last of the weights.
        """
        table: Floats = sums.astype(np.float64) @ self.factors
        columns_shape = self.shape[1:]
        return table.reshape(len(sums), *columns_shape)


def _planes(numbers: Floats, maximum: int) -> list[Plane] | None:
    """Cut numbers from 0 to `maximum`, float64 [lines], into planes of at most eight bits.

    Return the planes from the lowest bits to the highest, or None if a number is not whole.
    """
    lines = len(numbers)
    dtype: type[np.integer[Any]] = np.int64
    if maximum < 256:
        dtype = np.uint8
    padded = np.zeros(8 * _groups(lines), dtype)
    padded[:lines] = numbers
    if not np.array_equal(padded[:lines], numbers):
        return None
    planes = []
    for shift in range(0, maximum.bit_length(), 8):
        remaining_bits = maximum.bit_length() - shift
        index = bisect_left(PLANE_BITS, min(remaining_bits, 8))
        bits = PLANE_BITS[index]
        octets = padded >> shift & 255
        packed = _packed(octets.astype(np.uint8), bits)
        planes.append(Plane(shift, bits, packed.tobytes()))
    return planes


def _groups(lines: int) -> int:
    """Return how many groups of eight lines there are; the last one may be incomplete."""
    return (lines + 7) // 8


def _packed(numbers: Bytes, bits: int) -> Bytes:
    """Put several numbers of so many bits into each byte, the first in the lowest bits.

    `numbers` is uint8 [lines], where lines are a multiple of eight; returns uint8 [lines * bits
    / 8].
    """
    numbers_in_byte = 8 // bits
    rows = numbers.reshape(-1, numbers_in_byte)
    packed = rows[:, 0].copy()
    for position in range(1, numbers_in_byte):
        shift = np.uint8(bits * position)
        packed |= rows[:, position] << shift
    return packed


def _unpacked(data: Bytes, bits: Bytes, lines: int) -> Bytes:
    """Return the numbers of all planes: uint8 [planes, lines].

    `data` has the packed planes one after the other (see Packed), and `bits` how many bits the
    numbers of each have.
    """
    planes = np.empty((len(bits), lines), np.uint8)
    start = 0
    for plane, plane_bits in enumerate(bits.tolist()):
        end = start + _groups(lines) * plane_bits
        # every number in a byte: [bytes, numbers in a byte]
        shifts = np.arange(0, 8, plane_bits, dtype=np.uint8)
        mask = np.uint8((1 << plane_bits) - 1)
        octets = data[start:end, None]
        numbers = (octets >> shifts & mask).ravel()
        planes[plane] = numbers[:lines]  # without the padding
        start = end
    return planes


def check_planes(data: Bytes, bits: Bytes, lines: int, weights: Bytes) -> None:
    """Raise ValueError if packed planes and weights do not fit together.

    `data` and `bits` are those of Packed, and `weights` is uint8 [samples, lines], with the weights
    of a sample one after the other in memory.
    """
    allowed_bits = bits.dtype == np.uint8 and set(bits) <= set(PLANE_BITS)
    size = _groups(lines) * int(bits.sum(dtype=np.int64))
    if not allowed_bits or lines < 0 or len(data) != size:
        raise ValueError(
            f"planes: expected bytes for {lines} lines and {len(bits)} planes, found {len(data)}"
        )
    is_table = weights.dtype == np.uint8 and weights.shape[1:] == (lines,)
    if not is_table or (lines and weights.strides[1] != 1):
        raise ValueError(
            f"weights: expected uint8 [samples, {lines}], "
            f"found {weights.dtype} {list(weights.shape)}"
        )


def plane_sums(data: Bytes, bits: Bytes, lines: int, weights: Bytes) -> Ints:
    """Return the weighted sums of packed planes over the lines: int64 [samples, planes + 1].

    `data` and `bits` are those of Packed, and `weights` is uint8 [samples, lines], such as how
    often a bootstrap sample has each line. The last column is the sum of the weights. Raises
    ValueError as check_planes() does.
    """
    check_planes(data, bits, lines, weights)
    planes = _unpacked(data, bits, lines)
    shape = (len(weights), len(planes) + 1)
    sums = np.zeros(shape, np.int64)
    for low in range(0, lines, LINES_AT_ONCE):
        high = low + LINES_AT_ONCE
        block = weights[:, low:high]
        numbers = planes[:, low:high]
        # float64 holds these sums exactly, and multiplies faster than integers.
        products = block.astype(np.float64) @ numbers.T
        sums[:, :-1] += products.astype(np.int64)
        sums[:, -1] += block.sum(axis=1, dtype=np.int64)
    return sums
