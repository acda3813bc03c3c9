"""Weighted sums of the terms of sentences: all sentences, samples, shuffles, draws of references.

Sums are of whole numbers, which float64 holds exactly up to 2**53. So they depend neither on blocks
nor on their order nor on threads.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernel
from ..arrays import Floats, Ints
from ..kernel.python.packed_numbers import Packed
from ..metrics.base import Columns, Draws
from ..parallel import Shared, prefetch
from ..parallel import threads as shared_by
from .terms import (
    Block,
    HasBlocks,
    MetricTerms,
    Outputs,
    SentenceTerms,
    check_sums,
)

Draw = NDArray[np.uint8]
Weights = NDArray[np.unsignedinteger]

MAX_CACHED_BYTES = 430 << 20
"""The most bytes of packed terms that are cached between groups of samples. If there are more, they
are made anew from the columns."""
LARGE_LINES = 1 << 20
"""From this number of lines on, data are large: then few samples are made at once."""
PACKED_LINES = 1 << 16
"""How many lines of large data are packed together: a multiple of BLOCK of the store."""


class PackedBlock(NamedTuple):
    """The terms of a block of lines of several systems, packed."""

    fixed: Packed
    """The numbers that do not depend on the draw of references: [lines, systems, width]."""
    drawn: list[Packed]
    """For each reference the numbers that a line adds if that one is drawn: [lines, systems,
    width]. Empty: none is drawn."""
    present: Ints | None
    """How many references each line has: int64 [lines]. None: every line has all references."""


class WeightedSums(NamedTuple):
    """Sums of terms: float64 [turns, samples, systems, width].

    An axis along which sums are equal has length 1.
    """

    weighted: Floats
    """The sums for the weights."""
    all_lines: Floats
    """The sums in which every sentence counts once, with the same draws of references; 0 if they
    were not requested."""


@dataclass
class Summand:
    """A part of a score, which is the sum of its summands times their shares.

    Often the only summand is the score itself.
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
    cached: list[PackedBlock] | None = None
    """The terms of all blocks. Empty if memory does not hold them; None if not yet made."""

    @classmethod
    def of(
        cls,
        terms: SentenceTerms,
        systems: Sequence[HasBlocks],
        lines: int,
        share: float = 1.0,
    ) -> "Summand":
        """Return a summand of all systems, with the same share for each."""
        count = len(systems)
        return cls(terms, systems, lines, range(count), [share] * count)

    def cache(self, threads: int = 1) -> list[PackedBlock]:
        """Return the terms of all blocks, made at the first call; nothing if they are too large."""
        if self.cached is not None:
            return self.cached
        self.cached = []
        free_bytes = MAX_CACHED_BYTES
        for block in self._make_blocks(threads):
            size = block.fixed.nbytes
            for array in block.drawn:
                size += array.nbytes
            free_bytes -= size
            # The first block says how large all of them will be.
            lines = block.fixed.shape[0]
            expected = size * self.lines / lines
            too_large = not self.cached and expected > MAX_CACHED_BYTES
            if free_bytes < 0 or too_large:
                self.cached = []
                break
            self.cached.append(block)
        return self.cached

    def _make_blocks(self, threads: int = 1) -> Iterator[PackedBlock]:
        """Yield the terms of all systems, made from their columns. Blocks of large data are joined."""
        large = self.lines >= LARGE_LINES
        blocks = self._blocks()
        if large and threads > 1:
            blocks = prefetch(blocks)
        waiting: list[Block] = []
        waiting_lines = 0
        for block in blocks:
            waiting.append(block)
            waiting_lines += len(block.fixed)
            if not large or waiting_lines >= PACKED_LINES:
                yield _pack(waiting)
                waiting = []
                waiting_lines = 0
        if waiting:
            yield _pack(waiting)

    def _blocks(self) -> Iterator[Block]:
        """Yield the terms of all systems: fixed [lines, systems, width], and apart for each
        reference.
        """
        blocks = [self.terms.blocks(system) for system in self.systems]
        for of_systems in zip(*blocks, strict=True):
            fixed = np.stack([block.fixed for block in of_systems], axis=1)
            apart = []
            for block in of_systems:
                if block.apart:
                    apart.append(np.concatenate(block.apart, axis=2))
            drawn: list[Ints] = []
            if apart:
                # [lines, references, systems, width] becomes an array for each reference
                stacked = np.stack(apart, axis=2)
                drawn = list(stacked.swapaxes(0, 1))
            check_sums(self.terms.metric, [fixed, *drawn], self.lines)
            yield Block(fixed, drawn, of_systems[0].present)

    def digests(self) -> list[bytes]:
        """Return a digest of each system's terms, the same for systems with equal terms."""
        hashes = [blake2b(digest_size=16) for _ in self.systems]
        for block in self.cache() or self._make_blocks():
            for packed in (block.fixed, *block.drawn):
                array = packed.same_columns()
                for number, system_hash in enumerate(hashes):
                    # makes -0.0 the same as 0.0
                    numbers = array[:, number] + 0.0
                    system_hash.update(numbers.tobytes())
        return [system_hash.digest() for system_hash in hashes]

    def weighted(
        self, weights: Weights, first_sample: int = 0, *, all_lines: bool = True
    ) -> WeightedSums:
        """Return the sums for weights [samples, lines]; the first sample has a number.

        `all_lines` asks for the sums in which every sentence counts once, too.
        """
        drawer = None
        rows_of_samples: list[int] = []
        # an iteration that several samples take is drawn once
        rows: dict[int, int] = {}
        if self.draws:
            end = first_sample + len(weights)
            for sample in range(first_sample, end):
                iteration = sample % self.draws.iterations
                row = rows.setdefault(iteration, len(rows))
                rows_of_samples.append(row)
            drawer = self.draws.drawer(rows)

        weighted: Floats = np.zeros(1)
        once: Floats = np.zeros(1)
        start = 0
        for block in self.cache() or self._make_blocks():
            lines = block.fixed.shape[0]
            end = start + lines
            draws = None
            if drawer:
                draws = drawer.take(lines, block.present)
            if draws is not None and len(rows) < len(rows_of_samples):
                draws = draws[rows_of_samples]
            weights_of_block = weights[:, start:end]
            weighted = weighted + self._sums(block, weights_of_block, draws)
            if all_lines:
                ones = np.ones((1, lines), np.uint8)
                once = once + self._sums(block, ones, draws)
            start = end
        return WeightedSums(weighted, once)

    def _sums(
        self, block: PackedBlock, weights: Weights, draws: Draw | None
    ) -> Floats:
        """Return the sums of a block: float64 [turns, samples, systems, width].

        Without draws, they are those with the first reference. `weights` has one row for all draws,
        or one for each.
        """
        fixed = _product(weights, block.fixed)
        if draws is None:
            sums = [fixed]
            if block.drawn:
                sums.append(_product(weights, block.drawn[0]))
            return np.concatenate(sums, axis=-1)[None]
        turns = []
        weights_of_turns = _weights_of_references(
            draws, self.turns, block, weights
        )
        for weights_of_turn in weights_of_turns:
            products = map(_product, weights_of_turn, block.drawn)
            drawn = reduce(np.add, products)
            shape = (*drawn.shape[:-1], fixed.shape[-1])
            fixed_of_turn = np.broadcast_to(fixed, shape)
            turns.append(np.concatenate([fixed_of_turn, drawn], axis=-1))
        return np.stack(turns)

    def sums(self, weights: Weights) -> Floats:
        """Return the sums for weights [samples, lines]: [samples, systems, width].

        This is for terms without draws of references.
        """
        sums: Floats = self.weighted(weights, all_lines=False).weighted[0]
        return sums

    def sampled(
        self, weights: Weights, first_sample: int
    ) -> Iterator[tuple[int, float, Outputs]]:
        """Yield number, share and outputs of each system in samples of the sentences.

        `weights`, [samples, lines], says how often each sample has each line. The outputs are
        float64 [samples] each, and are means over the turns of the draws.
        """
        totals = self.weighted(weights, first_sample, all_lines=False).weighted
        for column, number in enumerate(self.numbers):
            outputs = self.terms.outputs(totals[:, :, column])
            means = {}
            for name, values in outputs.items():  # [turns, samples]
                means[name] = values.mean(axis=0)
            yield number, self.shares[column], means

    def score(self, totals: Floats) -> Floats:
        """Return the scores of one system, from sums [turns, samples, width]: float64 [samples]."""
        scores = self.terms.score(totals)  # [turns, samples]
        means: Floats = scores.mean(axis=0)
        return means


