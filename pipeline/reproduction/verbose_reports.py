"""Reports of m2scorer with `-v`: running totals of every sentence with every annotator, and who is taken.

A report has for each sentence and each annotator lines such as

    >> Annotator: 0
    # correct     : 3
    # proposed    : 7
    # gold        : 12

and after the annotators of a sentence `>> Chosen Annotator for line 5 : 0`. The numbers are the totals of all sentences
up to this one, if this annotator is taken here. Other lines are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CorpusError, InputError, Problem
from ..io.plain_files import named, numbered_lines
from ..scoring.column_blocks import chosen_references

if TYPE_CHECKING:
    from pathlib import Path

    from ..metrics.base.metric import Metric
    from ..scoring.board import Board
    from ..scoring.column_blocks import HasBlocks

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


def counted(scored: Board) -> dict[str, Sentences]:
    """Return what such a report would say of each system, with numbers in place of texts.

    Raises InputError where the metric has not whole counts for each annotator.
    """
    metric = scored.metric
    if not all(field.per_reference and not field.real for field in metric.terms):
        raise InputError(f"{metric.name} has no counts for each annotator, as reports have them")
    return {name: _of_system(metric, blocks) for name, blocks in zip(scored.names, scored.columns, strict=False)}


def _of_system(metric: Metric, system: HasBlocks) -> Sentences:
    sentences, names = Sentences(), [field.name for field in metric.terms]
    before = np.zeros(len(names), np.int64)
    for columns, chosen in zip(system.blocks(), chosen_references(metric, system), strict=True):
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
    return sentences
