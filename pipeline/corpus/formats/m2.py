"""M2 files: sentences with the edits of annotators. They become a source and a reference for each annotator.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

An edit replaces the tokens start <= i < end; white space separates tokens. An annotator whose line is a noop leaves
the sentence as it is. A sentence without any A line is left as it is by all annotators. Of alternatives (is||was) the
first is taken.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...errors import CorpusError, Problem
from ...io.plain_files import SEPARATOR, Origin, Spooled, named, open_bytes
from ..edits.m2_files import SENTENCES, blocks, edit_of, is_noop, read_block, read_lines, wrong
from ..edits.records import sentences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from ...config.resolved import Column
    from ...io.plain_files import Spool
    from ...io.remote import Remote
    from ..edits.m2_files import Block
    from ..edits.m2_files import Edit as Written

MAX_ANNOTATORS = 255
KEPT = 1 << 22
"""The most bytes of a file whose sentences are kept while its texts are made. A larger one is read for each text."""


SPAN = itemgetter(0, 1)
"""The tokens that an edit replaces."""


class Edit(NamedTuple):
    """An edit: the tokens start <= i < end are replaced."""

    start: int
    end: int
    text: str
    """What replaces the tokens; where it is empty, they are deleted."""
    line: int
    """The line of the edit in its file."""


@dataclass(slots=True)
class Sentence:
    """A sentence with its annotations."""

    line: int
    """The line of the tokens in their file."""
    tokens: list[str]
    edits: dict[int, list[Edit]] = field(default_factory=dict)
    """The edits of each annotator who has a line for the sentence; a noop is no edit."""
    noops: dict[int, int] = field(default_factory=dict)
    """The annotators who have a noop, and its line."""


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
    sentence = Sentence(block.line, block.sentence.split())
    if lenient:
        own = read_block(block, name).by_annotator.items()
        sentence.edits = {annotator: _applicable(edits, len(sentence.tokens)) for annotator, edits in own}
        return sentence
    for (number, _), edit in zip(block.lines, _edits(block, name), strict=True):
        _take(sentence, edit, name, number)
    return _checked(sentence, name)


def _edits(block: Block, name: str) -> Iterable[Written]:
    """Return the edits of a sentence. Where a line is wrong, CorpusError is raised when its turn has come."""
    try:
        return read_lines(block.texts).edits
    except CorpusError:
        return (edit_of(line, name, number) for number, line in block.lines)


def _take(sentence: Sentence, edit: Written, name: str, number: int) -> None:
    edits = sentence.edits.setdefault(edit.annotator, [])
    if edit.is_noop:
        sentence.noops[edit.annotator] = number
        return
    if not 0 <= edit.start <= edit.end <= len(sentence.tokens):
        message = f"the edit {edit.start} {edit.end} does not fit into a sentence of {len(sentence.tokens)} tokens"
        raise wrong(name, number, message)
    edits.append(Edit(edit.start, edit.end, _first(edit.correction), number))


@lru_cache(SENTENCES)
def _first(whole: str) -> str:
    """Return the first alternative of a correction; empty where the tokens are deleted."""
    first = (whole.partition("||")[0] if "||" in whole else whole).strip()
    return "" if first == "-NONE-" else first


def _applicable(edits: Sequence[Written], size: int) -> list[Edit]:
    """Return those edits of an annotator, sorted, that can be applied to so many tokens; of overlapping ones the first.

    Their lines are not known.
    """
    kept, behind = list[Edit](), 0
    for start, end, type_, correction, _ in sorted(edits, key=SPAN) if len(edits) > 1 else edits:
        if behind <= start <= end <= size and not is_noop(type_):
            kept.append(tuple.__new__(Edit, (start, end, _first(correction), 0)))  # as Edit(...) does, but faster
            behind = end
    return kept


def _checked(sentence: Sentence, name: str) -> Sentence:
    """Return the sentence with sorted edits; raises CorpusError where they overlap, or stand beside a noop."""
    for annotator, edits in sentence.edits.items():
        if len(edits) > 1:
            edits.sort(key=lambda edit: (edit.start, edit.end))
        for one, two in itertools.pairwise(edits):
            if two.start < one.end:
                raise wrong(name, max(one.line, two.line), f"overlaps the edit of line {min(one.line, two.line)}")
        if edits and annotator in sentence.noops:
            noop = sentence.noops[annotator]
            raise wrong(name, noop, f"a noop, but annotator {annotator} edits the sentence in line {edits[0].line}")
    return sentence


def apply(tokens: list[str], edits: Sequence[Edit]) -> list[str]:
    """Return tokens with sorted edits applied, which do not overlap."""
    if not edits:
        return tokens
    result, kept = list[str](), 0
    for start, end, text, _ in edits:
        result += tokens[kept:start]
        if text:
            result.append(text)
        kept = end
    return [*result, *tokens[kept:]]


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
    lacking: dict[int, list[int]] = {}  # by annotator: sentences without a line, and the line of the first
    read = _reader(raw, name, lenient=lenient)
    source = spool.write_texts(name, _source(_bounded(read(), name), lacking))
    if lenient and not lacking:
        lacking[0] = [0, 0]
    annotators = sorted(lacking)
    if not source.stat().st_size:
        raise CorpusError([Problem(name, "has no sentence: there is no line that begins with 'S '")])
    if not annotators:
        raise CorpusError([Problem(name, "no annotator has a line: there is no line that begins with 'A '")])
    references = []
    for annotator in annotators:
        texts = spool.write_texts(name, _reference(read(), annotator, missing, lacking[annotator]))
        references.append(Spooled(texts, SEPARATOR, Origin(f"{name}, annotator {annotator}", ", sentence ")))
    incomplete = [(a, lacking[a][0], lacking[a][1]) for a in annotators if lacking[a][0]]
    return M2(Spooled(source, SEPARATOR, Origin(name, ", sentence ")), references, incomplete)


def annotators(path: Path | Remote, spool: Spool) -> dict[int, tuple[int, int]]:
    """Return for each annotator of an M2 file how many sentences lack a line that others have, and the first's line.

    Raises CorpusError where the file cannot be read.
    """
    name, raw = named(path), spool.local(path)
    lacking: dict[int, list[int]] = {}
    read = _reader(raw, name)
    for _ in _source(read(), lacking):
        pass
    for annotator, counts in lacking.items():
        for _ in _reference(read(), annotator, "source", counts):
            pass
    return {annotator: (lacking[annotator][0], lacking[annotator][1]) for annotator in sorted(lacking)}


def annotated(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the sentences of an M2 file as they are, or as the annotator corrects them whose number `column` is.

    The edits of the first annotator stand in for an annotator without a line for a sentence that others annotated.
    """
    if column.column:
        yield from _reference(sentences(path, name), int(column.column), "first", [0, 0])
    else:
        yield from _source(sentences(path, name), {})


