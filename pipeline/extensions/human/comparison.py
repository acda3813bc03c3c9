"""Statistics of how metrics agree with people, with their permutation tests: those of a config, or
of scores in memory.

They compare all metrics with one human score, on the same systems.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pipeline.arrays import Bools, Floats
from pipeline.errors import ConfigError, InputError

from .correlation import EQUAL, pair_kinds
from .models import HumanConfig
from .score_files import MetricScores
from .statistics import Accuracy, Statistic, Value, averaged, statistic_of

Rows = ArrayLike | Sequence[Sequence[float | None]]
"""A row for each system, with a score for each sentence."""
Exchange = Callable[[Bools], Iterator[tuple[Floats, Floats]]]
"""From draws, bool [draws, groups, members or pairs of members], to the values of both metrics of
each test.

Where a draw is false, the two metrics exchange what it stands for. The values are float64 [draws,
groups]. """

AT_ONCE = 1_500_000
"""How many draws of a score or of a pair are in memory at once."""
MOST_PAIRS = 16_000_000
"""The most pairs that may be swapped."""
USUAL = ("pearson", "kendall[average=item]", "acc_eq", "soft_accuracy")
"""The statistics for scores of sentences where none are asked for."""


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


def asked_statistics(texts: Sequence[str]) -> list[Statistic]:
    """Return the statistics that texts ask for. Raises InputError where there is no such one, or
    one is there twice.
    """
    try:
        statistics = [statistic_of(text) for text in texts]
    except ConfigError as error:
        raise InputError(f"statistics: {error}") from None
    twice = next((one for number, one in enumerate(statistics) if one in statistics[:number]), None)
    if twice:
        raise InputError(f"statistics: {twice} is asked for twice")
    return statistics


def configured_statistics(config: HumanConfig, file: str, sentences: bool) -> list[Statistic]:
    """Return the statistics that a config asks for; where it asks for none, the usual ones for
    scores of sentences.

    Raises InputError where there is no such one, or one compares scores of sentences that the human
    scores of a file do not have."""
    statistics = asked_statistics(config.statistics or (USUAL if sentences else ()))
    if not sentences:
        refuse_sentences(statistics, file)
    return statistics


def refuse_sentences(statistics: Sequence[Statistic], whose: str) -> None:
    """Raise InputError where a statistic needs scores of sentences, which a file or a metric does
    not have.
    """
    for statistic in statistics:
        if statistic.level == "sentence":
            systems = any(
                option.name == "level" and "system" in (option.choices or ())
                for option in statistic.options
            )
            hint = f"; for scores of systems say {statistic.name}[level=system]" if systems else ""
            raise InputError(
                f"{statistic} compares scores of sentences, and {whose} has none{hint}"
            )


def compared(
    metrics: Sequence[MetricScores],
    file: str,
    title: str,
    scores: Mapping[str, float],
    sentences: Mapping[str, Floats] | None,
    config: HumanConfig,
) -> tuple[list[Agreement], list[PermutationTest], list[str]]:
    """Return the statistics that a config asks for, their tests, and notes on what has no value or
    was left out.

    People gave the `scores` to systems, and those of `sentences`, float64 [lines] with NaN where
    one is lacking, to their outputs. Raises InputError where the scores do not suit a statistic.
    """
    asked, names = (
        configured_statistics(config, file, sentences is not None),
        [metric.metric for metric in metrics],
    )
    of_systems = [[metric.scores[name] for name in scores] for metric in metrics]
    levels = {
        "system": (np.array(list(scores.values()))[:, None], np.array(of_systems)[:, :, None])
    }
    notes: list[str] = []
    if sentences is not None and any(statistic.level == "sentence" for statistic in asked):
        for metric in metrics:
            if metric.sentences is None:
                refuse_sentences(asked, metric.metric)
        human = np.stack([sentences[name] for name in scores])
        own = [metric.sentences_of(list(scores), "statistics") for metric in metrics]
        other = next((rows.shape[1] for rows in own if rows.shape[1] != human.shape[1]), None)
        if other is not None:
            raise InputError(
                f"{file}: has scores of {human.shape[1]:,} sentences of each system, the metrics have {other:,}: are "
                "these the same sentences?"
            )
        levels["sentence"] = human, np.stack(own)
        lacking = np.isnan(human)
        if lacking.any():
            notes.append(
                f"{lacking.sum():,} of {lacking.size:,} outputs have no score by people, and are left out"
            )
        counts = [int((np.isnan(rows) & ~lacking).sum()) for rows in own]
        notes += [
            f"{count:,} outputs with a score by people have none by {name}, and are left out for all metrics"
            for name, count in zip(names, counts, strict=True)
            if count
        ]
    where = {"dataset": metrics[0].dataset, "human": title}
    draws = config.permutations or 0, config.seed
    results = [
        compare(statistic, *levels[statistic.level], names, *draws, where) for statistic in asked
    ]
    agreements = [one for values, _ in results for one in values]
    notes += [
        f"{one.metric}: {one.statistic} has no value: {one.reason}"
        for one in agreements
        if one.reason
    ]
    return agreements, [test for _, tests in results for test in tests], notes


def compare(
    statistic: Statistic,
    human: Floats,
    scores: Floats,
    metrics: Sequence[str],
    permutations: int,
    seed: int,
    where: Mapping[str, str],
) -> tuple[list[Agreement], list[PermutationTest]]:
    """Return a statistic of each of the named metrics, and the tests of each two.

    Scores are float64 [systems, lines] and [metrics, systems, lines]; NaN is a lacking score.
    `where` names the data set and the human score. Raises InputError where the statistic has no
    such test."""
    human_data = np.where(np.isnan(scores).any(axis=0), np.nan, human)
    values = [statistic.value(human_data, own) for own in scores]
    known: dict[str, Any] = {**where, "statistic": str(statistic)}
    agreements = [
        Agreement(metric=name, **known, **asdict(one))
        for name, one in zip(metrics, values, strict=True)
    ]
    tests = (
        permutation_tests(statistic, human_data, scores, values, permutations, seed)
        if permutations
        else []
    )
    return agreements, [
        PermutationTest(
            metric=metrics[better], other=metrics[other], delta=delta, p=p, resamples=drawn, **known
        )
        for (better, other), delta, p, drawn in tests
    ]


def permutation_tests(
    statistic: Statistic,
    human: Floats,
    metrics: Floats,
    values: Sequence[Value],
    resamples: int,
    seed: int,
) -> list[tuple[tuple[int, int], float, float, int]]:
    """Test each two metrics on scores, float64 [systems, lines] and [metrics, systems, lines]:
    PERM-BOTH.

    Return the numbers of the better and of the other metric with delta, p and resamples: see
    PermutationTest. NaN is a lacking score. `values` are those of the statistic. Scores of metrics
    are standardised, and each resample swaps every score of the two metrics with probability 1/2
    (Deutsch et al. 2021). Where metrics have an epsilon of their own, the result of every pair is
    swapped. Raises InputError where there are too many pairs."""
    undefined = [math.isnan(value.value) for value in values]
    order = sorted(
        range(len(values)), key=lambda number: (undefined[number], -values[number].value)
    )
    ranked = list(combinations(order, 2))  # the better one of each two comes first
    tested = [pair for pair in ranked if not any(undefined[number] for number in pair)]
    groups = statistic.groups(~(np.isnan(human) | np.isnan(metrics).any(axis=0)))
    none = [(pair, math.nan, math.nan, 0) for pair in ranked if pair not in tested]
    if not tested or not len(groups.cells):
        return none
    human_data, scores, of_pairs = groups.of(human), groups.of(metrics), False
    pairs = [(other, better) for better, other in tested]
    if isinstance(statistic, Accuracy) and statistic.epsilon != "0":
        count = human_data.shape[1] * (human_data.shape[1] - 1) // 2
        if len(human_data) * count > MOST_PAIRS:
            raise InputError(
                f"permutations: {len(human_data) * count:,} pairs are too many; average by item or system"
            )
        epsilons = [
            statistic.tie_below if value.epsilon is None else value.epsilon for value in values
        ]
        swapped, of_pairs = np.ones((len(human_data), count), np.bool_), True
        exchange = _exchanged_pairs(human_data, scores, epsilons, groups.present, pairs)
    else:
        own = scores[:, groups.present]
        means, deviations = own.mean(axis=1)[:, None, None], own.std(axis=1)[:, None, None]
        scores = np.where(
            groups.present, (scores - means) / np.where(deviations > 0, deviations, 1.0), 0.0
        )
        swapped = groups.present

        def exchange(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
            for one, two in pairs:
                mixed = (
                    np.where(drawn, scores[own], scores[other])
                    for own, other in ((one, two), (two, one))
                )
                first, second = (
                    statistic.of_groups(human_data, own, groups.present) for own in mixed
                )
                yield first, second

    def differences(drawn: Bools) -> Iterator[Floats]:
        """Yield by how much the better metric of each test is better: [draws]. A mean over no group
        counts as 0.
        """
        for both in exchange(drawn):
            other, better = (np.nan_to_num(averaged(own)) for own in both)
            yield better - other

    deltas = [float(one[0]) for one in differences(np.ones((1, *swapped.shape), np.bool_))]
    reached = np.zeros(len(tested))
    for drawn in draws(swapped, of_pairs, resamples, seed):
        reached += [
            (one >= delta - EQUAL).sum()
            for one, delta in zip(differences(drawn), deltas, strict=True)
        ]
    shares = (reached / resamples).tolist()
    return [*((*own, resamples) for own in zip(tested, deltas, shares, strict=True)), *none]


def draws(swapped: Bools, of_pairs: bool, resamples: int, seed: int) -> Iterator[Bools]:
    """Yield draws, bool [draws, ...], of what `swapped`, bool [...], says.

    Draws of scores are those that mt-metrics-eval makes after numpy.random.seed(seed).
    """
    count = int(swapped.sum())
    random, generator = np.random.RandomState(seed), np.random.default_rng(seed)
    step = max(1, min(resamples, AT_ONCE // max(count, 1)))
    for low in range(0, resamples, step):
        size = min(step, resamples - low)
        drawn = np.zeros((size, *swapped.shape), np.bool_)
        if of_pairs:
            bits = np.frombuffer(generator.bytes(size * -(-count // 8)), np.uint8).reshape(size, -1)
            drawn[:, swapped] = np.unpackbits(bits, axis=1, count=count)
        else:
            drawn[:, swapped] = random.binomial(1, 0.5, (size, count))
        yield drawn


def _exchanged_pairs(
    human: Floats,
    metrics: Floats,
    epsilons: Sequence[float],
    present: Bools,
    tests: Sequence[tuple[int, int]],
) -> Exchange:
    """Return what the accuracy is after both metrics of each test exchanged results of pairs: see
    Exchange.

    A result is whether people and the metric, which has an epsilon of its own, order the pair alike
    or both tie it. The numbers of such pairs are one product of matrices for all metrics and draws,
    exact in float32 below 2**24."""
    first, second = np.triu_indices(human.shape[1], 1)
    human_data = human[:, first] - human[:, second]
    counted = present[:, first] & present[:, second]
    agrees = np.empty(
        (human_data.shape[0], len(metrics), human_data.shape[1]), np.float32
    )  # [groups, metrics, pairs]
    for number, (scores, epsilon) in enumerate(zip(metrics, epsilons, strict=True)):
        kinds = pair_kinds(scores[:, first] - scores[:, second], human_data, epsilon)
        agrees[:, number] = (kinds.concordant | kinds.ties_both) & counted
    totals, pairs = agrees.sum(axis=-1)[..., None], counted.sum(axis=1)

    def values(drawn: Bools) -> Iterator[tuple[Floats, Floats]]:
        kept = agrees @ np.ascontiguousarray(
            drawn.transpose(1, 2, 0), np.float32
        )  # [groups, metrics, draws]
        left = totals - kept
        for one, two in tests:
            first, second = kept[:, one] + left[:, two], kept[:, two] + left[:, one]
            yield first.T.astype(np.float64) / pairs, second.T.astype(np.float64) / pairs

    return values


def correlate(
    human: Rows,
    metrics: Mapping[str, Rows],
    statistics: str | Sequence[str] = "acc_eq",
    *,
    permutations: int = 0,
    seed: int = 12345,
) -> dict[str, list[dict[str, Any]]]:
    """Return how metrics agree with people on scores of sentences, as `gec-pipeline correlate`
    does.

    `human` has a row for each system with a score for each sentence, and `metrics` has such rows
    for each metric, by name. None or NaN is a score that is lacking. `statistics` are one or more,
    such as "acc_eq" or "pearson[average=item]"; `gec-pipeline list statistics` has all. For one
    score of each system say "[level=system]" and give rows of one score. With `permutations` each
    two metrics are tested with so many resamples, whose draws begin with `seed`.

    What is returned has the lists `statistics` and `permutations`, whose members are those of
    results.json. Raises InputError where the shapes differ, and where there is no such statistic.
    """
    human_data = _rows("human", human)
    if not isinstance(metrics, Mapping) or not metrics:
        raise InputError("metrics: expected a mapping with the scores of each metric by its name")
    scores = np.stack([_rows(name, own, human_data.shape) for name, own in metrics.items()])
    if permutations < 0:
        raise InputError("expected permutations from 0")
    asked = asked_statistics([statistics] if isinstance(statistics, str) else statistics)
    for statistic in asked:
        if statistic.level == "system" and human_data.shape[1] != 1:
            raise InputError(
                f"{statistic} compares one score of each system; found {human_data.shape[1]:,} of each"
            )
    where = {"dataset": "", "human": "human"}
    results = [
        compare(one, human_data, scores, list(metrics), permutations, seed, where) for one in asked
    ]
    return {
        "statistics": [asdict(one) for agreements, _ in results for one in agreements],
        "permutations": [asdict(one) for _, tests in results for one in tests],
    }


def _rows(name: str, scores: Rows, shape: tuple[int, ...] | None = None) -> Floats:
    """Return scores as float64 [systems, sentences]. Raises InputError where they have another
    shape.
    """
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
        own, other = (
            f"{systems} systems with {lines:,} sentences" for systems, lines in (rows.shape, shape)
        )
        raise InputError(f"{name}: has {own}, human has {other}")
    return rows
