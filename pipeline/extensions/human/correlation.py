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
    """Return Pearson's product-moment correlation: float64 [...]. It is NaN where scores are
    constant.

    Where `present`, bool [..., systems], is false, the scores are 0 and do not count. A deviation
    from the mean that is smaller than the rounding of the scores counts as zero."""
    first = _deviations(one, present)
    second = _deviations(two, present)
    sizes = np.sqrt(_squares(first) * _squares(second))
    rounding = ROUNDING * np.sqrt(_squares(one))
    rounding = rounding * np.sqrt(_squares(two))
    products = (first * second).sum(axis=-1)
    coefficients: Floats = np.full(sizes.shape, np.nan)
    np.divide(products, sizes, out=coefficients, where=sizes > rounding)
    return coefficients.clip(-1, 1)


def _squares(values: Floats) -> Floats:
    squares: Floats = (values**2).sum(axis=-1)
    return squares


def _deviations(scores: Floats, present: Bools | None) -> Floats:
    """Return the deviations of scores from their mean, 0 for those that are not present."""
    if present is None:
        deviations: Floats = scores - scores.mean(axis=-1, keepdims=True)
        return deviations
    counts = np.maximum(present.sum(axis=-1), 1)
    means = scores.sum(axis=-1) / counts
    return np.where(present, scores - means[..., None], 0.0)


def average_ranks(values: Floats) -> Floats:
    """Return ranks, float64 [..., systems]. The lowest value has rank 1; equal values share the
    mean of their ranks.
    """
    rows = values[..., :, None]
    columns = values[..., None, :]
    lower = (columns < rows).sum(axis=-1)
    equal = (columns == rows).sum(axis=-1)
    ranks: Floats = lower + (equal + 1) / 2
    return ranks


def spearman(one: Floats, two: Floats) -> Floats:
    """Return Spearman's rank correlation, float64 [...]. Equal scores share the mean of their
    ranks.
    """
    return pearson(average_ranks(one), average_ranks(two))


def spearman_by_differences(one: Floats, two: Floats) -> Floats:
    """Return 1 - 6 sum(d^2) / (n (n^2 - 1)), where d is the difference of the ranks of a system:
    float64 [...].

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
    """Return for differences of two scorings which kind of pair each is: bool [...], true in one of
    the counts.

    Differences of the first scoring up to `epsilon` are a tie.
    """
    tied_one = np.abs(one) <= epsilon
    tied_two = two == 0
    alike = (one > 0) == (two > 0)
    untied = ~(tied_one | tied_two)
    return PairCounts(
        concordant=alike & untied,
        discordant=~alike & untied,
        ties_one=tied_one & ~tied_two,
        ties_two=tied_two & ~tied_one,
        ties_both=tied_one & tied_two,
    )


def pair_counts(
    one: Floats,
    two: Floats,
    present: Bools | None = None,
    epsilon: float = 0.0,
) -> PairCounts:
    """Count the pairs that two scorings order alike, differently, or tie.

    The first scoring may have more leading axes than the second. Systems count where `present` is
    true. Differences of the first scoring up to `epsilon` are a tie."""
    shape = (5, *one.shape[:-1])
    counts = np.zeros(shape, np.int64)
    # All pairs with the same distance at once, so that no array is larger than the scores.
    for distance in range(1, one.shape[-1]):
        first = one[..., distance:] - one[..., :-distance]
        second = two[..., distance:] - two[..., :-distance]
        kinds = pair_kinds(first, second, epsilon)
        counted: Bools | bool = True
        if present is not None:
            counted = present[..., distance:] & present[..., :-distance]
        for number, kind in enumerate(kinds):
            counts[number] += (kind & counted).sum(axis=-1)
    return PairCounts(*counts)


def kendall(one: Floats, two: Floats) -> Floats:
    """Return Kendall's tau-b, which corrects for ties: float64 [...] (Kendall 1945)."""
    counts = pair_counts(one, two)
    untied = counts.concordant + counts.discordant
    untied_one = untied + counts.ties_two
    untied_two = untied + counts.ties_one
    size = np.sqrt(untied_one.astype(np.float64) * untied_two)
    return quotient(counts.concordant - counts.discordant, size)


