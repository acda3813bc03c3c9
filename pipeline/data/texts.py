r"""Texts: lines of a file, which workers read by ranges, or strings in memory.

A line ends at \n or \r\n. The last line may lack its end. A byte order mark at the start is
dropped. An empty line is a sentence of length 0. In a temporary file each text ends with the byte
0xFF and may hold newlines.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernel
from ..arrays import Ints
from ..errors import CorpusError, Problem, UnreadableError
from ..files import Origin, Remote, open_regular
from ..kernel.common import Lines

NEWLINE = b"\n"
CHANGED = "the file changed while it was being read; start again"


class Span(NamedTuple):
    """Lines of a file, and all that a worker needs to read them."""

    path: str
    """A path or an address."""
    start: int
    """The byte from which to read."""
    size: int
    """The bytes to read."""
    skip: int
    """Lines in these bytes before the first line of the span."""
    lines: int
    """How many lines the span has."""
    separator: bytes = NEWLINE
    """The byte that ends a line."""
    display_name: str = ""
    """The name of the file in messages, if that is not its path."""
    fingerprint: tuple[int, int] | Remote.Fingerprint | None = None
    """Size and time of the file when it was checked."""
    temporary: bool = False
    """The file is in a temporary folder of this machine."""


class Fingerprint(NamedTuple):
    """Size, times and number of a file. If they differ, the file may have changed."""

    size: int
    mtime: int
    ctime: int
    inode: int

    @classmethod
    def of(cls, file: int | str | Path) -> Fingerprint:
        """Return the fingerprint of a file, by its path or descriptor; raises OSError."""
        info = os.stat(file)  # noqa: PTH116 (also of a descriptor)
        return cls(
            info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino
        )


def read_span(span: Span) -> Lines:
    """Return the lines of a span; raises UnreadableError if the file no longer holds them."""
    display_name = span.display_name or span.path
    try:
        if "://" in span.path:  # which no absolute path of this machine has
            data = Remote(span.path).read_range(span.start, span.size)
            unchanged = Remote(span.path).fingerprint() == span.fingerprint
        else:
            # No Path objects: a worker opens thousands of files.
            with open_regular(span.path, links=True) as file:
                file.seek(span.start)
                data = file.read(span.size)
                unchanged = (
                    span.fingerprint is None
                    or Fingerprint.of(file.fileno())[:2] == span.fingerprint
                )
    except OSError as error:
        problem = Problem(display_name, f"cannot be read: {error.strerror}")
        raise UnreadableError([problem]) from None
    except CorpusError as error:
        raise UnreadableError(error.problems) from None
    has_all_bytes = len(data) == span.size
    is_plain = span.separator == NEWLINE
    if span.start == 0 and is_plain:
        data = data.removeprefix(codecs.BOM_UTF8)
    codes = np.frombuffer(data, np.uint8)
    find_ends = kernel.native_function("line_ends", "scan") or line_ends
    ends = find_ends(data, span.separator[0])
    starts = np.zeros(len(ends), np.int64)
    np.add(ends[:-1], 1, out=starts[1:])
    rows = slice(span.skip, span.skip + span.lines)
    starts = starts[rows]
    ends = ends[rows]
    if not unchanged or not has_all_bytes or len(ends) != span.lines:
        raise UnreadableError([Problem(display_name, CHANGED)])
    if is_plain and b"\r" in data:
        has_return = codes[ends - 1] == ord("\r")
        has_return &= (ends > starts) & (ends < len(data))
        ends = ends - has_return
    return Lines(data, starts, ends)


def line_ends(data: bytes, separator: int) -> Ints:
    """Return where each line of data ends: int64 [lines].

    The compiled twin is in `kernel/native/scan.pyx`.
    """
    ends: Ints = np.flatnonzero(np.frombuffer(data, np.uint8) == separator)
    if data and data[-1] != separator:
        return np.append(ends, len(data))
    return ends


SUBWORDS = (b"@@ ", "\u2581".encode())
"""The marks of subword pieces that subword-nmt and SentencePiece write."""
RARE_BYTES = (b"\0", *(mark[-2:-1] for mark in SUBWORDS))
"""Bytes, one of which is in every suspicious text: one byte is found much faster than three."""
LONG_LINE_BYTES = 1 << 20
"""Bytes from which a line is reported as long: whole books are shorter."""


class Suspicious(NamedTuple):
    """What is suspicious in a text."""

    subwords: int = 0
    """Number of subword marks."""
    nuls: int = 0
    """Number of NUL characters."""
    long_line: int = 0
    """Number, from 1, of the longest line of a file if it has more than LONG_LINE_BYTES, else 0."""
    long_line_bytes: int = 0
    """The bytes of this line."""

    @classmethod
    def of(cls, data: bytes) -> Suspicious:
        """Return what is suspicious in UTF-8 text."""
        if not any(map(data.__contains__, RARE_BYTES)):
            return ORDINARY
        subwords = sum(map(data.count, SUBWORDS))
        return cls(subwords=subwords, nuls=data.count(b"\0"))


ORDINARY = Suspicious()


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """An indexed text file."""

    path: Path | Remote
    lines: int
    """How many lines there are."""
    size: int
    """In bytes."""
    digest: str
    """Of the lines, whatever their line ends."""
    has_bom: bool
    """The file begins with a byte order mark."""
    blank: int
    """How many lines have no token."""
    blank_bits: NDArray[np.uint8] = field(repr=False, compare=False)
    """A bit for each line: whether it has no token. The first line is the highest bit of a byte."""
    marks: Ints = field(repr=False, compare=False)
    """The indices of some lines, and the bytes where they begin, int64 [2, lines]: the first line,
    lines at even distances, and the end of the file."""
    suspicious: Suspicious = ORDINARY
    separator: bytes = NEWLINE
    """The byte that ends a line."""
    origin: Origin | None = None
    """Where the texts came from, if that is not the path."""
    numbers: Ints | None = field(default=None, repr=False, compare=False)
    """If lines were selected: their numbers, from 1, in the file of the user."""
    keeper: object = field(default=None, repr=False, compare=False)
    """The TempFiles that the file is in, kept alive by this object; None for a file of the user."""
    fingerprint: Fingerprint | Remote.Fingerprint | None = field(
        default=None, repr=False, compare=False
    )
    """The fingerprint of the file when it was opened to be checked."""

    @property
    def identity(self) -> object:
        """What is equal for texts with the same lines."""
        return self.digest

    @cached_property
    def blanks(self) -> Ints:
        """The numbers, from 1, of the lines without a token."""
        bits = np.unpackbits(self.blank_bits, count=self.lines)
        return np.flatnonzero(bits) + 1

    @property
    def first_blank(self) -> int:
        """The number, from 1, of the first line without a token in the user's file, or 0."""
        if not self.blank:
            return 0
        byte = int(np.argmax(self.blank_bits != 0))
        bits = np.unpackbits(self.blank_bits[byte : byte + 1])
        bit = int(np.argmax(bits))
        return self.number(8 * byte + bit + 1)

    @property
    def name(self) -> str:
        """The name of the file in warnings, without its folders."""
        return self.display_name.replace("\\", "/").rpartition("/")[2]

    @property
    def display_name(self) -> str:
        """The name of the file in messages, as the user wrote it."""
        return self.origin.name if self.origin else str(self.path)

    def number(self, line: int) -> int:
        """Return the number that a line, from 1, had before lines were selected."""
        return line if self.numbers is None else int(self.numbers[line - 1])

    def at(self, line: int) -> str:
        """Return where the user finds a line, counted from 1."""
        origin = self.origin or Origin(str(self.path))
        return origin.at(self.number(line))

    def span(self, low: int, high: int) -> Span:
        """Return what a worker needs to read the lines low <= i < high."""
        lines, byte_offsets = self.marks
        first = int(lines.searchsorted(low, "right")) - 1
        last = int(lines.searchsorted(high))
        start = int(byte_offsets[first])
        stop = int(byte_offsets[last])
        if isinstance(self.path, Remote):
            path = self.path.url
        else:
            # A worker may have another working directory. abspath() does not resolve links.
            path = os.path.abspath(self.path)  # noqa: PTH100
        fingerprint: tuple[int, int] | Remote.Fingerprint | None
        if isinstance(self.fingerprint, Fingerprint):
            fingerprint = self.fingerprint[:2]
        else:
            fingerprint = self.fingerprint
        return Span(
            path=path,
            start=start,
            size=stop - start,
            skip=low - int(lines[first]),
            lines=high - low,
            separator=self.separator,
            display_name=self.display_name,
            fingerprint=fingerprint,
            temporary=self.keeper is not None,
        )


