"""The sentences of M2 files, which have the edits of annotators, and the texts made of them.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

An edit replaces the tokens start <= i < end; white space separates tokens. An annotator whose line
is a noop leaves the sentence as it is. A sentence without any A line is left as it is by all
annotators. Of alternatives (is||was) the first is taken.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from pipeline.data.config import Column
from pipeline.errors import CorpusError, Problem
from pipeline.files import Remote, TempFiles, named

from . import m2_files
from .m2_files import (
    SPAN,
    Absent,
    Block,
    Edit,
    EditSummary,
    absent_from,
    blocks,
    read_block,
)
from .records import gold_blocks, records_of

NO_ANNOTATOR = -1
"""The number of the annotator where a text has none."""


@dataclass(slots=True)
class Sentence:
    """A sentence with its annotations."""

    line: int
    """The line of the tokens in their file."""
    tokens: list[str]
    edits: dict[int, list[Edit]] = field(default_factory=dict)
    """The edits of each annotator who has a line for the sentence, sorted, without noops."""
    _texts: dict[int, bytes] = field(default_factory=dict)

    def by(self, annotator: int) -> bytes:
        """Return the sentence as an annotator corrects it; unchanged if this one has no line."""
        if annotator not in self._texts:
            self._texts[annotator] = self.corrected(
                self.edits.get(annotator, ())
            )
        return self._texts[annotator]

    def corrected(self, edits: Sequence[Edit] = ()) -> bytes:
        """Return the text that edits make, which are sorted and do not overlap."""
        if not edits:
            if NO_ANNOTATOR not in self._texts:
                self._texts[NO_ANNOTATOR] = " ".join(self.tokens).encode()
            return self._texts[NO_ANNOTATOR]
        tokens = self.tokens.copy()
        # from the last to the first, so that positions before them stay valid
        for start, end, _, correction, _ in reversed(edits):
            text = first_alternative(correction)
            tokens[start:end] = [text] if text else ()
        return " ".join(tokens).encode()


MAX_BYTES_CHECKED_FIRST = 1 << 22
"""The most bytes of a file whose malformed lines are reported before edits that do not fit."""


def sentences(path: Path, name: str, column: Column) -> Iterator[Sentence]:
    """Yield the sentences of an M2 file, of which `m2_texts.py` makes texts.

    Raises CorpusError, with the line, for edits that cannot be applied; if the column is lenient
    they are left out.
    """
    file_blocks: Iterable[Block] = gold_blocks(path, name)
    if path.stat().st_size <= MAX_BYTES_CHECKED_FIRST:
        file_blocks = list(file_blocks)
    for block in file_blocks:
        yield sentence_of(block, name, lenient=column.lenient)


def wrong_sentences(path: Path, name: str) -> list[Problem]:
    """Return the first problem of each sentence of an M2 file whose edits cannot be applied.

    Raises CorpusError for a line of no M2 file.
    """
    problems: list[Problem] = []
    for block in blocks(path, name):
        try:
            sentence_of(block, name, lenient=False)
        except CorpusError as error:
            problems += error.problems
    return problems


def sentence_of(block: Block, name: str, *, lenient: bool) -> Sentence:
    """Return the sentence of a block of an M2 file, with the sorted edits of each annotator.

    Edits that overlap another, do not fit into the sentence, or are beside a noop are left out if
    `lenient`; otherwise they raise CorpusError.
    """
    sentence = Sentence(block.line, block.sentence.split())
    size = len(sentence.tokens)
    for annotator, edits in read_block(block, name).by_annotator.items():
        fitting = _fitting(edits, size)
        if len(fitting) < len(edits) > 1:
            # most files have sorted edits: sort them only if some do not fit
            fitting = _fitting(sorted(edits, key=SPAN), size)
        if len(fitting) < len(edits) and not lenient:
            # a noop is no edit, so it never fits
            only_noops = not fitting and all(edit.is_noop for edit in edits)
            if not only_noops:
                _refuse(block, name, size)
        sentence.edits[annotator] = fitting
    return sentence


def _fitting(edits: Iterable[Edit], size: int) -> list[Edit]:
    """Return the edits that fit into a sentence of `size` tokens and overlap none before them."""
    fitting: list[Edit] = []
    last_end = 0
    for edit in edits:
        # by unpacking, which is faster than by name
        start, end, type_, _, _ = edit
        if last_end <= start <= end <= size and not m2_files.is_noop(type_):
            fitting.append(edit)
            last_end = end
    return fitting


def _refuse(block: Block, name: str, size: int) -> None:
    """Raise CorpusError for the first edit of a sentence that cannot be applied.

    It does not fit into the `size` tokens, overlaps another, or is beside a noop.
    """
    noop_lines: dict[int, int] = {}
    # the edits of each annotator, with their lines in the file
    edits_of: dict[int, list[tuple[Edit, int]]] = {}
    for line, edit in zip(
        block.numbers, read_block(block, name).edits, strict=True
    ):
        edits_with_lines = edits_of.setdefault(edit.annotator, [])
        if edit.is_noop:
            noop_lines[edit.annotator] = line
        elif 0 <= edit.start <= edit.end <= size:
            edits_with_lines.append((edit, line))
        else:
            span = f"{edit.start} {edit.end}"
            message = (
                f"the edit {span} does not fit into a sentence of {size} tokens"
            )
            raise CorpusError.at(f"{name}:{line}", message)
    for annotator, edits_with_lines in edits_of.items():
        edits_with_lines.sort(key=lambda pair: SPAN(pair[0]))
        for first, second in itertools.pairwise(edits_with_lines):
            edit, line = first
            next_edit, next_line = second
            if next_edit.start < edit.end:
                message = f"overlaps the edit of line {min(line, next_line)}"
                raise CorpusError.at(f"{name}:{max(line, next_line)}", message)
        if edits_with_lines and annotator in noop_lines:
            line = edits_with_lines[0][1]
            message = f"a noop, but annotator {annotator} edits the sentence in line {line}"
            raise CorpusError.at(f"{name}:{noop_lines[annotator]}", message)


@lru_cache(m2_files.CACHED_SENTENCES)
def first_alternative(correction: str) -> str:
    """Return the first alternative of a correction; empty if the tokens are deleted."""
    first = correction.partition(m2_files.BETWEEN)[0].strip()
    return "" if first == m2_files.DELETED else first


Missing = Literal["first", "source", "none"]
"""What replaces the text of an annotator without a line for a sentence that others annotated.

