"""Statistics of how a metric agrees with human scores of outputs.

They are requested by texts such as `pearson` or `accuracy[average=item,epsilon=best]`. A new
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
    """The index of each member in the flattened scores [systems, lines]: int64 [groups, members]."""
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
    """The difference up to which the metric's scores counted as equal, if the best one was
    sought."""
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

        Human scores are float64 [groups, members], the metric's [..., groups, members]. Both are 0
        where `present`, bool [groups, members], is false: there the score is missing."""
        raise NotImplementedError

    def groups(self, present: Bools) -> Groups:
        """Return the groups of scores that the option `average` compares, without groups that have
        fewer than two scores.

        `present`, bool [systems, lines], says which outputs have both scores."""
        every_cell = np.arange(present.size).reshape(present.shape)
        cells = AVERAGES[self.average](every_cell)
        is_present = present.reshape(-1)[cells]
        if len(cells) == 1:
            # Several groups need a table with gaps; a single one does not.
            cells = cells[:, is_present[0]]
            is_present = np.ones(cells.shape, np.bool_)
        enough = is_present.sum(axis=1) >= 2
        return Groups(cells[enough], is_present[enough])

    def value(self, human: Floats, metric: Floats) -> Value:
        """Return the statistic of human and metric scores, float64 [systems, lines] each, or
        [systems, 1] at the level of systems.

        An output whose score is NaN on either side is left out. The value is NaN if no group has
        two scores."""
        present = ~(np.isnan(human) | np.isnan(metric))
        groups = self.groups(present)
        if not len(groups.cells):
            reason = "there are no two scores to compare"
            scores = int(present.sum())
            return Value(value=math.nan, scores=scores, groups=0, reason=reason)
        return self.value_of(groups, groups.of(human), groups.of(metric))

    def value_of(self, groups: Groups, human: Floats, metric: Floats) -> Value:
        """Return the mean of the statistic over the groups in which it is defined, from scores
        float64 [groups, members] each.
        """
        group_values = self.of_groups(human, metric, groups.present)
        undefined = int(np.isnan(group_values).sum())
        reason = ""
        if undefined == len(group_values):
            reason = _why_undefined(human, metric, groups.present)
        return Value(
            value=float(averaged(group_values)),
            scores=int(groups.present.sum()),
            groups=len(group_values) - undefined,
            undefined=undefined,
            reason=reason,
        )

    def __str__(self) -> str:
        """Return the signature, which statistic_of() reads: the name, and each option that applies
        and is not left implicit.
        """
        return render_signature(self.name, self.option_settings())


def _why_undefined(human: Floats, metric: Floats, present: Bools) -> str:
    """Return why no group has a value: scores within groups do not differ. Scores are float64
    [groups, members]; those not `present` do not count.
    """
    where = " in every group" if len(present) > 1 else ""
    if _all_equal(human, present):
        return f"all scores of people are equal{where}"
    if _all_equal(metric, present):
        return f"all scores of the metric are equal{where}"
    return "in every group all scores of people or of the metric are equal"


def _all_equal(scores: Floats, present: Bools) -> bool:
    """Return whether the scores within each group are equal."""
    lowest = np.where(present, scores, np.inf).min(axis=1)
    highest = np.where(present, scores, -np.inf).max(axis=1)
    return bool((lowest == highest).all())


def averaged(values: Floats) -> Floats:
    """Return the mean of values [..., groups] over the groups whose value is not NaN: float64 [...];
    NaN if there is no such group.
    """
    defined = ~np.isnan(values)
    sums = np.where(defined, values, 0.0).sum(axis=-1)
    return quotient(sums, defined.sum(axis=-1))


ROUNDING = 1e-12
"""Sums of scores that differ by less than this share of the scores are equal."""


def scipy_stats(what: str) -> ModuleType:
    """Return scipy.stats. Raises InputError if scipy is missing; `what` names what needs it."""
    try:
        # Here, because it takes longer to import than most commands run.
        from scipy import stats
    except ImportError:
        message = f"{what}: needs the package scipy: pip install 'gec-pipeline[human]'"
        raise InputError(message) from None
    module: ModuleType = stats  # scipy has no types
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
        """Return the correlation of ranks within each group."""
        rankdata = scipy_stats(self.name).rankdata
        ranks = []
        for scores in (human, metric):
            # Missing scores rank behind all others, so they change no rank.
            missing_last = np.where(present, scores, np.inf)
            all_ranks = rankdata(missing_last, axis=-1)
            ranks.append(np.where(present, all_ranks, 0.0))
        human_ranks, metric_ranks = ranks
        return pearson(human_ranks, metric_ranks, present)


