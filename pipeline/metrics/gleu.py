"""GLEU+ (Napoles et al. 2015, 2016): n-gram precision that pays for errors left as they were in the source.

Not the GLEU of Google's translation paper (Wu et al. 2016), which reads no source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..sampling import SAMPLERS, Draws
from ..tokenize import TOKENIZERS, Tokenization
from .base import Field, Metric, Option, by_order
from .overlap import OverlapNeeds

if TYPE_CHECKING:
    from .base import Columns, Floats, Ints

MAX_ITERATIONS = 1_000_000
MAX_SEED = 2**32 - 1


def _samples(metric: Any) -> bool:
    return bool(metric.references == "sample")


@dataclass(frozen=True)
class Gleu(Metric):
    """GLEU+ with the settings of its known programs.

    Source: the code of github.com/cnap/gec-ranking (variant 2017: June 2017 on; 2016: May 2016 to June 2017,
    whose brevity penalty is inverted) and the package gleu (Koyama) for sentence scores, the policy max and
    zero_total one.
    """

    name: ClassVar[str] = "gleu"
    summary: ClassVar[str] = "GLEU+ for grammatical error correction (Napoles et al. 2015, 2016); needs a source"
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "variant",
            "variant",
            "2017",
            "which code: 2017 is today's; 2016 inverts the brevity penalty",
            ("2017", "2016"),
        ),
        Option("order", "n", 4, "longest n-grams", minimum=1, maximum=9),
        Option("unit", "unit", "word", "what an n-gram is made of", ("word", "char")),
        Option(
            "tokenizer",
            "tok",
            "whitespace",
            "how lines are split into words",
            tuple(name for name in TOKENIZERS if name != "char"),
            applies=lambda m: m.unit == "word",
            why="unit char takes every code point",
        ),
        Option(
            "strip",
            "strip",
            False,
            "drop white space at both ends of lines first",
            applies=lambda m: m.unit == "char" or m.tokenizer != "whitespace",
            why="tokenizer whitespace ignores it anyway",
            implicit=True,
        ),
        Option("lowercase", "lc", False, "compare without upper case", implicit=True),
        Option(
            "level",
            "level",
            "corpus",
            "score the corpus, or the mean of sentence scores",
            ("corpus", "mean"),
            implicit=True,
        ),
        Option(
            "references",
            "refs",
            lambda given: "mean" if given.get("level") == "mean" else "sample",
            "of several references: one at random per iteration (level corpus), the best per sentence, "
            "or the mean (level mean)",
            ("sample", "max", "mean"),
        ),
        Option(
            "iterations",
            "iter",
            500,
            "how often references are drawn",
            minimum=1,
            maximum=MAX_ITERATIONS,
            applies=_samples,
            why="only references: sample draws",
        ),
        Option(
            "sampler",
            "rng",
            "python2",
            "random stream of the draws; python2 is the original program's",
            tuple(SAMPLERS),
            applies=_samples,
            why="only references: sample draws",
        ),
        Option(
            "seed",
            "seed",
            12345,
            "seed of the sampler numpy",
            minimum=0,
            maximum=MAX_SEED,
            applies=lambda m: _samples(m) and m.sampler == "numpy",
            why="only the sampler numpy takes one",
        ),
        Option(
            "zero_total",
            "zero_total",
            "zero",
            "where the corpus has no n-gram of some order: score 0, or precision 1 as in the package gleu",
            ("zero", "one"),
            applies=lambda m: m.level == "corpus",
            why="sentence scores always take precision 1 there",
        ),
        Option(
            "smoothing",
            "smoothing",
            "none",
            "ones: every zero count of a sentence becomes 1, as the original program's -d does",
            ("none", "ones"),
            applies=lambda m: m.level == "mean",
            why="only level: mean scores sentences",
        ),
    )

    variant: str = "2017"
    order: int = 4
    unit: str = "word"
    tokenizer: str = "whitespace"
    strip: bool = False
    lowercase: bool = False
    level: str = "corpus"
    references: str = "sample"
    iterations: int = 500
    sampler: str = "python2"
    seed: int = 12345
    zero_total: str = "zero"
    smoothing: str = "none"

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the policies for references that do not go with the level."""
        if self.level == "mean" and self.references == "sample":
            return [("references", "level: mean takes 'mean' or 'max' over the references, found 'sample'")]
        if self.level == "corpus" and self.references == "mean":
            return [("references", "level: corpus takes 'sample' or 'max', found 'mean'")]
        return []

    @property
    def needs(self) -> OverlapNeeds:
        """Matches and penalties with each reference."""
        tokenizer = "char" if self.unit == "char" else self.tokenizer
        tokenization = Tokenization(tokenizer, strip=self.strip, lowercase=self.lowercase)
        return OverlapNeeds(tokenization, self.order, ("match", "penalty"), source=True)

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return the draws of `references: sample`."""
        if self.references != "sample" or references == 1:
            return None
        return Draws(self.sampler, self.iterations, lines, references, self.seed)

    @property
    def terms(self) -> tuple[Field, ...]:
        """Lengths, totals, matches, and numerators clipped at 0 in each sentence."""
        return (
            Field("hyp_len"),
            Field("total", self.order),
            Field("ref_len", per_reference=True),
            Field("match", self.order, per_reference=True),
            Field("numer", self.order, per_reference=True),
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Clip match - penalty at 0, per sentence, reference and order."""
        numer = np.maximum(columns["match"] - columns["penalty"], 0)
        return {**{name: columns[name] for name in ("hyp_len", "total", "ref_len", "match")}, "numer": numer}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs as float64, gleu first.

        precision (the geometric mean), brevity_penalty, hyp_len, ref_len; and for each order n precision_n,
        gleu_n (this order alone), match_n, penalty_n, numer_n and total_n. penalty_n is what
        was taken off: match_n - numer_n, that is Σ min(match, penalty).
        """
        numer, total, hyp_len, ref_len = (totals[name] for name in ("numer", "total", "hyp_len", "ref_len"))
        precision = _ratio(numer, total, one_for_empty=self.zero_total == "one")
        outputs = self._outputs(precision, self._log_brevity(ref_len, hyp_len))
        if self.zero_total == "zero":
            empty = (total == 0).any(axis=-1) | (hyp_len == 0) | (ref_len == 0)
            outputs["gleu"] = np.where(empty, 0.0, outputs["gleu"])
        outputs |= {"hyp_len": hyp_len.astype(np.float64), "ref_len": ref_len.astype(np.float64)}
        counts = {"match": totals["match"], "penalty": totals["match"] - numer, "numer": numer, "total": total}
        return outputs | by_order(counts)

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return what score() does, for each sentence with each reference: float64 [lines, references].

        penalty_n is the whole penalty here, also where it exceeds match_n (package sgleu -v).
        """
        terms = self.make_terms(columns)
        lines, references = terms["ref_len"].shape
        counts = {name: terms[name] for name in ("match", "numer")} | {"penalty": columns["penalty"]}
        counts["total"] = np.broadcast_to(terms["total"][:, None], (lines, references, self.order))
        hyp_len = np.broadcast_to(terms["hyp_len"][:, None], (lines, references)).astype(np.float64)
        lengths = {"hyp_len": hyp_len, "ref_len": terms["ref_len"].astype(np.float64)}
        return self._outputs(*self._sentence_parts(columns)) | lengths | by_order(counts)

    def _outputs(self, precision: Floats, log_brevity: Floats) -> dict[str, Floats]:
        """Return the outputs that are fractions, from precisions [..., orders] and log brevity penalties [...]."""
        log_precision = _log(precision)
        log_mean = log_precision.mean(axis=-1)
        outputs = {"gleu": np.exp(log_brevity + log_mean), "precision": np.exp(log_mean)}
        outputs |= {"brevity_penalty": np.exp(log_brevity)}
        alone = np.exp(log_brevity[..., None] + log_precision)
        return outputs | by_order({"precision": precision, "gleu": alone})

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return float64 [lines, references]: the corpus formula on one sentence.

        Where a sentence has no n-gram of an order its precision is 1 (package gleu); with smoothing ones every
        zero count, lengths too, becomes 1 instead (original program with -d).
        """
        precision, log_brevity = self._sentence_parts(columns)
        scores: Floats = np.exp(log_brevity + _log(precision).mean(axis=-1))
        return scores

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        Of equal scores the one that is better at the highest order alone wins, then at the next lower, then
        the first (package gleu).
        """
        precision, log_brevity = self._sentence_parts(columns)
        log_precision = _log(precision)
        keys = [np.exp(log_brevity + log_precision.mean(axis=-1))]
        keys += [np.exp(log_brevity + log_precision[..., n]) for n in reversed(range(self.order))]
        best = np.zeros(len(keys[0]), np.int64)
        rows = np.arange(len(best))
        for reference in range(1, keys[0].shape[1]):
            better, tied = np.zeros(len(best), bool), np.ones(len(best), bool)
            for key in keys:
                better |= tied & (key[:, reference] > key[rows, best])
                tied &= key[:, reference] == key[rows, best]
            best[better] = reference
        return best

    def _sentence_parts(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return precisions [lines, references, orders] and log brevity penalties [lines, references]."""
        terms = self.make_terms(columns)
        numer, total = terms["numer"], terms["total"][:, None, :]
        ref_len, hyp_len = terms["ref_len"], terms["hyp_len"][:, None]
        if self.smoothing == "ones":
            numer, total, ref_len, hyp_len = (np.where(a == 0, 1, a) for a in (numer, total, ref_len, hyp_len))
        return _ratio(numer, total, one_for_empty=True), self._log_brevity(ref_len, hyp_len)

    def _log_brevity(self, ref_len: Ints, hyp_len: Ints) -> Floats:
        """Return min(0, 1 - r/h), or 1 - h/r for 2016; 0 where both are 0, -inf where only the divisor is."""
        over, under = (hyp_len, ref_len) if self.variant == "2016" else (ref_len, hyp_len)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((over == 0) & (under == 0), 0.0, np.minimum(0.0, 1.0 - over / under))


def _ratio(numer: Ints, total: Ints, *, one_for_empty: bool) -> Floats:
    """Return numer / total, 0 where numer is below 0; where total is 0, 1 or 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.maximum(numer, 0) / total
    return np.where(total == 0, 1.0 if one_for_empty else 0.0, ratio)


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(values)
    return logs
