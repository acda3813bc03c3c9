"""The lines of an M2 file: sentences, each with the edits of its annotators as they stand in the file.

    S This are a sentence .
    A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
    A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

Lines that begin with I may stand between the edits, and mean nothing. Nothing is interpreted here. Whether alternatives
(is||was) are parted, whether -NONE- is an empty text, and what an annotator without a line has meant, is decided by
those who read the edits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..errors import CorpusError, Problem
from ..io.plain_files import pieces_of_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NOOP = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
"""The line of an annotator who leaves a sentence as it is."""
_SPAN = re.compile(r"(-?[0-9]{1,9})[ \t]+(-?[0-9]{1,9})")
_TARGET = re.compile(r"T[0-9]+(-A[0-9]+)? ")
"""How a line begins with which ChERRANT repeats the corrected sentence."""
_ID = re.compile(r"[0-9]{1,9}")
FIELDS = 6
MOST = 20_000
"""The most edits of a sentence, those of all annotators together. More are meant to fill the memory."""
KEPT = 1 << 14
"""Lines whose edits are kept: most are read several times, for texts, for checks and by workers. They take 6 MB."""


class Edit(NamedTuple):
    """A line that begins with A."""

    start: int
    """The first token that is replaced, from 0; -1 in a noop."""
    end: int
    """The token after the last that is replaced."""
    type: str
    correction: str
    """What replaces the tokens, as it is written."""
    annotator: int

    @property
    def is_noop(self) -> bool:
        """Whether the line says that the annotator leaves the sentence as it is."""
        return is_noop(self.type)


@lru_cache(KEPT)
def is_noop(type_: str) -> bool:
    """Return whether a type of edits says that the annotator leaves the sentence as it is."""
    return type_.strip().lower() == "noop"


@dataclass(slots=True)
class Block:
    """A sentence of an M2 file with its edits."""

    line: int
    """The line of the sentence in its file."""
    sentence: str
    """The sentence, without "S " before it."""
    lines: list[tuple[int, str]] = field(default_factory=list)
    """The lines that begin with A, each with its number in the file. They are only added to."""
    kept: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """What `texts` returned last."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The same lines without their numbers."""
        if len(self.kept) != len(self.lines):
            self.kept = tuple([line for _, line in self.lines])
        return self.kept


def blocks(path: Path, name: str) -> Iterator[Block]:
    """Yield the sentences of an M2 file. Raises CorpusError, with the line, for a line that is none of an M2 file."""
    current: Block | None = None
    pieces = (enumerate(lines, first) for first, lines in pieces_of_lines(path, name))
    for number, line in chain.from_iterable(pieces):
        if line[:2] == "A ":
            if current is None or len(current.lines) == MOST:
                raise _odd_edit(current, name, number)
            current.lines.append((number, line))
        elif line[:2] == "S " or line == "S":
            if current:
                yield current
            current = Block(number, line[2:])
        elif current and (line.startswith("I ") or _TARGET.match(line)):
            continue
        elif line.strip():
            raise wrong(name, number, "expected a line that begins with 'S ' or 'A ', or an empty line")
        elif current:
            yield current
            current = None
    if current:
        yield current


def _odd_edit(block: Block | None, name: str, number: int) -> CorpusError:
    """Return the error for an edit before any sentence, or for one too many."""
    if block is None:
        return wrong(name, number, "an edit before any sentence: expected a line that begins with 'S '")
    return wrong(name, number, f"the sentence of line {block.line} has more than {MOST:,} edits")


def edit_of(line: str, name: str, number: int) -> Edit:
    """Return the edit of a line that begins with A; raises CorpusError where it is not written as one."""
    try:
        return _edit(line)
    except ValueError as error:
        raise wrong(name, number, str(error)) from None


def edits_of(lines: Sequence[str], name: str, number: int) -> list[Edit]:
    """Return the edits of several lines, of which the first has this number; raises as edit_of() does."""
    try:
        return list(map(_edit, lines))
    except ValueError:
        return [edit_of(line, name, place) for place, line in enumerate(lines, number)]


@lru_cache(KEPT)
def _edit(line: str) -> Edit:
    fields = line[2:].split("|||")
    if len(fields) != FIELDS:
        raise ValueError(f"expected {FIELDS} fields with ||| between, found {len(fields)}")
    # as Edit(...) does, in a third of the time
    return tuple.__new__(Edit, (*_span(fields[0]), fields[1], fields[2], _annotator(fields[5])))


@lru_cache(KEPT)
def _span(field: str) -> tuple[int, int]:
    span = _SPAN.fullmatch(field.strip())
    if not span:
        raise ValueError(f"expected two token offsets, found '{field[:50]}'")
    return int(span[1]), int(span[2])


@lru_cache(KEPT)
def _annotator(field: str) -> int:
    if not _ID.fullmatch(field.strip()):
        raise ValueError(f"expected the number of an annotator at the end, found '{field[:50]}'")
    return int(field)


def wrong(name: str, number: int, message: str) -> CorpusError:
    """Return the error for a line of a file."""
    return CorpusError([Problem(f"{name}:{number}", message)])
