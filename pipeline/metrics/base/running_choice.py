"""The choice of an annotator for each sentence as the official programs of edits make it: with running totals.

For each sentence they take the annotator with whom the score of all sentences so far, this one included, is best. So
the choice depends on the order of sentences, and has to be made from the first to the last.

Few choices really depend on the sentences before. So all are guessed, sums are made of the guesses, and with these all
are chosen at once. Where nothing changes any more, these are the choices that are made one by one: the first one is
right, and each is where those before it are. That takes some rounds of arrays in place of a step for each sentence.
"""

from __future__ import annotations

from operator import add
from typing import TYPE_CHECKING

import numpy as np

from .arithmetic import best_by

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

ROUNDS = 16
"""After so many rounds of guesses the rest is chosen one by one. Real texts need two or three."""


class SequentialAnnotatorChoice:
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
        ranks = np.argsort(orders[open_rows], axis=1, kind="stable")
        ordered = np.take_along_axis(counts[open_rows], ranks[..., None], axis=1)
        places = self._guess(ordered, before[open_rows])
        chosen[open_rows] = ranks[np.arange(len(ranks)), places]
        self.totals = self.totals + before[-1] + counts[open_rows, chosen[open_rows]].sum(axis=0)
        return chosen

    def _guess(self, counts: Ints, before: Ints) -> Ints:
        """Return the places of the annotators of the sentences where it matters: int64 [sentences].

        `counts` are [sentences, annotators in their order, counts], and `before` has the sums of the other sentences
        before each.
        """
        rows, places = np.arange(len(counts)), np.zeros(len(counts), np.int64)
        settled = 0
        for _ in range(ROUNDS if len(counts) else 0):
            guess = places
            totals = self._totals(counts[rows, guess], before)
            keys = self.keys(totals.T[:, None], counts.transpose(2, 1, 0))
            places = best_by([np.asarray(part).T for part in keys])
            changed = np.flatnonzero(places != guess)
            if not len(changed):
                return places
            settled = int(changed[0]) + 1  # all before were chosen with the right totals, and so is this one
        return self._choose(counts, before, places, settled)

    def _totals(self, taken: Ints, before: Ints) -> Ints:
        """Return the totals of all sentences before each, where `taken` are the counts of those where it matters."""
        if not self.running:
            return np.zeros_like(taken)
        return self.totals + before + np.cumsum(taken, axis=0) - taken

    def _choose(self, counts: Ints, before: Ints, places: Ints, settled: int) -> Ints:
        """Return the same as _guess(), one by one from the sentence `settled` on; the places before it are right."""
        chosen = places[:settled].tolist()
        added: list[int] = (self.totals + counts[np.arange(settled), chosen].sum(axis=0)).tolist()
        totals = tuple(0 for _ in self.names)
        for candidates, others in zip(counts[settled:].tolist(), before[settled:].tolist(), strict=True):
            if self.running:
                totals = tuple(map(add, added, others))
            own = list(map(tuple, candidates))
            keys = [self.key(totals, numbers) for numbers in own]
            best = max(range(len(keys)), key=keys.__getitem__)
            chosen.append(best)
            added = list(map(add, added, own[best]))
        return np.array(chosen, np.int64)
