"""Kendall's tau in its variants, and pairwise accuracy: statistics of how many pairs two scorings order alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import ConfigError
from ...metrics.base.options import option
from .calibration import calibrated
from .pairs import counts_within
from .statistic import Statistic, Value, averaged_over_groups
from .swapped_pairs import MOST_MEMBERS, exchanged_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ..correlation import PairCounts
    from .groups import Groups
    from .statistic import Exchange

NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,2})?"
"""The form of a number from 0, as a regular expression. Options keep the text that signatures then have."""
BEST = "best"
"""The value of the option epsilon for which the best one is sought."""


@dataclass(frozen=True, kw_only=True)
class Tau(Statistic):
    """A statistic of the pairs within a group: of sums over pairs, which `parts` and `of_parts` define."""

    swaps: ClassVar[tuple[str, ...]] = ("scores", "pairs")

    @property
    def tie_below(self) -> float:
        """The difference up to which scores of the metric are a tie."""
        return 0.0

    @property
    def apart(self) -> float:
        """How far scores of people have to differ for a pair to count."""
        return 0.0

    def parts(self, counts: PairCounts) -> tuple[Any, ...]:
        """Return the sums that the statistic is made of, from counts of pairs."""
        raise NotImplementedError

    def of_parts(self, parts: Sequence[Any], pairs: Any, human_untied: Any) -> Floats:
        """Return the statistic of sums, of the number of pairs, and of those that people do not tie: [...] each."""
        raise NotImplementedError

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return the statistic of the pairs within each group."""
        return self.of_counts(counts_within(human, metric, present, self.tie_below, self.apart))

    def of_counts(self, counts: PairCounts) -> Floats:
        """Return the statistic of counts of pairs, int64 [...] each."""
        untied = counts.concordant + counts.discordant + counts.ties_one
        return self.of_parts(self.parts(counts), untied + counts.ties_two + counts.ties_both, untied)

    def exchange(self, human: Floats, metrics: Floats, groups: Groups, pairs: Sequence[tuple[int, int]]) -> Exchange:
        """Return a function of draws: see Statistic.exchange. Small groups are computed for all metrics at once."""
        if human.shape[1] > MOST_MEMBERS:
            return super().exchange(human, metrics, groups, pairs)
        return exchanged_scores(self, human, metrics, groups, pairs)


def quotient(part: Any, whole: Any) -> Floats:
    """Return part / whole, NaN where the whole is 0."""
    part, whole = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    shares: Floats = np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, np.nan), where=whole > 0)
    return shares


@dataclass(frozen=True, kw_only=True)
class TauB(Tau):
    """Kendall's tau-b, which divides by the pairs that each side does not tie (Kendall 1945)."""

    name: ClassVar[str] = "kendall"
    summary: ClassVar[str] = "Kendall's tau-b, which corrects for ties"

    def parts(self, counts: PairCounts) -> tuple[Any, ...]:
        """Return concordant less discordant pairs, and the pairs that the metric does not tie."""
        untied = counts.concordant + counts.discordant + counts.ties_two
        return counts.concordant - counts.discordant, untied

    def of_parts(self, parts: Sequence[Any], pairs: Any, human_untied: Any) -> Floats:  # noqa: ARG002
        """Return tau-b; NaN where one side ties all pairs."""
        return quotient(parts[0], np.sqrt(parts[1] * 1.0) * np.sqrt(human_untied * 1.0))


@dataclass(frozen=True, kw_only=True)
class TauC(Statistic):
    """Stuart's tau-c, which corrects for the number of different scores on the side that has fewer (Stuart 1953)."""

    name: ClassVar[str] = "kendall_c"
    summary: ClassVar[str] = "Stuart's tau-c, for scores of few values"

    def of_groups(self, human: Floats, metric: Floats, present: NDArray[np.bool_]) -> Floats:
        """Return tau-c; NaN where all scores of one side are equal."""
        counts = counts_within(human, metric, present)
        classes = np.minimum(_different(human, present), _different(metric, present))
        most = present.sum(axis=-1) ** 2 * (classes - 1) / np.maximum(classes, 1)
        return quotient(2 * (counts.concordant - counts.discordant), most)


def _different(scores: Floats, present: NDArray[np.bool_]) -> Ints:
    """Return how many different scores each group has."""
    values = np.sort(np.where(present, scores, np.inf), axis=-1)
    count: Ints = 1 + ((values[..., 1:] != values[..., :-1]) & (values[..., 1:] < np.inf)).sum(axis=-1)
    return count


