"""GLEU+ (Napoles et al. 2015, 2016): n-gram precision with a penalty for errors that remain from the source.

The GLEU of Google's translation paper (Wu et al. 2016) is another metric, which reads no source: see `google_gleu.py`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ... import kernel
from ...dataclass import dataclass
from ...tokenizers.tokenization import Tokenization
from ..base.arithmetic import MOST_ADDED, best_by, by_order, log, ratio
from ..base.capabilities import Compiled, DrawsReferences, ShowsNgrams
from ..base.columns import Field
from ..base.metric import Metric, why_all_zero, why_zero
from ..base.ngram_counts import OverlapNeeds
from ..base.ngram_roles import Rule
from ..base.reference_draws import Draws
from . import shown
from .codes import CODES
from .options import GleuOptions, iterates

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...arrays import Floats, Ints
    from ..base.columns import Columns
    from ..base.metric import Counted


@dataclass(frozen=True)
class Gleu(GleuOptions, DrawsReferences, Compiled, ShowsNgrams, Metric):
    """GLEU+ with the settings of all programs that compute it; `codes.py` describes the variants.

    The option references is the policy for several references:

    - sample draws references at random, as the official program does. expected is what sampling converges to.
    - max takes for each sentence the reference with the best sentence score (select-best of Klinger et al. 2025,
      arXiv 2510.06749).
    - mean is the mean over references of the score with that reference alone (simple average). weighted is the same
      with weights. each is mean and also shows the score with each reference.
    - merged uses merged counts.
    - leave_one_out scores systems by the mean over the sets that lack one reference, and each reference against the
      other references.

    The sources are github.com/cnap/gec-ranking, and the package gleu (Koyama) for sentence scores, max and zero_total
    one.
    """

    name: ClassVar[str] = "gleu"
    summary: ClassVar[str] = "GLEU+ for grammatical error correction (Napoles et al. 2015, 2016); needs a source"
    hint: ClassVar[str] = "the GLEU of translation (Wu et al. 2016, nltk), which has none, is `google_gleu`"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "GLEU+": {},
        "GLEU score": {},  # Google's GLEU is called so too, and by the next two names
        "sentence_gleu": {},
        "corpus_gleu": {},
    }
    counts: ClassVar[frozenset[str]] = frozenset({"match", "penalty", "numer", "total", "hyp_len", "ref_len"})
    name_in_text: ClassVar[str] = "GLEU+"

    @property
    def policy(self) -> str:
        """The option references."""
        return self.references

    @cached_property
    def needs(self) -> OverlapNeeds:
        """What the variant counts, with each reference or with merged references."""
        tokenizer = "char" if self.unit == "char" else self.tokenizer
        tokenization = Tokenization(tokenizer, strip=self.strip, lowercase=self.lowercase)
        code = CODES[self.variant]
        kinds = code.merged_kinds if self.references == "merged" else code.kinds
        return OverlapNeeds(tokenization, self.order, kinds, source=True)

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams are counted, or None for 2015, where an n-gram can be both matched and penalised."""
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
        """The paper of 2015, which defines GLEU0, and for other variants also that of 2016."""
        return ("napoles-etal-2015-ground", *(() if self.variant == "2015" else ("napoles-etal-2016-gleu",)))

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths, match, penalty, numer and total, with each reference or with merged references."""
        show = shown.apart if self.by_reference else shown.together
        return show(self.variant, columns, self.make_terms(columns))

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return the draws of the policies sample, expected and leave_one_out (of one set)."""
        if not iterates(self) or references == 1:
            return None
        if self.references == "expected":
            return Draws.balanced(self.iterations, lines, references, self.seed)
        return Draws(self.sampler, self.iterations, lines, references, self.seed)

    @cached_property
    def _scale(self) -> int:
        """The denominator of λ, by which numerators are multiplied."""
        return Fraction(self.lambda_).denominator

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """Lengths, totals, matches and numerators (multiplied by the denominator of λ)."""
        apart = self.references != "merged"
        return (
            Field("hyp_len"),
            Field("total", self.order),
            Field("ref_len", per_reference=apart),
            Field("match", self.order, per_reference=apart),
            Field("numer", self.order, per_reference=apart),
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms. Numerators are match - penalty, for most variants clipped at 0 per sentence and order."""
        make = CODES[self.variant].merged_parts
        if self.references == "merged" and make:
            match, numer, total, ref_len = make(columns, Fraction(self.lambda_))
        else:
            match, total, ref_len = columns["match"], columns["total"], columns["ref_len"]
            numer = match - columns[CODES[self.variant].kinds[1]]
            if self._clips:
                numer = np.maximum(numer, 0)
        return {"hyp_len": columns["hyp_len"], "total": total, "ref_len": ref_len, "match": match, "numer": numer}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs as float64, gleu first.

        The other outputs are precision (the geometric mean), brevity_penalty, hyp_len and ref_len. For each order n
        there are precision_n, gleu_n (of this order alone), match_n, penalty_n, numer_n and total_n. penalty_n is
        match_n - numer_n, which is Σ min(match, penalty) where numerators are clipped.
        """
        numer, total, hyp_len, ref_len = (totals[name] for name in ("numer", "total", "hyp_len", "ref_len"))
        scale = self._scale
        precision = _precision(numer, scale * total, one_for_empty=self.zero_total == "one")
        outputs = self._outputs(precision, self._log_brevity(ref_len, hyp_len))
        if self.zero_total == "zero":
            empty = (total == 0).any(axis=-1) | (hyp_len == 0) | (ref_len == 0)
            outputs["gleu"] = np.where(empty, 0.0, outputs["gleu"])
        outputs |= {"hyp_len": hyp_len.astype(np.float64), "ref_len": ref_len.astype(np.float64)}
        counts = {"match": totals["match"], "penalty": (scale * totals["match"] - numer) / scale}
        return outputs | by_order(counts | {"numer": numer / scale, "total": total})

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why a score is 0."""
        if outputs["gleu"] != 0:
            return []
        if self.level == "mean":
            each = "each is empty, or has an order of n-grams without a match, or with none that the penalty leaves"
            return [why_all_zero(each)]
        orders = range(1, self.order + 1)
        return [why_zero(outputs, [n for n in orders if outputs[f"total_{n}"] or self.zero_total == "zero"], "numer")]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence with each reference: float64 [lines, references].

        Here penalty_n is the whole penalty, even where it exceeds match_n, as `sgleu -v` of the package gleu prints it.
        For merged references the score is the only output.
        """
        if not self.by_reference:
            return {"gleu": self.sentence_scores(columns)}
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
        """Return the corpus formula applied to each sentence: float64 [lines, references], or [lines, 1] if merged.

        For an order of which a sentence has no n-gram the precision is 1, as in the package gleu. With smoothing ones,
        all counts and lengths of 0 become 1 instead, as in the original program with -d.
        """
        precision, log_brevity = self._sentence_parts(columns)
        scores: Floats = np.exp(log_brevity + log(precision).mean(axis=-1))
        return scores

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() with each reference, compiled."""
        formula, code = kernel.formula("gleu_scores"), CODES[self.variant]
        if formula is None or not self.by_reference or self.order > MOST_ADDED:
            return None
        read = (*code.kinds, "total", "hyp_len", "ref_len")
        rest = (self._scale, self._clips, self.smoothing == "ones", code.brevity == "inverted")
        return lambda columns: formula(*[columns[name] for name in read], *rest)

    @property
    def _clips(self) -> bool:
        """Whether numerators below 0 are 0 for each sentence and order."""
        return self.variant != "paper" or self.clip == "sentence"

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        Of references with equal scores, the one with the best score of the highest order alone wins, then of the next
        lower order, and so on. If all are equal the first wins. The package gleu chooses so.
        """
        precision, log_brevity = self._sentence_parts(columns)
        log_precision = log(precision)
        alone = np.exp(log_brevity[..., None] + log_precision)
        below = np.minimum(self.make_terms(columns)["numer"], 0) / np.maximum(columns["total"], 1)[:, None]
        alone += np.exp(log_brevity)[..., None] * below  # of numerators below 0 the larger is better
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
        scaled = self._scale * total
        return _precision(numer, scaled, one_for_empty=True), self._log_brevity(ref_len, hyp_len)

    def _log_brevity(self, ref_len: Ints, hyp_len: Ints) -> Floats:
        """Return min(0, 1 - r/h) or, if the penalty is inverted, min(0, 1 - h/r).

        The result is 0 if both lengths are 0, and -inf if only h or the divisor is 0.
        """
        inverted = CODES[self.variant].brevity == "inverted"
        over, under = (hyp_len, ref_len) if inverted else (ref_len, hyp_len)
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where((over == 0) & (under == 0), 0.0, np.minimum(0.0, 1.0 - over / under))
        return np.where((hyp_len == 0) & (ref_len > 0), -np.inf, penalty)


def _precision(numer: Ints, total: Ints, *, one_for_empty: bool) -> Floats:
    """Return numer / total, or 0 if numer is below 0. If total is 0, the result is 1 or 0 as one_for_empty says."""
    return np.where(total == 0, float(one_for_empty), ratio(np.maximum(numer, 0), total))
