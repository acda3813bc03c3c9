"""Published numbers in files: tables, whose columns a config names, and reports of m2scorer with `-v`.

A report has running totals of every sentence with every annotator, and who is taken. For each sentence and each
annotator there are lines such as

    >> Annotator: 0
    # correct     : 3
    # proposed    : 7
    # gold        : 12

and after the annotators of a sentence `>> Chosen Annotator for line 5 : 0`. The numbers are the totals of all sentences
up to this one, if this annotator is taken here. Other lines are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import CorpusError, InputError, Problem
from ..io.plain_files import named, numbered_lines
from ..io.small_tables import at_line, number_of, read_rows
from ..scoring.column_blocks import chosen_references

if TYPE_CHECKING:
    from pathlib import Path

    from ..scoring.scored_columns import ScoredColumns


MAX_BYTES = 1 << 28


class Cell(NamedTuple):
    """A published score."""

    system: str
    sentence: str
    """The number of the sentence, or "" where the table has no column of sentences."""
    score: str
    """The number as it is written."""
    position: str
    """The file and the line."""


class TableColumns(NamedTuple):
    """Which columns and lines of a table are read. Columns are numbered from 1."""

    system: int
    score: int
    sentence: int | None = None
    where: tuple[tuple[int, str], ...] = ()
    """Only lines that have each of these texts in its column are read."""


def read_table(path: Path, columns: TableColumns) -> list[Cell]:
    """Return the scores of a file, whose columns are separated by tabs, commas, semicolons or blanks.

    The file may be compressed. Raises CorpusError where it cannot be read, a line has too few columns, a score is not a
    number, a system (with its sentence) comes twice, or no line is left.
    """
    name, seen, cells = named(path), dict[tuple[str, str], str](), list[Cell]()
    last = max(columns.system, columns.score, columns.sentence or 0, *(number for number, _ in columns.where))
    line = None
    for line, row in read_rows(path, MAX_BYTES):
        if len(row) < last:
            raise at_line(name, line, f"has {len(row)} columns; column {last} is asked for")
        if not all(row[column - 1] == text for column, text in columns.where):
            continue
        sentence = row[columns.sentence - 1] if columns.sentence else ""
        cell = Cell(row[columns.system - 1], sentence, row[columns.score - 1], f"{name}:{line}")
        try:
            number_of(cell.score, "a score, a number")
        except ValueError as error:
            raise CorpusError([Problem(cell.position, str(error))]) from None
        twin = seen.setdefault((cell.system, sentence), cell.position)
        if twin != cell.position:
            subject = f"system '{cell.system[:40]}'" + (f", sentence {sentence[:20]}," if sentence else "")
            raise CorpusError([Problem(cell.position, f"{subject} comes twice (first at {twin})")])
        cells.append(cell)
    if line is None:
        raise CorpusError([Problem(name, "has no lines")])
    if not cells:
        asked = ", ".join(f"'{text}' in column {number}" for number, text in columns.where)
        raise CorpusError([Problem(name, f"no line has {asked}")])
    return cells


Sentences = dict[str, dict[str, Any]]
"""For each sentence, by its number from 1: the counts by the number of the annotator (from 0), and TAKEN."""
TAKEN = "taken"
"""The key of the number of the annotator who is taken."""
_COUNT = re.compile(r"# ([a-z_]+) *: ([0-9]{1,15})")
_ANNOTATOR = re.compile(r">> Annotator: ([0-9]{1,9})")
_CHOSEN = re.compile(r">> Chosen Annotator for line ([0-9]{1,9}) : ([0-9]{1,9})")


def read_report(path: Path) -> Sentences:
    """Return the counts of a report as texts, sentence by sentence; raises CorpusError where it is none."""
    name, sentences = named(path), Sentences()
    annotators: dict[str, dict[str, str]] = {}
    counts: dict[str, str] | None = None
    for number, line in numbered_lines(path, name):
        if match := _ANNOTATOR.fullmatch(line.rstrip()):
            counts = annotators.setdefault(match[1], {})
        elif match := _COUNT.fullmatch(line.rstrip()):
            if counts is None:
                raise CorpusError([Problem(f"{name}:{number}", "has a count, and no annotator stands before it")])
            counts[match[1]] = match[2]
        elif match := _CHOSEN.fullmatch(line.rstrip()):
            if not annotators:
                raise CorpusError([Problem(f"{name}:{number}", "has a chosen annotator, and no counts before it")])
            sentences[match[1]] = {**annotators, TAKEN: match[2]}
            annotators, counts = {}, None
    if not sentences:
        raise CorpusError([Problem(name, "is no report of `m2scorer -v`: it has no '>> Chosen Annotator for line'")])
    return sentences


def counted(scored: ScoredColumns) -> dict[str, Sentences]:
    """Return what such a report would say of each system, with numbers in place of texts.

    Raises InputError where the metric has not whole counts for each annotator.
    """
    metric = scored.metric
    if not all(field.per_reference and not field.real for field in metric.terms):
        raise InputError(f"{metric.name} has no counts for each annotator, as reports have them")
    names = [field.name for field in metric.terms]
    systems = {}
    for system, stored in zip(scored.names, scored.columns, strict=False):
        sentences, before = Sentences(), np.zeros(len(names), np.int64)
        for columns, chosen in zip(stored.blocks(), chosen_references(metric, stored), strict=True):
            terms = metric.make_terms(columns)
            counts = np.stack([terms[name] for name in names], axis=-1)
            own = counts[np.arange(len(chosen)), chosen]
            totals = before + np.cumsum(own, axis=0) - own
            for line, taken in enumerate(chosen.tolist()):
                listed = np.flatnonzero(columns["ref_len"][line] >= 0).tolist()
                with_each = (totals[line] + counts[line]).tolist()
                said = {str(number): dict(zip(names, with_each[number], strict=True)) for number in listed}
                sentences[str(len(sentences) + 1)] = {**said, TAKEN: taken}
            before = before + own.sum(axis=0)
        systems[system] = sentences
    return systems
