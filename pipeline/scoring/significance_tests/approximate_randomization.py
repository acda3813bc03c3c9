"""Approximate randomisation: outputs of two systems are swapped at random, sentence by sentence."""

import numpy as np

from ...arrays import Floats
from ..resampling.intervals import weight_bytes
from ..resampling.paired_tests import Pair
from ..resampling.samples import Bytes, SampleGroups, Shuffles
from ..sums import Summand, WeightedSums
from . import PairedScores, SignificanceTest


def approximate_randomization(systems: PairedScores) -> list[float]:
    """Return the two-sided p = (c + 1) / (trials + 1) of each pair of systems.

    In each trial the outputs of each sentence are swapped between the systems with probability 1/2.
    c is the number of trials whose absolute difference of scores is above that of the real scores
    (Riezler and Maxwell 2005). All pairs share the trials, so that one pass over the sentences is
    enough. Both systems have the same draws of references: those of iteration t for trial t, and
    turns of them.
    """
    summands = systems.summands
    trials = systems.settings.trials
    resources = systems.resources
    # Workers get what larger_differences() names, so it does not name `systems`.
    pairs = systems.pairs
    limits = [systems.limit(*pair) for pair in pairs]

    def larger_differences(start: int, stays: Bytes) -> list[int]:
        """Return for each pair in how many of some trials the difference is above the real one."""
        counts = []
        totals = [summand.weighted(stays, start) for summand in summands]
        for pair, limit in zip(pairs, limits, strict=True):
            # [trials], after the first summand
            difference: Floats = np.zeros(1)
            for summand, total in zip(summands, totals, strict=True):
                difference = difference + _difference(summand, total, pair)
            is_larger = np.abs(difference) > limit
            counts.append(int(is_larger.sum()))
        return counts

    max_bytes = weight_bytes(summands, resources.threads)
    shuffles = Shuffles(systems.lines, systems.settings.seed)
    groups = SampleGroups(shuffles, trials, resources, max_bytes)
    counts_of_groups = groups.results(larger_differences)
    values = []
    for counts_of_pair in zip(*counts_of_groups, strict=True):
        count = sum(counts_of_pair)
        values.append((count + 1) / (trials + 1))
    return values


def _difference(summand: Summand, total: WeightedSums, pair: Pair) -> Floats:
    """Return what a summand adds to the difference of a pair's scores in trials: float64 [trials]."""
    numbers = list(summand.numbers)
    one = numbers.index(pair[0])
    two = numbers.index(pair[1])
    stays = total.weighted  # [turns, trials, systems, width]
    swapped = total.all_lines - stays
    totals_of_one = stays[:, :, one] + swapped[:, :, two]
    totals_of_two = swapped[:, :, one] + stays[:, :, two]
    difference = summand.score(totals_of_one) - summand.score(totals_of_two)
    return summand.shares[one] * difference


TEST = SignificanceTest(
    summary="shuffles the outputs of two systems; has sacreBLEU's p-values",
    p_values=approximate_randomization,
    samples="trials",
    short_name="ar",
    citations=("riezler-maxwell-2005-pitfalls",),
)
