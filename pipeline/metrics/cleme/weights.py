"""The weights of lengths in CLEME, and sums with weights that are exact.

A weighted sum is held as two whole numbers, its high and its low half, in units of 2**-48. So sums depend neither on
the order of sentences nor on blocks, and equal counts have equal sums, which matters where references are chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ...arrays import Floats, Ints

HALF = 24
"""Bits in each half of a weight's fraction."""


class Curve(NamedTuple):
    """How a weight rises with the length, or falls with it for misses of the output."""

    alpha: float
    low: float
    high: float

    def weights(self, lengths: Ints, mean: float, *, falling: bool = False) -> Floats:
        """Return the weights of lengths, where the mean length of what references change is known: float64."""
        beyond = lengths - mean if falling else mean - lengths
        with np.errstate(over="ignore"):
            weights: Floats = self.alpha / (1 + (self.alpha - 1) * np.exp(beyond))
        return np.clip(weights, self.low, self.high)


class Curves(NamedTuple):
    """The curves of hits, of misses of the output, and of what it leaves."""

    tp: Curve
    fp: Curve
    fn: Curve

    def of_kinds(self, lengths: int, mean: float) -> Ints:
        """Return the weights of the lengths from 0 on, for tp, fp_ne, fp_un and fn: int64 [4, lengths], in units."""
        every = np.arange(lengths)
        tp, fp = self.tp.weights(every, mean), self.fp.weights(every, mean, falling=True)
        weights = np.stack([tp, fp, fp, self.fn.weights(every, mean)])
        return np.rint(np.ldexp(weights, 2 * HALF)).astype(np.int64)


ALIKE = Curve(1, 1, 1)
CURVES = {
    ("none", True): Curves(ALIKE, ALIKE, ALIKE),
    ("corpus", True): Curves(*[Curve(2, 0.75, 1.25)] * 3),
    ("sentence", True): Curves(Curve(10, 1, 10), Curve(10, 0.25, 1), Curve(10, 1, 1)),
    ("sentence", False): Curves(Curve(10, 2.5, 10), Curve(10, 0.25, 1), Curve(10, 1, 1)),
}
"""The settings of the authors' program, by their names, and whether each reference is compared alone."""
LONGEST = {"none": 0, "corpus": 16, "sentence": 48}
"""Up to which length pieces are counted apart, by the name of the settings.

From half a word above the mean length on, weights of `corpus` do not change any more: 16 is exact for means up to 15.
Those of `sentence` change by less than the precision of float64 from 40 words above the mean on."""
HIGHEST_MEAN = 18
"""Up to this mean length the weights of `sentence` of longer pieces differ by less than 1e-12: 9 * exp(18 - 48)."""
CURVES |= {(name, False): CURVES[name, True] for name in ("none", "corpus")}


def halves(counts: Ints, weights: Ints) -> tuple[Ints, Ints]:
    """Return the high and the low halves of the weighted sums of counts [..., lengths]: int64 [...] each."""
    return counts @ (weights >> HALF), counts @ (weights & ((1 << HALF) - 1))


def whole(high: int, low: int) -> int:
    """Return a weighted sum in units, from the sums of its halves."""
    return (int(high) << HALF) + int(low)


def as_float(high: Ints, low: Ints) -> Floats:
    """Return weighted sums as float64, from the sums of their halves."""
    value: Floats = np.ldexp(high.astype(np.float64), -HALF) + np.ldexp(low.astype(np.float64), -2 * HALF)
    return value
