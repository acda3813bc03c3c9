"""Sums of addends over all sentences, or with the weights that sentences have in samples.

Sums are products of matrices of whole numbers, which float64 holds exactly up to 2**53, and float32 up to 2**24. So
they depend neither on blocks nor on their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kernel.packed_numbers import LARGEST
from .addends import Addends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats
    from .summands import Draw, Summand

    Weights = NDArray[np.unsignedinteger]

DRAWN_LINES = 2048
"""How many lines are multiplied at once, which bounds memory. BLOCK of the store is a multiple of this number."""


class WeightedSums(NamedTuple):
    """Sums for samples, float64 [turns, samples, systems, width]. An axis along which sums are equal has length 1."""

    weighted: Floats
    """The sums with the weights of the samples."""
    whole: Floats
    """The sums in which every sentence counts once, with the same draws of references."""


def weighted_sums(summand: Summand, weights: Weights, low: int, *, whole: bool = True) -> WeightedSums:
    """Return the sums of a summand for weights [samples, lines]. The first of the samples has the number `low`.

    `whole` says that the sums of all sentences are needed with draws. Otherwise these are with the first reference.
    """
    drawer = summand.drawer(range(low, low + len(weights)))
    totals: WeightedSums | None = None
    at = 0
    for addends in _pieces(summand.table.blocks()):
        lines = len(addends.fixed)
        chunk = weights[:, at : at + lines]
        sums = _of_the_first(addends, chunk)
        if drawer:
            sums = _of_the_drawn(summand, sums, chunk, addends, drawer(lines, addends.present), whole=whole)
        totals = sums if totals is None else WeightedSums(*map(np.add, totals, sums))
        at += lines
    assert totals is not None  # noqa: S101 (there is at least one line)
    return totals


def _pieces(blocks: Iterator[Addends]) -> Iterator[Addends]:
    """Yield blocks cut into pieces of at most DRAWN_LINES lines."""
    for fixed, drawn, present in blocks:
        for low in range(0, len(fixed), DRAWN_LINES):
            piece = slice(low, low + DRAWN_LINES)
            yield Addends(fixed[piece], [array[piece] for array in drawn], None if present is None else present[piece])


def _of_the_first(addends: Addends, weights: Weights) -> WeightedSums:
    """Return the sums with the first reference of each sentence."""
    arrays = [addends.fixed, *addends.drawn[:1]]
    whole = np.concatenate([array.sum(axis=0, dtype=np.float64) for array in arrays], axis=-1)[None, None]
    return WeightedSums(_product(weights, np.concatenate(arrays, axis=-1))[None], whole)


def _of_the_drawn(
    summand: Summand, base: WeightedSums, weights: Weights, addends: Addends, draws: Draw, *, whole: bool
) -> WeightedSums:
    """Return the sums with the references drawn: `base` plus the differences of other references from the first."""
    width, shape = addends.fixed.shape[-1], (len(summand.turns), len(draws), *base.whole.shape[2:])
    weighted = np.broadcast_to(base.weighted, shape).copy()
    unweighted = np.broadcast_to(base.whole, shape).copy() if whole else base.whole
    first = addends.drawn[0].astype(np.float64, copy=False)
    differences = [(number, terms - first) for number, terms in enumerate(addends.drawn) if number]
    differences = [(number, difference) for number, difference in differences if difference.any()]
    for turn, turned in enumerate(_turned(draws, summand.turns, addends)):
        for number, difference in differences:
            mask = (turned == number).astype(np.float64)
            if whole:
                unweighted[turn, :, :, width:] += _product(mask, difference)
            mask *= weights
            weighted[turn, :, :, width:] += _product(mask, difference)
    return WeightedSums(weighted, unweighted)


def _turned(draws: Draw, turns: Sequence[int], addends: Addends) -> Iterator[NDArray[Any]]:
    """Yield for each turn the references drawn plus the turn, modulo the number of references that the line has."""
    limits = np.asarray(len(addends.drawn) if addends.present is None else addends.present, np.uint16)
    for turn in turns:
        if turn == 0:
            yield draws
            continue
        turned = draws.astype(np.uint16) + np.asarray(turn % limits, np.uint16)
        turned -= limits * (turned >= limits)
        yield turned


def _product(weights: NDArray[Any], addends: NDArray[Any]) -> Floats:
    """Return weights [samples, lines] times addends [lines, systems, width]: float64 [samples, systems, width]."""
    rows = addends.reshape(len(addends), -1)
    kind = np.float32 if _is_small(weights, rows) else np.float64
    product = weights.astype(kind, copy=False) @ rows.astype(kind, copy=False)
    sums: Floats = product.astype(np.float64, copy=False).reshape(len(weights), *addends.shape[1:])
    return sums


def _is_small(weights: NDArray[Any], rows: NDArray[Any]) -> bool:
    """Return whether float32 holds every sum of products. Only weights and numbers that are narrow are looked at."""
    if weights.dtype.kind != "u" or rows.dtype != np.float32:
        return False
    return int(weights.max(initial=0)) * int(rows.max(initial=0)) * len(rows) <= LARGEST
