"""The permutation test of whether one metric agrees better with people than another: PERM-BOTH, Deutsch et al. 2021.

Each resample exchanges scores, or results of pairs of scores, between two metrics. `exchanged_scores` says how a
statistic is computed then. Where it follows from sums, those of all metrics are one product of matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from ..correlation import ROUNDING, PairCounts, pair_kinds, pearson
from .coefficients import EQUAL, Pearson, Tau

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats
    from .statistic import Groups, Statistic, Value

    Bools = NDArray[np.bool_]
    Matrix = NDArray[np.float32] | Floats
    Exchange = Callable[[Bools], Iterator[tuple[Floats, Floats]]]
    """From draws, bool [draws, groups, members or pairs of members], to the values of both metrics of each test.

    Where a draw is false, the two metrics exchange what it stands for. The values are float64 [draws, groups].
    """

AT_ONCE = 1_500_000
"""How many draws of a score or of a pair are in memory at once."""
MOST_PAIRS = 20_000_000
"""The most pairs that may be swapped."""
MOST_MEMBERS = 60
"""The largest groups in which exchanged scores are counted pair by pair for all metrics at once."""
CANCELLED = 1e-3
"""Where the variance is a smaller share of the squares than this, sums of squares have lost digits."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the test draws, and when it stops."""

    resamples: int = 1000
    swap: str = "auto"
    """`scores`, `pairs` or `auto`: what the statistic suits."""
    block: int | None = None
    """After so many resamples each, the test looks whether it may stop. None: it never stops early."""
    early_min: float = 0.02
    """It stops where the p-value is below this."""
    early_max: float = 0.5
    """It stops where the p-value is above this."""
    seed: int = 12345


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
    """How many resamples were drawn before the test stopped."""


def permutation_tests(
    statistic: Statistic, human: Floats, metrics: Floats, values: Sequence[Value], settings: Settings
) -> list[Permutation]:
    """Test each two metrics on scores, float64 [systems, lines] and [metrics, systems, lines]. NaN is a lacking score.

    `values` are those of the statistic. Scores of metrics are standardised, and each resample swaps every score of the
    two metrics with probability 1/2; or, where `pairs` are swapped, it swaps the result of every pair.
    Raises InputError where the statistic has no such test.
    """
    swap = statistic.swap if settings.swap == "auto" else settings.swap
    if swap not in statistic.swaps or (swap == "scores" and statistic.swap == "pairs"):
        usual = "scores" if swap == "pairs" else "pairs"
        raise InputError(f"swap: {swap} cannot be swapped under {statistic}; leave it out, or say {usual}")
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
    if isinstance(statistic, Tau) and swap == "pairs":
        count = people.shape[1] * (people.shape[1] - 1) // 2
        if len(people) * count > MOST_PAIRS:
            raise InputError(f"swap: {len(people) * count:,} pairs are too many to swap; average by item or system")
        # each metric has its own epsilon
        epsilons = [statistic.tie_below if value.epsilon is None else value.epsilon for value in values]
        swapped = np.ones((len(people), count), np.bool_)
        of_groups = PairsOfGroups(statistic, people, groups)
        added = [of_groups.added(one, one, epsilon) for one, epsilon in zip(scores, epsilons, strict=True)]
        exchange = _exchanged_sums(np.stack(added, axis=1), pairs, of_groups.value)
    else:
        own = scores[:, groups.present]
        means, deviations = own.mean(axis=1)[:, None, None], own.std(axis=1)[:, None, None]
        scores = np.where(groups.present, (scores - means) / np.where(deviations > 0, deviations, 1.0), 0.0)
        swapped = groups.present
        exchange = exchanged_scores(statistic, people, scores, groups, pairs)
    weights = statistic.group_weights(people, groups)

    def differences(drawn: Bools) -> Iterator[Floats]:
        """Yield by how much the better metric of each test is better: [draws]. A mean over no group counts as 0."""
        for both in exchange(drawn):
            other, better = (np.nan_to_num(statistic.averaged(own, weights)) for own in both)
            yield better - other

    deltas = [float(one[0]) for one in differences(np.ones((1, *swapped.shape), np.bool_))]
    reached = [
        [one >= delta - EQUAL for one, delta in zip(differences(drawn), deltas, strict=True)]
        for drawn in draws(swapped, swap, settings)
    ]
    large = (np.concatenate(blocks) for blocks in zip(*reached, strict=True))
    rows = zip(tested, deltas, map(stopped, large, [settings] * len(tested)), strict=True)
    return [*(Permutation(*pair, delta, *p_value) for pair, delta, p_value in rows), *none]


