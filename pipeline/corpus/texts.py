r"""Text as workers read it: lines of a file by ranges, or texts in memory.

A line ends at \n or \r\n; the last line may lack its end; a byte order mark at the start is dropped; an empty line
is a sentence of length 0. In a spooled file each text ends with the byte 0xFF and may hold newlines.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import CorpusError, Problem
from ..io.plain_files import Origin
from ..io.remote import Remote, RemoteStamp
from ..kernel.lines import Lines
from .spans import NEWLINE, Span, Stamp, read_span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

SUBWORDS = (b"@@ ", "\u2581".encode())
"""Marks of subword pieces: those of subword-nmt, and of SentencePiece."""


class Odd(NamedTuple):
    """What is odd in a text: how often subword marks and NUL characters occur."""

    subwords: int = 0
    nuls: int = 0

    @classmethod
    def of(cls, data: bytes) -> Odd:
        """Return what is odd in some bytes."""
        marks = [mark for mark in SUBWORDS if mark[-2:-1] in data]  # one byte is found much faster than three
        return cls(sum(data.count(mark) for mark in marks), data.count(b"\0") if b"\0" in data else 0)


ORDINARY = Odd()


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """An indexed text file.

    digest: of the lines, whatever their line ends; blanks: int64 numbers, from 1, of the lines without a token;
    places: int64 byte offset of every stride-th line, then the size of the file; origin: what the user calls it;
    numbers: int64 numbers that the lines have there, where lines were selected; keeper: what must live as long;
    stamp: the file's when it was opened to be checked.
    """

    path: Path | Remote
    lines: int
    size: int
    digest: str
    has_bom: bool
    blanks: NDArray[np.int64] = field(repr=False, compare=False)
    places: NDArray[np.int64] = field(repr=False, compare=False)
    stride: int
    odd: Odd = ORDINARY
    separator: bytes = NEWLINE
    origin: Origin | None = None
    numbers: NDArray[np.int64] | None = field(default=None, repr=False, compare=False)
    keeper: object = field(default=None, repr=False, compare=False)
    stamp: Stamp | RemoteStamp | None = field(default=None, repr=False, compare=False)

    @property
    def blank(self) -> int:
        """Number of lines without a token."""
        return len(self.blanks)

    @property
    def first_blank(self) -> int:
        """The first of them, from 1, as the user counts; 0 where there is none."""
        return self.number(int(self.blanks[0])) if len(self.blanks) else 0

    @property
    def name(self) -> str:
        """What warnings call it."""
        return self.place.replace("\\", "/").rpartition("/")[2]

    @property
    def place(self) -> str:
        """Where a problem of it is."""
        return self.origin.name if self.origin else str(self.path)

    def number(self, line: int) -> int:
        """Return the number that a line, from 1, had before lines were selected."""
        return line if self.numbers is None else int(self.numbers[line - 1])

    def at(self, line: int) -> str:
        """Return where the user finds a line, from 1."""
        return (self.origin or Origin(str(self.path))).at(self.number(line))

    def span(self, low: int, high: int) -> Span:
        """Return where to find the lines low <= i < high."""
        first, last = low // self.stride, -(-high // self.stride)
        start, stop = int(self.places[first]), int(self.places[min(last, len(self.places) - 1)])
        # A worker may stand in another folder; abspath() keeps links as they are.
        path = self.path.url if isinstance(self.path, Remote) else os.path.abspath(self.path)  # noqa: PTH100
        stamp = self.stamp[:2] if isinstance(self.stamp, Stamp) else self.stamp
        skip, spooled = low - first * self.stride, self.keeper is not None
        return Span(
            path=path,
            start=start,
            size=stop - start,
            skip=skip,
            lines=high - low,
            separator=self.separator,
            place=self.place,
            stamp=stamp,
            temporary=spooled,
        )


@dataclass(frozen=True)
class MemoryText:
    """Text that came from a program: like a TextFile, but its spans hold the lines themselves."""

    name: str
    content: Lines
    blanks: NDArray[np.int64] = field(repr=False, compare=False)
    has_bom: bool = False
    odd: Odd = ORDINARY

    @property
    def blank(self) -> int:
        """Number of texts without a token."""
        return len(self.blanks)

    @property
    def first_blank(self) -> int:
        """The first of them, from 1; 0 where there is none."""
        return int(self.blanks[0]) if len(self.blanks) else 0

    @cached_property
    def digest(self) -> str:
        """Digest of the texts; made where it is asked for."""
        return hashlib.blake2b(
            self.content.ends.astype("<i8").tobytes() + self.content.data, digest_size=16
        ).hexdigest()

    @property
    def place(self) -> str:
        """Where a problem of it is."""
        return self.name

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self.content.starts)

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.content.data)

    def number(self, line: int) -> int:
        """Return the number of a text, from 1: the same."""
        return line

    def at(self, line: int) -> str:
        """Return where a text, from 1, is."""
        return f"{self.name}, item {line}"

    def span(self, low: int, high: int) -> Lines:
        """Return the lines low <= i < high."""
        starts, ends = self.content.starts[low:high], self.content.ends[low:high]
        first, last = int(starts[0]), int(ends[-1])
        return Lines(self.content.data[first:last], starts - first, ends - first)


AnyText = TextFile | MemoryText


def same(one: AnyText, two: AnyText) -> bool:
    """Return whether two texts have the same lines."""
    if isinstance(one, MemoryText) and isinstance(two, MemoryText):
        return one.content.data == two.content.data and np.array_equal(one.content.ends, two.content.ends)
    return one.digest == two.digest


def text_in_memory(name: str, texts: Sequence[str]) -> MemoryText:
    """Return strings (which may hold newlines) as text; raises CorpusError for strings that UTF-8 cannot hold."""
    joined = "".join(texts)
    try:
        data = joined.encode()
    except UnicodeEncodeError:
        raise CorpusError([_half(name, texts)]) from None
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    wide = np.flatnonzero(~np.fromiter(map(str.isascii, texts), bool, len(texts))) if len(data) > len(joined) else ()
    for number in map(int, wide):
        sizes[number] = len(texts[number].encode())
    ends = np.cumsum(sizes, dtype=np.int64)
    blanks = np.flatnonzero(np.fromiter(map(str.isspace, texts), bool, len(texts)) | (sizes == 0)) + 1
    return MemoryText(name, Lines(data, ends - sizes, ends), blanks, odd=Odd.of(data))


def _half(name: str, texts: Sequence[str]) -> Problem:
    """Return what is wrong with the first text that UTF-8 cannot hold."""
    found = ((number, re.search("[\ud800-\udfff]", text)) for number, text in enumerate(texts, 1))
    number, match = next((number, match) for number, match in found if match)
    message = f"character {match.start() + 1} is half of a surrogate pair, which is no text"
    return Problem(f"{name}, item {number}", message)


def read_texts(text: AnyText, low: int, high: int) -> list[str]:
    """Return the lines low <= i < high of a text as strings."""
    span = text.span(low, high)
    lines = read_span(span) if isinstance(span, Span) else span
    return [line.decode() for line in lines.texts()]
