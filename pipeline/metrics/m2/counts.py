"""The columns of M²: the right, the proposed and the annotated edits of each sentence with each annotator.

Edits of annotators are read as the M² scorer reads them, and as the kernel takes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import kernel
from ...corpus.edits.correction_references import python2_order
from ...corpus.edits.m2_files import KEPT
from ...corpus.edits.records import GoldEdit, annotation_of
from ...kernel.gold_edits import GoldEdits, gold_records
from ...tokenizers.tokenization import Tokenization
from ..base.needs import GOLD, Field, Needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...arrays import Ints
    from ...kernel.common import Lines
    from ...kernel.gold_edits import GoldRecords, MaxMatches
    from ..base.needs import Text


ABSENT = -1


class Gold(NamedTuple):
    """The edits of all annotators of some sentences."""

    records: GoldRecords
    """The edits that count, as arrays."""
    order: Ints
    """The place of each annotator among those of the sentence: int64 [lines, annotators]."""
    counts: Ints
    """How many edits each annotator has, -1 where the annotator does not take part: int64 [lines, annotators]."""


def read_gold(source: Lines, annotators: Sequence[Lines], *, every: bool) -> Gold:
    """Return the edits of a shard. `every` says that annotators without a line for a sentence take part, without edits.

    Edits that reach beyond the sentence are left out. Of those that remain, all count, in the order of the file.
    """
    records = gold_records(source, annotators)
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
        kept = [
            [
                GoldEdit(start, end, _alternatives(correction), correction, type_)
                for start, end, type_, correction, _ in item.edits
                if 0 <= start <= tokens and 0 <= end <= tokens and type_ != "noop"
            ]
            if item
            else absent
            for item in own
        ]
        listed.append(kept)
    return listed


@lru_cache(KEPT)
def _alternatives(correction: str) -> list[str]:
    """Return the alternatives of a correction, which nobody may change; many edits have the same."""
    return ["" if text == "-NONE-" else text.strip() for text in correction.split("||")]


COUNTS = ("correct", "proposed", "gold")


@dataclass(frozen=True)
class MaxMatchNeeds(Needs):
    """Counts of edits, for the settings that can change them."""

    max_unchanged_words: int = 2
    """How many unchanged words an edit may hold."""
    ignore_whitespace_casing: bool = False
    """Whether proposed edits that change only white space and upper case are left out."""
    code: str = "master"
    """Which version of the scorer is followed: master or 3.2."""
    annotators: str = "listed"
    """listed, or all: annotators without a line for a sentence take part, without edits."""
    source = True
    input = GOLD
    tokenization = Tokenization()

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        casing = ["casing"] * self.ignore_whitespace_casing
        return "-".join(["m2", self.code, f"u{self.max_unchanged_words}", *casing, self.annotators])

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of annotators, their edits (ref_len), right and proposed edits, and whether it is exact."""
        names = ("order", "ref_len", "correct", "proposed")
        return (*(Field(name, per_reference=True) for name in names), Field("reduced"))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with the edits of annotators read once for all systems."""
        gold, matches = self.matches(text)
        shared = {"order": gold.order, "ref_len": gold.counts}
        return [
            {**shared, "correct": correct, "proposed": proposed, "reduced": reduced}
            for correct, proposed, reduced in zip(matches.correct, matches.proposed, matches.reduced, strict=True)
        ]

    def matches(self, text: Text, *, edits: bool = False) -> tuple[Gold, MaxMatches]:
        """Return the edits of the annotators of a shard, and what matches them: with `edits`, each proposed edit."""
        assert text.source is not None  # noqa: S101 (source is True)
        gold = read_gold(text.source, text.references, every=self.annotators == "all")
        texts = [text.source, *text.systems, gold.records.corrections]
        source, *systems, encoded = self.tokenization.encode(texts)
        folded = None
        if self.ignore_whitespace_casing:  # each token in lower case, by its id: each letter alone, as Python 2 does it
            tokens: dict[int, str] = {}
            for lines, ids in zip(texts, [source, *systems, encoded], strict=True):
                words = (word for line in lines.texts() for word in line.decode().split())
                tokens |= dict(zip(ids.ids.tolist(), words, strict=True))
            each = ("".join(letter.lower()[:1] for letter in tokens[number]) for number in range(len(tokens)))
            folded = [token.encode() for token in each]
        return gold, kernel.max_match(
            source,
            systems,
            GoldEdits(*gold.records[1:5], encoded),
            len(text.references),
            max_unchanged=self.max_unchanged_words,
            first_row=self.code == "3.2",
            folded=folded,
            edits=edits,
        )
