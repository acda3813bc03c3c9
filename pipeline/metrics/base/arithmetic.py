"""Small arithmetic that several metrics share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints

MOST_ADDED = 7
"""Up to so many numbers, numpy adds one after the other, as compiled formulas do. It adds more of them in pairs."""
NEAR = 1e-6
"""Far more than the error of rounding of a score, times ten thousand."""


def by_order(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
    """Return arrays [..., orders] as outputs name_1, name_2 ..., each float64 [...]."""
    real = {name: array.astype(np.float64) for name, array in arrays.items()}
    return {f"{name}_{n + 1}": array[..., n] for name, array in real.items() for n in range(array.shape[-1])}


def log(values: Floats) -> Floats:
    """Return natural logarithms; that of 0 is -inf, without a warning."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(values)
    return logs


def ratio(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Return part / whole, or 0 where whole is 0."""
    quotient: Floats = np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)
    return quotient


def f_beta(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the F-score, in which recall has the weight beta; 0 where precision and recall are 0."""
    weight = beta**2
    return ratio((1 + weight) * precision * recall, weight * precision + recall)


def best_by(keys: Sequence[NDArray[Any]]) -> Ints:
    """Return the best column of each row of keys [lines, references]: int64 [lines].

    The first key decides. Where it is equal, the next key decides, and so on. Of columns that are equal in all keys the
    first is taken. Keys are compared exactly, with their errors of rounding, as the reference programs compare them.
    """
    best = np.zeros(len(keys[0]), np.int64)
    rows = np.arange(len(best))
    for reference in range(1, keys[0].shape[1]):
        better, tied = np.zeros(len(best), bool), np.ones(len(best), bool)
        for key in keys:
            better |= tied & (key[:, reference] > key[rows, best])
            tied &= key[:, reference] == key[rows, best]
        best[better] = reference
    return best


def rounded(values: Floats, digits: int) -> Floats:
    """Return values rounded to so many decimals as Python's round() does it, by their exact binary value."""
    result: Floats = np.rint(values * 10.0**digits) / 10.0**digits
    near = nearly_tied(values, digits)
    result[near] = [round(value, digits) for value in values[near].tolist()]
    return result


def nearly_tied(values: Floats, digits: int) -> NDArray[np.bool_]:
    """Return which values lie so near to the middle of two decimals that an error of rounding could matter."""
    scaled = values * 10.0**digits
    near: NDArray[np.bool_] = np.abs(scaled - np.floor(scaled) - 0.5) < NEAR
    return near
