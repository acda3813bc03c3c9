"""Statistics of how a metric agrees with the scores that people gave to outputs, and how they are
asked for.

A statistic is asked for by a text such as `pearson` or `accuracy[average=item,epsilon=best]`. A new
statistic is a subclass of Statistic, which an extension names in `agreement_statistics`."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Bools, Floats, Ints
from pipeline.errors import ConfigError, InputError, did_you_mean
from pipeline.lookup import Table
from pipeline.metrics.options import (
    HasOptions,
    option,
    parse_signature,
    render_signature,
)

from .correlation import EQUAL, PairCounts, pair_counts, pearson, quotient

AVERAGES: dict[str, Callable[[Ints], Ints]] = {
    "none": lambda cells: cells.reshape(1, -1),
    "item": lambda cells: cells.T,
    "system": lambda cells: cells,
}
"""For each average, which scores are in a group: from int64 [systems, lines] to int64 [groups,
members]."""


class Groups(NamedTuple):
    """The groups of scores within which a statistic compares."""

    cells: Ints
    """The place of each member among all scores, system by system: int64 [groups, members]."""
    present: Bools
    """Whether the member has a score: bool [groups, members]."""

    def of(self, scores: Floats) -> Floats:
        """Return scores [..., systems, lines] as [..., groups, members], with 0 where there is no
        score.
        """
        flat = scores.reshape(*scores.shape[:-2], -1)
        return np.where(self.present, flat[..., self.cells], 0.0)


@dataclass(frozen=True, kw_only=True)
class Value:
    """A statistic of one metric and one human score."""

    value: float
    """NaN where it is not defined; then `reason` says why."""
    scores: int
    """How many scores of outputs were compared."""
    groups: int
    """How many groups the value is the mean of."""
    undefined: int = 0
    """How many more groups have no value, because all scores of one side are equal there."""
    epsilon: float | None = None
    """The difference of scores of the metric up to which they were taken for equal, where such a
    one was sought."""
    reason: str = ""
    """Why there is no value."""


@dataclass(frozen=True, kw_only=True)
class Statistic(HasOptions):
    """A statistic of agreement. A subclass gives `name`, `summary` and `of_groups`, and may add
    options.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    level: str = option(
        "sentence",
        choices=("sentence", "system"),
        implicit=True,
        help="whether scores of sentences are compared, or one score for each system",
    )
    average: str = option(
        "none",
        choices=tuple(AVERAGES),
        applies=lambda statistic: statistic.level == "sentence",
        why="systems have one score each",
        help="item: the mean over sentences, each with all its systems; system: the mean over "
        "systems, each with all its sentences; none: all scores at once",
    )

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return the statistic of each group, NaN where it is not defined: float64 [..., groups].

        Scores of people are float64 [groups, members], scores of the metric [..., groups, members].
        They are 0 where `present`, bool [groups, members], is false."""
        raise NotImplementedError

    def groups(self, present: Bools) -> Groups:
        """Return the groups that have at least two of the scores that are present: bool [systems,
        lines].
        """
        every_cell = np.arange(present.size).reshape(present.shape)
        cells = AVERAGES[self.average](every_cell)
        is_present = present.reshape(-1)[cells]
        if len(cells) == 1:  # a single group needs no room for missing scores
            cells = cells[:, is_present[0]]
            is_present = np.ones(cells.shape, np.bool_)
        counts = is_present.sum(axis=1)
        enough = counts >= 2
        return Groups(cells[enough], is_present[enough])

    def value(self, human: Floats, metric: Floats) -> Value:
        """Return the statistic of scores, float64 [systems, lines]. A missing score is NaN on either
        side.

        At the level of systems, scores are [systems, 1].
        """
        present = ~(np.isnan(human) | np.isnan(metric))
        groups = self.groups(present)
        if not len(groups.cells):
            reason = "there are no two scores to compare"
            scores = int(present.sum())
            return Value(value=math.nan, scores=scores, groups=0, reason=reason)
        return self.value_of(groups, groups.of(human), groups.of(metric))

    def value_of(self, groups: Groups, human: Floats, metric: Floats) -> Value:
        """Return the statistic of scores in groups, float64 [groups, members] each."""
        values = self.of_groups(human, metric, groups.present)
        undefined = int(np.isnan(values).sum())
        reason = ""
        if undefined == len(values):
            reason = _why_undefined(human, metric, groups.present)
        return Value(
            value=float(averaged(values)),
            scores=int(groups.present.sum()),
            groups=len(values) - undefined,
            undefined=undefined,
            reason=reason,
        )

    def __str__(self) -> str:
        """Return the signature, which can be read again. It has each option that applies and is not
        left implicit.
        """
        return render_signature(self.name, self.option_settings())


def _why_undefined(human: Floats, metric: Floats, present: Bools) -> str:
    """Return why no group has a value."""
    where = " in every group" if len(present) > 1 else ""
    if _all_equal(human, present):
        return f"all scores of people are equal{where}"
    if _all_equal(metric, present):
        return f"all scores of the metric are equal{where}"
    return "in every group all scores of people or of the metric are equal"


def _all_equal(scores: Floats, present: Bools) -> bool:
    """Return whether the scores within each group are equal."""
    low = np.where(present, scores, np.inf)
    high = np.where(present, scores, -np.inf)
    is_equal = low.min(axis=1) == high.max(axis=1)
    return bool(is_equal.all())


def averaged(values: Floats) -> Floats:
    """Return the mean of values [..., groups] over the groups that have one; NaN where no group
    has.
    """
    defined = ~np.isnan(values)
    sums = np.where(defined, values, 0.0).sum(axis=-1)
    return quotient(sums, defined.sum(axis=-1))


ROUNDING = 1e-12
"""Sums of scores that differ by less than this share of the scores are equal."""


def scipy_stats(what: str) -> ModuleType:
    """Return scipy.stats. Raises InputError, which begins with `what`, if scipy is missing."""
    try:
        # Here, because it takes longer to import than most commands run.
        from scipy import stats
    except ImportError:
        message = f"{what}: needs the package scipy: pip install 'gec-pipeline[human]'"
        raise InputError(message) from None
    module: ModuleType = stats
    return module


@dataclass(frozen=True, kw_only=True)
class Pearson(Statistic):
    """Pearson's product-moment correlation."""

    name: ClassVar[str] = "pearson"
    summary: ClassVar[str] = "Pearson's correlation"

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return the correlation within each group."""
        return pearson(human, metric, present)


@dataclass(frozen=True, kw_only=True)
class Spearman(Statistic):
    """Spearman's rank correlation. Equal scores share the mean of their ranks."""

    name: ClassVar[str] = "spearman"
    summary: ClassVar[str] = "Spearman's correlation of ranks"

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return the correlation of ranks within each group. Missing scores rank behind all
        others.
        """
        rankdata = scipy_stats(self.name).rankdata
        ranks = []
        for scores in (human, metric):
            with_missing = np.where(present, scores, np.inf)
            all_ranks = rankdata(with_missing, axis=-1)
            ranks.append(np.where(present, all_ranks, 0.0))
        return pearson(ranks[0], ranks[1], present)


@lru_cache(2)
def _signs(permutations: int, lines: int, seed: int) -> Floats:
    """Return the 1 or -1 by which permutations multiply scores, float64 [lines, permutations], as
    mt-metrics-eval.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.random((permutations, lines), dtype=np.float32)
    return np.where(drawn > 0.5, 1.0, -1.0).T


