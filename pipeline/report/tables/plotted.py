"""What the plots of the page and the figures show: names, values, ranges, and what is marked.

What both the page and the figures show is computed here; they choose positions, colours and the number of digits.
Scores, precisions and differences are fractions, as in the results.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ...metrics.build import class_of
from .comparisons import baseline_of, is_significant, p_cell, tests_of
from .digits import shown_level
from .human import coefficient
from .labels import groups, labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...human.people import HumanRanking
    from ...scoring.results import Results, Score
    from .labels import Group

_PRECISION = re.compile("precision_([0-9]+)")


class RankedSystem(NamedTuple):
    """A system in a plot of ranks."""

    system: str
    rank: int
    best: int
    """The best of its ranks in bootstrap samples."""
    worst: int
    cluster: int
    parted: bool
    """Whether a line parts it from the system above, which is of another cluster."""


def ranked_systems(scores: Sequence[Score]) -> list[RankedSystem]:
    """Return the systems that have a range of ranks, in the order of their scores."""
    systems: list[RankedSystem] = []
    for score in scores:
        if score.bootstrap:
            cluster = score.bootstrap.cluster
            parted = bool(systems) and systems[-1].cluster != cluster
            systems.append(RankedSystem(score.system, score.rank, *score.bootstrap.ranks, cluster, parted))
    return systems


def judged_systems(ranking: HumanRanking) -> list[RankedSystem]:
    """Return the systems as people rank them, the best first."""
    systems: list[RankedSystem] = []
    for rank, number in enumerate(ranking.ranked.order, 1):
        cluster = ranking.ranked.cluster[number]
        parted = bool(systems) and systems[-1].cluster != cluster
        systems.append(RankedSystem(ranking.systems[number], rank, *ranking.ranked.ranges[number], cluster, parted))
    return systems


class SystemPrecisions(NamedTuple):
    """A system in a plot of precisions."""

    system: str
    values: list[float]
    """Its precision of each order; NaN where it has none."""
    marked: bool
    """Whether it is the best system, or the baseline."""


class Precisions(NamedTuple):
    """The precision of each order of n-grams."""

    orders: list[int]
    systems: list[SystemPrecisions]
    """In the order of their scores."""


def precisions(results: Results, scores: Sequence[Score]) -> Precisions:
    """Return the precisions of systems; there are no orders where the metric has no precisions."""
    orders = [int(order[1]) for name in scores[0].outputs if (order := _PRECISION.fullmatch(name))]
    baseline = baseline_of(results)
    systems = []
    for score in scores:
        values = [score.outputs.get(f"precision_{order}", math.nan) for order in orders]
        systems.append(SystemPrecisions(score.system, values, score.rank == 1 or score.system == baseline))
    return Precisions(orders, systems)


class Pair(NamedTuple):
    """How a system differs from another."""

    difference: float
    """The score of the first less that of the second."""
    p: float
    """The p-value, adjusted."""
    shown: str
    """The p-value as tables have it."""
    significant: bool
    better: bool
    """Whether the first is better than the second."""


class AllPairs(NamedTuple):
    """How all systems differ from each other."""

    systems: list[str]
    """In the order of their scores."""
    pairs: dict[tuple[str, str], Pair]
    """Each pair stands here twice, once in each direction."""


def all_pairs(results: Results, scores: Sequence[Score]) -> AllPairs | None:
    """Return the comparisons of systems, None where there are none or they are with a baseline only."""
    tests = tests_of(results, scores[0])
    if not tests or baseline_of(results) is not None:
        return None
    pairs = {}
    for test in tests:
        significant = is_significant(test, results)
        ahead, shown = class_of(test.metric).goodness(test.difference), p_cell(test, results)
        pairs[test.system, test.other] = Pair(test.difference, test.p_adjusted, shown, significant, ahead > 0)
        pairs[test.other, test.system] = Pair(-test.difference, test.p_adjusted, shown, significant, ahead < 0)
    compared = {name for pair in pairs for name in pair}
    return AllPairs([score.system for score in scores if score.system in compared], pairs)


class Point(NamedTuple):
    """A system in a plot of a metric against people."""

    system: str
    score: float
    human: float


class Scatter(NamedTuple):
    """A metric against a human score."""

    group: Group
    human: str
    """The human score as it is called in the results."""
    points: list[Point]
    """The systems that have both scores."""
    coefficients: str
    """How far the two agree, in words."""

    @property
    def human_name(self) -> str:
        """What the human score is called in a plot."""
        return self.human.replace("_", " ")


def scatters(results: Results) -> Iterator[Scatter]:
    """Yield each metric against each human score that it was correlated with."""
    human = results.human or {}
    by_metric = {(group.dataset, group.metric): group for group in groups(results)}
    for item in human.get("correlations", ()):
        people = (human.get("scores") or {}).get(item["human"])
        group = by_metric.get((item["dataset"], item["metric"]))
        if people is None or group is None:
            continue
        scores = {score.system: score.score for score in group.scores}
        points = [
            Point(name, scores[name], float(people[name]))
            for name in item["systems"]
            if name in scores and people.get(name) is not None
        ]
        finite = [point for point in points if math.isfinite(point.score) and math.isfinite(point.human)]
        values = {name: item["coefficients"][name]["value"] for name in ("pearson", "spearman")}
        agreement = ", ".join(f"{name} {coefficient(value)}" for name, value in values.items())
        yield Scatter(group, item["human"], finite, agreement)


class Correlated(NamedTuple):
    """A coefficient of a metric and people."""

    value: float
    low: float
    high: float


class Forest(NamedTuple):
    """The coefficients of all metrics and a human score, with their intervals."""

    dataset: str
    human: str
    level: str
    """The level of the intervals, such as 95%."""
    names: list[str]
    """The names of the coefficients, such as pearson."""
    metrics: list[tuple[str, list[Correlated]]]
    """The label of each metric with its coefficients, the one with the highest first coefficient before others."""

    @property
    def human_name(self) -> str:
        """What the human score is called in a plot."""
        return self.human.replace("_", " ")


def forests(results: Results) -> Iterator[Forest]:
    """Yield the coefficients of the metrics for each human score; those that are lacking are NaN."""
    human = results.human or {}
    items = human.get("correlations", ())
    named = labels(item["metric"] for item in items)
    for dataset, title in dict.fromkeys((item["dataset"], item["human"]) for item in items):
        own = [item for item in items if (item["dataset"], item["human"]) == (dataset, title)]
        rows = [
            (named[item["metric"]], [_correlated(stored) for stored in item["coefficients"].values()]) for item in own
        ]
        rows.sort(key=lambda row: -row[1][0].value if math.isfinite(row[1][0].value) else math.inf)
        yield Forest(dataset, title, shown_level(human["settings"]["level"]), list(own[0]["coefficients"]), rows)


def _correlated(stored: dict[str, Any]) -> Correlated:
    return Correlated(*(math.nan if one is None else one for one in (stored["value"], *stored["interval"])))


class Triangle(NamedTuple):
    """Williams' tests of all metrics: whether the row's is closer to people than the column's, which follows it."""

    dataset: str
    human: str
    metrics: list[str]
    """The labels of the metrics, in the order of forests()."""
    tests: dict[tuple[str, str], float]
    """The p-value of each pair of labels, the one that comes first in `metrics` before the other."""
    level: float
    """A p-value below it is significant."""

    @property
    def human_name(self) -> str:
        """What the human score is called in a plot."""
        return self.human.replace("_", " ")


def triangles(results: Results) -> Iterator[Triangle]:
    """Yield Williams' tests for each human score, where there are three metrics or more."""
    human = results.human or {}
    named = labels(item["metric"] for item in human.get("correlations", ()))
    for forest in forests(results):
        order = [label for label, _ in forest.metrics]
        tests = {}
        for item in human.get("tests", ()):
            if (item["dataset"], item["human"]) == (forest.dataset, forest.human) and item["p"] is not None:
                one, two = sorted((named[item["metric"]], named[item["other"]]), key=order.index)
                tests[one, two] = float(item["p"])
        if len(order) > 2 and tests:
            level = float(1 - Fraction(str(human["settings"]["level"])))
            yield Triangle(forest.dataset, forest.human, order, tests, level)
