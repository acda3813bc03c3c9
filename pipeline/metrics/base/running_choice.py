"""The choice of an annotator for each sentence as the official programs of edits make it: with running totals.

For each sentence they take the annotator with whom the score of all sentences so far, this one included, is best. So
the choice depends on the order of sentences, and has to be made from the first to the last.
"""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ...arrays import Ints
    from .columns import Columns

    Key = Callable[[tuple[int, ...], tuple[int, ...]], tuple[float, ...]]
    """Takes the totals of the sentences before, and the counts of the sentence with an annotator."""
    Keys = Callable[[Ints, Ints], Sequence[NDArray[np.number]]]
    """The same for arrays, int64 [names, 1 or candidates, ...] each: the parts of the key, [candidates, ...] each."""
    CountsOf = Callable[[Columns], Columns]


class RunningChoice:
    """Chooses annotators, block after block. The totals are carried from one block to the next."""

    def __init__(
        self,
        key: Key,
        keys: Keys,
        names: Sequence[str],
        *,
        counts_of: CountsOf = lambda columns: columns,
        running: bool = True,
    ) -> None:
        """Take the key that is to be greatest, for one sentence and for arrays, and the names of the counts.

        `counts_of` makes these counts of the columns of a metric, and `order`, the order of the annotators of each
        sentence. Of equal keys the annotator who comes first is taken. Where `running` is false, the totals are 0 for
        each sentence, so that each choice is made for the sentence alone.
        """
        self.key, self.keys, self.names, self.running = key, keys, names, running
        self.counts_of = counts_of
        self.totals = np.zeros(len(names), np.int64)

    def __call__(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence of the next block: int64 [lines]."""
        own = self.counts_of(columns)
        counts, orders = np.stack([own[name] for name in self.names], axis=-1), own["order"]
        rows = np.arange(len(counts))
        chosen: Ints = np.argmin(orders, axis=1)
        first = counts[rows, chosen]
        open_rows = np.flatnonzero((counts != first[:, None]).any(axis=(1, 2)))
        certain = first.copy()
        certain[open_rows] = 0
        before = np.concatenate([np.zeros((1, counts.shape[-1]), np.int64), np.cumsum(certain, axis=0)])
        chosen[open_rows] = self._choose(counts[open_rows], orders[open_rows], before[open_rows])
        self.totals = self.totals + before[-1] + counts[open_rows, chosen[open_rows]].sum(axis=0)
        return chosen

    def _choose(self, counts: Ints, orders: Ints, before: Ints) -> list[int]:
        """Return the annotators of the sentences where it matters: `before` has the sums of the other ones before."""
        chosen = []
        ranks = np.argsort(orders, axis=1, kind="stable").tolist()
        totals = tuple(0 for _ in self.names)
        added = self.totals.tolist()
        for order, candidates, others in zip(ranks, counts.tolist(), before.tolist(), strict=True):
            if self.running:
                totals = tuple(map(add, added, others))
            own = [tuple(candidates[number]) for number in order]
            keys = [self.key(totals, numbers) for numbers in own]
            best = max(range(len(keys)), key=keys.__getitem__)
            chosen.append(order[best])
            added = list(map(add, added, own[best]))
        return chosen
