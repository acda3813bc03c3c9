"""Scores of I-measure, made of counts of columns.

Each function takes arrays of any equal shape, with the counts of sentences or of totals, and returns float64 of this
shape. The expressions are those of the official program, because equal doubles decide which score is taken. Where its
denominators are 0, in a sentence without any token, they count as 1.

Source: Felice and Briscoe 2015 (N15-1060), and its program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints

    Numbers = NDArray[np.number[Any]]

ASPECTS = ("correction", "detection")
MEASURES = ("p", "r", "f", "acc", "wacc", "i")
KEYS = 8
"""How many numbers of a reference are compared with those of the other references."""


class Aspect(NamedTuple):
    """Counts of one aspect."""

    tp: Ints
    tn: Ints
    fp: Ints
    fn: Ints
    fpn: Ints
    """The columns that are counted in fp and in fn: changed by the output and by the reference, differently."""


def aspect_of(counts: Ints, aspect: str) -> Aspect:
    """Return the counts of an aspect, made of the five counts that the kernel's three_way() has on its last axis.

    Where the output is changed at the right place in a wrong way, detection counts that it is right.
    """
    c_tp, tn, d_fp, d_fn, fpn = np.moveaxis(counts, -1, 0)
    if aspect == "detection":
        return Aspect(c_tp + fpn, tn, d_fp, d_fn, np.zeros_like(fpn))
    return Aspect(c_tp, tn, d_fp + fpn, d_fn + fpn, fpn)


def precision(counts: Aspect) -> Floats:
    """Return TP / (TP + FP); 1 where nothing is changed."""
    return _ratio(counts.tp, counts.tp + counts.fp, otherwise=1)


def recall(counts: Aspect) -> Floats:
    """Return TP / (TP + FN); 1 where nothing is to be changed."""
    return _ratio(counts.tp, counts.tp + counts.fn, otherwise=1)


def f_score(counts: Aspect, beta: float = 1.0) -> Floats:
    """Return F with a weight of recall; 0 where precision and recall are 0."""
    p, r = precision(counts), recall(counts)
    return (1.0 + beta**2) * _ratio(p * r, beta**2 * p + r, otherwise=0)


def accuracy(counts: Aspect) -> Floats:
    """Return the accuracy of columns."""
    tp, tn, fp, fn, fpn = counts
    return _ratio(tp + tn, tp + tn + fp + fn - fpn, otherwise=0)


def weighted_accuracy(counts: Aspect, w: float = 2.0) -> Floats:
    """Return the accuracy with a weight of columns that the output changes."""
    tp, tn, fp, fn, fpn = counts
    return _ratio(w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * (fpn / 2.0), otherwise=0)


def improvement(score: Floats, baseline: Floats) -> Floats:
    """Return I, from -1 to 1: weighted accuracies of an output and of its unchanged source become one number.

    It is the gain as a share of the greatest possible gain, or the loss as a share of the greatest possible loss, below
    0. Where both are equal it is 0, or 1 where both are perfect.
    """
    greatest = np.where(baseline < 1, 1 - baseline, 1)
    least = np.where(baseline > 0, baseline, 1)
    gain, loss = (score - baseline) / greatest, score / least - 1
    return np.where(score == baseline, np.floor(score), np.where(score > baseline, gain, loss))


def measures(counts: Aspect, baseline: Aspect, w: float = 2.0, beta: float = 1.0) -> dict[str, Floats]:
    """Return all of MEASURES; the counts of `baseline` are those of the source as an output."""
    score, least = weighted_accuracy(counts, w), weighted_accuracy(baseline, w)
    return {
        "p": precision(counts),
        "r": recall(counts),
        "f": f_score(counts, beta),
        "acc": accuracy(counts),
        "wacc": score,
        "i": improvement(score, least),
    }


def reference_keys(
    counts: Ints,
    baseline: Ints,
    *,
    aspect: str = "correction",
    measure: str = "wacc",
    w: float = 2.0,
    beta: float = 1.0,
) -> Floats:
    """Return the numbers by which references are compared, the most important one first: float64 [..., KEYS].

    `counts` and `baseline` are int64 [..., 5], as aspect_of() takes them. The numbers are the measure, I, weighted
    accuracy and accuracy of the aspect, and then the same of the other aspect.
    """
    keys = []
    for name in (aspect, *(other for other in ASPECTS if other != aspect)):
        values = measures(aspect_of(counts, name), aspect_of(baseline, name), w, beta)
        keys += [values[key] for key in (measure, "i", "wacc", "acc")]
    return np.stack(keys, axis=-1)


def best_references(keys: Floats, firsts: Ints) -> Ints:
    """Return for each line its best reference, and of equal ones the first: int64 [lines].

    `keys` is float64 [references of all lines, KEYS]; those of line i are firsts[i] to firsts[i + 1] - 1, at least one.
    """
    lines = np.repeat(np.arange(len(firsts) - 1), firsts[1:] - firsts[:-1])
    order = np.lexsort((*(-key for key in keys.T[::-1]), lines))  # it is stable
    return order[firsts[:-1]]


def _ratio(one: Numbers, two: Numbers, *, otherwise: float) -> Floats:
    """Return one / two, or a number where two is 0."""
    return np.where(two != 0, one / np.where(two != 0, two, 1), otherwise)
