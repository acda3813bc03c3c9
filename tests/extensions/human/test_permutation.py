"""Permutation tests between metrics: plain resampling with the same draws."""

import math
from typing import Any

import numpy as np
import pytest

from pipeline.extensions.human import comparison
from pipeline.extensions.human.comparison import (
    PairTest,
    Sampling,
    Swapping,
    permutation_tests,
)
from pipeline.extensions.human.correlation import EQUAL
from pipeline.extensions.human.statistics import Statistic, statistic_of

Array = np.ndarray[Any, np.dtype[np.float64]]
RNG = np.random.default_rng(12)
NAN = math.nan


def scores(
    systems: int, lines: int, top: int, lacking: float = 0.0
) -> tuple[Array, Array]:
    """Return scores of people and of three metrics."""
    human = RNG.integers(0, top, (systems, lines)).astype(float)
    human[RNG.random(human.shape) < lacking] = NAN
    return human, RNG.integers(0, top, (3, systems, lines)) / 7


def permuted(
    text: str, human: Array, metrics: Array, resamples: int, seed: int = 12345
) -> list[PairTest]:
    statistic = statistic_of(text)
    values = [statistic.value(human, ours) for ours in metrics]
    return permutation_tests(
        statistic, human, metrics, values, Sampling(resamples, seed)
    )


def naive(
    statistic: Statistic,
    human: Array,
    other: Array,
    better: Array,
    seed: int,
    resamples: int,
) -> float:
    """Return the p-value of PERM-BOTH: one resample after the other, each with a value computed
    from its scores.
    """
    present = ~np.isnan(human)
    indices = statistic.groups(present)
    # in this order, so that equal scores of two metrics stay equal
    cells = indices.cells[indices.present]
    both = np.stack([other, better])
    chosen = both.reshape(2, -1)[:, cells]
    sizes = [
        numbers[:, None, None]
        for numbers in (chosen.mean(axis=1), chosen.std(axis=1))
    ]
    one, two = np.where(present, (both - sizes[0]) / sizes[1], 0.0)
    delta = (
        statistic.value(human, two).value - statistic.value(human, one).value
    )
    random, reached = np.random.RandomState(seed), 0
    for _ in range(resamples):
        keeps = np.zeros(human.size, np.bool_)
        keeps[cells] = random.binomial(1, 0.5, len(cells)) == 1
        keeps = keeps.reshape(human.shape)
        values = [
            np.nan_to_num(statistic.value(human, np.where(keeps, *both)).value)
            for both in ((one, two), (two, one))
        ]
        reached += values[1] - values[0] >= delta - EQUAL
    return reached / resamples


@pytest.mark.parametrize("average", ["none", "item", "system"])
@pytest.mark.parametrize(
    "name", ["pearson", "spearman", "kendall", "accuracy", "soft_accuracy"]
)
def test_scores_swapped_one_resample_after_the_other(
    name: str, average: str
) -> None:
    """All metrics at once give the shares of the plain way."""
    if name == "soft_accuracy" and average != "none":
        pytest.skip("has no average")
    statistic = statistic_of(f"{name}[average={average}]")
    for top, missing in ((4, 0.0), (50, 0.1)):
        human, metrics = scores(4, 6, top, missing)
        for test in permuted(
            str(statistic), human, metrics, resamples=40, seed=5
        ):
            expected = naive(
                statistic,
                human,
                metrics[test.other],
                metrics[test.better],
                5,
                40,
            )
            assert (test.p, test.resamples) == (expected, 40)
            assert test.delta >= 0


@pytest.mark.parametrize("average", ["none", "item", "system"])
@pytest.mark.parametrize(
    "text", ["accuracy[epsilon=0.3]", "accuracy[epsilon=best]"]
)
def test_pairs_swapped_one_resample_after_the_other(
    text: str, average: str
) -> None:
    name, _, options = text.rstrip("]").partition("[")
    statistic = statistic_of(
        f"{name}[{','.join(filter(None, (options, f'average={average}')))}]"
    )
    human, metrics = scores(4, 6, 5, 0.1)
    values = [statistic.value(human, ours) for ours in metrics]
    tests = permuted(str(statistic), human, metrics, resamples=30, seed=5)
    groups = statistic.groups(~np.isnan(human))
    members = groups.present.shape[1]
    first, second = np.triu_indices(members, 1)
    shape = len(groups.cells), len(first)
    swapping = Swapping(
        np.ones(shape, np.bool_), lambda _: iter(()), of_pairs=True
    )
    (draws,) = comparison.draws(swapping, Sampling(30, 5))
    human_data = groups.of(human)
    for test in tests:
        signs = []
        for number in (test.other, test.better):
            epsilon = values[number].epsilon
            near = groups.of(metrics[number])
            near = near[:, first] - near[:, second]
            limit = (
                epsilon
                if epsilon is not None
                else float(getattr(statistic, "epsilon", 0))
            )
            signs.append(np.where(np.abs(near) <= limit, 0, np.sign(near)))
        present = groups.present[:, first] & groups.present[:, second]
        judged = np.sign(human_data[:, first] - human_data[:, second])

        def value(
            mixed: Array, judged: Array = judged, present: Any = present
        ) -> float:
            rows = [
                naive_value(name, *(ours[chosen] for ours in (row, human)))
                for row, human, chosen in zip(
                    mixed, judged, present, strict=True
                )
            ]
            return (
                float(np.nan_to_num(np.nanmean(rows)))
                if np.isfinite(rows).any()
                else 0.0
            )

        delta = value(signs[1]) - value(signs[0])
        reached = sum(
            value(np.where(draw, signs[1], signs[0]))
            - value(np.where(draw, signs[0], signs[1]))
            >= delta - EQUAL
            for draw in draws
        )
        assert test.p == reached / 30
        assert test.delta == pytest.approx(delta, abs=1e-12)


def naive_value(name: str, signs: Array, judged: Array) -> float:
    """Return a statistic of the signs of the differences of pairs."""
    share = float((signs == judged).mean())
    return share if name == "accuracy" else 2 * share - 1


def test_the_better_metric_comes_first_and_one_without_a_value_last() -> None:
    human, metrics = scores(4, 9, 100)
    metrics[0] = 1.0
    metrics[2] = human
    tests = permuted("pearson", human, metrics, resamples=10)
    assert [(test.better, test.other) for test in tests] == [
        (2, 1),
        (2, 0),
        (1, 0),
    ]
    assert [math.isnan(test.p) for test in tests] == [False, True, True]
    assert tests[0].delta > 0
