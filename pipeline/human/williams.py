"""Williams' test of whether one metric correlates higher with people than another, on the same systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from .correlation import pearson

if TYPE_CHECKING:
    from ..arrays import Floats

EQUAL = 1e-12
"""Correlations that differ by less count as equal."""


class Williams(NamedTuple):
    """Williams' test of whether the first metric's correlation with people is higher than the second's."""

    t: float
    """The statistic, which has three degrees of freedom less than there are systems."""
    p: float
    """One-sided."""
    between: float
    """The correlation of the two metrics."""


def williams(one: Floats, two: Floats, human: Floats) -> Williams:
    """Return Williams' test of two dependent Pearson correlations (Williams 1959; Graham and Baldwin 2014).

    The scores are float64 [systems]. t and p are NaN where a correlation is NaN, or there are fewer than four systems.
    Where the scores of one metric rise linearly with those of the other, t is 0 and p is 0.5.
    """
    count = len(human)
    first, second, between = (float(pearson(*pair)) for pair in ((one, human), (two, human), (one, two)))
    if count < 4 or any(math.isnan(value) for value in (first, second, between)):
        return Williams(math.nan, math.nan, between)
    if abs(first - second) <= EQUAL and between >= 1 - EQUAL:
        return Williams(0.0, 0.5, between)
    rest = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    variance = 2 * max(rest, 0.0) * (count - 1) / (count - 3) + (first + second) ** 2 / 4 * (1 - between) ** 3
    difference = (first - second) * math.sqrt((count - 1) * (1 + between))
    if variance <= 0:
        return Williams(math.nan, math.nan, between)
    t = difference / math.sqrt(variance)
    return Williams(t, student_upper_tail(t, count - 3), between)


def student_upper_tail(t: float, freedom: float) -> float:
    """Return the probability that a Student variable is above t."""
    if math.isnan(t):
        return math.nan
    if abs(t) < 1:  # from the share between -t and t: here the subtraction loses no digits
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
    fraction, upper, lower = 1.0, 1.0, 0.0
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
        fraction *= upper * lower
        if abs(upper * lower - 1) < 1e-16:
            break
    return math.exp(front) * (fraction - 1) / a


def _away_from_zero(value: float, least: float) -> float:
    return value if abs(value) > least else least