def draws(swapped: Bools, swap: str, settings: Settings) -> Iterator[Bools]:
    """Yield draws, bool [draws, ...], of what `swapped`, bool [...], says: of scores those of mt-metrics-eval.

    These are its draws after numpy.random.seed(seed).
    """
    count = int(swapped.sum())
    of_scores, of_pairs = np.random.RandomState(settings.seed), np.random.default_rng(settings.seed)
    step = max(1, min(settings.resamples, AT_ONCE // max(count, 1)))
    for low in range(0, settings.resamples, step):
        size = min(step, settings.resamples - low)
        drawn = np.zeros((size, *swapped.shape), np.bool_)
        if swap == "pairs":
            bits = np.frombuffer(of_pairs.bytes(size * -(-count // 8)), np.uint8).reshape(size, -1)
            drawn[:, swapped] = np.unpackbits(bits, axis=1, count=count)
        else:
            drawn[:, swapped] = of_scores.binomial(1, 0.5, (size, count))
        yield drawn


def stopped(large: Bools, settings: Settings) -> tuple[float, int]:
    """Return the p-value and the number of resamples when the test stops, from whether each reached the difference.

    It stops at the end of a block with a clear p-value, or after all resamples.
    """
    reached = np.cumsum(large)
    for end in range(settings.block, len(large) + 1, settings.block) if settings.block else ():
        p = reached[end - 1] / end
        if p < settings.early_min or p > settings.early_max:
            return float(p), end
    return float(reached[-1] / len(large)), len(large)


def exchanged_scores(
    statistic: Statistic, human: Floats, metrics: Floats, groups: Groups, pairs: Sequence[tuple[int, int]]
) -> Exchange:
    """Return what a statistic is after two metrics exchanged scores: see Exchange.

    Scores are float64 [groups, members] and [metrics, groups, members].
    """
    if isinstance(statistic, Tau) and human.shape[1] <= MOST_MEMBERS:
        return _exchanged_in_small_groups(PairsOfGroups(statistic, human, groups), metrics, pairs)
    if isinstance(statistic, Pearson):
        return _exchanged_pearson(human, metrics, groups, pairs)

    def values(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        for one, two in pairs:
            mixed = (np.where(drawn, metrics[own], metrics[other]) for own, other in ((one, two), (two, one)))
            first, second = (statistic.of_groups(human, scores, groups.present) for scores in mixed)
            yield first, second

    return values


def _exchanged_sums(
    added: Matrix, pairs: Sequence[tuple[int, int]], value: Callable[[Matrix, Bools, int, int], Floats]
) -> Exchange:
    """Return what follows from sums over members, or pairs of members, of which each metric adds its own.

    `added` is [parts, metrics, groups, members]. `value` returns the statistic, [groups, draws], of sums
    [parts, groups, draws]; it is also given the draws, and the metrics from which these take and do not take.
    """
    totals = added.sum(axis=-1)[..., None]
    columns = np.moveaxis(added.reshape(-1, *added.shape[2:]), 0, 1)

    def values(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        kept = columns @ np.ascontiguousarray(drawn.transpose(1, 2, 0), added.dtype)
        kept = np.moveaxis(kept, 1, 0).reshape(*added.shape[:3], len(drawn))
        for one, two in pairs:
            first, second = (
                value(kept[:, own] + (totals[:, other] - kept[:, other]), drawn, own, other).T
                for own, other in ((one, two), (two, one))
            )
            yield first, second

    return values


def _exchanged_pearson(human: Floats, metrics: Floats, groups: Groups, pairs: Sequence[tuple[int, int]]) -> Exchange:
    """Return Pearson's correlations from sums, which are exact enough but for the nearly constant: see CANCELLED."""
    present, sizes = groups.present, groups.sizes[:, None]
    centred = np.where(present, human - human.sum(axis=-1, keepdims=True) / sizes, 0.0)
    middle = metrics.sum(axis=(0, 2))[:, None] / (len(metrics) * sizes)
    near = np.where(present, metrics - middle, 0.0)
    length, size = (np.sqrt((scores**2).sum(axis=-1))[:, None] for scores in (centred, human))

    def value(sums: Matrix, drawn: Bools, own: int, other: int) -> Floats:
        total, squares, shared = sums
        spread = squares - total**2 / sizes
        sure = (spread > CANCELLED * squares) & (length > ROUNDING * size)
        values = np.divide(shared, length * np.sqrt(np.abs(spread)), out=np.full(spread.shape, np.nan), where=sure)
        group, draw = np.nonzero(~sure)
        mixed = np.where(drawn[draw, group], near[own, group], near[other, group])
        values[group, draw] = pearson(human[group], mixed, present[group])
        correlations: Floats = values.clip(-1, 1)
        return correlations

    return _exchanged_sums(np.stack([near, near**2, near * centred]), pairs, value)


class PairsOfGroups:
    """All pairs of members of each group, [groups, pairs], with what people say of them."""

    def __init__(self, statistic: Tau, human: Floats, groups: Groups) -> None:
        """Take the scores of people, float64 [groups, members]."""
        self.statistic = statistic
        self.first, self.second = np.triu_indices(human.shape[1], 1)
        self.human = human[:, self.first] - human[:, self.second]
        present = groups.present[:, self.first] & groups.present[:, self.second]
        self.counted = present & (np.abs(self.human) >= statistic.apart)
        self.total = self.counted.sum(axis=1)[:, None]
        self.untied = (self.counted & (self.human != 0)).sum(axis=1)[:, None]

    def added(self, one: Floats, two: Floats, epsilon: float = 0.0) -> NDArray[np.float32]:
        """Return whether each pair is concordant, discordant, or tied by both: 1 or 0, [3, groups, pairs].

        The first member of a pair has its score in `one`, the second in `two`.
        """
        kinds = pair_kinds(one[:, self.first] - two[:, self.second], self.human, epsilon)
        return (np.stack([kinds.concordant, kinds.discordant, kinds.ties_both]) & self.counted).astype(np.float32)

    def value(self, sums: Matrix, *_: object) -> Floats:
        """Return the statistic of these three counts, [3, groups, draws]: float64 [groups, draws]."""
        concordant, discordant, both = sums.astype(np.float64)
        ties_one, ties_two = self.untied - concordant - discordant, self.total - self.untied - both
        return self.statistic.of_counts(PairCounts(concordant, discordant, ties_one, ties_two, both))


def _exchanged_in_small_groups(of_groups: PairsOfGroups, metrics: Floats, pairs: Sequence[tuple[int, int]]) -> Exchange:
    """Return statistics of pairs after an exchange of scores, where what a pair adds depends on both of its members.

    With w = 1 where a member keeps the score of the first metric, and e11, e10, e01, e00 for what the pair adds to a
    sum, it adds e00 + w_i (e10 - e00) + w_j (e01 - e00) + w_i w_j (e11 - e10 - e01 + e00). So sums are products of
    matrices of whole numbers, which are exact in float32 below 2**24.
    """
    members = np.arange(metrics.shape[2])
    is_first, is_second = (
        (place[:, None] == members).astype(np.float32) for place in (of_groups.first, of_groups.second)
    )
    columns: list[Matrix] = []
    constants: list[Matrix] = []
    for numbers in pairs:
        one, two = metrics[list(numbers)]
        e11, e10, e01, e00 = (of_groups.added(*scores) for scores in ((one, one), (one, two), (two, one), (two, two)))
        product = e11 - e10 - e01 + e00
        first = (e10 - e00) @ is_first + (e01 - e00) @ is_second
        second = (e01 - e11) @ is_first + (e10 - e11) @ is_second  # the same where w = 1 keeps the second metric's
        columns += [np.concatenate([alone, product], axis=-1) for alone in (first, second)]
        constants += [e00.sum(axis=-1), e11.sum(axis=-1)]
    factors = np.concatenate(columns).transpose(1, 0, 2)  # [groups, columns, members + pairs]
    start = np.concatenate(constants).T[..., None]

    def values(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        kept = np.ascontiguousarray(drawn.transpose(1, 2, 0), np.float32)
        both = kept[:, of_groups.first] * kept[:, of_groups.second]
        sums = factors @ np.concatenate([kept, both], axis=1) + start  # [groups, columns, draws]
        table = sums.reshape(len(sums), len(pairs), 2, 3, -1).transpose(1, 2, 3, 0, 4)
        for first, second in table:
            yield of_groups.value(first).T, of_groups.value(second).T

    return values
