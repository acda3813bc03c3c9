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
"""From draws, bool [draws, groups, members or pairs of members], to the statistic of the other and
of the better metric of each test, float64 [draws, groups].

Where a draw is false, the two metrics exchange what it stands for."""

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
    """Return the statistics of a config; if it names none, the usual ones for scores of sentences,
    or none without such scores.

    `has_sentences` says whether the human scores in `file` have scores of sentences. Raises
    InputError if a statistic is unknown, or needs them and they are missing."""
    usual = USUAL if has_sentences else ()
    statistics = requested_statistics(config.statistics or usual)
    if not has_sentences:
        refuse_sentences(statistics, file)
    return statistics


def refuse_sentences(statistics: Sequence[Statistic], whose: str) -> None:
    """Raise InputError if a statistic needs scores of sentences, which `whose`, a file or metric,
    does not have. For one that can compare systems, the message says how.
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
    """Return the statistics of each metric that a config requests, and tests between metrics, for
    the human score named `title` in a file.

    `scores` are the human scores by system, and `sentences` those of each system's outputs, float64
    [lines], if there are any. Raises InputError if the scores do not suit a statistic, or human
    and metric scores are of different numbers of sentences."""
    has_sentences = sentences is not None
    statistics = configured_statistics(
        config, file, has_sentences=has_sentences
    )
    names = [metric.metric for metric in metrics]
    systems = list(scores)
    human_column = vector(scores, systems)
    metric_columns = np.stack(
        [vector(metric.scores, systems) for metric in metrics]
    )
    # Human scores [systems, lines] and metric scores [metrics, systems, lines];
    # at the level of systems there is one line.
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
    labels = {"dataset": metrics[0].dataset, "human": title}
    sampling = Sampling(config.permutations or 0, config.seed)
    for statistic in statistics:
        human, metric_scores = scores_by_level[statistic.level]
        comparison = compare(
            statistic, human, metric_scores, names, sampling, labels
        )
        result.agreements.extend(comparison.agreements)
        result.tests.extend(comparison.tests)
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
    """Yield warnings about outputs with a missing score (NaN), by people or by one of the named
    metrics: `human` and each table are float64 [systems, lines].
    """
    is_missing = np.isnan(human)
    if is_missing.any():
        yield (
            f"{is_missing.sum():,} of {is_missing.size:,} outputs have no score by people, "
            "and are left out"
        )
    for name, table in zip(names, tables, strict=True):
        count = int((np.isnan(table) & ~is_missing).sum())
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
    labels: Mapping[str, str],
) -> Comparison:
    """Return a statistic of each of the named metrics, and permutation tests of each two, if the
    sampling has permutations.

    Human scores are float64 [systems, lines], the metrics' [metrics, systems, lines]; NaN is a
    missing score, and an output without a score by one metric is left out for all. `labels` are the
    fields `dataset` and `human` of each result. Raises InputError if there are too many pairs to
    test."""
    is_missing = np.isnan(scores).any(axis=0)
    common_human = np.where(is_missing, np.nan, human)
    values = [
        statistic.value(common_human, metric_scores) for metric_scores in scores
    ]
    shared_fields: JsonObject = {**labels, "statistic": str(statistic)}
    result = Comparison([], [], [])
    for name, value in zip(metrics, values, strict=True):
        fields = {**shared_fields, **asdict(value)}
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
                **shared_fields,
            )
        )
    return result


class PairTest(NamedTuple):
    """A permutation test of two metrics, which are indices; see PermutationTest."""

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
    """Return a permutation test (PERM-BOTH, Deutsch et al. 2021) of each two metrics, the better one
    first: whether its statistic is higher.

    Human scores are float64 [systems, lines], the metrics' [metrics, systems, lines]; NaN is a
    missing score. `values` has the statistic of each metric; where it is NaN, so is the p-value.
    Scores of metrics are standardised, and each resample swaps every score of the two metrics with
    probability 1/2. If ties have an epsilon, which may differ between metrics, a resample swaps
    instead whether each pair of scores agrees with people. Raises InputError if there are too many
    pairs."""
    undefined = []
    defined = []
    for metric, value in enumerate(values):
        if math.isnan(value.value):
            undefined.append(metric)
        else:
            defined.append(metric)
    defined.sort(key=lambda metric: -values[metric].value)
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

    def differences(unswapped: Bools) -> Iterator[Floats]:
        """Yield for each test how much higher the statistic of its better metric is in each draw:
        float64 [draws]. A mean over no group counts as 0.
        """
        for other_values, better_values in swapping.exchange(unswapped):
            better_means = np.nan_to_num(averaged(better_values))
            yield better_means - np.nan_to_num(averaged(other_values))

    nothing_swapped = np.ones((1, *swapping.swappable.shape), np.bool_)
    deltas = [
        float(difference[0]) for difference in differences(nothing_swapped)
    ]
    reached_counts = np.zeros(len(tested))
    for unswapped in draws(swapping, sampling):
        for test, difference in enumerate(differences(unswapped)):
            is_reached = difference >= deltas[test] - EQUAL
            reached_counts[test] += is_reached.sum()
    resamples = sampling.permutations
    p_values = (reached_counts / resamples).tolist()
    results = []
    for pair, delta, p in zip(tested, deltas, p_values, strict=True):
        results.append(PairTest(*pair, delta, p, resamples))
    return results + untested


class Swapping(NamedTuple):
    """What is swapped between the two metrics of a test."""

    swappable: Bools
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
    """Return how two metrics exchange single scores, each standardised over all its scores.

    Human scores are float64 [systems, lines], the metrics' [metrics, systems, lines]; `tests` has
    the indices of the better and the other metric of each test."""
    human_groups = groups.of(human)
    scores = groups.of(metrics)
    present = groups.present
    compared_scores = scores[:, present]
    means = compared_scores.mean(axis=1)[:, None, None]
    deviations = compared_scores.std(axis=1)[:, None, None]
    deviations[deviations == 0] = 1.0
    scores = np.where(present, (scores - means) / deviations, 0.0)

    def exchange(unswapped: Bools) -> Iterator[tuple[Floats, Floats]]:
        for better, other in tests:
            mixed_other = np.where(unswapped, scores[other], scores[better])
            mixed_better = np.where(unswapped, scores[better], scores[other])
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
    """Return how two metrics exchange results of pairs of scores: whether people and the metric
    order the pair alike or both tie it, with the metric's epsilon (see Value) or that of the
    statistic.

    Human scores are float64 [systems, lines], the metrics' [metrics, systems, lines]; `values` has
    the statistic of each metric, and `tests` the indices of the better and the other metric of each
    test. Raises InputError if there are too many pairs."""
    human_groups = groups.of(human)
    scores = groups.of(metrics)
    group_count, members = human_groups.shape
    pairs_per_group = members * (members - 1) // 2
    pair_count = group_count * pairs_per_group
    if pair_count > MAX_SWAPPED_PAIRS:
        raise InputError(
            f"permutations: {pair_count:,} pairs are too many; average by item or system"
        )
    first, second = np.triu_indices(members, 1)
    human_differences = human_groups[:, first] - human_groups[:, second]
    is_present = groups.present[:, first] & groups.present[:, second]
    # [groups, metrics, pairs]
    shape = (group_count, len(scores), pairs_per_group)
    agrees = np.empty(shape, np.float32)
    for metric, value in enumerate(values):
        epsilon = value.epsilon
        if epsilon is None:
            epsilon = statistic.tie_below
        differences = scores[metric][:, first] - scores[metric][:, second]
        kinds = pair_kinds(differences, human_differences, epsilon)
        agrees[:, metric] = (kinds.concordant | kinds.ties_both) & is_present
    agreeing = agrees.sum(axis=-1)[..., None]
    present_pairs = is_present.sum(axis=1)

    def exchange(unswapped: Bools) -> Iterator[tuple[Floats, Floats]]:
        """Yield the shares of agreeing pairs, float64 [draws, groups], of both metrics of each test,
        the other one first.
        """
        # One product of matrices counts the pairs for all metrics and draws;
        # in float32 counts below 2**24 are exact.
        by_pair = np.ascontiguousarray(unswapped.transpose(1, 2, 0), np.float32)
        agreeing_unswapped = agrees @ by_pair  # [groups, metrics, draws]
        agreeing_swapped = agreeing - agreeing_unswapped
        for better, other in tests:
            of_other = (
                agreeing_unswapped[:, other] + agreeing_swapped[:, better]
            )
            of_better = (
                agreeing_unswapped[:, better] + agreeing_swapped[:, other]
            )
            yield (
                of_other.T.astype(np.float64) / present_pairs,
                of_better.T.astype(np.float64) / present_pairs,
            )

    every_pair = np.ones((group_count, pairs_per_group), np.bool_)
    return Swapping(every_pair, exchange, of_pairs=True)


def draws(swapping: Swapping, sampling: Sampling) -> Iterator[Bools]:
    """Yield random draws, bool [draws, groups, members or pairs of members], in parts that fit in
    memory: false for what the two metrics exchange, and for what is not swappable.

    Draws of scores are those that mt-metrics-eval makes after numpy.random.seed(seed). Draws of
    pairs are random bits, since there are many more of them.
    """
    swappable = swapping.swappable
    count = int(swappable.sum())
    binomial = np.random.RandomState(sampling.seed).binomial
    generator = np.random.default_rng(sampling.seed)
    step = min(sampling.permutations, MAX_DRAWS_AT_ONCE // max(count, 1))
    step = max(step, 1)
    for start in range(0, sampling.permutations, step):
        size = min(step, sampling.permutations - start)
        unswapped = np.zeros((size, *swappable.shape), np.bool_)
        if swapping.of_pairs:
            bytes_per_draw = math.ceil(count / 8)
            random_bytes = generator.bytes(size * bytes_per_draw)
            byte_rows = np.frombuffer(random_bytes, np.uint8).reshape(size, -1)
            bits = np.unpackbits(byte_rows, axis=1, count=count)
            unswapped[:, swappable] = bits
        else:
            unswapped[:, swappable] = binomial(1, 0.5, (size, count))
        yield unswapped


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
    each system use "[level=system]" and rows of one score. With `permutations` each two metrics are
    tested with so many resamples, drawn with the seed `seed`.

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
    labels = {"dataset": "", "human": "human"}
    sampling = Sampling(permutations, seed)
    agreements: list[JsonObject] = []
    tests: list[JsonObject] = []
    for statistic in requested:
        comparison = compare(
            statistic, human_table, scores, list(metrics), sampling, labels
        )
        agreements += map(asdict, comparison.agreements)
        tests += map(asdict, comparison.tests)
    return {"statistics": agreements, "permutations": tests}


def _rows(
    name: str, scores: Rows, shape: tuple[int, ...] | None = None
) -> Floats:
    """Return scores as float64 [systems, sentences], NaN for None; raises InputError if they are no
    table of finite numbers, or of another shape than `shape`, that of the human scores.

    `name` is what messages call the scores."""
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
