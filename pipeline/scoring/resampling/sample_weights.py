"""How often each sentence counts in each sample: bootstrap counts, and the masks of approximate randomisation.

The streams are sacreBLEU's (sacrebleu/significance.py, version 2), bit for bit, whatever the number of rows taken at
once, so that its p-values come out. One seed gives the same rows for every system, metric and pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.unsignedinteger]

PIECE = 1 << 20
"""Draws, or bits, that are made at once: a multiple of 32."""


class Weights(Protocol):
    """Rows of weights, one after the other."""

    def take(self, rows: int) -> Bytes:
        """Return the next rows: unsigned integers [rows, lines]."""


class Bootstrap:
    """Counts of draws with replacement, as many draws as there are lines: rows sum to the number of lines.

    Row b counts row b of default_rng(seed).choice(lines, (samples, lines)): Efron and Tibshirani 1993, ch. 6;
    Koehn 2004, "Statistical significance tests for machine translation evaluation".
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.generator = lines, np.random.default_rng(seed)

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines], or wider where a count needs it."""
        counts = np.zeros((rows, self.lines), np.uint8)
        for row in range(rows):
            before = self.generator.bit_generator.state
            self._draw(counts[row])
            if counts[row].sum(dtype=np.int64) != self.lines:  # a count has passed what its type holds
                self.generator.bit_generator.state = before
                counts = counts.astype(np.uint64)
                counts[row] = 0
                self._draw(counts[row])
        return counts

    def _draw(self, counts: Bytes) -> None:
        """Count the draws of a row, a piece at a time: the draws take eight bytes each, and the counts one."""
        one = counts.dtype.type(1)
        for low in range(0, self.lines, PIECE):
            np.add.at(counts, self.generator.integers(0, self.lines, min(PIECE, self.lines - low)), one)


class Shuffles:
    """1 where a sentence's outputs stay where they are, 0 where those of the two systems change places.

    Row t is row t of default_rng(seed).integers(2, size=(trials, lines), dtype=bool), which takes the 32 bits of a
    word from the lowest on (Riezler and Maxwell 2005, "On some pitfalls in automatic evaluation").
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.generator = lines, np.random.default_rng(seed)
        self.ahead = np.empty(0, np.uint8)

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines]."""
        wanted = rows * self.lines
        count = max(wanted - len(self.ahead) + 31, 0) // 32
        bits = np.empty(len(self.ahead) + 32 * count, np.uint8)
        bits[: len(self.ahead)] = self.ahead
        for low in range(len(self.ahead), len(bits), PIECE):
            high = min(low + PIECE, len(bits))
            words = self.generator.integers(0, 1 << 32, (high - low) // 32, dtype=np.uint32).astype("<u4")
            bits[low:high] = np.unpackbits(words.view(np.uint8), bitorder="little")
        self.ahead = bits[wanted:].copy()  # a view would keep all of them
        return bits[:wanted].reshape(rows, self.lines)