@dataclass(frozen=True, kw_only=True)
class Calibrated(Tau):
    """A statistic of the share of pairs that agree, where scores may count as equal though they differ a little."""

    epsilon: str = option(
        "0",
        pattern=rf"{BEST}|{NUMBER}",
        form="a number from 0, or best",
        help="scores of the metric that differ by no more than this are a tie; best: the difference that gives the "
        "highest value is sought",
    )
    sample: str = option(
        "1",
        pattern=NUMBER,
        form="a number above 0 and up to 1",
        implicit=True,
        applies=lambda statistic: statistic.epsilon == BEST,
        why="it is about the search for the best epsilon",
        help="the share of pairs, drawn at random, among which the best epsilon is sought",
    )
    seed: int = option(
        12345,
        maximum=2**32 - 1,
        implicit=True,
        applies=lambda statistic: statistic.epsilon == BEST and float(statistic.sample) < 1,
        why="nothing is drawn",
        help="the seed of that draw",
    )

    def __post_init__(self) -> None:
        """Raise ConfigError where the sample is no share."""
        if not 0 < float(self.sample) <= 1:
            raise ConfigError(f"sample: expected a number above 0 and up to 1, found {self.sample}")

    @property
    def swap(self) -> str:
        """What the permutation test swaps where nothing is said: pairs, where metrics have an epsilon of their own."""
        return "scores" if self.epsilon == "0" else "pairs"

    @property
    def tie_below(self) -> float:
        """The difference up to which scores of the metric are a tie; 0 where the best is sought."""
        return 0.0 if self.epsilon == BEST else float(self.epsilon)

    def value_of(self, groups: Groups, human: Floats, metric: Floats) -> Value:
        """Return the statistic, with the best epsilon where it is sought."""
        if self.epsilon != BEST:
            return super().value_of(groups, human, metric)
        weights = self.group_weights(human, groups)
        best = calibrated(human, metric, groups.present, weights, float(self.sample), self.seed)
        value = float(self.of_parts((best.share,), 1, 1))
        return Value(value, int(groups.sizes.sum()), best.groups, epsilon=best.epsilon)

    def parts(self, counts: PairCounts) -> tuple[Any, ...]:
        """Return the pairs that both order alike, or both tie."""
        return (counts.concordant + counts.ties_both,)


@dataclass(frozen=True, kw_only=True)
class Accuracy(Calibrated):
    """The share of all pairs that both order alike, or both tie: acc_eq of Deutsch et al. 2023 ("Ties Matter")."""

    name: ClassVar[str] = "accuracy"
    summary: ClassVar[str] = "the share of pairs that both order alike, or both tie (acc_eq)"

    def of_parts(self, parts: Sequence[Any], pairs: Any, human_untied: Any) -> Floats:  # noqa: ARG002
        """Return the share."""
        return quotient(parts[0], pairs)


@dataclass(frozen=True, kw_only=True)
class Tau23(Calibrated):
    """The share of pairs that agree less the share of those that do not: tau_eq of Deutsch et al. 2023."""

    name: ClassVar[str] = "kendall_23"
    summary: ClassVar[str] = "twice the accuracy, less 1 (tau_eq, tau-23)"

    def of_parts(self, parts: Sequence[Any], pairs: Any, human_untied: Any) -> Floats:  # noqa: ARG002
        """Return twice the share, less 1."""
        return 2 * quotient(parts[0], pairs) - 1


@dataclass(frozen=True, kw_only=True)
class KendallLike(Tau):
    """The tau of WMT's relative rankings made of direct assessments (daRR): of pairs that people set well apart."""

    name: ClassVar[str] = "kendall_like"
    summary: ClassVar[str] = "WMT's tau (daRR), of pairs that people set well apart"

    weights: str = option(
        "scores",
        choices=("equal", "scores"),
        applies=averaged_over_groups,
        why="it is about the groups of an average",
        implicit=True,
        help="whether every group counts the same, or as much as it has such pairs",
    )
    least: str = option(
        "25",
        pattern=NUMBER,
        form="a number from 0",
        help="how far the scores of people have to differ for a pair to count",
    )

    @property
    def apart(self) -> float:
        """How far scores of people have to differ for a pair to count."""
        return float(self.least)

    def parts(self, counts: PairCounts) -> tuple[Any, ...]:
        """Return the pairs that both order alike."""
        return (counts.concordant,)

    def of_parts(self, parts: Sequence[Any], pairs: Any, human_untied: Any) -> Floats:  # noqa: ARG002
        """Return the share of agreeing pairs less that of all others, 0 where there is no pair."""
        return np.where(np.asarray(pairs) > 0, (2.0 * parts[0] - pairs) / np.maximum(pairs, 1), 0.0)

    def group_weights(self, human: Floats, groups: Groups) -> Ints:
        """Return how many pairs of each group count, or 1."""
        if self.weights == "equal":
            return super().group_weights(human, groups)
        weights: Ints = np.sum(counts_within(human, human, groups.present, 0.0, self.apart), axis=0)
        return weights
