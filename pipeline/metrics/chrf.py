"""chrF and chrF++ (Popović 2015, 2017): F-score of n-grams of characters, or also of words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from .. import kernel
from ..arrays import Floats, Ints
from ..tokenizers import Tokenization
from .base import (
    Columns,
    Counted,
    Field,
    Metric,
    OverlapSpec,
    StatisticsSpec,
    Text,
    best_by,
    by_order,
    f_beta,
    ratio,
)
from .base.ngrams import Shared
from .base.statistics_spec import PreparedOverlap
from .options import (
    beta_option,
    level_option,
    lowercase_option,
    option,
    order_option,
)
from .options.signatures import sacrebleu_signature

EPSILON = 1e-16
"""A precision, recall or F-score without n-grams, with eps_smoothing."""


@dataclass(frozen=True)
class ChrfSpec(StatisticsSpec):
    """N-grams of characters, followed by n-grams of words (if any) as if they had higher orders."""

    characters: OverlapSpec
    words: OverlapSpec | None

    @property
    def order(self) -> int:
        """The number of orders of characters and of words together."""
        return sum(part.order for part in self.parts)

    @property
    def parts(self) -> tuple[OverlapSpec, ...]:
        """The specifications of characters and, if they count, of words."""
        if self.words:
            return (self.characters, self.words)
        return (self.characters,)

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """Lengths in characters, the n-grams of output and reference, and their matches."""
        return (
            Field("hyp_len"),
            Field("ref_len", per_reference=True),
            Field("total", self.order),
            Field("ref_total", self.order, per_reference=True),
            Field("match", self.order, per_reference=True),
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, first characters, then words."""
        counted = [part.count(text) for part in self.parts]
        return [self.joined(columns) for columns in zip(*counted, strict=True)]

    def prepare(self, text: Text) -> "PreparedChrf | None":
        """Return the references prepared for many outputs."""
        prepared = []
        for part in self.parts:
            overlap = part.prepare(text)
            if overlap is None:
                return None
            prepared.append(overlap)
        return PreparedChrf(self, prepared)

    def joined(self, counted: Sequence[Columns]) -> dict[str, Ints]:
        """Return the columns of the parts as one."""
        characters = counted[0]
        ref_totals = []
        for part, columns in zip(self.parts, counted, strict=True):
            lengths = columns["ref_len"][..., None]
            ref_totals.append(np.maximum(lengths - np.arange(part.order), 0))
        if len(counted) == 1:
            return {**characters, "ref_total": ref_totals[0]}
        return {
            "hyp_len": characters["hyp_len"],
            "ref_len": characters["ref_len"],
            "total": np.concatenate(
                [columns["total"] for columns in counted], axis=-1
            ),
            "match": np.concatenate(
                [columns["match"] for columns in counted], axis=-1
            ),
            "ref_total": np.concatenate(ref_totals, axis=-1),
        }


@dataclass(frozen=True)
class PreparedChrf:
    """The references as characters, and as words if they count."""

    spec: ChrfSpec
    parts: list[PreparedOverlap]

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        return self.spec.joined(
            [part.count(outputs, rows) for part in self.parts]
        )


class Rates(NamedTuple):
    """Precision and recall of each order: [..., orders]."""

    precision: Floats
    recall: Floats
    both: Floats
    """1 for orders with n-grams in output and reference, else 0."""


