"""TER with the names of sacrebleu.metrics.ter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .... import kernel
from ....tokenizers.tercom import Tercom
from ...texts import lengths, lines_of
from .base import Metric, Score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....arrays import Floats
    from .base import Streams


class TERScore(Score):
    """A TER score. The lower it is, the better."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits, self.ref_length = int(num_edits), ref_length


class TER(Metric[TERScore]):
    """TER as sacreBLEU computes it."""

    abbreviations: ClassVar[dict[str, str]] = {"tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        super().__init__(references)
        self.normalized, self.no_punct = normalized, no_punct
        self.asian_support, self.case_sensitive = asian_support, case_sensitive
        self.tokenization = Tercom(normalized, no_punct, asian_support, case_sensitive)

    def _count(self, hypotheses: Sequence[str], references: Streams) -> Floats:
        """Return the fewest edits of each line, and the mean length of its references: float64 [lines, 2]."""
        texts = [lines_of(f"references[{n}]", stream) for n, stream in enumerate(references)]
        encoded = self.tokenization.encode([*texts, lines_of("hypotheses", hypotheses)])
        output, sets = encoded.pop(), encoded
        there = np.array([[text is not None for text in stream] for stream in references]).T
        edits = np.where(there, kernel.edit_rate(sets, [output])[0], np.iinfo(np.int64).max).min(axis=1)
        sizes = np.where(there, np.stack([lengths(text) for text in sets], axis=-1), 0).sum(axis=1)
        return np.stack([edits, sizes / there.sum(axis=1)], axis=-1)

    def _aggregate_and_compute(self, stats: Any) -> TERScore:
        """Return the score of the counts of lines, added one after the other as in sacreBLEU."""
        rows = np.asarray(stats).tolist()
        return self._compute_score_from_stats([sum(column) for column in zip(*rows, strict=True)])

    def _compute_score_from_stats(self, stats: Any) -> TERScore:
        edits, length = (float(number) for number in stats)
        score = edits / length if length > 0 else float(edits > 0)
        return TERScore(100 * score, edits, length)

    def _settings(self) -> dict[str, Any]:
        return {
            "case": "mixed" if self.case_sensitive else "lc",
            "tok": "tercom",
            "norm": self.normalized,
            "punct": not self.no_punct,
            "asian": self.asian_support,
        }
