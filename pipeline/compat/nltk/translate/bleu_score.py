"""BLEU with the names of nltk.translate.bleu_score, and its smoothing after Chen and Cherry (2014)."""

from __future__ import annotations

import math
import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ...texts import WrongTypeError, WrongValueError, ids_of, matches, metric_of, sums_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from ....arrays import Ints

    Tokens = Sequence[Hashable]
    """A sentence: a list of tokens. A text stands for its letters."""
    Weights = Sequence[float] | Sequence[Sequence[float]]
    """A weight for each order of n-grams, or several such lists."""

__all__ = ["SmoothingFunction", "corpus_bleu", "sentence_bleu"]


QUARTERS = (0.25, 0.25, 0.25, 0.25)
"""The weights that auto_reweigh replaces."""


def counted(
    list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], order: int, kind: str
) -> tuple[dict[str, Ints], NDArray[np.bool_]]:
    """Return the columns of metrics that count matches of a kind (`kernel/common.py`), and which references there are.

    Lines may have fewer references than others: bool [lines, references].
    Raises InputError for lists that do not fit together, and for tokens that cannot be keys.
    """
    if not len(hypotheses):
        raise WrongValueError("hypotheses: the list is empty")
    if len(list_of_references) != len(hypotheses):
        found = f"{len(list_of_references)} lists of references, and {len(hypotheses)} hypotheses"
        raise WrongValueError(f"expected a list of references for each hypothesis; found {found}")
    own = np.array(list(map(len, list_of_references)))
    if not own.all():
        raise WrongValueError(f"item {own.argmin() + 1} has no references")
    sets = [[texts[n] if n < len(texts) else () for texts in list_of_references] for n in range(own.max())]
    try:
        encoded = ids_of([*sets, hypotheses])
    except TypeError as error:
        raise WrongTypeError(f"expected sentences that are lists of tokens: {error}") from None
    *references, sizes = (np.diff(text.offsets) for text in encoded)
    total = np.maximum(sizes[:, None] - np.arange(order), 0)
    columns = {"hyp_len": sizes, "ref_len": np.stack(references, axis=-1), "total": total}
    return columns | {kind: matches(encoded, order, kind)}, np.arange(len(sets)) < own[:, None]


class Precision(float):
    """Matches / n-grams, with both numbers."""

    numerator: int
    denominator: int

    def __new__(cls, matches: int, ngrams: int) -> Precision:
        """Make it of both numbers."""
        made = super().__new__(cls, matches / ngrams)
        made.numerator, made.denominator = matches, ngrams
        return made


class SmoothingFunction:
    """The methods 0 to 7 of nltk. Each takes precisions, and returns what stands for them.

    `epsilon` is added by method 1, `alpha` weighs the estimates of method 6, `k` is that of the methods 4 and 7.
    """

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5) -> None:
        self.epsilon, self.alpha, self.k = epsilon, alpha, k

    def method0(self, p_n: Sequence[Any], *_: object, **__: object) -> list[Any]:
        """Smooth nothing: with a precision of 0 the score becomes 0, but for rounding, and there is a warning."""
        for order, precision in enumerate(p_n, 1):
            if precision.numerator == 0:
                message = f"no {order}-gram matches, so BLEU without smoothing is 0; see SmoothingFunction"
                warnings.warn(message, stacklevel=4)
        return [precision if precision.numerator else sys.float_info.min for precision in p_n]

    def method1(self, p_n: Sequence[Any], *_: object, **__: object) -> list[Any]:
        """Take epsilon matches where there are none."""
        return [p if p.numerator else self.epsilon / p.denominator for p in p_n]

    def method2(self, p_n: Sequence[Any], *_: object, **__: object) -> list[Any]:
        """Add 1 to matches and n-grams of all orders but the first (Lin and Och 2004)."""
        return [p_n[0], *(Precision(p.numerator + 1, p.denominator + 1) for p in p_n[1:])]

    def method3(self, p_n: Sequence[Any], *_: object, **__: object) -> list[Any]:
        """Take 1/2, 1/4 ... matches in the orders that have none, as mteval does."""
        smoothed, times = [], 0
        for precision in p_n:
            times += precision.numerator == 0
            smoothed.append(precision if precision.numerator else 1 / (2**times * precision.denominator))
        return smoothed

    def method4(
        self, p_n: Sequence[Any], references: object, hypothesis: Tokens, hyp_len: int | None = None, *_: object
    ) -> list[Any]:
        """Take as many matches as method 3 does, divided by k / log(length of the hypothesis)."""
        del references
        length = hyp_len or len(hypothesis)
        smoothed, times = [], 0
        for precision in p_n:
            smooth = precision.numerator == 0 and length > 1
            times += smooth
            less = 1 / (2**times * self.k / math.log(length)) if smooth else 0
            smoothed.append(less / precision.denominator if smooth else precision)
        return smoothed

    def method5(
        self, p_n: Sequence[Any], references: Sequence[Tokens], hypothesis: Tokens, *_: object, **__: object
    ) -> list[Any]:
        """Average each precision with the averaged one below it and the plain one above it."""
        fifth = _precisions([references], [hypothesis], 5)[0][4]
        below, averaged = p_n[0] + 1, []
        for precision, higher in zip(p_n, [*p_n[1:], fifth], strict=True):
            below = (below + precision + higher) / 3
            averaged.append(below)
        return averaged

    def method6(
        self, p_n: Sequence[Any], references: object, hypothesis: Tokens, *_: object, **__: object
    ) -> list[Any]:
        """Interpolate the orders from the third with what the two orders below let expect (Gao and He 2013).

        Raises WrongValueError where no 3-gram matches, as nltk's assertion does.
        """
        del references
        if len(p_n) < 3 or not p_n[2]:
            raise WrongValueError("method6: at least one 3-gram has to match")
        smoothed = list(p_n)
        for n in range(2, len(smoothed)):
            two, one = smoothed[n - 2], smoothed[n - 1]
            expected = 0 if two == 0 else one**2 / two
            ngrams = max(len(hypothesis) - n, 0)
            smoothed[n] = (smoothed[n].numerator + self.alpha * expected) / (ngrams + self.alpha)
        return smoothed

    def method7(
        self, p_n: Sequence[Any], references: Sequence[Tokens], hypothesis: Tokens, hyp_len: int | None = None
    ) -> list[Any]:
        """Apply method 4, then method 5."""
        return self.method5(self.method4(p_n, references, hypothesis, hyp_len), references, hypothesis)


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
    precisions, length, ref_len = _precisions(list_of_references, hypotheses, max(map(len, sets)))
    if precisions[0] == 0:
        return 0 if len(sets) == 1 else [0] * len(sets)
    brevity = 1 if length > ref_len else math.exp(1 - ref_len / length)
    smooth = smoothing_function or SmoothingFunction().method0
    precisions = smooth(precisions, references=list_of_references[-1], hypothesis=hypotheses[-1], hyp_len=length)
    scores = [_score(own, precisions, brevity, length if auto_reweigh else None) for own in sets]
    return scores[0] if len(sets) == 1 else scores


def _precisions(
    list_of_references: Sequence[Sequence[Tokens]], hypotheses: Sequence[Tokens], order: int
) -> tuple[list[Any], int, int]:
    """Return the precision of each order, and the lengths of hypotheses and of the references closest to them."""
    metric = metric_of("bleu", flavour="nltk", order=order)
    sums = sums_of(metric, *counted(list_of_references, hypotheses, order, "union_match"))
    ngrams = zip(sums["match"], sums["total"], strict=True)
    return [Precision(*both) for both in ngrams], sums["hyp_len"], sums["ref_len"]


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
