"""nltk's smoothing of BLEU's precisions, after Chen and Cherry (2014), one sentence or corpus at a time."""

from __future__ import annotations

import math
import sys
import warnings
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...problems import WrongValueError
from .counts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .counts import Tokens

    References = Sequence[Tokens]


class Precision(Fraction):
    """Matches / n-grams. Unlike a Fraction it keeps both numbers, so that 2/4 does not become 1/2."""

    __slots__ = ("matches", "ngrams")

    matches: int
    ngrams: int

    def __new__(cls, matches: int, ngrams: int) -> Precision:
        """Make it of both numbers."""
        made = super().__new__(cls, matches, ngrams)
        made.matches, made.ngrams = matches, ngrams
        return made

    @property
    def numerator(self) -> int:
        """The matches."""
        return self.matches

    @property
    def denominator(self) -> int:
        """The n-grams."""
        return self.ngrams


def modified_precision(references: Sequence[Tokens], hypothesis: Tokens, n: int) -> Precision:
    """Return how many n-grams of order `n` are in a reference, and how many there are, at least 1."""
    counts = counted([references], [hypothesis], n, "union_match")
    return Precision(int(counts.match[0, n - 1]), max(1, len(hypothesis) - n + 1))


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
        self,
        p_n: Sequence[Any],
        references: Sequence[Tokens],
        hypothesis: Tokens,
        hyp_len: int | None = None,
        *_: object,
    ) -> list[Any]:
        """Average each precision with the averaged one below it and the plain one above it."""
        del hyp_len
        above = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        below, averaged = p_n[0] + 1, []
        for precision, higher in zip(p_n, above, strict=True):
            below = (below + precision + higher) / 3
            averaged.append(below)
        return averaged

    def method6(
        self, p_n: Sequence[Any], references: object, hypothesis: Tokens, hyp_len: int | None = None, *_: object
    ) -> list[Any]:
        """Interpolate the orders from the third with what the two orders below let expect (Gao and He 2013).

        Raises WrongValueError where no 3-gram matches, as nltk's assertion does.
        """
        del references, hyp_len
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
        self,
        p_n: Sequence[Any],
        references: Sequence[Tokens],
        hypothesis: Tokens,
        hyp_len: int | None = None,
        *_: object,
    ) -> list[Any]:
        """Apply method 4, then method 5."""
        smoothed = self.method4(p_n, references, hypothesis, hyp_len)
        return self.method5(smoothed, references, hypothesis, hyp_len)
