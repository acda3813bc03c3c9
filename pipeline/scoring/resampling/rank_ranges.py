"""Ranges of ranks by bootstrap, clusters of systems, and letters that show which systems differ."""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from .bootstrap import cut

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

MAX_GROUPS = 1000
"""No letters are given where there would be more groups of systems than this."""


def rank_ranges(samples: NDArray[np.float64], level: float) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system in scores of bootstrap samples, float64 [samples, systems].

    Extreme ranks are left out on both sides, as percentile_interval() does with scores. Of 1,000 samples, at level
    0.95, these are the 25 best and the 25 worst ranks (Bojar et al. 2013, findings of WMT13, section 3).
    """
    keys = np.where(np.isnan(samples), -np.inf, samples)
    ranks = np.empty(samples.shape, np.int64)
    for number in range(samples.shape[1]):
        ranks[:, number] = 1 + (keys > keys[:, [number]]).sum(axis=1)
    ranks.sort(axis=0)
    outside = cut(len(samples), level)
    best, worst = ranks[outside].tolist(), ranks[len(samples) - 1 - outside].tolist()
    return list(zip(best, worst, strict=True))


def clusters(ranks: Sequence[int], ranges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of each system's cluster, from 1.

    In the order of ranks, a new cluster begins where the worst rank of all systems above is better than the best rank
    of all systems below. `ranges` are those ranks of each system. Systems with the same rank are in one cluster.
    """
    numbers = [0] * len(ranks)
    cluster = 1
    order = sorted(set(ranks))
    for above, rank in zip([None, *order], order, strict=False):
        if above is not None:
            worst = max(bounds[1] for own, bounds in zip(ranks, ranges, strict=True) if own <= above)
            best = min(bounds[0] for own, bounds in zip(ranks, ranges, strict=True) if own >= rank)
            cluster += worst < best
        for number, own in enumerate(ranks):
            if own == rank:
                numbers[number] = cluster
    return numbers


def letters(ranks: Sequence[int], different: Collection[tuple[int, int]]) -> list[str]:
    """Return letters for systems: two systems share a letter unless they differ (compact letter display, Piepho 2004).

    `different` are the pairs of systems (their numbers, in either order) whose difference is significant. The best
    system, by its rank, has an a. Where there would be more than MAX_GROUPS letters, all systems get an empty text.
    """
    pairs = {frozenset(pair) for pair in different}
    groups = [frozenset(range(len(ranks)))]
    for pair in sorted(tuple(sorted(pair)) for pair in pairs):
        split = [group for group in groups if not _both(pair, group)]
        split += [group - {number} for group in groups if _both(pair, group) for number in pair]
        groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
        if len(groups) > MAX_GROUPS:
            return [""] * len(ranks)
    groups.sort(key=lambda group: sorted((ranks[number], number) for number in group))
    names = [ascii_letters[i] if i < len(ascii_letters) else f"({i + 1})" for i in range(len(groups))]
    return ["".join(n for n, group in zip(names, groups, strict=True) if i in group) for i in range(len(ranks))]


def _both(pair: Sequence[int], group: Collection[int]) -> bool:
    """Whether both of a pair are in a group."""
    return all(number in group for number in pair)
