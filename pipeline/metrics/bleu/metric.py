"""BLEU (Papineni et al. 2002), as each of the programs computes it that publish numbers.

These programs are the flavours. They differ in reference length, tokens, zeros and smoothing (see
`smoothing.py`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import kernel
from ...arrays import Floats, Ints
from ...tokenizers import Tokenization
from ..base import (
    Columns,
    Counted,
    Field,
    Metric,
    OverlapSpec,
    Rule,
    Schema,
    by_order,
    ratio,
)
from ..base.choices import MAX_SEQUENTIAL_SUM, closest_length, log
from ..options import (
    level_option,
    lowercase_option,
    option,
    order_option,
    tokenizer_option,
)
from ..options.signatures import sacrebleu_signature
from .smoothing import SMOOTHING, SmoothingCounts


class Flavour(NamedTuple):
    """The defaults of a flavour."""

    tokenizer: str
    smoothing: str
    char: str = "nonspace"
    """The tokeniser that this flavour names char."""


FLAVOURS = {
    "sacrebleu": Flavour("13a", "exp"),
    "nltk": Flavour("whitespace", "method0", char="char"),
    "tensorflow": Flavour("13a", "none"),
    # Perl splits bytes: a no-break space is part of a word.
    "moses": Flavour("ascii_whitespace", "none"),
}
NUMBER = r"[0-9]{1,3}(\.[0-9]{1,17})?"
QUARTERS = [0.25] * 4
"""The weights that auto_reweigh replaces."""
WEIGHTS = rf"{NUMBER}(\+{NUMBER}){{0,8}}"


def _flavour(settings: Mapping[str, Any]) -> Flavour:
    return FLAVOURS[settings.get("flavour", "sacrebleu")]


def _default_tokenizer(settings: Mapping[str, Any]) -> str:
    return _flavour(settings).tokenizer


def _default_order(settings: Mapping[str, Any]) -> int:
    sets = weight_sets(settings.get("weights", ""))
    if sets:
        return max(map(len, sets))
    return 4


def _default_smoothing(settings: Mapping[str, Any]) -> str:
    return _flavour(settings).smoothing


def _default_smoothing_value(settings: Mapping[str, Any]) -> str:
    return SMOOTHING[
        settings.get("smoothing", _default_smoothing(settings))
    ].value


def weight_sets(weights: str) -> list[list[float]]:
    """Return the sets of weights in the text of the option, or none if it is empty."""
    sets = []
    if weights:
        for part in weights.split("_"):
            sets.append([float(weight) for weight in part.split("+")])
    return sets


FORMULAS = ("none", "floor", "add-k", "exp")
"""The kinds of smoothing for which there is a compiled formula, in the order of their numbers."""
NLTK_FLOOR = 1e-12
"""A score below this is 0 in the flavour nltk, which replaces precisions of 0 by the smallest
float."""


SACREBLEU_TOKENIZERS = {
    "whitespace": "none",
    "none": "none",
    "char": "char",
    "13a": "13a",
    "zh": "zh",
    "intl": "intl",
}
"""The names of tokenisers in sacreBLEU's signatures."""
FIFTH_ORDER = ("method5", "method7")
"""The kinds of smoothing that read 5-grams."""