@dataclass(frozen=True)
class MemoryText:
    """A text that a program has passed: like a TextFile, but its spans hold the lines."""

    name: str
    content: Lines = field(repr=False, compare=False)
    """The texts as lines, one after the other."""
    strings: tuple[str, ...] = field(repr=False)
    """The texts as strings."""
    blanks: Ints = field(repr=False, compare=False)
    suspicious: Suspicious = ORDINARY
    has_bom: ClassVar[bool] = False

    @property
    def identity(self) -> object:
        """What is equal for texts with the same lines."""
        return self.strings

    @property
    def data(self) -> bytes:
        """All texts in UTF-8, one after the other."""
        return self.content.data

    @property
    def blank(self) -> int:
        """Number of texts without a token."""
        return len(self.blanks)

    @property
    def first_blank(self) -> int:
        """The number, from 1, of the first text without a token, or 0."""
        return int(self.blanks[0]) if len(self.blanks) else 0

    @cached_property
    def digest(self) -> str:
        """Digest of the texts."""
        data = self.content.ends.astype("<i8").tobytes() + self.data
        return hashlib.blake2b(data, digest_size=16).hexdigest()

    @property
    def display_name(self) -> str:
        """The name of the text in messages."""
        return self.name

    @property
    def lines(self) -> int:
        """How many lines there are."""
        return len(self.strings)

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data)

    def number(self, line: int) -> int:
        """Return the number of a text, which is the same: no lines are selected in memory."""
        return line

    def at(self, line: int) -> str:
        """Return where the user finds a text, counted from 1."""
        return f"{self.name}, item {line}"

    def span(self, low: int, high: int) -> Lines:
        """Return the lines low <= i < high, without a copy."""
        if (low, high) == (0, len(self.strings)):
            return self.content
        starts = self.content.starts[low:high]
        ends = self.content.ends[low:high]
        return Lines(self.content.data, starts, ends)


