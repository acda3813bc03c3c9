"""BLEU with the names of nltk.translate.bleu_score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoding import check_order, totals
from ...problems import WrongValueError
from .counts import counted
from .smoothing import Precision, SmoothingFunction, modified_precision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .counts import Counts, Tokens

    Weights = Sequence[float] | Sequence[Sequence[float]]
    """A weight for each order of n-grams, or several such lists."""

__all__ = [
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "sentence_bleu",
]

QUARTERS = (0.25, 0.25, 0.25, 0.25)
"""The weights that auto_reweigh replaces."""


def sentence_bleu(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Weights = QUARTERS,
    smoothing_function: Callable[..., list[Any]] | None = None,
    auto_reweigh: bool = False,
) -> Any:
    """Return the BLEU of a sentence with its references; see corpus_bleu."""
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


def corpus_bleu(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Weights = QUARTERS,
    smoothing_function: Callable[..., list[Any]] | None = None,
    auto_reweigh: bool = False,
) -> Any:
    """Return the BLEU of a corpus: a fraction, or a list of them where `weights` has several lists.

    `list_of_references` has for each hypothesis its references, which are lists of tokens.
    `smoothing_function` is a method of SmoothingFunction, or any function that is called in the same way. It gets the
    references and the hypothesis of the last sentence, as in nltk.
    With `auto_reweigh`, a corpus of fewer than 4 tokens has equal weights for the orders that it has.
    Raises InputError for lists that do not fit together.
    """
    sets: Any = weights if _are_several(weights) else [weights]
    order = max(map(len, sets))
    check_order("weights", order)
    if not len(hypotheses):
        raise WrongValueError("hypotheses: the list is empty")
    counts = counted(list_of_references, hypotheses, order, "union_match")
    brevity = brevity_penalty(_reference_length(counts), int(counts.sizes.sum()))
    ngrams = np.maximum(totals(counts.sizes, order), 1).sum(axis=0).tolist()
    precisions: list[Any] = [Precision(*both) for both in zip(counts.match.sum(axis=0).tolist(), ngrams, strict=True)]
    if precisions[0].numerator == 0:
        return 0 if len(sets) == 1 else [0] * len(sets)
    length = int(counts.sizes.sum())
    smooth = smoothing_function or SmoothingFunction().method0
    precisions = smooth(precisions, references=list_of_references[-1], hypothesis=hypotheses[-1], hyp_len=length)
    scores = [_score(own, precisions, brevity, length if auto_reweigh else None) for own in sets]
    return scores[0] if len(sets) == 1 else scores


def _are_several(weights: Any) -> bool:
    """Return whether there are several lists of weights. Raises WrongValueError where there are none."""
    try:
        return hasattr(weights[0], "__len__")
    except (TypeError, IndexError, KeyError):
        raise WrongValueError(f"weights: expected a list of numbers, or several of them; found {weights!r}") from None


def _score(weights: Any, precisions: list[Any], brevity: float, length: int | None) -> float:
    """Return the score for a list of weights. `length` is that of all hypotheses where weights may be shared anew."""
    if length is not None and length < 4 and isinstance(weights, tuple) and weights == QUARTERS:
        weights = (1 / length,) * length
    logs = [weight * math.log(p) for weight, p in zip(weights, precisions, strict=False) if p > 0]
    return brevity * math.exp(math.fsum(logs))


def _reference_length(counts: Counts) -> int:
    """Return the sum of the closest lengths. Raises WrongValueError for a sentence without references."""
    if 0 in counts.references:
        raise WrongValueError(f"item {counts.references.index(0) + 1} has no references")
    there = np.arange(counts.reference_sizes.shape[1]) < np.array(counts.references)[:, None]
    farthest = np.iinfo(np.int64).max
    distance = np.where(there, np.abs(counts.reference_sizes - counts.sizes[:, None]), farthest)
    near = distance == distance.min(axis=1, keepdims=True)
    return int(np.where(near, counts.reference_sizes, farthest).min(axis=1).sum())


def closest_ref_length(references: Iterable[Tokens], hyp_len: int) -> int:
    """Return the length of the reference that is closest to `hyp_len`, the shorter of two."""
    return min((len(reference) for reference in references), key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(closest_ref_len: int, hyp_len: int) -> float:
    """Return what a score is multiplied with because of its length: 1, or less for short texts."""
    if hyp_len > closest_ref_len:
        return 1
    return math.exp(1 - closest_ref_len / hyp_len) if hyp_len else 0
