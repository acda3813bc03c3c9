"""What figures show of results: rows of marks, a matrix of cells, or points.

The page draws them as SVG (`html/svg.py`); files and notebooks get them from matplotlib (`plots/canvas.py`). These two
choose places, colours and letters; names, numbers and what is marked are from here. Fractions are in percent.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from ...metrics.names import factor, goodness
from . import percent, shown_level
from .comparisons import baseline_of, is_significant, level_name, p_cell, shown_p, signed, tests_of
from .people import coefficient
from .ranked import groups, labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...human.human_judgements import HumanRanking
    from ...scoring.results import Results, Score
    from .ranked import Group

    Box = tuple[float, float, float, float]
    """Left, bottom, right and top, in pixels; y grows upwards."""


_PRECISION = re.compile("precision_([0-9]+)")
SHARE = "accuracy"
"""The coefficient that is a share of pairs, from 0 to 1. The others are from -1 to 1."""


class Mark(NamedTuple):
    """A mark in a row."""

    row: int
    kind: str
    """A line: "interval", "draws". A dot: "value", "rank", "strong" (best, baseline), "open" (not significant)."""
    low: float
    high: float
    """The other end of a line; of a dot it is `low`."""
    title: str = ""
    """What it shows, in words."""


class Column(NamedTuple):
    """A scale on which rows have marks."""

    title: str
    axis: str
    """What its numbers are."""
    marks: Sequence[Mark]
    ends: tuple[float, float] | None = None
    """The ends of the scale, where these do not depend on the marks."""
    line: float | None = None
    """Where a line goes through all rows."""


class Rows(NamedTuple):
    """A row for each system or metric."""

    label: str
    """What the figure shows, for those who do not see it."""
    names: Sequence[str]
    columns: Sequence[Column]
    legend: Sequence[tuple[str, str]] = ()
    """Kinds of marks ("line" is that of a column) with their meanings."""
    clusters: Sequence[int] = ()
    """The cluster of each row, where rows are ranked. The scale then has whole numbers."""
    notes: Sequence[str] = ()
    """What stands behind each row."""


class Cell(NamedTuple):
    """A cell of a matrix."""

    kind: str
    """A p-value is "better", "worse" or "same", as the row is; a fraction is a "share"."""
    value: float
    title: str
    text: str = ""


class Matrix(NamedTuple):
    """Cells by their rows and columns."""

    label: str
    names: Sequence[str]
    columns: Sequence[str]
    cells: dict[tuple[int, int], Cell]
    legend: Sequence[tuple[str, str]] = ()
    """Kinds of cells with their meanings."""


class Point(NamedTuple):
    """A system in a plot of a metric against people."""

    name: str
    x: float
    y: float
    title: str


class Points(NamedTuple):
    """A dot with a name for each system."""

    label: str
    x_axis: str
    y_axis: str
    points: Sequence[Point]


def score_rows(results: Results, group: Group) -> Rows:
    """Return scores with their intervals. A filled dot differs significantly from the baseline."""
    baseline, tests = baseline_of(results), tests_of(results, group.scores[0])
    compared = {test.system: test for test in tests} if baseline is not None else {}
    marks, line, unit = list[Mark](), None, factor(group.metric)
    for row, score in enumerate(group.scores):
        if score.samples and not math.isnan(score.samples.interval[0]):
            low, high = score.samples.shown
            marks.append(Mark(row, "draws", unit * low, unit * high))
        if score.bootstrap:
            low, high = score.bootstrap.interval
            marks.append(Mark(row, "interval", unit * low, unit * high))
        test, value = compared.get(score.system), unit * score.score
        marks.append(Mark(row, "open" if test and not is_significant(test, results) else "value", value, value))
        line = value if score.system == baseline else line
    kinds = {mark.kind for mark in marks}
    meanings = {
        "interval": f"{level_name(results)} interval (sentences)" if "interval" in kinds else "",
        "draws": "95% of draws of references" if "draws" in kinds else "",
        "line": f"baseline {baseline}" if compared else "",
        "open": "no significant difference from it" if compared else "",
    }
    legend = [(kind, meaning) for kind, meaning in meanings.items() if meaning]
    column = Column("", group.axis, marks, line=line)
    return Rows("scores with their intervals", [score.system for score in group.scores], [column], legend)


def difference_rows(results: Results, group: Group) -> Rows | None:
    """Return differences from the baseline with their intervals, None where there are none."""
    if baseline_of(results) is None:
        return None
    tests = {test.system: test for test in tests_of(results, group.scores[0])}
    shown = [tests[score.system] for score in group.scores if score.system in tests]
    marks = []
    for row, test in enumerate(shown):
        kind, value = "value" if is_significant(test, results) else "open", factor(test.metric) * test.difference
        low, high = (factor(test.metric) * end for end in test.interval)
        marks += [Mark(row, "interval", low, high), Mark(row, kind, value, value)]
    column = Column("", f"{group.axis}, {level_name(results)} interval", marks, line=0)
    notes = [f"p {p_cell(test, results)}" for test in shown]
    names = [test.system for test in shown]
    return Rows("differences from the baseline", names, [column], notes=notes) if shown else None


def rank_rows(scores: Sequence[Score]) -> Rows | None:
    """Return the rank ranges of the systems that have one, in the order of their scores; None where none has."""
    known = [(one.system, one.rank, one.bootstrap.ranks, one.bootstrap.cluster) for one in scores if one.bootstrap]
    return _ranks(known) if known else None


def judged_rows(ranking: HumanRanking) -> Rows:
    """Return the rank ranges of systems as people rank them, the best first."""
    own = ranking.ranked
    return _ranks([(ranking.systems[n], rank, own.ranges[n], own.cluster[n]) for rank, n in enumerate(own.order, 1)])


def _ranks(systems: Sequence[tuple[str, int, tuple[int, int], int]]) -> Rows:
    """Return name, rank, range and cluster of each system as rows."""
    marks, clusters = list[Mark](), [cluster for *_, cluster in systems]
    for row, (name, rank, (best, worst), cluster) in enumerate(systems):
        title = f"{name}: rank {rank}, in samples {best} to {worst}, cluster {cluster}"
        marks += [Mark(row, "interval", best, worst, title), Mark(row, "rank", rank, rank, title)]
    legend = [("rank", "rank"), ("interval", "its range in bootstrap samples")]
    return Rows(
        label="rank ranges in bootstrap samples; lines part clusters",
        names=[name for name, *_ in systems],
        columns=[Column("", "rank", marks, ends=(1, len(systems)))],
        legend=[*legend, ("line", "between clusters")] if len(set(clusters)) > 1 else legend,
        clusters=clusters,
    )


def precision_rows(results: Results, scores: Sequence[Score]) -> Rows | None:
    """Return the precision of each order, None where the metric has no precisions."""
    orders = [int(found[1]) for name in scores[0].outputs if (found := _PRECISION.fullmatch(name))]
    strong = [score.rank == 1 or score.system == baseline_of(results) for score in scores]
    columns = []
    for order in orders:
        marks = []
        for row, score in enumerate(scores):
            value = score.outputs.get(f"precision_{order}", math.nan)
            title = f"{score.system}: precision of n={order} is {percent(value, 2)}"
            if math.isfinite(value):
                marks.append(Mark(row, "strong" if strong[row] else "value", 100 * value, 100 * value, title))
        columns.append(Column(f"n={order}", "precision (percent)", marks))
    both = "the best, and the baseline" if sum(strong) > 1 else "the best"
    legend = [("value", "a system"), *([("strong", both)] if any(strong) else [])]
    names = [score.system for score in scores]
    return Rows("precision of n-grams of each order", names, columns, legend) if orders else None


def pair_matrix(results: Results, scores: Sequence[Score], digits: int) -> Matrix | None:
    """Return the comparisons of all pairs of systems, None where there are none or they are with a baseline only."""
    tests = tests_of(results, scores[0])
    if not tests or baseline_of(results) is not None:
        return None
    compared = {name for test in tests for name in (test.system, test.other)}
    names = [score.system for score in scores if score.system in compared]
    places, cells = {name: place for place, name in enumerate(names)}, {}
    for test in tests:
        for one, two, difference in (
            (test.system, test.other, test.difference),
            (test.other, test.system, -test.difference),
        ):
            ahead, real = goodness(test.metric, difference) > 0, is_significant(test, results)
            kind = "same" if not real else "better" if ahead else "worse"
            less = signed(difference, digits, test.metric)
            title = f"{one} less {two}: {less}, p {p_cell(test, results)}{' *' if real else ''}"
            cells[places[one], places[two]] = Cell(kind, test.p_adjusted, title)
    legend = [
        ("better", "row significantly better than column"),
        ("worse", "row significantly worse"),
        ("same", "no significant difference, and p"),
    ]
    return Matrix("p-values of all pairs of systems", names, names, cells, legend)


Shown = TypeVar("Shown", Rows, Matrix, Points)


class Agreement(NamedTuple, Generic[Shown]):
    """A figure of how metrics agree with a human score."""

    group: Group
    """The metric; without its name where the figure is of all metrics of a data set."""
    human: str
    """The human score, as it is called in the results."""
    what: str
    """What it shows, for a title."""
    shown: Shown

    @property
    def human_name(self) -> str:
        """What the human score is called in a figure."""
        return self.human.replace("_", " ")


def scatters(results: Results) -> Iterator[Agreement[Points]]:
    """Yield each metric against each human score that it was correlated with, as Points."""
    human = results.human or {}
    by_metric = {(group.dataset, group.metric): group for group in groups(results)}
    for item in human.get("correlations", ()):
        people = (human.get("scores") or {}).get(item["human"])
        group = by_metric.get((item["dataset"], item["metric"]))
        if people is None or group is None:
            continue
        scores, points = {score.system: score.score for score in group.scores}, []
        for name in item["systems"]:
            score, judged = scores.get(name, math.nan), people.get(name)
            if judged is not None and math.isfinite(score) and math.isfinite(float(judged)):
                title = f"{name}: {percent(score, 2, group.metric)}, {float(judged):.4g}"
                points.append(Point(name, factor(group.metric) * score, float(judged), title))
        values = {name: item["coefficients"][name]["value"] for name in ("pearson", "spearman")}
        what = ", ".join(f"{name} {coefficient(value)}" for name, value in values.items())
        label, y_axis = f"{group.label} against {item['human']}: {what}", item["human"].replace("_", " ")
        shown = Points(f"{label}; a dot for each system", group.axis, y_axis, points)
        yield Agreement(group, item["human"], what, shown)


def forests(results: Results) -> Iterator[Agreement[Rows]]:
    """Yield the coefficients of all metrics for each human score as Rows, the highest first coefficient first."""
    human = results.human or {}
    items = human.get("correlations", ())
    named = labels(item["metric"] for item in items)
    whole = {group.dataset: group._replace(label="", metric="") for group in groups(results)}
    for dataset, title in dict.fromkeys((i["dataset"], i["human"]) for i in items if i["dataset"] in whole):
        own = [(named[i["metric"]], i["coefficients"]) for i in items if (i["dataset"], i["human"]) == (dataset, title)]
        own.sort(key=lambda item: math.inf if (first := next(iter(item[1].values()))["value"]) is None else -first)
        level, columns = shown_level(human["settings"]["level"]), []
        for name in own[0][1]:
            marks = []
            for row, (metric, coefficients) in enumerate(own):
                value, bounds = coefficients[name]["value"], coefficients[name]["interval"]
                said = f"{metric}: {name} {coefficient(value)}"
                if value is not None and None not in bounds:
                    said += f", {coefficient(bounds[0])} to {coefficient(bounds[1])}"
                    marks.append(Mark(row, "interval", bounds[0], bounds[1], said))
                if value is not None:
                    marks.append(Mark(row, "value", value, value, said))
            low = 0.0 if name == SHARE else -1.0
            columns.append(Column(name, f"{name} and its {level} interval", marks, (low, 1.0), (low + 1) / 2))
        legend = [("value", "coefficient"), ("interval", "its interval"), ("line", "middle of the scale")]
        what = f"coefficients with {title.replace('_', ' ')}, {level} intervals"
        shown = Rows(f"{what}, of each metric", [metric for metric, _ in own], columns, legend)
        yield Agreement(whole[dataset], title, what, shown)


def triangles(results: Results) -> Iterator[Agreement[Matrix]]:
    """Yield Williams' tests for each human score as a Matrix, where there are three metrics or more."""
    human = results.human or {}
    named = labels(item["metric"] for item in human.get("correlations", ()))
    for forest in forests(results):
        order, cells = forest.shown.names, {}
        level = float(1 - Fraction(str(human["settings"]["level"])))
        for item in human.get("tests", ()):
            if (item["dataset"], item["human"]) == (forest.group.dataset, forest.human) and item["p"] is not None:
                one, two = sorted((named[item["metric"]], named[item["other"]]), key=order.index)
                kind, p = "better" if item["p"] < level else "same", float(item["p"])
                cells[order.index(one), order.index(two)] = Cell(kind, p, f"{one} and {two}: p {shown_p(p)}")
        if len(order) > 2 and cells:
            legend = [
                ("better", "row significantly closer to people than column"),
                ("same", "not significantly, and p"),
            ]
            label = f"Williams' test of two metrics and {forest.human_name}: p-values"
            what = f"p of Williams' test, {forest.human_name}"
            yield Agreement(forest.group, forest.human, what, Matrix(label, order, order, cells, legend))


