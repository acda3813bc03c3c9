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
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...errors import CorpusError, Problem
from ...io.plain_files import SEPARATOR, Origin, Spooled, named, numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ...config.resolved import Column
    from ...io.plain_files import Spool
    from ...io.remote import Remote

_SPAN = re.compile(r"(-?[0-9]{1,9}) +(-?[0-9]{1,9})")
MAX_ANNOTATORS = 255
_ID = re.compile(r"[0-9]{1,9}")


class Edit(NamedTuple):
    """An edit: the tokens start <= i < end are replaced."""

    start: int
    end: int
    text: str
    """What replaces the tokens; where it is empty, they are deleted."""
    line: int
    """The line of the edit in its file."""


@dataclass
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


def sentences(path: Path, name: str) -> Iterator[Sentence]:
    """Yield the sentences of an M2 file; raises CorpusError, with the line, for edits that cannot be applied."""
    current: Sentence | None = None
    for number, line in numbered_lines(path, name):
        if line == "S" or line.startswith("S "):
            if current:
                yield _checked(current, name)
            current = Sentence(number, line[2:].split())
        elif line.startswith("A "):
            if current is None:
                raise _wrong(name, number, "an edit before any sentence: expected a line that begins with 'S '")
            _read_edit(current, line, name, number)
        elif line.strip():
            raise _wrong(name, number, "expected a line that begins with 'S ' or 'A ', or an empty line")
        elif current:
            yield _checked(current, name)
            current = None
    if current:
        yield _checked(current, name)


def _read_edit(sentence: Sentence, line: str, name: str, number: int) -> None:
    fields = line[2:].split("|||")
    if len(fields) != 6:
        raise _wrong(name, number, f"expected 6 fields with ||| between, found {len(fields)}")
    span, identity = _SPAN.fullmatch(fields[0].strip()), _ID.fullmatch(fields[5].strip())
    if not span:
        raise _wrong(name, number, f"expected two token offsets, found '{fields[0][:50]}'")
    if not identity:
        raise _wrong(name, number, f"expected the number of an annotator at the end, found '{fields[5][:50]}'")
    start, end, annotator = int(span[1]), int(span[2]), int(identity[0])
    edits = sentence.edits.setdefault(annotator, [])
    if fields[1].strip().lower() == "noop":
        sentence.noops[annotator] = number
        return
    if not 0 <= start <= end <= len(sentence.tokens):
        message = f"the edit {start} {end} does not fit into a sentence of {len(sentence.tokens)} tokens"
        raise _wrong(name, number, message)
    first = fields[2].split("||")[0].strip()
    edits.append(Edit(start, end, "" if first == "-NONE-" else first, number))


def _checked(sentence: Sentence, name: str) -> Sentence:
    """Return the sentence with sorted edits; raises CorpusError where they overlap, or stand beside a noop."""
    for annotator, edits in sentence.edits.items():
        edits.sort(key=lambda edit: (edit.start, edit.end))
        for one, two in itertools.pairwise(edits):
            if two.start < one.end:
                raise _wrong(name, max(one.line, two.line), f"overlaps the edit of line {min(one.line, two.line)}")
        if edits and annotator in sentence.noops:
            noop = sentence.noops[annotator]
            raise _wrong(name, noop, f"a noop, but annotator {annotator} edits the sentence in line {edits[0].line}")
    return sentence


def _wrong(name: str, number: int, message: str) -> CorpusError:
    return CorpusError([Problem(f"{name}:{number}", message)])


def apply(tokens: list[str], edits: list[Edit]) -> list[str]:
    """Return tokens with sorted edits applied, from right to left."""
    result = list(tokens)
    for edit in reversed(edits):
        result[edit.start : edit.end] = [edit.text] if edit.text else []
    return result


Missing = Literal["first", "source", "none"]


def spool_m2(path: Path | Remote, missing: Missing, spool: Spool) -> M2:
    """Write the sentences of an M2 file to the spool: as they are, and as each annotator has corrected them.

    `missing` says what stands in for an annotator who has no line for a sentence while others have one: the edits of
    the annotator with the lowest number among these ("first"), the source, or an empty text ("none").
    Raises CorpusError where the file cannot be read or applied, or has no annotator or too many.
    """
    name, raw = named(path), spool.local(path)
    lacking: dict[int, list[int]] = {}  # by annotator: sentences without a line, and the line of the first
    source = spool.write_texts(name, _source(raw, name, lacking))
    annotators = sorted(lacking)
    if not annotators:
        raise CorpusError([Problem(name, "no annotator has a line: there is no line that begins with 'A '")])
    if len(annotators) > MAX_ANNOTATORS:
        raise CorpusError([Problem(name, f"has {len(annotators)} annotators; at most {MAX_ANNOTATORS} are supported")])
    references = []
    for annotator in annotators:
        texts = spool.write_texts(name, _reference(raw, name, annotator, missing, lacking[annotator]))
        references.append(Spooled(texts, SEPARATOR, Origin(f"{name}, annotator {annotator}", ", sentence ")))
    incomplete = [(a, lacking[a][0], lacking[a][1]) for a in annotators if lacking[a][0]]
    return M2(Spooled(source, SEPARATOR, Origin(name, ", sentence ")), references, incomplete)


def annotators(path: Path | Remote, spool: Spool) -> dict[int, tuple[int, int]]:
    """Return for each annotator of an M2 file how many sentences lack a line that others have, and the first's line.

    Raises CorpusError where the file cannot be read.
    """
    name, raw = named(path), spool.local(path)
    lacking: dict[int, list[int]] = {}
    for _ in _source(raw, name, lacking):
        pass
    for annotator, counts in lacking.items():
        for _ in _reference(raw, name, annotator, "source", counts):
            pass
    return {annotator: (lacking[annotator][0], lacking[annotator][1]) for annotator in sorted(lacking)}


def annotated(path: Path, name: str, column: Column) -> Iterator[bytes]:
    """Yield the sentences of an M2 file as they are, or as the annotator corrects them whose number `column` is.

    The edits of the first annotator stand in for an annotator without a line for a sentence that others annotated.
    """
    if column.column:
        yield from _reference(path, name, int(column.column), "first", [0, 0])
    else:
        yield from _source(path, name, {})


def _source(raw: Path, name: str, lacking: dict[int, list[int]]) -> Iterator[bytes]:
    """Yield the sentences; add each annotator to `lacking`."""
    for sentence in sentences(raw, name):
        for annotator in sentence.edits:
            lacking.setdefault(annotator, [0, 0])
        yield " ".join(sentence.tokens).encode()


def _reference(raw: Path, name: str, annotator: int, missing: Missing, lacking: list[int]) -> Iterator[bytes]:
    """Yield the sentences as an annotator has corrected them; count in `lacking` those without a line."""
    for sentence in sentences(raw, name):
        edits = sentence.edits.get(annotator)
        if edits is None and sentence.edits:
            lacking[0], lacking[1] = lacking[0] + 1, lacking[1] or sentence.line
            if missing == "none":
                yield b""
                continue
            edits = sentence.edits[min(sentence.edits)] if missing == "first" else []
        yield " ".join(apply(sentence.tokens, edits or [])).encode()
