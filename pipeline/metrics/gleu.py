"""GLEU+ (Napoles et al. 2015, 2016): n-gram precision with a penalty for uncorrected errors.

The GLEU of Google's translation paper (Wu et al. 2016) is another metric, which reads no source:
see `google_gleu.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .. import kernel
from ..arrays import Floats, Ints
from ..kernel.common import SAMPLERS
from .base import (
    Columns,
    Counted,
    Draws,
    Field,
    Metric,
    OverlapSpec,
    Rule,
    best_by,
    by_order,
    ratio,
)
from .base.choices import MAX_SEQUENTIAL_SUM, closest_length, log
from .base.statistics_spec import tokenization_of
from .options import (
    level_option,
    lowercase_option,
    number_option,
    option,
    order_option,
    strip_option,
    tokenizer_option,
    unit_option,
)

# The programs and formulas that are called GLEU+ or GLEU0, as variants: what each counts, and how
# it scores.
#
#     2015     gec-ranking, June 2015: GLEU0 of the ACL 2015 paper, with multiset differences and no clipping
#     2016-03  gec-ranking, March 2016: differences of sets, clipped numerators, an inverted brevity penalty
#     2016     gec-ranking, May 2016 to June 2017: one reference at a time, an inverted brevity penalty
#     2017     gec-ranking since June 2017, and JFLEG's script: as 2016, with the correct brevity penalty
#     paper    equation 1 of "GLEU Without Tuning" (arXiv 1605.02592), as gec-metrics and compare-mt compute it
#
# The first two merge all references: an n-gram counts as often as in the reference that has it most
# often. They multiply the penalty by λ, here a fraction p / q. Numerators are stored as integers,
# multiplied by q.
#
# In the formulas η, σ, ρ and R are the counts of an n-gram in the output, the source, a reference
# and the merged references; |h| is the length of the output.


class Parts(NamedTuple):
    """What a variant makes of the counts of each sentence."""

    match: Ints
    """The shape is [lines, orders], with an axis for references in the middle unless merged."""
    numer: Ints
    """Numerators, multiplied by the denominator of λ, as match."""
    total: Ints
    """The shape is [lines, orders]."""
    ref_len: Ints
    """The shape is [lines], with an axis for references unless merged."""


class Code(NamedTuple):
    """A variant of GLEU+."""

    kinds: tuple[str, ...]
    """What is counted with each reference (see `kernel/common.py`). It is empty if references are
    always merged."""
    merged_kinds: tuple[str, ...]
    """What is counted with merged references. It is empty if the variant is not defined for them.
    """
    brevity: str
    """The brevity penalty, standard or inverted."""
    merged_parts: Callable[[Columns, Fraction], Parts] | None
    """Returns the parts of each sentence from its columns and λ."""


def merged(columns: Columns, _: Fraction) -> Parts:
    """Return the parts of 2016 and 2017 with merged counts (Klinger et al. 2025, arXiv 2510.06749).

    The match is Σ min(η, R). The penalty is Σ min(η, σ) over the n-grams that no reference has.
    Numerators are clipped per sentence and order, as with one reference. The paper does not say
    which length counts, so the closest one is taken, as in BLEU.
    """
    match = columns["union_match"]
    numer = np.maximum(match - columns["gone_match"], 0)
    return Parts(match, numer, columns["total"], closest_length(columns))


def code_2015(columns: Columns, weight: Fraction) -> Parts:
    """Return the parts of GLEU0.

    With A = max(R - σ, 0) and P = max(σ - R, 0), the numerator is Σ min(η, A) + Σ min(η, R) - λ Σ
    min(η, P), not clipped. The total is Σ A + |h| - n + 1. The reference length is the length of
    the output, as in the program.
    """
    match = columns["added_match"] + columns["union_match"]
    numer = (
        weight.denominator * match - weight.numerator * columns["removed_match"]
    )
    total = columns["added"] + columns["total"]
    return Parts(match, numer, total, columns["hyp_len"])


def code_2016_03(columns: Columns, weight: Fraction) -> Parts:
    """Return the parts of the program of March 2016.

    A is R for n-grams that the source does not have at all, else 0. P is σ for n-grams that the
    references do not have at all, else 0. The numerator is Σ min(η, A) + max(Σ min(η, R) - λ Σ
    min(η, P), 0). The total is Σ min(η, A) + |h| - n + 1.
    """
    new = columns["new_match"]
    scaled_match = weight.denominator * columns["union_match"]
    clipped = np.maximum(
        scaled_match - weight.numerator * columns["gone_match"], 0
    )
    return Parts(
        match=new + columns["union_match"],
        numer=weight.denominator * new + clipped,
        total=new + columns["total"],
        ref_len=closest_length(columns),
    )


CODES: dict[str, Code] = {
    "2017": Code(
        ("match", "penalty"), ("union_match", "gone_match"), "standard", merged
    ),
    "2016": Code(
        ("match", "penalty"), ("union_match", "gone_match"), "inverted", merged
    ),
    "paper": Code(("match", "source_only"), (), "standard", None),
    "2015": Code(
        (),
        ("union_match", "added_match", "removed_match", "added"),
        "standard",
        code_2015,
    ),
    "2016-03": Code(
        (), ("union_match", "new_match", "gone_match"), "inverted", code_2016_03
    ),
}
"""Variants by name."""


MERGED_ONLY = tuple(name for name, code in CODES.items() if not code.kinds)
POLICIES = {
    "corpus": (
        "sample",
        "expected",
        "max",
        "mean",
        "weighted",
        "each",
        "merged",
        "leave_one_out",
    ),
    "mean": ("mean", "max", "weighted", "merged"),
}
"""The policies for references that each level allows."""


def _default_policy(settings: Mapping[str, Any]) -> str:
    if settings.get("variant") in MERGED_ONLY:
        return "merged"
    if settings.get("level") == "mean":
        return "mean"
    return "sample"


def _default_tokenizer(settings: Mapping[str, Any]) -> str:
    """Follow the program whose draws are used: Python 2 splits bytes, Python 3 text."""
    if settings.get("sampler") == "python3":
        return "whitespace"
    return "ascii_whitespace"


def iterates(metric: Any) -> bool:
    """Return whether the policy for references draws them in many iterations."""
    return metric.references in ("sample", "expected", "leave_one_out")


def _samples(metric: Any) -> bool:
    return metric.references in ("sample", "leave_one_out")


MERGED_COUNTS = {"match": "union_match", "penalty": "gone_match"}
"""The columns that reports show for merged references, by the names that reports use."""
MERGED_COUNTS_OF = {
    "2015": {
        "match": "union_match",
        "penalty": "removed_match",
        "added": "added_match",
    },
    "2016-03": {**MERGED_COUNTS, "new": "new_match"},
}
"""The variants of which reports show other columns.

