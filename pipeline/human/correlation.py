"""How well a metric agrees with people on systems: correlations, pairwise accuracy, intervals, moving windows.

Scores are float64 [..., systems], where the leading axes are bootstrap samples. A correlation is NaN where scores are
constant, or where there are fewer than two systems.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..scoring.resampling.intervals import percentile_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from ..arrays import Floats, Ints


def pearson(one: Floats, two: Floats) -> Floats:
    """Return Pearson's product-moment correlation: float64 [...]."""
    first, second = (values - values.mean(axis=-1, keepdims=True) for values in (one, two))
    sizes = np.sqrt((first**2).sum(axis=-1) * (second**2).sum(axis=-1))
    level = 1e-14 * _size(one) * _size(two)
    shared = (first * second).sum(axis=-1)
    coefficients: Floats = np.divide(shared, sizes, out=np.full(sizes.shape, np.nan), where=sizes > level)
    return coefficients.clip(-1, 1)


def _size(values: Floats) -> Floats:
    """Return the lengths of vectors. A deviation that is smaller than their rounding counts as zero."""
    size: Floats = np.sqrt((values**2).sum(axis=-1))
    return size


def average_ranks(values: Floats) -> Floats:
    """Return ranks, float64 [..., systems]. The lowest value has rank 1; equal values share the mean of their ranks."""
    lower = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    same = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    ranks: Floats = lower + (same + 1) / 2
    return ranks


def spearman(one: Floats, two: Floats) -> Floats:
    """Return Spearman's rank correlation, float64 [...]. Equal scores share the mean of their ranks."""
    return pearson(average_ranks(one), average_ranks(two))


def spearman_by_differences(one: Floats, two: Floats) -> Floats:
    """Return 1 - 6 sum(d^2) / (n (n^2 - 1)), where d is the difference of the ranks of a system: float64 [...].

    This formula (Grundkiewicz et al. 2015) does not handle ties: of equal values the first has the lower rank. Without
    ties the result is that of spearman().
    """
    ranks = [np.argsort(np.argsort(values, axis=-1, kind="stable"), axis=-1) for values in (one, two)]
    count = one.shape[-1]
    squares = ((ranks[0] - ranks[1]) ** 2).sum(axis=-1)
    if count < 2:
        return np.full(squares.shape, np.nan)
    coefficients: Floats = 1 - 6 * squares / (count * (count**2 - 1))
    return coefficients


def mean_rank_difference(one: Floats, two: Floats) -> Floats:
    """Return by how many ranks the systems differ on average, float64 [...]. Of equal values the first ranks higher."""
    ranks = [np.argsort(np.argsort(-values, axis=-1, kind="stable"), axis=-1) for values in (one, two)]
    mean: Floats = np.abs(ranks[0] - ranks[1]).mean(axis=-1)
    return mean


class PairCounts(NamedTuple):
    """How many pairs of systems two scorings order alike, differently, or tie: int64 [...] each."""

    concordant: Ints
    discordant: Ints
    ties_one: Ints
    """Pairs that only the first scoring ties."""
    ties_two: Ints
    """Pairs that only the second scoring ties."""
    ties_both: Ints


def pair_counts(one: Floats, two: Floats) -> PairCounts:
    """Count the pairs that two scorings order alike, differently, or tie."""
    upper = np.triu_indices(one.shape[-1], 1)
    first, second = (np.sign(values[..., upper[0]] - values[..., upper[1]]) for values in (one, two))
    product = first * second
    ties_one, ties_two = first == 0, second == 0
    kinds = (product > 0, product < 0, ties_one & ~ties_two, ties_two & ~ties_one, ties_one & ties_two)
    return PairCounts(*(pairs.sum(axis=-1) for pairs in kinds))


def kendall(one: Floats, two: Floats) -> Floats:
    """Return Kendall's tau-b, which corrects for ties: float64 [...] (Kendall 1945)."""
    counts = pair_counts(one, two)
    untied = counts.concordant + counts.discordant
    size = np.sqrt((untied + counts.ties_two).astype(np.float64) * (untied + counts.ties_one))
    difference = (counts.concordant - counts.discordant).astype(np.float64)
    coefficients: Floats = np.divide(difference, size, out=np.full(size.shape, np.nan), where=size > 0)
    return coefficients


