"""Weights of sentences in samples: the counts of the bootstrap, and the masks of approximate randomisation.

The random streams are those of sacreBLEU (sacrebleu/significance.py, version 2), bit for bit, so that p-values are the
same. They do not depend on the number of rows taken at once. One seed gives the same rows for all systems and metrics.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ... import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Bytes = NDArray[np.unsignedinteger]

NO_PLANES = np.empty(0, np.uint8), np.empty(0, np.uint8)
"""Packed numbers of no column: their sums are only those of the weights."""
WORD = 64
"""Bits of a word of the generator."""


class Weights(Protocol):
    """A stream of rows of weights."""

    def take(self, rows: int) -> Bytes:
        """Return the next rows: unsigned integers [rows, lines]."""

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them, which another thread may call."""


class Bootstrap:
    """Counts of as many draws with replacement as there are lines, so that each row sums to the number of lines.

    Row b counts row b of default_rng(seed).choice(lines, (samples, lines)): Efron and Tibshirani 1993, ch. 6;
    Koehn 2004, "Statistical significance tests for machine translation evaluation".
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.generator = lines, np.random.default_rng(seed)

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines], or wider where a count needs it."""
        return _counted(self.generator, rows, self.lines)

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them."""
        generator = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = self.generator.bit_generator.state
        kernel.pass_draws(self.generator, rows, self.lines)
        return partial(_counted, generator, rows, self.lines)


def _counted(generator: np.random.Generator, rows: int, lines: int) -> Bytes:
    """Return how often each of the lines is drawn: uint8 [rows, lines], or wider where a count needs it."""
    before = generator.bit_generator.state
    counts: Bytes = np.zeros((rows, lines), np.uint8)
    kernel.add_draws(generator, counts)
    if kernel.plane_sums(*NO_PLANES, lines, counts).sum() != rows * lines:  # a count was too large for uint8
        generator.bit_generator.state = before
        counts = np.zeros((rows, lines), np.uint64)
        kernel.add_draws(generator, counts)
    return counts


class Shuffles:
    """Weight 1 for sentences whose outputs stay with their systems, 0 for sentences whose outputs are swapped.

    Row t is row t of default_rng(seed).integers(2, size=(trials, lines), dtype=bool), which takes the 32 bits of a
    word beginning with the lowest (Riezler and Maxwell 2005, "On some pitfalls in automatic evaluation").
    """

    def __init__(self, lines: int, seed: int) -> None:
        self.lines, self.seed, self.row = lines, seed, 0

    def take(self, rows: int) -> Bytes:
        """Return the next rows: uint8 [rows, lines]."""
        return self.later(rows)()

    def later(self, rows: int) -> Callable[[], Bytes]:
        """Pass over the next rows, and return a function that makes them."""
        first, self.row = self.row, self.row + rows
        return partial(self._made, first, rows)

    def _made(self, first: int, rows: int) -> Bytes:
        """Return some rows from the number `first` on. Bit i of the stream is bit i % 64 of word i // 64."""
        passed, skipped = divmod(first * self.lines, WORD)
        needed = rows * self.lines
        words = np.random.PCG64(self.seed).advance(passed).random_raw((skipped + needed + WORD - 1) // WORD)
        bits = np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little")
        return bits[skipped : skipped + needed].reshape(rows, self.lines)
