"""What figures show of human judgements, and of how metrics agree with them."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pipeline.extensions.plots.plot_data import (
    Curves,
    Dot,
    Mark,
    Point,
    Points,
    RankedSystem,
    Rows,
)
from pipeline.metrics import factor
from pipeline.report.tables import Group, called, groups, percent, shown_level
from pipeline.scoring import Results

from .human_judgements import HumanRanking
from .json_objects import JsonObject
from .tables import coefficient


class AgreementPlot(NamedTuple):
    """A figure of how metrics agree with people."""

    group: Group
    """The scores of a metric, or for several metrics their data set."""
    name: str
    subject: str
    content: Any
    """Curves, Points or Rows."""


def of_all_metrics(group: Group) -> Group:
    """Return a group for a figure of several metrics: it names the data set alone."""
    return replace(group, label="", signature="", called="")


def ranked_systems(ranking: HumanRanking) -> list[RankedSystem]:
    """Return the systems as people rank them, the best first."""
    scores = ranking.expected_wins
    systems = []
    for rank, name in enumerate(scores["order"], 1):
        best, worst = scores["ranks"][name]
        cluster = scores["clusters"][name]
        systems.append(RankedSystem(name, rank, best, worst, cluster))
    return systems


def window_plots(results: Results) -> Iterator[AgreementPlot]:
    """Yield the correlations of all metrics among neighbours in the human ranking, for each human
    score.
    """
    windows = (results.human or {}).get("windows", ())
    for name in dict.fromkeys(item["human"] for item in windows):
        items = [item for item in windows if item["human"] == name]
        ends = [(item["first"], item["last"]) for item in items]
        ranges = list(dict.fromkeys(ends))
        plotted: list[Group] = []
        lines = []
        for group in groups(results):
            values = {}
            for item in items:
                scored = (item["dataset"], item["metric"])
                if scored == (group.dataset, group.metric):
                    values[item["first"], item["last"]] = item["pearson"]
            if not values:
                continue
            plotted.append(group)
            dots = []
            for x, ranks in enumerate(ranges):
                value = values.get(ranks)
                if value is None:
                    value = math.nan
                dots.append(Dot(x, value, value, value))
            lines.append((group.called, dots))
        if not lines:
            continue
        first, last = ranges[0]
        label = f"correlation among {last - first + 1} neighbours"
        curves = Curves(
            label=label,
            x_axis=f"places in the ranking by {name.replace('_', ' ')}",
            y_axis="pearson",
            lines=lines,
            levels=[("", 0)],
            ticks=[f"{first}-{last}" for first, last in ranges],
            ends=(-1.05, 1.05),
        )
        yield AgreementPlot(of_all_metrics(plotted[0]), name, label, curves)


def point_plots(results: Results) -> Iterator[AgreementPlot]:
    """Yield each metric with a human score that it was correlated with."""
    human = results.human or {}
    by_metric = {
        (group.dataset, group.metric): group for group in groups(results)
    }
    for item in human.get("correlations", ()):
        human_name = item["human"]
        human_scores = (human.get("scores") or {}).get(human_name)
        group = by_metric.get((item["dataset"], item["metric"]))
        if human_scores is None or group is None:
            continue
        scores = {score.system: score.score for score in group.scores}
        points = []
        for name in item["systems"]:
            score = scores.get(name, math.nan)
            human_score = human_scores.get(name)
            if human_score is None:
                continue
            y = float(human_score)
            if math.isfinite(score) and math.isfinite(y):
                title = f"{name}: {percent(score, 2, group.metric)}, {y:.4g}"
                x = factor(group.metric) * score
                points.append(Point(name, x, y, title))
        coefficients = []
        for name in ("pearson", "spearman"):
            value = item["coefficients"][name]["value"]
            coefficients.append(f"{name} {coefficient(value)}")
        subject = ", ".join(coefficients)
        label = f"{group.called} against {human_name}: {subject}; a dot for each system"
        described = Points(
            label, group.axis, human_name.replace("_", " "), points
        )
        yield AgreementPlot(group, human_name, subject, described)


def coefficient_plots(results: Results) -> Iterator[AgreementPlot]:
    """Yield each coefficient of each human score: a row for each metric, with its interval.

    The metric with the highest first coefficient comes first.
    """
    human = results.human or {}
    items = human.get("correlations", ())
    names = called(item["metric"] for item in items)
    by_dataset = {
        group.dataset: of_all_metrics(group) for group in groups(results)
    }
    compared = [(item["dataset"], item["human"]) for item in items]
    for dataset, human_name in dict.fromkeys(compared):
        if dataset not in by_dataset:
            continue
        coefficients: list[tuple[str, JsonObject]] = []
        for item in items:
            if (item["dataset"], item["human"]) == (dataset, human_name):
                coefficients.append(
                    (names[item["metric"]], item["coefficients"])
                )
        coefficients.sort(key=_first_coefficient)
        level = shown_level(human["settings"]["level"])
        for name in coefficients[0][1]:
            subject = f"{name} with {human_name.replace('_', ' ')}"
            rows = _coefficient_rows(coefficients, name, subject, level)
            figure_name = f"{human_name} {name}"
            yield AgreementPlot(by_dataset[dataset], figure_name, subject, rows)


def _first_coefficient(item: tuple[str, JsonObject]) -> float:
    """Return the key by which metrics are sorted: the highest first coefficient comes first."""
    _, coefficients = item
    value = next(iter(coefficients.values()))["value"]
    return math.inf if value is None else -value


def _coefficient_rows(
    coefficients: list[tuple[str, JsonObject]],
    name: str,
    subject: str,
    level: str,
) -> Rows:
    marks = []
    notes = []
    for row, (metric, values) in enumerate(coefficients):
        value = values[name]["value"]
        low, high = values[name]["interval"]
        if value is None:
            notes.append("")
            continue
        notes.append(coefficient(value).replace("-", "\u2212"))
        title = f"{metric}: {name} {coefficient(value)}"
        if low is not None and high is not None:
            title += f", {coefficient(low)} to {coefficient(high)}"
            marks.append(Mark(row, "interval", low, high, title))
        marks.append(Mark(row, "value", value, value, title))
    lowest = 0.0 if name == "accuracy" else -1.0  # accuracy is a share of pairs
    return Rows(
        label=f"{subject}, of each metric",
        names=[metric for metric, _ in coefficients],
        axis=f"{name} and its {level} interval",
        marks=marks,
        ends=(lowest, 1.0),
        line=(lowest + 1) / 2,
        legend=[
            ("value", "coefficient"),
            ("interval", "its interval"),
            ("line", "middle of the scale"),
        ],
        notes=notes,
    )
