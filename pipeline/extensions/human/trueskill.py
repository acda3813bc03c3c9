"""TrueSkill of systems: from judgements of pairs as the WMT campaigns compute it, or from sentence
scores of a metric.

What follows is about judgements (Sakaguchi et al. 2014); skills() is for sentence scores.

A run plays as many matches as there are pairs, and one more. In each match the system whose skill
is least certain meets an opponent whose skill is near, and the outcome is taken from a random
judgement of the two. The updates for two players have a closed form (Herbrich et al. 2006), so all
runs advance together in arrays."""

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats

from .correlation import equal_scores
from .judgments import Judgments

Progress = Callable[[int, int], None]

SIGMA = 0.5
"""The standard deviation of skills at the start, as in the program infer_TS of the WMT scripts."""
DRAW = 0.25
"""The share of matches that are drawn, as in the same program."""
MARGIN = NormalDist().inv_cdf((DRAW + 1) / 2) * math.sqrt(2)
"""Performances that differ by less than this share of their deviation are a draw."""
STEPS = 1024
"""How many matches' random numbers are drawn at once."""
NEAR = 1 - 1e-9
"""A system with this share of the largest variance counts as equally uncertain; the first of these
systems plays."""
LEAST_PROBABILITY = 2.222758749e-162
"""Probabilities below this count as 0, as in the Python package trueskill."""


def trueskill(
    judgments: Judgments,
    runs: int = 100,
    seed: int = 12345,
    progress: Progress | None = None,
) -> Floats:
    """Return the mean skill of each system in each run: float64 [runs, systems]. Systems never
    compared have NaN.

    Each run has its own random numbers, so that more runs do not change the first ones. `progress`
    is called with the matches played and all matches."""
    cells = judgments.cells()
    systems = len(judgments.systems)
    # How often the row's system wins, ties and loses: int64 [systems, systems, 3].
    as_first = cells.reshape(systems, systems, 3)
    as_second = np.swapaxes(as_first, 0, 1)[..., ::-1]
    outcomes = as_first + as_second
    met = outcomes.sum(axis=2)
    is_compared = met.sum(axis=1) > 0
    # The shares of wins, of wins and ties, and of all, as limits of random numbers.
    limits = np.cumsum(outcomes, axis=2) / np.maximum(met, 1)[..., None]
    has_met = (met > 0).astype(np.float64)
    # The deviation of a performance grows with the number of matches.
    matches = int(cells.sum()) + 1
    beta = SIGMA * matches / 40.0
    rows = np.arange(runs)
    ratings = np.zeros((2, runs, systems))
    means, variances = ratings  # views: they change with the ratings
    # A negative variance is never the largest: the system plays no match.
    variances[:] = np.where(is_compared, SIGMA**2, -1.0)
    random_numbers = _random(runs, seed, matches)
    for played, (opponent_draw, outcome_draw) in enumerate(random_numbers, 1):
        # In each run the least certain system meets one whose skill is near.
        least_certain = variances >= variances.max(axis=1, keepdims=True) * NEAR
        first = least_certain.argmax(axis=1)
        distances = np.abs(means - means[rows, first, None])
        weights = np.exp(-distances) * has_met[first]
        # The second is drawn with a probability in proportion to its weight.
        weight_sums = np.cumsum(weights, axis=1)
        threshold = opponent_draw * weight_sums[:, -1]
        second = (weight_sums <= threshold[:, None]).sum(axis=1)
        # The outcome is that of a random judgement of the two.
        limit = limits[first, second]
        lost = outcome_draw >= limit[:, 1]
        drawn = (outcome_draw >= limit[:, 0]) & ~lost
        winner = np.where(lost, second, first)
        loser = np.where(lost, first, second)
        winner_ratings = ratings[:, rows, winner]
        loser_ratings = ratings[:, rows, loser]
        after = rated(winner_ratings, loser_ratings, drawn, beta)
        ratings[:, rows, winner] = after.winner
        ratings[:, rows, loser] = after.loser
        if progress and (played % STEPS == 0 or played == matches):
            progress(played, matches)
    means[:, ~is_compared] = np.nan
    return means


def _random(runs: int, seed: int, matches: int) -> Iterator[Floats]:
    """Yield two random numbers for each run and match: float64 [2, runs], match by match."""
    generators = [np.random.default_rng([seed, run]) for run in range(runs)]
    for start in range(0, matches, STEPS):
        shape = (min(STEPS, matches - start), 2)
        numbers = [generator.random(shape) for generator in generators]
        yield from np.stack(numbers, axis=-1)


class Players(NamedTuple):
    """Skills of winners and losers, float64 [2, ...] each: means and variances."""

    winner: Floats
    loser: Floats


