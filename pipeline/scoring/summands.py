"""The summands of which a score consists, for samples of the sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..dataclass import dataclass
from ..io.workers import prefetch
from .addends import Addends, PackedAddends, check_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from ..metrics.base.reference_draws import Draws
    from .addends import Kind
    from .column_blocks import HasBlocks

    Draw = NDArray[np.uint8]

KEPT = 430 << 20
"""Up to so many bytes, addends are packed and kept between groups of samples. Else they are made anew from the
columns."""
MANY = 1 << 20
"""From so many lines on, data are large: then few samples are made at once."""
TOGETHER = 1 << 16
"""So many lines of large data are packed together: a multiple of BLOCK of the store."""


@dataclass
class Table:
    """The addends of several systems, one block of lines after the other: arrays [lines, systems, width]."""

    kind: Kind
    systems: Sequence[HasBlocks]
    lines: int
    kept: list[Addends | PackedAddends] | None = None
    """The addends of all blocks, packed where they can be. Empty where there is no room for them."""

    def blocks(self) -> Iterator[Addends | PackedAddends]:
        """Yield the addends of all systems."""
        yield from self.keep() or self.from_columns()

    def keep(self, threads: int = 1) -> list[Addends | PackedAddends]:
        """Return the addends of all blocks, made at the first call; nothing where there is no room for them."""
        if self.kept is None:
            large = self.lines >= MANY
            blocks = prefetch(self.from_columns()) if large and threads > 1 else self.from_columns()
            self.kept = self._packed(_together(blocks, TOGETHER if large else 1))
        return self.kept

    def _packed(self, blocks: Iterator[Addends]) -> list[Addends | PackedAddends]:
        kept: list[Addends | PackedAddends] = []
        room = KEPT
        for block in blocks:
            packed = PackedAddends.of(block) or block
            size = packed.nbytes if isinstance(packed, PackedAddends) else _size(packed)
            room -= size
            # The first block tells how large all of them will be.
            if room < 0 or (not kept and size * self.lines > KEPT * len(block.fixed)):
                return []
            kept.append(packed)
        return kept

    def from_columns(self) -> Iterator[Addends]:
        """Yield the addends of all systems, made from their columns."""
        for several in zip(*map(self.kind.addends, self.systems), strict=True):
            drawn = [np.stack(apart, axis=1) for apart in zip(*(addends.drawn for addends in several), strict=True)]
            block = Addends(np.stack([addends.fixed for addends in several], axis=1), drawn, several[0].present)
            check_sums(self.kind.metric, [block.fixed, *block.drawn], self.lines)
            yield block

    def digests(self) -> list[bytes]:
        """Return a digest of each system's addends. It is the same for systems that are equal on every sentence."""
        from hashlib import blake2b

        hashes = [blake2b(digest_size=16) for _ in self.systems]
        for block in self.blocks():
            for packed in (block.fixed, *block.drawn):
                array = packed if isinstance(packed, np.ndarray) else packed.same_columns()
                for number, own in enumerate(hashes):
                    own.update((array[:, number] + 0.0).tobytes())  # + 0.0: -0.0 is 0.0
        return [own.digest() for own in hashes]


def _together(blocks: Iterator[Addends], lines: int) -> Iterator[Addends]:
    """Yield the blocks, several as one until they have so many lines."""
    waiting: list[Addends] = []
    for block in blocks:
        waiting.append(block)
        if sum(len(own.fixed) for own in waiting) >= lines:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(blocks: list[Addends]) -> Addends:
    if len(blocks) == 1:
        return blocks[0]
    drawn = [_columns(arrays) for arrays in zip(*(block.drawn for block in blocks), strict=True)]
    present = None
    if any(block.present is not None for block in blocks):  # in the other blocks no reference is missing
        all_of = (np.full(len(block.fixed), len(drawn)) if block.present is None else block.present for block in blocks)
        present = np.concatenate([*all_of])
    return Addends(_columns([block.fixed for block in blocks]), drawn, present)


def _columns(arrays: Sequence[Floats]) -> Floats:
    """Return arrays [lines, systems, width] as one, in whose memory the numbers of a column lie side by side."""
    columns: Floats = np.empty((math.prod(arrays[0].shape[1:]), sum(map(len, arrays))))
    at = 0
    for array in arrays:
        columns[:, at : at + len(array)] = array.reshape(len(array), -1).T
        at += len(array)
    return columns.T.reshape(-1, *arrays[0].shape[1:])


def _size(addends: Addends) -> int:
    """Return how many bytes the numbers take."""
    return sum(array.nbytes for array in (addends.fixed, *addends.drawn))


@dataclass(frozen=True)
class Summand:
    """A part of a score, which is the sum of its summands with their shares. Often the only one is the score itself."""

    table: Table
    numbers: Sequence[int]
    """The numbers of the systems in the table."""
    shares: Sequence[float]
    """The share with which this summand counts, for each of these systems."""
    draws: Draws | None = None
    """The draws of references. Sample s takes those of iteration s modulo their number. None: nothing is drawn."""
    turns: Sequence[int] = (0,)
    """The score of a sample is the mean over these turns. A turn is added to the number of each reference drawn, modulo
    the number of references."""

    def drawer(self, samples: range) -> Callable[[int, Ints | None], Draw] | None:
        """Return a function that draws the references of the next lines for some samples: uint8 [samples, lines].

        Its arguments are the number of lines, and how many references each line has (None: all).
        """
        if self.draws is None:
            return None
        iterations = [sample % self.draws.iterations for sample in samples]
        rows = {iteration: row for row, iteration in enumerate(dict.fromkeys(iterations))}
        drawer, own = self.draws.drawer(rows), [rows[iteration] for iteration in iterations]
        if len(rows) == len(own):  # no iteration is drawn twice
            return drawer.take
        return lambda lines, present: drawer.take(lines, present)[own]

    def score(self, totals: Floats) -> Floats:
        """Return the scores of one system, from sums [turns, samples, width]: float64 [samples]."""
        scores: Floats = self.table.kind.score(totals).mean(axis=0)
        return scores
