"""What the plots of the page and the figures show: names, values, ranges, and what is marked.

What both the page and the figures show is computed here; they choose positions, colours and the number of digits.
Scores, precisions and differences are fractions, as in the results.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from ...metrics.names import class_of
from .comparisons import baseline_of, is_significant, p_cell, tests_of
from .human import coefficient
from .labels import groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
