"""Agreement on pairs of outputs by the ranks that people gave them, as in the pairwise analysis of gec-metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..preferences import SentencePairs, preferences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...arrays import Floats, Ints
    from ..judgments import Judgments
    from ..preferences import Ties


class RankPair(NamedTuple):
    """How often a metric agrees with people on outputs of two ranks."""

    better: int
    """The rank of the output that people prefer; 1 is the best."""
    worse: int
    pairs: int
    accuracy: float
    """The share of pairs on which the metric agrees."""


@dataclass(frozen=True, kw_only=True)
class ByRank:
    """How one metric agrees with judgements of outputs of two ranks."""

    dataset: str
    metric: str
    better: int
    """The rank of the output that people prefer; 1 is the best."""
    worse: int
    pairs: int
    accuracy: float


def agreement_by_rank(
    judgments: Judgments, names: Sequence[str], scores: Floats, lines: Ints, ties: Ties
) -> Iterator[RankPair]:
    """Yield the agreement for each two ranks, in order of the ranks. Pairs that people tie are left out.

    Sentence scores are float64 [systems, lines], for the systems `names` in ASCII order. `lines` has the line of each
    judged sentence. `ties` says what equal scores mean.
    """
    number = np.full(len(judgments.systems), -1, np.int64)
    number[[judgments.systems.index(name) for name in names]] = np.arange(len(names))
    pairs, ranks = judgments.expanded, judgments.ranks
    kept = (number[pairs.first] >= 0) & (number[pairs.second] >= 0) & (pairs.outcome != 1)
    own, ranks = pairs.only(kept), ranks[kept]
    turned = own.outcome == 2
    better, worse = np.where(turned, own.second, own.first), np.where(turned, own.first, own.second)
    agreeing = preferences(scores, SentencePairs(number[better], number[worse], lines[own.segment]), ties)
    counted = ~np.isnan(agreeing)
    kinds, kind = np.unique(np.sort(ranks[counted], axis=1), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    tried, right = np.bincount(kind, minlength=len(kinds)), np.bincount(kind, agreeing[counted], len(kinds))
    for (low, high), count, agreed in zip(kinds.tolist(), tried.tolist(), right.tolist(), strict=True):
        yield RankPair(low, high, count, agreed / count)
