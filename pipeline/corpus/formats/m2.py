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
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple

from ...config.resolved import Column
from ...errors import CorpusError, Problem
from ...io.plain_files import SEPARATOR, Origin, Spool, Spooled, named
from ...io.remote import Remote
from ...io.small_tables import at_line
from ..edits.m2_files import BETWEEN, DELETED, MAX_ANNOTATORS, SENTENCES, Block, Edit, blocks, is_noop, read_block
from ..edits.records import sentences_of

SPAN = itemgetter(0, 1)
"""The tokens that an edit replaces."""
BATCH = 1 << 10
"""Sentences whose texts are written at once."""


@dataclass(slots=True)
class Sentence:
    """A sentence with its annotations."""

    line: int
    """The line of the tokens in their file."""
    tokens: list[str]
    edits: dict[int, list[Edit]] = field(default_factory=dict)
    """The edits of each annotator who has a line for the sentence, sorted, without noops."""

    def corrected(self, edits: Sequence[Edit] = ()) -> bytes:
        """Return the text that sorted edits make, which do not overlap."""
        tokens = self.tokens.copy()
        for start, end, _, correction, _ in reversed(edits):
            text = first_alternative(correction)
            tokens[start:end] = [text] if text else ()
        return " ".join(tokens).encode()


class M2(NamedTuple):
    """The texts of an M2 file, in the spool."""

    source: Spooled
    references: list[Spooled]
    """One for each annotator, in the order of their numbers."""
    lacking: list[tuple[int, int, int]]
    """The annotators without a line for sentences that others annotated: (annotator, sentences, line of the first)."""


def sentences(path: Path, name: str, *, lenient: bool = False) -> Iterator[Sentence]:
    """Yield the sentences of an M2 file.

    Raises CorpusError, with the line, for edits that cannot be applied. `lenient` says that they are left out instead.
    """
    for block in sentences_of(path, name):
        yield _sentence(block, name, lenient=lenient)


def wrong_sentences(path: Path, name: str) -> list[Problem]:
    """Return the first problem of each sentence of an M2 file whose edits cannot be applied.

    Raises CorpusError for a line that is none of an M2 file.
    """
    problems: list[Problem] = []
    for block in blocks(path, name):
        try:
            _sentence(block, name, lenient=False)
        except CorpusError as error:
            problems += error.problems
    return problems


def _sentence(block: Block, name: str, *, lenient: bool) -> Sentence:
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


def spool_m2(path: Path | Remote, missing: Missing, spool: Spool, *, lenient: bool = False) -> M2:
    """Write the sentences of an M2 file to the spool: as they are, and as each annotator has corrected them.

    `missing` says what stands in for an annotator who has no line for a sentence while others have one: the edits of
    the annotator with the lowest number among these ("first"), the source, or an empty text ("none").
    `lenient` says that edits that cannot be applied are left out, for texts that are only shown, and that annotator 0
    has left everything as it is where no annotator has a line. Raises CorpusError where the file cannot be read or
    applied, or has no annotator or too many.
    """
    name, raw = named(path), spool.local(path)
    source, texts, lacking = spool.new(), dict[int, Path](), dict[int, list[int]]()
    every = _counted(sentences(raw, name, lenient=lenient), name, lacking)
    for number, batch in enumerate(iter(lambda: list(itertools.islice(every, BATCH)), [])):
        spool.write_texts(name, map(Sentence.corrected, batch), source)
        if not number:
            texts = {annotator: spool.new() for annotator in lacking}
        for annotator, own in texts.items():
            spool.write_texts(name, _reference(batch, annotator, missing), own)
    if not source.exists():
        raise CorpusError([Problem(name, "has no sentence: there is no line that begins with 'S '")])
    if lenient and not lacking:
        lacking[0] = [0, 0]
    if not lacking:
        raise CorpusError([Problem(name, "no annotator has a line: there is no line that begins with 'A '")])
    for annotator in lacking.keys() - texts.keys():  # who first has a line far behind
        again = _reference(sentences(raw, name, lenient=lenient), annotator, missing)
        texts[annotator] = spool.write_texts(name, again)
    origins = {number: Origin(f"{name}, annotator {number}", ", sentence ") for number in sorted(lacking)}
    references = [Spooled(texts[number], SEPARATOR, origin) for number, origin in origins.items()]
    incomplete = [(annotator, count, line) for annotator, (count, line) in sorted(lacking.items()) if count]
    return M2(Spooled(source, SEPARATOR, Origin(name, ", sentence ")), references, incomplete)


def annotators(path: Path | Remote, spool: Spool) -> dict[int, tuple[int, int]]:
    """Return for each annotator of an M2 file how many sentences lack a line that others have, and the first's line.

    Raises CorpusError where the file cannot be read.
    """
    name, lacking = named(path), dict[int, list[int]]()
    for _ in _counted(sentences(spool.local(path), name), name, lacking):
        pass
    return {annotator: (count, line) for annotator, (count, line) in sorted(lacking.items())}


def annotated(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the sentences of an M2 file as they are, or as the annotator corrects them whose number `column` is.

    The edits of the first annotator stand in for an annotator without a line for a sentence that others annotated.
    """
    if column.column:
        yield from _reference(sentences(path, name), int(column.column), "first")
    else:
        yield from map(Sentence.corrected, _counted(sentences(path, name), name, {}))


def corrected(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the sentences of a system's M2 file as its edits correct them.

    Raises CorpusError where edits overlap or do not fit, or where a sentence has several annotators. If the column is
    lenient, such edits are left out, and the first annotator of each sentence is taken.
    """
    for sentence in sentences(path, name, lenient=column.lenient):
        if len(sentence.edits) > 1 and not column.lenient:
            listed = ", ".join(map(str, sentence.edits))
            raise at_line(name, sentence.line, f"a system has one annotator in a sentence, found {listed}")
        yield sentence.corrected(next(iter(sentence.edits.values()), []))


def _counted(every: Iterable[Sentence], name: str, lacking: dict[int, list[int]]) -> Iterator[Sentence]:
    """Yield sentences; add each annotator to `lacking`: the sentences without a line, and the line of the first."""
    annotated, first = 0, 0  # the sentences before that have a line of anybody
    for sentence in every:
        for annotator in sentence.edits:
            lacking.setdefault(annotator, [annotated, first])
        if len(lacking) > MAX_ANNOTATORS:
            message = f"has {len(lacking)} annotators up to this sentence; at most {MAX_ANNOTATORS} are supported"
            raise at_line(name, sentence.line, message)
        if sentence.edits:
            annotated, first = annotated + 1, first or sentence.line
            for annotator in lacking.keys() - sentence.edits.keys():
                count, line = lacking[annotator]
                lacking[annotator] = [count + 1, line or sentence.line]
        yield sentence


def _reference(every: Iterable[Sentence], annotator: int, missing: Missing) -> Iterator[bytes]:
    """Yield the sentences as an annotator has corrected them."""
    for sentence in every:
        edits = sentence.edits.get(annotator)
        if edits is None and sentence.edits:
            if missing == "none":
                yield b""
                continue
            edits = sentence.edits[min(sentence.edits)] if missing == "first" else []
        yield sentence.corrected(edits or [])
