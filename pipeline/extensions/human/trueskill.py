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

import numpy as np

from pipeline.arrays import Bools, Floats

from .correlation import equal_scores
from .judgments import Judgments

Progress = Callable[[int, int], None]

SIGMA = 0.5
"""The standard deviation of skills at the start, as in the program infer_TS of the WMT scripts."""
DRAW = 0.25
"""The share of matches that are drawn, as in the same program."""
STEPS = 1024
"""How many matches' random numbers are drawn at once."""
NEAR = 1 - 1e-9
"""A system with this share of the largest variance counts as equally uncertain; the first of these
systems plays."""
LEAST = 2.222758749e-162
"""Probabilities below this count as 0, as in the Python package trueskill."""


def trueskill(
    judgments: Judgments, runs: int = 100, seed: int = 12345, progress: Progress | None = None
) -> Floats:
    """Return the mean skill of each system in each run: float64 [runs, systems]. Systems never
    compared have NaN.

    Each run has its own random numbers, so that more runs do not change the first ones.
    """
    cells = judgments.cells()
    systems = len(judgments.systems)
    outcomes = cells.reshape(systems, systems, 3)
    # for each two systems: how often the row's system wins, ties and loses
    outcomes = outcomes + np.swapaxes(outcomes, 0, 1)[..., ::-1]
    # Play all runs; return the mean skills: float64 [runs, systems].
    matches = int(cells.sum()) + 1
    met = outcomes.sum(axis=2)
    compared = met.sum(axis=1) > 0
    shares = np.cumsum(outcomes, axis=2) / np.maximum(met, 1)[..., None]
    means = np.zeros((runs, len(met)))
    variance = np.where(compared, SIGMA**2, -1.0) * np.ones((runs, 1))
    width, rows = (
        SIGMA * matches / 40.0,
        np.arange(runs),
    )  # the deviation of a performance grows with the matches
    margin = draw_margin(width)
    partners = (met > 0).astype(np.float64)
    for number, (nearness, chance) in enumerate(_random(runs, seed, matches)):
        first = (variance >= variance.max(axis=1, keepdims=True) * NEAR).argmax(axis=1)
        weights = np.exp(-np.abs(means - means[rows, first, None])) * partners[first]
        reached = np.cumsum(weights, axis=1)
        second = (reached <= (nearness * reached[:, -1])[:, None]).sum(axis=1)
        share = shares[first, second]
        outcome = (chance >= share[:, 0]).astype(np.int64) + (chance >= share[:, 1])
        winner, loser = np.where(outcome == 2, second, first), np.where(outcome == 2, first, second)
        skills = (
            means[rows, winner],
            means[rows, loser],
            variance[rows, winner],
            variance[rows, loser],
        )
        new = rated(*skills, outcome == 1, width, margin)
        means[rows, winner], means[rows, loser], variance[rows, winner], variance[rows, loser] = new
        if progress and ((number + 1) % STEPS == 0 or number + 1 == matches):
            progress(number + 1, matches)
    means[:, outcomes.sum(axis=(1, 2)) == 0] = np.nan
    return means


def _random(runs: int, seed: int, matches: int) -> Iterator[Floats]:
    """Yield two random numbers for each run and match: float64 [2, runs]."""
    generators = [np.random.default_rng([seed, run]) for run in range(runs)]
    for low in range(0, matches, STEPS):
        count = min(STEPS, matches - low)
        yield from np.stack([generator.random((count, 2)) for generator in generators], axis=-1)


def rated(
    winner: Floats,
    loser: Floats,
    winner_variance: Floats,
    loser_variance: Floats,
    drawn: Bools,
    width: float,
    margin: float,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return means and variances of winner and loser after a match (Herbrich et al. 2006): float64
    arrays of one shape.

    `drawn` is true where neither won. `width` is beta, and `margin` the difference of performances
    below which a match is drawn."""
    both = 2 * width**2 + winner_variance + loser_variance
    scale = np.sqrt(both)
    shift, shrink = _truncated((winner - loser) / scale, margin / scale, drawn)
    up, down = winner_variance / both, loser_variance / both
    return (
        winner + up * scale * shift,
        loser - down * scale * shift,
        winner_variance * (1 - up * shrink),
        loser_variance * (1 - down * shrink),
    )


def _truncated(difference: Floats, margin: Floats, drawn: Bools) -> tuple[Floats, Floats]:
    """Return V and W of Herbrich et al.: how far a match shifts the mean, and how much variance it
    takes away.
    """
    size = np.abs(difference)
    upper = np.where(drawn, margin - size, difference - margin)
    lower = -margin - size
    mass = _cdf(upper) - np.where(drawn, _cdf(lower), 0.0)
    at_upper, at_lower = _pdf(upper), np.where(drawn, _pdf(lower), 0.0)
    safe = np.where(mass > LEAST, mass, 1.0)
    won = np.where(mass > LEAST, at_upper / safe, -upper)
    tied = np.where(mass > LEAST, (at_lower - at_upper) / safe, upper)
    lost = np.where(
        drawn, tied**2 + (upper * at_upper - lower * at_lower) / safe, won * (won + upper)
    )
    return np.where(drawn, np.where(difference < 0, -tied, tied), won), lost


_erfc = np.frompyfunc(math.erfc, 1, 1)


def _cdf(values: Floats) -> Floats:
    return 0.5 * np.asarray(_erfc(-values / math.sqrt(2)), np.float64)


def _pdf(values: Floats) -> Floats:
    return np.exp(-(values**2) / 2) / math.sqrt(2 * math.pi)


def draw_margin(width: float, draw: float = DRAW) -> float:
    """Return the difference of performances below which a match is drawn, for the share `draw` of
    drawn matches.
    """
    return NormalDist().inv_cdf((draw + 1) / 2) * math.sqrt(2) * width


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
    mean, variance = np.zeros((metrics, systems)), np.full((metrics, systems), SIGMA**2)
    margin = draw_margin(BETA)
    for line in range(lines):
        own = scores[:, :, line]
        for total in range(1, 2 * systems - 2):
            first = np.arange(max(0, total - systems + 1), (total + 1) // 2)
            second = total - first
            one, two = own[:, first], own[:, second]
            drawn = equal_scores(one, two)
            lost = (one < two) & ~drawn
            winner, loser = np.where(lost, second, first), np.where(lost, first, second)
            rows = np.arange(metrics)[:, None]
            before = (
                mean[rows, winner],
                mean[rows, loser],
                variance[rows, winner],
                variance[rows, loser],
            )
            played = ~(np.isnan(one) & np.isnan(two))  # nobody plays in a line that is left out
            rates = zip(rated(*before, drawn, BETA, margin), before, strict=True)
            after = [np.where(played, new, old) for new, old in rates]
            mean[rows, winner], mean[rows, loser], variance[rows, winner], variance[rows, loser] = (
                after
            )
    return mean
