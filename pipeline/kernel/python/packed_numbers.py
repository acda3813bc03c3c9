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
        """Return a table of float64 packed.

        Returns None unless all numbers are whole, and between -2**53 and 2**53.
        """
        width = math.prod(array.shape[1:])
        table = array.reshape(len(array), width)
        columns = np.ascontiguousarray(table.T)
        plane_numbers: dict[tuple[int, bytes], int] = {}
        planes_of_columns: list[list[Plane]] = []
        least = np.zeros(len(columns))
        for column, numbers in enumerate(columns):
            low = 0.0
            top = 0.0
            if len(numbers):
                low = numbers.min()
                top = numbers.max()
            in_range = low >= -LARGEST and top <= LARGEST  # never for NaN
            if not in_range or low != int(low):
                return None
            least[column] = low + 0.0  # -0.0 is 0.0
            planes = _planes(numbers - low, int(top - low))
            if planes is None:
                return None
            planes_of_columns.append(planes)
            for plane in planes:
                plane_numbers.setdefault(plane.content, len(plane_numbers))
        shape = (len(plane_numbers) + 1, width)
        factors = np.zeros(shape)
        factors[-1] = least
        for column, planes in enumerate(planes_of_columns):
            for plane in planes:
                number = plane_numbers[plane.content]
                factors[number, column] += 1 << plane.shift
        bits = []
        data = bytearray()
        for plane_bits, plane_data in plane_numbers:
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
        """Return what is equal for equal columns alone: float64 [any length, ...]."""
        columns_shape = self.shape[1:]
        return self.factors.reshape(-1, *columns_shape)

    def floats(self) -> Floats:
        """Return the table, as float64."""
        lines = self.shape[0]
        planes = _unpacked(self.data, self.bits, lines)
        factors = self.factors[:-1]
        least = self.factors[-1]
        table: Floats = planes.T @ factors + least
        return table.reshape(self.shape)

    def of_sums(self, sums: Ints) -> Floats:
        """Return the sums of the columns, from the result of plane_sums(): float64 [samples, ...]."""
        sums_of_planes = sums.astype(np.float64)
        table: Floats = sums_of_planes @ self.factors
        columns_shape = self.shape[1:]
        return table.reshape(len(sums), *columns_shape)


def _planes(numbers: Floats, top: int) -> list[Plane] | None:
    """Return the planes of numbers from 0 to `top`, or None if a number is not whole."""
    count = len(numbers)
    padded_size = 8 * _octets(count)
    dtype: type[np.integer[Any]] = np.int64
    if top < 256:
        dtype = np.uint8
    integers = np.zeros(padded_size, dtype)
    integers[:count] = numbers
    if not np.array_equal(integers[:count], numbers):
        return None
    planes = []
    for shift in range(0, top.bit_length(), 8):
        remaining_bits = top.bit_length() - shift
        index = bisect_left(PLANE_BITS, min(remaining_bits, 8))
        bits = PLANE_BITS[index]
        content = integers
        if top >= 256:
            octets = integers >> shift & 255
            content = octets.astype(np.uint8)
        packed = _packed(content, bits)
        planes.append(Plane(shift, bits, packed.tobytes()))
    return planes


def _octets(lines: int) -> int:
    """Return how many groups of eight lines there are; the last one may be incomplete."""
    return (lines + 7) // 8


def _packed(numbers: Bytes, bits: int) -> Bytes:
    """Return numbers of so many bits, several in a byte, the first in the lowest bits."""
    in_a_byte = 8 // bits
    rows = numbers.reshape(-1, in_a_byte)
    packed = rows[:, 0].copy()
    for position in range(1, in_a_byte):
        shift = np.uint8(bits * position)
        packed |= rows[:, position] << shift
    return packed


def _unpacked(data: Bytes, bits: Bytes, lines: int) -> Bytes:
    """Return the numbers of all planes: uint8 [planes, lines]."""
    shape = (len(bits), lines)
    planes = np.empty(shape, np.uint8)
    start = 0
    for plane, width in enumerate(bits.tolist()):
        end = start + _octets(lines) * width
        shifts = np.arange(0, 8, width, dtype=np.uint8)
        mask = np.uint8((1 << width) - 1)
        octets = data[start:end, None]
        numbers = octets >> shifts & mask
        planes[plane] = numbers.ravel()[:lines]
        start = end
    return planes


def check_planes(data: Bytes, bits: Bytes, lines: int, weights: Bytes) -> None:
    """Raise ValueError if packed planes and weights do not fit together."""
    is_known = bits.dtype == np.uint8
    is_known = is_known and set(bits.tolist()) <= set(PLANE_BITS)
    bits_of_line = int(bits.sum(dtype=np.int64))
    size = _octets(lines) * bits_of_line
    if not is_known or lines < 0 or len(data) != size:
        raise ValueError(
            f"planes: expected bytes for {lines} lines and {len(bits)} planes, found {len(data)}"
        )
    fits = weights.dtype == np.uint8 and weights.ndim == 2
    fits = fits and weights.shape[1] == lines
    if not fits or (lines and weights.strides[1] != 1):
        raise ValueError(
            f"weights: expected uint8 [samples, {lines}], "
            f"found {weights.dtype} {list(weights.shape)}"
        )


def plane_sums(data: Bytes, bits: Bytes, lines: int, weights: Bytes) -> Ints:
    """Return the weighted sums of packed planes (see Packed): int64 [samples, planes + 1].

    `weights` is uint8 [samples, lines]. The last column is the sum of the weights. Raises
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
