"""TrueSkill: each match, and whole runs, against the package trueskill. Published scores:
test_reproduce.py.
"""

import math

import numpy as np
import pytest
import trueskill as package

from pipeline.extensions.human.judgments import build
from pipeline.extensions.human.trueskill import DRAW, SIGMA, rated, trueskill
from tests.extensions.human.test_human import invented, item
from tests.oracles import trueskill_package


def test_a_match_is_that_of_the_package() -> None:
    """Means, deviations, draws and widths at random; scipy, since the package's own erfc has 7
    digits.
    """
    rng = np.random.default_rng(5)
    for width in (0.1, 1.0, 30.0):
        world = package.TrueSkill(
            mu=0.0,
            sigma=SIGMA,
            beta=width,
            tau=0.0,
            draw_probability=DRAW,
            backend="scipy",
        )
        means, deviations = (
            rng.normal(0, 1, (2, 60)),
            rng.uniform(0.05, 0.5, (2, 60)),
        )
        drawn = rng.random(60) < 0.4
        before = np.stack([means, deviations**2], axis=1)
        found = rated(before[0], before[1], drawn, width)
        for number in range(60):
            ratings = [
                world.create_rating(
                    means[side, number], deviations[side, number]
                )
                for side in (0, 1)
            ]
            winner, loser = package.rate_1vs1(
                *ratings, drawn=bool(drawn[number]), env=world
            )
            for player, expected in (
                (found.winner, winner),
                (found.loser, loser),
            ):
                assert player[:, number] == pytest.approx(
                    [expected.mu, expected.sigma**2], abs=1e-12
                )


def test_runs_are_those_of_the_package() -> None:
    judgments = invented(6)[1]
    at_once, one_by_one = (
        trueskill(judgments, 4, 3),
        trueskill_package.trueskill(judgments, 4, 3),
    )
    assert at_once.shape == (4, 5)
    assert np.abs(at_once - one_by_one).max() < 1e-12
    assert np.ptp(at_once, axis=0).min() > 1e-3  # the runs are not all the same


def test_more_runs_do_not_change_the_first_ones() -> None:
    judgments = invented(6)[1]
    many, seeded = trueskill(judgments, 5, 3), trueskill(judgments, 5, 4)
    assert (trueskill(judgments, 2, 3) == many[:2]).all()
    assert (seeded != many).all()


def test_the_better_system_has_more_skill_and_one_never_compared_has_none() -> (
    None
):
    items = [
        item("x", str(n), ("A", 1), ("B", 2), ("C", 3)) for n in range(20)
    ] + [item("x", "0", ("D", 1))]
    means = trueskill(build("here", items), 10).mean(axis=0)
    assert means[0] > means[1] > means[2]
    assert abs(means[1]) < 0.2
    assert math.isnan(means[3])


def test_systems_that_never_met_do_not_play() -> None:
    items = [item("x", str(n), ("A", 1), ("B", 2)) for n in range(9)] + [
        item("x", "0", ("C", 2), ("D", 1))
    ]
    means = trueskill(build("here", items), 5).mean(axis=0)
    # every match of A is one with B
    assert means[0] == pytest.approx(-means[1], abs=1e-12)
    assert means[3] == pytest.approx(-means[2], abs=1e-12)


def test_progress_is_told() -> None:
    note: list[tuple[int, int]] = []
    judgments = invented(6)[1]
    trueskill(
        judgments, 1, progress=lambda done, whole: note.append((done, whole))
    )
    assert note[-1] == (len(judgments.expanded.first) + 1,) * 2
