"""Scores in records: JSON, JSON lines, CSV and other tables with a row for each output, joined by
system and item.

A record is a mapping. The cells of a table are there by the numbers of their columns, from 1, and
by the names in its first line, where that has any. In JSON a name such as `scores.fluency` leads
into an inner object."""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from pipeline.arrays import Floats, Ints
from pipeline.errors import ConfigError, CorpusError, InputError, did_you_mean
from pipeline.files import TableCell, TableRow, named, small_text
from pipeline.scoring import defined_interval

from .correlation import quotient
from .json_objects import JsonObject
from .models import CorrelationConfig, RecordsConfig
from .statistics import Statistic, statistic_of

MAX_BYTES = 1 << 28
SYSTEMS = "*"
"""The name of the column of systems where records have an object for each system, under its name.
"""
_POSITION = re.compile(r"(:[0-9]+|\[[0-9]+\])$")
"""The number of a line or object at the end of a position."""
Scores = dict[tuple[str, str], float]
"""A score for each output, by system and item; NaN if it is missing."""


class Record(NamedTuple):
    """A record, and where it is: the file with the number of the line, or of the object in its
    list.
    """

    position: str
    fields: Mapping[str, Any]

    def field(self, name: str) -> Any:
        """Return what a name, or a path of names with dots, leads to; raises CorpusError if there
        is nothing.
        """
        if name in self.fields:
            return self.fields[name]
        value: Any = self.fields
        for step in name.split("."):
            fields = list(value) if isinstance(value, dict) else []
            if step not in fields:
                raise CorpusError.at(
                    self.position, _missing_field(name, step, fields)
                )
            value = value[step]
        return value

    def text(self, name: str) -> str:
        """Return a text or number as a text; raises CorpusError if it is neither."""
        value = self.field(name)
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise CorpusError.at(
                self.position, f"'{name}': expected a text or a number"
            )
        return str(value)

    def number(self, names: str | Sequence[str]) -> float:
        """Return a number, or the mean of several; NaN if one is missing. Raises CorpusError for
        anything else.
        """
        numbers = []
        if isinstance(names, str):
            names = [names]
        for name in names:
            value = self.field(name)
            if isinstance(value, int):
                value = float(value)
            text = str(value)
            if text.lower() in {"", *TableCell.MISSING}:
                numbers.append(math.nan)
                continue
            try:
                numbers.append(TableCell(text).number("a score, a number"))
            except ValueError as error:
                raise CorpusError.at(
                    self.position, f"'{name}': {error}"
                ) from None
        return fmean(numbers)


def _missing_field(name: str, step: str, fields: Sequence[str]) -> str:
    """Return the message about a name that leads to nothing: `step` is none of the fields."""
    if name.isdecimal():
        width = sum(map(str.isdecimal, fields))
        return f"has {width} columns; column {name} is asked for"
    hint = did_you_mean(step, fields)
    if not hint and fields:
        hint = f"; there are {', '.join(fields[:20])}"
    return f"has no '{name}'{hint}"


def read_records(path: Path) -> list[Record]:
    """Return the records of a file, which may be compressed; raises CorpusError if it is no list of
    records.
    """
    name = named(path)
    kinds = {suffix.lower() for suffix in path.suffixes[-2:]}
    if ".json" in kinds:
        records = _of_json(path, name)
    elif kinds & {".jsonl", ".ndjson"}:
        records = _of_json_lines(path, name)
    else:
        records = _of_table(path, name)
    for record in records:
        if not isinstance(record.fields, dict):
            message = (
                "expected a list of JSON objects, or lines of such (.jsonl)"
            )
            raise CorpusError.at(record.position, message)
    if not records:
        raise CorpusError.at(name, "has no lines")
    return records


def _of_json(path: Path, name: str) -> list[Record]:
    content = _parsed(small_text(path, MAX_BYTES), name)
    objects = content if isinstance(content, list) else [0]
    records = []
    for number, fields in enumerate(objects):
        records.append(Record(f"{name}[{number}]", fields))
    return records


