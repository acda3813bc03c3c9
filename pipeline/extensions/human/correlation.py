"""How well a metric agrees with people on systems: correlations, accuracy, intervals, windows,
Williams' test.

Scores are float64 [..., systems], where the leading axes are bootstrap samples. A correlation is
NaN where scores are constant, or where there are fewer than two systems."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.scoring import defined_interval

ROUNDING = 1e-14
"""A deviation from the mean that is smaller than this share of the scores is their rounding."""
EQUAL = 1e-12
"""Correlations that differ by less count as equal, and so do scores that differ by at most this
share of the larger."""


def equal_scores(one: Floats, two: Floats) -> Bools:
    """Return where scores are equal but for rounding, since 1/3 may be computed in two ways."""
    largest = np.maximum(np.abs(one), np.abs(two))
    return np.abs(one - two) <= EQUAL * largest


def quotient(part: Floats | Ints, total: Floats | Ints | int) -> Floats:
    """Return part / total, NaN where the total is 0."""
    undefined = np.full(np.shape(part), np.nan)
    is_defined = np.asarray(total) > 0
    return np.divide(part, total, out=undefined, where=is_defined)


def pearson(one: Floats, two: Floats, present: Bools | None = None) -> Floats:
    """Return Pearson's product-moment correlation over the last axis of two arrays of scores,
    float64 [..., systems]: float64 [...]. It is NaN where scores are constant.

    Where `present`, bool [..., systems], is false, the scores are 0 and do not count. Deviations
    from the mean that are smaller than the rounding of the scores count as zero."""
    deviations_one = _deviations(one, present)
    deviations_two = _deviations(two, present)
    products = (deviations_one * deviations_two).sum(axis=-1)
    norms = np.sqrt(_sum_squares(deviations_one) * _sum_squares(deviations_two))
    rounding = ROUNDING * np.sqrt(_sum_squares(one))
    rounding = rounding * np.sqrt(_sum_squares(two))
    coefficients: Floats = np.full(norms.shape, np.nan)
    np.divide(products, norms, out=coefficients, where=norms > rounding)
    return coefficients.clip(-1, 1)


def _sum_squares(values: Floats) -> Floats:
    sums: Floats = (values**2).sum(axis=-1)
    return sums


def _deviations(scores: Floats, present: Bools | None) -> Floats:
    """Return the deviations of scores from their mean, 0 for those that are not present."""
    if present is None:
        deviations: Floats = scores - scores.mean(axis=-1, keepdims=True)
        return deviations
    counts = np.maximum(present.sum(axis=-1), 1)
    means = scores.sum(axis=-1) / counts
    return np.where(present, scores - means[..., None], 0.0)


def average_ranks(values: Floats) -> Floats:
    """Return the ranks of values, both float64 [..., systems]. The lowest value has rank 1; equal
    values share the mean of their ranks.
    """
    # Each value with each other one of its row.
    value = values[..., :, None]
    other = values[..., None, :]
    lower_count = (other < value).sum(axis=-1)
    equal_count = (other == value).sum(axis=-1)
    ranks: Floats = lower_count + (equal_count + 1) / 2
    return ranks


def spearman(one: Floats, two: Floats) -> Floats:
    """Return Spearman's rank correlation, float64 [...]. Equal scores share the mean of their
    ranks.
    """
    return pearson(average_ranks(one), average_ranks(two))


def spearman_by_differences(one: Floats, two: Floats) -> Floats:
    """Return Spearman's rank correlation by its formula without ties, float64 [...]: 1 - 6 sum(d^2)
    / (n (n^2 - 1)), where d is the difference of a system's ranks and n the number of systems.

    This formula (Grundkiewicz et al. 2015) does not handle ties: of equal values the first has the
    lower rank. Without ties the result is that of spearman()."""
    count = one.shape[-1]
    differences = _ranks_from_0(one) - _ranks_from_0(two)
    squares = (differences**2).sum(axis=-1)
    return 1 - quotient(6 * squares, count * (count**2 - 1))


def mean_rank_difference(one: Floats, two: Floats) -> Floats:
    """Return by how many ranks the systems differ on average, float64 [...]. Of equal values the
    first ranks higher.
    """
    differences = _ranks_from_0(-one) - _ranks_from_0(-two)
    mean: Floats = np.abs(differences).mean(axis=-1)
    return mean


def _ranks_from_0(values: Floats) -> Ints:
    """Return ranks from 0, the lowest value first: int64 [..., systems]. Equal values keep their
    order.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    return np.argsort(order, axis=-1)


class PairCounts(NamedTuple):
    """How many pairs of systems two scorings order alike, differently, or tie: int64 [...] each."""

    concordant: Ints
    discordant: Ints
    ties_one: Ints
    """Pairs that only the first scoring ties."""
    ties_two: Ints
    """Pairs that only the second scoring ties."""
    ties_both: Ints


