"""Sums of addends over all sentences, or with the weights that sentences have in samples.

Sums are of whole numbers, which float64 holds exactly up to 2**53. So they depend neither on blocks nor on their order.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import kernel
from ..kernel.python.packed_numbers import Packed
from .addends import Addends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ..arrays import Floats
    from .addends import PackedAddends
    from .summands import Draw, Summand

    Weights = NDArray[np.unsignedinteger]

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
