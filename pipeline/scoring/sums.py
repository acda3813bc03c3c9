"""Sums over all sentences, with the references that are drawn for them.

Sums are of whole numbers, so that they depend neither on blocks nor on their order nor on threads.
"""

from __future__ import annotations

import itertools
import math
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import kernel
from ..dataclass import dataclass
from ..io.workers.ahead import ahead
from ..kernel.packed_numbers import Packed
from .terms import Addends, PackedAddends, check_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from ..metrics.base.reference_draws import Draws
    from .column_blocks import HasBlocks
    from .terms import Kind

    Draw = NDArray[np.uint8]

    from numpy.typing import NDArray

    Weights = NDArray[np.unsignedinteger]
    from collections.abc import Iterable

    from ..kernel import Drawer
    from .terms import Drawn

    Apply = Callable[[Callable[[Drawer], Ints], Iterable[Drawer]], Iterable[Ints]]


# The summands of which a score consists, for samples of the sentences.


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
            blocks = ahead(self.from_columns()) if large and threads > 1 else self.from_columns()
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


# Sums of addends over all sentences, or with the weights that sentences have in samples.
#
# Sums are of whole numbers, which float64 holds exactly up to 2**53. So they depend neither on blocks nor on their
# order.


DRAWN_LINES = 2048
"""How many lines that are not packed are multiplied at once, which bounds memory."""


class WeightedSums(NamedTuple):
    """Sums for samples, float64 [turns, samples, systems, width]. An axis along which sums are equal has length 1."""

    weighted: Floats
    """The sums with the weights of the samples."""
    whole: Floats
    """The sums in which every sentence counts once, with the same draws of references; 0 where they are not needed."""


def weighted_sums(summand: Summand, weights: Weights, low: int, *, whole: bool = True) -> WeightedSums:
    """Return the sums of a summand for weights [samples, lines]. The first of the samples has the number `low`.

    `whole` says that the sums of all sentences are needed. Otherwise these are 0.
    """
    drawer = summand.drawer(range(low, low + len(weights)))
    weighted: Floats = np.zeros(1)
    once: Floats = np.zeros(1)
    at = 0
    for addends in _pieces(summand.table.blocks()):
        lines = _lines(addends)
        chunk = weights[:, at : at + lines]
        draws = drawer(lines, addends.present) if drawer else None
        ones = np.ones((1, lines), np.uint8)
        weighted = weighted + _sums(summand, addends, chunk, draws)
        once = once + (_sums(summand, addends, ones, draws) if whole else 0.0)
        at += lines
    return WeightedSums(weighted, once)


def _lines(addends: Addends | PackedAddends) -> int:
    return len(addends.fixed) if isinstance(addends, Addends) else addends.fixed.shape[0]


def _pieces(blocks: Iterator[Addends | PackedAddends]) -> Iterator[Addends | PackedAddends]:
    """Yield the blocks; those that are not packed are cut into pieces of at most DRAWN_LINES lines."""
    for block in blocks:
        if not isinstance(block, Addends):
            yield block
            continue
        fixed, drawn, present = block
        for low in range(0, len(fixed), DRAWN_LINES):
            piece = slice(low, low + DRAWN_LINES)
            yield Addends(fixed[piece], [array[piece] for array in drawn], None if present is None else present[piece])


def _sums(summand: Summand, addends: Addends | PackedAddends, weights: Weights, draws: Draw | None) -> Floats:
    """Return the sums of a block: float64 [turns, samples, systems, width].

    Without draws, they are those with the first reference. `weights` has one row for all draws, or a row for each.
    """
    fixed = _product(weights, addends.fixed)
    if draws is None:
        return np.concatenate([fixed, *(_product(weights, array) for array in addends.drawn[:1])], axis=-1)[None]
    turns = []
    for chosen in _chosen(draws, summand.turns, addends, weights):
        drawn = reduce(np.add, map(_product, chosen, addends.drawn))
        turns.append(np.concatenate([np.broadcast_to(fixed, (*drawn.shape[:-1], fixed.shape[-1])), drawn], axis=-1))
    return np.stack(turns)


