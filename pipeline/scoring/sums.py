"""Weighted sums of the terms of sentences: all sentences, samples of them, shuffles, and draws of
references.

Sums are of whole numbers, which float64 holds exactly up to 2**53. So they depend neither on blocks
nor on their order nor on threads."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernel
from ..arrays import Floats, Ints
from ..kernel.python.packed_numbers import Packed
from ..metrics.base.choices import Draws
from ..parallel import Shared, prefetch
from ..parallel import threads as shared_by
from .terms import Block, HasBlocks, MetricTerms, SentenceTerms, check_sums

Draw = NDArray[np.uint8]
Weights = NDArray[np.unsignedinteger]

KEPT = 430 << 20
"""Up to so many bytes, packed terms are kept between groups of samples. Else they are made anew
from the columns."""
MANY = 1 << 20
"""From so many lines on, data are large: then few samples are made at once."""
TOGETHER = 1 << 16
"""So many lines of large data are packed together: a multiple of BLOCK of the store."""


class PackedBlock(NamedTuple):
    """The terms of a block of lines of several systems, packed."""

    fixed: Packed
    """The numbers that do not depend on the draw of references: [lines, systems, width]."""
    drawn: list[Packed]
    """For each reference the numbers that a line adds when that one is drawn: [lines, systems,
    width]. Empty: none is drawn."""
    present: Ints | None
    """How many references each line has: int64 [lines]. None: every line has all references."""


@dataclass
class Summand:
    """A part of a score, which is the sum of its summands with their shares. Often the only one is
    the score itself.
    """

    terms: SentenceTerms
    systems: Sequence[HasBlocks]
    lines: int
    numbers: Sequence[int]
    """The numbers that the systems have among all systems."""
    shares: Sequence[float]
    """The share with which this summand counts, for each of these systems."""
    draws: Draws | None = None
    """The draws of references. Sample s takes those of iteration s modulo their number. None:
    nothing is drawn."""
    turns: Sequence[int] = (0,)
    """The score of a sample is the mean over these turns. A turn is added to the number of each
    reference drawn, modulo the number of references."""
    kept: list[PackedBlock] | None = None
    """The terms of all blocks. Empty where there is no room for them."""

    def keep(self, threads: int = 1) -> list[PackedBlock]:
        """Return the terms of all blocks, made at the first call; nothing where there is no room
        for them.
        """
        if self.kept is None:
            self.kept, room = [], KEPT
            for block in self._made(threads):
                size = sum(array.nbytes for array in (block.fixed, *block.drawn))
                room -= size
                # The first block tells how large all of them will be.
                if room < 0 or (not self.kept and size * self.lines > KEPT * block.fixed.shape[0]):
                    self.kept = []
                    break
                self.kept.append(block)
        return self.kept

    def _made(self, threads: int = 1) -> Iterator[PackedBlock]:
        """Yield the terms of all systems, made from their columns. Blocks of large data are joined."""
        large = self.lines >= MANY
        waiting = list[Block]()
        for block in prefetch(self._blocks()) if large and threads > 1 else self._blocks():
            waiting.append(block)
            if not large or sum(len(own.fixed) for own in waiting) >= TOGETHER:
                yield _packed(waiting)
                waiting = []
        if waiting:
            yield _packed(waiting)

    def _blocks(self) -> Iterator[Block]:
        """Yield the terms of all systems: fixed [lines, systems, width], and the same apart for
        each reference.
        """
        for several in zip(*map(self.terms.blocks, self.systems), strict=True):
            fixed = np.stack([block.fixed for block in several], axis=1)
            apart = [np.concatenate(block.apart, axis=2) for block in several if block.apart]
            drawn = np.stack(apart, axis=2).swapaxes(0, 1) if apart else ()
            check_sums(self.terms.metric, [fixed, *drawn], self.lines)
            yield Block(fixed, [*drawn], several[0].present)

    def digests(self) -> list[bytes]:
        """Return a digest of each system's terms. It is the same for systems that are equal on
        every sentence.
        """
        from hashlib import blake2b

        hashes = [blake2b(digest_size=16) for _ in self.systems]
        for block in self.keep() or self._made():
            for packed in (block.fixed, *block.drawn):
                array = packed.same_columns()
                for number, own in enumerate(hashes):
                    own.update((array[:, number] + 0.0).tobytes())  # + 0.0: -0.0 is 0.0
        return [own.digest() for own in hashes]

    def weighted(
        self, weights: Weights, low: int = 0, *, whole: bool = True
    ) -> tuple[Floats, Floats]:
        """Return the sums for weights [samples, lines], and those in which every sentence counts
        once.

        Both are float64 [turns, samples, systems, width], where an axis along which sums are equal
        has length 1, and both have the same draws of references. The first of the samples has the
        number `low`. Where the sums of all sentences are not needed (`whole`), they are 0."""
        # an iteration that several samples take is drawn once
        iterations = (
            [sample % self.draws.iterations for sample in range(low, low + len(weights))]
            if self.draws
            else []
        )
        rows = {iteration: row for row, iteration in enumerate(dict.fromkeys(iterations))}
        drawer, own = (
            self.draws and self.draws.drawer(rows),
            [rows[iteration] for iteration in iterations],
        )
        weighted, once, at = np.zeros(1), np.zeros(1), 0
        for block in self.keep() or self._made():
            lines = block.fixed.shape[0]
            draws = drawer.take(lines, block.present) if drawer else None
            draws = draws[own] if draws is not None and len(rows) < len(own) else draws
            weighted = weighted + self._sums(block, weights[:, at : at + lines], draws)
            if whole:
                once = once + self._sums(block, np.ones((1, lines), np.uint8), draws)
            at += lines
        return weighted, once

    def _sums(self, block: PackedBlock, weights: Weights, draws: Draw | None) -> Floats:
        """Return the sums of a block: float64 [turns, samples, systems, width].

        Without draws, they are those with the first reference. `weights` has one row for all draws,
        or one for each."""
        fixed = _product(weights, block.fixed)
        if draws is None:
            return np.concatenate(
                [fixed, *(_product(weights, array) for array in block.drawn[:1])], axis=-1
            )[None]
        turns = []
        for chosen in _chosen(draws, self.turns, block, weights):
            drawn = reduce(np.add, map(_product, chosen, block.drawn))
            turns.append(
                np.concatenate(
                    [np.broadcast_to(fixed, (*drawn.shape[:-1], fixed.shape[-1])), drawn], axis=-1
                )
            )
        return np.stack(turns)

    def sums(self, weights: Weights) -> Floats:
        """Return the sums for weights [samples, lines]: [samples, systems, width]. Nothing is drawn
        for them.
        """
        sums: Floats = self.weighted(weights, whole=False)[0][0]
        return sums

    def sampled(self, weights: Weights, low: int) -> Iterator[tuple[int, float, dict[str, Floats]]]:
        """Yield the number of each system, its share, and its outputs for weights [samples, lines]:
        [samples] each.

        The first of the samples has the number `low`.
        """
        totals, _ = self.weighted(weights, low, whole=False)
        for column, (number, share) in enumerate(zip(self.numbers, self.shares, strict=True)):
            outputs = self.terms.outputs(totals[:, :, column])
            yield number, share, {name: values.mean(axis=0) for name, values in outputs.items()}

    def score(self, totals: Floats) -> Floats:
        """Return the scores of one system, from sums [turns, samples, width]: float64 [samples]."""
        scores: Floats = self.terms.score(totals).mean(axis=0)
        return scores


def _packed(blocks: Sequence[Block]) -> PackedBlock:
    """Return the terms of several systems in neighbouring blocks, packed as one block."""
    drawn = [_of_lines(arrays) for arrays in zip(*(block.apart for block in blocks), strict=True)]
    present = None
    if any(
        block.present is not None for block in blocks
    ):  # in the other blocks no reference is missing
        all_of = (
            np.full(len(block.fixed), len(drawn)) if block.present is None else block.present
            for block in blocks
        )
        present = np.concatenate([*all_of])
    return PackedBlock(_of_lines([block.fixed for block in blocks]), drawn, present)


def _of_lines(arrays: Sequence[Ints]) -> Packed:
    """Return arrays [lines, systems, width] packed as one, for which the numbers of a column have
    to lie together.
    """
    columns: Floats = np.empty((math.prod(arrays[0].shape[1:]), sum(map(len, arrays))))
    at = 0
    for array in arrays:
        columns[:, at : at + len(array)] = array.reshape(len(array), -1).T
        at += len(array)
    packed = Packed.of(columns.T.reshape(-1, *arrays[0].shape[1:]))
    assert packed is not None  # noqa: S101 (they are whole numbers, which check_sums() has let through)
    return packed


def _chosen(
    draws: Draw, turns: Sequence[int], block: PackedBlock, weights: Weights
) -> Iterator[list[Weights]]:
    """Yield for each turn the weights of the lines for which each reference is drawn: [samples,
    lines] each.

    A turn is added to the reference drawn, modulo the number of references that the line has.
    """
    count = len(block.drawn)
    if block.present is None:
        of_each = _where_drawn(draws, count, weights)
        for turn in turns:
            yield [of_each[(number - turn) % count] for number in range(count)]
        return
    limits = block.present.astype(np.uint16)
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


def _product(weights: Weights, terms: Packed) -> Floats:
    """Return weights [samples, lines] times terms [lines, systems, width]: float64 [samples,
    systems, width].
    """
    if weights.dtype == np.uint8:
        return terms.of_sums(kernel.plane_sums(terms.data, terms.bits, terms.shape[0], weights))
    product: Floats = weights.astype(np.float64) @ terms.floats().reshape(terms.shape[0], -1)
    return product.reshape(len(weights), *terms.shape[1:])


# --- sums with the references that are drawn for all sentences

THREADED = 1 << 24
"""From so many draws on it is worth starting several threads."""
MOST = 1 << 14
"""At most so many iterations are drawn at once. A stream takes two and a half kilobytes."""


@dataclass(frozen=True)
class _Ahead:
    """The counts of a system, of which another thread reads the next block meanwhile."""

    counts: HasBlocks

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of one block of lines after the other."""
        return prefetch(self.counts.blocks())