def _pack(blocks: Sequence[Block]) -> PackedBlock:
    """Return the terms of several systems in neighbouring blocks, packed as one block."""
    fixed = _pack_lines([block.fixed for block in blocks])
    of_references = zip(*(block.apart for block in blocks), strict=True)
    drawn = [_pack_lines(arrays) for arrays in of_references]
    if all(block.present is None for block in blocks):
        return PackedBlock(fixed, drawn, None)
    counts = []
    for block in blocks:
        present = block.present
        if present is None:  # no reference is missing
            present = np.full(len(block.fixed), len(drawn))
        counts.append(present)
    return PackedBlock(fixed, drawn, np.concatenate(counts))


def _pack_lines(arrays: Sequence[Ints]) -> Packed:
    """Return arrays [lines, systems, width] packed as one.

    For this the numbers of a column have to lie together.
    """
    shape = arrays[0].shape[1:]
    lines = sum(len(array) for array in arrays)
    columns: Floats = np.empty((math.prod(shape), lines))
    start = 0
    for array in arrays:
        end = start + len(array)
        rows = array.reshape(len(array), -1)
        columns[:, start:end] = rows.T
        start = end
    packed = Packed.of(columns.T.reshape(lines, *shape))
    assert packed is not None  # noqa: S101 (whole numbers, which check_sums() has let through)
    return packed


