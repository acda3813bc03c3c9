"""GLEU+ (Napoles et al. 2015, 2016): n-gram precision that pays for errors left as they were in the source.

Not the GLEU of Google's translation paper (Wu et al. 2016), which reads no source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..sampling import SAMPLERS
from ..tokenize import TOKENIZERS, Tokenization
from .base import Field, Metric, Option
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
        """Return gleu, brevity_penalty, precision_n, gleu_n (order n alone) and the sums, as float64.

        penalty_n is what was taken off: match_n - numer_n, that is Σ min(match, penalty).
        """
        numer, total, hyp_len = totals["numer"], totals["total"], totals["hyp_len"]
        log_precision = _log_ratio(numer, total, one_for_empty=self.zero_total == "one")
        log_brevity = self._log_brevity(totals["ref_len"], hyp_len)
        score = np.exp(log_brevity + log_precision.mean(axis=-1))
        if self.zero_total == "zero":
            empty = (total == 0).any(axis=-1) | (hyp_len == 0) | (totals["ref_len"] == 0)
            score = np.where(empty, 0.0, score)
        outputs = {"gleu": score, "brevity_penalty": np.exp(log_brevity)}
        outputs |= {"hyp_len": hyp_len.astype(np.float64), "ref_len": totals["ref_len"].astype(np.float64)}
        by_order = {
            "precision": np.exp(log_precision),
            "gleu": np.exp(log_brevity[..., None] + log_precision),
            "match": totals["match"],
            "penalty": totals["match"] - numer,
            "numer": numer,
            "total": total,
        }
        for name, array in by_order.items():
            for n in range(self.order):
                outputs[f"{name}_{n + 1}"] = array[..., n].astype(np.float64)
        return outputs

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return float64 [lines, references]: the corpus formula on one sentence.

        Where a sentence has no n-gram of an order its precision is 1 (package gleu); with smoothing ones every
        zero count, lengths too, becomes 1 instead (original program with -d).
        """
        log_precision, log_brevity = self._sentence_logs(columns)
        scores: Floats = np.exp(log_brevity + log_precision.mean(axis=-1))
        return scores

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        Of equal scores the one that is better at the highest order alone wins, then at the next lower, then
        the first (package gleu).
        """
        log_precision, log_brevity = self._sentence_logs(columns)
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

    def _sentence_logs(self, columns: Columns) -> tuple[Floats, Floats]:
        """Return log precisions [lines, references, orders] and log brevity penalties [lines, references]."""
        terms = self.make_terms(columns)
        numer, total = terms["numer"], terms["total"][:, None, :]
        ref_len, hyp_len = terms["ref_len"], terms["hyp_len"][:, None]
        if self.smoothing == "ones":
            numer, total, ref_len, hyp_len = (np.where(a == 0, 1, a) for a in (numer, total, ref_len, hyp_len))
        return _log_ratio(numer, total, one_for_empty=True), self._log_brevity(ref_len, hyp_len)

    def _log_brevity(self, ref_len: Ints, hyp_len: Ints) -> Floats:
        """Return min(0, 1 - r/h), or 1 - h/r for 2016; 0 where both are 0, -inf where only the divisor is."""
        over, under = (hyp_len, ref_len) if self.variant == "2016" else (ref_len, hyp_len)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((over == 0) & (under == 0), 0.0, np.minimum(0.0, 1.0 - over / under))


def _log_ratio(numer: Ints, total: Ints, *, one_for_empty: bool) -> Floats:
    """Return log(numer / total); -inf where numer is 0 or less, but 0 where total is 0 and that counts as 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(np.maximum(numer, 0) / total)
    return np.where(total == 0, 0.0 if one_for_empty else -np.inf, log)
