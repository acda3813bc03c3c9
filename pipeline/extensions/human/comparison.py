"""Statistics of how metrics agree with people, with their permutation tests: those of a config, or
of scores in memory.

They compare all metrics with one human score, on the same systems.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pipeline.arrays import Bools, Floats
from pipeline.errors import ConfigError, InputError

from .correlation import EQUAL, pair_kinds, vector
from .json_objects import JsonObject
from .models import HumanConfig
from .score_files import MetricScores
from .statistics import (
    Accuracy,
    Groups,
    Statistic,
    Value,
    averaged,
    statistic_of,
)

Rows = ArrayLike | Sequence[Sequence[float | None]]
"""A row for each system, with a score for each sentence."""
Exchange = Callable[[Bools], Iterator[tuple[Floats, Floats]]]
"""From draws, bool [draws, groups, members or pairs of members], to the values of both metrics of
each test.

Where a draw is false, the two metrics exchange what it stands for. The values are float64 [draws,
groups]. """

MAX_DRAWS_AT_ONCE = 1_500_000
"""Draws of scores or of pairs that are in memory at once."""
MAX_SWAPPED_PAIRS = 16_000_000
"""Pairs whose results may be swapped."""
USUAL = ("pearson", "kendall[average=item]", "acc_eq", "soft_accuracy")
"""The statistics for scores of sentences if none are requested."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What was measured: a statistic of one metric and one human score."""

    dataset: str
    metric: str
    human: str
    statistic: str
    """The signature of the statistic."""


@dataclass(frozen=True, kw_only=True)
class Agreement(Value, Measured):
    """A statistic of one metric and one human score, with its value."""


@dataclass(frozen=True, kw_only=True)
class PermutationTest:
    """The permutation test of whether a statistic of `metric` is higher than that of `other`."""

    dataset: str
    human: str
    statistic: str
    metric: str
    other: str
    delta: float
    """By how much the statistic of the metric is higher."""
    p: float
    """One-sided: the share of resamples with at least this difference. NaN where a statistic is not
    defined."""
    resamples: int
    """How many resamples were drawn; 0 where a statistic is not defined."""


def requested_statistics(texts: Sequence[str]) -> list[Statistic]:
    """Return the statistics of texts. Raises InputError if one is unknown, or comes twice."""
    statistics: list[Statistic] = []
    for text in texts:
        try:
            statistic = statistic_of(text)
        except ConfigError as error:
            raise InputError(f"statistics: {error}") from None
        if statistic in statistics:
            raise InputError(f"statistics: {statistic} is asked for twice")
        statistics.append(statistic)
    return statistics


def configured_statistics(
    config: HumanConfig,
    file: str,
    *,
    has_sentences: bool,
) -> list[Statistic]:
    """Return the statistics of a config; if it names none, the usual ones for scores of sentences.

    Raises InputError if one is unknown, or needs scores of sentences that the human scores of a
    file do not have."""
    usual = USUAL if has_sentences else ()
    statistics = requested_statistics(config.statistics or usual)
    if not has_sentences:
        refuse_sentences(statistics, file)
    return statistics


def refuse_sentences(statistics: Sequence[Statistic], whose: str) -> None:
    """Raise InputError if a statistic needs scores of sentences, which a file or a metric does not
    have.
    """
    for statistic in statistics:
        if statistic.level != "sentence":
            continue
        hint = ""
        for option in statistic.options:
            if option.name == "level" and "system" in (option.choices or ()):
                hint = f"; for scores of systems say {statistic.name}[level=system]"
        raise InputError(
            f"{statistic} compares scores of sentences, and {whose} has none{hint}"
        )


class Comparison(NamedTuple):
    """Statistics of agreement, and tests between metrics."""

    agreements: list[Agreement]
    tests: list[PermutationTest]
    notes: list[str]
    """What has no value or was left out."""


