"""chrF and chrF++ with the names of sacrebleu.metrics.chrf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ....tokenizers.tokenization import Tokenization
from ...texts import WrongValueError, check_order, lengths, lines_of, matches, totals
from .base import Metric, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....arrays import Ints
    from ....kernel.common import Lines
    from .base import Streams

EPSILON = 1e-16
"""With eps_smoothing this stands for a precision, recall or F-score without n-grams."""


class CHRFScore(Score):
    """A chrF score. Its name has a + for each order of words."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.char_order, self.word_order, self.beta = char_order, word_order, beta


class CHRF(Metric[CHRFScore]):
    """chrF as sacreBLEU computes it, with word_order=2 chrF++."""

    abbreviations: ClassVar[dict[str, str]] = {"eff": "e", "space": "s"}
    CHAR_ORDER, WORD_ORDER, BETA = 6, 0, 2

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        super().__init__(references)
        for name, order in {"char_order": char_order, "word_order": word_order}.items():
            if order != 0:
                check_order(name, order)
        if not char_order + word_order:
            raise WrongValueError("char_order and word_order: both are 0, so nothing would be counted")
        self.char_order, self.word_order, self.beta = char_order, word_order, beta
        self.order = char_order + word_order
        self.lowercase, self.whitespace, self.eps_smoothing = lowercase, whitespace, eps_smoothing

    def _count(self, hypotheses: Sequence[str], references: Streams) -> Ints:
        """Return n-grams of output and reference, and matches, of the best reference: int64 [lines, 3 orders]."""
        texts = [lines_of(f"references[{n}]", stream) for n, stream in enumerate(references)]
        texts.append(lines_of("hypotheses", hypotheses))
        parts = [("char" if self.whitespace else "nonspace", self.char_order), ("chrf", self.word_order)]
        counted = [self._counts(texts, tokenizer, order) for tokenizer, order in parts if order]
        counts = np.concatenate(counted, axis=2).reshape(len(hypotheses), len(references), -1)
        if len(references) == 1:
            first: Ints = counts[:, 0]
            return first
        rows = []
        for line, of_line in enumerate(counts.tolist()):
            there = [n for n, stream in enumerate(references) if stream[line] is not None]
            rows.append(of_line[max(there, key=lambda n, own=of_line: self._f_score(own[n]))])  # type: ignore[misc]
        return np.array(rows, np.int64)

    def _counts(self, texts: Sequence[Lines], tokenizer: str, order: int) -> Ints:
        """Return n-grams of output and reference, and matches: int64 [lines, references, order, 3]."""
        encoded = Tokenization(tokenizer, lowercase=self.lowercase).encode(texts)
        *reference_sizes, sizes = (lengths(text) for text in encoded)
        reference = totals(np.stack(reference_sizes, axis=-1), order)
        hypothesis = np.where(reference > 0, totals(sizes, order)[:, None], 0)
        return np.stack([hypothesis, reference, matches(encoded, order, "match")], axis=-1)

    def _f_score(self, counts: Sequence[int]) -> float:
        """Return the F-score of sums of counts, in percent. All is added order by order, as in sacreBLEU."""
        factor = self.beta**2
        score = precisions = recalls = 0.0
        orders = 0
        for start in range(0, 3 * self.order, 3):
            hypothesis, reference, match = counts[start : start + 3]
            precision = match / hypothesis if hypothesis > 0 else EPSILON
            recall = match / reference if reference > 0 else EPSILON
            weighted = factor * precision + recall
            score += (1 + factor) * precision * recall / weighted if weighted > 0 else EPSILON
            if hypothesis > 0 and reference > 0:
                precisions, recalls, orders = precisions + precision, recalls + recall, orders + 1
        if self.eps_smoothing:
            return 100 * score / self.order
        if not orders or not precisions + recalls:
            return 0.0
        precision, recall = precisions / orders, recalls / orders
        return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))

    def _compute_score_from_stats(self, stats: Any) -> CHRFScore:
        sums = stats.tolist() if isinstance(stats, np.ndarray) else [*stats]
        return CHRFScore(self._f_score(sums), self.char_order, self.word_order, self.beta)

    def _settings(self) -> dict[str, Any]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "eff": "no" if self.eps_smoothing else "yes",
            "nc": self.char_order,
            "nw": self.word_order,
            "space": "yes" if self.whitespace else "no",
        }
