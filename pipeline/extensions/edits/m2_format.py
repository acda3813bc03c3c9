"""M2 files: sentences with the edits of annotators. They become a source and a reference for each
annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

An edit replaces the tokens start <= i < end; white space separates tokens. An annotator whose line
is a noop leaves the sentence as it is. A sentence without any A line is left as it is by all
annotators. Of alternatives (is||was) the first is taken."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple

from pipeline.data.config.resolved import Column
from pipeline.errors import CorpusError, Problem
from pipeline.files.plain_files import SEPARATOR, TempFiles, named
from pipeline.files.remote import Remote
from pipeline.files.small_tables import at_line

from . import m2_files
from .m2_files import Absent, Block, Edit, Told, absent_from, blocks, read_block
from .records import gold_blocks, records_of

SPAN = itemgetter(0, 1)
"""The tokens that an edit replaces."""


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
        """Return the sentence as an annotator has corrected it; as it is where there is no line of
        this one.
        """
        if annotator not in self._texts:
            self._texts[annotator] = self.corrected(self.edits.get(annotator, ()))
        return self._texts[annotator]

    def corrected(self, edits: Sequence[Edit] = ()) -> bytes:
        """Return the text that sorted edits make, which do not overlap."""
        if not edits:
            if -1 not in self._texts:  # the number of no annotator
                self._texts[-1] = " ".join(self.tokens).encode()
            return self._texts[-1]
        tokens = self.tokens.copy()
        for start, end, _, correction, _ in reversed(edits):
            text = first_alternative(correction)
            tokens[start:end] = [text] if text else ()
        return " ".join(tokens).encode()


LARGEST = 1 << 22
"""The most bytes of a file of which lines that are none of an M2 file are told before edits that
cannot be applied."""


def sentences(path: Path, name: str, column: Column) -> Iterator[Sentence]:
    """Yield the sentences of an M2 file, of which `m2_texts.py` makes texts.

    Raises CorpusError, with the line, for edits that cannot be applied; where the column is lenient
    they are left out."""
    every = gold_blocks(path, name)
    for block in list(every) if path.stat().st_size <= LARGEST else every:
        yield sentence_of(block, name, lenient=column.lenient)


def wrong_sentences(path: Path, name: str) -> list[Problem]:
    """Return the first problem of each sentence of an M2 file whose edits cannot be applied.

    Raises CorpusError for a line that is none of an M2 file.
    """
    problems: list[Problem] = []
    for block in blocks(path, name):
        try:
            sentence_of(block, name, lenient=False)
        except CorpusError as error:
            problems += error.problems
    return problems


def sentence_of(block: Block, name: str, *, lenient: bool) -> Sentence:
    """Return a sentence with sorted edits; raises CorpusError where they overlap, do not fit, or
    are beside a noop.
    """
    sentence = Sentence(block.line, block.sentence.split())
    size = len(sentence.tokens)
    for annotator, edits in read_block(block, name).by_annotator.items():
        kept = _fitting(edits, size)
        if len(kept) < len(edits) > 1:
            kept = _fitting(sorted(edits, key=SPAN), size)
        if (
            len(kept) < len(edits)
            and not lenient
            and (kept or not all(edit.is_noop for edit in edits))
        ):
            _refuse(block, name, size)
        sentence.edits[annotator] = kept
    return sentence


def _fitting(edits: Iterable[Edit], size: int) -> list[Edit]:
    """Return the edits that fit into a sentence of `size` tokens, behind the one before them that
    does.
    """
    kept, behind = list[Edit](), 0
    for edit in edits:
        if behind <= edit[0] <= edit[1] <= size and not m2_files.is_noop(edit[2]):
            kept.append(edit)
            behind = edit[1]
    return kept


def _refuse(block: Block, name: str, size: int) -> None:
    """Raise CorpusError for the first edit of a sentence of `size` tokens that does not fit,
    overlaps, or is a noop.
    """
    noops, numbered = dict[int, int](), dict[int, list[tuple[Edit, int]]]()
    for number, edit in zip(block.numbers, read_block(block, name).edits, strict=True):
        own = numbered.setdefault(edit.annotator, [])
        if edit.is_noop:
            noops[edit.annotator] = number
        elif 0 <= edit.start <= edit.end <= size:
            own.append((edit, number))
        else:
            message = (
                f"the edit {edit.start} {edit.end} does not fit into a sentence of {size} tokens"
            )
            raise at_line(name, number, message)
    for annotator, own in numbered.items():
        own.sort(key=lambda pair: SPAN(pair[0]))
        for (one, line), (two, other) in itertools.pairwise(own):
            if two.start < one.end:
                raise at_line(
                    name, max(line, other), f"overlaps the edit of line {min(line, other)}"
                )
        if own and annotator in noops:
            message = f"a noop, but annotator {annotator} edits the sentence in line {own[0][1]}"
            raise at_line(name, noops[annotator], message)


@lru_cache(m2_files.SENTENCES)
def first_alternative(whole: str) -> str:
    """Return the first alternative of a correction; empty where the tokens are deleted."""
    first = whole.partition(m2_files.BETWEEN)[0].strip()
    return "" if first == m2_files.DELETED else first


Missing = Literal["first", "source", "none"]
"""What stands in for an annotator who has no line for a sentence while others have one: the edits
of the annotator with the lowest number among these, the source, or an empty text."""


class Asked(NamedTuple):
    """What is made of an M2 file beside the sentences as they are."""

    texts: bool = False
    """The sentences as each annotator corrects them, or as the system does."""
    records: bool = False
    """The edits of each annotator, or of the system."""
    system: bool = False
    """Whether the edits are those of a system."""
    missing: Missing = "first"
    lenient: bool = False
    """Edits that cannot be applied are left out, for texts that are only shown, and annotator 0 has
    left everything as it is where no annotator has a line. The first of several annotators of a
    system counts."""


Key = tuple[str, int]
"""A kind of texts, one for each sentence, and the annotator whose they are."""
SOURCE: Key = "source", -1
"""The sentences as they are."""
OUTPUT: Key = "output", -1
"""The sentences as a system corrects them."""
PROPOSED: Key = "proposed", -1
"""The records of the edits of a system."""
CORRECTED, EDITS = "corrected", "edits"
"""The sentences as an annotator corrects them, and the records of the edits of an annotator."""


class Sentences:
    """The sentences of an M2 file, or of a part of it, and what is asked for of them."""

    def __init__(
        self, blocks: Iterable[Block], name: str, asked: Asked, seen: set[int] | None = None
    ) -> None:
        """Read sentences; raises CorpusError for the first that is wrong. `seen` takes the
        annotators of all parts.
        """
        self.blocks, self.sentences, self.name, self.asked = (
            list[Block](),
            list[Sentence](),
            name,
            asked,
        )
        seen = set() if seen is None else seen
        for block in blocks:
            self.blocks.append(block)
            self.sentences += [checked(block, name, asked, seen)] if asked.texts else []

    @cached_property
    def told(self) -> Told:
        """What is said of the edits; raises CorpusError for a line that is not written as one."""
        return (
            Told.of(self.name, self.blocks)
            if self.asked.records
            else Told(self.name, sentences=len(self.blocks))
        )

    def absent(self, bare: bool) -> Absent:
        """Return who is absent from all sentences if `bare`, where that is told, else from those
        with lines.
        """
        if bare:
            told = self.blocks if self.asked.records else ()
            return absent_from(
                (block.line, read_block(block, self.name).lines.keys()) for block in told
            )
        return absent_from((one.line, one.edits.keys()) for one in self.sentences if one.edits)

    def texts(self, kind: str, annotator: int) -> bytes:
        """Return the texts of a key, each with the separator behind it."""
        texts: Iterable[bytes] = (
            " ".join(block.sentence.split()).encode() for block in self.blocks
        )
        if kind == CORRECTED:
            texts = (self._corrected(sentence, annotator) for sentence in self.sentences)
        elif kind == OUTPUT[0]:
            texts = (sentence.by(next(iter(sentence.edits), 0)) for sentence in self.sentences)
        elif kind == PROPOSED[0]:
            texts = ("\n".join(block.lines or [m2_files.NOOP]).encode() for block in self.blocks)
        elif kind == EDITS:
            texts = records_of(
                (read_block(block, self.name).lines for block in self.blocks), annotator, 0
            )
        return SEPARATOR.join([*texts, b""])

    def _corrected(self, sentence: Sentence, annotator: int) -> bytes:
        if annotator in sentence.edits or not sentence.edits:
            return sentence.by(annotator)
        if self.asked.missing == "none":
            return b""
        return (
            sentence.by(min(sentence.edits))
            if self.asked.missing == "first"
            else sentence.corrected()
        )


def checked(block: Block, name: str, asked: Asked, seen: set[int]) -> Sentence:
    """Return a sentence of which texts are made, and add its annotators to those seen; raises
    CorpusError.
    """
    sentence = sentence_of(block, name, lenient=asked.lenient)
    seen.update(sentence.edits)
    if asked.system and len(sentence.edits) > 1 and not asked.lenient:
        listed = ", ".join(map(str, sentence.edits))
        raise at_line(name, block.line, f"a system has one annotator in a sentence, found {listed}")
    if len(seen) > m2_files.MAX_ANNOTATORS and not asked.system:
        several = f"has {len(seen)} annotators up to this sentence"
        raise at_line(
            name, block.line, f"{several}; at most {m2_files.MAX_ANNOTATORS} are supported"
        )
    return sentence


def annotators(path: Path | Remote, temp_files: TempFiles) -> Absent:
    """Return for each annotator of an M2 file how many sentences lack a line that others have, and
    the first's line.

    Raises CorpusError where the file cannot be read.
    """
    name, seen = named(path), set[int]()
    every = (
        checked(block, name, Asked(texts=True), seen)
        for block in gold_blocks(temp_files.local(path), name)
    )
    return m2_files.absent_from_all(
        [absent_from((one.line, one.edits.keys()) for one in every if one.edits)]
    )