@lru_cache(2)
def _signs(permutations: int, lines: int, seed: int) -> Floats:
    """Return the random signs, 1 or -1, by which permutations multiply scores: float64 [lines,
    permutations], drawn as mt-metrics-eval does.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.random((permutations, lines), dtype=np.float32)
    return np.where(drawn > 0.5, 1.0, -1.0).T


def p_values(scores: Floats, permutations: int, seed: int) -> Floats:
    """Return for each two systems the p-value of whether the first is better: float64 [..., pairs].

    It is that of a paired permutation test on sentence scores, float64 [..., systems, lines]. A
    permutation swaps the scores of both systems on some lines, which changes the sign of their
    difference there. The p-value is the share of permutations whose sum of differences is at least
    the one observed."""
    *_, systems, lines = scores.shape
    first_systems, second_systems = np.triu_indices(systems, 1)
    # [..., systems, permutations]
    permuted_sums = scores @ _signs(permutations, lines, seed)
    sums = scores.sum(axis=-1)
    observed = sums[..., first_systems] - sums[..., second_systems]
    # A sum that is smaller only by rounding counts as reached.
    rounding = ROUNDING * np.abs(scores).sum(axis=-1)
    roundings = rounding[..., first_systems] + rounding[..., second_systems]
    thresholds = observed - roundings
    p: Floats = np.empty(observed.shape)
    pairs = zip(first_systems, second_systems, strict=True)
    for pair, (first, second) in enumerate(pairs):
        differences = (
            permuted_sums[..., first, :] - permuted_sums[..., second, :]
        )
        is_reached = differences >= thresholds[..., pair, None]
        p[..., pair] = is_reached.mean(axis=-1)
    return p


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
        """Return a group for each system: its scores on the lines where all systems have one.

        There is no group if there are no such lines, or fewer than two systems. `present` is bool
        [systems, lines]."""
        every_cell = np.arange(present.size).reshape(present.shape)
        cells = every_cell[:, present.all(axis=0)]
        if len(cells) < 2 or not cells.shape[1]:
            cells = cells[:0]
        return Groups(cells, np.ones(cells.shape, np.bool_))

    def of_groups(
        self, human: Floats, metric: Floats, present: Bools
    ) -> Floats:
        """Return the statistic, float64 [..., 1], of human scores [systems, lines] and the
        metric's [..., systems, lines]. None is missing, so `present` does not matter.
        """
        human_p = p_values(human, self.permutations, self.seed)
        differences = []
        for scores in metric.reshape(-1, *metric.shape[-2:]):
            metric_p = p_values(scores, self.permutations, self.seed)
            differences.append(np.abs(metric_p - human_p).mean())
        shape = (*metric.shape[:-2], 1)
        return 1 - np.array(differences).reshape(shape)


NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,25})?(?:[eE][+-]?[0-9]{1,2})?"
"""A regular expression of a number from 0."""
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
    """Count the concordant, discordant and tied pairs within each group: int64 [..., groups] each.
    The metric is the first scoring of PairCounts.

    Human scores are float64 [groups, members], the metric's [..., groups, members]; those that are
    not `present`, bool [groups, members], do not count. Large groups are sorted, which takes n log
    n steps for n members, unless scores that differ by up to `epsilon` tie."""
    if epsilon > 0 or human.shape[-1] < MIN_SORTED_GROUP:
        return pair_counts(metric, human, present, epsilon)
    rows = []
    for metric_groups in metric.reshape(-1, *metric.shape[-2:]):
        for metric_scores, human_scores, is_present in zip(
            metric_groups, human, present, strict=True
        ):
            rows.append(
                _sorted_counts(
                    metric_scores[is_present], human_scores[is_present]
                )
            )
    counts = np.reshape(rows, (*metric.shape[:-1], 5))
    return PairCounts(*np.moveaxis(counts, -1, 0))


def _sorted_counts(metric: Floats, human: Floats) -> list[int]:
    """Return the five counts of PairCounts for two vectors of scores.

    The tau-b of scipy, which sorts, is (concordant - discordant) / sqrt(untied by the metric *
    untied by people); with the numbers of tied pairs, all counts follow from it."""
    kendalltau = scipy_stats("kendall of many scores").kendalltau
    tau = kendalltau(metric, human, method="asymptotic").statistic
    # Equal scores get equal numbers.
    _, metric_values = np.unique(metric, return_inverse=True)
    _, human_values = np.unique(human, return_inverse=True)
    metric_ties = _tied_pairs(metric_values)
    human_ties = _tied_pairs(human_values)
    members = len(metric)
    ties_both = _tied_pairs(metric_values * members + human_values)
    pairs = members * (members - 1) // 2
    divisor = np.sqrt(pairs - metric_ties) * np.sqrt(pairs - human_ties)
    balance = round(tau * divisor) if divisor else 0
    untied = pairs - metric_ties - human_ties + ties_both
    concordant = (untied + balance) // 2
    return [
        concordant,
        concordant - balance,
        metric_ties - ties_both,
        human_ties - ties_both,
        ties_both,
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
        """Return the share of agreeing pairs, the mean over groups, for scores float64 [groups,
        members]; with epsilon=best, the highest share and its epsilon.
        """
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

    Scores are float64 [groups, members]; those that are not `present` do not count. Scores of the
    metric that differ by no more than epsilon tie. The candidates are 0 and the differences of the
    metric within the pairs; of equally good ones it is the smallest. Raises InputError if there are
    too many pairs."""
    sizes = present.sum(axis=1)
    pairs_of_group = sizes * (sizes - 1) // 2
    pair_count = int(pairs_of_group.sum())
    if pair_count > MAX_SORTED_PAIRS:
        message = f"{pair_count:,} pairs of scores are too many to sort at once; average by item or system"
        raise InputError(f"epsilon: best: {message}")
    human_differences = _pair_differences(human, present)
    metric_differences = _pair_differences(metric, present)
    # A pair's weight: the mean over groups of the share of each group's pairs.
    groups_with_pairs = int((pairs_of_group > 0).sum())
    weights = np.repeat(1 / np.maximum(pairs_of_group, 1), pairs_of_group)
    # As epsilon grows, the metric ties one pair after the other, the closest
    # scores first. A tied pair agrees if people tie it too.
    agrees = np.sign(human_differences) == np.sign(metric_differences)
    agrees_if_tied = (human_differences == 0).astype(np.float64)
    gains = (agrees_if_tied - agrees) * weights
    distances = np.abs(metric_differences)
    order = np.argsort(distances, kind="stable")
    distances = distances[order]
    at_zero = float((agrees * weights).sum())
    weighted_agreement = at_zero + np.cumsum(gains[order])
    # Pairs with the same distance are tied together: the last one counts.
    is_last = np.append(distances[1:] != distances[:-1], True)
    candidates = np.append(0.0, distances[is_last])
    shares = np.append(at_zero, weighted_agreement[is_last]) / groups_with_pairs
    is_highest = shares >= shares.max() - EQUAL
    best = int(is_highest.argmax())
    return Calibration(
        float(candidates[best]), float(shares[best]), groups_with_pairs
    )


