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
        """Return the value of a field; `scores.fluency` is that of `fluency` in the inner object
        `scores`, unless a field has this very name.

        Raises CorpusError if there is no such field."""
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
        """Return the number in a field, or the mean of those in several fields; NaN if one is
        missing (empty, null or NaN).

        Raises CorpusError if a field does not exist or is no number."""
        numbers = []
        if isinstance(names, str):
            names = [names]
        for name in names:
            value = self.field(name)
            if isinstance(value, int):
                value = float(value)  # true is 1.0, not the text True
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
    """Return the message about a field that does not exist: `step` is the part of its dotted name
    that is none of the fields.
    """
    if name.isdecimal():
        # The cells of a table are also fields by the numbers of their columns.
        width = sum(map(str.isdecimal, fields))
        return f"has {width} columns; column {name} is asked for"
    hint = did_you_mean(step, fields)
    if not hint and fields:
        hint = f"; there are {', '.join(fields[:20])}"
    return f"has no '{name}'{hint}"


def read_records(path: Path) -> list[Record]:
    """Return the records of a file, which may be compressed: JSON or JSON lines by its suffix,
    otherwise a table. Raises CorpusError if it has no records, or something else.
    """
    name = named(path)
    # The last but one is that of the format, if the file is compressed.
    suffixes = {suffix.lower() for suffix in path.suffixes[-2:]}
    if ".json" in suffixes:
        records = _of_json(path, name)
    elif suffixes & {".jsonl", ".ndjson"}:
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
    # Anything but a list is refused by read_records(), as a list of null is.
    objects = content if isinstance(content, list) else [None]
    records = []
    for index, fields in enumerate(objects):
        records.append(Record(f"{name}[{index}]", fields))
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
    """Return the rows of a table as records, whose fields are named by the number of the column,
    from 1, and by its title.

    The first line has titles if none of its cells is a number and other lines follow. Raises
    CorpusError if two columns have the same title."""
    rows = list(TableRow.of_file(path, MAX_BYTES))
    titles: Sequence[str] = ()
    has_numbers = bool(rows) and any(
        TableCell(cell).is_numeric for cell in rows[0].cells
    )
    if len(rows) >= 2 and not has_numbers:
        titles = rows[0].cells
        for title in titles:
            if titles.count(title) > 1:
                raise CorpusError.at(
                    f"{name}:{rows[0].line}",
                    f"two columns are called '{title}'",
                )
        rows = rows[1:]
    records = []
    for line, cells in rows:
        fields = {str(column): cell for column, cell in enumerate(cells, 1)}
        fields.update(zip(titles, cells, strict=False))
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
    """Return the records with these texts in their fields: `where` is {field: text}, and all must
    match. Raises CorpusError if no record has them.
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
    """Return the settings in an argument such as {file: r.json, score: scores.fluency}, a YAML
    mapping; None if the argument is the name of a file.

    Raises ConfigError for a mapping with wrong settings."""
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
    """Return the score of each output in records, by system and item.

    Without a field of the system all outputs are of one, "". Without fields of the item the outputs
    of each system are numbered from 1. Raises CorpusError if an output comes twice."""
    if config.system == SYSTEMS:
        records = _record_of_each_system(records)
    item_fields = config.item
    if isinstance(item_fields, str):
        item_fields = [item_fields]
    scores: Scores = {}
    counts = Counter[str]()
    for record in filtered(records, config.where):
        system = record.text(config.system) if config.system else ""
        counts[system] += 1
        item = str(counts[system])
        if item_fields:
            item = "\t".join(map(record.text, item_fields))
        if (system, item) in scores:
            message = f"'{system}' has two scores of the item '{item}'"
            raise CorpusError.at(record.position, message)
        scores[system, item] = record.number(config.score)
    return scores


def _record_of_each_system(records: Sequence[Record]) -> list[Record]:
    """Return a record for each system in records that have an inner object for each, under its
    name.

    {id: 1, a: {score: 2}} becomes {id: 1, score: 2, *: a}, where * is the system."""
    of_systems = []
    for record in records:
        shared = {}
        for name, value in record.fields.items():
            if not isinstance(value, dict):
                shared[name] = value
        for name, value in record.fields.items():
            if isinstance(value, dict):
                fields = {**shared, **value, SYSTEMS: name}
                of_systems.append(Record(record.position, fields))
    return of_systems


def means_of(scores: Scores) -> dict[str, float]:
    """Return the mean score of each system over the outputs that have one; NaN if it has none."""
    scores_by_system: dict[str, list[float]] = {}
    for (system, _), score in scores.items():
        system_scores = scores_by_system.setdefault(system, [])
        if not math.isnan(score):
            system_scores.append(score)
    means = {}
    for system, system_scores in scores_by_system.items():
        means[system] = fmean(system_scores) if system_scores else math.nan
    return means


def correlated(
    metric: Scores, human: Scores, config: CorrelationConfig
) -> JsonObject:
    """Return the statistics of a metric's and a human score on the outputs that have both: {text of
    the statistic: value}, with `systems` and `scores`, how many systems and outputs these are.

    With `resamples` also `intervals`, percentile intervals over samples of the items, drawn with
    replacement, each with the outputs of all systems. Samples in which a statistic is not defined
    are left out; its ends are NaN if all are. Raises InputError if no output has both scores, or a
    statistic is unknown."""
    common = _common_outputs(metric, human, config.without)
    # Tables float64 [systems, items] with NaN for outputs without both scores.
    rows = _indices(system for system, _ in common)
    columns = _indices(item for _, item in common)
    indices = [(rows[system], columns[item]) for system, item in common]
    cells = tuple(np.array(indices).T)
    shape = (len(rows), len(columns))
    metric_table = np.full(shape, np.nan)
    human_table = metric_table.copy()
    metric_table[cells] = [metric[output] for output in common]
    human_table[cells] = [human[output] for output in common]
    if config.part:
        # Half of the outputs, in the order of human scores; equal ones keep their order.
        order = np.argsort(human_table[cells], kind="stable")
        half = len(common) // 2
        if config.part == "lower":
            left_out = order[half:]
        else:
            left_out = order[: len(common) - half]
        cells_left_out = tuple(axis[left_out] for axis in cells)
        human_table[cells_left_out] = np.nan

    statistics = [statistic_of(text) for text in config.statistics]

    def values_on(items: Ints | slice) -> list[float]:
        """Return the value of each statistic on some of the items."""
        human_part = human_table[:, items]
        metric_part = metric_table[:, items]
        metric_part = np.where(np.isnan(human_part), np.nan, metric_part)
        values = []
        for statistic in statistics:
            human_scores = _compared_scores(
                human_part, statistic, config.control
            )
            metric_scores = _compared_scores(
                metric_part, statistic, config.control
            )
            value = statistic.value(human_scores, metric_scores).value
            values.append(abs(value) if config.absolute else value)
        return values

    has_scores = ~np.isnan(human_table)
    outputs = int(has_scores.sum())
    result: JsonObject = {"systems": len(rows), "scores": outputs}
    every_item = slice(None)
    result.update(zip(config.statistics, values_on(every_item), strict=True))
    if config.resamples:
        generator = np.random.default_rng(config.seed)
        sample_shape = (config.resamples, len(columns))
        samples = generator.integers(0, len(columns), sample_shape)
        sample_values = np.array([values_on(sample) for sample in samples])
        intervals = {}
        for text, values in zip(
            config.statistics, sample_values.T, strict=True
        ):
            intervals[text] = list(defined_interval(values, config.level))
        result["intervals"] = intervals
    return result


def _common_outputs(
    metric: Scores,
    human: Scores,
    without: Collection[str],
) -> list[tuple[str, str]]:
    """Return the outputs, (system, item), that have both scores, but for systems of `without`;
    raises InputError if there are none.
    """
    common = []
    for output, human_score in human.items():
        system, _ = output
        metric_score = metric.get(output, math.nan)
        has_both = not math.isnan(human_score + metric_score)
        if has_both and system not in without:
            common.append(output)
    if not common:
        raise InputError(
            "no output has both scores: are systems and items called alike in both files?"
        )
    return common


def _indices(names: Iterable[str]) -> dict[str, int]:
    """Return an index from 0 for each different name, in the order in which they come."""
    return {name: index for index, name in enumerate(dict.fromkeys(names))}


def _compared_scores(
    scores: Floats,
    statistic: Statistic,
    control: str | None,
) -> Floats:
    """Return scores, float64 [systems, items] with NaN for missing ones, as a statistic compares
    them.

    A statistic of systems compares their means, [systems, 1]. With `control` "system" statistics of
    sentences compare the scores less their system's mean: a partial correlation."""
    compares_systems = statistic.level == "system"
    if not compares_systems and control is None:
        return scores
    present = ~np.isnan(scores)
    sums = np.where(present, scores, 0.0).sum(axis=1)
    means = quotient(sums, present.sum(axis=1))[:, None]
    return means if compares_systems else scores - means