def _weights_of_references(
    draws: Draw, turns: Sequence[int], block: PackedBlock, weights: Weights
) -> Iterator[list[Weights]]:
    """Yield for each turn a list with the weights of the lines, reference by reference.

    The weights of a reference are [samples, lines]: those of the lines for which it is drawn, and 0
    for all others. A turn shifts all draws: it is added to the number of the reference drawn,
    modulo the number of references that the line has.
    """
    count = len(block.drawn)
    if block.present is None:
        of_references = _weights_if_drawn(draws, count, weights)
        for turn in turns:
            yield [
                of_references[(number - turn) % count]
                for number in range(count)
            ]
        return
    limits = block.present.astype(np.uint16)  # [lines]
    for turn in turns:
        shifts = np.asarray(turn % limits, np.uint16)
        turned = draws.astype(np.uint16) + shifts
        is_beyond = turned >= limits
        turned -= limits * is_beyond
        yield _weights_if_drawn(turned, count, weights)


def _weights_if_drawn(
    draws: NDArray[Any], count: int, weights: Weights
) -> list[Weights]:
    """Return for each of `count` references the weights of the lines for which it is drawn.

    `draws` has the number of the reference drawn for each sample and line. Other lines have the
    weight 0.
    """
    if count == 2:  # faster than comparisons
        is_second = draws.astype(weights.dtype, copy=False)
        second = weights * is_second
        return [weights - second, second]
    return [weights * (draws == number) for number in range(count)]


