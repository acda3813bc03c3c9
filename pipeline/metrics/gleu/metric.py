"""GLEU+ (Napoles et al. 2015, 2016): n-gram precision that pays for errors left as they were in the source.

Not the GLEU of Google's translation paper (Wu et al. 2016), which reads no source: that is `google_gleu.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...tokenizers.tokenization import Tokenization
from ..base.arithmetic import best_by, by_order, log, ratio
from ..base.columns import Field
from ..base.metric import Metric
from ..base.ngram_counts import OverlapNeeds
from ..base.ngram_roles import Rule
from ..base.reference_draws import Draws
from . import shown
from .codes import CODES
from .options import GleuOptions, iterates

if TYPE_CHECKING:
    from ...arrays import Floats, Ints
    from ..base.columns import Columns
    from ..base.description import Counted


@dataclass(frozen=True)
class Gleu(GleuOptions, Metric):
    """GLEU+ with the settings of its known programs; `gleu_codes.py` has what tells the variants apart.

    Policies for references: sample (the official one), expected (what sampling converges to), max (per sentence
    the reference with the best sentence score: select-best of Klinger et al. 2025, arXiv 2510.06749), mean
    (simple average: the mean over references of the score with that reference alone), weighted (the same with
    weights), each (mean, and the score with each reference is shown), merged (merged counts), leave_one_out
    (systems: mean over the sets that lack one reference; references: each against the others).
    Sources: github.com/cnap/gec-ranking; the package gleu (Koyama) for sentence scores, max and zero_total one.
    """

    name: ClassVar[str] = "gleu"
    summary: ClassVar[str] = "GLEU+ for grammatical error correction (Napoles et al. 2015, 2016); needs a source"
    hint: ClassVar[str] = "the GLEU of translation (Wu et al. 2016, nltk), which has none, is `google_gleu`"
    counts: ClassVar[frozenset[str]] = frozenset({"match", "penalty", "numer", "total", "hyp_len", "ref_len"})
    name_in_text: ClassVar[str] = "GLEU+"

    @property
    def policy(self) -> str:
        """The option references."""
        return self.references

    @property
    def needs(self) -> OverlapNeeds:
        """What the variant counts, with each reference or with all merged."""
        tokenizer = "char" if self.unit == "char" else self.tokenizer
        tokenization = Tokenization(tokenizer, strip=self.strip, lowercase=self.lowercase)
        code = CODES[self.variant]
        kinds = code.merged_kinds if self.references == "merged" else code.kinds
        return OverlapNeeds(tokenization, self.order, kinds, source=True)

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams count; None for 2015, where one can be matched and penalised at once."""
        if self.variant == "2015":
            return None
        name = "paper" if self.variant == "paper" else "gleu"
        return Rule(name, self.needs.tokenization, 1, self.order, merged=self.references == "merged")

    @property
    def edition(self) -> str:
        """The variant."""
        return self.variant

    @property
    def citations(self) -> tuple[str, ...]:
        """GLEU0 is of the first paper alone."""
        return ("napoles-etal-2015-ground", *(() if self.variant == "2015" else ("napoles-etal-2016-gleu",)))

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths, match, penalty, numer and total; of merged references the counts of all together."""
        show = shown.apart if self.by_reference else shown.together
        return show(self.variant, columns, self.make_terms(columns))

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return the draws of `references: sample`, of leave_one_out for one set, or of expected."""
        if not iterates(self) or references == 1:
            return None
        if self.references == "expected":
            return Draws.balanced(self.iterations, lines, references, self.seed)
        return Draws(self.sampler, self.iterations, lines, references, self.seed)

    @property
    def terms(self) -> tuple[Field, ...]:
        """Lengths, totals, matches and numerators (times the denominator of λ)."""
        apart = self.references != "merged"
        return (
            Field("hyp_len"),
            Field("total", self.order),
            Field("ref_len", per_reference=apart),
            Field("match", self.order, per_reference=apart),
            Field("numer", self.order, per_reference=apart),
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return numerators: match - penalty, clipped at 0 per sentence, reference and order as the variant says."""
        make = CODES[self.variant].merged_parts
        if self.references == "merged" and make:
            match, numer, total, ref_len = make(columns, Fraction(self.lambda_))
        else:
            match, total, ref_len = columns["match"], columns["total"], columns["ref_len"]
            numer = match - columns[CODES[self.variant].kinds[1]]
            if self.variant != "paper" or self.clip == "sentence":
                numer = np.maximum(numer, 0)
        return {"hyp_len": columns["hyp_len"], "total": total, "ref_len": ref_len, "match": match, "numer": numer}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs as float64, gleu first.

        precision (the geometric mean), brevity_penalty, hyp_len, ref_len; and for each order n precision_n,
        gleu_n (this order alone), match_n, penalty_n, numer_n and total_n. penalty_n is what
        was taken off: match_n - numer_n, that is Σ min(match, penalty) where numerators are clipped.
        """
        numer, total, hyp_len, ref_len = (totals[name] for name in ("numer", "total", "hyp_len", "ref_len"))
        scale = Fraction(self.lambda_).denominator
        precision = _precision(numer, scale * total, one_for_empty=self.zero_total == "one")
        outputs = self._outputs(precision, self._log_brevity(ref_len, hyp_len))
        if self.zero_total == "zero":
            empty = (total == 0).any(axis=-1) | (hyp_len == 0) | (ref_len == 0)
            outputs["gleu"] = np.where(empty, 0.0, outputs["gleu"])
        outputs |= {"hyp_len": hyp_len.astype(np.float64), "ref_len": ref_len.astype(np.float64)}
        counts = {"match": totals["match"], "penalty": (scale * totals["match"] - numer) / scale}
        return outputs | by_order(counts | {"numer": numer / scale, "total": total})

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return what score() does, for each sentence with each reference: float64 [lines, references].

        penalty_n is the whole penalty here, also where it exceeds match_n (package sgleu -v).
        Of merged references there is the score alone.
        """
        if not self.by_reference:
            return super().sentence_outputs(columns)
        terms = self.make_terms(columns)
        lines, references = terms["ref_len"].shape
        counts = {name: terms[name] for name in ("match", "numer")}
        counts["penalty"] = columns[CODES[self.variant].kinds[1]]
        counts["total"] = np.broadcast_to(terms["total"][:, None], (lines, references, self.order))
        hyp_len = np.broadcast_to(terms["hyp_len"][:, None], (lines, references)).astype(np.float64)
        lengths = {"hyp_len": hyp_len, "ref_len": terms["ref_len"].astype(np.float64)}
        return self._outputs(*self._sentence_parts(columns)) | lengths | by_order(counts)

    def _outputs(self, precision: Floats, log_brevity: Floats) -> dict[str, Floats]:
        """Return the outputs that are fractions, from precisions [..., orders] and log brevity penalties [...]."""
        log_precision = log(precision)
        log_mean = log_precision.mean(axis=-1)
        outputs = {"gleu": np.exp(log_brevity + log_mean), "precision": np.exp(log_mean)}
        outputs |= {"brevity_penalty": np.exp(log_brevity)}
        alone = np.exp(log_brevity[..., None] + log_precision)
        return outputs | by_order({"precision": precision, "gleu": alone})

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return float64 [lines, references] (merged: [lines, 1]): the corpus formula on one sentence.

        Where a sentence has no n-gram of an order its precision is 1 (package gleu); with smoothing ones every
        zero count, lengths too, becomes 1 instead (original program with -d).
        """
        precision, log_brevity = self._sentence_parts(columns)
        scores: Floats = np.exp(log_brevity + log(precision).mean(axis=-1))
        return scores

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        Of equal scores the one that is better at the highest order alone wins, then at the next lower, then
        the first (package gleu).
        """
        precision, log_brevity = self._sentence_parts(columns)
        log_precision = log(precision)
        alone = np.exp(log_brevity[..., None] + log_precision)
        below = np.minimum(self.make_terms(columns)["numer"], 0) / np.maximum(columns["total"], 1)[:, None]
        alone += np.exp(log_brevity)[..., None] * below  # of unclipped numerators the less negative is better
        keys = [np.exp(log_brevity + log_precision.mean(axis=-1))]
        return best_by(keys + [alone[..., n] for n in reversed(range(self.order))])

    def _sentence_parts(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return precisions [lines, references, orders] and log brevity penalties [lines, references]."""
        terms = self.make_terms(columns)
        if self.references == "merged":
            terms |= {name: terms[name][:, None] for name in ("numer", "ref_len")}
        numer, total = terms["numer"], terms["total"][:, None, :]
        ref_len, hyp_len = terms["ref_len"], terms["hyp_len"][:, None]
        if self.smoothing == "ones":
            numer, total, ref_len, hyp_len = (np.where(a == 0, 1, a) for a in (numer, total, ref_len, hyp_len))
        scaled = Fraction(self.lambda_).denominator * total
        return _precision(numer, scaled, one_for_empty=True), self._log_brevity(ref_len, hyp_len)

    def _log_brevity(self, ref_len: Ints, hyp_len: Ints) -> Floats:
        """Return min(0, 1 - r/h), or inverted 1 - h/r; 0 where both are 0, -inf where only h or the divisor is."""
        inverted = CODES[self.variant].brevity == "inverted"
        over, under = (hyp_len, ref_len) if inverted else (ref_len, hyp_len)
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where((over == 0) & (under == 0), 0.0, np.minimum(0.0, 1.0 - over / under))
        return np.where((hyp_len == 0) & (ref_len > 0), -np.inf, penalty)


def _precision(numer: Ints, total: Ints, *, one_for_empty: bool) -> Floats:
    """Return numer / total, 0 where numer is below 0; where total is 0, 1 or 0."""
    return np.where(total == 0, float(one_for_empty), ratio(np.maximum(numer, 0), total))