def drawn_sums(
    terms: MetricTerms, systems: Sequence[HasBlocks], draws: Draws, threads: int = 1
) -> Floats:
    """Return the sums of all sentences in every iteration of some draws: float64 [iterations,
    systems, width].

    One of the threads makes the terms of the next lines meanwhile, and the others share the
    iterations. Raises InputError where numbers are too large to be summed exactly in float64."""
    groups = [
        range(low, min(low + MOST, draws.iterations)) for low in range(0, draws.iterations, MOST)
    ]
    ahead = threads > 1 and draws.lines * draws.iterations >= THREADED
    parts = threads - 1 if ahead else 1
    systems = [_Ahead(counts) for counts in systems] if ahead else systems
    with shared_by(parts) as apply:
        sums = [_drawn(terms, systems, draws, group, parts, apply, ahead=ahead) for group in groups]
    return np.concatenate(sums).astype(np.float64)


def _drawn(
    terms: MetricTerms,
    systems: Sequence[HasBlocks],
    draws: Draws,
    iterations: range,
    parts: int,
    apply: Shared,
    *,
    ahead: bool,
) -> Ints:
    """Return the sums in some iterations, which are cut into parts: int64 [iterations, systems,
    width].

    Where it reads `ahead`, another thread makes the terms of the next lines.
    """

    def checked() -> Iterator[Sequence[Block]]:
        for several in zip(*map(terms.blocks, systems), strict=True):
            check_sums(
                terms.metric, [array for b in several for array in (b.fixed, *b.apart)], draws.lines
            )
            yield several

    borders = [len(iterations) * number // parts for number in range(parts + 1)]
    drawers = [draws.drawer(iterations[low:high]) for low, high in itertools.pairwise(borders)]
    sums = np.zeros((len(iterations), len(systems), terms.schema.width), np.int64)
    for several in prefetch(checked()) if ahead else checked():
        apart = [array for block in several for array in block.apart]
        drawn = np.concatenate(
            apply(lambda drawer: drawer.sums(apart, several[0].present), drawers)  # noqa: B023
        )
        width = several[0].fixed.shape[1]
        sums[:, :, width:] += drawn.reshape(len(iterations), len(systems), -1)
        sums[:, :, :width] += np.stack([block.fixed.sum(axis=0) for block in several])
    return sums