def compared(
    metrics: Sequence[MetricScores],
    file: str,
    title: str,
    scores: Mapping[str, float],
    sentences: Mapping[str, Floats] | None,
    config: HumanConfig,
) -> Comparison:
    """Return the statistics that a config requests, and their tests, for the human score of a
    title: `scores` by system, and those of its outputs, float64 [lines], if any.

    Raises InputError if the scores do not suit a statistic.
    """
    has_sentences = sentences is not None
    statistics = configured_statistics(
        config, file, has_sentences=has_sentences
    )
    names = [metric.metric for metric in metrics]
    systems = list(scores)
    human_column = vector(scores, systems)
    columns = [vector(metric.scores, systems) for metric in metrics]
    metric_columns = np.stack(columns)
    scores_by_level = {
        "system": (human_column[:, None], metric_columns[..., None])
    }
    result = Comparison([], [], [])
    levels = {statistic.level for statistic in statistics}
    if sentences is not None and "sentence" in levels:
        for metric in metrics:
            if metric.sentences is None:
                refuse_sentences(statistics, metric.metric)
        human_table = np.stack([sentences[system] for system in systems])
        lines = human_table.shape[1]
        tables = [
            metric.sentences_of(systems, "statistics") for metric in metrics
        ]
        for table in tables:
            if table.shape[1] != lines:
                raise InputError(
                    f"{file}: has scores of {lines:,} sentences of each system, the "
                    f"metrics have {table.shape[1]:,}: are these the same sentences?"
                )
        scores_by_level["sentence"] = (human_table, np.stack(tables))
        result.notes.extend(_missing_scores(human_table, tables, names))
    where = {"dataset": metrics[0].dataset, "human": title}
    sampling = Sampling(config.permutations or 0, config.seed)
    for statistic in statistics:
        both = scores_by_level[statistic.level]
        one = compare(statistic, *both, names, sampling, where)
        result.agreements.extend(one.agreements)
        result.tests.extend(one.tests)
    for agreement in result.agreements:
        if agreement.reason:
            result.notes.append(
                f"{agreement.metric}: {agreement.statistic} has no value: {agreement.reason}"
            )
    return result


def _missing_scores(
    human: Floats,
    tables: Sequence[Floats],
    names: Sequence[str],
) -> Iterator[str]:
    """Yield notes about outputs without a score by people, or by a metric alone."""
    missing = np.isnan(human)
    if missing.any():
        yield (
            f"{missing.sum():,} of {missing.size:,} outputs have no score by people, "
            "and are left out"
        )
    for name, table in zip(names, tables, strict=True):
        count = int((np.isnan(table) & ~missing).sum())
        if count:
            yield (
                f"{count:,} outputs with a score by people have none by {name}, "
                "and are left out for all metrics"
            )


class Sampling(NamedTuple):
    """How permutation tests are drawn."""

    permutations: int
    """How many resamples; 0 for no tests."""
    seed: int


def compare(
    statistic: Statistic,
    human: Floats,
    scores: Floats,
    metrics: Sequence[str],
    sampling: Sampling,
    where: Mapping[str, str],
) -> Comparison:
    """Return a statistic of each of the named metrics, and the tests of each two.

    Scores are float64 [systems, lines] and [metrics, systems, lines]; NaN is a missing score.
    `where` names the data set and the human score. Raises InputError if the statistic has no such
    test."""
    is_missing = np.isnan(scores).any(axis=0)
    common_human = np.where(is_missing, np.nan, human)
    values = [
        statistic.value(common_human, metric_scores) for metric_scores in scores
    ]
    common: JsonObject = {**where, "statistic": str(statistic)}
    result = Comparison([], [], [])
    for name, value in zip(metrics, values, strict=True):
        fields = {**common, **asdict(value)}
        result.agreements.append(Agreement(metric=name, **fields))
    if not sampling.permutations:
        return result
    for test in permutation_tests(
        statistic, common_human, scores, values, sampling
    ):
        result.tests.append(
            PermutationTest(
                metric=metrics[test.better],
                other=metrics[test.other],
                delta=test.delta,
                p=test.p,
                resamples=test.resamples,
                **common,
            )
        )
    return result


class PairTest(NamedTuple):
    """A permutation test of two metrics, which are numbers; see PermutationTest."""

    better: int
    other: int
    delta: float = math.nan
    p: float = math.nan
    resamples: int = 0


