"""What figures show of results: rows of marks, curves, a matrix of cells, or points.

The page draws them as SVG (`html/svg.py`); files and notebooks get them from matplotlib
(`plots/canvas.py`). These two choose places, colours and letters; names, numbers and what is marked
are from here. Fractions are in percent."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pipeline.extensions.human.tables import coefficient
from pipeline.metrics.names import factor
from pipeline.report.tables import percent, shown_level
from pipeline.report.tables.comparisons import baseline_of, is_significant, level_name, p_cell
from pipeline.report.tables.ranked import Group, called, groups
from pipeline.report.tables.series import best_of_series, best_sentences, series_in
from pipeline.scoring.results import Results, Score

if TYPE_CHECKING:
    from pipeline.extensions.human.human_judgements import HumanRanking

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in pixels; y grows upwards."""
Scored = tuple[str, Results, Group]
"""The name of a run, its results, and the scores of a metric in it."""


class Mark(NamedTuple):
    """A mark in a row."""

    row: int
    kind: str
    """A line: "interval", "draws". A dot: "value", "rank", "open" (not significant)."""
    low: float
    high: float
    """The other end of a line; of a dot it is `low`."""
    title: str = ""
    """What it shows, in words."""


class Rows(NamedTuple):
    """A row for each system or metric, on one scale."""

    label: str
    """What the figure shows, for those who do not see it."""
    names: Sequence[str]
    axis: str
    """What the numbers are."""
    marks: Sequence[Mark]
    ends: tuple[float, float] | None = None
    """The ends of the scale, where these do not depend on the marks."""
    line: float | None = None
    """Where a line goes through all rows."""
    legend: Sequence[tuple[str, str]] = ()
    """Kinds of marks ("line" is that of the scale) with their meanings."""
    clusters: Sequence[int] = ()
    """The cluster of each row, where rows are ranked. The scale then has whole numbers."""
    notes: Sequence[str] = ()
    """What stands behind each row."""


class Dot(NamedTuple):
    """A point of a curve."""

    x: float
    y: float
    low: float
    high: float
    """The ends of the interval of y; y itself where there is none."""
    kind: str = "value"
    """"large" is the best of its curve, "open" is not significantly worse, "value" is any other."""
    title: str = ""


class Curves(NamedTuple):
    """Lines of numbers that have an order."""

    label: str
    x_axis: str
    y_axis: str
    lines: Sequence[tuple[str, Sequence[Dot]]]
    """The name of each line, and its points from left to right."""
    levels: Sequence[tuple[str, float]] = ()
    """Names and numbers of what has no place on the axis of x."""
    legend: Sequence[tuple[str, str]] = ()
    """Kinds of points with their meanings."""
    caption: Sequence[str] = ()
    """Sentences that say what is to be seen."""
    ticks: Sequence[str] = ()
    """What stands at x = 0, 1 ... in place of numbers."""
    ends: tuple[float, float] | None = None
    """The ends of the axis of y, where these do not depend on the points."""


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


class Orders(NamedTuple):
    """Rankings of the same systems beside each other."""

    label: str
    columns: Sequence[tuple[str, dict[str, int]]]
    """The title of each ranking, and the rank clusters of its systems, the best first."""
    titles: dict[str, str]
    """What is said of each system."""


def disagreement(
    titled: Sequence[tuple[str, Group]], human_data: "HumanRanking | None", what: str = "metrics"
) -> Orders | None:
    """Return the rankings by people and by several metrics (titles and scores); None where there
    are fewer than two.

    Of the systems that people judged there are those that a metric scores. Where no samples were
    drawn, systems with equal scores are a cluster."""
    columns, scored = [], {score.system for _, group in titled for score in group.scores}
    if human_data:
        own = [
            (human_data.systems[n], rank, human_data.ranked.cluster[n])
            for rank, n in enumerate(human_data.ranked.order, 1)
        ]
        columns.append(("people", [one for one in own if one[0] in scored]))
    for title, group in titled:
        known = [score for score in group.scores if math.isfinite(score.score)]
        columns.append(
            (
                title,
                [(s.system, s.rank, s.bootstrap.cluster if s.bootstrap else s.rank) for s in known],
            )
        )
    if len(columns) < 2:
        return None
    said = dict[str, list[str]]()
    for title, systems in columns:
        for name, rank, _ in systems:
            said.setdefault(name, []).append(f"{rank} by {title}")
    titles = {name: f"{name}: {', '.join(places)}" for name, places in said.items()}
    ranked = [
        (title, {name: cluster for name, _, cluster in systems}) for title, systems in columns
    ]
    return Orders(f"where {what} disagree: the order of the systems in each column", ranked, titles)