def _product(weights: Weights, terms: Packed) -> Floats:
    """Return weights [samples, lines] times terms [lines, systems, width].

    The product is float64 [samples, systems, width].
    """
    lines = terms.shape[0]
    if weights.dtype == np.uint8:
        sums = kernel.plane_sums(terms.data, terms.bits, lines, weights)
        return terms.of_sums(sums)
    matrix = terms.floats().reshape(lines, -1)
    factors = weights.astype(np.float64)
    product: Floats = factors @ matrix
    return product.reshape(len(weights), *terms.shape[1:])


# --- sums with the references that are drawn for all sentences

MIN_THREADED_DRAWS = 1 << 24
"""From this number of draws on, several threads are worth starting."""
MAX_ITERATIONS = 1 << 14
"""The most iterations that are drawn at once. A stream takes two and a half kilobytes."""


@dataclass(frozen=True)
class _Prefetched:
    """The counts of a system, of which another thread reads the next block meanwhile."""

    counts: HasBlocks

    def blocks(self) -> Iterator[Columns]:
        """Yield the columns of one block of lines after the other."""
        return prefetch(self.counts.blocks())


def drawn_sums(
    terms: MetricTerms,
    systems: Sequence[HasBlocks],
    draws: Draws,
    threads: int = 1,
) -> Floats:
    """Return the sums of all sentences in every iteration of some draws.

    They are float64 [iterations, systems, width]. One of the threads makes the terms of the next
    lines meanwhile, and the others share the iterations. Raises InputError if numbers are too large
    to be summed exactly in float64.
    """
    threaded = (
        threads > 1 and draws.lines * draws.iterations >= MIN_THREADED_DRAWS
    )
    parts = 1
    if threaded:
        parts = threads - 1
        systems = [_Prefetched(counts) for counts in systems]
    sums = []
    with shared_by(parts) as apply:
        for start in range(0, draws.iterations, MAX_ITERATIONS):
            end = min(start + MAX_ITERATIONS, draws.iterations)
            iterations = range(start, end)
            blocks = _checked_blocks(terms, systems, draws.lines)
            if threaded:
                blocks = prefetch(blocks)
            sums.append(
                _sums_of_iterations(
                    terms, blocks, draws, iterations, parts, apply
                )
            )
    return np.concatenate(sums).astype(np.float64)


def _checked_blocks(
    terms: MetricTerms, systems: Sequence[HasBlocks], lines: int
) -> Iterator[Sequence[Block]]:
    """Yield the terms of all systems; raises InputError if they cannot be summed exactly."""
    blocks = [terms.blocks(system) for system in systems]
    for of_systems in zip(*blocks, strict=True):
        for block in of_systems:
            check_sums(terms.metric, [block.fixed, *block.apart], lines)
        yield of_systems


def _sums_of_iterations(
    terms: MetricTerms,
    blocks: Iterator[Sequence[Block]],
    draws: Draws,
    iterations: range,
    parts: int,
    apply: Shared,
) -> Ints:
    """Return the sums in some iterations: int64 [iterations, systems, width].

    The iterations are cut into parts, which threads share.
    """
    drawers = []
    borders = [len(iterations) * number // parts for number in range(parts + 1)]
    for low, high in itertools.pairwise(borders):
        drawers.append(draws.drawer(iterations[low:high]))
    sums: Ints | None = None
    for of_systems in blocks:
        systems = len(of_systems)
        if sums is None:
            shape = (len(iterations), systems, terms.schema.width)
            sums = np.zeros(shape, np.int64)
        apart: list[Ints] = []
        for block in of_systems:
            apart += block.apart
        present = of_systems[0].present
        parts_drawn = apply(lambda drawer: drawer.sums(apart, present), drawers)  # noqa: B023
        drawn = np.concatenate(parts_drawn)
        fixed = np.stack([block.fixed.sum(axis=0) for block in of_systems])
        width = fixed.shape[1]
        sums[:, :, :width] += fixed
        sums[:, :, width:] += drawn.reshape(len(iterations), systems, -1)
    assert sums is not None  # noqa: S101 (a data set has lines)
    return sums
