"""How far judges agree: Cohen's kappa between and within them, and the correlation of their rankings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .correlation import pearson, spearman
from .expected_wins import Divisor, expected_wins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats, Ints
    from .judgments import Judgments, Pairs

MIN_COMPARISONS = 50
"""A kappa of fewer comparisons is shown with a star and left out of the mean (Grundkiewicz et al. 2015)."""


class Kappa(NamedTuple):
    """Cohen's kappa of two judges, or of one judge with himself."""

    agreeing: int
    """How many comparisons of two judgements of the same pair have the same outcome."""
    comparisons: int
    expected: float
    """The share that would agree by chance."""

    @property
    def kappa(self) -> float:
        """Agreement above chance, as a share of what is possible; NaN without comparisons, or with only one outcome."""
        if not self.comparisons or self.expected >= 1:
            return float("nan")
        return (self.agreeing / self.comparisons - self.expected) / (1 - self.expected)


def _same_pairs(pairs: Pairs, outputs: int, judges: int) -> Ints:
    """Return how often each judge gave each outcome to each judged pair of outputs: int64 [pairs, judges, 3]."""
    keys = (pairs.segment * outputs + pairs.first) * outputs + pairs.second
    judged, numbers = np.unique(keys, return_inverse=True)
    cells = np.bincount((numbers * judges + pairs.judge) * 3 + pairs.outcome, minlength=len(judged) * judges * 3)
    return cells.reshape(len(judged), judges, 3)


def agreement(judgments: Judgments) -> dict[tuple[int, int], Kappa]:
    """Return Cohen's kappa of each two judges, and of each judge with himself, by their numbers (the lower first).

    Judgements of the same two outputs of the same sentence are compared, by unexpanded pairs. For two judges each
    judgement of the first is compared with each of the second; for one judge each two of his judgements are compared.
    The agreement by chance is the sum of the squared shares of better, tie and worse in all judgements compared (Bojar
    et al. 2013, section 3.2; Grundkiewicz et al. 2015, table 2).
    """
    count = len(judgments.judges)
    table = _same_pairs(judgments.unexpanded, len(judgments.outputs), count)
    kappas = {}
    for one in range(count):
        for two in range(one, count):
            first, second = table[:, one], table[:, two]
            of_first, of_second = first.sum(axis=1), second.sum(axis=1)
            if one == two:
                agreeing = (first * (first - 1)).sum() // 2
                comparisons = (of_first * (of_first - 1)).sum() // 2
                outcomes = first[of_first > 1].sum(axis=0)
            else:
                agreeing, comparisons = (first * second).sum(), (of_first * of_second).sum()
                outcomes = (first + second)[(of_first > 0) & (of_second > 0)].sum(axis=0)
            expected = float(((outcomes / outcomes.sum()) ** 2).sum()) if outcomes.sum() else float("nan")
            kappas[one, two] = Kappa(int(agreeing), int(comparisons), expected)
    return kappas


def mean_kappa(kappas: Sequence[Kappa], least: int = MIN_COMPARISONS) -> float:
    """Return the mean, weighted by comparisons, of the kappas with at least `least` of them; NaN without any."""
    kept = [kappa for kappa in kappas if kappa.comparisons >= least and not np.isnan(kappa.kappa)]
    total = sum(kappa.comparisons for kappa in kept)
    return sum(kappa.kappa * kappa.comparisons for kappa in kept) / total if total else float("nan")


class JudgeCorrelations(NamedTuple):
    """How the Expected Wins of judges correlate, by Spearman and by Pearson."""

    spearman: Floats
    """Each judge with each other: float64 [judges, judges]; so is `pearson`."""
    pearson: Floats
    others_spearman: Floats
    """Each judge with the Expected Wins from all other judges' judgements: float64 [judges]; so is `others_pearson`."""
    others_pearson: Floats
    mean_spearman: float
    """The mean of `others_spearman`, where each judge weighs as much as he judged expanded pairs."""
    mean_pearson: float


def judge_correlations(judgments: Judgments, divisor: Divisor = "opponents") -> JudgeCorrelations:
    """Return how far judges rank alike. With the divisor `beaten` this is table 6 of Grundkiewicz et al. 2015."""
    numbers = range(len(judgments.judges))
    wins = np.stack([judgments.of_judge(number).wins() for number in numbers])
    pairs = np.bincount(judgments.expanded.judge, minlength=len(judgments.judges))
    own, others = expected_wins(wins, divisor), expected_wins(wins.sum(axis=0) - wins, divisor)
    spearmans, pearsons = spearman(own, others), pearson(own, others)
    means = _weighted_mean(spearmans, pairs), _weighted_mean(pearsons, pairs)
    return JudgeCorrelations(
        spearman(own[:, None], own[None]), pearson(own[:, None], own[None]), spearmans, pearsons, *means
    )


def _weighted_mean(values: Floats, weights: Ints) -> float:
    """Return the mean of the values that are not NaN; NaN where all are."""
    valid = ~np.isnan(values)
    return float((values[valid] * weights[valid]).sum() / weights[valid].sum()) if valid.any() else float("nan")
