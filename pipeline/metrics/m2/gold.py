"""The edits of annotators as the M² scorer reads them, and as the kernel takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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
        return [text for line in self.edits for own in line for edit in own or () for text in _possible(edit)]

    def arrays(self, corrections: Encoded) -> GoldEdits:
        """Return the edits as arrays, for the ids of the tokens of corrections()."""
        each = [edit for line in self.edits for own in line for edit in own or ()]
        sizes = [len(own or ()) for line in self.edits for own in line]
        alternatives = [len(_possible(edit)) for edit in each]
        return GoldEdits(
            firsts=_offsets(sizes),
            starts=np.array([edit.start for edit in each], np.int32),
            ends=np.array([edit.end for edit in each], np.int32),
            alternatives=_offsets(alternatives),
            corrections=corrections,
        )


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(sizes, np.int64))])


def _possible(edit: GoldEdit) -> list[str]:
    """Return the corrections that can match: outputs are compared as tokens with a blank between."""
    return [text for text in edit.alternatives if text == " ".join(text.split())]


def read_gold(source: Lines, annotators: Sequence[Lines], *, every: bool) -> Gold:
    """Return the edits of a shard. `every` says that annotators without a line for a sentence take part, without edits.

    Edits that reach beyond the sentence are left out. Of those that remain, all count, in the order of the file.
    """
    tokens = [len(text.decode().split()) for text in source.texts()]
    edits: list[list[list[GoldEdit] | None]] = []
    numbers: list[list[int]] = []
    orders = np.zeros((len(tokens), len(annotators)), np.int64)
    for line, records in enumerate(zip(*(lines.texts() for lines in annotators), strict=True)):
        own = [annotation_of(record) for record in records]
        edits.append([None if item is None else _kept(item.edits, tokens[line]) for item in own])
        present = sorted((item for item in own if item), key=lambda item: item.order)
        numbers.append([item.annotator if item else ABSENT for item in own])
        order = python2_order((item.annotator for item in present), abs)
        orders[line] = [order.index(number) if number in order else len(order) for number in numbers[-1]]
        if every:
            edits[line] = [item or [] for item in edits[line]]
            orders[line] = range(len(annotators))
    return Gold(edits, orders, numbers)


def _kept(edits: Sequence[Edit], tokens: int) -> list[GoldEdit]:
    kept = []
    for edit in edits:
        inside = 0 <= edit.start <= tokens and 0 <= edit.end <= tokens
        if inside and edit.type != "noop":
            texts = ["" if text == NONE else text.strip() for text in edit.correction.split("||")]
            kept.append(GoldEdit(edit.start, edit.end, texts, edit.correction, edit.type))
    return kept


def as_lines(texts: Sequence[str]) -> Lines:
    """Return texts as lines for the kernel."""
    return join_lines(text.encode() for text in texts)
