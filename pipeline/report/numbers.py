"""The numbers of sentences by the metrics of users as files, and configs that take them as
`external`.

Others rerun the statistics of a run from this folder, bit for bit, without the code, the model and
the texts. In place of texts the configs name columns of these files."""

import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import yaml

from ..data.texts import read_texts
from ..metrics.base.declared import Declared
from ..scoring.metric_results import MetricResult
from .context import ReportContext
from .tables.ranked import labels

FOLDER = "numbers"
LINE = "#"
"""The first column, whose name no metric has: the number of the line. It stands for the texts of a
reference."""
LONGEST = 50
"""The most signs of the title of an external metric."""


def number_files(context: ReportContext) -> dict[str, str]:
    """Return a table for each metric of users, data set and system, and the configs; nothing where
    there is none."""
    declared, files = context.results.declared, dict[str, str]()
    named = labels(metric_result.signature for metric_result in context.measured)
    groups: dict[tuple[tuple[str, tuple[int, ...]], ...], list[tuple[str, list[MetricResult]]]] = {}
    for number, label in enumerate(dict.fromkeys(named.values()), 1):
        metric_results = [
            metric_result
            for metric_result in context.measured
            if named[metric_result.signature] == label
        ]
        metric = metric_results[0].metric
        if metric.name not in declared:
            continue
        title = re.sub(r"[^A-Za-z0-9_.]+", "-", label).strip("-")
        if len(title) > LONGEST or title in (
            each for group in groups.values() for each, _ in group
        ):
            title = f"{metric.name}-{number}"
        for metric_result in metric_results:
            for name, rows in _tables(metric_result, declared[metric.name]):
                files[f"{FOLDER}/{_path(title, metric_result.dataset, name)}"] = rows
        groups.setdefault(
            tuple(
                (metric_result.dataset, metric_result.left_out) for metric_result in metric_results
            ),
            [],
        ).append((title, metric_results))
    asked = context.config if isinstance(context.config, dict) else {}
    for group in groups.values():  # a config drops lines for all of its metrics
        end = f"-{group[0][0]}" if group is not next(iter(groups.values())) else ""
        written = _config(group, declared, asked.get("statistics"))
        files[f"{FOLDER}/external{end}.yaml"] = yaml.safe_dump(
            written, sort_keys=False, default_flow_style=None
        )
    return files


def _path(title: str, dataset: str, system: str) -> str:
    return f"{title}/{dataset}/{system}.tsv"


def _tables(metric_result: MetricResult, declared: Declared) -> Iterator[tuple[str, str]]:
    """Yield the name of each system, and a table of its lines with a column for each number; no
    number, empty cell.

    Where lines have ids, these are the last column.
    """
    ids = read_texts(metric_result.ids, 0, metric_result.ids.lines) if metric_result.ids else []
    for name, columns in zip(metric_result.names, metric_result.by_line.columns, strict=False):
        lines = ["\t".join([LINE, *declared.numbers, *(["id"] if ids else [])])]
        for block in columns.blocks():
            for row in zip(*(block[each].tolist() for each in declared.numbers), strict=True):
                cells = [str(len(lines)), *(_cell(value, declared) for value in row)]
                lines.append("\t".join([*cells, *ids[len(lines) - 1 : len(lines)]]))
        yield name, "\n".join([*lines, ""])


def _cell(value: float, declared: Declared) -> str:
    if declared.counts:
        return str(Decimal(value).scaleb(-declared.decimals))
    return "" if math.isnan(value) else repr(value)


def _config(
    group: Sequence[tuple[str, list[MetricResult]]], declared: dict[str, Declared], statistics: Any
) -> dict[str, Any]:
    """Return a config of metrics that leave out the same lines. Its paths are relative to the
    folder.

    `statistics` is that section as the config of the run has it.
    """
    title, metric_results = group[0]
    first = declared[metric_results[0].metric.name].numbers[0]
    datasets, systems = dict[str, Any](), dict[str, Any]()
    for metric_result in metric_results:
        reference = {
            "tsv": _path(title, metric_result.dataset, metric_result.names[0]),
            "column": LINE,
        }
        gone = (
            {"drop": [line + 1 for line in metric_result.left_out]}
            if metric_result.left_out
            else {}
        )
        datasets[metric_result.dataset] = {"references": [reference], **gone}
        for name in metric_result.names:
            systems.setdefault(name, {})[metric_result.dataset] = {
                "tsv": _path(title, metric_result.dataset, name),
                "column": first,
            }
    metrics = []
    for title, metric_results in group:
        own, metric = declared[metric_results[0].metric.name], metric_results[0].metric
        entry = {"name": "external", "title": title, "files": _path(title, "{dataset}", "{system}")}
        entry["columns"] = "+".join(own.numbers if own.counts else own.numbers[:1])
        if own.counts:
            more = {
                "score": "f_beta",
                "beta": dict(metric.settings())["beta"],
                "decimals": own.decimals or None,
            }
        else:
            more = {"score": metric.level, "scale": f"{Decimal(repr(own.scale)):f}"}
        more["higher_is_better"] = None if own.higher_is_better else False
        metrics.append(
            {**entry, **{key: value for key, value in more.items() if value is not None}}
        )
    asked = {} if statistics is None else {"statistics": statistics}
    return {
        "datasets": datasets,
        "systems": systems,
        "metrics": metrics,
        **asked,
        "output": {"dir": "run"},
    }
