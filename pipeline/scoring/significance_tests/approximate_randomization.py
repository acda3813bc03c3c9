"""Approximate randomisation: outputs of two systems are swapped at random, sentence by sentence."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...arrays import Floats
from ..resampling.intervals import weight_bytes
from ..resampling.paired_tests import TIE, Pair
from ..resampling.samples import Bytes, Resources, SampleGroups, Shuffles
from ..sums import Summand
from . import PairedScores, SignificanceTest


def approximate_randomization(
    summands: Sequence[Summand],
    scores: Sequence[float],
    pairs: Sequence[Pair],
    lines: int,
    trials: int,
    seed: int,
    resources: Resources = Resources(),  # noqa: B008 (never changed)
) -> list[float]:
    """Return the two-sided p = (c + 1) / (trials + 1) of each pair of systems.

    In each trial the outputs of each sentence are swapped between the systems with probability 1/2.
    c is the number of trials whose absolute difference of scores is above that of the real
    `scores` (Riezler and Maxwell 2005). All pairs share the trials, so that one pass over the
    sentences is enough. Both systems have the same draws of references: those of iteration t for
    trial t, and turns of them.
    """
    real = np.array([abs(scores[one] - scores[two]) for one, two in pairs])
    margins = TIE * np.array(
        [max(abs(scores[one]), abs(scores[two])) for one, two in pairs]
    )

    def differences(start: int, stays: Bytes) -> Iterator[Floats]:
        """Yield for each pair the differences of scores in some trials: float64 [trials]."""
        totals = [summand.weighted(stays, start) for summand in summands]
        for pair in pairs:
            difference: Floats = np.zeros(1)
            for summand, total in zip(summands, totals, strict=True):
                one, two = (list(summand.numbers).index(number) for number in pair)
                swapped = total.all_lines - total.weighted
                first = summand.score(total.weighted[:, :, one] + swapped[:, :, two])
                second = summand.score(swapped[:, :, one] + total.weighted[:, :, two])
                difference = difference + summand.shares[one] * (first - second)
            yield np.abs(difference)

    def larger_differences(start: int, stays: Bytes) -> list[int]:
        """Return for each pair in how many of some trials the difference is above the real one."""
        limits = real + margins
        in_trials = zip(differences(start, stays), limits, strict=True)
        return [int((values > limit).sum()) for values, limit in in_trials]

    max_bytes = weight_bytes(summands, resources.threads)
    shuffles = SampleGroups(Shuffles(lines, seed), trials, resources, max_bytes)
    counts = shuffles.results(larger_differences)
    return [(sum(of_pair) + 1) / (trials + 1) for of_pair in zip(*counts, strict=True)]


def _p_values(systems: PairedScores) -> list[float]:
    return approximate_randomization(
        systems.summands,
        systems.scores,
        systems.pairs,
        systems.lines,
        systems.settings.trials,
        systems.settings.seed,
        systems.resources,
    )


TEST = SignificanceTest(
    summary="shuffles the outputs of two systems; has sacreBLEU's p-values",
    p_values=_p_values,
    samples="trials",
    short_name="ar",
    citations=("riezler-maxwell-2005-pitfalls",),
)
