"""Scores to ranks: ranges of ranks by bootstrap, clusters, and letters for who differs from whom."""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING

import numpy as np

from .bootstrap import cut

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

MAX_GROUPS = 1000
"""Groups of systems beyond which no letters are given."""


def rank_ranges(samples: NDArray[np.float64], level: float) -> list[tuple[int, int]]:
    """Return (best, worst) rank of each system, from scores of bootstrap samples: float64 [samples, systems].

    The extreme ranks are left out on both sides, as percentile_interval() does with scores: of 1,000 samples, at
    level 0.95, the 25 best and the 25 worst (Bojar et al. 2013, findings of WMT13, section 3).
    """
    keys = np.where(np.isnan(samples), -np.inf, samples)
    places = np.empty(samples.shape, np.int64)
    for number in range(samples.shape[1]):
        places[:, number] = 1 + (keys > keys[:, [number]]).sum(axis=1)
    places.sort(axis=0)
    outside = cut(len(samples), level)
    best, worst = places[outside].tolist(), places[len(samples) - 1 - outside].tolist()
    return list(zip(best, worst, strict=True))


def clusters(places: Sequence[int], ranges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the cluster of each system, from 1.

    In the order of places (ranks) a new one begins where the worst rank of all above is better than the best rank of
    all below; systems of one place stay together.
    """
    found = [0] * len(places)
    cluster = 1
    order = sorted(set(places))
    for above, place in zip([None, *order], order, strict=False):
        if above is not None:
            worst = max(rank[1] for own, rank in zip(places, ranges, strict=True) if own <= above)
            best = min(rank[0] for own, rank in zip(places, ranges, strict=True) if own >= place)
            cluster += worst < best
        for number, own in enumerate(places):
            if own == place:
                found[number] = cluster
    return found


def letters(places: Sequence[int], different: Collection[tuple[int, int]]) -> list[str]:
    """Return letters for systems: two share a letter unless they differ (compact letter display, Piepho 2004).

    places: their ranks; different: pairs (numbers of systems, in either order) whose difference is significant. The
    best system has an a. Where the groups are too many to tell ("" for all) the pairs alone say it.
    """
    pairs = {frozenset(pair) for pair in different}
    groups = [frozenset(range(len(places)))]
    for pair in sorted(tuple(sorted(pair)) for pair in pairs):
        split = [group for group in groups if not _both(pair, group)]
        split += [group - {number} for group in groups if _both(pair, group) for number in pair]
        groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
        if len(groups) > MAX_GROUPS:
            return [""] * len(places)
    groups.sort(key=lambda group: sorted((places[number], number) for number in group))
    names = [ascii_letters[i] if i < len(ascii_letters) else f"({i + 1})" for i in range(len(groups))]
    return ["".join(n for n, group in zip(names, groups, strict=True) if i in group) for i in range(len(places))]


def _both(pair: Sequence[int], group: Collection[int]) -> bool:
    """Whether both of a pair are in a group."""
    return all(number in group for number in pair)