def p_values(scores: Floats, permutations: int, seed: int) -> Floats:
    """Return for each two systems how sure it is that the first is better: float64 [..., pairs].

    It is the p-value of a paired permutation test on sentence scores, float64 [..., systems,
    lines]: the share of permutations whose sum of differences is at least the one observed."""
    *_, systems, lines = scores.shape
    first, second = np.triu_indices(systems, 1)
    permuted = scores @ _signs(permutations, lines, seed)
    sums = scores.sum(axis=-1)
    rounding = ROUNDING * np.abs(scores).sum(axis=-1)
    observed = sums[..., first] - sums[..., second]
    roundings = rounding[..., first] + rounding[..., second]
    observed = observed - roundings
    shares: Floats = np.empty(observed.shape)
    for number, (one, two) in enumerate(zip(first, second, strict=True)):
        differences = permuted[..., one, :] - permuted[..., two, :]
        is_reached = differences >= observed[..., number, None]
        shares[..., number] = is_reached.mean(axis=-1)
    return shares


@dataclass(frozen=True, kw_only=True)
class SoftAccuracy(Statistic):
    """Whether metric and people are equally sure of which of two systems is better (Thompson et al.
    2024).

    The value is 1 less the mean difference of the p-values of people and metric over pairs of
    systems."""

    name: ClassVar[str] = "soft_accuracy"
    summary: ClassVar[str] = "compares p-values of pairs of systems (SPA)"

    level: str = option(
        "sentence",
        choices=("sentence",),
        implicit=True,
        help="scores of sentences are needed",
    )
    average: str = option(
        "none",
        choices=("none",),
        implicit=True,
        help="there is nothing to average",
    )
    permutations: int = option(
        1000,
        minimum=1,
        maximum=1_000_000,
        help="permutations of each p-value",
    )
    seed: int = option(
        4, maximum=2**32 - 1, help="the seed of the permutations"
    )

    def groups(self, present: Bools) -> Groups:
        """Return the systems as groups, with the sentences for which all systems have scores."""
        every_cell = np.arange(present.size).reshape(present.shape)
        cells = every_cell[:, present.all(axis=0)]
        if len(cells) < 2 or not cells.shape[1]:
            cells = cells[:0]
        return Groups(cells, np.ones(cells.shape, np.bool_))

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return the statistic of scores, float64 [systems, lines] and [..., systems, lines]:
        float64 [..., 1].
        """
        human_p = p_values(human, self.permutations, self.seed)
        differences = []
        for scores in metric.reshape(-1, *metric.shape[-2:]):
            metric_p = p_values(scores, self.permutations, self.seed)
            differences.append(np.abs(metric_p - human_p).mean())
        shape = (*metric.shape[:-2], 1)
        return 1 - np.array(differences).reshape(shape)


NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,2})?"
"""The form of a number from 0, as a regular expression. HasOptions keep the text that signatures then
have."""
BEST = "best"
"""The value of the option epsilon for which the best one is sought."""
MIN_SORTED_GROUP = 100
"""Groups of this many scores or more are counted by sorting, and not pair by pair."""
MAX_SORTED_PAIRS = 30_000_000
"""Pairs that are sorted at once, which takes about two gigabytes."""


def counts_within(
    human: Floats,
    metric: Floats,
    present: Bools,
    epsilon: float = 0.0,
) -> PairCounts:
    """Count the pairs within each group: int64 [..., groups], as pair_counts() does for scores of
    the metric first.

    Scores of people are float64 [groups, members], scores of the metric [..., groups, members].
    Large groups are sorted, which takes n log n steps for n members."""
    if epsilon > 0 or human.shape[-1] < MIN_SORTED_GROUP:
        return pair_counts(metric, human, present, epsilon)
    table = []
    for metric_scores in metric.reshape(-1, *metric.shape[-2:]):
        for one, two, members in zip(
            metric_scores, human, present, strict=True
        ):
            table.append(_sorted_counts(one[members], two[members]))
    counts = np.reshape(table, (*metric.shape[:-1], 5))
    return PairCounts(*np.moveaxis(counts, -1, 0))


def _sorted_counts(metric: Floats, human: Floats) -> list[int]:
    """Return the counts of PairCounts of two vectors, from the tau-b of scipy and the numbers of
    equal scores.
    """
    kendalltau = scipy_stats("kendall of many scores").kendalltau
    tau = kendalltau(metric, human, method="asymptotic").statistic
    _, one = np.unique(metric, return_inverse=True)
    _, two = np.unique(human, return_inverse=True)
    tied_one = _tied_pairs(one)
    tied_two = _tied_pairs(two)
    tied_both = _tied_pairs(one * len(two) + two)
    members = len(metric)
    pairs = members * (members - 1) // 2
    size = np.sqrt(pairs - tied_one) * np.sqrt(pairs - tied_two)
    balance = round(tau * size) if size else 0
    concordant = (pairs - tied_one - tied_two + tied_both + balance) // 2
    discordant = concordant - balance
    return [
        concordant,
        discordant,
        tied_one - tied_both,
        tied_two - tied_both,
        tied_both,
    ]


def _tied_pairs(values: Ints) -> int:
    """Return the number of pairs of equal values."""
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


@dataclass(frozen=True, kw_only=True)
class TauB(Statistic):
    """Kendall's tau-b, which divides by the pairs that each side does not tie (Kendall 1945)."""

    name: ClassVar[str] = "kendall"
    summary: ClassVar[str] = "Kendall's tau-b, which corrects for ties"

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return tau-b of the pairs within each group; NaN where one side ties all of them."""
        counts = counts_within(human, metric, present)
        untied = counts.concordant + counts.discordant
        untied_by_human = untied + counts.ties_one
        untied_by_metric = untied + counts.ties_two
        size = np.sqrt(untied_by_human) * np.sqrt(untied_by_metric)
        return quotient(counts.concordant - counts.discordant, size)


@dataclass(frozen=True, kw_only=True)
class Accuracy(Statistic):
    """The share of all pairs that both order alike, or both tie: acc_eq of Deutsch et al. 2023
    ("Ties Matter").

    Scores of the metric may count as equal though they differ a little.
    """

    name: ClassVar[str] = "accuracy"
    summary: ClassVar[str] = (
        "the share of pairs that both order alike, or both tie (acc_eq)"
    )

    epsilon: str = option(
        "0",
        pattern=rf"{BEST}|{NUMBER}",
        form="a number from 0, or best",
        help="scores of the metric that differ by no more than this are a tie; best: the "
        "difference that gives the highest value is sought",
    )

    @property
    def tie_below(self) -> float:
        """The difference up to which scores of the metric are a tie; 0 if the best is sought."""
        return 0.0 if self.epsilon == BEST else float(self.epsilon)

    def value_of(self, groups: Groups, human: Floats, metric: Floats) -> Value:
        """Return the statistic, with the best epsilon where it is sought."""
        if self.epsilon != BEST:
            return super().value_of(groups, human, metric)
        best = calibrated(human, metric, groups.present)
        return Value(
            value=best.share,
            scores=int(groups.present.sum()),
            groups=best.groups,
            epsilon=best.epsilon,
        )

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return the share of the pairs within each group; NaN where there are no pairs."""
        counts = counts_within(human, metric, present, self.tie_below)
        agreeing = counts.concordant + counts.ties_both
        pairs = sum(counts[1:], start=counts[0])
        return quotient(agreeing, pairs)