def pairwise_accuracy(metric: Floats, human: Floats) -> Floats:
    """Return the share of pairs of systems that metric and people order alike, or both tie: float64 [...].

    All pairs count, so a pair that only one of the two ties is a mistake. This is acc_eq, without calibration, of
    Deutsch et al. 2023 ("Ties matter").
    """
    counts = pair_counts(metric, human)
    pairs = metric.shape[-1] * (metric.shape[-1] - 1) // 2
    if not pairs:
        return np.full(counts.concordant.shape, np.nan)
    shares: Floats = (counts.concordant + counts.ties_both) / pairs
    return shares


COEFFICIENTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "accuracy": pairwise_accuracy,
}
"""The coefficients of agreement that the section `human` has, by name."""
ALL_COEFFICIENTS: dict[str, Callable[[Floats, Floats], Floats]] = {
    **COEFFICIENTS,
    "spearman_by_differences": spearman_by_differences,
    "mean_rank_difference": mean_rank_difference,
}
"""The same, with the coefficients that only publications have."""


def correlate(one: Floats, two: Floats, names: Iterable[str] = ALL_COEFFICIENTS) -> dict[str, float]:
    """Return coefficients of two scores, float64 [systems], by name. Where there is only one system all are NaN."""
    if len(one) < 2:
        return dict.fromkeys(names, math.nan)
    return {name: float(ALL_COEFFICIENTS[name](one, two)) for name in names}


def common_systems(columns: Iterable[Mapping[str, float]], without: Collection[str] = ()) -> list[str]:
    """Return the systems, except those of `without`, that have a score in every column, in ASCII order."""
    scored = [{name for name, score in column.items() if not math.isnan(score)} for column in columns]
    return sorted(set.intersection(*scored).difference(without))


def vector(column: Mapping[str, float], systems: Iterable[str]) -> Floats:
    """Return the scores of `systems` as an array, float64 [systems]."""
    return np.array([column[name] for name in systems])


def bootstrap_interval(
    metric: Floats, human: Floats, name: str, samples: int, level: float, seed: int
) -> tuple[float, float]:
    """Return the percentile interval of a coefficient over samples of the systems, drawn with replacement.

    Samples are left out where they have fewer than three different systems, or where the coefficient is NaN. Both ends
    are NaN where all samples are left out.
    """
    drawn = np.random.default_rng(seed).integers(0, len(metric), (samples, len(metric)))
    drawn = drawn[(np.diff(np.sort(drawn, axis=1), axis=1) > 0).sum(axis=1) >= 2]
    if not len(drawn):
        return math.nan, math.nan
    if name == "accuracy":
        values = _accuracy_of_distinct(metric[drawn], human[drawn], drawn)
    else:
        values = COEFFICIENTS[name](metric[drawn], human[drawn])
    values = values[~np.isnan(values)]
    if not len(values):
        return math.nan, math.nan
    low, high = percentile_interval(values, level)
    return float(low), float(high)


def _accuracy_of_distinct(metric: Floats, human: Floats, drawn: Ints) -> Floats:
    """Return the pairwise accuracy of samples, without the pairs of a system with itself."""
    upper = np.triu_indices(metric.shape[-1], 1)
    signs = [np.sign(values[:, upper[0]] - values[:, upper[1]]) for values in (metric, human)]
    distinct = drawn[:, upper[0]] != drawn[:, upper[1]]
    right = ((signs[0] == signs[1]) & distinct).sum(axis=1)
    pairs = distinct.sum(axis=1)
    shares: Floats = np.divide(right, pairs, out=np.full(len(drawn), np.nan), where=pairs > 0)
    return shares


class Window(NamedTuple):
    """Correlations on neighbours in the human ranking."""

    first: int
    """The rank of the first of them, from 1."""
    last: int
    """The rank of the last of them."""
    pearson: float
    spearman: float


def windows(metric: Floats, human: Floats, size: int) -> Iterator[Window]:
    """Yield the correlations on every `size` neighbouring systems, from the best on (Kobayashi et al. 2024, SEEDA)."""
    order = np.argsort(-human, kind="stable")
    for low in range(len(order) - size + 1):
        kept = order[low : low + size]
        yield Window(low + 1, low + size, **correlate(metric[kept], human[kept], ("pearson", "spearman")))
