"""Weighted sums of what each sentence adds to a score, for samples of the sentences.

Sums are products of matrices of whole numbers, which float64 holds exactly up to 2**53, so that neither blocks nor
order can be seen in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from ...metrics.base.reference_draws import Drawer
from ..column_blocks import present_blocks
from ..reduce import DRAWN_LINES
from .summands import Addends

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ...metrics.base.metric import Metric
    from ...metrics.base.reference_draws import Draws
    from ..column_blocks import HasBlocks
    from .sample_weights import Bytes
    from .summands import Kind

    Draw = NDArray[np.uint16]

KEPT = 1 << 28
"""Bytes of addends up to which they are kept between groups of samples; beyond they are made anew from the columns."""


@dataclass
class Table:
    """The addends of several systems, block of lines after block: arrays [lines, systems, width]."""

    kind: Kind
    metric: Metric
    systems: Sequence[HasBlocks]
    lines: int
    kept: list[Addends] = field(default_factory=list)

    def blocks(self) -> Iterator[Addends]:
        """Yield the addends of all systems."""
        if self.kept:
            yield from self.kept
            return
        made: list[Addends] = []
        room = KEPT
        for blocks in zip(*(present_blocks(self.metric, system) for system in self.systems), strict=True):
            several = [self.kind.make(columns) for columns in blocks]
            drawn = [np.stack(apart, axis=1) for apart in zip(*(one.drawn for one in several), strict=True)]
            block = Addends(np.stack([one.fixed for one in several], axis=1), drawn, several[0].present)
            self._check(block)
            size = sum(array.nbytes for array in (block.fixed, *drawn))
            if not made and size * self.lines > KEPT * len(block.fixed):
                room = 0  # the first block tells how large all of them will be
            room -= size
            if room >= 0:
                made.append(block)
            yield block
        self.kept = made if room >= 0 else []

    def _check(self, block: Addends) -> None:
        """Raise InputError where sums could pass 2**53 (differences of references are up to twice a term)."""
        top = max(float(np.abs(array).max(initial=0)) for array in (block.fixed, *block.drawn))
        if 2 * top * self.lines > 1 << 53:
            raise InputError(f"{self.metric.name}: numbers up to {top:.0f} in {self.lines:,} lines cannot be summed")

    def digests(self) -> list[bytes]:
        """Return a digest of each system's addends: equal where two are equal on every sentence."""
        from hashlib import blake2b

        hashes = [blake2b(digest_size=16) for _ in self.systems]
        for block in self.blocks():
            for array in (block.fixed, *block.drawn):
                for number, found in enumerate(hashes):
                    found.update((array[:, number] + 0.0).tobytes())  # + 0.0: -0.0 is 0.0
        return [found.digest() for found in hashes]


@dataclass(frozen=True)
class Part:
    """A score that takes part in the score: of which systems, with what share of each one's, with which references.

    Sample number s takes the draws of iteration s, from the first again after the last, and the mean over its turns by
    so many references.
    """

    table: Table
    numbers: Sequence[int]
    shares: Sequence[float]
    draws: Draws | None = None
    turns: Sequence[int] = (0,)

    def drawer(self, low: int, high: int) -> Callable[[int, Ints | None], Draw] | None:
        """Return what gives the references of the samples low <= s < high for the next lines: uint16 [samples, lines].

        It takes the number of lines, and how many references each has (None: all).
        """
        if self.draws is None:
            return None
        wanted = [sample % self.draws.iterations for sample in range(low, high)]
        rows = {iteration: row for row, iteration in enumerate(dict.fromkeys(wanted))}
        drawer, own = Drawer(self.draws, rows), [rows[one] for one in wanted]
        return lambda lines, present: drawer.take(lines, present)[own].astype(np.uint16)

    def score(self, sums_: Floats) -> Floats:
        """Return the scores of one system, from sums [turns, samples, width]: float64 [samples]."""
        scores: Floats = self.table.kind.score(sums_).mean(axis=0)
        return scores


class Sums(NamedTuple):
    """Sums of a part, weighted, and of all sentences once with the same draws.

    float64 [turns, samples, systems, width]; an axis has length 1 where the sums do not depend on it.
    """

    weighted: Floats
    whole: Floats


def sums(part: Part, weights: Bytes, low: int, *, whole: bool = True) -> Sums:
    """Return the sums of a part for weights [samples, lines]; the first of the samples is number low.

    whole: whether the sums of all sentences are asked for too; else they are those with the first reference.
    """
    drawer = part.drawer(low, low + len(weights))
    totals: list[Sums] = []
    at = 0
    for block in part.table.blocks():
        for start in range(0, len(block.fixed), DRAWN_LINES):
            piece = slice(start, start + DRAWN_LINES)
            addends = Addends(block.fixed[piece], [array[piece] for array in block.drawn])
            lines = len(addends.fixed)
            chunk = weights[:, at + start : at + start + lines].astype(np.float64)
            base = np.concatenate([addends.fixed, *addends.drawn[:1]], axis=-1)
            found = Sums(_product(chunk, base)[None], base.sum(axis=0)[None, None])
            if drawer:
                present = None if block.present is None else block.present[piece]
                found = _drawn(part, found, chunk, addends, drawer(lines, present), present, whole=whole)
            totals = [Sums(*(one + two for one, two in zip(totals[0], found, strict=True)))] if totals else [found]
        at += len(block.fixed)
    return totals[0]


def _drawn(
    part: Part, base: Sums, weights: Floats, addends: Addends, draws: Draw, present: Ints | None, *, whole: bool
) -> Sums:
    """Return sums for references drawn, from those for the first reference: what the others have more is added."""
    turns, samples, width = len(part.turns), len(weights), addends.fixed.shape[-1]
    weighted = base.weighted.repeat(turns, axis=0)
    all_of_them = base.whole.repeat(turns, axis=0).repeat(samples, axis=1) if whole else base.whole
    limits = np.asarray(len(addends.drawn) if present is None else present, np.uint16)
    for place, turn in enumerate(part.turns):
        turned = draws + np.asarray(turn % limits, np.uint16)
        turned -= limits * (turned >= limits)
        for reference in range(1, len(addends.drawn)):
            mask = (turned == reference).astype(np.float64)
            more = addends.drawn[reference] - addends.drawn[0]
            if whole:
                all_of_them[place, :, :, width:] += _product(mask, more)
            mask *= weights
            weighted[place, :, :, width:] += _product(mask, more)
    return Sums(weighted, all_of_them)


def _product(weights: Floats, addends: Floats) -> Floats:
    """Return weights [samples, lines] times addends [lines, systems, width]: [samples, systems, width]."""
    product: Floats = (weights @ addends.reshape(len(addends), -1)).reshape(len(weights), *addends.shape[1:])
    return product
