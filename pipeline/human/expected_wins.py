"""What human judgements say: Expected Wins, ranges of ranks and clusters, head to head, accuracy.

All this is arithmetic on counts of outcomes of pairs (`judgments.Judgments.cells`). A bootstrap sample of the pairs is
a multinomial draw of these counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ..dataclass import dataclass
from ..errors import InputError
from ..scoring.resampling.intervals import clusters, rank_ranges
from ..scoring.resampling.paired_tests import sign_test
from ..scoring.results import ranks
from .judgments import cells_to_wins, count_cells

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .judgments import Judgments


Divisor = Literal["opponents", "beaten"]
BLOCK = 1 << 24
"""How many counts of bootstrap samples are in memory at once."""


def expected_wins(wins: Ints, divisor: Divisor = "opponents") -> Floats:
    """Return Expected Wins of each system: float64 [..., systems], from wins [..., systems, systems].

    Expected Wins are the mean over opponents of the share of wins in wins and losses (Koehn 2012; Bojar et al. 2013,
    section 3.1). Ties are left out, and an opponent that was never met adds 0. The divisor of the mean is the number of
    opponents, or the number of those that were beaten at least once. The program EW.pl, which computed tables 6 and 7
    of Grundkiewicz et al. 2015, does the latter.
    """
    met = wins + np.swapaxes(wins, -1, -2)
    shares: Floats = np.divide(wins, met, out=np.zeros(wins.shape), where=met > 0)
    opponents = np.array(wins.shape[-1] - 1) if divisor == "opponents" else (wins > 0).sum(axis=-1)
    scores: Floats = shares.sum(axis=-1) / np.maximum(opponents, 1)
    return scores


@dataclass(frozen=True)
class Ranked:
    """A human score of each system with its range of ranks. Systems are numbers, in the order of the judgements."""

    point: Floats
    """The scores of the judgements themselves: float64 [systems]."""
    mean: Floats
    """The mean scores of bootstrap samples, or of runs of TrueSkill, which order the systems: float64 [systems]."""
    ranges: list[tuple[int, int]]
    """The best and the worst rank of each system, without the extremes."""
    cluster: list[int]
    """The cluster of each system, from 1."""

    @property
    def order(self) -> list[int]:
        """The systems, the best first."""
        return sorted(range(len(self.mean)), key=lambda number: (-self.mean[number], number))


def ranked(point: Floats, samples: Floats, level: float) -> Ranked:
    """Return scores with ranges and clusters, as Bojar et al. 2013, from float64 `samples` [samples, systems].

    Systems are ordered by the mean of the samples. At the level 0.95 the 25 best and the 25 worst of 1,000 ranks are
    left out of a range.
    """
    mean = samples.mean(axis=0)
    ranges = rank_ranges(samples, level)
    return Ranked(point, mean, ranges, clusters(ranks(mean.tolist()), ranges))


def rank_by_expected_wins(
    judgments: Judgments, divisor: Divisor = "opponents", samples: int = 1000, level: float = 0.95, seed: int = 12345
) -> Ranked:
    """Return Expected Wins, with ranges of ranks and clusters from bootstrap samples of the expanded pairs."""
    cells, systems = judgments.cells(), len(judgments.systems)
    drawn = np.empty((samples, systems))
    rows, generator = max(BLOCK // len(cells), 1), np.random.default_rng(seed)
    total = int(cells.sum())
    for low in range(0, samples, rows):  # one stream of draws, whatever the size of a block
        counts = generator.multinomial(total, cells / total, size=min(rows, samples - low))
        drawn[low : low + rows] = expected_wins(cells_to_wins(counts, systems), divisor)
    return ranked(expected_wins(judgments.wins(), divisor), drawn, level)


class HeadToHead(NamedTuple):
    """How the row's system does against the column's system: float64 [systems, systems]. The diagonal is NaN."""

    share: Floats
    """The share of wins in wins and losses, or NaN where there are none of both."""
    p: Floats
    """The p-value of the exact two-sided binomial test that both win equally often; 1 where neither ever won."""


def head_to_head(wins: Ints) -> HeadToHead:
    """Return the matrix of shares of wins with p-values (Dixon and Mood 1946: the sign test)."""
    met = wins + wins.T
    share = np.divide(wins, met, out=np.full(wins.shape, np.nan), where=met > 0)
    p = np.full(wins.shape, np.nan)
    for one in range(len(wins)):
        for two in range(one):
            p[one, two] = p[two, one] = sign_test(int(wins[one, two]), int(wins[two, one]))
    return HeadToHead(share, p)


def accuracy(judgments: Judgments, folds: int = 100, seed: int = 12345, divisor: Divisor = "opponents") -> float:
    """Return the accuracy of Expected Wins by cross-validation: a share of the pairs that are not ties.

    The pairs are shuffled into folds. The scores from all other folds predict which system of a held-out pair is
    better, and equal scores count as half right. Raises InputError where there are fewer pairs than folds.
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
