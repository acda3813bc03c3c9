"""The permutation test of whether one metric agrees better with people than another: PERM-BOTH, Deutsch et al. 2021."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import InputError
from .swapped_pairs import exchanged_pairs
from .taus import Tau

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats
    from .groups import Groups
    from .statistic import Exchange, Statistic, Value

EQUAL = 1e-12
"""Differences of statistics that differ by less are equal."""
AT_ONCE = 1_500_000
"""How many draws of a score or of a pair are in memory at once."""
MOST_PAIRS = 20_000_000
"""The most pairs that may be swapped."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the test draws, and when it stops."""

    resamples: int = 1000
    swap: str = "auto"
    """`scores`, `pairs` or `auto`: what the statistic suits."""
    block: int | None = None
    """After so many resamples each, the test looks whether it may stop. None: it never stops early."""
    early_min: float = 0.02
    """It stops where the p-value is below this."""
    early_max: float = 0.5
    """It stops where the p-value is above this."""
    seed: int = 12345


class Permutation(NamedTuple):
    """The test of whether the statistic of one metric is higher than that of another."""

    better: int
    """The number of the metric with the higher statistic."""
    other: int
    delta: float
    """By how much it is higher."""
    p: float
    """One-sided: the share of resamples with at least this difference. NaN where a statistic is not defined."""
    resamples: int
    """How many resamples were drawn before the test stopped."""


def permutation_tests(
    statistic: Statistic, human: Floats, metrics: Floats, values: Sequence[Value], settings: Settings
) -> list[Permutation]:
    """Test each two metrics on scores, float64 [systems, lines] and [metrics, systems, lines]. NaN is a lacking score.

    `values` are those of the statistic. Scores of metrics are standardised, and each resample swaps every score of the
    two metrics with probability 1/2; or, where `pairs` are swapped, it swaps the result of every pair.
    Raises InputError where the statistic has no such test.
    """
    swap = statistic.swap if settings.swap == "auto" else settings.swap
    if swap not in statistic.swaps or (swap == "scores" and statistic.swap == "pairs"):
        usual = "scores" if swap == "pairs" else "pairs"
        raise InputError(f"swap: {swap} cannot be swapped under {statistic}; leave it out, or say {usual}")
    ranked = _ranked(values)
    tested = [pair for pair in ranked if not any(math.isnan(values[number].value) for number in pair)]
    groups = statistic.groups(~(np.isnan(human) | np.isnan(metrics).any(axis=0)))
    none = [Permutation(*pair, math.nan, math.nan, 0) for pair in ranked if pair not in tested]
    if not tested or not len(groups.cells):
        return none
    people, scores = groups.of(human), groups.of(metrics)
    swapped = [pair[::-1] for pair in tested]
    if isinstance(statistic, Tau) and swap == "pairs":
        exchange, draws = _of_pairs(statistic, people, scores, groups, swapped, values, settings)
    else:
        exchange = statistic.exchange(people, _standardised(scores, groups), groups, swapped)
        draws = _draws_of_scores(groups, settings)
    resampled = _resampled(exchange, draws, len(tested))
    return [*(_stopped(*pair, *drawn, settings) for pair, drawn in zip(tested, resampled, strict=True)), *none]


def _ranked(values: Sequence[Value]) -> list[tuple[int, int]]:
    """Return each two metrics, the better one first. Those without a value come last."""
    order = sorted(range(len(values)), key=lambda number: (math.isnan(values[number].value), -values[number].value))
    return [(one, two) for place, one in enumerate(order) for two in order[place + 1 :]]


def _standardised(scores: Floats, groups: Groups) -> Floats:
    """Return scores of metrics, less their mean and divided by their deviation: float64 [metrics, groups, members]."""
    own = scores[:, groups.present]
    means, deviations = own.mean(axis=1)[:, None, None], own.std(axis=1)[:, None, None]
    return np.where(groups.present, (scores - means) / np.where(deviations > 0, deviations, 1.0), 0.0)


def _chunks(resamples: int, size: int) -> Iterator[int]:
    step = max(1, min(resamples, AT_ONCE // max(size, 1)))
    for low in range(0, resamples, step):
        yield min(step, resamples - low)


def _draws_of_scores(groups: Groups, settings: Settings) -> Iterator[NDArray[np.bool_]]:
    """Yield draws, bool [draws, groups, members]: those of mt-metrics-eval after numpy.random.seed(seed)."""
    random, count = np.random.RandomState(settings.seed), int(groups.present.sum())
    for size in _chunks(settings.resamples, count):
        draws = np.zeros((size, *groups.present.shape), np.bool_)
        draws[:, groups.present] = random.binomial(1, 0.5, (size, count))
        yield draws


def _draws_of_pairs(shape: tuple[int, int], settings: Settings) -> Iterator[NDArray[np.bool_]]:
    """Yield draws, bool [draws, groups, pairs]."""
    generator, count = np.random.default_rng(settings.seed), shape[0] * shape[1]
    for size in _chunks(settings.resamples, count):
        bits = np.frombuffer(generator.bytes(size * -(-count // 8)), np.uint8).reshape(size, -1)
        yield np.unpackbits(bits, axis=1, count=count).reshape(size, *shape).astype(np.bool_)


def _of_pairs(
    statistic: Tau,
    human: Floats,
    scores: Floats,
    groups: Groups,
    swapped: Sequence[tuple[int, int]],
    values: Sequence[Value],
    settings: Settings,
) -> tuple[Exchange, Iterator[NDArray[np.bool_]]]:
    """Return what exchanges results of pairs, and its draws."""
    members = human.shape[1]
    shape = len(human), members * (members - 1) // 2
    if shape[0] * shape[1] > MOST_PAIRS:
        raise InputError(f"swap: {shape[0] * shape[1]:,} pairs are too many to swap; average by item or system")
    epsilons = [statistic.tie_below if value.epsilon is None else value.epsilon for value in values]
    return exchanged_pairs(statistic, human, scores, epsilons, groups, swapped), _draws_of_pairs(shape, settings)


def _resampled(
    exchange: Exchange, draws: Iterator[NDArray[np.bool_]], pairs: int
) -> Iterator[tuple[float, NDArray[np.bool_]]]:
    """Yield for each pair its difference, and whether that of each resample is as large: bool [resamples]."""
    deltas: list[float] = []
    large: list[list[NDArray[np.bool_]]] = [[] for _ in range(pairs)]
    for drawn in draws:
        if not deltas:
            deltas = [_difference(*both)[0] for both in exchange(np.ones_like(drawn[:1]))]
        for number, both in enumerate(exchange(drawn)):
            large[number].append(_difference(*both) >= deltas[number] - EQUAL)
    for delta, parts in zip(deltas, large, strict=True):
        yield delta, np.concatenate(parts)


def _difference(other: Floats, better: Floats) -> Floats:
    """Return by how much the statistic of the better metric is higher. A mean over no group counts as 0."""
    difference: Floats = np.nan_to_num(better) - np.nan_to_num(other)
    return difference


def _stopped(better: int, other: int, delta: float, large: NDArray[np.bool_], settings: Settings) -> Permutation:
    """Return the test as it is when it stops: at the end of a block with a clear p-value, or after all resamples."""
    reached = np.cumsum(large)
    for end in range(settings.block, len(large) + 1, settings.block) if settings.block else ():
        p = reached[end - 1] / end
        if p < settings.early_min or p > settings.early_max:
            return Permutation(better, other, delta, float(p), end)
    return Permutation(better, other, delta, float(reached[-1] / len(large)), len(large))
