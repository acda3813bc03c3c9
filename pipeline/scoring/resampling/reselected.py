"""Annotators who are chosen anew in each sample, for metrics that choose them with the totals of
the sentences before.

The sentences of a sample are in the order of the file. A sentence that is drawn twice stands there
twice, one after the other. The choice goes from sentence to sentence, and carries its totals along,
for all samples and systems at once."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...metrics.base.capabilities import reference_rules
from ...metrics.base.choices import first_best
from ...metrics.base.metric import Metric
from ..aggregation import DRAWN_MEANS, SENTENCES
from ..terms import HasBlocks, ReferenceTerms
from .samples import Bytes

if TYPE_CHECKING:
    from ...data.config.models import StatisticsConfig

Pair = tuple[int, int]

ROOM = 1 << 26
"""About how many bytes are used for what is picked in the samples, or for what the samples pick
from."""


def can_be_reselected(metric: Metric) -> bool:
    """Return whether a sample may have other annotators than the whole set."""
    if metric.level in (*SENTENCES, DRAWN_MEANS):
        return False
    return reference_rules(metric).sequential_choice() is not None


def is_reselected(metric: Metric, settings: "StatisticsConfig") -> bool:
    """Return whether annotators are chosen anew in each sample: where that is asked for and makes a
    difference.
    """
    return settings.annotators == "reselected" and can_be_reselected(metric)


def idle_choice(metrics: Sequence[Metric], settings: "StatisticsConfig") -> str | None:
    """Return that it makes no difference for any of some metrics how annotators are chosen in
    samples, or None.
    """
    if settings.annotators == "whole" or any(map(can_be_reselected, metrics)):
        return None
    return "reselected is for metrics that choose annotators with running totals, such as errant or m2; here is none"


class ReselectedSamples:
    """The sums of some systems in samples of the sentences, with annotators chosen anew in each
    sample.
    """

    def __init__(self, terms: ReferenceTerms, systems: Sequence[HasBlocks]) -> None:
        """Take what is summed, by a metric that has a running choice."""
        self.terms, self.systems = terms, systems
        choice = reference_rules(terms.metric).sequential_choice()
        assert choice is not None  # noqa: S101 (see can_be_reselected)
        self.choice, self.keys, self.names = choice, choice.keys, choice.names

    def sums(self, weights: Bytes) -> Floats:
        """Return the sums for weights [samples, lines]: float64 [samples, systems, width]."""
        totals = np.zeros((len(self.names), len(self.systems), len(weights)), np.int64)
        result, at = np.zeros(1), 0
        for counts, terms in self._pieces(len(weights)):
            picked = np.zeros((*terms.shape[:3], len(weights)))
            for line, own in enumerate(counts):
                self._draw(own, weights[:, at + line], totals, picked[line])
            result = result + np.einsum("lrks,lrkw->skw", picked, terms, optimize=True)
            at += len(counts)
        return result

    def sampled(self, weights: Bytes, _: int) -> Iterator[tuple[int, float, dict[str, Floats]]]:
        """Yield what Summand.sampled() does."""
        outputs = self.terms.outputs(self.sums(weights))
        for number in range(len(self.systems)):
            yield number, 1.0, {name: values[:, number] for name, values in outputs.items()}

    def _draw(
        self, counts: Ints, times: NDArray[np.unsignedinteger], totals: Ints, picked: Floats
    ) -> None:
        """Note how often each candidate [candidates, systems] of a line is picked in the samples,
        and add its counts.

        `times` says how often each sample has the line.
        """
        several = _different(counts)
        if len(several) > 1:
            systems = np.arange(counts.shape[-1])[:, None]
            for number in range(1, int(times.max()) + 1):
                drawn = np.flatnonzero(times >= number)
                best = several[
                    first_best(self.keys(totals[:, None, :, drawn], counts[:, several, :, None]))
                ]
                picked[best, systems, drawn] += 1
                totals[:, :, drawn] += counts[:, best, systems]
        else:
            picked[0] = times
            totals += counts[:, 0, :, None] * times.astype(np.int64)

    def shuffled(self, kept: Bytes, pairs: Sequence[Pair]) -> Iterator[Floats]:
        """Yield for each pair of systems the absolute differences of their scores after shuffling:
        float64 [trials].

        Where `kept` [trials, lines] is 0, the two outputs of the line are swapped.
        """
        counts, _ = next(self._pieces(1))
        several = max(ROOM // (16 * counts.shape[1] * counts.shape[2] * len(kept)), 1)
        for low in range(0, len(pairs), several):
            sums = self._shuffled(kept.astype(bool), np.array(pairs[low : low + several]))
            yield from np.abs(np.diff(self.terms.score(sums), axis=1)[:, 0])

    def _shuffled(self, kept: NDArray[np.bool_], pairs: Ints) -> Floats:
        """Return the sums of both sides of each pair: float64 [pairs, 2, trials, width]."""
        shape = (len(pairs), 2, len(kept))
        totals = np.zeros((len(self.names), *shape), np.int64)
        result, at = np.zeros(1), 0
        for counts, terms in self._pieces(len(kept)):
            for line, own in enumerate(counts):
                side = np.stack(
                    [kept[:, at + line], ~kept[:, at + line]]
                )  # of the first side: whether it is its own
                which = np.where(side, pairs[:, :1, None], pairs[:, 1:, None])  # [pairs, 2, trials]
                best, several = np.zeros(shape, np.int64), _different(own)
                if len(several) > 1:
                    best = several[
                        first_best(self.keys(totals[:, None], own[:, several][:, :, which]))
                    ]
                totals += own[:, best, which]
                result = result + terms[line][best, which]
            at += len(counts)
        return result

    def _pieces(self, samples: int) -> Iterator[tuple[Ints, Floats]]:
        """Yield some lines of all systems, as many at once as there is room for what is picked of
        them in the samples.

        These are what the choice compares, int64 [lines, names, candidates, systems], and what is
        summed, float64 [lines, candidates, systems, width]. Candidates are references in the order
        in which equal ones are preferred."""
        for blocks in zip(*(self._candidates(system) for system in self.systems), strict=True):
            counts, terms = (np.stack(several, axis=3) for several in zip(*blocks, strict=True))
            terms = terms.swapaxes(2, 3)
            step = max(ROOM // (8 * counts.shape[2] * counts.shape[3] * samples), 1)
            for low in range(0, len(counts), step):
                yield counts[low : low + step], terms[low : low + step]

    def _candidates(self, system: HasBlocks) -> Iterator[tuple[Ints, Floats]]:
        """Yield counts [lines, names, candidates] and terms [lines, candidates, width] of the
        blocks of a system.
        """
        for columns in self.terms.columns_of(system):
            terms = self.terms.of_each(columns).with_each().astype(np.float64)
            own = self.choice.counts_of(columns)
            order = np.argsort(own["order"], axis=1, kind="stable")
            counts = np.stack(
                [np.take_along_axis(own[name], order, axis=1) for name in self.names], axis=1
            )
            yield counts, np.take_along_axis(terms, order[..., None], axis=1)


def _different(counts: Ints) -> Ints:
    """Return the candidates of a line that are not as one before for all systems: counts [names,
    candidates, systems].

    The others cannot be chosen.
    """
    first: dict[bytes, int] = {}
    for candidate in range(counts.shape[1]):
        first.setdefault(counts[:, candidate].tobytes(), candidate)
    return np.array(list(first.values()))
