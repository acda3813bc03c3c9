"""The statistics that a config asks for, of all metrics and one human score, with their permutation tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import ConfigError, InputError
from ..statistics import statistic_of
from ..statistics.permutation import Settings, permutation_tests

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...arrays import Floats
    from ...config.models import HumanConfig
    from ..statistics.statistic import Statistic, Value
    from .metric_scores import MetricScores

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


def asked_statistics(config: HumanConfig, sentences: bool) -> list[Statistic]:
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
    metrics: Sequence[MetricScores], people: HumanScores, config: HumanConfig
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


def _test_settings(config: HumanConfig) -> Settings:
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