@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU: the geometric mean of clipped n-gram precisions, times a penalty for brevity.

    The flavours are sacrebleu (Post 2018), nltk (nltk.translate.bleu_score), tensorflow (the code
    of TensorFlow's nmt, which Hugging Face and the package bleuscore use too) and moses
    (multi-bleu.perl). Matches are clipped by the largest count in any reference. The reference
    length of a sentence is the closest, or the shortest for tensorflow.
    """

    name = "bleu"
    summary = "BLEU as sacreBLEU, nltk, TensorFlow / Hugging Face or Moses compute it; needs no source"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "BLEU-4": {},
        "sacreBLEU": {"flavour": "sacrebleu"},
        "nltk bleu": {"flavour": "nltk"},
        "multi-bleu": {"flavour": "moses"},
        "multi-bleu.perl": {"flavour": "moses"},
    }
    counts = frozenset({"match", "total", "hyp_len", "ref_len"})
    name_in_text = "BLEU"
    policy = "merged"
    """All references count together."""

    flavour: str = option(
        "sacrebleu", help="whose BLEU; see `help bleu`", choices=tuple(FLAVOURS)
    )
    weights: str = option(
        "",
        help="a weight for each order; several sets are joined by _",
        implicit=True,
        pattern=rf"{WEIGHTS}(_{WEIGHTS}){{0,8}}",
        numbers=True,
        form="a number for each order joined by +, such as 0.5+0.5; several sets joined by _",
    )
    order: int = order_option(_default_order)
    tokenizer: str = tokenizer_option(
        _default_tokenizer,
        "how lines are split: 13a, or whitespace for the flavour nltk, ascii_whitespace for moses",
        "none",
        beside_unit=False,
    )
    lowercase: bool = lowercase_option()
    level: str = level_option()
    smoothing: str = option(
        _default_smoothing,
        key="smooth",
        help="what stands for precisions of 0: exp for the flavour sacrebleu, method0 for nltk, "
        "else none",
        choices=tuple(SMOOTHING),
    )
    smoothing_value: str = option(
        _default_smoothing_value,
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
            allowed = []
            for name, kind in SMOOTHING.items():
                if self.flavour in kind.flavours:
                    allowed.append(name)
            message = f"flavour {self.flavour} takes {', '.join(allowed)}; found '{self.smoothing}'"
            problems.append(("smoothing", message))
        if self.smoothing == "method6" and self.order < 3:
            message = (
                f"method6 needs an order of at least 3, found {self.order}"
            )
            problems.append(("smoothing", message))
        sets = weight_sets(self.weights)
        longest = max(map(len, sets), default=self.order)
        if longest != self.order:
            problems.append(
                (
                    "order",
                    f"the weights are for order {longest}, found {self.order}",
                )
            )
        if not all(map(sum, sets)):
            problems.append(("weights", "all weights of a set are 0"))
        elif any(len(weights) == 1 and weights != [1] for weights in sets):
            # The user probably wrote a list.
            message = "one weight alone can only be 1; those of several orders are joined: 0.4+0.3+0.3"
            problems.append(("weights", message))
        if len(sets) > 1 and self.level == "mean":
            problems.append(("weights", "level: mean takes one set of weights"))
        return problems

    @property
    def sets(self) -> list[list[float]]:
        """The sets of weights of the orders. By default there is one, with equal weights."""
        return weight_sets(self.weights) or [[1 / self.order] * self.order]

    @property
    def reads_last(self) -> bool:
        """Whether the smoothing of a corpus reads counts of the last sentence alone, as in nltk."""
        return self.level == "corpus" and self.smoothing in (
            *FIFTH_ORDER,
            "method6",
        )

    @cached_property
    def spec(self) -> OverlapSpec:
        """Lengths, totals, and matches with all references merged."""
        names = {"char": FLAVOURS[self.flavour].char, "none": "whitespace"}
        tokenizer = names.get(self.tokenizer, self.tokenizer)
        order = self.order
        if self.smoothing in FIFTH_ORDER:
            order = max(order, 5)
        tokenization = Tokenization(tokenizer, lowercase=self.lowercase)
        return OverlapSpec(tokenization, order, ("union_match",), source=False)

    def ngram_rule(self) -> Rule:
        """Return that n-grams are matched with all references merged."""
        return Rule("match", self.spec.tokenization, 1, self.order, merged=True)

    @property
    def citations(self) -> tuple[str, ...]:
        """The papers of BLEU, of sacreBLEU for its flavour, and of smoothing that is none of its
        own."""
        keys = ["papineni-etal-2002-bleu"]
        if self.flavour == "sacrebleu":
            keys.append("post-2018-call")
        if self.smoothing not in ("none", "exp"):
            keys.append("chen-cherry-2014-systematic")
        return tuple(keys)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths, matches with all references, and totals.

        The reference length is the one that counts.
        """
        match = columns["union_match"][:, : self.order]
        total = columns["total"][:, : self.order]
        return [
            Counted("hyp_len", columns["hyp_len"]),
            Counted("ref_len", self._reference_length(columns)),
            Counted("match", match, orders=True),
            Counted("total", total, orders=True),
        ]

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """Lengths, matches and totals; for nltk's methods 5 to 7 also counts of one sentence."""
        fields = (
            Field("hyp_len"),
            Field("ref_len"),
            Field("match", self.order),
            Field("total", self.order),
        )
        if self.smoothing in FIFTH_ORDER:
            return (*fields, Field("fifth_match"), Field("fifth_total"))
        if self.smoothing == "method6":
            return (*fields, Field("hypotheses"), Field("length", self.order))
        return fields

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return lengths and counts.

        The counts of one sentence, for nltk's methods 5 to 7, are 0 except for the last.
        """
        hyp_len = columns["hyp_len"]
        match = columns["union_match"]
        total = columns["total"]
        smallest_total = 1 if self.flavour == "nltk" else 0
        terms = {
            "hyp_len": hyp_len,
            "ref_len": self._reference_length(columns),
            "match": match[:, : self.order],
            "total": np.maximum(total[:, : self.order], smallest_total),
        }
        last = columns.get(Schema.LAST, np.ones(len(hyp_len), np.int64))
        if self.smoothing in FIFTH_ORDER:
            terms["fifth_match"] = last * match[:, 4]
            terms["fifth_total"] = last * np.maximum(total[:, 4], 1)
        if self.smoothing == "method6":
            terms["hypotheses"] = last
            terms["length"] = last[:, None] * total[:, : self.order]
        return terms

    def _reference_length(self, columns: Columns) -> Ints:
        """Return the shortest length for tensorflow, else the closest to that of the output."""
        lengths = columns["ref_len"]
        if self.flavour == "tensorflow":
            shortest: Ints = lengths.min(axis=1)
            return shortest
        if self.ties == "shorter":
            lengths = np.sort(lengths, axis=1)
        return closest_length({**columns, "ref_len": lengths})

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs as float64, bleu first.

        Further sets of weights give bleu@weights2, bleu@weights3 ... The other outputs are
        brevity_penalty, ratio (of the lengths), hyp_len and ref_len. For each order n there are
        precision_n (smoothed), match_n and total_n.
        """
        return self._outputs(totals, effective=self.effective_order == "yes")

    def _outputs(
        self, totals: Columns, *, effective: bool
    ) -> dict[str, Floats]:
        precision = self._precision(totals)
        brevity = self._brevity(totals)
        scores = self._scores(totals, precision, brevity, effective=effective)
        outputs = {"bleu": scores[0]}
        for number, score in enumerate(scores[1:], 2):
            outputs[f"bleu@weights{number}"] = score
        hyp_len = totals["hyp_len"].astype(np.float64)
        ref_len = totals["ref_len"].astype(np.float64)
        outputs["brevity_penalty"] = brevity
        outputs["ratio"] = ratio(hyp_len, ref_len)
        outputs["hyp_len"] = hyp_len
        outputs["ref_len"] = ref_len
        # method0 replaces precisions of 0 by the smallest float, which is displayed as 0.
        tiny = (totals["match"] == 0) & (self.smoothing == "method0")
        counts = {
            "precision": np.where(tiny, 0.0, precision),
            "match": totals["match"],
            "total": totals["total"],
        }
        return outputs | by_order(counts)

    def _terms_of_sentences(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms, each sentence as if it were the last."""
        return self.make_terms(
            {name: columns[name] for name in columns if name != Schema.LAST}
        )

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with the first set of weights: float64 [lines, 1]."""
        terms = self._terms_of_sentences(columns)
        precision = self._precision(terms)
        brevity = self._brevity(terms)
        effective = self.effective_order != "no"
        return self._scores(terms, precision, brevity, effective=effective)[0][
            :, None
        ]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence: float64 [lines, 1] each."""
        terms = {
            name: term[:, None]
            for name, term in self._terms_of_sentences(columns).items()
        }
        return self._outputs(terms, effective=self.effective_order != "no")

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() of the flavours sacrebleu and moses, compiled."""
        formula = kernel.native_function("bleu_scores")
        if formula is None or self.flavour not in ("sacrebleu", "moses"):
            return None
        if self.order > MAX_SEQUENTIAL_SUM:
            return None
        settings = (
            self._weights(np.zeros(1, np.int64))[0],
            0.5 ** np.arange(self.order + 1),
            FORMULAS.index(self.smoothing),
            float(self.smoothing_value or 0),
            self.effective_order != "no" and self.flavour == "sacrebleu",
            self.ties == "first",
            self.brevity_penalty != "standard",
        )
        names = ("union_match", "total", "hyp_len", "ref_len")
        return lambda columns: formula(
            *[columns[name] for name in names], *settings
        )[:, None]

    def _precision(self, totals: Columns) -> Floats:
        """Return smoothed precisions [..., orders], 0 without any match except for tensorflow."""
        real = {
            name: total.astype(np.float64) for name, total in totals.items()
        }
        fifth = None
        if "fifth_match" in real:
            fifth = ratio(real["fifth_match"], real["fifth_total"])
        lengths = None
        if "length" in real:
            lengths = ratio(real["length"], real["hypotheses"][..., None])
        match = real["match"]
        counts = SmoothingCounts(
            match, real["total"], real["hyp_len"], fifth, lengths
        )
        smoothing = SMOOTHING[self.smoothing]
        precision = smoothing.precisions(
            counts, float(self.smoothing_value or 0)
        )
        if self.flavour == "tensorflow":
            return precision
        return np.where((match > 0).any(axis=-1, keepdims=True), precision, 0.0)

    def _scores(
        self,
        totals: Columns,
        precision: Floats,
        brevity: Floats,
        *,
        effective: bool,
    ) -> list[Floats]:
        """Return the score [...] for each set of weights."""
        match = totals["match"]
        # Effective order skips orders without n-grams; add-k adds n-grams to all but the first.
        added = self.smoothing == "add-k" and float(self.smoothing_value) > 0
        reached = (totals["total"] > 0) | (added & (np.arange(self.order) > 0))
        scores = []
        for weights in self._weights(totals["hyp_len"]):
            shares = weights
            if effective and self.flavour == "sacrebleu":
                effective_weights = weights * reached
                shares = ratio(
                    effective_weights,
                    effective_weights.sum(axis=-1, keepdims=True),
                )
            ignored = (precision == 0) & (
                (shares == 0) | (self.flavour == "nltk")
            )
            logs = np.where(ignored, 0.0, log(precision))
            with np.errstate(invalid="ignore"):
                products = np.where(shares == 0, 0.0, shares * logs)
            score = brevity * np.exp(products.sum(axis=-1))
            if self.smoothing == "method0":
                is_tiny = (match == 0).any(axis=-1) & (score < NLTK_FLOOR)
                score = np.where(is_tiny, 0.0, score)
            elif self.smoothing == "method6":
                score = np.where((precision == 0).all(axis=-1), 0.0, score)
            if self.flavour != "tensorflow":
                score = np.where((match == 0).all(axis=-1), 0.0, score)
            scores.append(score)
        return scores

    def _weights(self, hyp_len: Ints) -> list[Floats]:
        """Return the weights of the orders for each set: [orders].

        They are [..., orders] if they depend on the lengths of outputs.
        """
        orders = np.arange(1, self.order + 1)
        result = []
        for weight_set in self.sets:
            weights = np.array(
                weight_set + [0.0] * (self.order - len(weight_set))
            )
            if self.auto_reweigh and weight_set == QUARTERS:
                length = hyp_len[..., None]
                equal = (orders <= length) / np.maximum(length, 1)
                weights = np.where(length < 4, equal, weights)
            result.append(weights)
        return result

    def _brevity(self, totals: Columns) -> Floats:
        hyp_len = totals["hyp_len"].astype(np.float64)
        ref_len = totals["ref_len"].astype(np.float64)
        if self.brevity_penalty == "standard":
            over, under = ref_len, hyp_len
        else:
            over, under = hyp_len, ref_len
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where(over > under, np.exp(1 - over / under), 1.0)
        if self.flavour == "tensorflow":
            return np.where((hyp_len == 0) | (ref_len == 0), 0.0, penalty)
        return np.where((hyp_len == 0) & (self.flavour == "nltk"), 0.0, penalty)

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why a score is 0, and whether the smoothing reads the last sentence alone."""
        notes = []
        if outputs["bleu"] == 0 and self.level == "mean":
            notes.append(
                self.why_all_zero(
                    "each is empty, or has an order of n-grams without a match"
                )
            )
        elif outputs["bleu"] == 0:
            notes.append(self.why_zero(outputs, range(1, self.order + 1)))
        if self.reads_last:
            what = "lengths" if self.smoothing == "method6" else "5-grams"
            sentence = (
                f"{self.smoothing} reads {what} of the last sentence alone"
            )
            notes.append(f"{sentence}, as nltk's corpus_bleu does")
        return notes

    def peer_signature(
        self, references: int, *, missing: bool = False
    ) -> str | None:
        """Return sacreBLEU's own signature, or None if sacreBLEU does not have these settings."""
        defaults = (
            not self.weights and self.ties == "shorter" and self.order == 4
        )
        standard = defaults and self.brevity_penalty == "standard"
        if (
            self.flavour != "sacrebleu"
            or self.level != "corpus"
            or not standard
        ):
            return None
        tokenizer = Tokenization(self.tokenizer).sacrebleu_signature
        if tokenizer is None:
            tokenizer = SACREBLEU_TOKENIZERS.get(self.tokenizer)
        if not tokenizer:
            return None
        smoothing = self.smoothing
        if self.smoothing_value:
            smoothing += f"[{float(self.smoothing_value):.2f}]"
        return sacrebleu_signature(
            "BLEU",
            references,
            missing=missing,
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order == "yes",
            tok=tokenizer,
            smooth=smoothing,
        )
