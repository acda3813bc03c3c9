"""The numbers of sentences by the metrics of users as files, and configs that take them as
`external`.

Others rerun the statistics of a run from this folder, bit for bit, without the code, the model and
the texts. In place of texts the configs name columns of these files.
"""

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from pipeline.metrics import Declared
from pipeline.report import Format, ReportContext
from pipeline.report.tables import labels
from pipeline.scoring import MetricResult

FOLDER = "numbers"
LINE = "#"
"""The first column, whose name no metric has: the number of the line. It replaces the texts of a
reference."""
MAX_TITLE = 50
"""The most letters of the title of an external metric."""


class _UserMetric(NamedTuple):
    """A metric of users with its title in the files, and its results by data set."""

    title: str
    metric_results: list[MetricResult]
    declared: Declared

    @property
    def dropped_lines(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The data sets with the lines that the metric leaves out."""
        dropped = []
        for metric_result in self.metric_results:
            dropped.append((metric_result.dataset, metric_result.left_out))
        return tuple(dropped)


def number_files(context: ReportContext) -> dict[str, str]:
    """Return the content of the files of numbers and configs, by their paths.

    There is a table for each metric of users, data set and system, and a config that reads them;
    nothing without such metrics. Metrics that leave out other lines have a config of their own.
    """
    import yaml  # here, because most commands only list this format

    # the tables
    files: dict[str, str] = {}
    metrics = _user_metrics(context)
    for metric in metrics:
        for metric_result in metric.metric_results:
            for system, table in _tables(metric_result, metric.declared):
                path = _path(metric.title, metric_result.dataset, system)
                files[f"{FOLDER}/{path}"] = table

    # the configs: each drops lines for all of its metrics
    metrics_by_lines: dict[object, list[_UserMetric]] = {}
    for metric in metrics:
        metrics_by_lines.setdefault(metric.dropped_lines, []).append(metric)
    statistics = None
    if isinstance(context.config, dict):
        statistics = context.config.get("statistics")
    for index, metrics_of_config in enumerate(metrics_by_lines.values()):
        name = "external"
        if index:
            name += f"-{metrics_of_config[0].title}"
        config = _config(metrics_of_config, statistics)
        text = yaml.safe_dump(config, sort_keys=False, default_flow_style=None)
        files[f"{FOLDER}/{name}.yaml"] = text
    return files


def _user_metrics(context: ReportContext) -> list[_UserMetric]:
    """Return the metrics of users, each with its results and a title that no other one has.

    The title is the label in tables with hyphens, or name and number if that is long or taken.
    """
    label_of = labels(
        metric_result.signature for metric_result in context.measured
    )
    by_label: dict[str, list[MetricResult]] = {}
    for label in label_of.values():
        by_label[label] = []
    for metric_result in context.measured:
        label = label_of[metric_result.signature]
        by_label[label].append(metric_result)
    metrics: list[_UserMetric] = []
    titles: set[str] = set()
    for number, (label, metric_results) in enumerate(by_label.items(), 1):
        name = metric_results[0].metric.name
        declared = context.results.declared.get(name)
        if declared is None:
            continue
        title = re.sub(r"[^A-Za-z0-9_.]+", "-", label).strip("-")
        if len(title) > MAX_TITLE or title in titles:
            title = f"{name}-{number}"
        titles.add(title)
        metrics.append(_UserMetric(title, metric_results, declared))
    return metrics


def _path(title: str, dataset: str, system: str) -> str:
    return f"{title}/{dataset}/{system}.tsv"


def _tables(
    metric_result: MetricResult, declared: Declared
) -> Iterator[tuple[str, str]]:
    """Yield the name of each system, and the table of its numbers as the text of a TSV file.

    A row is a line: its number from 1, a cell for each number of the metric (empty if the line has
    none), and the id of the line if lines have ids.
    """
    ids: Sequence[str] = []
    header = [LINE, *declared.numbers]
    if metric_result.ids:
        ids = metric_result.ids.read(0, metric_result.ids.lines)
        header.append("id")
    systems = zip(
        metric_result.names, metric_result.by_line.columns, strict=False
    )
    for name, columns in systems:
        lines = ["\t".join(header)]
        for block in columns.blocks():
            numbers = [block[column].tolist() for column in declared.numbers]
            for row in zip(*numbers, strict=True):
                line = len(lines)  # the header is one of them
                cells = [str(line)]
                for number in row:
                    cells.append(_cell(number, declared))
                if ids:
                    cells.append(ids[line - 1])
                lines.append("\t".join(cells))
        lines.append("")
        yield name, "\n".join(lines)


def _cell(number: float, declared: Declared) -> str:
    if declared.counts:
        return str(Decimal(number).scaleb(-declared.decimals))
    return "" if math.isnan(number) else repr(number)


def _config(metrics: Sequence[_UserMetric], statistics: Any) -> dict[str, Any]:
    """Return a config of metrics that leave out the same lines. Its paths are relative to the
    folder.

    `statistics` is that section as the config of the run has it.
    """
    first = metrics[0]
    first_column = first.declared.numbers[0]
    datasets: dict[str, Any] = {}
    systems: dict[str, Any] = {}
    for metric_result in first.metric_results:
        dataset = metric_result.dataset
        path = _path(first.title, dataset, metric_result.names[0])
        datasets[dataset] = {"references": [{"tsv": path, "column": LINE}]}
        if metric_result.left_out:
            datasets[dataset]["drop"] = [
                line + 1 for line in metric_result.left_out
            ]
        for name in metric_result.names:
            output = {
                "tsv": _path(first.title, dataset, name),
                "column": first_column,
            }
            systems.setdefault(name, {})[dataset] = output
    config: dict[str, Any] = {
        "datasets": datasets,
        "systems": systems,
        "metrics": list(map(_metric_entry, metrics)),
    }
    if statistics is not None:
        config["statistics"] = statistics
    config["output"] = {"dir": "run"}
    return config


def _metric_entry(metric: _UserMetric) -> dict[str, Any]:
    """Return the entry of a metric in the section `metrics`."""
    declared = metric.declared
    user_metric = metric.metric_results[0].metric
    numbers = declared.numbers if declared.counts else declared.numbers[:1]
    entry: dict[str, Any] = {
        "name": "external",
        "title": metric.title,
        "files": _path(metric.title, "{dataset}", "{system}"),
        "columns": "+".join(numbers),
    }
    if declared.counts:
        entry["score"] = "f_beta"
        beta = dict(user_metric.settings())["beta"]
        if beta is not None:
            entry["beta"] = beta
        if declared.decimals:
            entry["decimals"] = declared.decimals
    else:
        entry["score"] = user_metric.level
        entry["scale"] = f"{Decimal(repr(declared.scale)):f}"
    if not declared.higher_is_better:
        entry["higher_is_better"] = False
    return entry


NUMBERS_FORMAT = Format(
    about=(
        "the numbers of sentences by metrics of your own, and a config that takes them as "
        "`external`"
    ),
    files=number_files,
)
