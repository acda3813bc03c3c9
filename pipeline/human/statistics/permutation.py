"""The permutation test of whether one metric agrees better with people than another: PERM-BOTH, Deutsch et al. 2021.

Each resample exchanges scores, or results of pairs of scores, between two metrics.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from ..correlation import pair_kinds
from .coefficients import EQUAL, Accuracy
from .statistic import Statistic, Value, averaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats

    Bools = NDArray[np.bool_]
    Numbers = Sequence[tuple[int, int]]
    """The numbers of the two metrics of each test."""
    Exchange = Callable[[Bools], Iterator[tuple[Floats, Floats]]]
    """From draws, bool [draws, groups, members or pairs of members], to the values of both metrics of each test.

    Where a draw is false, the two metrics exchange what it stands for. The values are float64 [draws, groups].
    """

AT_ONCE = 1_500_000
"""How many draws of a score or of a pair are in memory at once."""
MOST_PAIRS = 16_000_000
"""The most pairs that may be swapped."""


class Permutation(NamedTuple):
    """The test of whether the statistic of one metric is higher than that of another."""

    better: int
    """The number of the metric with the higher statistic."""
    other: int
    delta: float
    """By how much it is higher."""
    p: float
    """One-sided: the share of resamples with at least this difference. NaN where a statistic is not defined."""
    resamples: int
    """How many resamples were drawn; 0 where a statistic is not defined."""


def permutation_tests(
    statistic: Statistic,
    human: Floats,
    metrics: Floats,
    values: Sequence[Value],
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> list[Permutation]:
    """Test each two metrics on scores, float64 [systems, lines] and [metrics, systems, lines]. NaN is a lacking score.

    `values` are those of the statistic. Scores of metrics are standardised, and each resample swaps every score of the
    two metrics with probability 1/2. Where metrics have an epsilon of their own, the result of every pair is swapped.
    Raises InputError where there are too many pairs.
    """
    undefined = [math.isnan(value.value) for value in values]
    order = sorted(range(len(values)), key=lambda number: (undefined[number], -values[number].value))
    ranked = list(combinations(order, 2))  # the better one of each two comes first
    tested = [pair for pair in ranked if not any(undefined[number] for number in pair)]
    groups = statistic.groups(~(np.isnan(human) | np.isnan(metrics).any(axis=0)))
    none = [Permutation(*pair, math.nan, math.nan, 0) for pair in ranked if pair not in tested]
    if not tested or not len(groups.cells):
        return none
    people, scores = groups.of(human), groups.of(metrics)
    pairs = [(other, better) for better, other in tested]
    if isinstance(statistic, Accuracy) and statistic.swaps_pairs:
        count = people.shape[1] * (people.shape[1] - 1) // 2
        if len(people) * count > MOST_PAIRS:
            raise InputError(f"permutations: {len(people) * count:,} pairs are too many; average by item or system")
        epsilons = [statistic.tie_below if value.epsilon is None else value.epsilon for value in values]
        swapped = np.ones((len(people), count), np.bool_)
        exchange = _exchanged_pairs(people, scores, epsilons, groups.present, pairs)
    else:
        own = scores[:, groups.present]
        means, deviations = own.mean(axis=1)[:, None, None], own.std(axis=1)[:, None, None]
        scores = np.where(groups.present, (scores - means) / np.where(deviations > 0, deviations, 1.0), 0.0)
        swapped = groups.present

        def exchange(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
            for one, two in pairs:
                mixed = (np.where(drawn, scores[own], scores[other]) for own, other in ((one, two), (two, one)))
                first, second = (statistic.of_groups(people, own, groups.present) for own in mixed)
                yield first, second

    def differences(drawn: Bools) -> Iterator[Floats]:
        """Yield by how much the better metric of each test is better: [draws]. A mean over no group counts as 0."""
        for both in exchange(drawn):
            other, better = (np.nan_to_num(averaged(own)) for own in both)
            yield better - other

    deltas = [float(one[0]) for one in differences(np.ones((1, *swapped.shape), np.bool_))]
    reached = np.zeros(len(tested))
    for drawn in draws(swapped, statistic.swaps_pairs, resamples, seed):
        rows = zip(differences(drawn), deltas, strict=True)
        reached += [(one >= delta - EQUAL).sum() for one, delta in rows]
    shares = (reached / resamples).tolist()
    of_pairs = zip(tested, deltas, shares, strict=True)
    return [*(Permutation(*pair, delta, p, resamples) for pair, delta, p in of_pairs), *none]


def draws(swapped: Bools, of_pairs: bool, resamples: int, seed: int) -> Iterator[Bools]:
    """Yield draws, bool [draws, ...], of what `swapped`, bool [...], says.

    Draws of scores are those that mt-metrics-eval makes after numpy.random.seed(seed).
    """
    count = int(swapped.sum())
    random, generator = np.random.RandomState(seed), np.random.default_rng(seed)
    step = max(1, min(resamples, AT_ONCE // max(count, 1)))
    for low in range(0, resamples, step):
        size = min(step, resamples - low)
        drawn = np.zeros((size, *swapped.shape), np.bool_)
        if of_pairs:
            bits = np.frombuffer(generator.bytes(size * -(-count // 8)), np.uint8).reshape(size, -1)
            drawn[:, swapped] = np.unpackbits(bits, axis=1, count=count)
        else:
            drawn[:, swapped] = random.binomial(1, 0.5, (size, count))
        yield drawn


def _exchanged_pairs(
    human: Floats, metrics: Floats, epsilons: Sequence[float], present: Bools, tests: Numbers
) -> Exchange:
    """Return what the accuracy is after two metrics exchanged results of pairs of members: see Exchange.

    A result is whether people and the metric, which has an epsilon of its own, order the pair alike or both tie it. The
    numbers of such pairs are one product of matrices for all metrics and draws, exact in float32 below 2**24.
    """
    first, second = np.triu_indices(human.shape[1], 1)
    people = human[:, first] - human[:, second]
    counted = present[:, first] & present[:, second]
    agrees = np.empty((people.shape[0], len(metrics), people.shape[1]), np.float32)  # [groups, metrics, pairs]
    for number, (scores, epsilon) in enumerate(zip(metrics, epsilons, strict=True)):
        kinds = pair_kinds(scores[:, first] - scores[:, second], people, epsilon)
        agrees[:, number] = (kinds.concordant | kinds.ties_both) & counted
    totals, pairs = agrees.sum(axis=-1)[..., None], counted.sum(axis=1)

    def values(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        kept = agrees @ np.ascontiguousarray(drawn.transpose(1, 2, 0), np.float32)  # [groups, metrics, draws]
        left = totals - kept
        for one, two in tests:
            both = (kept[:, own] + left[:, other] for own, other in ((one, two), (two, one)))
            first, second = (counts.T.astype(np.float64) / pairs for counts in both)
            yield first, second

    return values
