"""Which sentences a report shows where not all have room: those that tell most, found from counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...scoring.column_blocks import present_blocks
from ...scoring.sentences import sentence_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ...scoring.scored_columns import ScoredColumns

RULE = (
    "half of them where the sentence scores of the systems (by the first metric) lie furthest apart, a quarter with "
    "the lowest mean of scores, an eighth with the highest, the rest evenly spread"
)
"""What telling() takes, in words for the reader of a report."""


class Least:
    """The lines with the smallest keys of all that were added, the first of equals; memory for `size` of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.keys: NDArray[np.float64] = np.zeros(0)
        self.lines: NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, keys: Floats, first: int) -> None:
        """Add the keys of the lines from first on: float64 [lines]."""
        keys = np.concatenate((self.keys, keys))
        lines = np.concatenate((self.lines, np.arange(first, first + len(keys) - len(self.keys))))
        order = np.lexsort((lines, keys))[: self.size]
        self.keys, self.lines = keys[order], lines[order]


def telling(measured: ScoredColumns, wanted: int) -> Ints:
    """Return the lines, from 0, rising, that tell most: int64 [wanted], all where there are no more (see RULE).

    Reads the columns once, block after block.
    """
    if wanted >= measured.lines or not measured.columns:
        return np.arange(min(wanted, measured.lines))
    apart, worst, best = Least(wanted), Least(wanted), Least(wanted)
    first = 0
    for blocks in zip(*(present_blocks(measured.metric, columns) for columns in measured.columns), strict=True):
        scores = np.nan_to_num(np.stack([sentence_scores(measured.metric, columns) for columns in blocks]))
        mean = scores.mean(axis=0)
        apart.add(scores.min(axis=0) - scores.max(axis=0), first)
        worst.add(mean, first)
        best.add(-mean, first)
        first += len(mean)
    spread = np.linspace(0, measured.lines - 1, wanted).round().astype(np.int64)
    quotas = [(apart.lines[apart.keys < 0], wanted // 2), (worst.lines, wanted // 4), (best.lines, wanted // 8)]
    return _filled([*quotas, (spread, wanted), (worst.lines, wanted)], wanted)


def _filled(quotas: Sequence[tuple[Ints, int]], wanted: int) -> Ints:
    """Return as many new lines of each list as its quota says, until there are as many as wanted."""
    chosen: dict[int, None] = {}
    for lines, quota in quotas:
        new = [line for line in lines.tolist() if line not in chosen][: min(quota, wanted - len(chosen))]
        chosen |= dict.fromkeys(new)
    return np.array(sorted(chosen), np.int64)
