"""Scores in records: JSON, JSON lines, CSV and other tables with a row for each output, joined by
system and item.

A record is a mapping. The cells of a table are there by the numbers of their columns, from 1, and
by the names in its first line, where that has any. In JSON a name such as `scores.fluency` leads
into an inner object."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from pipeline.arrays import Floats, Ints
from pipeline.errors import ConfigError, CorpusError, InputError, Problem, did_you_mean
from pipeline.files.plain_files import named, small_text
from pipeline.files.small_tables import NOT_A_NUMBER, at_line, is_numeric, number_of, read_rows
from pipeline.scoring.resampling.intervals import defined_interval

from .correlation import quotient
from .models import CorrelationConfig, RecordsConfig
from .statistics import Statistic, statistic_of

MAX_BYTES = 1 << 28
SYSTEMS = "*"
"""The name of the column of systems where records have an object for each system, under its name.
"""
_PLACE = re.compile(r"(:[0-9]+|\[[0-9]+\])$")
Scores = dict[tuple[str, str], float]
"""A score for each output, by system and item; NaN where it is lacking."""


class Record(NamedTuple):
    """A record, and where it is: the file with the number of the line, or of the object in its
    list.
    """

    position: str
    fields: Mapping[str, Any]

    def field(self, name: str) -> Any:
        """Return what a name, or a path of names with dots, leads to. Raises CorpusError where
        there is nothing.
        """
        value: Any = self.fields
        if name in self.fields:
            return self.fields[name]
        for step in name.split("."):
            if not isinstance(value, dict) or step not in value:
                known = list(value) if isinstance(value, dict) else []
                if name.isdecimal():
                    width = sum(map(str.isdecimal, known))
                    raise CorpusError(
                        [Problem(self.position, f"has {width} columns; column {name} is asked for")]
                    )
                told = did_you_mean(step, known) or (
                    f"; there are {', '.join(known[:20])}" if known else ""
                )
                raise CorpusError([Problem(self.position, f"has no '{name}'{told}")])
            value = value[step]
        return value

    def text(self, name: str) -> str:
        """Return a text or number as a text. Raises CorpusError where it is neither."""
        value = self.field(name)
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise CorpusError([Problem(self.position, f"'{name}': expected a text or a number")])
        return str(value)

    def number(self, names: str | Sequence[str]) -> float:
        """Return a number, or the mean of several; NaN where one is lacking. Raises CorpusError for
        anything else.
        """
        numbers = []
        for name in [names] if isinstance(names, str) else names:
            value = self.field(name)
            text = (
                "none"
                if value is None
                else str(float(value))
                if isinstance(value, int | float)
                else str(value)
            )
            lacking = text.lower() in {"", *NOT_A_NUMBER}
            try:
                numbers.append(math.nan if lacking else number_of(text, "a score, a number"))
            except ValueError as error:
                raise CorpusError([Problem(self.position, f"'{name}': {error}")]) from None
        return fmean(numbers)


def read_records(path: Path) -> list[Record]:
    """Return the records of a file, which may be compressed. Raises CorpusError where it is no list
    of records.

    The first line of a table has the names of its columns where none of its cells is a number.
    """
    name, kinds = named(path), {suffix.lower() for suffix in path.suffixes[-2:]}
    if ".json" in kinds:
        whole = _parsed(small_text(path, MAX_BYTES), name)
        objects = [
            (f"{name}[{number}]", one)
            for number, one in enumerate(whole if isinstance(whole, list) else [0])
        ]
    elif kinds & {".jsonl", ".ndjson"}:
        lines = [
            (f"{name}:{n}", line)
            for n, line in enumerate(small_text(path, MAX_BYTES).split("\n"), 1)
        ]
        objects = [(position, _parsed(line, position)) for position, line in lines if line.strip()]
    else:
        rows = list(read_rows(path, MAX_BYTES))
        names = [] if len(rows) < 2 or any(map(is_numeric, rows[0].cells)) else rows[0].cells
        twice = next((column for column in names if names.count(column) > 1), None)
        if twice is not None:
            raise at_line(name, rows[0].line, f"two columns are called '{twice}'")
        objects = []
        for line, cells in rows[bool(names) :]:  # by number, and by name
            numbered = {str(number): cell for number, cell in enumerate(cells, 1)}
            objects.append(
                (f"{name}:{line}", {**numbered, **dict(zip(names, cells, strict=False))})
            )
    wrong = next((position for position, one in objects if not isinstance(one, dict)), None)
    if wrong or not objects:
        message = (
            "expected a list of JSON objects, or lines of such (.jsonl)"
            if wrong
            else "has no lines"
        )
        raise CorpusError([Problem(wrong or name, message)])
    return [Record(*one) for one in objects]


def _parsed(text: str, position: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError([Problem(position, f"not valid JSON: {error}")]) from None


def filtered(records: Sequence[Record], where: Mapping[str, str]) -> list[Record]:
    """Return the records that have each of these texts in its column. Raises CorpusError where
    there is none.
    """
    kept = [
        one for one in records if all(one.text(column) == text for column, text in where.items())
    ]
    if not kept:
        asked = ", ".join(f"'{text}' in column {column}" for column, text in where.items())
        raise CorpusError([Problem(_PLACE.sub("", records[0].position), f"no line has {asked}")])
    return kept


def records_config(text: str) -> RecordsConfig | None:
    """Return what a text such as {file: r.json, score: scores.fluency} asks for; None for the name
    of a file.

    Raises ConfigError for what is no such mapping.
    """
    if not text.startswith("{"):
        return None
    from pipeline.data.config.compose import parse

    try:
        return RecordsConfig.model_validate(parse(text, "records")[0].plain())
    except ValidationError as error:
        first, known = error.errors()[0], ", ".join(RecordsConfig.model_fields)
        raise ConfigError(
            f"{text}: {first['loc'][0]}: {first['msg']}; records have {known}"
        ) from None


def scores_of(written: RecordsConfig, records: Sequence[Record]) -> Scores:
    """Return the scores of records. Without a column of items these are numbered, those of each
    system from 1.

    Raises CorpusError where an output comes twice.
    """
    if (
        written.system == SYSTEMS
    ):  # each object of a record becomes a record, with the fields around it and its name
        around = [
            (one, {key: value for key, value in one.fields.items() if not isinstance(value, dict)})
            for one in records
        ]
        records = [
            Record(one.position, {**shared, **value, SYSTEMS: name})
            for one, shared in around
            for name, value in one.fields.items()
            if isinstance(value, dict)
        ]
    scores: Scores = {}
    counts: dict[str, int] = {}
    items = [written.item] if isinstance(written.item, str) else written.item
    for record in filtered(records, written.where):
        system = record.text(written.system) if written.system else ""
        counts[system] = counts.get(system, 0) + 1
        item = "\t".join(map(record.text, items)) if items else str(counts[system])
        if (system, item) in scores:
            raise CorpusError(
                [Problem(record.position, f"'{system}' has two scores of the item '{item}'")]
            )
        scores[system, item] = record.number(written.score)
    return scores


def means_of(scores: Scores) -> dict[str, float]:
    """Return the mean score of each system over the outputs that have one; NaN where it has none."""
    systems: dict[str, list[float]] = {}
    for (system, _), score in scores.items():
        systems.setdefault(system, []).extend([] if math.isnan(score) else [score])
    return {system: fmean(own) if own else math.nan for system, own in systems.items()}


def correlated(one: Scores, two: Scores, written: CorrelationConfig) -> dict[str, Any]:
    """Return the statistics of two scores of outputs that both have, and how many systems and
    outputs these are.

    With `resamples` also their percentile intervals over samples of the items, drawn with
    replacement, each with the outputs of all systems. Samples in which a statistic is not defined
    are left out; without others its ends are NaN. Raises InputError where no output has both, and
    where there is no such statistic."""
    common = [key for key, value in two.items() if key in one and not math.isnan(value + one[key])]
    common = [key for key in common if key[0] not in written.without]
    if not common:
        raise InputError(
            "no output has both scores: are systems and items called alike in both files?"
        )
    systems, items = (list(dict.fromkeys(key[part] for key in common)) for part in (0, 1))
    rows, columns = (
        {name: number for number, name in enumerate(names)} for names in (systems, items)
    )
    places = tuple(np.array([(rows[system], columns[item]) for system, item in common]).T)
    metric, human = tables = np.full((2, len(systems), len(items)), np.nan)
    for table, own in zip(tables, (one, two), strict=True):
        table[places] = [own[key] for key in common]
    if written.part:  # of the outputs in the order of human scores; equal ones stay in their order
        order, half = np.argsort(human[places], kind="stable"), len(common) // 2
        left_out = order[half:] if written.part == "lower" else order[: len(order) - half]
        human[tuple(axis[left_out] for axis in places)] = np.nan
    asked = {text: statistic_of(text) for text in written.statistics}

    def values(own: Ints | slice) -> list[float]:
        """Return the statistics on some of the items."""
        found = []
        for statistic in asked.values():
            pair = (
                _as_asked(one[:, own], human[:, own], statistic, written.given)
                for one in (human, metric)
            )
            found.append(statistic.value(*pair).value)
        return [*map(abs, found)] if written.absolute else found

    result: dict[str, Any] = {"systems": len(systems), "scores": int((~np.isnan(human)).sum())}
    result |= zip(asked, values(slice(None)), strict=True)
    if written.resamples:
        draws = np.random.default_rng(written.seed).integers(
            0, len(items), (written.resamples, len(items))
        )
        columns_of = zip(asked, np.array([values(own) for own in draws]).T, strict=True)
        result["intervals"] = {
            text: [*defined_interval(own, written.level)] for text, own in columns_of
        }
    return result


def _as_asked(table: Floats, human: Floats, statistic: Statistic, given: str | None) -> Floats:
    """Return scores [systems, items] as a statistic compares them: means of systems, or what these
    do not explain.

    With `given: system` these are the residuals of a regression on the system alone: scores less
    the system's mean."""
    kept, of_systems = np.where(np.isnan(human), np.nan, table), statistic.level == "system"
    if not of_systems and given is None:
        return kept
    present = ~np.isnan(kept)
    means = quotient(
        np.where(present, kept, 0.0).sum(axis=1, keepdims=True), present.sum(axis=1, keepdims=True)
    )
    return means if of_systems else kept - means
