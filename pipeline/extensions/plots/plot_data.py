"""Descriptions of figures of results: rows of marks, curves, points, or orders of systems.

The page draws them as SVG (`pipeline.extensions.page`), `canvas.py` draws them with matplotlib.
Both choose positions, colours and fonts; names, numbers and the kinds of marks are from here.
Fractions are in percent.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.metrics import factor
from pipeline.report.tables import Group, groups, p_cell, percent, shown_level
from pipeline.scoring import Results, Score, Series


class Mark(NamedTuple):
    """A mark in a row."""

    row: int
    kind: str
    """A line: "interval", "draws". A dot: "value", "rank", "open" (not significant)."""
    low: float
    high: float
    """The other end of a line; for a dot it is `low`."""
    title: str = ""
    """What it shows, in words."""


class Rows(NamedTuple):
    """A row for each system or metric, on one scale."""

    label: str
    """The description of the figure for readers who do not see it."""
    names: Sequence[str]
    axis: str
    """The title of the scale."""
    marks: Sequence[Mark]
    ends: tuple[float, float] | None = None
    """The ends of the scale, if they do not depend on the marks."""
    line: float | None = None
    """The number at which a line crosses all rows."""
    legend: Sequence[tuple[str, str]] = ()
    """Kinds of marks ("line" is that of the scale) with their meanings."""
    clusters: Sequence[int] = ()
    """The cluster of each row, if rows are ranked. The scale then has whole numbers."""
    notes: Sequence[str] = ()
    """A text behind each row."""


class Dot(NamedTuple):
    """A point of a curve."""

    x: float
    y: float
    low: float
    high: float
    """The ends of the interval of y; y itself if there is none."""
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
    """Names and numbers of systems without a position on the axis of x."""
    legend: Sequence[tuple[str, str]] = ()
    """Kinds of points with their meanings."""
    caption: Sequence[str] = ()
    """Sentences about the figure."""
    ticks: Sequence[str] = ()
    """The labels of x = 0, 1 ... in place of numbers."""
    ends: tuple[float, float] | None = None
    """The ends of the axis of y, if they do not depend on the points."""


class Point(NamedTuple):
    """A system in a plot of a metric against human scores."""

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
    """The title of each ranking, and the clusters of its systems, the best first."""
    titles: dict[str, str]
    """A description of each system."""


class RankedSystem(NamedTuple):
    """A system with its rank, its rank range in samples, and its cluster."""

    name: str
    rank: int
    best: int
    worst: int
    cluster: int


class NamedGroup(NamedTuple):
    """The scores of a metric in a run."""

    run: str
    """The name of the run; empty if there is one alone."""
    group: Group

    @property
    def prefix(self) -> str:
        """The beginning of names in figures of several runs."""
        return f"{self.run}: " if self.run else ""


# --- where rankings disagree


def disagreement(
    titled: Sequence[tuple[str, Group]],
    rankings: Sequence[tuple[str, Sequence[RankedSystem]]] = (),
    subject: str = "metrics",
) -> Orders | None:
    """Return the orders of systems in several rankings beside each other, or None if there are fewer
    than two. `subject` is what ranks them, in the label.

    `titled` are the titles and scores of rankings by metrics. Before them come `rankings`, titles
    and systems from elsewhere, such as human judgements; systems without scores are left out.
    Without bootstrap samples, systems with equal scores are a cluster."""
    scored: set[str] = set()
    for _, group in titled:
        scored.update(score.system for score in group.scores)
    systems_by_title: list[tuple[str, list[RankedSystem]]] = []
    for title, systems in rankings:
        with_scores = [system for system in systems if system.name in scored]
        systems_by_title.append((title, with_scores))
    for title, group in titled:
        finite = [score for score in group.scores if math.isfinite(score.score)]
        systems_by_title.append((title, list(map(_ranked_system, finite))))
    if len(systems_by_title) < 2:
        return None
    columns: list[tuple[str, dict[str, int]]] = []
    rank_texts: dict[str, list[str]] = {}
    for title, ranked_systems in systems_by_title:
        clusters = {}
        for system in ranked_systems:
            clusters[system.name] = system.cluster
            texts = rank_texts.setdefault(system.name, [])
            texts.append(f"{system.rank} by {title}")
        columns.append((title, clusters))
    descriptions = {}
    for name, texts in rank_texts.items():
        descriptions[name] = f"{name}: {', '.join(texts)}"
    label = f"where {subject} disagree: the order of the systems in each column"
    return Orders(label, columns, descriptions)


def _ranked_system(score: Score) -> RankedSystem:
    """Return the rank, rank range and cluster of a score; without bootstrap samples its rank is
    all of them.
    """
    best = score.rank
    worst = score.rank
    cluster = score.rank
    if score.bootstrap:
        best, worst = score.bootstrap.ranks
        cluster = score.bootstrap.cluster
    return RankedSystem(score.system, score.rank, best, worst, cluster)


def leaving(ranking: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """Return the systems that leave their cluster from one ranking to the other: {system: -1 if it
    rises, 1 if it falls}. Rankings are {system: cluster}, the best system first.

    A system leaves its cluster if the positions of its two clusters do not overlap, counted among
    the systems that are in both rankings."""
    before = _cluster_positions(ranking, other)
    after = _cluster_positions(other, ranking)
    moves = {}
    for name, (first, last) in before.items():
        new_first, new_last = after[name]
        if first > new_last:
            moves[name] = -1
        elif last < new_first:
            moves[name] = 1
    return moves


def _cluster_positions(
    ranking: dict[str, int], other: dict[str, int]
) -> dict[str, tuple[int, int]]:
    """Return the first and the last position of each system's cluster, from 0, among the systems
    that the other ranking has too.
    """
    names = [name for name in ranking if name in other]
    clusters = [ranking[name] for name in names]
    positions = {}
    for name, cluster in zip(names, clusters, strict=True):
        first = clusters.index(cluster)
        last = first + clusters.count(cluster) - 1
        positions[name] = (first, last)
    return positions


# --- rows


def score_rows(group: Group) -> Rows:
    """Return a row for each system of a leader board: its score, the intervals that it has, and a
    line at the baseline's score. A hollow dot does not differ significantly from the baseline.
    """
    results = group.results
    baseline = results.baseline
    tests = {}
    if baseline is not None:
        tests = {test.system: test for test in group.tests}
    unit = factor(group.metric)
    marks: list[Mark] = []
    line = None
    for row, score in enumerate(group.scores):
        if score.samples and not math.isnan(score.samples.interval[0]):
            low, high = score.samples.clipped_interval
            marks.append(Mark(row, "draws", unit * low, unit * high))
        if score.bootstrap:
            low, high = score.bootstrap.interval
            marks.append(Mark(row, "interval", unit * low, unit * high))
        value = unit * score.score
        kind = "value"
        test = tests.get(score.system)
        if test and not results.is_significant(test):
            kind = "open"
        marks.append(Mark(row, kind, value, value))
        if score.system == baseline:
            line = value
    kinds = {mark.kind for mark in marks}
    legend = []
    if "interval" in kinds:
        level = shown_level(results.level)
        legend.append(("interval", f"{level} interval (sentences)"))
    if "draws" in kinds:
        legend.append(("draws", "95% of draws of references"))
    if tests:
        legend.append(("line", f"baseline {baseline}"))
        legend.append(("open", "no significant difference from it"))
    return Rows(
        label="scores with their intervals",
        names=[score.system for score in group.scores],
        axis=group.axis,
        marks=marks,
        line=line,
        legend=legend,
    )


def difference_rows(group: Group) -> Rows | None:
    """Return a row for each system that was tested against the baseline, in the order of the leader
    board: the difference of its score, the interval and the p-value. None if there is no baseline.
    """
    results = group.results
    test_of_system = {test.system: test for test in group.tests}
    tests = []
    for score in group.scores:
        if score.system in test_of_system:
            tests.append(test_of_system[score.system])
    if results.baseline is None or not tests:
        return None
    marks = []
    for row, test in enumerate(tests):
        unit = factor(test.metric)
        low, high = test.interval
        value = unit * test.difference
        kind = "open"
        if results.is_significant(test):
            kind = "value"
        marks.append(Mark(row, "interval", unit * low, unit * high))
        marks.append(Mark(row, kind, value, value))
    return Rows(
        label="differences from the baseline",
        names=[test.system for test in tests],
        axis=f"{group.axis}, {shown_level(results.level)} interval",
        marks=marks,
        line=0,
        notes=[f"p {p_cell(test, results)}" for test in tests],
    )


def rank_rows(scores: Sequence[Score]) -> Rows | None:
    """Return the rank ranges of the systems that have one, in the order of their scores; None if
    none has.
    """
    systems = [_ranked_system(score) for score in scores if score.bootstrap]
    return rows_of_ranks(systems) if systems else None


def rows_of_ranks(systems: Sequence[RankedSystem]) -> Rows:
    """Return a row for each system, in their order: its rank, and its rank range in samples."""
    marks: list[Mark] = []
    for row, (name, rank, best, worst, cluster) in enumerate(systems):
        title = f"{name}: rank {rank}, in samples {best} to {worst}, cluster {cluster}"
        marks.append(Mark(row, "interval", best, worst, title))
        marks.append(Mark(row, "rank", rank, rank, title))
    clusters = [system.cluster for system in systems]
    legend = [("rank", "rank"), ("interval", "its range in bootstrap samples")]
    if len(set(clusters)) > 1:
        legend.append(("line", "between clusters"))
    return Rows(
        label="rank ranges in bootstrap samples; lines part clusters",
        names=[system.name for system in systems],
        axis="rank",
        marks=marks,
        ends=(1, len(systems)),
        legend=legend,
        clusters=clusters,
    )


# --- scores over steps


def step_curves(
    runs: Sequence[tuple[str, Results]],
) -> Iterator[tuple[Group, Curves]]:
    """Yield the curves of scores over steps, such as checkpoints, for each metric and data set of
    runs (name, results), with the group of the first run. The name is empty if there is one run.

    Runs share a figure if the metric has the same settings, and the data set the same texts."""
    groups_of_figure: dict[tuple[object, ...], list[NamedGroup]] = {}
    for name, results in runs:
        for group in groups(results):
            digests = group.info.digests
            texts = set()
            for role, digest in digests.items():
                if not role.startswith("system "):
                    texts.add((role, digest))
            key = (group.dataset, group.metric, frozenset(texts))
            named_groups = groups_of_figure.setdefault(key, [])
            named_groups.append(NamedGroup(name, group))
    for named_groups in groups_of_figure.values():
        for curves in curves_of(named_groups):
            yield named_groups[0].group, curves


def curves_of(named_groups: Sequence[NamedGroup]) -> list[Curves]:
    """Return the scores of a metric over steps: a figure for each quantity that steps count."""
    axes: dict[str, None] = {}
    for _, group in named_groups:
        for series in group.series:
            axes[series.axis] = None
    return [_curves(named_groups, axis) for axis in axes]


def _curves(named_groups: Sequence[NamedGroup], axis: str) -> Curves:
    """Return the curves of the series of systems that have a number on an axis, such as steps of
    training; systems without a number on any axis are levels. The groups are of one metric.
    """
    lines: list[tuple[str, list[Dot]]] = []
    levels: list[tuple[str, float]] = []
    caption: list[str] = []
    for named_group in named_groups:
        group = named_group.group
        prefix = named_group.prefix
        in_series: set[str] = set()
        for series in group.series:
            for _, system in series.steps:
                in_series.add(system)
            if series.axis == axis:
                name = f"{prefix}{series.name}".strip(": ") or axis
                lines.append((name, _dots(named_group, series)))
        for score in group.scores:
            if math.isfinite(score.score) and score.system not in in_series:
                levels.append((prefix + score.system, 100 * score.score))
        for sentence in group.best_sentences:
            caption.append(prefix + sentence)
    all_dots: list[Dot] = []
    for _, dots in lines:
        all_dots += dots
    kinds = {dot.kind for dot in all_dots}
    legend = []
    if "large" in kinds:
        legend.append(("large", "large: the best"))
    if "open" in kinds:
        legend.append(("open", "hollow: not significantly worse"))
    y_axis = named_groups[0].group.axis
    if any(dot.low < dot.high for dot in all_dots):
        y_axis += (
            f", {shown_level(named_groups[0].group.results.level)} interval"
        )
    return Curves(
        label=f"scores by {axis}",
        x_axis=axis,
        y_axis=y_axis,
        lines=lines,
        levels=levels,
        legend=legend,
        caption=caption,
    )


def _dots(named_group: NamedGroup, series: Series) -> list[Dot]:
    """Return a dot for each step of a series whose system has a finite score, in percent, with its
    bootstrap interval.
    """
    group = named_group.group
    best = group.best_of(series)
    scores = {score.system: score for score in group.scores}
    dots = []
    for step, system in series.steps:
        score = scores.get(system)
        if score is None or not math.isfinite(score.score):
            continue
        interval = (score.score, score.score)
        if score.bootstrap:
            interval = score.bootstrap.interval
        low, high = interval
        kind = "value"
        if best and best.first is score:
            kind = "large"
        elif best and best.way == "test" and system in best.equals:
            kind = "open"
        title = f"{named_group.prefix}{system}: {percent(score.score, 2)}"
        dot = Dot(
            x=step,
            y=100 * score.score,
            low=100 * low,
            high=100 * high,
            kind=kind,
            title=title,
        )
        dots.append(dot)
    return dots