def _of_json_lines(path: Path, name: str) -> list[Record]:
    records = []
    lines = small_text(path, MAX_BYTES).split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            position = f"{name}:{number}"
            records.append(Record(position, _parsed(line, position)))
    return records


def _of_table(path: Path, name: str) -> list[Record]:
    """Return the rows of a table. Its first line has names if none of its cells is a number."""
    rows = list(TableRow.of_file(path, MAX_BYTES))
    names: Sequence[str] = ()
    has_numbers = bool(rows) and any(
        TableCell(cell).is_numeric for cell in rows[0].cells
    )
    if len(rows) >= 2 and not has_numbers:
        names = rows[0].cells
        for column in names:
            if names.count(column) > 1:
                raise CorpusError.at(
                    f"{name}:{rows[0].line}",
                    f"two columns are called '{column}'",
                )
        rows = rows[1:]
    records = []
    for line, cells in rows:
        fields = {str(number): cell for number, cell in enumerate(cells, 1)}
        fields.update(zip(names, cells, strict=False))
        records.append(Record(f"{name}:{line}", fields))
    return records


def _parsed(text: str, position: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError.at(position, f"not valid JSON: {error}") from None


def filtered(
    records: Sequence[Record], where: Mapping[str, str]
) -> list[Record]:
    """Return the records that have each of these texts in its column; raises CorpusError if there
    is none.
    """
    matching = []
    for record in records:
        if all(record.text(column) == text for column, text in where.items()):
            matching.append(record)
    if not matching:
        conditions = []
        for column, text in where.items():
            conditions.append(f"'{text}' in column {column}")
        file = _POSITION.sub("", records[0].position)
        raise CorpusError.at(file, f"no line has {', '.join(conditions)}")
    return matching


def records_config(text: str) -> RecordsConfig | None:
    """Return the section of a text such as {file: r.json, score: scores.fluency}; None for the name
    of a file.

    Raises ConfigError for what is no such mapping.
    """
    if not text.startswith("{"):
        return None
    from pipeline.data.config import read_yaml

    try:
        return RecordsConfig.model_validate(read_yaml("records", text))
    except ValidationError as error:
        first = error.errors()[0]
        keys = ", ".join(RecordsConfig.model_fields)
        message = (
            f"{text}: {first['loc'][0]}: {first['msg']}; records have {keys}"
        )
        raise ConfigError(message) from None


def scores_of(config: RecordsConfig, records: Sequence[Record]) -> Scores:
    """Return the scores of records. Without a column of items these are numbered, those of each
    system from 1.

    Raises CorpusError if an output comes twice.
    """
    if config.system == SYSTEMS:
        records = _record_of_each_system(records)
    items = [config.item] if isinstance(config.item, str) else config.item
    scores: Scores = {}
    counts = Counter[str]()
    for record in filtered(records, config.where):
        system = record.text(config.system) if config.system else ""
        counts[system] += 1
        item = str(counts[system])
        if items:
            item = "\t".join(map(record.text, items))
        if (system, item) in scores:
            message = f"'{system}' has two scores of the item '{item}'"
            raise CorpusError.at(record.position, message)
        scores[system, item] = record.number(config.score)
    return scores


def _record_of_each_system(records: Sequence[Record]) -> list[Record]:
    """Return a record for each object in records, with its name and the fields around it."""
    single = []
    for record in records:
        shared = {}
        for name, value in record.fields.items():
            if not isinstance(value, dict):
                shared[name] = value
        for name, value in record.fields.items():
            if isinstance(value, dict):
                fields = {**shared, **value, SYSTEMS: name}
                single.append(Record(record.position, fields))
    return single


def means_of(scores: Scores) -> dict[str, float]:
    """Return the mean score of each system over the outputs that have one; NaN if it has none."""
    systems: dict[str, list[float]] = {}
    for (system, _), score in scores.items():
        values = systems.setdefault(system, [])
        if not math.isnan(score):
            values.append(score)
    means = {}
    for system, values in systems.items():
        means[system] = fmean(values) if values else math.nan
    return means


def correlated(
    metric: Scores, human: Scores, config: CorrelationConfig
) -> JsonObject:
    """Return the statistics of two scores of outputs that both have, and how many systems and
    outputs these are.

    With `resamples` also their percentile intervals over samples of the items, drawn with
    replacement, each with the outputs of all systems. Samples in which a statistic is not defined
    are left out; without others its ends are NaN. Raises InputError if no output has both, or a
    statistic is unknown."""
    common = _common_outputs(metric, human, config.without)
    # Tables float64 [systems, items] with NaN for outputs without both scores.
    rows = _numbers(system for system, _ in common)
    columns = _numbers(item for _, item in common)
    indexes = [(rows[system], columns[item]) for system, item in common]
    cells = tuple(np.array(indexes).T)
    shape = (len(rows), len(columns))
    metric_table = np.full(shape, np.nan)
    human_table = metric_table.copy()
    metric_table[cells] = [metric[key] for key in common]
    human_table[cells] = [human[key] for key in common]
    if config.part:
        # Half of the outputs, in the order of human scores; equal ones keep their order.
        order = np.argsort(human_table[cells], kind="stable")
        half = len(common) // 2
        rest = len(common) - half
        left_out = order[half:] if config.part == "lower" else order[:rest]
        cells_left_out = tuple(axis[left_out] for axis in cells)
        human_table[cells_left_out] = np.nan

    statistics = [statistic_of(text) for text in config.statistics]

    def values(items: Ints | slice) -> list[float]:
        """Return the statistics on some of the items."""
        human_part = human_table[:, items]
        metric_part = metric_table[:, items]
        metric_part = np.where(np.isnan(human_part), np.nan, metric_part)
        results = []
        for statistic in statistics:
            human_scores = _compared_scores(
                human_part, statistic, config.control
            )
            metric_scores = _compared_scores(
                metric_part, statistic, config.control
            )
            value = statistic.value(human_scores, metric_scores).value
            results.append(abs(value) if config.absolute else value)
        return results

    has_scores = ~np.isnan(human_table)
    outputs = int(has_scores.sum())
    result: JsonObject = {"systems": len(rows), "scores": outputs}
    every_item = slice(None)
    result.update(zip(config.statistics, values(every_item), strict=True))
    if config.resamples:
        generator = np.random.default_rng(config.seed)
        sample_shape = (config.resamples, len(columns))
        samples = generator.integers(0, len(columns), sample_shape)
        sample_values = np.array([values(sample) for sample in samples])
        intervals = {}
        for text, column in zip(
            config.statistics, sample_values.T, strict=True
        ):
            intervals[text] = list(defined_interval(column, config.level))
        result["intervals"] = intervals
    return result


def _common_outputs(
    metric: Scores,
    human: Scores,
    without: Collection[str],
) -> list[tuple[str, str]]:
    """Return the outputs that have both scores; raises InputError if there are none."""
    common = []
    for key, score in human.items():
        other = metric.get(key, math.nan)
        if not math.isnan(score + other) and key[0] not in without:
            common.append(key)
    if not common:
        raise InputError(
            "no output has both scores: are systems and items called alike in both files?"
        )
    return common


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Return a number from 0 for each different name, in the order in which they come."""
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def _compared_scores(
    scores: Floats,
    statistic: Statistic,
    control: str | None,
) -> Floats:
    """Return scores [systems, items] as a statistic compares them: means of systems, or what these
    do not explain.

    With `control` "system" these are the residuals of a regression on the system alone: scores less
    the system's mean."""
    compares_systems = statistic.level == "system"
    if not compares_systems and control is None:
        return scores
    present = ~np.isnan(scores)
    sums = np.where(present, scores, 0.0).sum(axis=1)
    means = quotient(sums, present.sum(axis=1))[:, None]
    return means if compares_systems else scores - means
