"""How well a metric agrees with people on systems: correlations, pairwise accuracy, intervals, moving windows.

Scores are float64 [..., systems]; leading axes are bootstrap samples. A correlation of constant scores, or of fewer
than two systems, is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..scoring.resampling.bootstrap import percentile_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ..arrays import Floats, Ints


def pearson(one: Floats, two: Floats) -> Floats:
    """Return Pearson's product-moment correlation: float64 [...]."""
    first, second = (values - values.mean(axis=-1, keepdims=True) for values in (one, two))
    sizes = np.sqrt((first**2).sum(axis=-1) * (second**2).sum(axis=-1))
    level = 1e-14 * _size(one) * _size(two)
    shared = (first * second).sum(axis=-1)
    found: Floats = np.divide(shared, sizes, out=np.full(sizes.shape, np.nan), where=sizes > level)
    return found.clip(-1, 1)


def _size(values: Floats) -> Floats:
    """Return the length of vectors: below its rounding a deviation is none."""
    size: Floats = np.sqrt((values**2).sum(axis=-1))
    return size


def average_ranks(values: Floats) -> Floats:
    """Return ranks from 1 for the lowest; equal values have the mean of theirs: float64 [..., systems]."""
    lower = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    same = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    found: Floats = lower + (same + 1) / 2
    return found


def spearman(one: Floats, two: Floats) -> Floats:
    """Return Spearman's rank correlation, ties with their mean rank: float64 [...]."""
    return pearson(average_ranks(one), average_ranks(two))


def spearman_by_differences(one: Floats, two: Floats) -> Floats:
    """Return 1 - 6 sum(d^2) / (n (n^2 - 1)), d the difference of places when sorted: float64 [...].

    Ties are not handled: of equal values the first is lower (the formula of Grundkiewicz et al. 2015). Equal to
    spearman() where there are none.
    """
    places = [np.argsort(np.argsort(values, axis=-1, kind="stable"), axis=-1) for values in (one, two)]
    count = one.shape[-1]
    squares = ((places[0] - places[1]) ** 2).sum(axis=-1)
    if count < 2:
        return np.full(squares.shape, np.nan)
    found: Floats = 1 - 6 * squares / (count * (count**2 - 1))
    return found


def mean_rank_difference(one: Floats, two: Floats) -> Floats:
    """Return by how many places the systems differ on average: float64 [...]. Of equal values the first is higher."""
    places = [np.argsort(np.argsort(-values, axis=-1, kind="stable"), axis=-1) for values in (one, two)]
    mean: Floats = np.abs(places[0] - places[1]).mean(axis=-1)
    return mean


class PairCounts(NamedTuple):
    """How two scorings order the pairs of systems: int64 [...] each.

    ties_one, ties_two: pairs that only one of them ties; ties_both: that both tie.
    """

    concordant: Ints
    discordant: Ints
    ties_one: Ints
    ties_two: Ints
    ties_both: Ints


def pair_counts(one: Floats, two: Floats) -> PairCounts:
    """Count the pairs that two scorings order alike, differently, or tie."""
    upper = np.triu_indices(one.shape[-1], 1)
    first, second = (np.sign(values[..., upper[0]] - values[..., upper[1]]) for values in (one, two))
    product = first * second
    found = (
        product > 0,
        product < 0,
        (first == 0) & (second != 0),
        (first != 0) & (second == 0),
        (first == 0) & (second == 0),
    )
    return PairCounts(*(marks.sum(axis=-1) for marks in found))


def kendall(one: Floats, two: Floats) -> Floats:
    """Return Kendall's tau-b, which corrects for ties: float64 [...] (Kendall 1945)."""
    counts = pair_counts(one, two)
    untied = counts.concordant + counts.discordant
    size = np.sqrt((untied + counts.ties_two).astype(np.float64) * (untied + counts.ties_one))
    difference = (counts.concordant - counts.discordant).astype(np.float64)
    found: Floats = np.divide(difference, size, out=np.full(size.shape, np.nan), where=size > 0)
    return found


