"""BLEU with the names of sacrebleu.metrics.bleu."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ....errors import did_you_mean
from ....tokenizers import sacrebleu
from ....tokenizers.tokenization import Tokenization
from ...texts import UnavailableError, WrongValueError, check_order, closest_lengths, lengths, lines_of, matches, totals
from .base import Metric, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....arrays import Ints
    from .base import Streams

LOGGER = logging.getLogger("pipeline.compat.sacrebleu")
TOKENIZED = 100
"""So many lines that end in " ." get a warning, unless it is forbidden by `force`."""
LOG_OF_ZERO = -9999999999.0
"""What stands for the logarithm of a precision of 0."""


class BLEUScore(Score):
    """A BLEU score, with the numbers that it is made of."""

    def __init__(
        self,
        score: float,
        counts: list[int],
        totals: list[int],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.counts, self.totals, self.precisions = counts, totals, precisions
        self.bp, self.sys_len, self.ref_len = bp, sys_len, ref_len
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        self.ratio = sys_len / ref_len if ref_len else 0
        lengths = f"ratio = {self.ratio:.3f} hyp_len = {sys_len:d} ref_len = {ref_len:d}"
        self._verbose = f"{self.prec_str} (BP = {bp:.3f} {lengths})"


class BLEU(Metric[BLEUScore]):
    """BLEU as sacreBLEU computes it."""

    abbreviations: ClassVar[dict[str, str]] = {"eff": "e", "smooth": "s"}
    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
    """The kinds of smoothing, with the value that a kind has by default."""
    TOKENIZERS: ClassVar[dict[str, str]] = {
        "none": "whitespace",
        "char": "nonspace",
        **{name: name for name in ("13a", "zh", "intl", *sacrebleu.BORROWED)},
    }
    """The tokenisers by sacreBLEU's names, with the names that they have in this program."""
    TOKENIZER_DEFAULT = "13a"
    LANGUAGES: ClassVar[dict[str, str]] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    """The tokenisers of target languages where none is asked for."""

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        super().__init__(references)
        check_order("max_ngram_order", max_ngram_order)
        _check_smoothing(smooth_method)
        self.lowercase, self.trg_lang, self._force = lowercase, trg_lang, force
        self.smooth_method, self.smooth_value = smooth_method, smooth_value
        self.max_ngram_order, self.effective_order = max_ngram_order, effective_order
        name = tokenize or self.LANGUAGES.get(trg_lang, self.TOKENIZER_DEFAULT)
        if name not in self.TOKENIZERS:
            raise WrongValueError(f"tokenize: sacreBLEU has no '{name}'{did_you_mean(name, self.TOKENIZERS)}")
        self.tokenization = Tokenization(self.TOKENIZERS[name], lowercase=lowercase)
        reason = self.tokenization.unavailable()
        if reason:
            raise UnavailableError(reason)
        self.tokenizer_signature = sacrebleu.signature(name) if name in sacrebleu.BORROWED else name
        if tokenize and self.LANGUAGES.get(trg_lang, name) != name:
            LOGGER.warning("tokenize: %s is what %s is usually split by", self.LANGUAGES[trg_lang], trg_lang)

    @staticmethod
    def compute_bleu(
        correct: list[int],
        total: list[int],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = 4,
    ) -> BLEUScore:
        """Return BLEU of counts: matches and n-grams of each order, and both lengths.

        With the smoothing add-k, the value is added to the lists `correct` and `total` themselves, as in sacreBLEU.
        """
        _check_smoothing(smooth_method)
        value = BLEU.SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
        brevity = 1.0 if sys_len >= ref_len else math.exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
        precisions = [0.0] * max_ngram_order
        if not any(correct):
            return BLEUScore(0.0, correct, total, precisions, brevity, sys_len, ref_len)
        reached = _smoothed(precisions, correct, total, smooth_method, value)
        orders = (reached if effective_order else 0) or max_ngram_order
        logs = [LOG_OF_ZERO if precision == 0 else math.log(precision) for precision in precisions[:orders]]
        score = brevity * math.exp(sum(logs) / orders)
        return BLEUScore(score, correct, total, precisions, brevity, sys_len, ref_len)

    def sentence_score(self, hypothesis: str, references: Sequence[str | None]) -> BLEUScore:
        """Return the BLEU of a sentence with its references. Without effective order there is a warning."""
        if not self.effective_order:
            LOGGER.warning("BLEU of single sentences is better with effective_order=True")
        return super().sentence_score(hypothesis, references)

    def _count(self, hypotheses: Sequence[str], references: Streams) -> Ints:
        """Return both lengths, matches and n-grams of each line: int64 [lines, 2 + 2 orders]."""
        if not self._force and sum(text.endswith(" .") for text in hypotheses if isinstance(text, str)) >= TOKENIZED:
            LOGGER.warning(
                "%d or more lines end in ' .', as tokenised text does; BLEU is for text that is not tokenised. "
                "force=True leaves this warning out",
                TOKENIZED,
            )
        texts = [lines_of(f"references[{n}]", stream) for n, stream in enumerate(references)]
        encoded = self.tokenization.encode([*texts, lines_of("hypotheses", hypotheses)])
        match = matches(encoded, self.max_ngram_order, "union_match")
        *reference_sizes, sizes = (lengths(text) for text in encoded)
        there = np.array([[text is not None for text in stream] for stream in references]).T
        closest = closest_lengths(sizes, np.stack(reference_sizes, axis=-1), there)
        return np.concatenate((sizes[:, None], closest[:, None], match, totals(sizes, self.max_ngram_order)), axis=1)

    def _compute_score_from_stats(self, stats: Any) -> BLEUScore:
        sums = stats.tolist() if isinstance(stats, np.ndarray) else [*stats]
        cut = 2 + self.max_ngram_order
        return self.compute_bleu(
            sums[2:cut],
            sums[cut:],
            int(sums[0]),
            int(sums[1]),
            self.smooth_method,
            self.smooth_value,
            self.effective_order,
            self.max_ngram_order,
        )

    def _settings(self) -> dict[str, Any]:
        default = self.SMOOTH_DEFAULTS[self.smooth_method]
        value = default if self.smooth_value is None else self.smooth_value
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "yes" if self.effective_order else "no",
            "tok": self.tokenizer_signature,
            "smooth": self.smooth_method + (f"[{value:.2f}]" if default is not None else ""),
        }


def _check_smoothing(method: str) -> None:
    if method not in BLEU.SMOOTH_DEFAULTS:
        known = ", ".join(BLEU.SMOOTH_DEFAULTS)
        raise WrongValueError(f"smooth_method: expected one of {known}; found {method!r}")


def _smoothed(precisions: list[float], correct: list[Any], total: list[Any], method: str, value: Any) -> int:
    """Fill in precisions in percent, smoothed. Return the last order of which there are n-grams.

    Products and quotients are in the order of sacreBLEU, so that the same decimals are printed.
    """
    halves = 1.0
    for n in range(len(precisions)):
        if method == "add-k" and n > 0:
            correct[n] += value
            total[n] += value
        if total[n] == 0:
            return n
        if correct[n] > 0:
            precisions[n] = 100.0 * correct[n] / total[n]
        elif method == "exp":
            halves *= 2
            precisions[n] = 100.0 / (halves * total[n])
        elif method == "floor":
            precisions[n] = 100.0 * value / total[n]
    return len(precisions)