def corrected(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the sentences of a system's M2 file as its edits correct them.

    Raises CorpusError where edits overlap or do not fit, or where a sentence has several annotators. If the column is
    lenient, such edits are left out, and the first annotator of each sentence is taken.
    """
    for block in sentences_of(path, name):
        if column.lenient:
            try:
                text = _leniently_corrected(block.sentence, block.texts)
            except CorpusError:
                read_block(block, name)  # which says what is wrong, with the line
                raise
            yield text
            continue
        sentence = _sentence(block, name, lenient=False)
        if len(sentence.edits) > 1:
            listed = ", ".join(map(str, sentence.edits))
            raise wrong(name, sentence.line, f"a system has one annotator in a sentence, found {listed}")
        yield " ".join(apply(sentence.tokens, next(iter(sentence.edits.values()), []))).encode()


@lru_cache(SENTENCES)
def _leniently_corrected(sentence: str, lines: tuple[str, ...]) -> bytes:
    """Return a sentence with those edits of its first annotator that can be applied; systems often have the same."""
    tokens, own = sentence.split(), next(iter(read_lines(lines).by_annotator.values()), [])
    return " ".join(apply(tokens, _applicable(own, len(tokens)))).encode()


def _reader(raw: Path, name: str, *, lenient: bool = False) -> Callable[[], Iterable[Sentence]]:
    """Return what gives the sentences of a file, as often as it is called."""
    with open_bytes(raw, name) as file:
        size = os.fstat(file.fileno()).st_size
    if size > KEPT:
        return lambda: sentences(raw, name, lenient=lenient)
    kept = list(sentences(raw, name, lenient=lenient))
    return lambda: kept


def _source(every: Iterable[Sentence], lacking: dict[int, list[int]]) -> Iterator[bytes]:
    """Yield the sentences; add each annotator to `lacking`."""
    for sentence in every:
        for annotator in sentence.edits:
            lacking.setdefault(annotator, [0, 0])
        yield " ".join(sentence.tokens).encode()


def _bounded(every: Iterable[Sentence], name: str) -> Iterator[Sentence]:
    """Yield the sentences; raises CorpusError at the first with which there are too many annotators."""
    seen: set[int] = set()
    for sentence in every:
        seen |= sentence.edits.keys()
        if len(seen) > MAX_ANNOTATORS:
            message = f"has {len(seen)} annotators up to this sentence; at most {MAX_ANNOTATORS} are supported"
            raise wrong(name, sentence.line, message)
        yield sentence


def _reference(every: Iterable[Sentence], annotator: int, missing: Missing, lacking: list[int]) -> Iterator[bytes]:
    """Yield the sentences as an annotator has corrected them; count in `lacking` those without a line."""
    for sentence in every:
        edits = sentence.edits.get(annotator)
        if edits is None and sentence.edits:
            lacking[0], lacking[1] = lacking[0] + 1, lacking[1] or sentence.line
            if missing == "none":
                yield b""
                continue
            edits = sentence.edits[min(sentence.edits)] if missing == "first" else []
        yield " ".join(apply(sentence.tokens, edits or [])).encode()
