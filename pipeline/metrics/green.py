"""GREEN (Koyama et al. 2024): F-beta of n-grams that are rightly deleted, inserted and kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Floats, Ints
from .base import (
    Columns,
    Counted,
    Field,
    Metric,
    OverlapSpec,
    Rule,
    best_by,
    by_order,
    f_beta,
    ratio,
)
from .base.choices import FScores, log
from .base.statistics_spec import tokenization_of
from .options import (
    beta_option,
    level_option,
    lowercase_option,
    option,
    order_option,
    strip_option,
    tokenizer_option,
    unit_option,
)


@dataclass(frozen=True)
class Green(Metric):
    """GREEN: F-beta of the geometric means of precision and recall over the orders of n-grams.

    An n-gram with the counts σ, ρ, η in source, reference and output has:

    - TP = max(σ - max(ρ, η), 0) + max(min(ρ, η) - σ, 0) + min(σ, η, ρ),
    - FP = max(min(σ, ρ) - η, 0) + max(η - max(σ, ρ), 0),
    - FN = max(min(σ, η) - ρ, 0) + max(ρ - max(σ, η), 0).

    For each sentence the reference with the best score counts. Of equals, the one with the best
    score of the orders up to n - 1 wins, then up to n - 2, and so on, then the first. The source is
    the authors' program, github.com/shotakoyama/green.

    In the flavour gec-metrics, which is the package of that name (0.1.1), precision is 1 for an
    order without FP, and recall is 1 for one without FN, also where there is no TP. So a perfect
    sentence of three words has 1, where the authors' program gives 0 because there is no 4-gram. Of
    equal references the first counts.
    """

    name = "green"
    summary = "GREEN for grammatical error correction (Koyama et al. 2024); needs a source"
    help_page = "gleu"
    counts = frozenset({"tp", "fp", "fn"})
    name_in_text = "GREEN"
    citations = ("koyama-etal-2024-n",)

    flavour: str = option(
        "authors",
        help="whose: authors (an order without a hit gives 0) or gec-metrics (an order without a "
        "miss is perfect)",
        choices=("authors", "gec-metrics"),
        implicit=True,
    )
    order: int = order_option()
    beta: str = beta_option("2")
    unit: str = unit_option()
    tokenizer: str = tokenizer_option()
    strip: bool = strip_option()
    lowercase: bool = lowercase_option()
    level: str = level_option()

    @property
    def edition(self) -> str:
        """The package, where it is not the authors' program that is followed."""
        if self._by_authors:
            return ""
        return self.flavour

    @property
    def _by_authors(self) -> bool:
        return self.flavour == "authors"

    @cached_property
    def spec(self) -> OverlapSpec:
        """The sums of minima from which hits and misses are computed."""
        kinds = ("match", "source_only", "common", "source_match")
        return OverlapSpec(
            tokenization_of(self),
            self.order,
            kinds,
            source=True,
            source_len=True,
        )

    def ngram_rule(self) -> Rule:
        """Return that n-grams count as hits and misses of six kinds."""
        return Rule("green", self.spec.tokenization, 1, self.order)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the hits (tp) and misses (fp, fn) of each order."""
        terms = self.make_terms(columns)
        return self.counted(terms, *terms)

    @property
    def terms(self) -> tuple[Field, ...]:
        """The hits (tp) and misses (fp, fn) of each order."""
        return tuple(
            Field(name, self.order, per_reference=True)
            for name in ("tp", "fp", "fn")
        )

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return TP, FP and FN summed over n-grams, computed from sums of minima.

        The sums are M = Σ min(η, ρ), B = Σ min(σ, η, ρ), S = Σ max(min(η, σ) - min(η, ρ), 0) and K
        = Σ min(σ, ρ). The k-th occurrence of an n-gram in the output has k <= ρ, or ρ < k <= σ, or
        k above both. Taking these cases one by one gives TP = Σσ - K + M - S, FP = K + Ση - M - S -
        B and FN = Σρ - K + S - M + B.
        """
        lower = np.arange(self.order)
        source = np.maximum(columns["src_len"][:, None] - lower, 0)[:, None]
        reference = np.maximum(columns["ref_len"][..., None] - lower, 0)
        output = columns["total"][:, None]
        match = columns["match"]
        only_source = columns["source_only"]
        common = columns["common"]
        source_match = columns["source_match"]
        return {
            "tp": source - source_match + match - only_source,
            "fp": source_match + output - match - only_source - common,
            "fn": reference - source_match + only_source - match + common,
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return green, precision, recall, and tp_n, fp_n, fn_n of each order n.

        If an order has no hit, green is 0.
        """
        scores = self._scores(totals, self.order)
        outputs = {
            "green": scores.score,
            "precision": scores.precision,
            "recall": scores.recall,
        }
        return outputs | by_order(totals)

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return why a score is 0."""
        if outputs["green"] != 0:
            return []
        if self.level == "mean":
            reasons = "each has an order without an n-gram that is rightly deleted, inserted or kept"
            return [self.why_all_zero(reasons)]
        order = next(
            (n for n in range(1, self.order + 1) if outputs[f"tp_{n}"] == 0), 0
        )
        if not order:
            return []
        if not self._by_authors:
            return [
                "some order has no n-gram that is rightly deleted, inserted or kept, "
                "and one that is wrong"
            ]
        if outputs[f"fp_{order}"] == outputs[f"fn_{order}"] == 0:
            return [
                "all texts are empty"
                if order == 1
                else f"no text has {order} tokens"
            ]
        return [f"no {order}-gram is rightly deleted, inserted or kept"]

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines]."""
        terms = self.make_terms(columns)
        fewest = 1 if self._by_authors else self.order
        keys = [
            self._scores(terms, orders).score
            for orders in range(self.order, fewest - 1, -1)
        ]
        return best_by(keys)

    def _scores(self, counts: Columns, orders: int) -> FScores:
        """Return F-beta, precision and recall [...] of the first orders of counts [..., order]."""
        hits = counts["tp"][..., :orders]
        empty = 0.0 if self._by_authors else 1.0
        precision = _mean_ratio(hits, counts["fp"][..., :orders], empty)
        recall = _mean_ratio(hits, counts["fn"][..., :orders], empty)
        return FScores(
            f_beta(precision, recall, float(self.beta)), precision, recall
        )


def _mean_ratio(hits: Ints, misses: Ints, empty: float) -> Floats:
    """Return the geometric mean over the last axis of hits / (hits + misses).

    `empty` is the ratio if both are 0. The mean is 0 if any ratio is.
    """
    total = hits + misses
    ratios = np.where(total == 0, empty, ratio(hits, total))
    mean: Floats = np.exp(log(ratios).mean(axis=-1))
    return mean