def _pair_differences(scores: Floats, present: Bools) -> Floats:
    """Return the difference of each two present scores of a group, float64 [pairs], group by group,
    from scores [groups, members].
    """
    differences = []
    for group, is_present in zip(scores, present, strict=True):
        group_scores = group[is_present]
        first, second = np.triu_indices(len(group_scores), 1)
        differences.append(group_scores[first] - group_scores[second])
    return np.concatenate(differences)


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
"""Names that other programs and papers use, and the statistic that each means."""


def statistic_of(text: str) -> Statistic:
    """Return the statistic of a name, such as pearson, a name with options, such as
    accuracy[average=item], or a signature.

    Raises ConfigError if the name or an option is unknown, a value is wrong, or an option has no
    effect beside the others."""
    name, settings = parse_signature(text)
    if name in SPELLINGS:
        name, implied = parse_signature(SPELLINGS[name])
        settings = {**implied, **settings}
    if name not in STATISTICS:
        hint = did_you_mean(name, [*STATISTICS, *SPELLINGS])
        raise ConfigError(
            f"no statistic is called '{name}'{hint}; known: {', '.join(STATISTICS)}"
        )
    statistic_class = STATISTICS[name]
    options = statistic_class.options
    values: dict[str, Any] = {}
    for key, value in settings.items():
        # `key` is the short name that signatures have.
        matching = [
            choice for choice in options if key in (choice.name, choice.key)
        ]
        if not matching:
            names = [choice.name for choice in options]
            hint = did_you_mean(key, names) or f"; known: {', '.join(names)}"
            raise ConfigError(f"'{text}': {name} has no option '{key}'{hint}")
        try:
            values[matching[0].attribute] = matching[0].read(value)
        except ValueError as error:
            raise ConfigError(f"'{text}': {key}: {error}") from None
    statistic = statistic_class(**values)
    for choice in options:
        is_set = choice.attribute in values
        if is_set and choice.applies and not choice.applies(statistic):
            raise ConfigError(
                f"'{text}': {choice.name} has no effect here ({choice.why}); leave it out"
            )
    return statistic
