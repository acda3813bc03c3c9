"""The sign test: it counts the sentences that each of two systems wins."""

import math

import numpy as np

from . import PairedScores, SignificanceTest

MAX_EXACT_TRIALS = 1000
"""Up to this many trials, the binomial distribution is summed in whole numbers."""


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided p of the exact binomial test of wins against losses.

    It is 1 if there are as many of both.
    """
    if wins == losses:
        return 1.0
    trials = wins + losses
    one_sided = binomial_tail(min(wins, losses), trials)
    return min(1.0, 2 * one_sided)


def binomial_tail(successes: int, trials: int) -> float:
    """Return the probability of at most `successes` heads in `trials` tosses of a coin.

    `successes` is at most half of the trials. For more than MAX_EXACT_TRIALS the terms are
    multiples of that of `successes`, each made of the one beside it, and all of them together are
    1. Below 1e-307 or so the result is 0.
    """
    if trials <= MAX_EXACT_TRIALS:
        combinations = 0
        for heads in range(successes + 1):
            combinations += math.comb(trials, heads)
        return float(combinations / 2**trials)

    # ratios of neighbouring terms, outwards from the term of `successes`, which counts as 1
    below = np.arange(successes, 0, -1)
    above = np.arange(successes, trials)
    ratios_below = below / (trials - below + 1)
    ratios_above = (trials - above) / (above + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        tail = 1 + np.cumprod(ratios_below).sum()
        rest = np.cumprod(ratios_above).sum()
        return float(tail / (tail + rest))


def _p_values(systems: PairedScores) -> list[float]:
    return [sign_test(pair.wins, pair.losses) for pair in systems.sentencewise]


TEST = SignificanceTest(
    summary="exact binomial test of the sentences that each system wins; draws nothing",
    p_values=_p_values,
    compares_scores=False,
    label="sign test",
    citations=("dixon-mood-1946-statistical",),
)
