"""What significance tests share: sentence-by-sentence comparison, and corrections of p-values.

Approximate randomisation and paired bootstrap have sacreBLEU's definitions and random stream, with
one exception: for two systems that are equal on every sentence p is 1, where sacreBLEU has 1 /
(trials + 1). `significance_tests.py` has the table of tests.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats

Pair = tuple[int, int]
"""The numbers of two systems that are compared."""
TIE = 1e-12
"""Two numbers are equal if they differ by at most this, relative to the larger one, since both are
rounded."""
MARKS = ((0.01, "#"), (0.05, "+"), (0.10, "*"))
"""Marks for p-values, each with its upper bound, as in the findings of WMT and in Grundkiewicz et
al. 2015."""


def mark(p: float) -> str:
    """Return the mark of a p-value, or an empty text if it has none."""
    for upper_bound, text in MARKS:
        if p <= upper_bound:
            return text
    return ""


class Sentencewise(NamedTuple):
    """How two systems compare sentence by sentence."""

    wins: int
    """How many sentences score higher in the first system."""
    losses: int
    """How many sentences score lower in the first system."""
    ties: int
    cohen_d: float
    """Cohen's d of paired samples: the mean of the differences of sentence scores divided by their
    deviation (with n - 1).

    It is 0 if both are 0, and NaN if only the deviation is."""


def sentencewise(blocks: Iterable[Floats], pairs: Sequence[Pair]) -> list[Sentencewise]:
    """Compare pairs of systems by their sentence scores.

    The blocks are float64 [systems, lines], and are read once. Scores that differ by at most TIE,
    relative to the larger one, are ties.
    """
    lines = 0
    of_blocks = []
    for block in blocks:
        lines += block.shape[1]
        of_blocks.append([_block_sums(block[one], block[two]) for one, two in pairs])
    compared = []
    for of_pair in zip(*of_blocks, strict=True):
        wins, losses, total, squares = map(math.fsum, zip(*of_pair, strict=True))
        ties = lines - int(wins + losses)
        cohen_d = _cohen_d(total, squares, lines)
        compared.append(Sentencewise(int(wins), int(losses), ties, cohen_d))
    return compared


def _block_sums(one: Floats, two: Floats) -> tuple[int, int, float, float]:
    """Return wins, losses, and the sums of differences and of their squares in a block of lines."""
    difference = one - two
    larger = np.maximum(np.abs(one), np.abs(two))
    is_tie = np.abs(difference) <= TIE * larger
    difference[is_tie] = 0.0
    wins = (difference > 0).sum()
    losses = (difference < 0).sum()
    total = difference.sum()
    squares = (difference**2).sum()
    return int(wins), int(losses), float(total), float(squares)


def _cohen_d(total: float, squares: float, lines: int) -> float:
    """Return Cohen's d from the sum and the sum of squares of all differences."""
    mean = total / lines
    spread = (
        squares - total * mean
    )  # 0, except for rounding, if all differences are the same
    if lines > 1 and spread > TIE * squares:
        return mean / math.sqrt(spread / (lines - 1))
    return 0.0 if mean == 0 else math.nan


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values adjusted so that the chance of any false rejection stays below the level.

    Source: Holm 1979.
    """
    order = sorted(range(len(values)), key=lambda index: values[index])
    adjusted = [0.0] * len(values)
    largest = 0.0
    for before, index in enumerate(order):
        largest = max(largest, min(1.0, (len(values) - before) * values[index]))
        adjusted[index] = largest
    return adjusted


def bonferroni(values: Sequence[float]) -> list[float]:
    """Return p-values times their number, at most 1."""
    return [min(1.0, len(values) * value) for value in values]


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "none": list,
    "holm": holm,
    "bonferroni": bonferroni,
}
"""Corrections for several tests, by name."""
