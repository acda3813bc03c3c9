"""The choice of an annotator for each sentence as the official programs of edits make it: with running totals.

For each sentence they take the annotator with whom the score of all sentences so far, this one included, is best. So
the choice depends on the order of sentences, and has to be made from the first to the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...arrays import Ints
    from .columns import Columns

    Key = Callable[[tuple[int, ...], tuple[int, ...]], tuple[float, ...]]
    """Takes the totals of the sentences before, and the counts of the sentence with an annotator."""


class RunningChoice:
    """Chooses annotators, block after block. The totals are carried from one block to the next."""

    def __init__(self, key: Key, names: Sequence[str], order: str, *, running: bool = True) -> None:
        """Take the key that is to be greatest, the names of the counts, and that of the order of annotators.

        Of equal keys the annotator who comes first in order is taken. Where `running` is false, the totals are 0 for
        each sentence, so that each choice is made for the sentence alone.
        """
        self.key, self.names, self.order, self.running = key, names, order, running
        self.totals = np.zeros(len(names), np.int64)

    def __call__(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence of the next block: int64 [lines]."""
        counts = np.stack([columns[name] for name in self.names], axis=-1)
        rows = np.arange(len(counts))
        chosen: Ints = np.argmin(columns[self.order], axis=1)
        first = counts[rows, chosen]
        open_rows = np.flatnonzero((counts != first[:, None]).any(axis=(1, 2)))
        certain = first.copy()
        certain[open_rows] = 0
        before = np.concatenate([np.zeros((1, counts.shape[-1]), np.int64), np.cumsum(certain, axis=0)])
        added = self.totals
        ranks = np.argsort(columns[self.order][open_rows], axis=1, kind="stable").tolist()
        for row, order, candidates in zip(open_rows.tolist(), ranks, counts[open_rows].tolist(), strict=True):
            totals = tuple((added + before[row]).tolist()) if self.running else (0,) * len(self.names)
            keys = [self.key(totals, tuple(candidates[number])) for number in order]
            chosen[row] = order[max(range(len(keys)), key=keys.__getitem__)]
            added = added + counts[row, chosen[row]]
        self.totals = added + before[-1]
        return chosen
