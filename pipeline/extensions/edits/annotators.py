"""What metrics of edits share: lines as a shard, and the choice of annotators with running totals."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Ints
from pipeline.kernel.common import join_lines
from pipeline.metrics.base import Columns, Schema, Text, best_by

Keys = Callable[[Ints, Ints], Sequence[NDArray[np.number]]]
"""Takes the totals of the sentences before, and the counts of the sentence with each annotator:
int64 [names, 1 or annotators, ...]. Returns the parts of the key, of which the first decides most:
[annotators, ...] each."""
CountsOf = Callable[[Columns], Columns]


def as_text(
    sources: Sequence[str],
    outputs: Sequence[Sequence[str]],
    annotations: Sequence[Sequence[str]],
) -> Text:
    """Return lines as a shard."""
    texts = []
    for lines in (sources, *outputs, *annotations):
        texts.append(join_lines(line.encode() for line in lines))
    first_annotation = 1 + len(outputs)
    return Text(texts[0], texts[first_annotation:], texts[1:first_annotation])


def last_present(columns: Columns) -> Ints:
    """Return the number of the last reference that each line has: int64 [lines]."""
    if Schema.PRESENT in columns:
        return columns[Schema.PRESENT] - 1
    lengths = columns["ref_len"]
    last: Ints = lengths.shape[1] - 1 - np.argmax(lengths[:, ::-1] >= 0, axis=1)
    return last


SENTENCES_AT_ONCE = 1 << 11
"""So many sentences are guessed at once, which bounds the rounds. Real texts need two or three."""


class SequentialAnnotatorChoice:
    """Chooses annotators as the official programs of edits do, block after block, with totals
    carried along.

    For each sentence they take the annotator with whom the score of all sentences so far, this one
    included, is best. So the choice depends on the order of sentences, and has to be made from the
    first to the last.

    Few choices really depend on the sentences before. So all are guessed, sums are made of the
    guesses, and with these all are chosen at once. When nothing changes any more, these are the
    choices that are made one by one: the first one is right, and each is if those before it are.
    That takes some rounds of arrays instead of a step for each sentence.
    """

    def __init__(
        self,
        keys: Keys,
        names: Sequence[str],
        *,
        counts_of: CountsOf = lambda columns: columns,
        running: bool = True,
    ) -> None:
        """Take the keys that are to be greatest, and the names of the counts.

        `counts_of` makes these counts of the columns of a metric, and `order`, the order of the
        annotators of each sentence. Of equal keys the annotator who comes first is taken. If
        `running` is false, the totals are 0 for each sentence, so that each choice is made for the
        sentence alone.
        """
        self.keys = keys
        self.names = names
        self.running = running
        self.counts_of = counts_of
        self.totals = np.zeros(len(names), np.int64)

    def __call__(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence of the next block: int64 [lines]."""
        named = self.counts_of(columns)
        ranks = np.argsort(
            named["order"],
            axis=1,
            kind="stable",
        )
        in_order = [
            np.take_along_axis(named[name], ranks, axis=1)
            for name in self.names
        ]
        counts = np.stack(in_order, axis=-1)
        chosen_ranks = [np.zeros(0, np.int64)]
        for low in range(0, len(counts), SENTENCES_AT_ONCE):
            chosen_ranks.append(
                self._choose(counts[low : low + SENTENCES_AT_ONCE])
            )
        chosen: Ints = ranks[
            np.arange(len(ranks)), np.concatenate(chosen_ranks)
        ]
        return chosen

    def _choose(self, counts: Ints) -> Ints:
        """Return the rank of each sentence's annotator: int64 [sentences].

        `counts` are [sentences, annotators in their order, counts]. If all annotators of a sentence
        are alike, the first is taken.
        """
        rows = np.arange(len(counts))
        chosen = np.zeros(len(counts), np.int64)
        unlike = np.flatnonzero((counts != counts[:, :1]).any(axis=(1, 2)))
        guess = np.full(len(counts), -1)
        while (chosen[unlike] != guess[unlike]).any():
            guess = chosen.copy()
            guessed = counts[rows, guess]
            if self.running:
                totals = self.totals + np.cumsum(guessed, axis=0) - guessed
            else:
                totals = np.zeros_like(guessed)
            keys = self.keys(
                totals[unlike].T[:, None], counts[unlike].transpose(2, 1, 0)
            )
            chosen[unlike] = best_by([np.asarray(part).T for part in keys])
        self.totals = self.totals + counts[rows, chosen].sum(axis=0)
        return chosen