class Calibration(NamedTuple):
    """The epsilon with which a metric agrees best with people."""

    epsilon: float
    share: float
    """The mean share of agreeing pairs."""
    groups: int
    """How many groups have a pair."""


def calibrated(human: Floats, metric: Floats, present: Bools) -> Calibration:
    """Return the epsilon that gives the highest mean share of agreeing pairs: tie calibration
    (Deutsch et al. 2023).

    Scores are float64 [groups, members]. Those of the metric that differ by no more than epsilon
    count as equal. The candidates are 0 and the differences of the metric within the pairs; of
    equally good ones it is the smallest. Raises InputError if there are too many pairs."""
    sizes = present.sum(axis=1)
    pairs_of_group = sizes * (sizes - 1) // 2
    count = int(pairs_of_group.sum())
    if count > MAX_SORTED_PAIRS:
        message = f"{count:,} pairs of scores are too many to sort at once; average by item or system"
        raise InputError(f"epsilon: best: {message}")
    # The differences of all pairs, group by group.
    parts = []
    for scores in (human, metric):
        for group, members in zip(scores, present, strict=True):
            group_scores = group[members]
            first, second = np.triu_indices(len(group_scores), 1)
            parts.append(group_scores[first] - group_scores[second])
    human_differences, metric_differences = np.concatenate(parts).reshape(2, -1)
    groups_with_pairs = int((pairs_of_group > 0).sum())
    weights = np.repeat(1 / np.maximum(pairs_of_group, 1), pairs_of_group)
    # What each pair gains or loses, once epsilon is so large that the metric ties it.
    agrees = np.sign(human_differences) == np.sign(metric_differences)
    distances = np.abs(metric_differences)
    order = np.argsort(distances, kind="stable")
    distances = distances[order]
    is_tied = (human_differences == 0).astype(np.float64)
    gains = (is_tied - agrees) * weights
    start = float((agrees * weights).sum())
    sums = start + np.cumsum(gains[order])
    last = np.append(distances[1:] != distances[:-1], True)
    sums = np.append(start, sums[last]) / groups_with_pairs
    is_highest = sums >= sums.max() - EQUAL
    best = int(is_highest.argmax())
    epsilon = 0.0
    if best:
        epsilon = float(distances[last][best - 1])
    return Calibration(epsilon, float(sums[best]), groups_with_pairs)


