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
"""Comparisons below which a kappa is shown with a star and left out of the mean (Grundkiewicz et al. 2015)."""


class Kappa(NamedTuple):
    """Cohen's kappa of two judges (or of one with himself): from agreeing and all comparisons of the same pair.

    expected: the agreement by chance. kappa is NaN where nothing was compared, or only one outcome ever occurs.
    """

    agreeing: int
    comparisons: int
    expected: float

    @property
    def kappa(self) -> float:
        """Agreement above chance, as a share of what is possible above chance."""
        if not self.comparisons or self.expected >= 1:
            return float("nan")
        return (self.agreeing / self.comparisons - self.expected) / (1 - self.expected)


def _same_pairs(pairs: Pairs, outputs: int, judges: int) -> Ints:
    """Return counts of outcomes [judged pair, judge, outcome] of each pair of outputs of a sentence."""
    keys = (pairs.segment * outputs + pairs.first) * outputs + pairs.second
    known, place = np.unique(keys, return_inverse=True)
    cells = np.bincount((place * judges + pairs.judge) * 3 + pairs.outcome, minlength=len(known) * judges * 3)
    return cells.reshape(len(known), judges, 3)


def agreement(judgments: Judgments) -> dict[tuple[int, int], Kappa]:
    """Return Cohen's kappa of each two judges, and of each judge with himself, by their numbers (the lower first).

    Compared are judgements of the same two outputs of the same sentence, unexpanded: of two judges every one of the
    first with every one of the second, of one judge every two. By chance agree the sum of the squared shares of better,
    tie and worse in all judgements so compared (Bojar et al. 2013, section 3.2; Grundkiewicz et al. 2015, table 2).
    """
    count = len(judgments.judges)
    table = _same_pairs(judgments.unexpanded, len(judgments.outputs), count)
    found = {}
    for one in range(count):
        for two in range(one, count):
            first, second = table[:, one], table[:, two]
            made = first.sum(axis=1), second.sum(axis=1)
            if one == two:
                agreeing = (first * (first - 1)).sum() // 2
                comparisons = (made[0] * (made[0] - 1)).sum() // 2
                outcomes = first[made[0] > 1].sum(axis=0)
            else:
                agreeing, comparisons = (first * second).sum(), (made[0] * made[1]).sum()
                both = (made[0] > 0) & (made[1] > 0)
                outcomes = (first + second)[both].sum(axis=0)
            expected = float(((outcomes / outcomes.sum()) ** 2).sum()) if outcomes.sum() else float("nan")
            found[one, two] = Kappa(int(agreeing), int(comparisons), expected)
    return found


def mean_kappa(kappas: Sequence[Kappa], least: int = MIN_COMPARISONS) -> float:
    """Return the mean weighted by comparisons, of those with at least this many; NaN where there is none."""
    kept = [kappa for kappa in kappas if kappa.comparisons >= least and not np.isnan(kappa.kappa)]
    total = sum(kappa.comparisons for kappa in kept)
    return sum(kappa.kappa * kappa.comparisons for kappa in kept) / total if total else float("nan")


class JudgeCorrelations(NamedTuple):
    """How the Expected Wins of judges correlate: float64 [judges, judges], Spearman and Pearson.

    others: of each judge with the scores from all other judges' judgements, float64 [judges]; mean: of these, weighted
    by how many expanded pairs each judged.
    """

    spearman: Floats
    pearson: Floats
    others_spearman: Floats
    others_pearson: Floats
    mean_spearman: float
    mean_pearson: float


def judge_correlations(judgments: Judgments, divisor: Divisor = "opponents") -> JudgeCorrelations:
    """Return how far judges rank alike (Grundkiewicz et al. 2015, table 6, with the divisor `beaten`)."""
    numbers = range(len(judgments.judges))
    wins = np.stack([judgments.of_judge(number).wins() for number in numbers])
    pairs = np.bincount(judgments.expanded.judge, minlength=len(judgments.judges))
    own, others = expected_wins(wins, divisor), expected_wins(wins.sum(axis=0) - wins, divisor)
    found = []
    for score in (spearman, pearson):
        found += [score(own[:, None], own[None]), score(own, others)]
    means = []
    for values in (found[1], found[3]):
        known = ~np.isnan(values)
        means.append(float((values[known] * pairs[known]).sum() / pairs[known].sum()) if known.any() else float("nan"))
    return JudgeCorrelations(found[0], found[2], found[1], found[3], *means)
