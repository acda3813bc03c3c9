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

    Each run has its own random numbers, so that more runs do not change the first ones.
    """
    cells = judgments.cells()
    systems = len(judgments.systems)
    # How often the row's system wins, ties and loses: int64 [systems, systems, 3].
    outcomes = cells.reshape(systems, systems, 3)
    as_other = np.swapaxes(outcomes, 0, 1)
    outcomes = outcomes + as_other[..., ::-1]
    met = outcomes.sum(axis=2)
    compared = met.sum(axis=1) > 0
    counts = np.maximum(met, 1)
    shares = np.cumsum(outcomes, axis=2) / counts[..., None]
    partners = (met > 0).astype(np.float64)
    # The deviation of a performance grows with the number of matches.
    matches = int(cells.sum()) + 1
    width = SIGMA * matches / 40.0
    rows = np.arange(runs)
    ratings = np.zeros((2, runs, systems))
    means, variances = ratings
    variances[:] = np.where(compared, SIGMA**2, -1.0)
    for number, (nearness, chance) in enumerate(_random(runs, seed, matches)):
        # The least certain system meets one whose skill is near.
        least_certain = variances >= variances.max(axis=1, keepdims=True) * NEAR
        first = least_certain.argmax(axis=1)
        distances = np.abs(means - means[rows, first, None])
        weights = np.exp(-distances) * partners[first]
        reached = np.cumsum(weights, axis=1)
        limit = nearness * reached[:, -1]
        second = (reached <= limit[:, None]).sum(axis=1)
        # The outcome is that of a random judgement of the two.
        share = shares[first, second]
        lost = chance >= share[:, 1]
        drawn = (chance >= share[:, 0]) & ~lost
        winner = np.where(lost, second, first)
        loser = np.where(lost, first, second)
        winner_ratings = ratings[:, rows, winner]
        loser_ratings = ratings[:, rows, loser]
        after = rated(winner_ratings, loser_ratings, drawn, width)
        ratings[:, rows, winner] = after.winner
        ratings[:, rows, loser] = after.loser
        if progress and ((number + 1) % STEPS == 0 or number + 1 == matches):
            progress(number + 1, matches)
    means[:, ~compared] = np.nan
    return means


def _random(runs: int, seed: int, matches: int) -> Iterator[Floats]:
    """Yield two random numbers for each run and match: float64 [2, runs]."""
    generators = [np.random.default_rng([seed, run]) for run in range(runs)]
    for low in range(0, matches, STEPS):
        shape = (min(STEPS, matches - low), 2)
        numbers = [generator.random(shape) for generator in generators]
        yield from np.stack(numbers, axis=-1)


class Players(NamedTuple):
    """Skills of winners and losers, float64 [2, ...] each: means and variances."""

    winner: Floats
    loser: Floats


def rated(winner: Floats, loser: Floats, drawn: Bools, width: float) -> Players:
    """Return the skills after a match, from those before it, float64 [2, ...] each: means and
    variances (Herbrich et al. 2006).

    `drawn` is true where neither won, and `width` is beta."""
    variance = 2 * width**2 + winner[1] + loser[1]
    scale = np.sqrt(variance)
    difference = (winner[0] - loser[0]) / scale
    shift, shrink = _truncated(difference, MARGIN * width / scale, drawn)

    def moved(before: Floats, direction: int) -> Floats:
        mean, player_variance = before
        share = player_variance / variance
        new_mean = mean + direction * share * scale * shift
        return np.array([new_mean, player_variance * (1 - share * shrink)])

    return Players(moved(winner, 1), moved(loser, -1))


def _truncated(
    difference: Floats,
    margin: Floats,
    drawn: Bools,
) -> tuple[Floats, Floats]:
    """Return V and W of Herbrich et al.: how far a match shifts the mean, and how much variance it
    takes away.
    """
    size = np.abs(difference)
    upper = np.where(drawn, margin - size, difference - margin)
    lower = -margin - size
    mass = _cdf(upper) - np.where(drawn, _cdf(lower), 0.0)
    at_upper = _pdf(upper)
    at_lower = np.where(drawn, _pdf(lower), 0.0)
    has_mass = mass > LEAST_PROBABILITY
    safe_mass = np.where(has_mass, mass, 1.0)
    shift_won = np.where(has_mass, at_upper / safe_mass, -upper)
    shift_tied = np.where(has_mass, (at_lower - at_upper) / safe_mass, upper)
    shrink_won = shift_won * (shift_won + upper)
    slopes = (upper * at_upper - lower * at_lower) / safe_mass
    shrink_tied = shift_tied**2 + slopes
    towards_other = np.where(difference < 0, -shift_tied, shift_tied)
    shift = np.where(drawn, towards_other, shift_won)
    shrink = np.where(drawn, shrink_tied, shrink_won)
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
    """Return the skill of each system by each metric, float64 [metrics, systems], as gec-metrics
    aggregates scores.

    Sentence scores are float64 [metrics, systems, lines]. For each sentence in order, each two
    systems in order play a match, which the higher score wins; equal scores are a draw. The default
    backend of the package trueskill, which gec-metrics uses, has an error function of seven digits,
    so that its skills differ by about 1e-8. Matches whose systems are all different do not depend
    on each other, and are computed together: those of the systems i and j with the same sum i + j.
    """
    metrics, systems, lines = scores.shape
    ratings = np.zeros((2, metrics, systems))
    ratings[1] = SIGMA**2
    rows = np.arange(metrics)[:, None]
    for line in range(lines):
        line_scores = scores[:, :, line]
        for total in range(1, 2 * systems - 2):
            lowest = max(0, total - systems + 1)
            first = np.arange(lowest, (total + 1) // 2)
            second = total - first
            one = line_scores[:, first]
            two = line_scores[:, second]
            drawn = equal_scores(one, two)
            lost = (one < two) & ~drawn
            winner = np.where(lost, second, first)
            loser = np.where(lost, first, second)
            winner_ratings = ratings[:, rows, winner]
            loser_ratings = ratings[:, rows, loser]
            after = rated(winner_ratings, loser_ratings, drawn, BETA)
            # No match in a line that is left out.
            is_match = ~(np.isnan(one) & np.isnan(two))
            ratings[:, rows, winner] = np.where(
                is_match, after.winner, winner_ratings
            )
            ratings[:, rows, loser] = np.where(
                is_match, after.loser, loser_ratings
            )
    means: Floats = ratings[0]
    return means