@dataclass(frozen=True)
class Chrf(Metric):
    """chrF: the F-score of mean precision and mean recall over orders of n-grams of characters.

    For each sentence the reference with the best score counts, the first of equals. Where it has no
    n-gram of an order, the output's n-grams of that order do not count. With word_order 2 the
    metric is chrF++. White space is left out by default. The source is sacreBLEU 2, and chrF++.py
    for smoothing.
    """

    name = "chrf"
    short_names: ClassVar[Mapping[str, str]] = {"nw:2": "chrf++"}
    summary = (
        "chrF and chrF++ (Popović 2015, 2017), as sacreBLEU; needs no source"
    )
    help_page = "bleu"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "chrF+": {"word_order": "1"},
        "chrF++": {"word_order": "2"},
    }
    counts = frozenset({"match", "hyp_total", "ref_total"})

    char_order: int = order_option(6, "longest n-grams of characters", "nc")
    min_char_order: int = order_option(
        1,
        "shortest n-grams of characters, as nltk's min_len",
        "minc",
        implicit=True,
    )
    word_order: int = order_option(
        0, "longest n-grams of words; 2: chrF++", "nw", minimum=0
    )
    beta: str = beta_option("2")
    lowercase: bool = lowercase_option()
    whitespace: bool = option(
        False, key="space", help="white space is a character too"
    )
    strip_end: bool = option(
        False,
        key="rstrip",
        help="drop white space at the end of lines first, as sacreBLEU's command does and its "
        "Python names do not",
        applies=lambda m: m.whitespace,
        why="only whitespace: true counts it",
        implicit=True,
    )
    eps_smoothing: bool = option(
        False,
        key="eps",
        help="average F-scores of orders, as chrF++.py, nltk and Moses do",
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a shortest order above the longest."""
        if self.min_char_order <= self.char_order:
            return []
        limit = f"the char_order, {self.char_order}"
        message = f"expected at most {limit}; found '{self.min_char_order}'"
        return [("min_char_order", message)]

    @cached_property
    def spec(self) -> ChrfSpec:
        """Lengths, n-grams and matches with each reference."""
        characters = Tokenization(
            "char" if self.whitespace else "nonspace",
            lowercase=self.lowercase,
            strip_end=self.strip_end,
        )
        words = None
        if self.word_order:
            tokenization = Tokenization("chrf", lowercase=self.lowercase)
            words = OverlapSpec(tokenization, self.word_order, ("match",))
        return ChrfSpec(
            OverlapSpec(characters, self.char_order, ("match",)), words
        )

    @property
    def name_in_text(self) -> str:
        """chrF++ with n-grams of words up to order 2, else chrF."""
        if self.word_order == 2:
            return "chrF++"
        return "chrF"

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of chrF, and that of chrF++ if words count."""
        if self.word_order:
            return ("popovic-2015-chrf", "popovic-2017-chrf")
        return ("popovic-2015-chrf",)

    def overlaps(self) -> tuple[Shared, ...]:
        """Return the longest n-grams of characters."""
        longest = self.char_order
        tokenization = self.spec.characters.tokenization
        return (Shared(longest - 1, "characters", tokenization, longest),)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths in characters, matches, and the n-grams of output and reference."""
        return self.counted(
            columns, "hyp_len", "ref_len", "match", "total", "ref_total"
        )

    def row_names(self) -> list[str]:
        """Return the orders of characters, then those of words."""
        names = [str(n) for n in range(1, self.char_order + 1)]
        names += [f"words {n}" for n in range(1, self.word_order + 1)]
        return names

    @property
    def _order(self) -> int:
        return self.char_order + self.word_order

    @property
    def _orders(self) -> range:
        """The indices of the orders that count: those of characters, then those of words."""
        return range(self.min_char_order - 1, self._order)

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """N-grams of the output, n-grams of the reference, and matches."""
        return (
            Field("hyp_total", self._order, per_reference=True),
            Field("ref_total", self._order, per_reference=True),
            Field("match", self._order, per_reference=True),
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms, without the output's n-grams of orders that the reference lacks."""
        ref_total = columns["ref_total"]
        hyp_total = np.where(ref_total > 0, columns["total"][:, None, :], 0)
        return {
            "hyp_total": hyp_total,
            "ref_total": ref_total,
            "match": columns["match"],
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return chrf, precision and recall, and the precision, recall and counts of each order.

        Precision and recall are means over the orders with n-grams in output and reference. Orders
        of words follow those of characters: with char_order 6, precision_7 is the precision of
        single words. Orders below min_char_order are counted, but take no part in the score.
        """
        rates = self._rates(totals)
        precision, recall = self._means(rates)
        outputs = {
            "chrf": self._f_score(rates),
            "precision": precision,
            "recall": recall,
        }
        of_orders = {
            "precision": rates.precision * rates.both,
            "recall": rates.recall * rates.both,
            "match": totals["match"],
            "hyp_total": totals["hyp_total"],
            "ref_total": totals["ref_total"],
        }
        return outputs | by_order(of_orders)

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references]."""
        return self._f_score(self._rates(self.make_terms(columns)))

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() without eps_smoothing, compiled."""
        formula = kernel.native_function("f_scores")
        if formula is None or self.eps_smoothing or self.min_char_order > 1:
            return None
        weight = float(self.beta) ** 2
        return lambda columns: formula(
            columns["match"], columns["total"], columns["ref_total"], weight
        )

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines].

        Scores are compared in percent, as in sacreBLEU.
        """
        return best_by(
            [self._f_score(self._rates(self.make_terms(columns)), 100.0)]
        )

    def _rates(self, totals: Columns) -> Rates:
        hyp_total = totals["hyp_total"].astype(np.float64)
        ref_total = totals["ref_total"].astype(np.float64)
        match = totals["match"].astype(np.float64)
        precision = np.where(hyp_total > 0, ratio(match, hyp_total), EPSILON)
        recall = np.where(ref_total > 0, ratio(match, ref_total), EPSILON)
        both = (hyp_total > 0) & (ref_total > 0)
        return Rates(precision, recall, both.astype(np.float64))

    def _means(self, rates: Rates) -> tuple[Floats, Floats]:
        """Return precision and recall [...].

        They are added order by order, so that sacreBLEU has the same ties.
        """
        shape = rates.both.shape[:-1]
        orders = np.zeros(shape)
        precision = np.zeros(shape)
        recall = np.zeros(shape)
        for n in self._orders:
            both = rates.both[..., n]
            orders = orders + both
            precision = precision + rates.precision[..., n] * both
            recall = recall + rates.recall[..., n] * both
        return ratio(precision, orders), ratio(recall, orders)

    def _f_score(self, rates: Rates, scale: float = 1.0) -> Floats:
        """Return the score [...] times scale. The scale is applied before the last rounding."""
        beta = float(self.beta)
        if not self.eps_smoothing:
            precision, recall = self._means(rates)
            return scale * f_beta(precision, recall, beta)
        total = np.zeros(rates.both.shape[:-1])
        for n in self._orders:
            precision = rates.precision[..., n]
            recall = rates.recall[..., n]
            positive = (precision > 0) | (recall > 0)
            total = total + np.where(
                positive, f_beta(precision, recall, beta), EPSILON
            )
        return scale * total / len(self._orders)

    def peer_signature(
        self, references: int, *, missing: bool = False
    ) -> str | None:
        """Return sacreBLEU's own signature, or None if sacreBLEU does not have these settings."""
        if self.level != "corpus" or self.min_char_order > 1:
            return None
        return sacrebleu_signature(
            f"chrF{self.beta}{'+' * self.word_order}",
            references,
            missing=missing,
            case="lc" if self.lowercase else "mixed",
            eff=not self.eps_smoothing,
            nc=self.char_order,
            nw=self.word_order,
            space=self.whitespace,
        )
