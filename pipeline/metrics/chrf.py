"""chrF and chrF++ (Popović 2015, 2017): F-score of n-grams of characters, for chrF++ also of words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from .. import kernel
from ..arrays import Floats, Ints
from ..kernel.common import MAX_ORDER
from ..tokenizers.tokenization import Tokenization
from .base.capabilities import Compiled, HasPeerSignature, Shared, ShowsNgrams
from .base.choices import best_by, by_order, f_beta, ratio
from .base.metric import Counted, Metric, shown_matches
from .base.options import beta_option, level_option, lowercase_option, option, sacrebleu_signature
from .base.statistics_spec import Columns, Field, OverlapSpec, PreparedOverlap, StatisticsSpec, Text

EPSILON = 1e-16
"""With eps_smoothing this stands for a precision, recall or F-score without n-grams."""


@dataclass(frozen=True)
class ChrfSpec(StatisticsSpec):
    """N-grams of characters, followed by n-grams of words (if any) as if they had higher orders."""

    characters: OverlapSpec
    words: OverlapSpec | None

    @property
    def order(self) -> int:
        """How many orders there are of characters and of words together."""
        return self.characters.order + (self.words.order if self.words else 0)

    @cached_property
    def columns(self) -> tuple[Field, ...]:
        """Lengths in characters, the n-grams of output and reference, and their matches."""
        lengths = (
            Field("hyp_len"),
            Field("ref_len", per_reference=True),
            Field("total", self.order),
        )
        return (
            *lengths,
            *(Field(name, self.order, per_reference=True) for name in ("ref_total", "match")),
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, first characters, then words."""
        counted = [spec.count(text) for spec in (self.characters, self.words) if spec]
        return [self.together(*parts) for parts in zip(*counted, strict=True)]

    def prepare(self, text: Text) -> "PreparedChrf | None":
        """Return the references prepared; see `metrics/given.py`."""
        parts = [spec.prepare(text) for spec in (self.characters, self.words) if spec]
        return None if None in parts else PreparedChrf(self, [part for part in parts if part])

    def together(
        self, characters: dict[str, Ints], words: dict[str, Ints] | None = None
    ) -> dict[str, Ints]:
        """Return the columns of characters and words as one."""
        if words is None:
            ref_total = np.maximum(characters["ref_len"][..., None] - np.arange(self.order), 0)
            return {**characters, "ref_total": ref_total}
        parts = [
            (characters, self.characters),
            *([(words, self.words)] if words and self.words else []),
        ]
        totals = [
            np.maximum(part["ref_len"][..., None] - np.arange(spec.order), 0)
            for part, spec in parts
        ]
        joined = {
            name: np.concatenate([part[name] for part, _ in parts], axis=-1)
            for name in ("total", "match")
        }
        lengths = {"hyp_len": characters["hyp_len"], "ref_len": characters["ref_len"]}
        return lengths | joined | {"ref_total": np.concatenate(totals, axis=-1)}


