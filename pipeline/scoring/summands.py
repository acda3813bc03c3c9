"""The summands of which a score consists, for samples of the sentences."""

from __future__ import annotations

from dataclasses import field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from ..dataclass import dataclass
from .addends import Addends, PackedAddends, check_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from ..metrics.base.reference_draws import Draws
    from .addends import Kind
    from .column_blocks import HasBlocks

    Draw = NDArray[np.uint8]

KEPT = 1 << 28
"""Up to so many bytes, addends are kept between groups of samples. Larger ones are packed."""
PACKED = 350 << 20
"""Up to so many bytes, packed addends are kept. Larger ones are made anew from the columns."""


@dataclass
class Table:
    """The addends of several systems, one block of lines after the other: arrays [lines, systems, width]."""

    kind: Kind
    systems: Sequence[HasBlocks]
    lines: int
    kept: list[Addends] | list[PackedAddends] = field(default_factory=list)
    """The addends of all blocks, where there is room for them."""

    def blocks(self) -> Iterator[Addends]:
        """Yield the addends of all systems, and keep them for the next call if there is room.

        The arrays are float64, or float32 where they were packed.
        """
        if self.kept:
            for block in self.kept:
                yield block if isinstance(block, Addends) else block.addends()
            return
        blocks = self.from_columns()
        begun = next(blocks, None)
        if begun is None:
            return
        # The first block tells how large all of them will be.
        if _size(begun) * self.lines > KEPT * len(begun.fixed):
            yield from self._packing(chain([begun], blocks))
            return
        kept: list[Addends] = []
        room = KEPT
        for block in chain([begun], blocks):
            room -= _size(block)
            if room >= 0:
                kept.append(block)
            yield block
        self.kept = kept if room >= 0 else []

    def _packing(self, blocks: Iterable[Addends]) -> Iterator[Addends]:
        """Yield the blocks, and keep them packed if all of them can be, and if there is room."""
        kept: list[PackedAddends] | None = []
        room = PACKED
        for block in blocks:
            packed = None if kept is None else PackedAddends.of(block)
            if packed and not kept and packed.nbytes * self.lines > PACKED * len(block.fixed):
                room = 0  # the first block tells how large all of them will be
            room -= packed.nbytes if packed else 0
            if kept is None or packed is None or room < 0:
                kept = None
            else:
                kept.append(packed)
            yield block
        self.kept = kept or []

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
            for array in (block.fixed, *block.drawn):
                for number, own in enumerate(hashes):
                    own.update((array[:, number].astype(np.float64) + 0.0).tobytes())  # + 0.0: -0.0 is 0.0
        return [own.digest() for own in hashes]


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
