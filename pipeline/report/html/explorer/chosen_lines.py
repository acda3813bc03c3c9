"""Which sentences a page shows if it has no room for all: those that tell most, chosen by their counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....scoring.column_blocks import present_blocks
from ....scoring.sentences import sentence_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ....arrays import Floats, Ints
    from ....scoring.board import Board

RULE = (
    "half of them where the sentence scores of the systems (by the first metric) lie furthest apart, a quarter with "
    "the lowest mean of scores, an eighth with the highest, the rest evenly spread"
)
"""How telling() chooses, in words for the readers of a page."""


class Least:
    """The lines with the smallest keys of all that were added. Of lines with equal keys, the first are kept."""

    def __init__(self, size: int) -> None:
        """Keep at most `size` lines."""
        self.size = size
        self.keys: NDArray[np.float64] = np.zeros(0)
        self.lines: NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, keys: Floats, first: int) -> None:
        """Add the keys of lines, float64 [lines]; `first` is the number of the first line."""
        keys = np.concatenate((self.keys, keys))
        lines = np.concatenate((self.lines, np.arange(first, first + len(keys) - len(self.keys))))
        order = np.lexsort((lines, keys))[: self.size]
        self.keys, self.lines = keys[order], lines[order]


def telling(measured: Board, size: int) -> Ints:
    """Return the numbers of `size` lines that tell most (see RULE), from 0 and in rising order: int64 [size].

    If there are fewer lines, all are returned. The columns are read once, block after block.
    """
    if size >= measured.lines or not measured.columns:
        return np.arange(min(size, measured.lines))
    apart, worst, best = Least(size), Least(size), Least(size)
    first = 0
    for blocks in zip(*(present_blocks(measured.metric, columns) for columns in measured.columns), strict=True):
        scores = np.nan_to_num(np.stack([sentence_scores(measured.metric, columns) for columns in blocks]))
        mean = measured.metric.goodness(scores.mean(axis=0))
        apart.add(scores.min(axis=0) - scores.max(axis=0), first)
        worst.add(mean, first)
        best.add(-mean, first)
        first += len(mean)
    spread = np.linspace(0, measured.lines - 1, size).round().astype(np.int64)
    quotas = [(apart.lines[apart.keys < 0], size // 2), (worst.lines, size // 4), (best.lines, size // 8)]
    return _filled([*quotas, (spread, size), (worst.lines, size)], size)


def _filled(quotas: Sequence[tuple[Ints, int]], size: int) -> Ints:
    """Return `size` lines, taken from each list in turn up to its quota, none twice."""
    taken: dict[int, None] = {}
    for lines, quota in quotas:
        new = [line for line in lines.tolist() if line not in taken][: min(quota, size - len(taken))]
        taken |= dict.fromkeys(new)
    return np.array(sorted(taken), np.int64)
