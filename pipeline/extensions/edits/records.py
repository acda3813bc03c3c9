"""How the edits of a sentence travel to the workers: as texts, one for each sentence, like those of
any other file.

The record of an annotator has a first line with three numbers, and then the lines of the M2 file as
they stand there:

    0 1 0
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||1

The first number says which of the annotators of the sentence comes first, second and so on in the
file, from 0. The second is the number of the annotator. The third says with which annotator of an
annotated output the edits are compared, from 0 in the order of the output's file.

The record of an annotator without a line for the sentence is empty. An annotated output has one
record for each sentence, with the lines of all its annotators and no first line. A sentence without
edits has a noop."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.files.plain_files import open_bytes

from .m2_files import Block, Edit, blocks, edits_of


class Annotation(NamedTuple):
    """The edits of an annotator for a sentence."""

    order: int
    """The place of the annotator among those of the sentence, in the order of the file, from 0."""
    annotator: int
    output: int
    """The annotator of the output with whom the edits are compared, in the order of the output's
    file, from 0."""
    lines: list[str]
    """As they stand in the file."""

    @property
    def edits(self) -> list[Edit]:
        """In the order of the file. A noop is one of them."""
        return edits_of(self.lines)


def record_of(order: int, annotator: int, output: int, lines: Iterable[str]) -> bytes:
    """Return the record of an annotator's lines; see Annotation."""
    return "\n".join([f"{order} {annotator} {output}", *lines]).encode()


def records_of(
    sentences: Iterable[dict[int, list[str]]], annotator: int, output: int
) -> Iterator[bytes]:
    """Yield the records of an annotator for sentences, of which each has the lines of its
    annotators in their order.
    """
    for own in sentences:
        yield (
            record_of(list(own).index(annotator), annotator, output, own[annotator])
            if annotator in own
            else b""
        )


def with_output(output: int, record: bytes) -> bytes:
    """Return the record of an annotator, whose edits are compared with those of another annotator
    of the output.
    """
    first, end, lines = record.partition(b"\n")
    return b"%b %d%b%b" % (first.rpartition(b" ")[0], output, end, lines) if record else b""


def annotation_of(record: bytes) -> Annotation | None:
    """Return the annotation of a record, or None where the annotator has no line for the sentence."""
    if not record:
        return None
    first, *lines = record.decode().split("\n")
    order, annotator, output = map(int, first.split())
    return Annotation(order, annotator, output, lines)


def outputs_of(record: bytes) -> list[list[Edit]]:
    """Return the edits of each annotator of an annotated output, in the order in which they come
    first in the file.
    """
    by_annotator: dict[int, list[Edit]] = {}
    for edit in edits_of(record.decode().split("\n")):
        by_annotator.setdefault(edit.annotator, []).append(edit)
    return list(by_annotator.values())


def gold_blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of an M2 file, or of a gold file of I-measure as those of an M2 file;
    raises CorpusError.
    """
    if is_xml(path, name):
        from .correction_xml import xml_blocks  # here, because few gold files are XML

        return xml_blocks(path, name)
    return blocks(path, name)


def is_xml(path: Path, name: str) -> bool:
    """Return whether a gold file is one of XML; raises CorpusError where it cannot be read."""
    with open_bytes(path, name) as file:
        start = file.read(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(
        (b"<", b"\xff\xfe<", b"\xfe\xff\0<")
    )  # UTF-8, and UTF-16 in both orders of bytes


NOTHING = "(nothing)"


class GoldEdit(NamedTuple):
    """An edit of an annotator, which counts even where it can never match."""

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
    """The token behind the last."""
    original: str
    """What is replaced, with a blank between tokens."""
    correction: str
    """What it is replaced by."""
    matched: list[int]
    """The places of the gold edits that it matches. There are several where a gold edit is given
    twice."""

    def __str__(self) -> str:
        return f"{self.start} {self.end}: {self.original or NOTHING} → {self.correction or NOTHING}"


class Judged(NamedTuple):
    """The edits of an output for a sentence beside those of an annotator."""

    annotator: int
    """The number of the annotator; for one without a line for the sentence, the place among all
    annotators."""
    place: int
    """The place of the annotator among the references of the data set."""
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
        """Return a gold edit for people."""
        corrections = " or ".join(text or NOTHING for text in gold.alternatives)
        return f"{gold.start} {gold.end}: {self.original(gold) or NOTHING} → {corrections}"

    @property
    def counts(self) -> tuple[int, int, int]:
        """The right, the proposed and the annotated edits."""
        return sum(len(edit.matched) for edit in self.edits), len(self.edits), len(self.gold)

    @property
    def missed(self) -> list[GoldEdit]:
        """The gold edits that no proposed edit matches."""
        matched = {place for edit in self.edits for place in edit.matched}
        return [gold for place, gold in enumerate(self.gold) if place not in matched]


def is_match(edit: ProposedEdit, gold: GoldEdit, tokens: Sequence[str]) -> bool:
    """Return whether an edit equals a gold edit: in its span, in what it replaces, and in a
    correction.
    """
    original = " ".join(tokens[gold.start : gold.end])
    return edit[:3] == (gold.start, gold.end, original) and edit.correction in gold.alternatives


def shrunk(edit: ProposedEdit) -> ProposedEdit:
    """Return an edit without the words that are the same at its start, and then at its end."""
    before, after = edit.original.split(), edit.correction.split()
    shorter = min(len(before), len(after))
    first = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    last = next(
        (n for n in range(shorter - first) if before[-1 - n] != after[-1 - n]), shorter - first
    )
    original, correction = (" ".join(words[first : len(words) - last]) for words in (before, after))
    return ProposedEdit(edit.start + first, edit.end - last, original, correction, edit.matched)


def unchanged_words(edit: ProposedEdit) -> list[str]:
    """Return the words that an edit leaves as they are: a longest sequence of words that both of
    its texts have.
    """
    before, after = edit.original.split(), edit.correction.split()
    best: list[list[list[str]]] = [
        [[] for _ in range(len(after) + 1)] for _ in range(len(before) + 1)
    ]
    for i, word in enumerate(before, 1):
        for j, other in enumerate(after, 1):
            longer = [*best[i - 1][j - 1], word] if word == other else []
            best[i][j] = max(longer, best[i - 1][j], best[i][j - 1], key=len)
    return best[-1][-1]