It is the text of the annotator with the lowest number among these, the source, or an empty text.
"""


STAND_IN = {
    "first": "the first annotator's edits stand in",
    "source": "the source stands in",
    "none": "",
}
"""The values of Missing in messages."""


class Request(NamedTuple):
    """What is made of an M2 file beside the sentences as they are."""

    texts: bool = False
    """The sentences as each annotator corrects them, or as the system does."""
    records: bool = False
    """The edits of each annotator, or of the system."""
    system: bool = False
    """Whether the edits are those of a system."""
    missing: Missing = "first"
    lenient: bool = False
    """Whether edits that cannot be applied are left out, for texts that are only displayed.

    Annotator 0 has then left everything as it is if no annotator has a line, and the first of
    several annotators of a system counts."""


Key = tuple[str, int]
"""A kind of texts, one for each sentence, and their annotator."""
SOURCE: Key = "source", NO_ANNOTATOR
"""The sentences as they are."""
OUTPUT: Key = "output", NO_ANNOTATOR
"""The sentences as a system corrects them."""
PROPOSED: Key = "proposed", NO_ANNOTATOR
"""The records of the edits of a system."""
CORRECTED = "corrected"
"""The kind of the sentences as an annotator corrects them."""
EDITS = "edits"
"""The kind of the records of the edits of an annotator."""


class Sentences:
    """The sentences of an M2 file, or of a part of it, and what is requested of them."""

    def __init__(
        self,
        blocks: Iterable[Block],
        name: str,
        request: Request,
        annotators: set[int] | None = None,
    ) -> None:
        """Read sentences; raises CorpusError for the first that is wrong.

        `annotators` collects the annotators of all parts.
        """
        self.blocks: list[Block] = []
        self.sentences: list[Sentence] = []
        self.name = name
        self.request = request
        if annotators is None:
            annotators = set()
        for block in blocks:
            self.blocks.append(block)
            if request.texts:
                self.sentences.append(checked(block, name, request, annotators))

    @cached_property
    def summary(self) -> EditSummary:
        """The summary of the edits; raises CorpusError for a malformed line."""
        if self.request.records:
            return EditSummary.of_blocks(self.name, self.blocks)
        return EditSummary(self.name, sentences=len(self.blocks))

    def absent(self, bare: bool) -> Absent:
        """Return how many sentences each annotator has no line for.

        If `bare`, these are of all sentences whose records are requested. Otherwise only sentences
        for which some annotator has a line count.
        """
        annotators_of_lines: list[tuple[int, Collection[int]]] = []
        if bare and self.request.records:
            for block in self.blocks:
                lines = read_block(block, self.name).lines
                annotators_of_lines.append((block.line, lines.keys()))
        elif not bare:
            for sentence in self.sentences:
                if sentence.edits:
                    annotators_of_lines.append(
                        (sentence.line, sentence.edits.keys())
                    )
        return absent_from(annotators_of_lines)

    def texts(self, kind: str, annotator: int) -> bytes:
        """Return the texts of a Key, its kind and annotator, each followed by the separator."""
        texts: list[bytes] = []
        if kind == CORRECTED:
            for sentence in self.sentences:
                texts.append(self._corrected(sentence, annotator))
        elif kind == OUTPUT[0]:
            for sentence in self.sentences:
                # the edits of a system have one annotator, or none
                system_annotator = next(iter(sentence.edits), 0)
                texts.append(sentence.by(system_annotator))
        elif kind == PROPOSED[0]:
            for block in self.blocks:
                lines = block.lines or [m2_files.NOOP]
                texts.append("\n".join(lines).encode())
        elif kind == EDITS:
            lines_by_annotator = [
                read_block(block, self.name).lines for block in self.blocks
            ]
            texts += records_of(lines_by_annotator, annotator, 0)
        else:
            texts += [block.text.encode() for block in self.blocks]
        return TempFiles.SEPARATOR.join([*texts, b""])

    def _corrected(self, sentence: Sentence, annotator: int) -> bytes:
        """Return the sentence as an annotator corrects it, or what replaces it (see Missing)."""
        if annotator in sentence.edits or not sentence.edits:
            return sentence.by(annotator)
        if self.request.missing == "none":
            return b""
        if self.request.missing == "first":
            return sentence.by(min(sentence.edits))
        return sentence.corrected()


def checked(
    block: Block,
    name: str,
    request: Request,
    annotators: set[int],
) -> Sentence:
    """Return the sentence of a block, of which texts are made, and add its annotators to a set.

    Raises CorpusError if edits cannot be applied, if a system has several annotators, or if there
    are more than MAX_ANNOTATORS up to this sentence. A lenient request allows the first two.
    """
    sentence = sentence_of(block, name, lenient=request.lenient)
    annotators.update(sentence.edits)
    if request.system and len(sentence.edits) > 1 and not request.lenient:
        listed = ", ".join(map(str, sentence.edits))
        message = f"a system has one annotator in a sentence, found {listed}"
        raise CorpusError.at(f"{name}:{block.line}", message)
    if len(annotators) > m2_files.MAX_ANNOTATORS and not request.system:
        message = (
            f"has {len(annotators)} annotators up to this sentence; "
            f"at most {m2_files.MAX_ANNOTATORS} are supported"
        )
        raise CorpusError.at(f"{name}:{block.line}", message)
    return sentence


def annotators(path: Path | Remote, temp_files: TempFiles) -> Absent:
    """Return who annotated an M2 file: how many sentences that others annotated each one lacks.

    Raises CorpusError if the file cannot be read.
    """
    name = named(path)
    numbers: set[int] = set()
    request = Request(texts=True)
    lines = []
    for block in gold_blocks(temp_files.local(path), name):
        sentence = checked(block, name, request, numbers)
        if sentence.edits:
            lines.append((sentence.line, sentence.edits.keys()))
    return m2_files.absent_from_all([absent_from(lines)])
