"""What metrics of edits share: lines as a shard, and the choice of annotators with running totals."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Ints
from pipeline.kernel.common import Lines, join_lines
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
    """Return lines as a shard, in which the records of each annotator stand for a reference.

    `outputs` has the lines of each system, and `annotations` the records of each annotator (see
    `records.py`), one for each line of the source.
    """
    return Text(
        source=_joined(sources),
        references=[*map(_joined, annotations)],
        systems=[*map(_joined, outputs)],
    )


def _joined(texts: Sequence[str]) -> Lines:
    return join_lines(text.encode() for text in texts)


def last_present(columns: Columns) -> Ints:
    """Return the index of the last reference that each line has: int64 [lines].

    The columns have either how many references are present, the first ones, or the length of each,
    int64 [lines, references], which is -1 for a missing one.
    """
    if Schema.PRESENT in columns:
        return columns[Schema.PRESENT] - 1
    is_present = columns["ref_len"] >= 0
    # argmax() finds the first True, here from the last reference on
    steps_back = np.argmax(is_present[:, ::-1], axis=1)
    last: Ints = is_present.shape[1] - 1 - steps_back
    return last


SENTENCES_AT_ONCE = 1 << 11
"""So many sentences are guessed at once, which bounds the rounds. Real texts need two or three."""


class SequentialAnnotatorChoice:
    """Chooses the annotator of each sentence as the official programs of edits (m2scorer, ERRANT) do.

    They take the annotator with whom the score of all sentences so far, this one included, is best.
    So the choice depends on the order of sentences, and has to be made from the first to the last.
    Sentences come in blocks; `totals` are the counts of all sentences before.

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
        """Take the function whose keys are to be greatest, and the names of the counts that it reads.

        `counts_of` makes these counts, and `order`, the rank of each annotator of a sentence, from
        the columns of a metric: int64 [lines, annotators] each. Of equal keys the annotator with
        the lowest rank is taken. If `running` is false, the totals are 0 for each sentence, so that
        each choice is made for the sentence alone.
        """
        self.keys = keys
        self.names = names
        self.running = running
        self.counts_of = counts_of
        self.totals = np.zeros(len(names), np.int64)

    def __call__(self, columns: Columns) -> Ints:
        """Return the index of the annotator of each sentence of the next block: int64 [lines].

        `columns` are those of the metric for these sentences.
        """
        columns_by_name = self.counts_of(columns)
        # by_rank[i, r] is the annotator of rank r in sentence i
        by_rank = np.argsort(columns_by_name["order"], axis=1, kind="stable")
        counts_by_rank = []
        for name in self.names:
            column = columns_by_name[name]
            counts_by_rank.append(np.take_along_axis(column, by_rank, axis=1))
        counts = np.stack(counts_by_rank, axis=-1)
        ranks = [np.zeros(0, np.int64)]
        for low in range(0, len(counts), SENTENCES_AT_ONCE):
            ranks.append(self._choose(counts[low : low + SENTENCES_AT_ONCE]))
        chosen_ranks = np.concatenate(ranks)
        chosen: Ints = by_rank[np.arange(len(by_rank)), chosen_ranks]
        return chosen

    def _choose(self, counts: Ints) -> Ints:
        """Return the rank of each sentence's annotator, int64 [sentences], and add to the totals.

        `counts` are int64 [sentences, annotators by rank, names]. If all annotators of a sentence
        have the same counts, the first is taken.
        """
        sentences = np.arange(len(counts))
        chosen = np.zeros(len(counts), np.int64)
        # only these sentences have a choice
        differing = np.flatnonzero((counts != counts[:, :1]).any(axis=(1, 2)))
        guess = np.full(len(counts), -1)
        while (chosen[differing] != guess[differing]).any():
            guess = chosen.copy()
            guessed_counts = counts[sentences, guess]
            totals = np.zeros_like(guessed_counts)
            if self.running:
                # of all sentences before each
                sums = np.cumsum(guessed_counts, axis=0)
                totals = self.totals + sums - guessed_counts
            keys = self.keys(
                # [names, 1, sentences] and [names, annotators, sentences]
                totals[differing].T[:, None],
                counts[differing].transpose(2, 1, 0),
            )
            chosen[differing] = best_by([np.asarray(key).T for key in keys])
        self.totals = self.totals + counts[sentences, chosen].sum(axis=0)
        return chosen
