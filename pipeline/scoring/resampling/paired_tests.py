"""Paired tests of the difference between two systems, and corrections for several tests.

Approximate randomisation and paired bootstrap have sacreBLEU's definitions and random stream, with
one exception: for two systems that are equal on every sentence p is 1, where sacreBLEU has 1 /
(trials + 1)."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ..sums import Summand
from .intervals import room_beside
from .samples import Bytes, Far, Groups, Progress, Shuffles

Pair = tuple[int, int]
"""The numbers of two systems that are compared."""
TIE = 1e-12
"""Two numbers are taken for equal up to this difference, relative to the larger one, since both are
rounded."""
SIGNS = ((0.01, "#"), (0.05, "+"), (0.10, "*"))
"""Marks for p-values, each with its upper bound, as in the findings of WMT and in Grundkiewicz et
al. 2015."""
EXACT = 1000
"""Up to so many trials, the binomial distribution is summed in whole numbers."""


def mark(p: float) -> str:
    """Return the mark of a p-value, or an empty text where it has none."""
    return next((sign for top, sign in SIGNS if p <= top), "")


def approximate_randomization(
    parts: Sequence[Summand],
    scores: Sequence[float],
    pairs: Sequence[Pair],
    lines: int,
    trials: int,
    seed: int,
    progress: Progress | None = None,
    threads: int = 1,
    far: Far | None = None,
) -> list[float]:
    """Return the two-sided p = (c + 1) / (trials + 1) of each pair of systems (Riezler and Maxwell
    2005).

    In each trial the outputs of each sentence are swapped between the systems with probability 1/2.
    c is the number of trials whose absolute difference of scores is above that of the real
    `scores`. All pairs share the trials, so that one pass over the sentences is enough. Both
    systems have the same draws of references: those of iteration t for trial t, and turns of
    them."""
    real = np.array([abs(scores[one] - scores[two]) for one, two in pairs])
    margins = TIE * np.array([max(abs(scores[one]), abs(scores[two])) for one, two in pairs])

    def differences(low: int, kept: Bytes) -> Iterator[Floats]:
        totals = [summand.weighted(kept, low) for summand in parts]
        for pair in pairs:
            difference: Floats = np.zeros(1)
            for summand, (own, whole) in zip(parts, totals, strict=True):
                one, two = (list(summand.numbers).index(number) for number in pair)
                left = whole - own
                first = summand.score(own[:, :, one] + left[:, :, two])
                second = summand.score(left[:, :, one] + own[:, :, two])
                difference = difference + summand.shares[one] * (first - second)
            yield np.abs(difference)

    def larger_differences(low: int, kept: Bytes) -> list[int]:
        """Return for each pair in how many of some trials the difference is above the real one."""
        trial_differences = zip(differences(low, kept), real, margins, strict=True)
        return [int((values > least + margin).sum()) for values, least, margin in trial_differences]

    shuffles = Groups(
        Shuffles(lines, seed), trials, threads=threads, space=room_beside(parts, threads), far=far
    )
    counts = shuffles.results(larger_differences, progress)
    return [(sum(of_pair) + 1) / (trials + 1) for of_pair in zip(*counts, strict=True)]


def paired_bootstrap(
    samples: Floats, scores: Sequence[float], pairs: Sequence[Pair]
) -> list[float]:
    """Return p = (c + 1) / (samples + 1) of each pair of systems, from scores of bootstrap samples.

    `samples` is float64 [samples, systems]. c is the number of samples whose absolute difference,
    minus the mean of these, is above the real difference (Moses,
    bootstrap-hypothesis-difference-significance.pl; sacreBLEU)."""
    values = []
    for one, two in pairs:
        differences = np.abs(samples[:, two] - samples[:, one])
        near = TIE * max(abs(scores[one]), abs(scores[two]))
        count = (differences - differences.mean() > abs(scores[two] - scores[one]) + near).sum()
        values.append((int(count) + 1) / (len(samples) + 1))
    return values


class Sentencewise(NamedTuple):
    """How two systems compare sentence by sentence."""

    wins: int
    """How many sentences score higher in the first system."""
    losses: int
    """How many sentences score lower in the first system."""
    ties: int
    cohen_d: float
    """Cohen's d of paired samples, the mean of the differences of sentence scores divided by their
    deviation.

    It is 0 where both are 0, NaN where only the deviation (with n - 1) is."""


def sentencewise(blocks: Iterable[Floats], pairs: Sequence[Pair]) -> list[Sentencewise]:
    """Compare pairs of systems by their sentence scores: blocks of float64 [systems, lines], which
    are read once.

    Scores that differ by at most TIE, relative to the larger one, are taken for equal.
    """
    counts, lines = np.zeros((len(pairs), 2), np.int64), 0
    totals, squares = ([list[float]() for _ in pairs] for _ in range(2))
    for block in blocks:
        lines += block.shape[1]
        for number, (one, two) in enumerate(pairs):
            difference = block[one] - block[two]
            size = np.maximum(np.abs(block[one]), np.abs(block[two]))
            difference = np.where(np.abs(difference) <= TIE * size, 0.0, difference)
            counts[number] += (difference > 0).sum(), (difference < 0).sum()
            totals[number].append(float(difference.sum()))
            squares[number].append(float((difference**2).sum()))
    compared = []
    sums = zip(counts.tolist(), map(math.fsum, totals), map(math.fsum, squares), strict=True)
    for (wins, losses), total, square in sums:
        mean = total / lines
        left = square - total * mean  # 0, except for rounding, where all differences are the same
        variance = left / (lines - 1) if lines > 1 and left > TIE * square else 0.0
        cohen_d = mean / math.sqrt(variance) if variance > 0 else 0.0 if mean == 0 else math.nan
        compared.append(Sentencewise(wins, losses, lines - wins - losses, cohen_d))
    return compared


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p of the exact binomial test of wins against losses. It is 1 where there
    are none.
    """
    fewer, trials = min(wins, losses), wins + losses
    return 1.0 if wins == losses else min(1.0, 2 * binomial_tail(fewer, trials))


def binomial_tail(successes: int, trials: int) -> float:
    """Return the probability of at most `successes` heads in `trials` tosses of a coin, for
    successes <= trials / 2.

    For more than EXACT trials the terms are multiples of that of `successes`, each made of the one
    beside it, and all of them together are 1. Below 1e-307 or so the result is 0."""
    if trials <= EXACT:
        return float(sum(math.comb(trials, heads) for heads in range(successes + 1)) / 2**trials)
    fewer, more = np.arange(successes, 0, -1), np.arange(successes, trials)
    with np.errstate(over="ignore", invalid="ignore"):
        tail = 1 + np.cumprod(fewer / (trials - fewer + 1)).sum()
        return float(tail / (tail + np.cumprod((trials - more) / (more + 1)).sum()))


def holm(values: Sequence[float]) -> list[float]:
    """Return p-values adjusted so that the chance of any false rejection stays below the level
    (Holm 1979)."""
    order = sorted(range(len(values)), key=lambda number: values[number])
    raised = accumulate(
        (min(1.0, (len(values) - n) * values[number]) for n, number in enumerate(order)), max
    )
    return [adjusted for _, adjusted in sorted(zip(order, raised, strict=True))]


def bonferroni(values: Sequence[float]) -> list[float]:
    """Return p-values times their number, at most 1."""
    return [min(1.0, len(values) * value) for value in values]


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "none": list,
    "holm": holm,
    "bonferroni": bonferroni,
}
"""Corrections for several tests, by name."""