def leaving(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Return the systems that leave their cluster from a ranking to another: -1 where they rise, 1
    where they fall.

    Among the systems that both rank, the places of the one and of the other cluster do not overlap.
    """
    places = []
    for own, beside in ((one, other), (other, one)):
        clusters = [cluster for name, cluster in own.items() if name in beside]
        ends = {cluster: (clusters.index(cluster), clusters.count(cluster)) for cluster in clusters}
        places.append(
            {name: (ends[own[name]][0], sum(ends[own[name]]) - 1) for name in own if name in beside}
        )
    pairs = ((name, place, places[1][name]) for name, place in places[0].items())
    return {
        name: -1 if old[0] > new[1] else 1
        for name, old, new in pairs
        if old[0] > new[1] or old[1] < new[0]
    }


def score_rows(results: Results, group: Group) -> Rows:
    """Return scores with their intervals. A filled dot differs significantly from the baseline."""
    baseline = baseline_of(results)
    compared = {test.system: test for test in group.tests} if baseline is not None else {}
    marks, line, unit = list[Mark](), None, factor(group.metric)
    for row, score in enumerate(group.scores):
        if score.samples and not math.isnan(score.samples.interval[0]):
            low, high = score.samples.shown
            marks.append(Mark(row, "draws", unit * low, unit * high))
        if score.bootstrap:
            low, high = score.bootstrap.interval
            marks.append(Mark(row, "interval", unit * low, unit * high))
        test, value = compared.get(score.system), unit * score.score
        marks.append(
            Mark(
                row, "open" if test and not is_significant(test, results) else "value", value, value
            )
        )
        line = value if score.system == baseline else line
    kinds = {mark.kind for mark in marks}
    meanings = {
        "interval": f"{level_name(results)} interval (sentences)" if "interval" in kinds else "",
        "draws": "95% of draws of references" if "draws" in kinds else "",
        "line": f"baseline {baseline}" if compared else "",
        "open": "no significant difference from it" if compared else "",
    }
    legend = [(kind, meaning) for kind, meaning in meanings.items() if meaning]
    names = [score.system for score in group.scores]
    return Rows("scores with their intervals", names, group.axis, marks, line=line, legend=legend)


def difference_rows(results: Results, group: Group) -> Rows | None:
    """Return differences from the baseline with their intervals, None where there are none."""
    if baseline_of(results) is None:
        return None
    tests = {test.system: test for test in group.tests}
    shown = [tests[score.system] for score in group.scores if score.system in tests]
    marks = []
    for row, test in enumerate(shown):
        kind, value = (
            "value" if is_significant(test, results) else "open",
            factor(test.metric) * test.difference,
        )
        low, high = (factor(test.metric) * end for end in test.interval)
        marks += [Mark(row, "interval", low, high), Mark(row, kind, value, value)]
    axis, names = f"{group.axis}, {level_name(results)} interval", [test.system for test in shown]
    notes = [f"p {p_cell(test, results)}" for test in shown]
    return (
        Rows("differences from the baseline", names, axis, marks, line=0, notes=notes)
        if shown
        else None
    )


def rank_rows(scores: Sequence[Score]) -> Rows | None:
    """Return the rank ranges of the systems that have one, in the order of their scores; None where
    none has.
    """
    known = [
        (one.system, one.rank, one.bootstrap.ranks, one.bootstrap.cluster)
        for one in scores
        if one.bootstrap
    ]
    return _ranks(known) if known else None


def judged_rows(ranking: "HumanRanking") -> Rows:
    """Return the rank ranges of systems as people rank them, the best first."""
    own = ranking.ranked
    return _ranks(
        [
            (ranking.systems[n], rank, own.ranges[n], own.cluster[n])
            for rank, n in enumerate(own.order, 1)
        ]
    )


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
        axis="rank",
        marks=marks,
        ends=(1, len(systems)),
        legend=[*legend, ("line", "between clusters")] if len(set(clusters)) > 1 else legend,
        clusters=clusters,
    )


def step_curves(runs: Sequence[tuple[str, Results]]) -> Iterator[tuple[Group, Curves]]:
    """Yield scores over steps for each metric and data set, of runs with their names; "" where
    there is one alone.

    Runs share a figure where the metric has the same settings, and the data set the same texts.
    """
    together: dict[tuple[object, ...], list[Scored]] = {}
    for name, results in runs:
        for group in groups(results):
            texts = results.datasets[group.dataset].digests.items()
            shared = frozenset(item for item in texts if not item[0].startswith("system "))
            together.setdefault((group.dataset, group.metric, shared), []).append(
                (name, results, group)
            )
    for own in together.values():
        yield from ((own[0][2], curves) for curves in curves_of(own))


def curves_of(own: Sequence[Scored]) -> list[Curves]:
    """Return the scores of a metric over steps: a figure for each thing that steps count."""
    axes = dict.fromkeys(
        series.axis for _, results, group in own for series in series_in(results, group)
    )
    return [_curves(own, axis) for axis in axes]


def _curves(own: Sequence[Scored], axis: str) -> Curves:
    """Return the scores of the systems that have a number on an axis, and of those that have none
    at all.
    """
    lines, levels, caption = list[tuple[str, list[Dot]]](), list[tuple[str, float]](), list[str]()
    for run, results, group in own:
        before, ordered = f"{run}: " if run else "", series_in(results, group)
        scores = {score.system: score for score in group.scores if math.isfinite(score.score)}
        for series in (one for one in ordered if one.axis == axis):
            best, dots = best_of_series(results, group, series), list[Dot]()
            for number, system in (step for step in series.steps if step[1] in scores):
                score = scores[system]
                low, high = (
                    score.bootstrap.interval if score.bootstrap else (score.score, score.score)
                )
                is_first, is_equal = (
                    best and best.first is score,
                    best and best.way == "test" and system in best.equals,
                )
                kind = "large" if is_first else "open" if is_equal else "value"
                title = f"{before}{system}: {percent(score.score, 2)}"
                dots.append(Dot(number, 100 * score.score, 100 * low, 100 * high, kind, title))
            lines.append((f"{before}{series.name}".strip(": ") or axis, dots))
        named = {system for series in ordered for _, system in series.steps}
        levels += [
            (f"{before}{name}", 100 * one.score)
            for name, one in scores.items()
            if name not in named
        ]
        caption += [f"{before}{sentence}" for sentence in best_sentences(results, group)]
    kinds = {dot.kind for _, dots in lines for dot in dots}
    meanings = {"large": "large: the best", "open": "hollow: not significantly worse"}
    legend = [(kind, meaning) for kind, meaning in meanings.items() if kind in kinds]
    shaded = any(dot.low < dot.high for _, dots in lines for dot in dots)
    y_axis = f"{own[0][2].axis}{f', {level_name(own[0][1])} interval' if shaded else ''}"
    return Curves(f"scores by {axis}", axis, y_axis, lines, levels, legend, caption)


def window_curves(results: Results) -> Iterator[tuple[Group, str, Curves]]:
    """Yield the correlations of all metrics among neighbours in the human ranking, for each human
    score.
    """
    human = results.human or {}
    for name in dict.fromkeys(item["human"] for item in human.get("windows", ())):
        items = [item for item in human["windows"] if item["human"] == name]
        ranges = list(dict.fromkeys((item["first"], item["last"]) for item in items))
        keys, lines = (
            {(item["dataset"], item["metric"]) for item in items},
            list[tuple[str, list[Dot]]](),
        )
        own = [group for group in groups(results) if (group.dataset, group.metric) in keys]
        for group in own:
            found = {
                (i["first"], i["last"]): i["pearson"] for i in items if i["metric"] == group.metric
            }
            values = [math.nan if found.get(ranks) is None else found[ranks] for ranks in ranges]
            lines.append(
                (group.called, [Dot(x, value, value, value) for x, value in enumerate(values)])
            )
        if own:
            what = f"correlation among {ranges[0][1] - ranges[0][0] + 1} neighbours"
            ticks = [f"{first}-{last}" for first, last in ranges]
            x_axis = f"places in the ranking by {name.replace('_', ' ')}"
            whole = own[0]._replace(label="", metric="", called="")
            yield (
                whole,
                name,
                Curves(what, x_axis, "pearson", lines, [("", 0)], ticks=ticks, ends=(-1.05, 1.05)),
            )


def scatters(results: Results) -> Iterator[tuple[Group, str, str, Points]]:
    """Yield each metric with a human score that it was correlated with, what their figure shows,
    and the figure.
    """
    human = results.human or {}
    by_metric = {(group.dataset, group.metric): group for group in groups(results)}
    for item in human.get("correlations", ()):
        human_data = (human.get("scores") or {}).get(item["human"])
        group = by_metric.get((item["dataset"], item["metric"]))
        if human_data is None or group is None:
            continue
        scores, points = {score.system: score.score for score in group.scores}, []
        for name in item["systems"]:
            score, judged = scores.get(name, math.nan), human_data.get(name)
            if judged is not None and math.isfinite(score) and math.isfinite(float(judged)):
                title = f"{name}: {percent(score, 2, group.metric)}, {float(judged):.4g}"
                points.append(Point(name, factor(group.metric) * score, float(judged), title))
        values = {name: item["coefficients"][name]["value"] for name in ("pearson", "spearman")}
        what = ", ".join(f"{name} {coefficient(value)}" for name, value in values.items())
        label, y_axis = (
            f"{group.called} against {item['human']}: {what}",
            item["human"].replace("_", " "),
        )
        yield (
            group,
            item["human"],
            what,
            Points(f"{label}; a dot for each system", group.axis, y_axis, points),
        )


def forests(results: Results) -> Iterator[tuple[Group, str, str, Rows]]:
    """Yield a data set, a human score with a coefficient, what their figure shows, and the figure
    of all metrics.

    The metric with the highest first coefficient comes first. The group has no name of a metric.
    """
    human = results.human or {}
    items = human.get("correlations", ())
    named = called(item["metric"] for item in items)
    whole = {
        group.dataset: group._replace(label="", metric="", called="") for group in groups(results)
    }
    for dataset, title in dict.fromkeys(
        (i["dataset"], i["human"]) for i in items if i["dataset"] in whole
    ):
        own = [
            (named[i["metric"]], i["coefficients"])
            for i in items
            if (i["dataset"], i["human"]) == (dataset, title)
        ]
        own.sort(
            key=lambda item: (
                math.inf if (first := next(iter(item[1].values()))["value"]) is None else -first
            )
        )
        level = shown_level(human["settings"]["level"])
        legend = [
            ("value", "coefficient"),
            ("interval", "its interval"),
            ("line", "middle of the scale"),
        ]
        for name in own[0][1]:
            marks, notes = [], []
            for row, (metric, coefficients) in enumerate(own):
                value, bounds = coefficients[name]["value"], coefficients[name]["interval"]
                said = f"{metric}: {name} {coefficient(value)}"
                notes.append("" if value is None else coefficient(value).replace("-", "\u2212"))
                if value is not None and None not in bounds:
                    said += f", {coefficient(bounds[0])} to {coefficient(bounds[1])}"
                    marks.append(Mark(row, "interval", bounds[0], bounds[1], said))
                if value is not None:
                    marks.append(Mark(row, "value", value, value, said))
            low = 0.0 if name == "accuracy" else -1.0  # which is a share of pairs
            axis, what = (
                f"{name} and its {level} interval",
                f"{name} with {title.replace('_', ' ')}",
            )
            names, scale = [metric for metric, _ in own], ((low, 1.0), (low + 1) / 2)
            shown = Rows(
                f"{what}, of each metric", names, axis, marks, *scale, legend=legend, notes=notes
            )
            yield whole[dataset], f"{title} {name}", what, shown


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
    """Return a place for the label of each point, by its number: the first free place, or where it
    covers least.

    The points are in pixels, and y grows upwards. The sizes are width and height of the labels,
    which should stay inside the frame. Points on the right choose first."""
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    places: dict[int, LabelPlace] = {}
    for number in sorted(range(len(points)), key=lambda n: (-points[n][0], -points[n][1])):
        box, far = _best(points[number], sizes[number], taken, frame)
        taken.append(box)
        places[number] = LabelPlace((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, far)
    return places


def _best(
    point: tuple[float, float], size: tuple[float, float], taken: Sequence[Box], frame: Box
) -> tuple[Box, bool]:
    """Return the first free place for a label, or where it covers least, and whether that is far
    from its point.

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
