"""How often two scorings of outputs order a pair alike, differently, or tie: counted within groups of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..correlation import PairCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats, Ints

SORTED_FROM = 100
"""Groups of this size or larger are counted by sorting, and not pair by pair."""
BLOCK = 32


def kinds(human: Floats, metric: Floats, epsilon: float = 0.0) -> PairCounts:
    """Return for differences of scores, of one shape, which kind of pair each is: true in one of the counts."""
    tied, human_tied = np.abs(metric) <= epsilon, human == 0
    alike, untied = (human > 0) == (metric > 0), ~(tied | human_tied)
    both: tuple[Any, ...] = (alike & untied, ~alike & untied, tied & ~human_tied, human_tied & ~tied, tied & human_tied)
    return PairCounts(*both)


def counts_within(
    human: Floats, metric: Floats, present: NDArray[np.bool_], epsilon: float = 0.0, least: float = 0.0
) -> PairCounts:
    """Count the pairs within each group: int64 [..., groups]. The first scoring of PairCounts is that of the metric.

    Scores of people are float64 [groups, members], scores of the metric [..., groups, members]. Scores of the metric
    that differ by `epsilon` or less are a tie. Only pairs whose scores of people differ by at least `least` count.
    """
    if epsilon == least == 0 and human.shape[-1] >= SORTED_FROM:
        return _sorted_counts(human, metric, present)
    counts = np.zeros((5, *metric.shape[:-1]), np.int64)
    for step in range(1, human.shape[-1]):  # pairs of members so far apart, so that no array is larger than the scores
        people = human[:, step:] - human[:, :-step]
        counted = present[:, step:] & present[:, :-step] & (np.abs(people) >= least)
        for number, kind in enumerate(kinds(people, metric[..., step:] - metric[..., :-step], epsilon)):
            counts[number] += (kind & counted).sum(axis=-1)
    return PairCounts(*counts)


def _sorted_counts(human: Floats, metric: Floats, present: NDArray[np.bool_]) -> PairCounts:
    """Count pairs in n log n steps for each group of n members."""
    shape = metric.shape[:-1]
    rows = metric.reshape(-1, *metric.shape[-2:])
    table = [_counts(own[group][kept], human[group][kept]) for own in rows for group, kept in enumerate(present)]
    return PairCounts(*np.array(table, np.int64).reshape(*shape, 5).transpose(-1, *range(len(shape))))


def _counts(metric: Floats, human: Floats) -> tuple[int, int, int, int, int]:
    """Return the counts of PairCounts of two vectors (Knight 1966)."""
    order = np.lexsort((human, metric))
    one, two = metric[order], human[order]
    ranks = np.unique(two, return_inverse=True)[1]
    same_one, same_two = one[1:] == one[:-1], two[1:] == two[:-1]
    tied_one, both = _tied_pairs(same_one), _tied_pairs(same_one & same_two)
    in_order = np.sort(ranks)
    tied_two = _tied_pairs(in_order[1:] == in_order[:-1])
    discordant = inversions(ranks)
    pairs = len(one) * (len(one) - 1) // 2
    concordant = pairs - discordant - tied_one - tied_two + both
    return concordant, discordant, tied_one - both, tied_two - both, both


def _tied_pairs(same: NDArray[np.bool_]) -> int:
    """Return how many pairs of a sorted vector are ties, from where a member equals the one before it."""
    places = np.arange(len(same) + 1)
    begin = np.maximum.accumulate(np.where(np.concatenate([[False], same]), 0, places))
    return int((places - begin).sum())


def inversions(ranks: Ints) -> int:
    """Return how many pairs of a vector of ranks from 0 come in falling order: counted in blocks that are merged."""
    size = BLOCK
    top = len(ranks)  # larger than every rank, so that what fills the last block comes in order
    blocks = np.full(-(-top // size) * size, top, np.int64)
    blocks[:top] = ranks
    rows = blocks.reshape(-1, size)
    falling = sum(int((rows[:, :-step] > rows[:, step:]).sum()) for step in range(1, size))
    rows = np.sort(rows, axis=1)
    while len(rows) > 1:
        if len(rows) % 2:
            rows = np.concatenate([rows, np.full((1, size), top)])
        left, right = rows[::2], rows[1::2]
        above = np.arange(len(left))[:, None] * (top + 1)
        places = np.searchsorted((left + above).reshape(-1), (right + above).reshape(-1), side="right")
        before = np.repeat(np.arange(len(left)) * size, size)
        falling += int((size - (places - before)).sum())
        rows = np.sort(rows.reshape(-1, 2 * size), axis=1, kind="stable")
        size *= 2
    return falling