def pairwise_accuracy(metric: Floats, human: Floats) -> Floats:
    """Return the share of pairs of systems that metric and people order alike, or both tie: float64 [...].

    All pairs count, so a tie of one alone is a mistake (Deutsch et al. 2023, "Ties matter", acc_eq, no calibration).
    """
    counts = pair_counts(metric, human)
    pairs = metric.shape[-1] * (metric.shape[-1] - 1) // 2
    if not pairs:
        return np.full(counts.concordant.shape, np.nan)
    found: Floats = (counts.concordant + counts.ties_both) / pairs
    return found


COEFFICIENTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "accuracy": pairwise_accuracy,
}
"""Agreement of a metric with people on systems, by name."""
ALL_COEFFICIENTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    **COEFFICIENTS,
    "spearman_by_differences": spearman_by_differences,
    "mean_rank_difference": mean_rank_difference,
}
"""With those that publications have beside them."""


def correlate(one: Floats, two: Floats, names: Iterable[str] = ALL_COEFFICIENTS) -> dict[str, float]:
    """Return coefficients of two scores of the same systems, by name: float64 [systems]. Of one system all are NaN."""
    if len(one) < 2:
        return dict.fromkeys(names, math.nan)
    return {name: float(ALL_COEFFICIENTS[name](one, two)) for name in names}


def common_systems(columns: Iterable[Mapping[str, float]], without: Collection[str] = ()) -> list[str]:
    """Return the systems that have a score in every column, but for some, in ASCII order."""
    scored = [{name for name, score in column.items() if not math.isnan(score)} for column in columns]
    return sorted(set.intersection(*scored).difference(without))


def vector(column: Mapping[str, float], systems: Iterable[str]) -> Floats:
    """Return the scores of these systems: float64 [systems]."""
    return np.array([column[name] for name in systems])


def bootstrap_interval(
    metric: Floats, human: Floats, name: str, samples: int, level: float, seed: int
) -> tuple[float, float]:
    """Return the percentile interval of a coefficient over samples of the systems, drawn with replacement.

    Samples with fewer than three different systems, or without a correlation, are left out; NaN where all are.
    """
    drawn = np.random.default_rng(seed).integers(0, len(metric), (samples, len(metric)))
    drawn = drawn[(np.diff(np.sort(drawn, axis=1), axis=1) > 0).sum(axis=1) >= 2]
    if not len(drawn):
        return math.nan, math.nan
    found = COEFFICIENTS[name](metric[drawn], human[drawn])
    if name == "accuracy":  # a system drawn twice is no pair
        found = _accuracy_of_distinct(metric[drawn], human[drawn], drawn)
    found = found[~np.isnan(found)]
    if not len(found):
        return math.nan, math.nan
    low, high = percentile_interval(found, level)
    return float(low), float(high)


def _accuracy_of_distinct(metric: Floats, human: Floats, drawn: Ints) -> Floats:
    upper = np.triu_indices(metric.shape[-1], 1)
    signs = [np.sign(values[:, upper[0]] - values[:, upper[1]]) for values in (metric, human)]
    distinct = drawn[:, upper[0]] != drawn[:, upper[1]]
    right = ((signs[0] == signs[1]) & distinct).sum(axis=1)
    pairs = distinct.sum(axis=1)
    found: Floats = np.divide(right, pairs, out=np.full(len(drawn), np.nan), where=pairs > 0)
    return found


class Window(NamedTuple):
    """Correlations of some neighbours in the human ranking: number of the first place, from 1, and of the last."""

    first: int
    last: int
    pearson: float
    spearman: float


def windows(metric: Floats, human: Floats, size: int) -> Iterator[Window]:
    """Yield the correlations of every `size` neighbouring systems, the best first (Kobayashi et al. 2024, SEEDA)."""
    order = np.argsort(-human, kind="stable")
    for low in range(len(order) - size + 1):
        kept = order[low : low + size]
        yield Window(low + 1, low + size, **correlate(metric[kept], human[kept], ("pearson", "spearman")))
