"""Records of edits: the edits of a sentence as a text, as workers read them.

The record of an annotator has a first line with three numbers, and then the lines of the M2 file as
they stand there:

    0 1 0
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||1

The first number is the index of the annotator among those of the sentence, in the order of the
file, from 0. The second is the number of the annotator. The third says with which annotator of an
annotated output the edits are compared, from 0 in the order of the output's file.

The record of an annotator without a line for the sentence is empty. An annotated output has one
record for each sentence, with the lines of all its annotators and no first line. A sentence without
edits has a noop.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.files import open_bytes

from .m2_files import Block, Edit, blocks, edits_of


class Annotation(NamedTuple):
    """The edits of an annotator for a sentence."""

    order: int
    """The index of the annotator among those of the sentence, in the order of the file."""
    annotator: int
    output: int
    """The index of the output's annotator with whom the edits are compared, in its file's order."""
    lines: list[str]
    """As they stand in the file."""

    @property
    def edits(self) -> list[Edit]:
        """In the order of the file. A noop is one of them."""
        return edits_of(self.lines)


def record_of(
    order: int, annotator: int, output: int, lines: Iterable[str]
) -> bytes:
    """Return the record of an annotator's lines; see Annotation."""
    return "\n".join([f"{order} {annotator} {output}", *lines]).encode()


def records_of(
    sentences: Iterable[dict[int, list[str]]],
    annotator: int,
    output: int,
) -> Iterator[bytes]:
    """Yield the record of an annotator for each sentence; empty for one without any line.

    `sentences` has for each sentence the lines of each of its annotators, by number and in the
    order of the file. `output` is as in Annotation.
    """
    for lines_by_annotator in sentences:
        if annotator in lines_by_annotator:
            order = list(lines_by_annotator).index(annotator)
            lines = lines_by_annotator[annotator]
            yield record_of(order, annotator, output, lines)
        else:
            yield b""


def with_output(output: int, record: bytes) -> bytes:
    """Return the record of an annotator compared with another annotator of the output."""
    if not record:
        return b""
    first, end, lines = record.partition(b"\n")
    return b"%b %d%b%b" % (first.rpartition(b" ")[0], output, end, lines)


def annotation_of(record: bytes) -> Annotation | None:
    """Return the annotation of a record, or None without a line of the annotator."""
    if not record:
        return None
    first, *lines = record.decode().split("\n")
    order, annotator, output = map(int, first.split())
    return Annotation(order, annotator, output, lines)


def outputs_of(record: bytes) -> list[list[Edit]]:
    """Return the edits of each annotator of an annotated output, by first appearance."""
    by_annotator: dict[int, list[Edit]] = {}
    for edit in edits_of(record.decode().split("\n")):
        by_annotator.setdefault(edit.annotator, []).append(edit)
    return list(by_annotator.values())


