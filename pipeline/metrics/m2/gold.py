"""The edits of annotators as the M² scorer reads them, and as the kernel takes them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...edits.m2_lines import KEPT
from ...edits.proposed import GoldEdit
from ...edits.python2_order import python2_order
from ...edits.records import annotation_of
from ...kernel.gold_edits import GoldEdits
from ...kernel.lines import join_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Ints
    from ...edits.m2_lines import Edit
    from ...kernel.common import Encoded
    from ...kernel.lines import Lines

ABSENT = -1
NONE = "-NONE-"


class Gold(NamedTuple):
    """The edits of all annotators of some sentences."""

    edits: list[list[list[GoldEdit] | None]]
    """For each sentence and annotator; None where the annotator does not take part."""
    order: Ints
    """The place of each annotator among those of the sentence: int64 [lines, annotators]."""
    numbers: list[list[int]]
    """The number of each annotator of each sentence, ABSENT where the annotator has no line for it."""

    @property
    def counts(self) -> Ints:
        """How many edits each annotator has, -1 where the annotator does not take part: int64 [lines, annotators]."""
        rows = [[ABSENT if own is None else len(own) for own in line] for line in self.edits]
        return np.array(rows, np.int64).reshape(self.order.shape)

    def corrections(self) -> list[str]:
        """Return all corrections that can match, in the order of arrays(): those with single blanks between tokens."""
        return [text for line in self.edits for own in line for edit in own or () for text in _possible(edit.written)]

    def arrays(self, corrections: Encoded) -> GoldEdits:
        """Return the edits as arrays, for the ids of the tokens of corrections()."""
        each = [edit for line in self.edits for own in line for edit in own or ()]
        sizes = [len(own or ()) for line in self.edits for own in line]
        alternatives = [len(_possible(edit.written)) for edit in each]
        return GoldEdits(
            firsts=_offsets(sizes),
            starts=np.array([edit.start for edit in each], np.int32),
            ends=np.array([edit.end for edit in each], np.int32),
            alternatives=_offsets(alternatives),
            corrections=corrections,
        )


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(sizes, np.int64))])


@lru_cache(KEPT)
def _possible(correction: str) -> list[str]:
    """Return the corrections that can match: outputs are compared as tokens with a blank between."""
    return [text for text in _alternatives(correction) if text == " ".join(text.split())]


def read_gold(source: Lines, annotators: Sequence[Lines], *, every: bool) -> Gold:
    """Return the edits of a shard. `every` says that annotators without a line for a sentence take part, without edits.

    Edits that reach beyond the sentence are left out. Of those that remain, all count, in the order of the file.
    """
    tokens = [len(text.decode().split()) for text in source.texts()]
    edits: list[list[list[GoldEdit] | None]] = []
    numbers: list[list[int]] = []
    orders: list[Sequence[int]] = []
    for line, records in enumerate(zip(*(lines.texts() for lines in annotators), strict=True)):
        own = [annotation_of(record) for record in records]
        edits.append([None if item is None else _kept(item.edits, tokens[line]) for item in own])
        present = tuple([(item.order, item.annotator) if item else None for item in own])
        numbers.append([item[1] if item else ABSENT for item in present])
        if every:
            edits[line] = [item or [] for item in edits[line]]
            orders.append(range(len(annotators)))
        else:
            orders.append(_dictionary_places(present))
    return Gold(edits, np.array(orders, np.int64).reshape(len(tokens), len(annotators)), numbers)


@lru_cache(1024)
def _dictionary_places(annotators: tuple[tuple[int, int] | None, ...]) -> list[int]:
    """Return the place of each annotator in m2scorer's dictionary; most sentences of a file have the same annotators.

    Annotators are given as their place in the file and their number; None for one who is absent, who comes last.
    """
    present = [number for _, number in sorted(item for item in annotators if item)]
    order = python2_order(present, abs)
    return [order.index(item[1]) if item else len(order) for item in annotators]


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