POINT = 4.0
"""Half the side of a point, in pixels of a drawing of 100 dots an inch."""
NEAR = 9.0
"""The distance up to which a label needs no line to its point, in the same pixels."""
DISTANCES = (NEAR, 14.0, 22.0, 32.0, 44.0, 60.0, 80.0, 105.0, 135.0)
ANGLES = (0, 180, 90, 270, 45, 135, 315, 225, 20, 160, 340, 200, 70, 110, 290, 250)
"""Directions from a point in degrees, in the order in which they are tried; 0 is to the right."""


class LabelPlace(NamedTuple):
    """Where a label goes."""

    x: float
    """The middle of the label."""
    y: float
    far: bool
    """Whether it is so far from its point that a line has to join them."""


def label_places(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Box
) -> dict[int, LabelPlace]:
    """Return a place for the label of each point, by its number: the first free place, or where it covers least.

    The points are in pixels, and y grows upwards. The sizes are width and height of the labels, which should stay
    inside the frame. Points on the right choose first.
    """
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    places: dict[int, LabelPlace] = {}
    for number in sorted(range(len(points)), key=lambda n: (-points[n][0], -points[n][1])):
        box, far = _best(points[number], sizes[number], taken, frame)
        taken.append(box)
        places[number] = LabelPlace((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, far)
    return places


def _best(point: tuple[float, float], size: tuple[float, float], taken: Sequence[Box], frame: Box) -> tuple[Box, bool]:
    """Return the first free place for a label, or where it covers least, and whether that is far from its point.

    The places round a point are tried in the order of their distances.
    """
    tried, (width, height) = [], size
    for distance in DISTANCES:
        for angle in ANGLES:
            x = point[0] + math.cos(math.radians(angle)) * (distance + width / 2)
            y = point[1] + math.sin(math.radians(angle)) * (distance + height / 2 - NEAR / 3)
            box = x - width / 2, y - height / 2, x + width / 2, y + height / 2
            area = (box[2] - box[0]) * (box[3] - box[1])
            covered = sum(_common(box, other) for other in taken) + (area - _common(box, frame))
            if covered <= 0.01:
                return box, distance > NEAR
            tried.append((covered, distance, box))
    _, distance, box = min(tried)
    return box, distance > NEAR


def _common(one: Box, two: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    return width * height if width > 0 and height > 0 else 0.0