def _chosen(
    draws: Draw, turns: Sequence[int], addends: Addends | PackedAddends, weights: Weights
) -> Iterator[list[Weights]]:
    """Yield for each turn the weights of the lines for which each reference is drawn: [samples, lines] each.

    A turn is added to the reference drawn, modulo the number of references that the line has.
    """
    count = len(addends.drawn)
    if addends.present is None:
        of_each = _where_drawn(draws, count, weights)
        for turn in turns:
            yield [of_each[(number - turn) % count] for number in range(count)]
        return
    limits = addends.present.astype(np.uint16)
    for turn in turns:
        turned = draws.astype(np.uint16) + np.asarray(turn % limits, np.uint16)
        turned -= limits * (turned >= limits)
        yield _where_drawn(turned, count, weights)


def _where_drawn(draws: NDArray[Any], count: int, weights: Weights) -> list[Weights]:
    """Return for each reference the weights of the lines for which it is drawn, and 0 for others."""
    if count == 2:
        second = weights * draws.astype(weights.dtype, copy=False)
        return [weights - second, second]
    return [weights * (draws == number) for number in range(count)]


def _product(weights: Weights, addends: Floats | Packed) -> Floats:
    """Return weights [samples, lines] times addends [lines, systems, width]: float64 [samples, systems, width]."""
    if isinstance(addends, Packed):
        if weights.dtype == np.uint8:
            return addends.of_sums(kernel.plane_sums(addends.data, addends.bits, addends.shape[0], weights))
        addends = addends.floats()
    product: Floats = weights.astype(np.float64) @ addends.reshape(len(addends), -1)
    return product.reshape(len(weights), *addends.shape[1:])


THREADED = 1 << 24
"""From so many draws on it is worth starting several threads."""
MOST = 1 << 14
"""At most so many iterations are drawn at once. A stream takes two and a half kilobytes."""


def drawn_sums(kind: Drawn, systems: Sequence[HasBlocks], draws: Draws, threads: int = 1) -> Floats:
    """Return the sums of all sentences in every iteration of some draws: float64 [iterations, systems, width].

    The threads share the iterations. Raises InputError where numbers are too large to be summed exactly in float64.
    """
    groups = [range(low, min(low + MOST, draws.iterations)) for low in range(0, draws.iterations, MOST)]
    if threads == 1 or draws.lines * draws.iterations < THREADED:
        sums = [_sums_drawn_sums(kind, systems, draws, group, 1, map) for group in groups]
    else:
        from ..io.workers.threads import threads as shared_by

        with shared_by(threads) as apply:
            sums = [_sums_drawn_sums(kind, systems, draws, group, threads, apply) for group in groups]
    return np.concatenate(sums).astype(np.float64)


def _sums_drawn_sums(
    kind: Drawn, systems: Sequence[HasBlocks], draws: Draws, iterations: range, parts: int, apply: Apply
) -> Ints:
    """Return the sums in some iterations, which are cut into parts: int64 [iterations, systems, width].

    With several parts another thread reads the next lines meanwhile.
    """
    borders = [len(iterations) * number // parts for number in range(parts + 1)]
    drawers = [draws.drawer(iterations[low:high]) for low, high in itertools.pairwise(borders)]
    sums = np.zeros((len(iterations), len(systems), kind.fixed.width + kind.drawn.width), np.int64)
    blocks = _blocks(kind, systems, draws.lines)
    for fixed, apart, present in ahead(blocks) if parts > 1 else blocks:
        drawn = np.concatenate(list(apply(lambda drawer: drawer.sums(apart, present), drawers)))  # noqa: B023
        sums[:, :, kind.fixed.width :] += drawn.reshape(len(iterations), len(systems), -1)
        sums[:, :, : kind.fixed.width] += fixed
    return sums


def _blocks(kind: Drawn, systems: Sequence[HasBlocks], lines: int) -> Iterator[tuple[Ints, list[Ints], Ints | None]]:
    """Yield for each block of lines the sums of what is fixed, [systems, width], and the terms with each reference."""
    for several in zip(*map(kind.terms, systems), strict=True):
        apart = [term for terms in several for term in terms.apart]
        check_sums(kind.metric, [*(terms.fixed for terms in several), *apart], lines)
        yield np.stack([terms.fixed.sum(axis=0) for terms in several]), apart, several[0].present
