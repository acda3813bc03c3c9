"""What human judgements say: Expected Wins, ranges of ranks and clusters, head to head, agreement, accuracy.

All of it is arithmetic on counts of outcomes of pairs (`judgments.Judgments.cells`); a bootstrap sample of the pairs is a
multinomial draw of these counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from .correlation import pearson, spearman
from .errors import InputError
from .judgments import Pairs, cells_to_wins, count_cells
from .paired import sign_test
from .rank import clusters, rank_ranges, ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from .judgments import Judgments

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Scores = Callable[[Ints], Floats]

Divisor = Literal["opponents", "beaten"]
DIVISORS: tuple[Divisor, ...] = ("opponents", "beaten")
MIN_COMPARISONS = 50
"""Comparisons below which a kappa is shown with a star and left out of the mean (Grundkiewicz et al. 2015)."""
BLOCK = 1 << 24
"""Counts that are held at once in bootstrap samples and folds."""


def expected_wins(wins: Ints, divisor: Divisor = "opponents") -> Floats:
    """Return Expected Wins of each system: float64 [..., systems], from wins [..., systems, systems].

    The mean over opponents of the share of wins in wins and losses; ties are left out, an opponent that was never met
    adds 0. divisor: how many opponents there are, or how many were beaten at least once (the program EW.pl, which made
    tables 6 and 7 of Grundkiewicz et al. 2015). Bojar et al. 2013, section 3.1; Koehn 2012.
    """
    met = wins + np.swapaxes(wins, -1, -2)
    shares: Floats = np.divide(wins, met, out=np.zeros(wins.shape), where=met > 0)
    if divisor == "opponents":
        return shares.sum(axis=-1) / max(wins.shape[-1] - 1, 1)
    beaten = (wins > 0).sum(axis=-1)
    found: Floats = shares.sum(axis=-1) / np.maximum(beaten, 1)
    return found


@dataclass(frozen=True)
class Ranked:
    """A human score of each system with its range of ranks. Systems are numbers into the judgements' names.

    point: scores of the judgements as they are; mean: over bootstrap samples, or runs, by which systems are ordered;
    ranges: best and worst rank, less the extremes; cluster: from 1.
    """

    point: Floats
    mean: Floats
    ranges: list[tuple[int, int]]
    cluster: list[int]

    @property
    def order(self) -> list[int]:
        """The systems, the best first."""
        return sorted(range(len(self.mean)), key=lambda number: (-self.mean[number], number))


def ranked(point: Floats, samples: Floats, level: float) -> Ranked:
    """Return scores with ranges and clusters, from scores in samples: float64 [samples, systems].

    Bojar et al. 2013: order by the mean of the samples; of 1,000 ranks the 25 best and 25 worst are left out at 0.95.
    """
    mean = samples.mean(axis=0)
    ranges = rank_ranges(samples, level)
    return Ranked(point, mean, ranges, clusters(ranks(mean.tolist()), ranges))


def rank_by_expected_wins(
    judgments: Judgments, divisor: Divisor = "opponents", samples: int = 1000, level: float = 0.95, seed: int = 12345
) -> Ranked:
    """Return Expected Wins with ranges of ranks and clusters by bootstrap over the expanded pairs."""
    cells, systems = judgments.cells(), len(judgments.systems)
    drawn = np.empty((samples, systems))
    rows, generator = max(BLOCK // len(cells), 1), np.random.default_rng(seed)
    total = int(cells.sum())
    for low in range(0, samples, rows):  # one stream of draws, whatever the size of a block
        some = generator.multinomial(total, cells / total, size=min(rows, samples - low))
        drawn[low : low + rows] = expected_wins(cells_to_wins(some, systems), divisor)
    return ranked(expected_wins(judgments.wins(), divisor), drawn, level)


class HeadToHead(NamedTuple):
    """How the row's system does against the column's: float64 [systems, systems]; NaN on the diagonal.

    share: of wins in wins and losses, NaN where they never differed; p: of the exact two-sided binomial test that both
    win as often, 1 where they never differed.
    """

    share: Floats
    p: Floats


def head_to_head(wins: Ints) -> HeadToHead:
    """Return the matrix of shares of wins with p-values (Dixon and Mood 1946: the sign test)."""
    met = wins + wins.T
    share = np.divide(wins, met, out=np.full(wins.shape, np.nan), where=met > 0)
    p = np.full(wins.shape, np.nan)
    for one in range(len(wins)):
        for two in range(one):
            p[one, two] = p[two, one] = sign_test(int(wins[one, two]), int(wins[two, one]))
    return HeadToHead(share, p)


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


def accuracy(
    judgments: Judgments, folds: int = 100, seed: int = 12345, divisor: Divisor = "opponents"
) -> float:
    """Return the accuracy of Expected Wins by cross-validation: a share of the pairs that are no ties.

    The pairs are shuffled into folds; scores from all others tell which system of a held-out pair is better. Equal
    scores count as half right. Raises InputError where there are fewer pairs than folds.
    """
    pairs, systems = judgments.expanded, len(judgments.systems)
    total = len(pairs.first)
    if not 2 <= folds <= total:
        raise InputError(f"cross-validation: expected 2 to {total:,} folds, found {folds:,}")
    fold = np.random.default_rng(seed).permutation(total) % folds
    right, tried = 0.0, 0
    whole = judgments.cells()
    for number in range(folds):
        held_out = count_cells(pairs.only(fold == number), systems)
        scores = expected_wins(cells_to_wins(whole - held_out, systems), divisor)
        wins = cells_to_wins(held_out, systems)
        right += float((wins * (scores[:, None] > scores) + wins * (scores[:, None] == scores) / 2).sum())
        tried += int(wins.sum())
    return right / tried if tried else float("nan")
