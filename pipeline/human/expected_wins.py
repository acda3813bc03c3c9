"""What human judgements say: Expected Wins, ranges of ranks and clusters, head to head, accuracy.

All of it is arithmetic on counts of outcomes of pairs (`judgments.Judgments.cells`); a bootstrap sample of the pairs is
a multinomial draw of these counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ..errors import InputError
from ..scoring.resampling.paired_tests import sign_test
from ..scoring.resampling.rank_ranges import clusters, rank_ranges
from ..scoring.results import ranks
from .judgments import cells_to_wins, count_cells

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .judgments import Judgments


Divisor = Literal["opponents", "beaten"]
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
    opponents = np.array(wins.shape[-1] - 1) if divisor == "opponents" else (wins > 0).sum(axis=-1)
    found: Floats = shares.sum(axis=-1) / np.maximum(opponents, 1)
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


def accuracy(judgments: Judgments, folds: int = 100, seed: int = 12345, divisor: Divisor = "opponents") -> float:
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
