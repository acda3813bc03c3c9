"""What significance tests share: sentence-by-sentence comparison, and corrections of p-values.

Approximate randomisation and paired bootstrap have sacreBLEU's definitions and random stream, with
one exception: for two systems that are equal on every sentence p is 1, where sacreBLEU has 1 /
(trials + 1). `significance_tests.py` has the table of tests.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...arrays import Floats

Pair = tuple[int, int]
"""The numbers of two systems that are compared."""
TIE = 1e-12
"""Two numbers are equal if they differ by at most this, relative to the larger one, since both are
rounded."""


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


def sentencewise(
    blocks: Iterable[Floats], pairs: Sequence[Pair]
) -> list[Sentencewise]:
    """Compare pairs of systems by their sentence scores.

    The blocks are float64 [systems, lines], and are read once. Scores that differ by at most TIE,
    relative to the larger one, are ties.
    """
    differences = [_Differences() for _ in pairs]
    for block in blocks:
        for (one, two), differences_of_pair in zip(
            pairs, differences, strict=True
        ):
            differences_of_pair.add(block[one], block[two])
    return [
        differences_of_pair.compared() for differences_of_pair in differences
    ]


@dataclass
class _Differences:
    """The differences of the sentence scores of two systems, added up block by block."""

    lines: int = 0
    wins: int = 0
    losses: int = 0
    sums: list[float] = field(default_factory=list)
    """The sum of the differences in each block."""
    sums_of_squares: list[float] = field(default_factory=list)

    def add(self, one: Floats, two: Floats) -> None:
        """Add the scores of both systems in a block: float64 [lines]."""
        difference = one - two
        larger = np.maximum(np.abs(one), np.abs(two))
        is_tie = np.abs(difference) <= TIE * larger
        difference[is_tie] = 0.0
        self.lines += len(difference)
        self.wins += int((difference > 0).sum())
        self.losses += int((difference < 0).sum())
        self.sums.append(float(difference.sum()))
        squares = difference**2
        self.sums_of_squares.append(float(squares.sum()))

    def compared(self) -> Sentencewise:
        """Return the comparison of the systems in all blocks."""
        ties = self.lines - self.wins - self.losses
        return Sentencewise(self.wins, self.losses, ties, self.cohen_d())

    def cohen_d(self) -> float:
        """Return Cohen's d of all differences."""
        total = math.fsum(self.sums)
        squares = math.fsum(self.sums_of_squares)
        mean = total / self.lines
        # 0, except for rounding, if all differences are the same
        spread = squares - total * mean
        if self.lines > 1 and spread > TIE * squares:
            variance = spread / (self.lines - 1)
            return mean / math.sqrt(variance)
        if mean == 0:
            return 0.0
        return math.nan


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values adjusted so that the chance of any false rejection stays below the level.

    Source: Holm 1979.
    """
    tests = len(values)
    order = sorted(range(tests), key=lambda index: values[index])
    adjusted = [0.0] * tests
    largest = 0.0
    for rejected, index in enumerate(order):
        remaining = tests - rejected
        value = min(1.0, remaining * values[index])
        largest = max(largest, value)
        adjusted[index] = largest
    return adjusted


def bonferroni(values: Sequence[float]) -> list[float]:
    """Return p-values times their number, at most 1."""
    tests = len(values)
    return [min(1.0, tests * value) for value in values]


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "none": list,
    "holm": holm,
    "bonferroni": bonferroni,
}
"""Corrections for several tests, by name."""
