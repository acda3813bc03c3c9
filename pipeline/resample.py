"""Scores of weighted sentences: bootstrap samples, and intervals from them.

Sums are products of matrices of whole numbers, which float64 holds exactly up to 2**53, so that neither blocks nor
order can be seen in them. Memory is a few bytes a sentence (or GROUP and KEPT bytes, where that is more).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .addends import Addends, Chosen, Drawn, Sentences
from .errors import InputError
from .reduce import DRAWN_LINES, SENTENCES, Subset, present_blocks
from .sampling import Drawer, Draws
from .weights import Bootstrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from .addends import Kind
    from .metrics.base import Floats, Ints, Metric
    from .reduce import HasBlocks
    from .weights import Bytes, Weights

    Draw = NDArray[np.uint16]
    Progress = Callable[[int, int], None]

GROUP = 1 << 27
"""Bytes of weights that are held at once, or a row where that is more."""
TURNS = 4
"""Turns of a draw of references, at most."""
ROWS = 1000
"""Rows of weights at once, at most."""
KEPT = 1 << 28
"""Bytes of addends up to which they are kept between groups of rows; beyond they are made anew from the columns."""


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
        size = 0
        for blocks in zip(*(present_blocks(self.metric, system) for system in self.systems), strict=True):
            several = [self.kind.make(columns) for columns in blocks]
            drawn = [np.stack(apart, axis=1) for apart in zip(*(one.drawn for one in several), strict=True)]
            block = Addends(np.stack([one.fixed for one in several], axis=1), drawn, several[0].present)
            self._check(block)
            size += sum(array.nbytes for array in (block.fixed, *drawn))
            made = [*made, block] if size <= KEPT else []
            yield block
        self.kept = made if size <= KEPT else []

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


def parts(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None] = ()
) -> list[Part]:
    """Return the parts of a metric's score, by its level and policy for references (own: as in reduce())."""
    numbers, ones = range(len(systems)), [1.0] * len(systems)
    if metric.level in SENTENCES:
        return [Part(Table(Sentences.of(metric, systems, lines), metric, systems, lines), numbers, ones)]
    if metric.policy in ("mean", "each", "weighted"):
        shares = getattr(metric, "shares", ()) or (1 / references,) * references
        tables = [Table(Chosen(metric, reference), metric, systems, lines) for reference in range(references)]
        return [
            Part(table, numbers, [share] * len(systems)) for table, share in zip(tables, shares, strict=True) if share
        ]
    if metric.policy == "leave_one_out":
        return _left_out(metric, systems, lines, references, own or [None] * len(systems))
    draws = metric.draws(lines, references)
    if draws is None:
        alone = None if metric.policy in ("max", "merged") else 0
        return [Part(Table(Chosen(metric, alone), metric, systems, lines), numbers, ones)]
    if metric.policy == "expected":  # its own draws come turned already
        draws = draws._replace(sampler="numpy", iterations=max(draws.iterations // references, 1))
    table = Table(Drawn(metric, references), metric, systems, lines)
    return [Part(table, numbers, ones, draws, _turns(references))]


def _turns(references: int) -> list[int]:
    """Return up to TURNS turns of a draw, evenly spaced.

    A score is a mean over hundreds of draws, and has next to none of the noise of one. The mean over a draw and its
    turns, in which every reference of a sentence has its part, has as little, to the first order.
    """
    turns = min(references, TURNS)
    return [number * references // turns for number in range(turns)]


def _left_out(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, own: Sequence[int | None]
) -> list[Part]:
    """Return a part for each reference left out: all systems, but of the references only that one."""
    apart = frozenset(field.name for field in metric.needs.schema(references).fields if field.per_reference)
    found = []
    for left_out in range(references):
        kept = [reference for reference in range(references) if reference != left_out]
        numbers = [number for number, is_reference in enumerate(own) if is_reference in (None, left_out)]
        draws = metric.draws(lines, len(kept))
        subset = [Subset(systems[number], kept, apart) for number in numbers]
        shares = [1 / references if own[number] is None else 1.0 for number in numbers]
        kind = Drawn(metric, len(kept)) if draws else Chosen(metric, 0)
        turns = _turns(len(kept)) if draws else (0,)
        found.append(Part(Table(kind, metric, subset, lines), numbers, shares, draws, turns))
    return found


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


def groups(weights: Weights, samples: int, lines: int) -> Iterator[tuple[int, Bytes]]:
    """Yield (number of the first, weights) of as many samples at once as there is room for."""
    rows = min(max(GROUP // lines, 1), ROWS)
    for low in range(0, samples, rows):
        yield low, weights.take(min(rows, samples - low))


def bootstrap(
    chosen: Sequence[Part], systems: int, lines: int, samples: int, seed: int, progress: Progress | None = None
) -> Floats:
    """Return the scores of the systems in bootstrap samples of the sentences: float64 [samples, systems].

    All systems and metrics have the same samples; sample b of a metric that draws references takes the draws of its
    iteration b, from the first again after the last, and their turns.
    """
    scores = np.zeros((samples, systems))
    for low, weights in groups(Bootstrap(lines, seed), samples, lines):
        for part in chosen:
            totals = sums(part, weights, low, whole=False).weighted
            for place, (number, share) in enumerate(zip(part.numbers, part.shares, strict=True)):
                scores[low : low + len(weights), number] += share * part.score(totals[:, :, place])
        if progress:
            progress(low + len(weights), samples)
    return scores


def cut(samples: int, level: float) -> int:
    """Return how many of the lowest, and of the highest, values lie outside an interval."""
    return int(samples * (1 - Fraction(str(level))) / 2)


def percentile_interval(values: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the bounds of the middle `level` of values [samples, ...]: order statistics, as sacreBLEU takes them.

    Of 1,000 values, at level 0.95, the 26th lowest and the 26th highest. Efron and Tibshirani 1993, ch. 13.
    """
    ordered, outside = np.sort(values, axis=0), cut(len(values), level)
    return ordered[outside], ordered[len(values) - 1 - outside]
