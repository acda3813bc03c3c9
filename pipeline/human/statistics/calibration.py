"""Tie calibration: the difference of scores up to which a metric had better call a pair a tie (Deutsch et al. 2023)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints

MOST_PAIRS = 30_000_000
"""The most pairs that are sorted at once, which takes about two gigabytes."""
EQUAL = 1e-12
"""Shares that differ by less are equal."""


class Best(NamedTuple):
    """The best difference, and what is gained by it."""

    epsilon: float
    """Scores of the metric that differ by no more than this count as equal. Of equally good ones it is the smallest."""
    share: float
    """The mean share of pairs that then agree."""
    groups: int
    """The groups that have a pair."""


class _Pairs(NamedTuple):
    """Pairs of members, [pairs] each."""

    group: Ints
    distance: Floats
    """By how much the scores of the metric differ."""
    agrees: NDArray[np.bool_]
    """Whether both order the pair alike, or both tie it."""
    human_tie: NDArray[np.bool_]


def calibrated(
    human: Floats, metric: Floats, present: NDArray[np.bool_], weights: Ints, sample: float = 1.0, seed: int = 12345
) -> Best:
    """Return the epsilon that gives the highest mean share of agreeing pairs. Scores are float64 [groups, members].

    The candidates are 0 and the differences of the metric within the pairs. With a `sample` below 1 only so large a
    share of the pairs is looked at; they are drawn as mt-metrics-eval does after numpy.random.seed(seed).
    Raises InputError where there are too many pairs.
    """
    pairs = _all_pairs(human, metric, present, sample, seed)
    counted = np.bincount(pairs.group, minlength=len(human))
    weights = np.where(counted > 0, weights, 0)
    if not len(pairs.group) or not weights.sum():
        return Best(0.0, float("nan"), 0)
    worth = (weights / np.maximum(counted, 1))[pairs.group]
    order = np.argsort(pairs.distance, kind="stable")
    distance = pairs.distance[order]
    gain = (pairs.human_tie.astype(np.float64) - pairs.agrees)[order] * worth[order]
    start = float((pairs.agrees * worth).sum())
    last = np.append(distance[1:] != distance[:-1], True)
    sums = np.concatenate([[start], (start + np.cumsum(gain))[last]]) / weights.sum()
    best = int((sums >= sums.max() - EQUAL).argmax())
    epsilon = 0.0 if best == 0 else float(distance[last][best - 1])
    return Best(epsilon, float(sums[best]), int((counted > 0).sum()))


def _all_pairs(human: Floats, metric: Floats, present: NDArray[np.bool_], sample: float, seed: int) -> _Pairs:
    sizes = present.sum(axis=1)
    count = int((sizes * (sizes - 1) // 2).sum())
    if count * sample > MOST_PAIRS:
        hint = f"say `sample`, such as {10_000_000 / count:.2g}, or average by item"
        raise InputError(f"epsilon: best: {count:,} pairs of scores are too many to sort at once; {hint}")
    random = np.random.RandomState(seed) if sample < 1 else None
    parts = [_pairs(*part) for part in _members(human, metric, present, sample, random)]
    return _Pairs(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _pairs(group: Ints, human: Floats, metric: Floats) -> _Pairs:
    """Return pairs of the differences of their scores, [pairs] each."""
    return _Pairs(group, np.abs(metric), np.sign(human) == np.sign(metric), human == 0)


def _members(
    human: Floats, metric: Floats, present: NDArray[np.bool_], sample: float, random: np.random.RandomState | None
) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Yield the group and both differences of the pairs, in the order of groups and members."""
    if human.shape[1] <= 100:
        first, second = np.triu_indices(human.shape[1], 1)
        kept = present[:, first] & present[:, second]
        group, number = np.nonzero(kept)
        if random:
            drawn = random.random_sample(len(group)) <= sample
            group, number = group[drawn], number[drawn]
        one, two = first[number], second[number]
        yield group, human[group, one] - human[group, two], metric[group, one] - metric[group, two]
        return
    for row, own in enumerate(present):
        people, scores = human[row][own], metric[row][own]
        for place in range(len(people) - 1):
            rest = np.arange(place + 1, len(people))
            if random:
                rest = rest[random.random_sample(len(rest)) <= sample]
            yield np.full(len(rest), row), people[place] - people[rest], scores[place] - scores[rest]