@dataclass(frozen=True)
class PreparedChrf:
    """The references as characters, and as words if they count."""

    spec: ChrfSpec
    parts: list[PreparedOverlap]

    def count(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, as Prepared.count() does."""
        return self.spec.together(*(part.count(outputs, rows) for part in self.parts))


class Parts(NamedTuple):
    """Precision and recall of each order: [..., orders]."""

    precision: Floats
    recall: Floats
    both: Floats
    """1 for orders with n-grams in output and reference, else 0."""


@dataclass(frozen=True)
class Chrf(Compiled, ShowsNgrams, HasPeerSignature, Metric):
    """chrF: the F-score of mean precision and mean recall over orders of n-grams of characters,
    without white space.

    For each sentence the reference with the best score counts, the first of equals. Where it has no
    n-gram of an order, the output's n-grams of that order do not count. With word_order 2 the
    metric is chrF++. The source is sacreBLEU 2, and chrF++.py for smoothing."""

    name: ClassVar[str] = "chrf"
    short_names: ClassVar[Mapping[str, str]] = {"nw:2": "chrf++"}
    summary: ClassVar[str] = "chrF and chrF++ (Popović 2015, 2017), as sacreBLEU; needs no source"
    help_page: ClassVar[str] = "bleu"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "chrF+": {"word_order": "1"},
        "chrF++": {"word_order": "2"},
    }
    counts: ClassVar[frozenset[str]] = frozenset({"match", "hyp_total", "ref_total"})

    char_order: int = option(
        6, key="nc", help="longest n-grams of characters", minimum=1, maximum=MAX_ORDER
    )
    min_char_order: int = option(
        1,
        key="minc",
        help="shortest n-grams of characters, as nltk's min_len",
        minimum=1,
        maximum=MAX_ORDER,
        implicit=True,
    )
    word_order: int = option(
        0, key="nw", help="longest n-grams of words; 2: chrF++", minimum=0, maximum=MAX_ORDER
    )
    beta: str = beta_option("2")
    lowercase: bool = lowercase_option()
    whitespace: bool = option(False, key="space", help="white space is a character too")
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
        False, key="eps", help="average F-scores of orders, as chrF++.py, nltk and Moses do"
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return a shortest order above the longest."""
        if self.min_char_order > self.char_order:
            message = (
                f"expected at most the char_order, {self.char_order}; found '{self.min_char_order}'"
            )
            return [("min_char_order", message)]
        return []

    @cached_property
    def spec(self) -> ChrfSpec:
        """Lengths, n-grams and matches with each reference."""
        split = Tokenization(
            "char" if self.whitespace else "nonspace",
            lowercase=self.lowercase,
            strip_end=self.strip_end,
        )
        characters = OverlapSpec(split, self.char_order, ("match",), source=False)
        words = OverlapSpec(
            Tokenization("chrf", lowercase=self.lowercase),
            self.word_order,
            ("match",),
            source=False,
        )
        return ChrfSpec(characters, words if self.word_order else None)

    @property
    def name_in_text(self) -> str:
        """chrF++ with n-grams of words up to order 2, else chrF."""
        return "chrF++" if self.word_order == 2 else "chrF"

    @property
    def citations(self) -> tuple[str, ...]:
        """The paper of chrF, and that of chrF++ if words count."""
        return ("popovic-2015-chrf", *(("popovic-2017-chrf",) if self.word_order else ()))

    def overlaps(self) -> tuple[Shared, ...]:
        """Return the longest n-grams of characters."""
        return (
            Shared(
                self.char_order - 1,
                "characters",
                self.spec.characters.tokenization,
                self.char_order,
            ),
        )

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return lengths in characters, matches, and the n-grams of output and reference."""
        total = Counted("total", columns["total"], orders=True)
        ref_total = Counted("ref_total", columns["ref_total"], per_reference=True, orders=True)
        return [*shown_matches(columns), total, ref_total]

    def row_names(self) -> list[str]:
        """Return the orders of characters, then those of words."""
        characters, words = range(1, self.char_order + 1), range(1, self.word_order + 1)
        return [*map(str, characters), *(f"words {n}" for n in words)]

    @property
    def _order(self) -> int:
        return self.char_order + self.word_order

    @property
    def _orders(self) -> range:
        """The numbers of the orders that count, from 0: those of characters, then those of words."""
        return range(self.min_char_order - 1, self._order)

    @cached_property
    def terms(self) -> tuple[Field, ...]:
        """N-grams of the output, n-grams of the reference, and matches."""
        return tuple(
            Field(name, self._order, per_reference=True)
            for name in ("hyp_total", "ref_total", "match")
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms. N-grams of the output are left out in orders of which the reference has
        none.
        """
        ref_total = columns["ref_total"]
        hyp_total = np.where(ref_total > 0, columns["total"][:, None, :], 0)
        return {"hyp_total": hyp_total, "ref_total": ref_total, "match": columns["match"]}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return chrf, precision and recall, and the precision, recall and counts of each order.

        Precision and recall are means over the orders with n-grams in output and reference. Orders
        of words follow those of characters: with char_order 6, precision_7 is the precision of
        single words. Orders below min_char_order are counted, but take no part in the score."""
        parts = self._parts(totals)
        precision, recall = self._means(parts)
        outputs = {"chrf": self._f_score(parts), "precision": precision, "recall": recall}
        apart = {"precision": parts.precision * parts.both, "recall": parts.recall * parts.both}
        return outputs | by_order(
            apart | {name: totals[name] for name in ("match", "hyp_total", "ref_total")}
        )

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references]."""
        return self._f_score(self._parts(self.make_terms(columns)))

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return sentence_scores() without eps_smoothing, compiled."""
        formula, weight = kernel.native_function("f_scores"), float(self.beta) ** 2
        if formula is None or self.eps_smoothing or self.min_char_order > 1:
            return None
        return lambda columns: formula(
            columns["match"], columns["total"], columns["ref_total"], weight
        )

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence, by scores in percent as in sacreBLEU: int64
        [lines].
        """
        return best_by([self._f_score(self._parts(self.make_terms(columns)), 100.0)])

    def _parts(self, totals: Columns) -> Parts:
        hyp, ref, match = (
            totals[name].astype(np.float64) for name in ("hyp_total", "ref_total", "match")
        )
        precision = np.where(hyp > 0, ratio(match, hyp), EPSILON)
        recall = np.where(ref > 0, ratio(match, ref), EPSILON)
        return Parts(precision, recall, ((hyp > 0) & (ref > 0)).astype(np.float64))

    def _means(self, parts: Parts) -> tuple[Floats, Floats]:
        """Return precision and recall [...]. They are added order by order, so that sacreBLEU has
        the same ties.
        """
        orders, precision, recall = (np.zeros(parts.both.shape[:-1]) for _ in range(3))
        for n in self._orders:
            orders = orders + parts.both[..., n]
            precision = precision + parts.precision[..., n] * parts.both[..., n]
            recall = recall + parts.recall[..., n] * parts.both[..., n]
        return ratio(precision, orders), ratio(recall, orders)

    def _f_score(self, parts: Parts, scale: float = 1.0) -> Floats:
        """Return the score [...] times scale. The scale is applied before the last rounding."""
        if self.eps_smoothing:
            total = np.zeros(parts.both.shape[:-1])
            for n in self._orders:
                precision, recall = parts.precision[..., n], parts.recall[..., n]
                positive = (precision > 0) | (recall > 0)
                total = total + np.where(
                    positive, f_beta(precision, recall, float(self.beta)), EPSILON
                )
            return scale * total / len(self._orders)
        return scale * f_beta(*self._means(parts), float(self.beta))

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return sacreBLEU's own signature, or None if sacreBLEU does not have these settings."""
        if self.level != "corpus" or self.min_char_order > 1:
            return None
        name, case = f"chrF{self.beta}{'+' * self.word_order}", "lc" if self.lowercase else "mixed"
        counted = {"eff": not self.eps_smoothing, "nc": self.char_order, "nw": self.word_order}
        return sacrebleu_signature(
            name, references, missing=missing, case=case, **counted, space=self.whitespace
        )
