"""M2 files: sentences with the edits of annotators. They become a source and a reference for each annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

An edit replaces the tokens start <= i < end; white space separates tokens. An annotator whose line is a noop leaves
the sentence as it is. A sentence without any A line is left as it is by all annotators. Of alternatives (is||was) the
first is taken.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Literal

from ...config.resolved import Column
from ...errors import CorpusError, Problem
from ...io.plain_files import Spool, named
from ...io.remote import Remote
from ...io.small_tables import at_line
from ..edits.m2_files import (
    BETWEEN,
    DELETED,
    MAX_ANNOTATORS,
    SENTENCES,
    Absent,
    Block,
    Edit,
    blocks,
    is_noop,
    read_block,
)
from ..edits.records import gold_blocks

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
        """Return the sentence as an annotator has corrected it; as it is where there is no line of this one."""
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


def sentences(path: Path, name: str, column: Column) -> Iterator[Sentence]:
    """Yield the sentences of an M2 file, of which `m2_parts.py` makes texts.

    Raises CorpusError, with the line, for edits that cannot be applied; where the column is lenient they are left out.
    """
    for block in sentences_of(path, name):
        yield sentence_of(block, name, lenient=column.lenient)


LARGEST = 1 << 22
"""The most bytes of a file of which lines that are none of an M2 file are told before edits that cannot be applied."""


def sentences_of(path: Path, name: str, *, whole: bool = False) -> Iterable[Block]:
    """Return the sentences of a file of edits; raises CorpusError, also while they are read.

    They are in memory where the file is not large, or where `whole` says so.
    """
    with suppress(OSError, ValueError):  # reading it says what is wrong
        whole = whole or path.stat().st_size <= LARGEST
    return list(gold_blocks(path, name)) if whole else gold_blocks(path, name)


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
    """Return a sentence with sorted edits; raises CorpusError where they overlap, do not fit, or are beside a noop."""
    sentence = Sentence(block.line, block.sentence.split())
    size = len(sentence.tokens)
    for annotator, edits in read_block(block, name).by_annotator.items():
        kept = _fitting(edits, size)
        if len(kept) < len(edits) > 1:
            kept = _fitting(sorted(edits, key=SPAN), size)
        if len(kept) < len(edits) and not lenient and (kept or not all(edit.is_noop for edit in edits)):
            _refuse(block, name, size)
        sentence.edits[annotator] = kept
    return sentence


def _fitting(edits: Iterable[Edit], size: int) -> list[Edit]:
    """Return the edits that fit into a sentence of `size` tokens, behind the one before them that does."""
    kept, behind = list[Edit](), 0
    for edit in edits:
        if behind <= edit[0] <= edit[1] <= size and not is_noop(edit[2]):
            kept.append(edit)
            behind = edit[1]
    return kept


def _refuse(block: Block, name: str, size: int) -> None:
    """Raise CorpusError for the first edit of a sentence of `size` tokens that does not fit, overlaps, or is a noop."""
    noops, numbered = dict[int, int](), dict[int, list[tuple[Edit, int]]]()
    for number, edit in zip(block.numbers, read_block(block, name).edits, strict=True):
        own = numbered.setdefault(edit.annotator, [])
        if edit.is_noop:
            noops[edit.annotator] = number
        elif 0 <= edit.start <= edit.end <= size:
            own.append((edit, number))
        else:
            message = f"the edit {edit.start} {edit.end} does not fit into a sentence of {size} tokens"
            raise at_line(name, number, message)
    for annotator, own in numbered.items():
        own.sort(key=lambda pair: SPAN(pair[0]))
        for (one, line), (two, other) in itertools.pairwise(own):
            if two.start < one.end:
                raise at_line(name, max(line, other), f"overlaps the edit of line {min(line, other)}")
        if own and annotator in noops:
            message = f"a noop, but annotator {annotator} edits the sentence in line {own[0][1]}"
            raise at_line(name, noops[annotator], message)


@lru_cache(SENTENCES)
def first_alternative(whole: str) -> str:
    """Return the first alternative of a correction; empty where the tokens are deleted."""
    first = whole.partition(BETWEEN)[0].strip()
    return "" if first == DELETED else first


Missing = Literal["first", "source", "none"]
"""What stands in for an annotator who has no line for a sentence while others have one: the edits of the annotator with
the lowest number among these, the source, or an empty text."""


def annotators(path: Path | Remote, spool: Spool) -> dict[int, tuple[int, int]]:
    """Return for each annotator of an M2 file how many sentences lack a line that others have, and the first's line.

    Raises CorpusError where the file cannot be read.
    """
    name = named(path)
    every = (sentence_of(block, name, lenient=False) for block in gold_blocks(spool.local(path), name))
    return dict(sorted(absent_from(counted(every, name)).of.items()))


def counted(every: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Yield sentences; raises CorpusError where they have too many annotators."""
    seen = set[int]()
    for sentence in every:
        seen.update(sentence.edits)
        if len(seen) > MAX_ANNOTATORS:
            message = f"has {len(seen)} annotators up to this sentence; at most {MAX_ANNOTATORS} are supported"
            raise at_line(name, sentence.line, message)
        yield sentence


def absent_from(every: Iterable[Sentence]) -> Absent:
    """Return who has no line for sentences that others annotated."""
    return Absent.among((sentence.line, sentence.edits.keys()) for sentence in every if sentence.edits)


def reference(every: Iterable[Sentence], annotator: int, missing: Missing) -> Iterator[bytes]:
    """Yield the sentences as an annotator has corrected them."""
    for sentence in every:
        if annotator in sentence.edits or not sentence.edits:
            yield sentence.by(annotator)
        elif missing == "first":
            yield sentence.by(min(sentence.edits))
        else:
            yield sentence.corrected() if missing == "source" else b""


def output(sentence: Sentence, name: str, *, lenient: bool) -> bytes:
    """Return the sentence of a system as its edits correct it.

    Raises CorpusError where it has several annotators; if `lenient`, the first is taken.
    """
    if len(sentence.edits) > 1 and not lenient:
        listed = ", ".join(map(str, sentence.edits))
        raise at_line(name, sentence.line, f"a system has one annotator in a sentence, found {listed}")
    return sentence.by(next(iter(sentence.edits), 0))
