"""How programs compute BLEU's precisions where few or no n-grams match.

Each function takes counts and returns precisions, float64 [..., orders], with any leading axes.
none, floor, add-k and exp follow sacreBLEU. method0 to method7 are those of Chen and Cherry (2014),
as nltk computes them. add-one is that of Lin and Och (2004), as the code of TensorFlow's nmt and of
Hugging Face computes it.
"""

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats, Ints
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

    @property
    def unmatched(self) -> Bools:
        """Which orders have n-grams but no match: [..., orders]."""
        is_unmatched: Bools = (self.match == 0) & (self.total > 0)
        return is_unmatched

    @property
    def unmatched_so_far(self) -> Ints:
        """How many orders up to each have n-grams but no match: [..., orders]."""
        return np.cumsum(self.unmatched, axis=-1)

    def precisions(self, unmatched: ArrayLike) -> Floats:
        """Return matches divided by totals, with this count in orders without a match."""
        match = np.where(self.unmatched, unmatched, self.match)
        return ratio(match, self.total)


class Smoothing(NamedTuple):
    """A kind of smoothing."""

    flavours: tuple[str, ...]
    precisions: Callable[[SmoothingCounts, float], Floats]
    """The function of the counts and the option smoothing_value."""
    value: str = ""
    """The default of smoothing_value. An empty string means that the smoothing has no value."""


def _plain(counts: SmoothingCounts, _: float) -> Floats:
    """Return matches divided by totals."""
    return ratio(counts.match, counts.total)


def _floor(counts: SmoothingCounts, value: float) -> Floats:
    """Count the value in the orders with n-grams but without a match."""
    return counts.precisions(value)


def _exp(counts: SmoothingCounts, _: float) -> Floats:
    """Count 1/2, 1/4 ... matches in the orders without a match, as mteval does."""
    return counts.precisions(0.5**counts.unmatched_so_far)


def _add_one(counts: SmoothingCounts, _: float) -> Floats:
    """Add 1 to matches and totals."""
    return ratio(counts.match + 1, counts.total + 1)


def _add_k(counts: SmoothingCounts, value: float) -> Floats:
    """Add the value to matches and totals of all orders but the first."""
    orders = np.arange(counts.match.shape[-1])
    added = np.where(orders > 0, value, 0.0)
    return ratio(counts.match + added, counts.total + added)


def _method0(counts: SmoothingCounts, _: float) -> Floats:
    """Replace precisions of 0 by the smallest float."""
    tiny = sys.float_info.min
    return np.where(counts.match == 0, tiny, _plain(counts, 0))


def _method1(counts: SmoothingCounts, epsilon: float) -> Floats:
    """Count epsilon in the orders without a match."""
    match = np.where(counts.match == 0, epsilon, counts.match)
    return ratio(match, counts.total)


def _method2(counts: SmoothingCounts, _: float) -> Floats:
    """Add 1 to matches and totals of all orders but the first."""
    return _add_k(counts, 1.0)


def _method4(counts: SmoothingCounts, k: float) -> Floats:
    """Divide the matches of exp by k / log(length of the output).

    An output of one token is not smoothed.
    """
    lengths = counts.hyp_len[..., None]
    halves = 2.0**counts.unmatched_so_far
    with np.errstate(divide="ignore"):
        smoothed = log(lengths) / (halves * k)
    return counts.precisions(np.where(lengths > 1, smoothed, 0.0))


def _with_neighbours(precision: Floats, counts: SmoothingCounts) -> Floats:
    """Average each precision with that of the order below, averaged, and that of the order above.

    Below the first order stands its own precision + 1, above the last the precision of 5-grams.
    """
    assert counts.fifth is not None  # noqa: S101 (for the type checker: metric.py gives it)
    above = np.concatenate(
        [precision[..., 1:], counts.fifth[..., None]], axis=-1
    )
    below = precision[..., 0] + 1
    averaged = []
    for n in range(precision.shape[-1]):
        below = (below + precision[..., n] + above[..., n]) / 3
        averaged.append(below)
    return np.stack(averaged, axis=-1)


def _method5(counts: SmoothingCounts, _: float) -> Floats:
    """Average the precisions of neighbouring orders."""
    return _with_neighbours(_plain(counts, 0), counts)


def _method6(counts: SmoothingCounts, alpha: float) -> Floats:
    """Interpolate each order from the third with an estimate from the two below.

    Without a 3-gram match all are 0.
    """
    assert counts.lengths is not None  # noqa: S101 (for the type checker: metric.py gives it)
    plain = _plain(counts, 0)
    smoothed = [plain[..., 0], plain[..., 1]]
    for n in range(2, plain.shape[-1]):
        estimate = ratio(smoothed[n - 1] ** 2, smoothed[n - 2])
        match = counts.match[..., n] + alpha * estimate
        smoothed.append(match / (counts.lengths[..., n] + alpha))
    has_match = counts.match[..., 2:3] > 0
    return np.where(has_match, np.stack(smoothed, axis=-1), 0.0)


def _method7(counts: SmoothingCounts, k: float) -> Floats:
    """Average the precisions of method4."""
    return _with_neighbours(_method4(counts, k), counts)


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
