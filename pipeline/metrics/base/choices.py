"""Small arithmetic of scores, and how the reference of a sentence is chosen or drawn."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import kernel
from ...arrays import Floats, Ints

Numbers = NDArray[Any]

# --- arithmetic


MAX_SEQUENTIAL_SUM = 7
"""numpy adds at most so many numbers one by one, as compiled formulas do; more in pairs."""
NEAR = 1e-6
"""Far more than the rounding error of a score times ten thousand."""


class FScores(NamedTuple):
    """F-beta with the precision and recall that it is made of, [...] each."""

    score: Floats
    precision: Floats
    recall: Floats


def by_order(arrays: Mapping[str, Numbers]) -> dict[str, Floats]:
    """Return arrays [..., orders] as outputs name_1, name_2 ..., each float64 [...]."""
    outputs = {}
    for name, array in arrays.items():
        values = array.astype(np.float64)
        for n in range(values.shape[-1]):
            outputs[f"{name}_{n + 1}"] = values[..., n]
    return outputs


def log(values: Floats) -> Floats:
    """Return natural logarithms; that of 0 is -inf, without a warning."""
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(values)
    return logs


def ratio(part: Numbers, total: Numbers) -> Floats:
    """Return part / total, or 0 where total is 0."""
    zeros = np.zeros(np.broadcast(part, total).shape)
    quotient: Floats = np.divide(
        part,
        total,
        out=zeros,
        where=total != 0,
    )
    return quotient


def f_beta(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the F-score with recall weighted by beta; 0 where precision and recall are 0."""
    weight = beta**2
    return ratio((1 + weight) * precision * recall, weight * precision + recall)


def f_of_counts(
    right: Numbers,
    proposed: Numbers,
    expected: Numbers,
    beta: float,
) -> FScores:
    """Return F-beta of counts of edits.

    Precision is 1 where no edit is proposed, and recall is 1 where none is expected.
    """
    precision = np.where(proposed == 0, 1.0, ratio(right, proposed))
    recall = np.where(expected == 0, 1.0, ratio(right, expected))
    return FScores(f_beta(precision, recall, beta), precision, recall)


def closest_length(columns: Mapping[str, Ints]) -> Ints:
    """Return the reference length closest to the output's, the first of equals: int64 [lines]."""
    lengths = columns["ref_len"]
    distance = np.abs(lengths - columns["hyp_len"][:, None])
    closest: Ints = lengths[np.arange(len(lengths)), distance.argmin(axis=-1)]
    return closest


def best_by(keys: Sequence[Numbers]) -> Ints:
    """Return the best column of each row of keys [lines, references]: int64 [lines].

    The first key decides, then the next one among columns that are equal in it, and so on. Of
    columns that are equal in all keys the first is taken. Keys are compared exactly, with their
    rounding errors, as the reference programs compare them.
    """
    arrays = np.broadcast_arrays(*[key.T for key in keys])
    best = np.zeros(arrays[0].shape[1:], np.int64)
    best_keys = [key[0].copy() for key in arrays]
    for candidate in range(1, len(arrays[0])):
        better = np.zeros(best.shape, bool)
        tied = np.ones(best.shape, bool)
        for key, best_key in zip(arrays, best_keys, strict=True):
            better |= tied & (key[candidate] > best_key)
            tied &= key[candidate] == best_key
        best[better] = candidate
        for key, best_key in zip(arrays, best_keys, strict=True):
            np.copyto(best_key, key[candidate], where=better)
    return best


def rounded(values: Floats, digits: int) -> Floats:
    """Return values rounded as Python's round() does it, by their exact binary value."""
    scaled = values * 10.0**digits
    result: Floats = np.asarray(np.rint(scaled) / 10.0**digits)
    # Near the middle of two decimals, the error of the product matters.
    near = np.abs(scaled - np.floor(scaled) - 0.5) < NEAR
    result[near] = [round(value, digits) for value in values[near].tolist()]
    return result


# --- references drawn at random


MAX_CHOICES = 4096
"""For the expected score, all choices of references are taken if there are at most so many."""


class Draws(NamedTuple):
    """A sampler with everything that determines each sentence's reference in each iteration.

    Draws do not depend on shards, systems or metrics. They come in blocks of lines, so that memory
    does not grow with the corpus.
    """

    sampler: str
    iterations: int
    lines: int
    references: int
    seed: int = 0
    """Read by the samplers numpy and turned alone."""

    def drawer(self, iterations: Iterable[int]) -> "kernel.Drawer":
        """Return what draws for some of the iterations, block of lines after block of lines."""
        return kernel.Drawer(
            self.sampler, iterations, self.lines, self.references, self.seed
        )

    @staticmethod
    def balanced(
        groups: int,
        lines: int,
        references: int,
        seed: int,
    ) -> "Draws":
        """Return draws whose mean score is what sampling converges to, or is close to it.

        If there are few choices of references, all are taken. Otherwise the draws are groups of as
        many iterations as there are references: a random choice, the same choice turned by one
        reference, by two, and so on. In a group each sentence gets each reference once, so that
        only the curvature of the score is left to chance. The error is far below that of as many
        independent iterations.
        """
        if lines * math.log(references) <= math.log(MAX_CHOICES):
            return Draws("all", references**lines, lines, references)
        return Draws("turned", groups * references, lines, references, seed)
