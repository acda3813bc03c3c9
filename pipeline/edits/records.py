"""How the edits of a sentence travel to the workers: as texts, one for each sentence, like those of any other file.

The record of an annotator has a first line with three numbers, and then the lines of the M2 file as they stand there:

    0 1 0
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||1

The first number says which of the annotators of the sentence comes first, second and so on in the file, from 0. The
second is the number of the annotator. The third says with which annotator of an annotated output the edits are
compared, from 0 in the order of the output's file.

The record of an annotator without a line for the sentence is empty. An annotated output has one record for each
sentence, with the lines of all its annotators and no first line. A sentence without edits has a noop.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .m2_lines import NOOP, Edit, edits_of

if TYPE_CHECKING:
    from collections.abc import Iterable


SENTENCES = 1 << 13
"""Sentences whose lines are kept as they were read: most systems have the same edits of some. They take 12 MB."""


class Annotation(NamedTuple):
    """The edits of an annotator for a sentence."""

    order: int
    """The place of the annotator among those of the sentence, in the order of the file, from 0."""
    annotator: int
    output: int
    """The annotator of the output with whom the edits are compared, in the order of the output's file, from 0."""
    edits: list[Edit]
    """In the order of the file. A noop is one of them."""


class LinesRead(NamedTuple):
    """What the lines of a sentence say. Sentences with equal lines share it, so nobody may change it."""

    edits: list[Edit]
    """In the order of the file."""
    lines: dict[int, list[str]]
    """The lines of each annotator, in the order in which annotators come first; a noop of annotator 0 without lines."""
    by_annotator: dict[int, list[Edit]]
    """The edits of each annotator who has a line, in the same order."""


@lru_cache(SENTENCES)
def read_lines(lines: tuple[str, ...]) -> LinesRead:
    """Read the lines of a sentence; raises CorpusError for one that is not written as an edit."""
    edits = edits_of(lines, "record", 0)
    by_annotator: dict[int, list[Edit]] = {}
    own_lines: dict[int, list[str]] = {}
    for line, edit in zip(lines, edits, strict=True):
        annotator = edit[4]
        if annotator in by_annotator:
            by_annotator[annotator].append(edit)
            own_lines[annotator].append(line)
        else:
            by_annotator[annotator], own_lines[annotator] = [edit], [line]
    return LinesRead(edits, own_lines or {0: [NOOP]}, by_annotator)


def record_of(order: int, annotator: int, output: int, lines: Iterable[str]) -> bytes:
    """Return the record of an annotator's lines; see Annotation."""
    return "\n".join([f"{order} {annotator} {output}", *lines]).encode()


def annotation_of(record: bytes) -> Annotation | None:
    """Return the annotation of a record, or None where the annotator has no line for the sentence."""
    if not record:
        return None
    first, *lines = record.decode().split("\n")
    order, annotator, output = map(int, first.split())
    return Annotation(order, annotator, output, edits_of(lines, "record", 0))


def outputs_of(record: bytes) -> list[list[Edit]]:
    """Return the edits of each annotator of an annotated output, in the order in which they come first in the file."""
    return list(read_lines(tuple(record.decode().split("\n"))).by_annotator.values())
