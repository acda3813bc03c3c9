"""Statistics of pairs after two metrics exchanged scores, or results of pairs: for all metrics and draws at once.

Whether a pair of members counts in a sum depends on which metric scores each of them. With w = 1 where a member keeps
the score of the first metric, and e11, e10, e01, e00 for what the pair adds to the sum, the pair adds
e00 + w_i (e10 - e00) + w_j (e01 - e00) + w_i w_j (e11 - e10 - e01 + e00). So sums are products of matrices of whole
numbers, which are exact in float32 below 2**24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from .pairs import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ..correlation import PairCounts
    from .groups import Groups
    from .statistic import Exchange

    Matrix = NDArray[np.float32]

MOST_MEMBERS = 60
"""The largest groups whose exchanged scores are computed by products of matrices."""


class OfPairs(Protocol):
    """What is needed of a statistic of pairs: see Tau."""

    @property
    def apart(self) -> float: ...  # noqa: D102

    def parts(self, counts: PairCounts) -> tuple[Any, ...]: ...  # noqa: D102

    def of_parts(self, parts: Any, pairs: Any, human_untied: Any) -> Floats: ...  # noqa: D102

    def averaged(self, values: Floats, weights: Ints) -> Floats: ...  # noqa: D102

    def group_weights(self, human: Floats, groups: Groups) -> Ints: ...  # noqa: D102


class PairsOfGroups:
    """All pairs of members of each group, [groups, pairs], with what people say of them."""

    def __init__(self, statistic: OfPairs, human: Floats, groups: Groups) -> None:
        """Take the scores of people, float64 [groups, members]."""
        self.statistic = statistic
        self.first, self.second = np.triu_indices(human.shape[1], 1)
        self.human = human[:, self.first] - human[:, self.second]
        present = groups.present[:, self.first] & groups.present[:, self.second]
        self.counted = present & (np.abs(self.human) >= statistic.apart)
        self.total = self.counted.sum(axis=1)
        self.human_untied = (self.counted & (self.human != 0)).sum(axis=1)
        self.weights = statistic.group_weights(human, groups)

    def parts(self, one: Floats, two: Floats, epsilon: float = 0.0) -> Matrix:
        """Return what each pair adds to each sum where its members have these scores: [parts, groups, pairs]."""
        difference = one[:, self.first] - two[:, self.second]
        counts = kinds(self.human, difference, epsilon)
        single = type(counts)(*((kind & self.counted).astype(np.int8) for kind in counts))  # type: ignore[arg-type]
        return np.stack(self.statistic.parts(single)).astype(np.float32)

    def value(self, sums: Matrix) -> Floats:
        """Return the mean statistic of sums, [parts, groups, draws]: float64 [draws]."""
        values = self.statistic.of_parts(sums.astype(np.float64), self.total[:, None], self.human_untied[:, None])
        return self.statistic.averaged(values.T, self.weights)


def exchanged_scores(
    statistic: OfPairs, human: Floats, metrics: Floats, groups: Groups, pairs: Sequence[tuple[int, int]]
) -> Exchange:
    """Return a function of draws of scores, as Statistic.exchange does."""
    of_groups = PairsOfGroups(statistic, human, groups)
    columns, constants = zip(*(_columns(of_groups, metrics[one], metrics[two]) for one, two in pairs), strict=True)
    factors = np.concatenate(columns, axis=1)  # [groups, columns, members + pairs]
    start = np.concatenate(constants, axis=1)[..., None]
    parts = factors.shape[1] // (2 * len(pairs))

    def values(draws: NDArray[np.bool_]) -> Iterator[tuple[Floats, Floats]]:
        kept = np.ascontiguousarray(draws.transpose(1, 2, 0), np.float32)
        both = kept[:, of_groups.first] * kept[:, of_groups.second]
        sums = factors @ np.concatenate([kept, both], axis=1) + start  # [groups, columns, draws]
        table = sums.reshape(len(sums), len(pairs), 2, parts, -1).transpose(1, 2, 3, 0, 4)
        for one, two in table:
            yield of_groups.value(one), of_groups.value(two)

    return values


def _columns(of_groups: PairsOfGroups, one: Floats, two: Floats) -> tuple[Matrix, Matrix]:
    """Return the factors of w and of w_i w_j, [groups, columns, members + pairs], and what is added: [groups, columns].

    The columns are the sums of the first metric, and then those of the second.
    """
    e11, e10, e01, e00 = (of_groups.parts(*scores) for scores in ((one, one), (one, two), (two, one), (two, two)))
    members = np.arange(one.shape[1])
    places = of_groups.first, of_groups.second
    is_first, is_second = ((place[:, None] == members).astype(np.float32) for place in places)
    product = e11 - e10 - e01 + e00
    alone = (e10 - e00) @ is_first + (e01 - e00) @ is_second
    other = (e01 - e11) @ is_first + (e10 - e11) @ is_second
    factors = np.concatenate([np.concatenate([alone, product], axis=-1), np.concatenate([other, product], axis=-1)])
    constants = np.concatenate([e00.sum(axis=-1), e11.sum(axis=-1)])
    return factors.transpose(1, 0, 2), constants.T


def exchanged_pairs(
    statistic: OfPairs,
    human: Floats,
    metrics: Floats,
    epsilons: Sequence[float],
    groups: Groups,
    pairs: Sequence[tuple[int, int]],
) -> Exchange:
    """Return a function of draws of pairs of members, bool [draws, groups, pairs], which exchange their results.

    Each metric has its own epsilon.
    """
    of_groups = PairsOfGroups(statistic, human, groups)
    every = zip(metrics, epsilons, strict=True)
    added = np.stack([of_groups.parts(scores, scores, epsilon) for scores, epsilon in every])
    totals = added.sum(axis=-1)[..., None]
    factors = np.moveaxis(added.reshape(-1, *added.shape[2:]), 0, 1)  # [groups, columns, pairs]

    def values(draws: NDArray[np.bool_]) -> Iterator[tuple[Floats, Floats]]:
        kept = factors @ np.ascontiguousarray(draws.transpose(1, 2, 0), np.float32)
        sums = np.moveaxis(kept, 1, 0).reshape(*added.shape[:3], len(draws))
        for one, two in pairs:
            first, second = (sums[a] + (totals[b] - sums[b]) for a, b in ((one, two), (two, one)))
            yield of_groups.value(first), of_groups.value(second)

    return values
