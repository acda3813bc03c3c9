"""The scores of CLEME: F-beta and accuracy of the first version, and the four rates of CLEME 2.0.

Each is there for arrays, and for the whole numbers of a single sentence, since references are chosen one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..base.choices import f_beta, ratio

if TYPE_CHECKING:
    from ...arrays import Floats

DECIMALS = 4
"""The authors' program rounds to so many decimals."""
SHARES = {"corpus": (0.45, 0.35, 0.15, 0.05), "mean": (0.35, 0.25, 0.20, 0.20)}
"""The shares of the four rates in the score of CLEME 2.0, by level."""


class Sums(NamedTuple):
    """Weighted sums of pieces: float64 arrays of equal shape."""

    tp: Floats
    fp_ne: Floats
    fp_un: Floats
    fn: Floats
    tn: Floats

    @property
    def fp(self) -> Floats:
        """The misses of both kinds."""
        return self.fp_ne + self.fp_un


def first_version(sums: Sums, beta: float) -> dict[str, Floats]:
    """Return F-beta, precision (1 without fp), recall (1 without fn) and accuracy (0 where there is no piece)."""
    tp, fp, fn = sums.tp, sums.fp, sums.fn
    precision, recall = np.where(fp == 0, 1.0, ratio(tp, tp + fp)), np.where(fn == 0, 1.0, ratio(tp, tp + fn))
    accuracy = ratio(tp + sums.tn, tp + fp + fn + sums.tn)
    return {
        "cleme": f_beta(precision, recall, beta),
        "precision": precision,
        "recall": recall,
        "accuracy": accuracy,
    }


def second_version(sums: Sums, level: str) -> dict[str, Floats]:
    """Return the score of CLEME 2.0, and its rates hit, err, und and ove, which are 0 where there is no piece."""
    asked = sums.tp + sums.fp_ne + sums.fn
    hit, err, und = (ratio(part, asked) for part in (sums.tp, sums.fp_ne, sums.fn))
    ove = ratio(sums.fp_un, sums.tp + sums.fp)
    a, b, c, d = SHARES[level]
    com = a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove)
    return {"cleme": com, "hit": hit, "err": err, "und": und, "ove": ove}


def rounded_f(tp: int, fp: int, fn: int, beta: float) -> float:
    """Return F-beta of a choice, rounded to 4 decimals."""
    precision, recall = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    either = precision + recall
    return round((1 + beta**2) * precision * recall / (beta**2 * precision + recall), DECIMALS) if either else 0.0


def com(tp: int, fp_ne: int, fp_un: int, fn: int, level: str) -> float:
    """Return the score of CLEME 2.0 of a choice."""
    asked, changed = tp + fp_ne + fn, tp + fp_ne + fp_un
    hit, err, und = (part / asked if asked else 0.0 for part in (tp, fp_ne, fn))
    ove = fp_un / changed if changed else 0.0
    a, b, c, d = SHARES[level]
    return a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove)
