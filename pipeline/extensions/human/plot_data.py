"""The data of figures of human judgements, and of how metrics agree with them."""

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
    """Yield a figure for each human score: a curve for each metric, its correlation (Pearson) in
    each window of neighbours in the human ranking. None without windows.
    """
    windows = (results.human or {}).get("windows", ())
    for human_name in dict.fromkeys(item["human"] for item in windows):
        items = [item for item in windows if item["human"] == human_name]
        ranges_of_items = [(item["first"], item["last"]) for item in items]
        ranges = list(dict.fromkeys(ranges_of_items))
        plotted: list[Group] = []
        curves = []
        for group in groups(results):
            correlations = {}
            for item in items:
                item_group = (item["dataset"], item["metric"])
                if item_group == (group.dataset, group.metric):
                    ranks = (item["first"], item["last"])
                    correlations[ranks] = item["pearson"]
            if not correlations:
                continue
            plotted.append(group)
            dots = []
            for x, ranks in enumerate(ranges):
                y = correlations.get(ranks)
                if y is None:
                    y = math.nan
                dots.append(Dot(x, y, y, y))  # without an interval
            curves.append((group.called, dots))
        if not curves:
            continue
        first, last = ranges[0]
        label = f"correlation among {last - first + 1} neighbours"
        content = Curves(
            label=label,
            x_axis=f"places in the ranking by {human_name.replace('_', ' ')}",
            y_axis="pearson",
            lines=curves,
            levels=[("", 0)],
            ticks=[f"{first}-{last}" for first, last in ranges],
            ends=(-1.05, 1.05),
        )
        group = of_all_metrics(plotted[0])
        yield AgreementPlot(group, human_name, label, content)


def point_plots(results: Results) -> Iterator[AgreementPlot]:
    """Yield a figure for each metric and human score that were correlated: a point for each system,
    unless a score is missing or infinite.
    """
    human = results.human or {}
    group_of_metric = {
        (group.dataset, group.metric): group for group in groups(results)
    }
    for item in human.get("correlations", ()):
        human_name = item["human"]
        human_scores = (human.get("scores") or {}).get(human_name)
        group = group_of_metric.get((item["dataset"], item["metric"]))
        if human_scores is None or group is None:
            continue
        scores = {score.system: score.score for score in group.scores}
        points = []
        for system in item["systems"]:
            score = scores.get(system, math.nan)
            human_score = human_scores.get(system)
            if human_score is None:
                continue
            y = float(human_score)
            if math.isfinite(score) and math.isfinite(y):
                title = f"{system}: {percent(score, 2, group.metric)}, {y:.4g}"
                x = factor(group.metric) * score
                points.append(Point(system, x, y, title))
        coefficients = []
        for name in ("pearson", "spearman"):
            value = item["coefficients"][name]["value"]
            coefficients.append(f"{name} {coefficient(value)}")
        subject = ", ".join(coefficients)
        label = f"{group.called} against {human_name}: {subject}; a dot for each system"
        content = Points(
            label, group.axis, human_name.replace("_", " "), points
        )
        yield AgreementPlot(group, human_name, subject, content)


def coefficient_plots(results: Results) -> Iterator[AgreementPlot]:
    """Yield a figure for each coefficient of each human score and data set: a row for each metric,
    with its interval.

    In all figures the metrics are in the order of the first coefficient, the highest first."""
    human = results.human or {}
    items = human.get("correlations", ())
    labels = called(item["metric"] for item in items)
    group_of_dataset = {
        group.dataset: of_all_metrics(group) for group in groups(results)
    }
    compared = [(item["dataset"], item["human"]) for item in items]
    for dataset, human_name in dict.fromkeys(compared):
        if dataset not in group_of_dataset:
            continue
        # The label and the coefficients, by name, of each metric.
        metrics: list[tuple[str, JsonObject]] = []
        for item in items:
            if (item["dataset"], item["human"]) == (dataset, human_name):
                metrics.append((labels[item["metric"]], item["coefficients"]))
        metrics.sort(key=_first_coefficient)
        level = shown_level(human["settings"]["level"])
        _, coefficients = metrics[0]
        for name in coefficients:
            subject = f"{name} with {human_name.replace('_', ' ')}"
            rows = _coefficient_rows(metrics, name, subject, level)
            figure_name = f"{human_name} {name}"
            group = group_of_dataset[dataset]
            yield AgreementPlot(group, figure_name, subject, rows)


def _first_coefficient(metric: tuple[str, JsonObject]) -> float:
    """Return the key by which metrics are sorted: the highest first coefficient comes first."""
    _, coefficients = metric
    value = next(iter(coefficients.values()))["value"]
    return math.inf if value is None else -value


def _coefficient_rows(
    metrics: list[tuple[str, JsonObject]],
    name: str,
    subject: str,
    level: str,
) -> Rows:
    """Return a row for each metric, its label and coefficients by name, with the value and the
    interval of the coefficient `name`. A value that is not defined leaves its row empty.
    """
    marks = []
    notes = []
    for row, (label, coefficients) in enumerate(metrics):
        value = coefficients[name]["value"]
        low, high = coefficients[name]["interval"]
        if value is None:
            notes.append("")
            continue
        notes.append(coefficient(value).replace("-", "\u2212"))
        title = f"{label}: {name} {coefficient(value)}"
        if low is not None and high is not None:
            title += f", {coefficient(low)} to {coefficient(high)}"
            marks.append(Mark(row, "interval", low, high, title))
        marks.append(Mark(row, "value", value, value, title))
    lowest = 0.0 if name == "accuracy" else -1.0  # accuracy is a share of pairs
    return Rows(
        label=f"{subject}, of each metric",
        names=[label for label, _ in metrics],
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