def pair_kinds(one: Floats, two: Floats, epsilon: float = 0.0) -> PairCounts:
    """Return which kind of pair each is, from the differences of its two scores by either scoring:
    masks, bool [...], of which one is true for a pair.

    Differences of the first scoring up to `epsilon` are a tie.
    """
    is_tie_one = np.abs(one) <= epsilon
    is_tie_two = two == 0
    is_untied = ~(is_tie_one | is_tie_two)
    same_order = (one > 0) == (two > 0)
    return PairCounts(
        concordant=same_order & is_untied,
        discordant=~same_order & is_untied,
        ties_one=is_tie_one & ~is_tie_two,
        ties_two=is_tie_two & ~is_tie_one,
        ties_both=is_tie_one & is_tie_two,
    )


def pair_counts(
    one: Floats,
    two: Floats,
    present: Bools | None = None,
    epsilon: float = 0.0,
) -> PairCounts:
    """Count the pairs of systems that two scorings, float64 [..., systems], order alike,
    differently, or tie: int64 [...] each.

    The first scoring may have more leading axes than the second. Where `present`, bool [...,
    systems], is false, pairs with the system do not count. Differences of the first scoring up to
    `epsilon` are a tie."""
    shape = (len(PairCounts._fields), *one.shape[:-1])
    counts = np.zeros(shape, np.int64)
    # All pairs with the same distance at once, so that no array is larger than the scores.
    for distance in range(1, one.shape[-1]):
        differences_one = one[..., distance:] - one[..., :-distance]
        differences_two = two[..., distance:] - two[..., :-distance]
        kinds = pair_kinds(differences_one, differences_two, epsilon)
        is_counted: Bools | bool = True
        if present is not None:
            is_counted = present[..., distance:] & present[..., :-distance]
        for index, is_kind in enumerate(kinds):
            counts[index] += (is_kind & is_counted).sum(axis=-1)
    return PairCounts(*counts)


def kendall(one: Floats, two: Floats) -> Floats:
    """Return Kendall's tau-b, which corrects for ties: float64 [...] (Kendall 1945)."""
    counts = pair_counts(one, two)
    untied = counts.concordant + counts.discordant
    untied_one = untied + counts.ties_two
    untied_two = untied + counts.ties_one
    divisor = np.sqrt(untied_one.astype(np.float64) * untied_two)
    return quotient(counts.concordant - counts.discordant, divisor)


def pairwise_accuracy(metric: Floats, human: Floats) -> Floats:
    """Return the share of pairs of systems that metric and people order alike, or both tie: float64
    [...]. Scores are float64 [..., systems].

    All pairs count, so a pair that only one of the two ties is a mistake. This is acc_eq, without
    calibration, of Deutsch et al. 2023 ("Ties matter")."""
    counts = pair_counts(metric, human)
    systems = metric.shape[-1]
    return quotient(
        counts.concordant + counts.ties_both, systems * (systems - 1) // 2
    )


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


def correlate(
    one: Floats,
    two: Floats,
    names: Iterable[str] = ALL_COEFFICIENTS,
) -> dict[str, float]:
    """Return coefficients of two scores, float64 [systems], by name. Where there is only one system
    all are NaN.
    """
    if len(one) < 2:
        return dict.fromkeys(names, math.nan)
    return {name: float(ALL_COEFFICIENTS[name](one, two)) for name in names}


def common_systems(
    columns: Iterable[Mapping[str, float]],
    without: Collection[str] = (),
) -> list[str]:
    """Return the systems, except those of `without`, that have a score (not NaN) in every column
    {system: score}, in ASCII order.
    """
    scored = []
    for column in columns:
        names = [
            name for name, score in column.items() if not math.isnan(score)
        ]
        scored.append(set(names))
    common = set.intersection(*scored)
    return sorted(common.difference(without))


def vector(column: Mapping[str, float], systems: Iterable[str]) -> Floats:
    """Return the scores of `systems` as an array, float64 [systems]."""
    return np.array([column[name] for name in systems])


def bootstrap_interval(
    metric: Floats,
    human: Floats,
    name: str,
    samples: int,
    level: float,
    seed: int,
) -> tuple[float, float]:
    """Return the percentile interval of the coefficient `name` between two scores, float64
    [systems], over samples of the systems, drawn with replacement.

    Samples are left out if they have fewer than three different systems, or if the coefficient is
    NaN. Both ends are NaN if all samples are left out."""
    systems = len(metric)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, systems, (samples, systems))
    in_order = np.sort(drawn, axis=1)
    is_new = np.diff(in_order, axis=1) > 0
    distinct = is_new.sum(axis=1) + 1
    drawn = drawn[distinct >= 3]
    metric_samples = metric[drawn]
    human_samples = human[drawn]
    if name == "accuracy":
        counts = pair_counts(metric_samples, human_samples)
        # A pair of a system with itself, which both tie, does not count.
        self_pairs = pair_counts(drawn, drawn).ties_both
        agreeing = counts.concordant + counts.ties_both - self_pairs
        all_pairs = np.sum(counts, axis=0) - self_pairs
        values = agreeing / all_pairs
    else:
        values = COEFFICIENTS[name](metric_samples, human_samples)
    return defined_interval(values, level)