def permutation_tests(
    statistic: Statistic,
    human: Floats,
    metrics: Floats,
    values: Sequence[Value],
    sampling: Sampling,
) -> list[PairTest]:
    """Test each two metrics on scores, float64 [systems, lines] and [metrics, systems, lines]:
    PERM-BOTH.

    NaN is a missing score. `values` are those of the statistic. Scores of metrics are standardised,
    and each resample swaps every score of the two metrics with probability 1/2 (Deutsch et al.
    2021). If metrics have an epsilon of their own, the result of every pair is swapped. Raises
    InputError if there are too many pairs."""
    scores = [value.value for value in values]
    undefined = [
        number for number, score in enumerate(scores) if math.isnan(score)
    ]
    defined = [
        number for number in range(len(scores)) if number not in undefined
    ]
    defined.sort(key=lambda number: -scores[number])
    tested = list(combinations(defined, 2))
    untested = []
    for better, other in combinations([*defined, *undefined], 2):
        if other in undefined:
            untested.append(PairTest(better, other))
    is_missing = np.isnan(metrics).any(axis=0)
    is_missing |= np.isnan(human)
    groups = statistic.groups(~is_missing)
    if not tested or not len(groups.cells):
        return untested
    if isinstance(statistic, Accuracy) and statistic.epsilon != "0":
        swapping = _swapped_pairs(
            statistic, groups, human, metrics, values, tested
        )
    else:
        swapping = _swapped_scores(statistic, groups, human, metrics, tested)

    def differences(drawn: Bools) -> Iterator[Floats]:
        """Yield by how much the better metric of each test is better: [draws]. A mean over no group
        counts as 0.
        """
        for of_other, of_better in swapping.exchange(drawn):
            yield np.nan_to_num(averaged(of_better)) - np.nan_to_num(
                averaged(of_other)
            )

    nothing_swapped = np.ones((1, *swapping.swapped.shape), np.bool_)
    deltas = [
        float(difference[0]) for difference in differences(nothing_swapped)
    ]
    reached = np.zeros(len(tested))
    for drawn in draws(swapping, sampling):
        for number, difference in enumerate(differences(drawn)):
            reached[number] += (difference >= deltas[number] - EQUAL).sum()
    count = sampling.permutations
    shares = (reached / count).tolist()
    results = []
    for pair, delta, share in zip(tested, deltas, shares, strict=True):
        results.append(PairTest(*pair, delta, share, count))
    return results + untested


class Swapping(NamedTuple):
    """What is swapped between the two metrics of a test."""

    swapped: Bools
    """True for what may be swapped: [groups, members or pairs of members]."""
    exchange: Exchange
    of_pairs: bool
    """Whether results of pairs are swapped, and not scores."""