added are matches of n-grams that the references have more often than the source. new are matches of
n-grams that the source does not have at all.
"""


@dataclass(frozen=True)
class Gleu(Metric):
    """GLEU+ with the settings of all programs that compute it; CODES has the variants.

    The option references is the policy for several references:

    - sample draws references at random, as the official program does. expected is what sampling
      converges to.
    - max takes for each sentence the reference with the best sentence score (select-best of Klinger
      et al. 2025, arXiv 2510.06749).
    - mean is the mean over references of the score with that reference alone (simple average).
      weighted is the same with weights. each is mean and also shows the score with each reference.
    - merged uses merged counts.
    - leave_one_out scores systems by the mean over the sets that lack one reference, and each
      reference against the other references.

    The sources are github.com/cnap/gec-ranking, and the package gleu (Koyama) for sentence scores,
    max and zero_total one.
    """

    name = "gleu"
    summary = "GLEU+ for grammatical error correction (Napoles et al. 2015, 2016); needs a source"
    hint = "the GLEU of translation (Wu et al. 2016, nltk), which has none, is `google_gleu`"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "GLEU+": {},
        "GLEU score": {},  # Google's GLEU is called so too, and by the next two names
        "sentence_gleu": {},
        "corpus_gleu": {},
    }
    counts = frozenset(
        {"match", "penalty", "numer", "total", "hyp_len", "ref_len"}
    )
    name_in_text = "GLEU+"

    variant: str = option(
        "2017",
        help="which code: 2017 is today's official one; see `help gleu`",
        choices=tuple(CODES),
    )
    order: int = order_option(maximum=9)
    unit: str = unit_option()
    tokenizer: str = tokenizer_option(
        _default_tokenizer,
        "how lines are split into words: ascii_whitespace, or whitespace for the sampler python3",
    )
    strip: bool = strip_option()
    lowercase: bool = lowercase_option()
    level: str = level_option()
    references: str = option(
        _default_policy,
        key="refs",
        help="of several references: one at random per iteration (sample), what that converges to "
        "(expected), the "
        "best per sentence (max), the mean of their scores (mean, weighted, each), merged counts "
        "(merged), "
        "or each left out in turn (leave_one_out)",
        choices=POLICIES["corpus"],
    )
    weights: str = option(
        "",
        help="a weight for each reference, such as 0.7+0.3",
        applies=lambda m: m.references == "weighted",
        why="only references: weighted reads them",
        pattern=r"[0-9]+(\.[0-9]+)?(\+[0-9]+(\.[0-9]+)?)*",
        numbers=True,
        form="a number for each reference, joined by +, such as 0.7+0.3",
    )
    iterations: int = option(
        500,
        key="iter",
        help="how often references are drawn",
        minimum=1,
        maximum=1_000_000,
        applies=iterates,
        why="only references: sample, expected and leave_one_out draw",
    )
    sampler: str = option(
        "python2",
        key="rng",
        help="random stream of the draws; python2 is the original program's",
        choices=SAMPLERS,
        applies=_samples,
        why="only references: sample and leave_one_out draw so",
    )
    seed: int = option(
        12345,
        help="seed of the sampler numpy, and of references: expected",
        maximum=2**32 - 1,
        applies=lambda m: (
            m.references == "expected" or (_samples(m) and m.sampler == "numpy")
        ),
        why="only the sampler numpy and references: expected take one",
    )
    zero_total: str = option(
        "zero",
        help="where the corpus has no n-gram of some order: score 0, or precision 1 as in the "
        "package gleu",
        choices=("zero", "one"),
        applies=lambda m: m.level == "corpus",
        why="sentence scores always take precision 1 there",
    )
    smoothing: str = option(
        "none",
        help="ones: every zero count of a sentence becomes 1, as the original program's -d does",
        choices=("none", "ones"),
        applies=lambda m: m.level == "mean",
        why="only level: mean scores sentences",
    )
    clip: str = option(
        "none",
        help="numerators below 0: kept as the paper has them, or 0 per sentence and order as in "
        "compare-mt",
        choices=("none", "sentence"),
        applies=lambda m: m.variant == "paper",
        why="only variant: paper leaves it open",
    )
    lambda_: str = number_option(
        "0",
        "weight of the penalty",
        such="0.1",
        applies=lambda m: m.variant in MERGED_ONLY,
        why=f"only the variants {' and '.join(MERGED_ONLY)} have it",
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a level or a policy for references that contradicts the variant or the level."""
        if self.variant in MERGED_ONLY:
            allowed: tuple[str, ...] = ("merged",)
            scope = f"variant {self.variant}"
        else:
            allowed = POLICIES[self.level]
            scope = f"level: {self.level}"
        option = "references"
        message = ""
        if self.variant in MERGED_ONLY and self.level == "mean":
            option = "level"
            message = f"{scope} is defined for a corpus only, found 'mean'"
        elif (
            self.references == "merged" and not CODES[self.variant].merged_kinds
        ):
            message = (
                f"variant {self.variant} is not defined for merged references"
            )
        elif self.references not in allowed:
            message = (
                f"{scope} takes {', '.join(allowed)}; found '{self.references}'"
            )
        elif self.references == "weighted" and not any(self.shares):
            message = (
                "weighted needs `weights`, not all 0, such as weights: 0.7+0.3"
            )
        return [(option, message)] if message else []

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights of the references, with sum 1 unless all are 0; empty without weights."""
        if not self.weights:
            return ()
        weights = [float(weight) for weight in self.weights.split("+")]
        total = sum(weights) or 1.0
        return tuple(weight / total for weight in weights)

    @property
    def policy(self) -> str:
        """The option references."""
        return self.references

    @cached_property
    def spec(self) -> OverlapSpec:
        """What the variant counts, with each reference or with merged references."""
        code = CODES[self.variant]
        kinds = code.merged_kinds if self.references == "merged" else code.kinds
        return OverlapSpec(
            tokenization_of(self), self.order, kinds, source=True
        )

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams are counted; None for 2015, which can match and penalise an n-gram."""
        if self.variant == "2015":
            return None
        name = "paper" if self.variant == "paper" else "gleu"
        is_merged = self.references == "merged"
        return Rule(name, self.spec.tokenization, 1, self.order, is_merged)

    @property
    def edition(self) -> str:
        """The variant."""
        return self.variant

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of 2015, which defines GLEU0, and for other variants also that of 2016."""
        if self.variant == "2015":
            return ("napoles-etal-2015-ground",)
        return ("napoles-etal-2015-ground", "napoles-etal-2016-gleu")

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths, match, penalty, numer and total, as references are combined."""
        terms = self.make_terms(columns)
        if self.by_reference:
            penalty = columns[CODES[self.variant].kinds[1]]
            return [
                *self.counted(columns, "hyp_len", "ref_len", "match"),
                Counted("penalty", penalty, per_reference=True, orders=True),
                *self.counted(terms, "numer", "total"),
            ]
        counts = [
            Counted("hyp_len", columns["hyp_len"]),
            Counted("ref_len", terms["ref_len"]),
        ]
        for name, kind in MERGED_COUNTS_OF.get(
            self.variant, MERGED_COUNTS
        ).items():
            counts.append(Counted(name, columns[kind], orders=True))
        counts.append(Counted("total", terms["total"], orders=True))
        return counts

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return the draws of the policies sample, expected and leave_one_out (of one set)."""
        if not iterates(self) or references == 1:
            return None
        if self.references == "expected":
            return Draws.balanced(self.iterations, lines, references, self.seed)
        return Draws(
            self.sampler, self.iterations, lines, references, self.seed
        )

    @cached_property
    def _scale(self) -> int:
        """The denominator of λ, by which numerators are multiplied."""
        return Fraction(self.lambda_).denominator

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """Lengths, totals, matches and numerators (multiplied by the denominator of λ)."""
        per_reference = self.references != "merged"
        return (
            Field("hyp_len"),
            Field("total", self.order),
            Field("ref_len", per_reference=per_reference),
            Field("match", self.order, per_reference=per_reference),
            Field("numer", self.order, per_reference=per_reference),
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms.

        Numerators are match - penalty, for most variants clipped at 0 per sentence and order.
        """
        code = CODES[self.variant]
        if self.references == "merged" and code.merged_parts:
            parts = code.merged_parts(columns, Fraction(self.lambda_))
        else:
            match = columns["match"]
            numer = match - columns[code.kinds[1]]
            if self._clips:
                numer = np.maximum(numer, 0)
            parts = Parts(match, numer, columns["total"], columns["ref_len"])
        return {
            "hyp_len": columns["hyp_len"],
            "total": parts.total,
            "ref_len": parts.ref_len,
            "match": parts.match,
            "numer": parts.numer,
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs as float64, gleu first.

        The other outputs are precision (the geometric mean), brevity_penalty, hyp_len and ref_len.
        For each order n there are precision_n, gleu_n (of this order alone), match_n, penalty_n,
        numer_n and total_n. penalty_n is match_n - numer_n, which is Σ min(match, penalty) where
        numerators are clipped.
        """
        numer = totals["numer"]
        total = totals["total"]
        hyp_len = totals["hyp_len"]
        ref_len = totals["ref_len"]
        scale = self._scale
        empty_is_one = self.zero_total == "one"
        precision = _precision(numer, scale * total, one_for_empty=empty_is_one)
        outputs = self._outputs(precision, self._log_brevity(ref_len, hyp_len))
        if self.zero_total == "zero":
            empty = (total == 0).any(axis=-1) | (hyp_len == 0) | (ref_len == 0)
            outputs["gleu"] = np.where(empty, 0.0, outputs["gleu"])
        outputs["hyp_len"] = hyp_len.astype(np.float64)
        outputs["ref_len"] = ref_len.astype(np.float64)
        counts = {
            "match": totals["match"],
            "penalty": (scale * totals["match"] - numer) / scale,
            "numer": numer / scale,
            "total": total,
        }
        return outputs | by_order(counts)

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why a score is 0."""
        if outputs["gleu"] != 0:
            return []
        if self.level == "mean":
            reasons = (
                "each is empty, or has an order of n-grams without a match, "
                "or with none that the penalty leaves"
            )
            return [self.why_all_zero(reasons)]
        orders = []
        for n in range(1, self.order + 1):
            if outputs[f"total_{n}"] or self.zero_total == "zero":
                orders.append(n)
        return [self.why_zero(outputs, orders, "numer")]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence: float64 [lines, references] each.

        Here penalty_n is the entire penalty, even where it exceeds match_n, as `sgleu -v` of the
        package gleu prints it. For merged references the score is the only output.
        """
        if not self.by_reference:
            return {"gleu": self.sentence_scores(columns)}
        terms = self.make_terms(columns)
        ref_len = terms["ref_len"]
        hyp_len = np.broadcast_to(terms["hyp_len"][:, None], ref_len.shape)
        outputs = self._outputs(*self._sentence_parts(columns))
        outputs["hyp_len"] = hyp_len.astype(np.float64)
        outputs["ref_len"] = ref_len.astype(np.float64)
        counts = {
            "match": terms["match"],
            "numer": terms["numer"],
            "penalty": columns[CODES[self.variant].kinds[1]],
            "total": np.broadcast_to(
                terms["total"][:, None], (*ref_len.shape, self.order)
            ),
        }
        return outputs | by_order(counts)

    def _outputs(
        self, precision: Floats, log_brevity: Floats
    ) -> dict[str, Floats]:
        """Return the outputs that are fractions.

        The arguments are precisions [..., orders] and log brevity penalties [...].
        """
        log_precision = log(precision)
        log_mean = log_precision.mean(axis=-1)
        outputs = {
            "gleu": np.exp(log_brevity + log_mean),
            "precision": np.exp(log_mean),
            "brevity_penalty": np.exp(log_brevity),
        }
        gleu_of_order = np.exp(log_brevity[..., None] + log_precision)
        return outputs | by_order(
            {"precision": precision, "gleu": gleu_of_order}
        )

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the corpus formula applied to each sentence: float64 [lines, references or 1].

        For an order of which a sentence has no n-gram the precision is 1, as in the package gleu.
        With smoothing ones, all counts and lengths of 0 become 1 instead, as in the original
        program with -d.
        """
        precision, log_brevity = self._sentence_parts(columns)
        scores: Floats = np.exp(log_brevity + log(precision).mean(axis=-1))
        return scores

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() with each reference, compiled."""
        formula = kernel.native_function("gleu_scores")
        if (
            formula is None
            or not self.by_reference
            or self.order > MAX_SEQUENTIAL_SUM
        ):
            return None
        code = CODES[self.variant]
        names = (*code.kinds, "total", "hyp_len", "ref_len")
        settings = (
            self._scale,
            self._clips,
            self.smoothing == "ones",
            code.brevity == "inverted",
        )
        return lambda columns: formula(
            *[columns[name] for name in names], *settings
        )

    @property
    def _clips(self) -> bool:
        return self.variant != "paper" or self.clip == "sentence"

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        Of references with equal scores, the one with the best score of the highest order alone
        wins, then of the next lower order, and so on. If all are equal the first wins. The package
        gleu chooses so.
        """
        precision, log_brevity = self._sentence_parts(columns)
        log_precision = log(precision)
        of_order = np.exp(log_brevity[..., None] + log_precision)
        # Of numerators below 0 the larger is better.
        negative = np.minimum(self.make_terms(columns)["numer"], 0)
        below = negative / np.maximum(columns["total"], 1)[:, None]
        of_order += np.exp(log_brevity)[..., None] * below
        keys = [np.exp(log_brevity + log_precision.mean(axis=-1))]
        for n in reversed(range(self.order)):
            keys.append(of_order[..., n])
        return best_by(keys)

    def _sentence_parts(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return precisions [lines, references, orders] and log brevity penalties [lines, references].

        Merged references count as one. A sentence without n-grams of an order has precision 1.
        """
        terms = self.make_terms(columns)
        numer = terms["numer"]
        total = terms["total"][:, None, :]
        ref_len = terms["ref_len"]
        hyp_len = terms["hyp_len"][:, None]
        if self.references == "merged":
            numer = numer[:, None]
            ref_len = ref_len[:, None]
        if self.smoothing == "ones":
            numer = np.where(numer == 0, 1, numer)
            total = np.where(total == 0, 1, total)
            ref_len = np.where(ref_len == 0, 1, ref_len)
            hyp_len = np.where(hyp_len == 0, 1, hyp_len)
        # numerators are multiplied by the denominator of lambda
        precision = _precision(numer, self._scale * total, one_for_empty=True)
        return precision, self._log_brevity(ref_len, hyp_len)

    def _log_brevity(self, ref_len: Ints, hyp_len: Ints) -> Floats:
        """Return min(0, 1 - r/h) or, if the penalty is inverted, min(0, 1 - h/r).

        The result is 0 if both lengths are 0, and -inf if only h or the divisor is 0.
        """
        if CODES[self.variant].brevity == "inverted":
            over, under = hyp_len, ref_len
        else:
            over, under = ref_len, hyp_len
        both_empty = (over == 0) & (under == 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where(
                both_empty, 0.0, np.minimum(0.0, 1.0 - over / under)
            )
        return np.where((hyp_len == 0) & (ref_len > 0), -np.inf, penalty)


def _precision(numer: Ints, total: Ints, *, one_for_empty: bool) -> Floats:
    """Return numer / total, or 0 if numer is below 0; if total is 0, 1 or 0 by one_for_empty."""
    return np.where(
        total == 0, float(one_for_empty), ratio(np.maximum(numer, 0), total)
    )