def rated(winner: Floats, loser: Floats, drawn: Bools, beta: float) -> Players:
    """Return the skills after matches, from those before them, float64 [2, matches] each (with any
    axes for the matches): means and variances (Herbrich et al. 2006).

    `drawn`, bool [matches], is true where neither won: then it does not matter who is `winner`.
    `beta` is the standard deviation of a performance."""
    variance = 2 * beta**2 + winner[1] + loser[1]
    deviation = np.sqrt(variance)
    difference = (winner[0] - loser[0]) / deviation
    shift, shrink = _truncated(difference, MARGIN * beta / deviation, drawn)

    def updated(before: Floats, direction: int) -> Floats:
        mean, player_variance = before
        share = player_variance / variance
        new_mean = mean + direction * share * deviation * shift
        return np.array([new_mean, player_variance * (1 - share * shrink)])

    return Players(updated(winner, 1), updated(loser, -1))


def _truncated(
    difference: Floats,
    margin: Floats,
    drawn: Bools,
) -> tuple[Floats, Floats]:
    """Return V and W of Herbrich et al. (2006): how far a match shifts the mean, and how much
    variance it takes away. All arrays are [matches].

    `difference` is that of the winner's and loser's means, and a smaller difference of performances
    than `margin` is a draw; both are in deviations of the difference of performances. For a win
    that difference is truncated to above the margin, for a draw to between its two signs."""
    distance = np.abs(difference)
    upper = np.where(drawn, margin - distance, difference - margin)
    lower = -margin - distance
    # The probability of the outcome, which may be too small to divide by.
    probability = _cdf(upper) - np.where(drawn, _cdf(lower), 0.0)
    upper_density = _pdf(upper)
    lower_density = np.where(drawn, _pdf(lower), 0.0)
    is_possible = probability > LEAST_PROBABILITY
    divisor = np.where(is_possible, probability, 1.0)
    won_shift = np.where(is_possible, upper_density / divisor, -upper)
    won_shrink = won_shift * (won_shift + upper)
    densities = lower_density - upper_density
    drawn_shift = np.where(is_possible, densities / divisor, upper)
    slopes = (upper * upper_density - lower * lower_density) / divisor
    drawn_shrink = drawn_shift**2 + slopes
    # A draw moves both means towards each other.
    signed_shift = np.where(difference < 0, -drawn_shift, drawn_shift)
    shift = np.where(drawn, signed_shift, won_shift)
    shrink = np.where(drawn, drawn_shrink, won_shrink)
    return shift, shrink


_erfc = np.frompyfunc(math.erfc, 1, 1)


def _cdf(values: Floats) -> Floats:
    tails = _erfc(-values / math.sqrt(2))
    return 0.5 * np.asarray(tails, np.float64)


def _pdf(values: Floats) -> Floats:
    densities: Floats = np.exp(-(values**2) / 2)
    return densities / math.sqrt(2 * math.pi)


BETA = 0.25
"""The standard deviation of a performance where sentence scores are matches."""


def skills(scores: Floats) -> Floats:
    """Return the mean skill of each system by each metric, float64 [metrics, systems], as gec-metrics
    aggregates sentence scores, float64 [metrics, systems, lines].

    For each sentence in order, each two systems in order play a match, which the higher score wins;
    equal scores are a draw. Sentences in which both scores are NaN are no match. The default
    backend of the package trueskill, which gec-metrics uses, has an error function of seven digits,
    so that its skills differ by about 1e-8."""
    metrics, systems, lines = scores.shape
    ratings = np.zeros((2, metrics, systems))
    ratings[1] = SIGMA**2
    rows = np.arange(metrics)[:, None]
    for line in range(lines):
        line_scores = scores[:, :, line]
        # Matches of the systems i and j with the same sum i + j have no system
        # in common, so they do not depend on each other: all at once.
        for index_sum in range(1, 2 * systems - 2):
            lowest = max(0, index_sum - systems + 1)
            first = np.arange(lowest, (index_sum + 1) // 2)
            second = index_sum - first
            first_scores = line_scores[:, first]
            second_scores = line_scores[:, second]
            drawn = equal_scores(first_scores, second_scores)
            lost = (first_scores < second_scores) & ~drawn
            winner = np.where(lost, second, first)
            loser = np.where(lost, first, second)
            winner_ratings = ratings[:, rows, winner]
            loser_ratings = ratings[:, rows, loser]
            after = rated(winner_ratings, loser_ratings, drawn, BETA)
            is_match = ~(np.isnan(first_scores) & np.isnan(second_scores))
            ratings[:, rows, winner] = np.where(
                is_match, after.winner, winner_ratings
            )
            ratings[:, rows, loser] = np.where(
                is_match, after.loser, loser_ratings
            )
    means: Floats = ratings[0]
    return means
