"""Google-BLEU, the GLEU of Google's paper on translation (Wu et al. 2016). It reads no source."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .. import kernel
from ..arrays import Floats, Ints
from .base import Columns, Counted, Field, Metric, OverlapSpec, Rule, ratio
from .base.statistics_spec import tokenization_of
from .options import (
    level_option,
    lowercase_option,
    order_option,
    strip_option,
    tokenizer_option,
    unit_option,
)


@dataclass(frozen=True)
class GoogleGleu(Metric):
    """The minimum of n-gram precision and recall: matches of all orders / the larger total.

    For each sentence the reference with the highest ratio counts, the first of equals. A reference
    for which both totals are 0 is passed over. The sources are arXiv 1609.08144, section 4.3, and
    nltk.translate.gleu_score.
    """

    name = "google_gleu"
    summary = "GLEU of Google's translation paper (Wu et al. 2016), as in nltk; needs no source"
    help_page = "gleu"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "Google BLEU": {},
        "nltk gleu": {},
        "GLEU score": {},  # GLEU+ has this and the next two names too
        "sentence_gleu": {},
        "corpus_gleu": {},
    }
    counts = frozenset({"match", "hyp_total", "ref_total"})
    name_in_text = "Google's GLEU"
    citations = ("wu-etal-2016-google",)
    terms = (
        Field("hyp_total"),
        *(
            Field(name, per_reference=True)
            for name in ("match", "ref_total", "larger")
        ),
    )
    """N-grams of the output and of the reference, the larger of these two numbers, and matches."""

    min_order: int = order_option(1, "shortest n-grams", "min")
    order: int = order_option()
    unit: str = unit_option()
    tokenizer: str = tokenizer_option()
    strip: bool = strip_option()
    lowercase: bool = lowercase_option()
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a shortest order above the longest."""
        if self.min_order <= self.order:
            return []
        message = f"expected at most the order, {self.order}; found '{self.min_order}'"
        return [("min_order", message)]

    @cached_property
    def spec(self) -> OverlapSpec:
        """Lengths, totals, and matches with each reference."""
        return OverlapSpec(
            tokenization_of(self),
            self.order,
            ("match",),
            source=False,
        )

    def ngram_rule(self) -> Rule:
        """Return that n-grams are matched with each reference."""
        return Rule("match", self.spec.tokenization, self.min_order, self.order)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths, and matches and n-grams of each order."""
        ref_total = np.maximum(
            columns["ref_len"][..., None] - np.arange(self.order), 0
        )
        return [
            *self.counted(columns, "hyp_len", "ref_len", "match", "total"),
            Counted("ref_total", ref_total, per_reference=True, orders=True),
        ]

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms, summed over orders."""
        orders = np.arange(self.min_order - 1, self.order)
        match = columns["match"][..., self.min_order - 1 :].sum(axis=-1)
        hyp_total = columns["total"][:, self.min_order - 1 :].sum(axis=-1)
        ref_total = np.maximum(columns["ref_len"][..., None] - orders, 0).sum(
            axis=-1
        )
        larger = np.maximum(ref_total, hyp_total[:, None])
        return {
            "match": match,
            "hyp_total": hyp_total,
            "ref_total": ref_total,
            "larger": larger,
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return google_gleu, precision, recall and the sums. All are 0 for an empty corpus."""
        outputs = {
            "google_gleu": ratio(totals["match"], totals["larger"]),
            "precision": ratio(totals["match"], totals["hyp_total"]),
            "recall": ratio(totals["match"], totals["ref_total"]),
        }
        for name in ("match", "hyp_total", "ref_total"):
            outputs[name] = totals[name].astype(np.float64)
        return outputs

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why a score is 0, at each level: nothing matches."""
        if outputs["google_gleu"] != 0:
            return []
        if outputs.get("hyp_total") == 0:
            if self.min_order == 1:
                return ["all outputs are empty"]
            return [f"no output has {self.min_order} tokens"]
        if self.min_order == self.order:
            return [f"no {self.order}-gram matches"]
        return [f"no n-gram of {self.min_order} to {self.order} tokens matches"]

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references]."""
        terms = self.make_terms(columns)
        return ratio(terms["match"], terms["larger"])

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores(), compiled."""
        formula = kernel.native_function("google_scores")
        if formula is None:
            return None

        def scores(columns: Columns) -> Floats:
            result: Floats = formula(
                columns["match"],
                columns["total"],
                columns["ref_len"],
                self.min_order,
            )
            return result

        return scores

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        A reference for which both totals are 0 is taken only if this holds for all of them.
        """
        empty = self.make_terms(columns)["larger"] == 0
        scores = np.where(empty, -1.0, self.sentence_scores(columns))
        best: Ints = np.argmax(scores, axis=-1)
        return best