def _swapped_scores(
    statistic: Statistic,
    groups: Groups,
    human: Floats,
    metrics: Floats,
    tests: Sequence[tuple[int, int]],
) -> Swapping:
    """Return the swapping of standardised scores."""
    human_groups = groups.of(human)
    scores = groups.of(metrics)
    present = groups.present
    compared_scores = scores[:, present]
    means = compared_scores.mean(axis=1)[:, None, None]
    deviations = compared_scores.std(axis=1)[:, None, None]
    deviations[deviations == 0] = 1.0
    scores = np.where(present, (scores - means) / deviations, 0.0)

    def exchange(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        for better, other in tests:
            mixed_other = np.where(drawn, scores[other], scores[better])
            mixed_better = np.where(drawn, scores[better], scores[other])
            yield (
                statistic.of_groups(human_groups, mixed_other, present),
                statistic.of_groups(human_groups, mixed_better, present),
            )

    return Swapping(present, exchange, of_pairs=False)


def _swapped_pairs(
    statistic: Accuracy,
    groups: Groups,
    human: Floats,
    metrics: Floats,
    values: Sequence[Value],
    tests: Sequence[tuple[int, int]],
) -> Swapping:
    """Return the swapping of results of pairs.

    A result is whether people and the metric, which has an epsilon of its own, order the pair alike
    or both tie it. The numbers of such pairs are one product of matrices for all metrics and draws,
    exact in float32 below 2**24."""
    human_groups = groups.of(human)
    scores = groups.of(metrics)
    group_count, members = human_groups.shape
    count = members * (members - 1) // 2
    if group_count * count > MAX_SWAPPED_PAIRS:
        raise InputError(
            f"permutations: {group_count * count:,} pairs are too many; average by item or system"
        )
    first, second = np.triu_indices(members, 1)
    human_differences = human_groups[:, first] - human_groups[:, second]
    counted = groups.present[:, first] & groups.present[:, second]
    # [groups, metrics, pairs]
    agrees = np.empty((group_count, len(scores), count), np.float32)
    for number, value in enumerate(values):
        epsilon = (
            statistic.tie_below if value.epsilon is None else value.epsilon
        )
        metric_differences = (
            scores[number][:, first] - scores[number][:, second]
        )
        kinds = pair_kinds(metric_differences, human_differences, epsilon)
        agrees[:, number] = (kinds.concordant | kinds.ties_both) & counted
    totals = agrees.sum(axis=-1)[..., None]
    pairs = counted.sum(axis=1)

    def exchange(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        drawn_pairs = np.ascontiguousarray(drawn.transpose(1, 2, 0), np.float32)
        stay = agrees @ drawn_pairs  # [groups, metrics, draws]
        leave = totals - stay
        for better, other in tests:
            of_other = stay[:, other] + leave[:, better]
            of_better = stay[:, better] + leave[:, other]
            yield (
                of_other.T.astype(np.float64) / pairs,
                of_better.T.astype(np.float64) / pairs,
            )

    every_pair = np.ones((group_count, count), np.bool_)
    return Swapping(every_pair, exchange, of_pairs=True)


def draws(swapping: Swapping, sampling: Sampling) -> Iterator[Bools]:
    """Yield draws, bool [draws, ...], of what may be swapped.

    Draws of scores are those that mt-metrics-eval makes after numpy.random.seed(seed).
    """
    swapped = swapping.swapped
    count = int(swapped.sum())
    random = np.random.RandomState(sampling.seed)
    generator = np.random.default_rng(sampling.seed)
    step = min(sampling.permutations, MAX_DRAWS_AT_ONCE // max(count, 1))
    step = max(step, 1)
    for low in range(0, sampling.permutations, step):
        size = min(step, sampling.permutations - low)
        drawn = np.zeros((size, *swapped.shape), np.bool_)
        if swapping.of_pairs:
            random_bytes = generator.bytes(size * -(-count // 8))
            bits = np.frombuffer(random_bytes, np.uint8).reshape(size, -1)
            drawn[:, swapped] = np.unpackbits(bits, axis=1, count=count)
        else:
            drawn[:, swapped] = random.binomial(1, 0.5, (size, count))
        yield drawn


def correlate(
    human: Rows,
    metrics: Mapping[str, Rows],
    statistics: str | Sequence[str] = "acc_eq",
    *,
    permutations: int = 0,
    seed: int = 12345,
) -> dict[str, list[JsonObject]]:
    """Return how metrics agree with people on scores of sentences, as `gec-pipeline correlate`
    does.

    `human` has a row for each system with a score for each sentence, and `metrics` has such rows
    for each metric, by name. None or NaN is a missing score. `statistics` are one or more, such as
    "acc_eq" or "pearson[average=item]"; `gec-pipeline list statistics` has all. For one score of
    each system say "[level=system]" and give rows of one score. With `permutations` each two
    metrics are tested with so many resamples, whose draws begin with `seed`.

    The result has the lists `statistics` and `permutations`, whose members are those of
    results.json. Raises InputError if the shapes differ, or a statistic is unknown.
    """
    human_table = _rows("human", human)
    if not isinstance(metrics, Mapping) or not metrics:
        raise InputError(
            "metrics: expected a mapping with the scores of each metric by its name"
        )
    tables = [
        _rows(name, rows, human_table.shape) for name, rows in metrics.items()
    ]
    scores = np.stack(tables)
    if permutations < 0:
        raise InputError("expected permutations from 0")
    texts = [statistics] if isinstance(statistics, str) else statistics
    requested = requested_statistics(texts)
    lines = human_table.shape[1]
    for statistic in requested:
        if statistic.level == "system" and lines != 1:
            message = f"{statistic} compares one score of each system; found {lines:,} of each"
            raise InputError(message)
    where = {"dataset": "", "human": "human"}
    sampling = Sampling(permutations, seed)
    agreements: list[JsonObject] = []
    tests: list[JsonObject] = []
    for statistic in requested:
        one = compare(
            statistic, human_table, scores, list(metrics), sampling, where
        )
        agreements += map(asdict, one.agreements)
        tests += map(asdict, one.tests)
    return {"statistics": agreements, "permutations": tests}


def _rows(
    name: str, scores: Rows, shape: tuple[int, ...] | None = None
) -> Floats:
    """Return scores as float64 [systems, sentences]; raises InputError if they have another shape."""
    try:
        rows: Floats = np.array(scores, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name}: expected rows of numbers, all of the same length: a row for each system"
        ) from None
    if rows.ndim != 2 or np.isinf(rows).any():
        raise InputError(
            f"{name}: expected a row of finite scores for each system, found the shape {rows.shape}"
        )
    if shape is not None and rows.shape != shape:
        systems, lines = rows.shape
        human_systems, human_lines = shape
        raise InputError(
            f"{name}: has {systems} systems with {lines:,} sentences, "
            f"human has {human_systems} systems with {human_lines:,} sentences"
        )
    return rows