def gold_blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of an M2 file, or of a gold file of I-measure (XML) as those of an M2 file.

    Raises CorpusError if it is malformed.
    """
    if is_xml(path, name):
        # imported only then, because few gold files are XML
        from .correction_xml import xml_blocks

        return xml_blocks(path, name)
    return blocks(path, name)


def is_xml(path: Path, name: str) -> bool:
    """Return whether a gold file is XML; raises CorpusError if it cannot be read."""
    with open_bytes(path, name) as file:
        start = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    # UTF-8, and UTF-16 in both orders of bytes
    return start.startswith((b"<", b"\xff\xfe<", b"\xfe\xff\0<"))


NOTHING = "(nothing)"
"""How an empty text is displayed."""


class GoldEdit(NamedTuple):
    """An edit of an annotator, which counts even if it can never match."""

    start: int
    end: int
    alternatives: list[str]
    """The corrections, of which any may match."""
    written: str
    """The corrections as the file has them."""
    type: str


class ProposedEdit(NamedTuple):
    """An edit that an output made."""

    start: int
    """The first token of the source that is replaced, from 0, as it is compared with gold edits."""
    end: int
    """The token after the last."""
    original: str
    """What is replaced, with a blank between tokens."""
    correction: str
    """What replaces it."""
    matched: list[int]
    """The indices of the gold edits that it matches; several if a gold edit occurs twice."""

    def __str__(self) -> str:
        return f"{self.start} {self.end}: {self.original or NOTHING} → {self.correction or NOTHING}"


class EditCounts(NamedTuple):
    """How many edits of a sentence or a text are right, proposed and annotated."""

    correct: int
    proposed: int
    gold: int


class Judged(NamedTuple):
    """The edits of an output for a sentence beside those of an annotator."""

    annotator: int
    """The number of the annotator; the index of one without a line for the sentence."""
    reference: int
    """The index of the annotator among the references of the data set."""
    tokens: list[str]
    """The tokens of the source."""
    gold: list[GoldEdit]
    """The annotator's edits, in the order of the file."""
    edits: list[ProposedEdit]
    """The proposed edits, from left to right, divided as suits this annotator best."""

    def original(self, gold: GoldEdit) -> str:
        """Return what a gold edit replaces."""
        return " ".join(self.tokens[gold.start : gold.end])

    def written(self, gold: GoldEdit) -> str:
        """Return a gold edit for display."""
        corrections = " or ".join(text or NOTHING for text in gold.alternatives)
        return f"{gold.start} {gold.end}: {self.original(gold) or NOTHING} → {corrections}"

    @property
    def counts(self) -> EditCounts:
        """The right, the proposed and the annotated edits."""
        correct = sum(len(edit.matched) for edit in self.edits)
        return EditCounts(correct, len(self.edits), len(self.gold))

    @property
    def missed(self) -> list[GoldEdit]:
        """The gold edits that no proposed edit matches."""
        matched: set[int] = set()
        for edit in self.edits:
            matched.update(edit.matched)
        return [
            gold for index, gold in enumerate(self.gold) if index not in matched
        ]


def is_match(edit: ProposedEdit, gold: GoldEdit, tokens: Sequence[str]) -> bool:
    """Return whether an edit equals a gold edit: in span, replaced text, and a correction."""
    original = " ".join(tokens[gold.start : gold.end])
    return (
        edit[:3] == (gold.start, gold.end, original)
        and edit.correction in gold.alternatives
    )


def shrunk(edit: ProposedEdit) -> ProposedEdit:
    """Return an edit without the words that are the same at its start, and then at its end."""
    before = edit.original.split()
    after = edit.correction.split()
    shorter = min(len(before), len(after))
    prefix = 0
    while prefix < shorter and before[prefix] == after[prefix]:
        prefix += 1
    suffix = 0
    while (
        suffix < shorter - prefix and before[-1 - suffix] == after[-1 - suffix]
    ):
        suffix += 1
    return ProposedEdit(
        edit.start + prefix,
        edit.end - suffix,
        " ".join(before[prefix : len(before) - suffix]),
        " ".join(after[prefix : len(after) - suffix]),
        edit.matched,
    )


def unchanged_words(edit: ProposedEdit) -> list[str]:
    """Return a longest common subsequence of the words of both texts of an edit.

    Of several such subsequences, one that ends with equal words is preferred, then one without the
    last word of the original.
    """
    before = edit.original.split()
    after = edit.correction.split()
    # above[j] is the subsequence of the words of the original so far with the first j of the
    # correction, and row[j] that with one word of the original more
    above: list[list[str]] = [[]] * (len(after) + 1)
    for original_word in before:
        row: list[list[str]] = [[]]
        for j, corrected_word in enumerate(after):
            with_both: list[str] = []
            if original_word == corrected_word:
                with_both = [*above[j], original_word]
            row.append(max(with_both, above[j + 1], row[j], key=len))
        above = row
    return above[-1]
