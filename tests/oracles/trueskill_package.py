"""TrueSkill with the package trueskill: one match of one run after the other, from the same random
numbers.

The settings are those of the program infer_TS of the WMT scripts: deviation 0.5, a quarter of
draws, no dynamics."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import trueskill as package

if TYPE_CHECKING:
    from pipeline.arrays import Floats, Ints
    from pipeline.extensions.human.judgments import Judgments

SIGMA = 0.5
NEAR = 1 - 1e-9
"""Systems are as uncertain as the most uncertain one from this share of its variance on: the first
of them plays."""


def world(matches: int) -> Any:
    """Return the settings; the package's own normal distribution has seven digits."""
    normal = NormalDist()
    backend = normal.cdf, normal.pdf, normal.inv_cdf
    return package.TrueSkill(
        mu=0.0,
        sigma=SIGMA,
        beta=SIGMA * matches / 40,
        tau=0.0,
        draw_probability=0.25,
        backend=backend,
    )


def trueskill(judgments: Judgments, runs: int, seed: int) -> Floats:
    """Return the mean skill of each system in each run: float64 [runs, systems]. Every system must
    have been judged.
    """
    systems = len(judgments.systems)
    outcomes = judgments.cells().reshape(systems, systems, 3)
    # as the row's system sees them: wins, ties, losses
    outcomes = outcomes + np.swapaxes(outcomes, 0, 1)[..., ::-1]
    matches = int(judgments.cells().sum()) + 1
    return np.array(
        [
            _run(outcomes, matches, np.random.default_rng([seed, run]))
            for run in range(runs)
        ]
    )


def _run(
    outcomes: Ints, matches: int, random: np.random.Generator
) -> list[float]:
    met = outcomes.sum(axis=2)
    settings = world(matches)
    skills = [settings.create_rating() for _ in met]
    for nearness, chance in random.random((matches, 2)):
        most = max(skill.sigma**2 for skill in skills)
        one = next(
            number
            for number, skill in enumerate(skills)
            if skill.sigma**2 >= most * NEAR
        )
        weights = [
            math.exp(-abs(skill.mu - skills[one].mu)) for skill in skills
        ] * (met[one] > 0)
        reached = np.cumsum(weights)
        two = int((reached <= nearness * reached[-1]).sum())
        shares = np.cumsum(outcomes[one, two]) / met[one, two]
        outcome = int((chance >= shares[:2]).sum())
        winner, loser = (two, one) if outcome == 2 else (one, two)
        skills[winner], skills[loser] = package.rate_1vs1(
            skills[winner], skills[loser], drawn=outcome == 1, env=settings
        )
    return [skill.mu for skill in skills]