def pairwise_accuracy(metric: Floats, human: Floats) -> Floats:
    """Return the share of pairs of systems that metric and people order alike, or both tie: float64
    [...].

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
    """Return the systems, except those of `without`, that have a score in every column, in ASCII
    order.
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
    """Return the percentile interval of a coefficient over samples of the systems, drawn with
    replacement.

    Samples are left out where they have fewer than three different systems, or where the
    coefficient is NaN. Both ends are NaN where all samples are left out."""
    count = len(metric)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, count, (samples, count))
    in_order = np.sort(drawn, axis=1)
    is_new = np.diff(in_order, axis=1) > 0
    different = is_new.sum(axis=1) + 1
    drawn = drawn[different >= 3]
    one = metric[drawn]
    two = human[drawn]
    if name == "accuracy":
        # A pair of a system with itself, which both tie, does not count.
        counts = pair_counts(one, two)
        itself = pair_counts(drawn, drawn).ties_both
        agreeing = counts.concordant + counts.ties_both - itself
        others = np.sum(counts, axis=0) - itself
        values = agreeing / others
    else:
        values = COEFFICIENTS[name](one, two)
    return defined_interval(values, level)


class Window(NamedTuple):
    """Correlations on neighbouring systems in the human ranking."""

    first: int
    """The rank of the best of these systems, from 1."""
    last: int
    pearson: float
    spearman: float


def windows(metric: Floats, human: Floats, size: int) -> Iterator[Window]:
    """Yield the correlations on every `size` neighbouring systems, from the best on (Kobayashi et
    al. 2024, SEEDA).
    """
    order = np.argsort(-human, kind="stable")
    for low in range(len(order) - size + 1):
        systems = order[low : low + size]
        scores = metric[systems], human[systems]
        coefficients = correlate(*scores, names=("pearson", "spearman"))
        yield Window(low + 1, low + size, **coefficients)


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
    """Return Williams' test of two dependent Pearson correlations (Williams 1959; Graham and
    Baldwin 2014).

    The scores are float64 [systems]. t and p are NaN where a correlation is NaN, or there are fewer
    than four systems. Where the scores of one metric rise linearly with those of the other, t is 0
    and p is 0.5."""
    count = len(human)
    first = float(pearson(one, human))
    second = float(pearson(two, human))
    between = float(pearson(one, two))
    if count < 4 or math.isnan(first + second + between):
        return Williams(math.nan, math.nan, between)
    if abs(first - second) <= EQUAL and between >= 1 - EQUAL:
        return Williams(0.0, 0.5, between)
    squares = 1 - first**2 - second**2 - between**2
    rest = squares + 2 * first * second * between
    variance = 2 * max(rest, 0.0) * (count - 1) / (count - 3)
    variance += (first + second) ** 2 / 4 * (1 - between) ** 3
    if variance <= 0:
        return Williams(math.nan, math.nan, between)
    size = math.sqrt((count - 1) * (1 + between))
    t = (first - second) * size / math.sqrt(variance)
    return Williams(t, student_upper_tail(t, count - 3), between)


def student_upper_tail(t: float, freedom: float) -> float:
    """Return the probability that a Student variable is above t."""
    if math.isnan(t):
        return math.nan
    square = t * t
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

    That of scipy is the same to thirteen digits. This one stays for the bytes of run directories,
    and needs no extra."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)

    def away_from_zero(value: float) -> float:
        return value if abs(value) > 1e-300 else 1e-300

    front = math.lgamma(a + b)
    front -= math.lgamma(a)
    front -= math.lgamma(b)
    front += a * math.log(x)
    front += b * math.log1p(-x)
    fraction = 1.0
    upper = 1.0
    lower = 0.0
    for step in range(10_000):
        half = step // 2
        divisor = (a + step - 1) * (a + step)
        term = 1.0
        if step % 2:
            term = -(a + half) * (a + b + half) * x / divisor
        elif step:
            term = half * (b - half) * x / divisor
        lower = 1 / away_from_zero(1 + term * lower)
        upper = away_from_zero(1 + term / upper)
        fraction *= upper * lower
        if abs(upper * lower - 1) < 1e-16:
            break
    return math.exp(front) * (fraction - 1) / a
