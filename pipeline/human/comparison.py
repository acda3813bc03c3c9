"""Scores in memory: statistics of how metrics agree with people, without a run or files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import ConfigError, InputError
from .statistics import statistic_of
from .statistics.permutation import Settings, permutation_tests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from ..arrays import Floats
    from ..config.models import WrittenHuman
    from .score_files import MetricScores
    from .statistics.statistic import Statistic, Value

    Rows = ArrayLike | Sequence[Sequence[float | None]]
    """A row for each system, with a score for each sentence."""


# The statistics that a config asks for, of all metrics and one human score, with their permutation tests.


USUAL = ("pearson", "kendall[average=item]", "acc_eq", "soft_accuracy")
"""The statistics for scores of sentences where none are asked for."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """A statistic of one metric and one human score."""

    dataset: str
    metric: str
    human: str
    statistic: str
    """The signature of the statistic."""
    value: float
    scores: int
    """How many scores of outputs were compared."""
    groups: int
    """How many groups the value is the mean of."""
    undefined: int
    """How many groups were left out, because all scores of one side are equal there."""
    epsilon: float | None
    """The difference of scores up to which they were taken for equal, where the best one was sought."""
    reason: str
    """Why there is no value."""


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


def asked_statistics(config: WrittenHuman, sentences: bool) -> list[Statistic]:
    """Return the statistics that a config asks for; where it asks for none, the usual ones for scores of sentences.

    Raises InputError where there is no such one.
    """
    try:
        statistics = [statistic_of(text) for text in config.statistics or (USUAL if sentences else ())]
    except ConfigError as error:
        raise InputError(f"statistics: {error}") from None
    twice = next((one for number, one in enumerate(statistics) if one in statistics[:number]), None)
    if twice:
        raise InputError(f"statistics: {twice} is asked for twice")
    return statistics


class HumanScores(NamedTuple):
    """What people said of systems, and of their sentences where that is known."""

    file: str
    """What messages call the file."""
    title: str
    """The name of the score."""
    systems: dict[str, float]
    """The score of each system that is compared."""
    sentences: dict[str, Floats] | None
    """The scores of the sentences of each system, float64 [lines]; NaN where one is lacking."""


def compared(
    metrics: Sequence[MetricScores], people: HumanScores, config: WrittenHuman
) -> tuple[list[Agreement], list[PermutationTest], list[str]]:
    """Return the statistics that a config asks for, their tests, and notes on what has no value or was left out.

    Raises InputError where the scores do not suit a statistic.
    """
    asked, systems = asked_statistics(config, people.sentences is not None), list(people.systems)
    names = [metric.metric for metric in metrics]
    comparison = Comparison(metrics[0].dataset, people.title, names, _test_settings(config))
    scores = {"system": _of_systems(metrics, people)}
    notes: list[str] = []
    of_sentences = [statistic for statistic in asked if statistic.level == "sentence"]
    if of_sentences:
        lacking = next((metric.metric for metric in metrics if metric.sentences is None), None)
        check_sentences(of_sentences[0], people.file, people.sentences is not None, lacking)
        human = np.stack([(people.sentences or {})[name] for name in systems])
        own = [metric.sentences_of(systems, "statistics") for metric in metrics]
        check_lines(people.file, human.shape[1], [rows.shape[1] for rows in own])
        scores["sentence"] = human, np.stack(own)
        notes += notes_on_lacking(human, own, names)
    results = [comparison.compare(statistic, *scores[statistic.level]) for statistic in asked]
    agreements = [one for values, _ in results for one in values]
    notes += [f"{one.metric}: {one.statistic} has no value: {one.reason}" for one in agreements if one.reason]
    return agreements, [test for _, tests in results for test in tests], notes


def _test_settings(config: WrittenHuman) -> Settings:
    return Settings(
        resamples=config.permutations or 0,
        swap=config.swap,
        block=config.block,
        early_min=config.early_min,
        early_max=config.early_max,
        seed=config.seed,
    )


def _of_systems(metrics: Sequence[MetricScores], people: HumanScores) -> tuple[Floats, Floats]:
    """Return scores of systems by people, float64 [systems, 1], and by metrics, [metrics, systems, 1]."""
    rows = [[metric.scores[name] for name in people.systems] for metric in metrics]
    return np.array(list(people.systems.values()))[:, None], np.array(rows)[:, :, None]


class Comparison:
    """Scores of all metrics beside one human score, on the same systems."""

    def __init__(self, dataset: str, human: str, metrics: Sequence[str], settings: Settings) -> None:
        """Take the names of the data set, of the human score and of the metrics, and how metrics are tested."""
        self.dataset, self.human, self.metrics, self.settings = dataset, human, metrics, settings

    def compare(
        self, statistic: Statistic, human: Floats, scores: Floats
    ) -> tuple[list[Agreement], list[PermutationTest]]:
        """Return a statistic of each metric, and the tests of each two.

        Scores are float64 [systems, lines] and [metrics, systems, lines]; NaN is a lacking score. Raises InputError
        where the statistic has no such test.
        """
        present = ~(np.isnan(human) | np.isnan(scores).any(axis=0))
        people = np.where(present, human, np.nan)
        values = [statistic.value(people, own) for own in scores]
        agreements = [self._agreement(statistic, *pair) for pair in zip(self.metrics, values, strict=True)]
        if not self.settings.resamples:
            return agreements, []
        tests = permutation_tests(statistic, people, scores, values, self.settings)
        return agreements, [
            PermutationTest(
                dataset=self.dataset,
                human=self.human,
                statistic=str(statistic),
                metric=self.metrics[test.better],
                other=self.metrics[test.other],
                delta=test.delta,
                p=test.p,
                resamples=test.resamples,
            )
            for test in tests
        ]

    def _agreement(self, statistic: Statistic, metric: str, value: Value) -> Agreement:
        fields = value._asdict()
        return Agreement(dataset=self.dataset, metric=metric, human=self.human, statistic=str(statistic), **fields)


def check_sentences(statistic: Statistic, file: str, people: bool, metric: str | None) -> None:
    """Raise InputError where a statistic needs scores of sentences that people or a metric do not have."""
    if statistic.level == "system":
        return
    whose = f"{file} has none" if not people else f"{metric} has none" if metric else ""
    if whose:
        systems = any(option.name == "level" and "system" in (option.choices or ()) for option in statistic.options)
        hint = f"; for scores of systems say {statistic.name}[level=system]" if systems else ""
        raise InputError(f"{statistic} compares scores of sentences, and {whose}{hint}")


def check_lines(file: str, people: int, metrics: Sequence[int]) -> None:
    """Raise InputError where people and metrics have scores of different numbers of sentences."""
    other = next((lines for lines in metrics if lines != people), None)
    if other is not None:
        raise InputError(
            f"{file}: has scores of {people:,} sentences of each system, the metrics have {other:,}: are these the "
            "same sentences?"
        )


def notes_on_lacking(human: Floats, metrics: Sequence[Floats], names: Sequence[str]) -> Iterator[str]:
    """Yield how many scores of sentences people lack, or metrics where people have them: these are left out."""
    lacking = np.isnan(human)
    if lacking.any():
        yield f"{lacking.sum():,} of {lacking.size:,} outputs have no score by people, and are left out"
    for name, scores in zip(names, metrics, strict=True):
        count = int((np.isnan(scores) & ~lacking).sum())
        if count:
            yield f"{count:,} outputs with a score by people have none by {name}, and are left out for all metrics"


def correlate(
    human: Rows,
    metrics: Mapping[str, Rows],
    statistics: str | Sequence[str] = "acc_eq",
    *,
    permutations: int = 0,
    seed: int = 12345,
    swap: str = "auto",
    block: int | None = None,
) -> dict[str, list[dict[str, Any]]]:
    """Return how metrics agree with people on scores of sentences, as `gec-pipeline correlate` does.

    `human` has a row for each system with a score for each sentence, and `metrics` has such rows for each metric, by
    name. None or NaN is a score that is lacking. `statistics` are one or more, such as "acc_eq" or
    "pearson[average=item]"; `gec-pipeline list statistics` has all. For one score of each system say "[level=system]"
    and give rows of one score. With `permutations` each two metrics are tested with so many resamples, whose draws
    begin with `seed`; `swap` says what is swapped (scores, pairs or auto), and `block` after how many resamples a test
    with a clear p-value may stop.

    What is returned has the lists `statistics` and `permutations`, whose members are those of results.json.
    Raises InputError where the shapes differ, and where there is no such statistic.
    """
    people = _rows("human", human)
    if not isinstance(metrics, Mapping) or not metrics:
        raise InputError("metrics: expected a mapping with the scores of each metric by its name")
    scores = np.stack([_rows(name, own, people.shape) for name, own in metrics.items()])
    if swap not in ("auto", "scores", "pairs") or permutations < 0 or (block is not None and block < 1):
        raise InputError("expected swap auto, scores or pairs, permutations from 0, and a block from 1")
    try:
        asked = [statistic_of(text) for text in ([statistics] if isinstance(statistics, str) else statistics)]
    except ConfigError as error:
        raise InputError(f"statistics: {error}") from None
    settings = Settings(resamples=permutations, swap=swap, block=block, seed=seed)
    comparison = Comparison("", "human", list(metrics), settings)
    for statistic in asked:
        if statistic.level == "system" and people.shape[1] != 1:
            raise InputError(f"{statistic} compares one score of each system; found {people.shape[1]:,} of each")
    results = [comparison.compare(statistic, people, scores) for statistic in asked]
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