STATISTICS: Table[type[Statistic]] = Table(
    __name__, {}, kind="agreement_statistics"
)
"""The statistics by name. Extensions name theirs in Extension.agreement_statistics."""
SPELLINGS = {
    "acc_eq": "accuracy[average=item,epsilon=best]",
    "acc23": "accuracy",
    "kendall_b": "kendall",
    "spa": "soft_accuracy",
    "pce": "soft_accuracy",
}
"""Names that people know from elsewhere, and the statistic that each means."""


def statistic_of(text: str) -> Statistic:
    """Return the statistic of a name, a name with options in brackets, or a signature. Raises
    ConfigError.
    """
    name, settings = parse_signature(text)
    if name in SPELLINGS:
        name, implied = parse_signature(SPELLINGS[name])
        settings = {**implied, **settings}
    if name not in STATISTICS:
        hint = did_you_mean(name, [*STATISTICS, *SPELLINGS])
        raise ConfigError(
            f"no statistic is called '{name}'{hint}; known: {', '.join(STATISTICS)}"
        )
    kind = STATISTICS[name]
    values: dict[str, Any] = {}
    for key, value in settings.items():
        matching = [one for one in kind.options if key in (one.name, one.key)]
        if not matching:
            names = [one.name for one in kind.options]
            hint = did_you_mean(key, names) or f"; known: {', '.join(names)}"
            raise ConfigError(f"'{text}': {name} has no option '{key}'{hint}")
        try:
            values[matching[0].attribute] = matching[0].read(value)
        except ValueError as error:
            raise ConfigError(f"'{text}': {key}: {error}") from None
    statistic = kind(**values)
    for one in kind.options:
        if (
            one.attribute in values
            and one.applies
            and not one.applies(statistic)
        ):
            raise ConfigError(
                f"'{text}': {one.name} has no effect here ({one.why}); leave it out"
            )
    return statistic
