"""How programs compute BLEU's precisions where few or no n-grams match.

Each function takes counts and returns precisions, float64 [..., orders], with any leading axes.
none, floor, add-k and exp follow sacreBLEU. method0 to method7 are those of Chen and Cherry (2014),
as nltk computes them. add-one is that of Lin and Och (2004), as the code of TensorFlow's nmt and of
Hugging Face computes it.
"""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ..base import ratio
from ..base.choices import log


class SmoothingCounts(NamedTuple):
    """What precisions are computed from."""

    match: Floats
    """The shape is [..., orders]."""
    total: Floats
    """The shape is [..., orders]."""
    hyp_len: Floats
    """The shape is [...]."""
    fifth: Floats | None = None
    """The precision of 5-grams [...], for method5 and method7."""
    lengths: Floats | None = None
    """The n-grams [..., orders] of the sentence that nltk calls the hypothesis, for method6."""


class Smoothing(NamedTuple):
    """A kind of smoothing."""

    flavours: tuple[str, ...]
    precisions: Callable[[SmoothingCounts, float], Floats]
    """The function of the counts and the option smoothing_value."""
    value: str = ""
    """The default of smoothing_value. An empty string means that the smoothing has no value."""


def _zeros(counts: SmoothingCounts) -> tuple[Any, Any]:
    """Return which orders have n-grams but no match, and how many such orders there are so far."""
    zero = (counts.match == 0) & (counts.total > 0)
    return zero, np.cumsum(zero, axis=-1)


def _add_k(counts: SmoothingCounts, value: float) -> Floats:
    """Add the value to matches and totals of all orders but the first."""
    added = np.where(np.arange(counts.match.shape[-1]) > 0, value, 0.0)
    return ratio(counts.match + added, counts.total + added)


def _exp(counts: SmoothingCounts, _: float) -> Floats:
    """Count 1/2, 1/4 ... matches in the orders without a match, as mteval does."""
    zero, ranks = _zeros(counts)
    return ratio(np.where(zero, 0.5**ranks, counts.match), counts.total)


def _method4(counts: SmoothingCounts, k: float) -> Floats:
    """Divide the matches of exp by k / log(length of the output).

    An output of one token is not smoothed.
    """
    zero, ranks = _zeros(counts)
    with np.errstate(divide="ignore"):
        inverse = log(counts.hyp_len)[..., None] / (2.0**ranks * k)
    smoothed = zero & (counts.hyp_len > 1)[..., None]
    return ratio(np.where(smoothed, inverse, counts.match), counts.total)


def _averaged(precision: Floats, fifth: Floats | None) -> Floats:
    """Average each precision with that of the order below, averaged, and that of the order above.

    Below the first order stands its own precision + 1, above the last the precision of 5-grams.
    """
    assert fifth is not None  # noqa: S101 (for the type checker: metric.py gives it)
    above = np.concatenate([precision[..., 1:], fifth[..., None]], axis=-1)
    below = precision[..., 0] + 1
    averaged = []
    for n in range(precision.shape[-1]):
        below = (below + precision[..., n] + above[..., n]) / 3
        averaged.append(below)
    return np.stack(averaged, axis=-1)


def _method6(counts: SmoothingCounts, alpha: float) -> Floats:
    """Interpolate each order from the third with an estimate from the two below.

    Without a 3-gram match all are 0.
    """
    assert counts.lengths is not None  # noqa: S101 (for the type checker: metric.py gives it)
    plain = ratio(counts.match, counts.total)
    smoothed = [plain[..., 0], plain[..., 1]]
    for n in range(2, plain.shape[-1]):
        prior = ratio(smoothed[n - 1] ** 2, smoothed[n - 2])
        smoothed.append(
            (counts.match[..., n] + alpha * prior)
            / (counts.lengths[..., n] + alpha)
        )
    return np.where(
        counts.match[..., 2:3] > 0, np.stack(smoothed, axis=-1), 0.0
    )


def _plain(counts: SmoothingCounts, _: float) -> Floats:
    """Return matches divided by totals."""
    return ratio(counts.match, counts.total)


def _floor(counts: SmoothingCounts, value: float) -> Floats:
    """Count the value in the orders with n-grams but without a match."""
    zero, _ = _zeros(counts)
    return ratio(np.where(zero, value, counts.match), counts.total)


def _add_one(counts: SmoothingCounts, _: float) -> Floats:
    """Add 1 to matches and totals."""
    return ratio(counts.match + 1, counts.total + 1)


def _method0(counts: SmoothingCounts, _: float) -> Floats:
    """Replace precisions of 0 by the smallest float."""
    return np.where(
        counts.match == 0, sys.float_info.min, ratio(counts.match, counts.total)
    )


def _method1(counts: SmoothingCounts, epsilon: float) -> Floats:
    """Count epsilon in the orders without a match."""
    return ratio(
        np.where(counts.match == 0, epsilon, counts.match), counts.total
    )


def _method2(counts: SmoothingCounts, _: float) -> Floats:
    """Add 1 to matches and totals of all orders but the first."""
    return _add_k(counts, 1.0)


def _method5(counts: SmoothingCounts, _: float) -> Floats:
    """Average the precisions of neighbouring orders."""
    return _averaged(ratio(counts.match, counts.total), counts.fifth)


def _method7(counts: SmoothingCounts, k: float) -> Floats:
    """Average the precisions of method4."""
    return _averaged(_method4(counts, k), counts.fifth)


SMOOTHING: dict[str, Smoothing] = {
    "none": Smoothing(("sacrebleu", "tensorflow", "moses"), _plain),
    "floor": Smoothing(("sacrebleu",), _floor, "0.1"),
    "add-k": Smoothing(("sacrebleu",), _add_k, "1"),
    "exp": Smoothing(("sacrebleu",), _exp),
    "add-one": Smoothing(("tensorflow",), _add_one),
    "method0": Smoothing(("nltk",), _method0),
    "method1": Smoothing(("nltk",), _method1, "0.1"),
    "method2": Smoothing(("nltk",), _method2),
    "method3": Smoothing(("nltk",), _exp),
    "method4": Smoothing(("nltk",), _method4, "5"),
    "method5": Smoothing(("nltk",), _method5),
    "method6": Smoothing(("nltk",), _method6, "5"),
    "method7": Smoothing(("nltk",), _method7, "5"),
}
