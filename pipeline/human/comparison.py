"""Statistics of how metrics agree with people, with their permutation tests: those of a config, or of scores in memory.

They compare all metrics with one human score, on the same systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConfigError, InputError
from .statistics import statistic_of
from .statistics.permutation import permutation_tests
from .statistics.statistic import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ..arrays import Floats
    from ..config.models import HumanConfig
    from .score_files import MetricScores
    from .statistics.statistic import Statistic

    Rows = ArrayLike | Sequence[Sequence[float | None]]
    """A row for each system, with a score for each sentence."""

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
    p: float
    """One-sided."""
    resamples: int
    """How many resamples were drawn before the test stopped."""


def asked_statistics(texts: Sequence[str]) -> list[Statistic]:
    """Return the statistics that texts ask for. Raises InputError where there is no such one, or one is there twice."""
    try:
        statistics = [statistic_of(text) for text in texts]
    except ConfigError as error:
        raise InputError(f"statistics: {error}") from None
    twice = next((one for number, one in enumerate(statistics) if one in statistics[:number]), None)
    if twice:
        raise InputError(f"statistics: {twice} is asked for twice")
    return statistics


def configured_statistics(config: HumanConfig, file: str, sentences: bool) -> list[Statistic]:
    """Return the statistics that a config asks for; where it asks for none, the usual ones for scores of sentences.

    Raises InputError where there is no such one, or one compares scores of sentences that the human scores of a file
    do not have.
    """
    statistics = asked_statistics(config.statistics or (USUAL if sentences else ()))
    if not sentences:
        refuse_sentences(statistics, file)
    return statistics


def refuse_sentences(statistics: Sequence[Statistic], whose: str) -> None:
    """Raise InputError where a statistic needs scores of sentences, which a file or a metric does not have."""
    for statistic in statistics:
        if statistic.level == "sentence":
            systems = any(option.name == "level" and "system" in (option.choices or ()) for option in statistic.options)
            hint = f"; for scores of systems say {statistic.name}[level=system]" if systems else ""
            raise InputError(f"{statistic} compares scores of sentences, and {whose} has none{hint}")


def compared(
    metrics: Sequence[MetricScores],
    file: str,
    title: str,
    scores: Mapping[str, float],
    sentences: Mapping[str, Floats] | None,
    config: HumanConfig,
) -> tuple[list[Agreement], list[PermutationTest], list[str]]:
    """Return the statistics that a config asks for, their tests, and notes on what has no value or was left out.

    People gave the `scores` to systems, and those of `sentences`, float64 [lines] with NaN where one is lacking, to
    their outputs. Raises InputError where the scores do not suit a statistic.
    """
    asked, names = configured_statistics(config, file, sentences is not None), [metric.metric for metric in metrics]
    of_systems = [[metric.scores[name] for name in scores] for metric in metrics]
    levels = {"system": (np.array(list(scores.values()))[:, None], np.array(of_systems)[:, :, None])}
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
            notes.append(f"{lacking.sum():,} of {lacking.size:,} outputs have no score by people, and are left out")
        counts = [int((np.isnan(rows) & ~lacking).sum()) for rows in own]
        notes += [
            f"{count:,} outputs with a score by people have none by {name}, and are left out for all metrics"
            for name, count in zip(names, counts, strict=True)
            if count
        ]
    where = {"dataset": metrics[0].dataset, "human": title}
    draws = config.permutations or 0, config.seed
    results = [compare(statistic, *levels[statistic.level], names, *draws, where) for statistic in asked]
    agreements = [one for values, _ in results for one in values]
    notes += [f"{one.metric}: {one.statistic} has no value: {one.reason}" for one in agreements if one.reason]
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

    Scores are float64 [systems, lines] and [metrics, systems, lines]; NaN is a lacking score. `where` names the data
    set and the human score. Raises InputError where the statistic has no such test.
    """
    people = np.where(np.isnan(scores).any(axis=0), np.nan, human)
    values = [statistic.value(people, own) for own in scores]
    known: dict[str, Any] = {**where, "statistic": str(statistic)}
    agreements = [Agreement(metric=name, **known, **asdict(one)) for name, one in zip(metrics, values, strict=True)]
    tests = []
    if permutations:
        tests = permutation_tests(statistic, people, scores, values, resamples=permutations, seed=seed)
    return agreements, [
        PermutationTest(metric=metrics[better], other=metrics[other], delta=delta, p=p, resamples=drawn, **known)
        for better, other, delta, p, drawn in tests
    ]


def correlate(
    human: Rows,
    metrics: Mapping[str, Rows],
    statistics: str | Sequence[str] = "acc_eq",
    *,
    permutations: int = 0,
    seed: int = 12345,
) -> dict[str, list[dict[str, Any]]]:
    """Return how metrics agree with people on scores of sentences, as `gec-pipeline correlate` does.

    `human` has a row for each system with a score for each sentence, and `metrics` has such rows for each metric, by
    name. None or NaN is a score that is lacking. `statistics` are one or more, such as "acc_eq" or
    "pearson[average=item]"; `gec-pipeline list statistics` has all. For one score of each system say "[level=system]"
    and give rows of one score. With `permutations` each two metrics are tested with so many resamples, whose draws
    begin with `seed`.

    What is returned has the lists `statistics` and `permutations`, whose members are those of results.json.
    Raises InputError where the shapes differ, and where there is no such statistic.
    """
    people = _rows("human", human)
    if not isinstance(metrics, Mapping) or not metrics:
        raise InputError("metrics: expected a mapping with the scores of each metric by its name")
    scores = np.stack([_rows(name, own, people.shape) for name, own in metrics.items()])
    if permutations < 0:
        raise InputError("expected permutations from 0")
    asked = asked_statistics([statistics] if isinstance(statistics, str) else statistics)
    for statistic in asked:
        if statistic.level == "system" and people.shape[1] != 1:
            raise InputError(f"{statistic} compares one score of each system; found {people.shape[1]:,} of each")
    where = {"dataset": "", "human": "human"}
    results = [compare(one, people, scores, list(metrics), permutations, seed, where) for one in asked]
    return {
        "statistics": [asdict(one) for agreements, _ in results for one in agreements],
        "permutations": [asdict(one) for _, tests in results for one in tests],
    }


def _rows(name: str, scores: Rows, shape: tuple[int, ...] | None = None) -> Floats:
    """Return scores as float64 [systems, sentences]. Raises InputError where they have another shape."""
    try:
        rows: Floats = np.array(scores, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected rows of numbers, all of the same length: a row for each system") from None
    if rows.ndim != 2 or np.isinf(rows).any():
        raise InputError(f"{name}: expected a row of finite scores for each system, found the shape {rows.shape}")
    if shape is not None and rows.shape != shape:
        own, other = (f"{systems} systems with {lines:,} sentences" for systems, lines in (rows.shape, shape))
        raise InputError(f"{name}: has {own}, human has {other}")
    return rows
