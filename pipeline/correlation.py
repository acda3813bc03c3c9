"""How well a metric agrees with people: correlations, pairwise accuracy, intervals, Williams' test, moving windows.

Scores are float64 [..., systems]; leading axes are bootstrap samples. A correlation of constant scores, or of fewer than
two systems, is NaN.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from .resample import percentile_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

Ties = Literal["later", "wrong", "half", "out"]
TIES: dict[Ties, str] = {
    "later": "the system whose name is later in ASCII order counts as preferred (gec-metrics)",
    "wrong": "counts as a disagreement",
    "half": "counts half as agreement, half as disagreement",
    "out": "is left out",
}
"""What an equal score of the metric means for a pair that people do not tie."""
EQUAL = 1e-12
"""Scores that agree to this share of the larger are equal: 1/3 may be computed in two ways."""


def pearson(one: Floats, two: Floats) -> Floats:
    """Return Pearson's product-moment correlation: float64 [...]."""
    first, second = (values - values.mean(axis=-1, keepdims=True) for values in (one, two))
    sizes = np.sqrt((first**2).sum(axis=-1) * (second**2).sum(axis=-1))
    level = 1e-14 * values_size(one) * values_size(two)
    shared = (first * second).sum(axis=-1)
    return np.clip(np.divide(shared, sizes, out=np.full(sizes.shape, np.nan), where=sizes > level), -1, 1)


def values_size(values: Floats) -> Floats:
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
    return 1 - 6 * squares / (count * (count**2 - 1))


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
    return np.divide(difference, size, out=np.full(size.shape, np.nan), where=size > 0)


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
    return np.divide(right, pairs, out=np.full(len(drawn), np.nan), where=pairs > 0)


class Williams(NamedTuple):
    """Williams' test: is the first metric's correlation with people higher than the second's?

    t has systems - 3 degrees of freedom; p is one-sided; between: the correlation of the two metrics.
    """

    t: float
    p: float
    between: float


def williams(one: Floats, two: Floats, human: Floats) -> Williams:
    """Return Williams' test of two dependent Pearson correlations (Williams 1959; Graham and Baldwin 2014).

    one, two, human: float64 [systems]. NaN where a correlation is none, or there are fewer than four systems; two metrics
    that order and space the systems alike have t 0 and p 0.5.
    """
    count = len(human)
    first, second, between = (float(pearson(*pair)) for pair in ((one, human), (two, human), (one, two)))
    if count < 4 or any(math.isnan(value) for value in (first, second, between)):
        return Williams(math.nan, math.nan, between)
    if abs(first - second) <= EQUAL and between >= 1 - EQUAL:
        return Williams(0.0, 0.5, between)
    rest = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    below = 2 * max(rest, 0.0) * (count - 1) / (count - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    above = (first - second) * math.sqrt((count - 1) * (1 + between))
    if below <= 0:
        return Williams(math.nan, math.nan, between)
    t = above / math.sqrt(below)
    return Williams(t, student_upper_tail(t, count - 3), between)


def student_upper_tail(t: float, freedom: float) -> float:
    """Return the probability that a Student variable is above t."""
    if math.isnan(t):
        return math.nan
    if abs(t) < 1:  # the share between -t and t, where 1 less it loses no digits
        tail = 0.5 - 0.5 * incomplete_beta(0.5, freedom / 2, t * t / (freedom + t * t))
    else:
        tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))
    return tail if t >= 0 else 1 - tail


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    least = 1e-300
    found, upper, lower = 1.0, 1.0, 0.0
    for step in range(10_000):
        half = step // 2
        if step == 0:
            term = 1.0
        elif step % 2:
            term = -(a + half) * (a + b + half) * x / ((a + step - 1) * (a + step))
        else:
            term = half * (b - half) * x / ((a + step - 1) * (a + step))
        lower = 1 / _away_from_zero(1 + term * lower, least)
        upper = _away_from_zero(1 + term / upper, least)
        found *= upper * lower
        if abs(upper * lower - 1) < 1e-16:
            break
    return math.exp(front) * (found - 1) / a


def _away_from_zero(value: float, least: float) -> float:
    return value if abs(value) > least else least


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
        found = (float(score(metric[kept], human[kept])) for score in (pearson, spearman))
        yield Window(low + 1, low + size, *found)


class SentencePairs(NamedTuple):
    """Pairs of systems on a sentence that people do not tie: int64 [pairs]; better, worse: numbers of systems."""

    better: Ints
    worse: Ints
    line: Ints


def preferences(scores: Floats, pairs: SentencePairs, ties: Ties = "later") -> Floats:
    """Return for each pair how far the metric agrees: 1, 0, 0.5; NaN where the pair is left out: float64 [pairs].

    scores: float64 [systems, lines], systems in ASCII order of their names.
    """
    one, two = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    same = np.abs(one - two) <= EQUAL * np.maximum(np.abs(one), np.abs(two))
    tied = {"later": pairs.better > pairs.worse, "wrong": 0.0, "half": 0.5, "out": math.nan}[ties]
    return np.where(same, tied, (one > two).astype(np.float64))


class SentenceLevel(NamedTuple):
    """Agreement on pairs of outputs for one sentence: accuracy and Kendall's tau = agreeing less disagreeing, as shares.

    intervals: by bootstrap over the sentences.
    """

    accuracy: float
    kendall: float
    pairs: int
    metric_ties: int
    accuracy_interval: tuple[float, float]
    kendall_interval: tuple[float, float]


def sentence_level(
    scores: Floats, pairs: SentencePairs, ties: Ties, samples: int, level: float, seed: int
) -> SentenceLevel:
    """Return how far sentence scores agree with judgements; scores: float64 [systems, lines]."""
    agree = preferences(scores, pairs, ties)
    counted = ~np.isnan(agree)
    lines = scores.shape[1]
    right = np.bincount(pairs.line[counted], agree[counted], minlength=lines)
    tried = np.bincount(pairs.line[counted], minlength=lines)
    judged = tried > 0
    right, tried = right[judged], tried[judged]
    one, two = scores[pairs.better, pairs.line], scores[pairs.worse, pairs.line]
    same = int((np.abs(one - two) <= EQUAL * np.maximum(np.abs(one), np.abs(two))).sum())
    if not len(tried):
        nothing = math.nan, math.nan
        return SentenceLevel(math.nan, math.nan, 0, same, nothing, nothing)
    accuracy = float(right.sum() / tried.sum())
    generator, drawn = np.random.default_rng(seed), np.empty(samples)
    for number in range(samples):
        kept = generator.integers(0, len(tried), len(tried))
        drawn[number] = right[kept].sum() / tried[kept].sum()
    low, high = (float(bound) for bound in percentile_interval(drawn, level))
    interval, doubled = (low, high), (2 * low - 1, 2 * high - 1)
    return SentenceLevel(accuracy, 2 * accuracy - 1, int(tried.sum()), same, interval, doubled)