AnyText = TextFile | MemoryText


KIND = "blake3:"
"""How digests of files begin. Earlier versions wrote the BLAKE2b digest of all lines."""
NO_NUMBERS = np.zeros(0, np.int64)
"""The numbers of blank lines if there are none."""
NO_NUMBERS.flags.writeable = False
LINES_AT_ONCE = 1024
"""How many lines of a text are read at once."""


def digest_like(text: AnyText, known: str) -> str:
    """Return the digest of a text by the algorithm of a stored digest."""
    if isinstance(text, MemoryText) or known.startswith(KIND):
        return text.digest
    hashed = hashlib.blake2b(digest_size=16)
    for low in range(0, text.lines, LINES_AT_ONCE):
        span = text.span(low, min(low + LINES_AT_ONCE, text.lines))
        for line in read_span(span).texts():
            hashed.update(line.replace(NEWLINE, b"\xfe") + NEWLINE)
    return hashed.hexdigest()


def text_in_memory(name: str, texts: Sequence[str]) -> MemoryText:
    """Return strings, which may hold newlines, as a MemoryText.

    Raises CorpusError for half of a surrogate pair, which UTF-8 cannot hold.
    """
    try:
        strings, data, edges, blanks = kernel.joined(texts)
    except UnicodeEncodeError:
        raise CorpusError([_surrogate_problem(name, texts)]) from None
    numbers = np.array(blanks, np.int64) if blanks else NO_NUMBERS
    content = Lines(data, edges[:-1], edges[1:])
    return MemoryText(
        name, content, strings, numbers, suspicious=Suspicious.of(data)
    )


def _surrogate_problem(name: str, texts: Sequence[str]) -> Problem:
    for number, text in enumerate(texts, 1):
        match = re.search("[\ud800-\udfff]", text)
        if match:
            message = f"character {match.start() + 1} is half of a surrogate pair, which is no text"
            return Problem(f"{name}, item {number}", message)
    raise ValueError("no text has half of a surrogate pair")


def read_texts(
    text: AnyText, low: int = 0, high: int | None = None
) -> list[str]:
    """Return the lines low <= i < high of a text as strings; by default all of them."""
    if isinstance(text, MemoryText):
        return list(text.strings[low:high])
    if high is None:
        high = text.lines
    span = text.span(low, high)
    return [line.decode() for line in read_span(span).texts()]


def lines_of(text: AnyText, indices: Ints) -> Iterator[str]:
    """Yield the lines of a text with these indices, which must rise.

    At most LINES_AT_ONCE lines are in memory.
    """
    for low in range(0, text.lines, LINES_AT_ONCE):
        first, last = np.searchsorted(indices, (low, low + LINES_AT_ONCE))
        if first == last:
            continue
        span = text.span(low, min(low + LINES_AT_ONCE, text.lines))
        lines = read_span(span) if isinstance(span, Span) else span
        rows = indices[first:last] - low
        for index in rows.tolist():
            start = int(lines.starts[index])
            end = int(lines.ends[index])
            yield lines.data[start:end].decode()


def called(line: int, ids: AnyText | None) -> str:
    """Return the name of a line, from 1, in output: its number, and its id if there are ids."""
    if ids is None:
        return f"line {line:,}"
    (name,) = read_texts(ids, line - 1, line)
    return f"line {line:,} (id {name})"


def numbered(ids: AnyText) -> dict[str, int]:
    """Return the index of the line of each id; raises CorpusError if an id occurs twice."""
    index_of: dict[str, int] = {}
    for index, name in enumerate(read_texts(ids)):
        if index_of.setdefault(name, index) != index:
            first = ids.at(index_of[name] + 1)
            message = f"has the id '{name}', as {first} has; ids stand once"
            raise CorpusError([Problem(ids.at(index + 1), message)])
    return index_of


BRACKETS = {
    b"-lrb-": b"(",
    b"-rrb-": b")",
    b"-lsb-": b"[",
    b"-rsb-": b"]",
    b"-lcb-": b"{",
    b"-rcb-": b"}",
    b"-lcb": b"{",
    b"-rcb": b"}",
}
"""Brackets by the tokens that the Penn Treebank writes for them.

The last two are not in the treebank, but in outputs of systems.
"""


def brackets(text: bytes) -> bytes:
    """Return a text with brackets in place of tokens (between blanks) such as -LRB- or -lrb-."""
    if b"-" not in text:
        return text
    tokens = text.split(b" ")
    return b" ".join(BRACKETS.get(token.lower(), token) for token in tokens)


REPLACEMENTS: dict[str, Callable[[bytes], bytes]] = {"ptb_brackets": brackets}
"""The functions that change a text, by the value of the key `replace`."""
