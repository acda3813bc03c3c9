"""Records of gold edits as arrays for the kernel, and in a readable form."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pipeline.arrays import Ints
from pipeline.kernel.common import Lines, join_lines

from . import kernel
from .correction_references import python2_order
from .kernel.gold_edits import GoldEdits, GoldRecords
from .m2_files import Edit
from .records import Annotation, GoldEdit, annotation_of

ABSENT = -1


class Gold(NamedTuple):
    """The edits of all annotators of some sentences."""

    records: GoldRecords
    """The edits that count, as arrays."""
    order: Ints
    """The rank of each annotator among those of the sentence: int64 [lines, annotators]."""
    counts: Ints
    """How many edits each annotator has, -1 for one without any line: int64 [lines, annotators]."""


def read_gold(
    source: Lines, annotators: Sequence[Lines], *, every: bool
) -> Gold:
    """Return the gold edits of a shard; `annotators` has the records of each for all lines.

    Edits that reach beyond their sentence are left out. An annotator without a line for a sentence
    takes part, without edits, if `every` is set; then the rank of annotators is their index.
    Otherwise their rank is that of m2scorer, and the count of such an annotator is ABSENT.
    """
    compiled = kernel.native_function("gold_records", "m2_edits")
    records = compiled(source, annotators) if compiled else None
    if not records:  # the compiled function returns None for unusual lines
        records = gold_records(source, annotators)
    shape = records.heads.shape[:2]  # [lines, annotators]
    counts = np.diff(records.edits.firsts).reshape(shape)
    if every:
        order = np.broadcast_to(np.arange(shape[1]), shape).copy()
        return Gold(records, order, counts)
    ranks = []
    for heads in records.heads.reshape(shape[0], -1).tolist():
        ranks.append(_dictionary_ranks(tuple(heads)))
    order = np.array(ranks, np.int64).reshape(shape)
    has_record = records.heads[..., 0] >= 0
    return Gold(records, order, np.where(has_record, counts, ABSENT))


@lru_cache(1024)
def _dictionary_ranks(heads: tuple[int, ...]) -> list[int]:
    """Return the rank of each annotator of a sentence in m2scorer's dictionary.

    m2scorer goes through annotators in the order of a dictionary of Python 2, whose keys are their
    numbers. `heads` has for each annotator the index in the file and the number, one after the
    other; both are -1 for one who has no line for the sentence, who comes last. Results are cached,
    since most sentences of a file have the same annotators.
    """
    indexes = heads[::2]
    numbers = heads[1::2]
    present = []
    for index, number in sorted(zip(indexes, numbers, strict=True)):
        if index >= 0:
            present.append(number)
    # small numbers are their own hashes
    order = python2_order(present, abs)
    rank_of = {number: rank for rank, number in enumerate(order)}
    return [rank_of.get(number, len(order)) for number in numbers]


def gold_records(source: Lines, records: Sequence[Lines]) -> GoldRecords:
    """Return the edits of all annotators that count, as arrays.

    `records` has the records of each annotator, one for each sentence of the source. An edit that
    reaches beyond its sentence does not count, nor does one of type noop. Of alternatives (a||b)
    each may match. Records are as `record_of()` makes them of lines that were checked; raises
    ValueError for others, and if there is not one for each sentence.
    """
    if any(len(lines.starts) != len(source.starts) for lines in records):
        raise ValueError("records: expected one for each sentence")
    heads: list[int] = []
    firsts = [0]
    starts: list[int] = []
    ends: list[int] = []
    first_corrections = [0]
    corrections: list[bytes] = []
    texts = [lines.texts() for lines in (source, *records)]
    for sentence, *records_of_line in zip(*texts, strict=True):
        tokens = len(sentence.decode().split())
        for record in records_of_line:
            annotation = annotation_of(record)
            if annotation:
                heads += (annotation.order, annotation.annotator)
            else:
                heads += (ABSENT, ABSENT)
            for edit in _fitting(annotation, tokens):
                starts.append(edit.start)
                ends.append(edit.end)
                corrections += _matching(edit.correction)
                first_corrections.append(len(corrections))
            firsts.append(len(starts))
    gold = GoldEdits(
        firsts=np.array(firsts, np.int64),
        starts=np.array(starts, np.int32),
        ends=np.array(ends, np.int32),
        alternatives=np.array(first_corrections, np.int64),
        corrections=join_lines(corrections),
    )
    shape = (len(source.starts), len(records), 2)
    return GoldRecords(np.array(heads, np.int64).reshape(shape), gold)


def _fitting(annotation: Annotation | None, tokens: int) -> Iterator[Edit]:
    """Yield the edits of an annotator that are within a sentence of so many tokens, without noops.

    None, for an annotator without a line for the sentence, has no edits.
    """
    if annotation is None:
        return
    for edit in annotation.edits:
        fits = 0 <= edit.start <= tokens and 0 <= edit.end <= tokens
        if fits and edit.type != "noop":
            yield edit


@lru_cache(1 << 14)  # corrections of a file repeat
def _matching(correction: str) -> list[bytes]:
    """Return the alternatives of a correction that can match: tokens joined by single blanks."""
    texts = []
    for text in alternatives(correction):
        if text == " ".join(text.split()):
            texts.append(text.encode())
    return texts


def alternatives(correction: str) -> list[str]:
    """Return the alternatives of a correction (a||b), of which -NONE- is an empty text."""
    texts = []
    for text in correction.split("||"):
        texts.append("" if text == "-NONE-" else text.strip())
    return texts


def listed_edits(
    source: Lines,
    annotators: Sequence[Lines],
    *,
    every: bool,
) -> list[list[list[GoldEdit] | None]]:
    """Return the edits of read_gold() in a readable form, for each sentence and annotator.

    The edits of an annotator are None for a sentence in which the annotator does not take part.
    """
    listed = []
    record_texts = [lines.texts() for lines in annotators]
    for sentence, *records in zip(source.texts(), *record_texts, strict=True):
        tokens = len(sentence.decode().split())
        by_annotator: list[list[GoldEdit] | None] = []
        for record in records:
            annotation = annotation_of(record)
            if annotation is None and not every:
                by_annotator.append(None)
                continue
            edits = []
            for edit in _fitting(annotation, tokens):
                gold_edit = GoldEdit(
                    start=edit.start,
                    end=edit.end,
                    alternatives=alternatives(edit.correction),
                    written=edit.correction,
                    type=edit.type,
                )
                edits.append(gold_edit)
            by_annotator.append(edits)
        listed.append(by_annotator)
    return listed
