"""The edits of annotators as the M² scorer reads them, and as the kernel takes them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import kernel
from ...corpus.edits.correction_references import python2_order
from ...corpus.edits.m2_files import KEPT
from ...corpus.edits.records import GoldEdit, annotation_of
from ...kernel.gold_edits import GoldEdits
from ...kernel.lines import join_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Ints
    from ...corpus.edits.m2_files import Edit
    from ...kernel.common import Encoded
    from ...kernel.gold_edits import GoldRecords
    from ...kernel.lines import Lines

ABSENT = -1
NONE = "-NONE-"


class Gold(NamedTuple):
    """The edits of all annotators of some sentences."""

    records: GoldRecords
    """The edits that count, as arrays."""
    order: Ints
    """The place of each annotator among those of the sentence: int64 [lines, annotators]."""
    counts: Ints
    """How many edits each annotator has, -1 where the annotator does not take part: int64 [lines, annotators]."""
    listed: Sequence[Sequence[list[GoldEdit] | None]] = ()
    """The same edits for people, where they are asked for: see listed_edits()."""

    @property
    def numbers(self) -> Ints:
        """The number of each annotator, ABSENT for one without a line for the sentence: int64 [lines, annotators]."""
        return self.records.heads[..., 1]

    def arrays(self, corrections: Encoded) -> GoldEdits:
        """Return the edits for the kernel, with the ids of the tokens of their corrections."""
        return GoldEdits(*self.records[1:5], corrections)


def read_gold(source: Lines, annotators: Sequence[Lines], *, every: bool) -> Gold:
    """Return the edits of a shard. `every` says that annotators without a line for a sentence take part, without edits.

    Edits that reach beyond the sentence are left out. Of those that remain, all count, in the order of the file.
    """
    records = kernel.gold_records(source, annotators)
    shape = records.heads.shape[:2]
    counts = np.diff(records.firsts).reshape(shape)
    if every:
        return Gold(records, np.broadcast_to(np.arange(shape[1]), shape).copy(), counts)
    rows = map(tuple, records.heads.reshape(shape[0], -1).tolist())
    order = np.array(list(map(_dictionary_places, rows)), np.int64).reshape(shape)
    return Gold(records, order, np.where(records.heads[..., 0] < 0, ABSENT, counts))


@lru_cache(1024)
def _dictionary_places(heads: tuple[int, ...]) -> list[int]:
    """Return the place of each annotator in m2scorer's dictionary; most sentences of a file have the same annotators.

    Of each annotator there are the place in the file and the number, both -1 for one who is absent, who comes last.
    """
    numbers = heads[1::2]
    present = [number for place, number in sorted(zip(heads[::2], numbers, strict=True)) if place >= 0]
    order = python2_order(present, abs)
    return [order.index(number) if number in order else len(order) for number in numbers]


def listed_edits(source: Lines, annotators: Sequence[Lines], *, every: bool) -> list[list[list[GoldEdit] | None]]:
    """Return the same edits for people, for each sentence and annotator; None where one does not take part."""
    listed = []
    for text, *records in zip(source.texts(), *(lines.texts() for lines in annotators), strict=True):
        tokens, absent = len(text.decode().split()), list[GoldEdit]() if every else None
        own = [annotation_of(record) for record in records]
        listed.append([_kept(item.edits, tokens) if item else absent for item in own])
    return listed


def _kept(edits: Sequence[Edit], tokens: int) -> list[GoldEdit]:
    return [
        GoldEdit(start, end, _alternatives(correction), correction, type_)
        for start, end, type_, correction, _ in edits
        if 0 <= start <= tokens and 0 <= end <= tokens and type_ != "noop"
    ]


@lru_cache(KEPT)
def _alternatives(correction: str) -> list[str]:
    """Return the alternatives of a correction, which nobody may change; many edits have the same."""
    return ["" if text == NONE else text.strip() for text in correction.split("||")]


def as_lines(texts: Sequence[str]) -> Lines:
    """Return texts as lines for the kernel."""
    return join_lines(text.encode() for text in texts)
