"""BLEU (Papineni et al. 2002), as each of the programs computes it that published numbers come
from.

These programs are the flavours. They differ in reference length, tokens, zeros and smoothing (see
`smoothing.py`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import kernel
from ...arrays import Floats, Ints
from ...kernel.common import MAX_ORDER
from ...tokenizers import sacrebleu
from ...tokenizers.tokenization import Tokenization
from ..base.capabilities import Compiled, HasPeerSignature, ReadsDataSet, Rule, ShowsNgrams
from ..base.choices import MAX_SEQUENTIAL_SUM, by_order, log, ratio
from ..base.metric import Counted, Metric, why_all_zero, why_zero
from ..base.options import (
    any_tokenizer_option,
    level_option,
    lowercase_option,
    option,
    sacrebleu_signature,
)
from ..base.statistics_spec import LAST, Columns, Field, OverlapSpec
from .smoothing import SMOOTHING, Counts


class Flavour(NamedTuple):
    """The defaults of a flavour."""

    tokenizer: str
    smoothing: str
    char: str = "nonspace"
    """The tokeniser that this flavour calls char."""


FLAVOURS = {
    "sacrebleu": Flavour("13a", "exp"),
    "nltk": Flavour("whitespace", "method0", char="char"),
    "tensorflow": Flavour("13a", "none"),
    "moses": Flavour(
        "ascii_whitespace", "none"
    ),  # Perl splits bytes: a no-break space is part of a word
}
NUMBER = r"[0-9]{1,3}(\.[0-9]{1,17})?"
QUARTERS = [0.25] * 4
"""The weights that auto_reweigh replaces."""
WEIGHTS = rf"{NUMBER}(\+{NUMBER}){{0,8}}"


def _flavour(given: Mapping[str, Any]) -> Flavour:
    return FLAVOURS[given.get("flavour", "sacrebleu")]


def _order(given: Mapping[str, Any]) -> int:
    sets = weight_sets(given.get("weights", ""))
    return max(map(len, sets)) if sets else 4


def weight_sets(weights: str) -> list[list[float]]:
    """Return the sets of weights in the text of the option, or none if it is empty."""
    return (
        [[float(weight) for weight in part.split("+")] for part in weights.split("_")]
        if weights
        else []
    )


FORMULAS = ("none", "floor", "add-k", "exp")
"""The kinds of smoothing for which there is a compiled formula, in the order of their numbers."""
NLTK_FLOOR = 1e-12
"""A score below this is 0 in the flavour nltk, which replaces precisions of 0 by the smallest
float."""


@dataclass(frozen=True)
class Bleu(ReadsDataSet, Compiled, ShowsNgrams, HasPeerSignature, Metric):
    """BLEU: the geometric mean of clipped n-gram precisions, times a penalty for brevity.

    The flavours are sacrebleu (Post 2018), nltk (nltk.translate.bleu_score), tensorflow (the code
    of TensorFlow's nmt, which Hugging Face and the package bleuscore use too) and moses
    (multi-bleu.perl). Matches are clipped by the largest count in any reference. The reference
    length of a sentence is the closest, or the shortest for tensorflow."""

    name: ClassVar[str] = "bleu"
    summary: ClassVar[str] = (
        "BLEU as sacreBLEU, nltk, TensorFlow / Hugging Face or Moses compute it; needs no source"
    )
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "BLEU-4": {},
        "sacreBLEU": {"flavour": "sacrebleu"},
        "nltk bleu": {"flavour": "nltk"},
        "multi-bleu": {"flavour": "moses"},
        "multi-bleu.perl": {"flavour": "moses"},
    }
    counts: ClassVar[frozenset[str]] = frozenset({"match", "total", "hyp_len", "ref_len"})
    name_in_text: ClassVar[str] = "BLEU"
    policy: ClassVar[str] = "merged"
    """All references count together."""

    flavour: str = option("sacrebleu", help="whose BLEU; see `help bleu`", choices=tuple(FLAVOURS))
    weights: str = option(
        "",
        help="a weight for each order; several sets are joined by _",
        implicit=True,
        pattern=rf"{WEIGHTS}(_{WEIGHTS}){{0,8}}",
        numbers=True,
        form="a number for each order joined by +, such as 0.5+0.5; several sets joined by _",
    )
    order: int = option(_order, key="n", help="longest n-grams", minimum=1, maximum=MAX_ORDER)
    tokenizer: str = any_tokenizer_option(
        lambda given: _flavour(given).tokenizer,
        "how lines are split: 13a, or whitespace for the flavour nltk, ascii_whitespace for moses",
        "none",
    )
    lowercase: bool = lowercase_option()
    level: str = level_option()
    smoothing: str = option(
        lambda given: _flavour(given).smoothing,
        key="smooth",
        help="what stands for precisions of 0: exp for the flavour sacrebleu, method0 for nltk, "
        "else none",
        choices=tuple(SMOOTHING),
    )
    smoothing_value: str = option(
        lambda given: SMOOTHING[given.get("smoothing", _flavour(given).smoothing)].value,
        key="value",
        help="the value of floor (0.1), add-k (1), method1 (0.1), method4, method6 and method7 (5)",
        applies=lambda m: bool(SMOOTHING[m.smoothing].value),
        why="this smoothing has no value",
        pattern=NUMBER,
        numbers=True,
        form="a number such as 0.1",
    )
    effective_order: str = option(
        "auto",
        key="eff",
        help="leave out orders that the output has no n-grams of; auto: at sentence level",
        choices=("auto", "yes", "no"),
        applies=lambda m: m.flavour == "sacrebleu",
        why="only the flavour sacrebleu has it",
    )
    auto_reweigh: bool = option(
        False,
        key="reweigh",
        help="share default weights among the orders that a text of fewer than 4 tokens has",
        applies=lambda m: m.flavour == "nltk" and QUARTERS in m.sets,
        why="only the flavour nltk has it, for weights of 0.25 of four orders",
        implicit=True,
    )
    ties: str = option(
        "shorter",
        help="of two reference lengths equally close: the shorter, or that of the first reference",
        choices=("shorter", "first"),
        applies=lambda m: m.flavour != "tensorflow",
        why="the flavour tensorflow takes the shortest length",
    )
    brevity_penalty: str = option(
        "standard",
        key="bp",
        help="inverted: punish long outputs instead, as the code of Napoles et al. 2016 does",
        choices=("standard", "inverted"),
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a smoothing that the flavour or the order does not allow, and wrong weights."""
        problems = []
        if self.flavour not in SMOOTHING[self.smoothing].flavours:
            allowed = ", ".join(
                name for name, smoothing in SMOOTHING.items() if self.flavour in smoothing.flavours
            )
            problems.append(
                ("smoothing", f"flavour {self.flavour} takes {allowed}; found '{self.smoothing}'")
            )
        if self.smoothing == "method6" and self.order < 3:
            problems.append(
                ("smoothing", f"method6 needs an order of at least 3, found {self.order}")
            )
        sets = weight_sets(self.weights)
        if sets and max(map(len, sets)) != self.order:
            problems.append(
                ("order", f"the weights are for order {max(map(len, sets))}, found {self.order}")
            )
        if not all(map(sum, sets)):
            problems.append(("weights", "all weights of a set are 0"))
        elif any(
            len(weights) == 1 and weights != [1] for weights in sets
        ):  # most likely a list was meant
            message = (
                "one weight alone can only be 1; those of several orders are joined: 0.4+0.3+0.3"
            )
            problems.append(("weights", message))
        if len(sets) > 1 and self.level == "mean":
            problems.append(("weights", "level: mean takes one set of weights"))
        return problems

    @property
    def sets(self) -> list[list[float]]:
        """The sets of weights of the orders. Where none is given there is one, with equal weights."""
        return weight_sets(self.weights) or [[1 / self.order] * self.order]

    @property
    def reads_last(self) -> bool:
        """Whether this smoothing of a corpus score reads counts of the last sentence alone, as in
        nltk.
        """
        return self.level == "corpus" and self.smoothing in ("method5", "method6", "method7")

    @cached_property
    def spec(self) -> OverlapSpec:
        """Lengths, totals, and matches with all references merged."""
        names = {"char": FLAVOURS[self.flavour].char, "none": "whitespace"}
        tokenization = Tokenization(
            names.get(self.tokenizer, self.tokenizer), lowercase=self.lowercase
        )
        order = max(self.order, 5) if self.smoothing in ("method5", "method7") else self.order
        return OverlapSpec(tokenization, order, ("union_match",), source=False)

    def ngram_rule(self) -> Rule:
        """Return that n-grams are matched with all references merged."""
        return Rule("match", self.spec.tokenization, 1, self.order, merged=True)

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of BLEU, that of sacreBLEU for its flavour, and one about smoothing unless it
        is none or exp.
        """
        keys = ["papineni-etal-2002-bleu"]
        keys += ["post-2018-call"] if self.flavour == "sacrebleu" else []
        keys += ["chen-cherry-2014-systematic"] if self.smoothing not in ("none", "exp") else []
        return tuple(keys)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths, matches with all references, and totals. The reference length is the one
        that counts.
        """
        lengths = [
            Counted("hyp_len", columns["hyp_len"]),
            Counted("ref_len", self._reference_length(columns)),
        ]
        kinds = {"match": "union_match", "total": "total"}
        return lengths + [
            Counted(name, columns[kind][:, : self.order], orders=True)
            for name, kind in kinds.items()
        ]

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """Lengths, matches and totals. nltk's methods 5 to 7 also have counts of a single sentence."""
        fields = (
            Field("hyp_len"),
            Field("ref_len"),
            Field("match", self.order),
            Field("total", self.order),
        )
        if self.smoothing in ("method5", "method7"):
            return (*fields, Field("fifth_match"), Field("fifth_total"))
        if self.smoothing == "method6":
            return (*fields, Field("hypotheses"), Field("length", self.order))
        return fields

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return lengths and counts. Those of a single sentence, for nltk's methods 5 to 7, are 0
        but for the last.
        """
        total, match, hyp_len = columns["total"], columns["union_match"], columns["hyp_len"]
        last = columns.get(LAST, np.ones(len(hyp_len), np.int64))
        terms = {
            "hyp_len": hyp_len,
            "ref_len": self._reference_length(columns),
            "match": match[:, : self.order],
        }
        terms["total"] = np.maximum(total[:, : self.order], 1 if self.flavour == "nltk" else 0)
        if self.smoothing in ("method5", "method7"):
            terms |= {
                "fifth_match": last * match[:, 4],
                "fifth_total": last * np.maximum(total[:, 4], 1),
            }
        if self.smoothing == "method6":
            terms |= {"hypotheses": last, "length": last[:, None] * total[:, : self.order]}
        return terms

    def _reference_length(self, columns: Columns) -> Ints:
        lengths = columns["ref_len"]
        if self.flavour == "tensorflow":
            shortest: Ints = lengths.min(axis=1)
            return shortest
        distance = np.abs(lengths - columns["hyp_len"][:, None])
        if self.ties == "first":
            first: Ints = lengths[np.arange(len(lengths)), distance.argmin(axis=1)]
            return first
        closest = distance == distance.min(axis=1, keepdims=True)
        shorter: Ints = np.where(closest, lengths, np.iinfo(np.int64).max).min(axis=1)
        return shorter

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs as float64, bleu first. Further sets of weights give bleu@weights2,
        bleu@weights3 ...

        The other outputs are brevity_penalty, ratio (of the lengths), hyp_len and ref_len. For each
        order n there are precision_n (smoothed), match_n and total_n."""
        return self._outputs(totals, effective=self.effective_order == "yes")

    def _outputs(self, totals: Columns, *, effective: bool) -> dict[str, Floats]:
        precision, brevity = self._precision(totals), self._brevity(totals)
        scores = self._scores(totals, precision, brevity, effective=effective)
        hyp_len, ref_len = (totals[name].astype(np.float64) for name in ("hyp_len", "ref_len"))
        outputs = {
            "bleu" if n == 1 else f"bleu@weights{n}": score for n, score in enumerate(scores, 1)
        }
        outputs |= {"brevity_penalty": brevity, "ratio": ratio(hyp_len, ref_len)}
        shown = np.where((totals["match"] == 0) & (self.smoothing == "method0"), 0.0, precision)
        counts = {"precision": shown, "match": totals["match"], "total": totals["total"]}
        return outputs | {"hyp_len": hyp_len, "ref_len": ref_len} | by_order(counts)

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with the first set of weights: float64 [lines, 1]."""
        terms = self.make_terms({name: column for name, column in columns.items() if name != LAST})
        precision, brevity = self._precision(terms), self._brevity(terms)
        return self._scores(terms, precision, brevity, effective=self.effective_order != "no")[0][
            :, None
        ]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence, with the scores of sentence_scores():
        float64 [lines, 1].
        """
        terms = self.make_terms({name: column for name, column in columns.items() if name != LAST})
        apart = {name: term[:, None] for name, term in terms.items()}
        return self._outputs(apart, effective=self.effective_order != "no")

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() of the flavours sacrebleu and moses, compiled."""
        formula = kernel.native_function("bleu_scores")
        if (
            formula is None
            or self.flavour not in ("sacrebleu", "moses")
            or self.order > MAX_SEQUENTIAL_SUM
        ):
            return None
        (weights, *_), powers = (
            self._weights(np.zeros(1, np.int64)),
            0.5 ** np.arange(self.order + 1),
        )
        smoothing, value = FORMULAS.index(self.smoothing), float(self.smoothing_value or 0)
        kept = self.effective_order != "no" and self.flavour == "sacrebleu"
        rest = (
            weights,
            powers,
            smoothing,
            value,
            kept,
            self.ties == "first",
            self.brevity_penalty != "standard",
        )
        read = ("union_match", "total", "hyp_len", "ref_len")
        return lambda columns: formula(*[columns[name] for name in read], *rest)[:, None]

    def _precision(self, totals: Columns) -> Floats:
        """Return smoothed precisions [..., orders]. Without any match they are 0, but for the
        flavour tensorflow.
        """
        fifth = lengths = None
        if "fifth_match" in totals:
            fifth = ratio(
                totals["fifth_match"].astype(np.float64), totals["fifth_total"].astype(np.float64)
            )
        if "length" in totals:
            lengths = ratio(
                totals["length"].astype(np.float64),
                totals["hypotheses"][..., None].astype(np.float64),
            )
        match, total, hyp_len = (
            totals[name].astype(np.float64) for name in ("match", "total", "hyp_len")
        )
        smoothing = SMOOTHING[self.smoothing]
        counts = Counts(match, total, hyp_len, fifth, lengths)
        precision = smoothing.precisions(counts, float(self.smoothing_value or 0))
        matched = (match > 0).any(axis=-1, keepdims=True) | (self.flavour == "tensorflow")
        return np.where(matched, precision, 0.0)

    def _scores(
        self, totals: Columns, precision: Floats, brevity: Floats, *, effective: bool
    ) -> list[Floats]:
        """Return the score [...] for each set of weights."""
        none = (totals["match"] == 0).all(axis=-1)
        # the orders that effective order keeps: those with n-grams; add-k adds n-grams to all but
        # the first
        added = self.smoothing == "add-k" and float(self.smoothing_value) > 0
        reached = (totals["total"] > 0) | (added & (np.arange(self.order) > 0))
        scores = []
        for weights in self._weights(totals["hyp_len"]):
            kept = weights * reached if effective and self.flavour == "sacrebleu" else weights
            share = ratio(kept, kept.sum(axis=-1, keepdims=True)) if kept is not weights else kept
            logs = np.where(
                (precision == 0) & ((share == 0) | (self.flavour == "nltk")), 0.0, log(precision)
            )
            with np.errstate(invalid="ignore"):
                products = np.where(share == 0, 0.0, share * logs)
            score = brevity * np.exp(products.sum(axis=-1))
            if self.flavour == "nltk":
                held = (
                    (totals["match"] == 0).any(axis=-1)
                    & (self.smoothing == "method0")
                    & (score < NLTK_FLOOR)
                )
                undefined = (self.smoothing == "method6") & (precision == 0).all(axis=-1)
                score = np.where(held | undefined, 0.0, score)
            scores.append(np.where(none & (self.flavour != "tensorflow"), 0.0, score))
        return scores

    def _weights(self, hyp_len: Ints) -> list[Floats]:
        """Return the weights of the orders for each set: [orders], or [..., orders] where they
        depend on lengths.
        """
        orders = np.arange(1, self.order + 1)
        result = []
        for given in self.sets:
            weights = np.array(given + [0.0] * (self.order - len(given)))
            if self.auto_reweigh and given == QUARTERS:
                length = hyp_len[..., None]
                weights = np.where(length < 4, (orders <= length) / np.maximum(length, 1), weights)
            result.append(weights)
        return result

    def _brevity(self, totals: Columns) -> Floats:
        hyp_len, ref_len = (totals[name].astype(np.float64) for name in ("hyp_len", "ref_len"))
        over, under = (
            (ref_len, hyp_len) if self.brevity_penalty == "standard" else (hyp_len, ref_len)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where(over > under, np.exp(1 - over / under), 1.0)
        if self.flavour == "tensorflow":
            return np.where((hyp_len == 0) | (ref_len == 0), 0.0, penalty)
        return np.where((hyp_len == 0) & (self.flavour == "nltk"), 0.0, penalty)

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why a score is 0, and whether the smoothing reads the last sentence alone."""
        notes = []
        if outputs["bleu"] == 0 and self.level == "mean":
            notes.append(why_all_zero("each is empty, or has an order of n-grams without a match"))
        elif outputs["bleu"] == 0:
            notes.append(why_zero(outputs, range(1, self.order + 1)))
        if self.reads_last:
            what = "lengths" if self.smoothing == "method6" else "5-grams"
            notes.append(
                f"{self.smoothing} reads {what} of the last sentence alone, as nltk's corpus_bleu "
                f"does"
            )
        return notes

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return sacreBLEU's own signature, or None if sacreBLEU does not have these settings."""
        unknown = (
            self.weights
            or self.ties != "shorter"
            or self.brevity_penalty != "standard"
            or self.order != 4
        )
        tokens = {
            "whitespace": "none",
            **{name: name for name in ("none", "char", "13a", "zh", "intl")},
        }
        if self.flavour != "sacrebleu" or unknown or self.level != "corpus":
            return None
        if self.tokenizer in sacrebleu.BORROWED:
            tokens[self.tokenizer] = sacrebleu.signature(self.tokenizer)
        if not tokens.get(self.tokenizer):
            return None
        smooth = self.smoothing + (
            f"[{float(self.smoothing_value):.2f}]" if self.smoothing_value else ""
        )
        counted = {
            "case": "lc" if self.lowercase else "mixed",
            "eff": self.effective_order == "yes",
        }
        split = tokens[self.tokenizer]
        return sacrebleu_signature(
            "BLEU", references, missing=missing, **counted, tok=split, smooth=smooth
        )
