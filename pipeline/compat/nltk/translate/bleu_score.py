"""BLEU with the names of nltk.translate.bleu_score, and its smoothing after Chen and Cherry (2014)."""

import math
import warnings
from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from ....arrays import Bools, Ints
from ...texts import (
    WrongTypeError,
    WrongValueError,
    ids_of,
    matches,
    metric_of,
    sums_of,
    unavailable,
)

Tokens = Sequence[Hashable]
"""A sentence: a list of tokens. A text stands for its letters."""

__all__ = ["SmoothingFunction", "corpus_bleu", "sentence_bleu"]

QUARTERS = (0.25, 0.25, 0.25, 0.25)


def counted(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    order: int,
    kind: str,
) -> tuple[dict[str, Ints], Bools]:
    """Return the statistics of each line for metrics that count n-gram matches of a kind
    (`kernel/common.py`) up to an order, and which references it has: bool [lines, references].

    The references of a line are a list, as long as it has some. Raises InputError for lists that do
    not fit together, a line without references, and tokens that are not hashable."""
    if not len(hypotheses):
        raise WrongValueError("hypotheses: the list is empty")
    if len(list_of_references) != len(hypotheses):
        found = f"{len(list_of_references)} lists of references, and {len(hypotheses)} hypotheses"
        raise WrongValueError(
            f"expected a list of references for each hypothesis; found {found}"
        )
    reference_counts = np.array(list(map(len, list_of_references)))
    if not reference_counts.all():
        item = reference_counts.argmin() + 1
        raise WrongValueError(f"item {item} has no references")
    # The first reference of each line, the second ...: empty if it has fewer.
    references = list(zip_longest(*list_of_references, fillvalue=()))
    try:
        encoded = ids_of([*references, hypotheses])
    except TypeError as error:
        raise WrongTypeError(
            f"expected sentences that are lists of tokens: {error}"
        ) from None
    *reference_lengths, lengths = (np.diff(text.offsets) for text in encoded)
    columns = {
        "hyp_len": lengths,
        "ref_len": np.stack(reference_lengths, axis=-1),
        "total": np.maximum(lengths[:, None] - np.arange(order), 0),
        kind: matches(encoded, order, kind),
    }
    present: Bools = np.arange(len(references)) < reference_counts[:, None]
    return columns, present


class Smoothing(NamedTuple):
    """A method of SmoothingFunction: its name in `metrics/bleu/smoothing.py`, and its number."""

    name: str
    value: float = 0.0


class SmoothingFunction:
    """The smoothing methods 0 to 7 of nltk, as attributes, for sentence_bleu and corpus_bleu.

    `epsilon` is added by method 1, `alpha` weighs the estimates of method 6, `k` is that of the
    methods 4 and 7.
    """

    def __init__(
        self, epsilon: float = 0.1, alpha: float = 5, k: float = 5
    ) -> None:
        self.method0 = Smoothing("method0")
        self.method1 = Smoothing("method1", epsilon)
        self.method2 = Smoothing("method2")
        self.method3 = Smoothing("method3")
        self.method4 = Smoothing("method4", k)
        self.method5 = Smoothing("method5")
        self.method6 = Smoothing("method6", alpha)
        self.method7 = Smoothing("method7", k)


def sentence_bleu(
    references: Sequence[Tokens],
    hypothesis: Tokens,
    weights: Sequence[float] = QUARTERS,
    smoothing_function: Smoothing | None = None,
) -> float:
    """Return the BLEU of a sentence with its references; see corpus_bleu."""
    return corpus_bleu([references], [hypothesis], weights, smoothing_function)


def corpus_bleu(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    weights: Sequence[float] = QUARTERS,
    smoothing_function: Smoothing | None = None,
) -> float:
    """Return the BLEU of a corpus, a fraction; 0 if no word matches.

    `list_of_references` has for each hypothesis its references, which are lists of tokens.
    `weights` has a weight for each order of n-grams. `smoothing_function` is a method of
    SmoothingFunction. Methods from 5 read the last sentence alone, as in nltk. Raises InputError
    for lists that do not fit together.
    """
    try:
        weight_of_order = [float(weight) for weight in weights]
    except TypeError:
        raise WrongValueError(
            f"weights: expected a list of numbers, found {weights!r}"
        ) from None
    smoothing = smoothing_function
    if smoothing is None:
        smoothing = SmoothingFunction().method0
    if not isinstance(smoothing, Smoothing):
        unavailable(
            "smoothing_function", "expected a method of SmoothingFunction"
        )
    sums = _sums(list_of_references, hypotheses, len(weight_of_order))
    matching = sums["match"]  # by order of n-grams
    if matching[0] == 0:
        return 0
    if smoothing.name == "method0" and 0 in matching:
        order = matching.index(0) + 1
        problem = f"no {order}-gram matches, so BLEU without smoothing is 0"
        warnings.warn(f"{problem}; see SmoothingFunction", stacklevel=3)
    # nltk fails there without a 3-gram.
    if smoothing.name == "method6" and (len(matching) < 3 or not matching[2]):
        raise WrongValueError("method6: at least one 3-gram has to match")
    # Smoothed precisions.
    from ....metrics import SMOOTHING, SmoothingCounts

    last_length = len(hypotheses[-1])
    counts = SmoothingCounts(
        np.array(matching, np.float64),
        np.array(sums["total"], np.float64),
        np.array(sums["hyp_len"], np.float64),
        lengths=np.maximum(last_length - np.arange(len(matching)), 0),
    )
    if smoothing.name in ("method5", "method7"):
        # The precision of 5-grams in the last sentence.
        last = _sums([list_of_references[-1]], [hypotheses[-1]], 5)
        fifth = last["match"][4] / last["total"][4]
        counts = counts._replace(fifth=np.array(fifth))
    method = SMOOTHING[smoothing.name]
    precisions = method.precisions(counts, smoothing.value).tolist()
    # The brevity penalty, and the weighted geometric mean of the precisions.
    brevity = 1.0
    if sums["hyp_len"] <= sums["ref_len"]:
        brevity = math.exp(1 - sums["ref_len"] / sums["hyp_len"])
    logs = []
    for weight, precision in zip(weight_of_order, precisions, strict=True):
        if precision > 0:
            logs.append(weight * math.log(precision))
    return brevity * math.exp(math.fsum(logs))


def _sums(
    list_of_references: Sequence[Sequence[Tokens]],
    hypotheses: Sequence[Tokens],
    order: int,
) -> dict[str, Any]:
    """Return the sums from which BLEU is computed; see `metrics/bleu/metric.py`."""
    metric = metric_of("bleu", flavour="nltk", order=order)
    return sums_of(
        metric, *counted(list_of_references, hypotheses, order, "union_match")
    )