class Window(NamedTuple):
    """Correlations on neighbouring systems in the human ranking."""

    first: int
    """The rank of the best of these systems, from 1."""
    last: int
    pearson: float
    spearman: float


def windows(metric: Floats, human: Floats, size: int) -> Iterator[Window]:
    """Yield the correlations of two scores, float64 [systems], on every `size` neighbouring systems
    in the human ranking, from the best on (Kobayashi et al. 2024, SEEDA).
    """
    order = np.argsort(-human, kind="stable")
    names = ("pearson", "spearman")
    for start in range(len(order) - size + 1):
        systems = order[start : start + size]
        coefficients = correlate(metric[systems], human[systems], names)
        yield Window(start + 1, start + size, **coefficients)


class Williams(NamedTuple):
    """Williams' test of whether the first metric's correlation with people is higher than the
    second's.
    """

    t: float
    """The statistic, which has three degrees of freedom less than there are systems."""
    p: float
    """One-sided."""
    between: float
    """The correlation of the two metrics."""


def williams(one: Floats, two: Floats, human: Floats) -> Williams:
    """Return Williams' test of whether metric `one` correlates (Pearson) higher with human scores
    than metric `two` (Williams 1959; Graham and Baldwin 2014).

    The scores are float64 [systems]. t and p are NaN if a correlation is NaN, or there are fewer
    than four systems. If the scores of one metric rise linearly with those of the other, t is 0 and
    p is 0.5."""
    systems = len(human)
    with_one = float(pearson(one, human))
    with_two = float(pearson(two, human))
    between = float(pearson(one, two))
    if systems < 4 or math.isnan(with_one + with_two + between):
        return Williams(math.nan, math.nan, between)
    if abs(with_one - with_two) <= EQUAL and between >= 1 - EQUAL:
        return Williams(0.0, 0.5, between)
    # The determinant of the matrix of the three correlations.
    determinant = 1 - with_one**2 - with_two**2 - between**2
    determinant += 2 * with_one * with_two * between
    variance = 2 * max(determinant, 0.0) * (systems - 1) / (systems - 3)
    variance += (with_one + with_two) ** 2 / 4 * (1 - between) ** 3
    if variance <= 0:
        return Williams(math.nan, math.nan, between)
    scale = math.sqrt((systems - 1) * (1 + between))
    t = (with_one - with_two) * scale / math.sqrt(variance)
    return Williams(t, student_upper_tail(t, systems - 3), between)


def student_upper_tail(t: float, freedom: float) -> float:
    """Return the probability that a variable with Student's t-distribution of so many degrees of
    freedom is above t; NaN for NaN.
    """
    if math.isnan(t):
        return math.nan
    square = t * t
    # `tail` is the probability above |t|.
    if abs(t) < 1:
        # From the share between -t and t: here the subtraction loses no digits.
        between = incomplete_beta(0.5, freedom / 2, square / (freedom + square))
        tail = 0.5 - 0.5 * between
    else:
        outside = incomplete_beta(
            freedom / 2, 0.5, freedom / (freedom + square)
        )
        tail = 0.5 * outside
    return tail if t >= 0 else 1 - tail


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by Lentz's continued fraction
    (DLMF 8.17.22).

    That of scipy is the same to thirteen digits, but would change the last digits of stored runs,
    and is an optional dependency."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # Beyond this point the fraction converges slowly: use the symmetry.
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)

    def away_from_zero(value: float) -> float:
        return value if abs(value) > 1e-300 else 1e-300

    log_factor = math.lgamma(a + b)
    log_factor -= math.lgamma(a)
    log_factor -= math.lgamma(b)
    log_factor += a * math.log(x)
    log_factor += b * math.log1p(-x)
    # Lentz: the ratios of successive numerators and (inverted) denominators.
    fraction = 1.0
    numerator_ratio = 1.0
    denominator_ratio = 0.0
    for step in range(10_000):
        half = step // 2
        divisor = (a + step - 1) * (a + step)
        term = 1.0
        if step % 2:
            term = -(a + half) * (a + b + half) * x / divisor
        elif step:
            term = half * (b - half) * x / divisor
        denominator_ratio = 1 / away_from_zero(1 + term * denominator_ratio)
        numerator_ratio = away_from_zero(1 + term / numerator_ratio)
        change = numerator_ratio * denominator_ratio
        fraction *= change
        if abs(change - 1) < 1e-16:
            break
    return math.exp(log_factor) * (fraction - 1) / a
