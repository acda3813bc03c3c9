"""Weights of sentences in samples: the counts of the bootstrap, and the masks of approximate randomisation.

The random streams are those of sacreBLEU (sacrebleu/significance.py, version 2), bit for bit, so that p-values are the
same. They do not depend on the number of rows taken at once. One seed gives the same rows for all systems and metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ... import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.unsignedinteger]

PIECE = 1 << 20
"""How many bits are made at once: a multiple of 32."""


class Weights(Protocol):
    """A stream of rows of weights."""

    def take(self, rows: int) -> Bytes:
        """Return the next rows: unsigned integers [rows, lines]."""


class Bootstrap:
    """Counts of as many draws with replacement as there are lines, so that each row sums to the number of lines.

    Row b counts row b of default_rng(seed).choice(lines, (samples, lines)): Efron and Tibshirani 1993, ch. 6;
    Koehn 2004, "Statistical significance tests for machine translation evaluation".
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.generator = lines, np.random.default_rng(seed)

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines], or wider where a count needs it."""
        before = self.generator.bit_generator.state
        counts: Bytes = np.zeros((rows, self.lines), np.uint8)
        kernel.add_draws(self.generator, counts)
        if (counts.sum(axis=1, dtype=np.int64) != self.lines).any():  # a count was too large for uint8
            self.generator.bit_generator.state = before
            counts = np.zeros((rows, self.lines), np.uint64)
            kernel.add_draws(self.generator, counts)
        return counts


class Shuffles:
    """Weight 1 for sentences whose outputs stay with their systems, 0 for sentences whose outputs are swapped.

    Row t is row t of default_rng(seed).integers(2, size=(trials, lines), dtype=bool), which takes the 32 bits of a
    word beginning with the lowest (Riezler and Maxwell 2005, "On some pitfalls in automatic evaluation").
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.generator = lines, np.random.default_rng(seed)
        self.ahead = np.empty(0, np.uint8)

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines]."""
        needed = rows * self.lines
        count = max(needed - len(self.ahead) + 31, 0) // 32
        bits = np.empty(len(self.ahead) + 32 * count, np.uint8)
        bits[: len(self.ahead)] = self.ahead
        for low in range(len(self.ahead), len(bits), PIECE):
            high = min(low + PIECE, len(bits))
            words = self.generator.integers(0, 1 << 32, (high - low) // 32, dtype=np.uint32).astype("<u4")
            bits[low:high] = np.unpackbits(words.view(np.uint8), bitorder="little")
        self.ahead = bits[needed:].copy()  # a view would keep all bits in memory
        return bits[:needed].reshape(rows, self.lines)
