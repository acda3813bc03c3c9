r"""Texts: lines of a file, which workers read by ranges, or strings in memory.

A line ends at \n or \r\n. The last line may lack its end. A byte order mark at the start is
dropped. An empty line is a sentence of length 0. In a spooled file each text ends with the byte
0xFF and may hold newlines."""

from __future__ import annotations

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
from ..files import remote
from ..files.plain_files import BOM, Origin
from ..files.remote import Remote, RemoteStamp
from ..files.safe_files import open_regular
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
    place: str = ""
    """The name of the file in messages, where that is not its path."""
    fingerprint: tuple[int, int] | RemoteStamp | None = None
    """Size and time of the file when it was checked."""
    temporary: bool = False
    """The file is in a temporary folder of this machine."""


class Stamp(NamedTuple):
    """Size, times and number of a file: where they are others than before, the file may have
    changed.
    """

    size: int
    mtime: int
    ctime: int
    inode: int

    @classmethod
    def of(cls, file: int | str | Path) -> Stamp:
        """Return the stamp of a file, by its path or descriptor; raises OSError."""
        info = os.stat(file)  # noqa: PTH116 (also of a descriptor)
        return cls(info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def read_span(span: Span) -> Lines:
    """Read the lines of a span; raises UnreadableError where the file no longer holds them."""
    place = span.place or span.path
    try:
        if "://" in span.path:  # which no absolute path of this machine has
            data = remote.read_range(span.path, span.start, span.size)
            same = remote.stamp_of(Remote(span.path)) == span.fingerprint
        else:
            with open_regular(
                span.path, links=True
            ) as file:  # no Path objects: a worker opens thousands
                file.seek(span.start)
                data = file.read(span.size)
                same = span.fingerprint is None or Stamp.of(file.fileno())[:2] == span.fingerprint
    except OSError as error:
        raise UnreadableError([Problem(place, f"cannot be read: {error.strerror}")]) from None
    except CorpusError as error:
        raise UnreadableError(error.problems) from None
    unchanged = same and len(data) == span.size
    plain = span.separator == NEWLINE
    if span.start == 0 and plain:
        data = data.removeprefix(BOM)
    codes = np.frombuffer(data, np.uint8)
    ends = (kernel.native_function("line_ends", "scan") or line_ends)(data, span.separator[0])
    starts = np.zeros(len(ends), np.int64)
    np.add(ends[:-1], 1, out=starts[1:])
    rows = slice(span.skip, span.skip + span.lines)
    starts, ends = starts[rows], ends[rows]
    if not unchanged or len(ends) != span.lines:
        raise UnreadableError([Problem(place, CHANGED)])
    if plain and b"\r" in data:
        ends = ends - ((ends > starts) & (ends < len(data)) & (codes[ends - 1] == ord("\r")))
    return Lines(data, starts, ends)


def line_ends(data: bytes, separator: int) -> Ints:
    """Return where each line of data ends: int64 [lines]; its compiled twin is in
    `kernel/native/scan.pyx`.
    """
    ends: Ints = np.flatnonzero(np.frombuffer(data, np.uint8) == separator)
    return np.append(ends, len(data)) if data and data[-1] != separator else ends


SUBWORDS = (b"@@ ", "\u2581".encode())
"""The marks of subword pieces that subword-nmt and SentencePiece write."""
SIGNS = (b"\0", *(mark[-2:-1] for mark in SUBWORDS))
"""Bytes, one of which is in every text with something odd: one byte is looked for much faster than
three."""

LONG = 1 << 20
"""Bytes from which a line of a file is so long that the user is told: whole books are shorter."""


class Odd(NamedTuple):
    """What is odd in a text."""

    subwords: int = 0
    """How often subword marks occur."""
    nuls: int = 0
    """How often NUL characters occur."""
    long: int = 0
    """The number, from 1, of the longest line of a file, where that has more than LONG bytes; else
    0."""
    size: int = 0
    """The bytes of this line."""

    @classmethod
    def of(cls, data: bytes) -> Odd:
        """Return what is odd in UTF-8 text."""
        if not any(map(data.__contains__, SIGNS)):
            return ORDINARY
        return cls(sum(map(data.count, SUBWORDS)), data.count(b"\0"))


ORDINARY = Odd()


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
    """A bit for each line, whether it has no token; eight lines in a byte, the first in its highest
    bit."""
    marks: Ints = field(repr=False, compare=False)
    """The numbers of some lines, from 0, and the bytes where they begin, [2, lines]: the first
    line, one in each so many bytes, and the end of the file."""
    odd: Odd = ORDINARY
    separator: bytes = NEWLINE
    """The byte that ends a line."""
    origin: Origin | None = None
    """Where the texts came from, where that is not the path."""
    numbers: Ints | None = field(default=None, repr=False, compare=False)
    """Where lines were selected: the numbers, from 1, that the lines have in the file of the user.
    """
    keeper: object = field(default=None, repr=False, compare=False)
    """The spool that the file is in, which must live as long as this object; None for a file of the
    user."""
    fingerprint: Stamp | RemoteStamp | None = field(default=None, repr=False, compare=False)
    """The stamp that the file had when it was opened to be checked."""

    @cached_property
    def blanks(self) -> Ints:
        """The numbers, from 1, of the lines without a token; made when first asked for, since they
        may be many.
        """
        return np.flatnonzero(np.unpackbits(self.blank_bits, count=self.lines)) + 1

    @property
    def first_blank(self) -> int:
        """The number of the first line without a token in the file of the user, from 1; 0 where
        there is none.
        """
        if not self.blank:
            return 0
        byte = int(np.argmax(self.blank_bits != 0))
        return self.number(
            8 * byte + int(np.argmax(np.unpackbits(self.blank_bits[byte : byte + 1]))) + 1
        )

    @property
    def name(self) -> str:
        """The name of the file in warnings, without its folders."""
        return self.place.replace("\\", "/").rpartition("/")[2]

    @property
    def place(self) -> str:
        """The name of the file in messages, as the user wrote it."""
        return self.origin.name if self.origin else str(self.path)

    def number(self, line: int) -> int:
        """Return the number that a line, from 1, had before lines were selected."""
        return line if self.numbers is None else int(self.numbers[line - 1])

    def at(self, line: int) -> str:
        """Return where the user finds a line, counted from 1."""
        return (self.origin or Origin(str(self.path))).at(self.number(line))

    def span(self, low: int, high: int) -> Span:
        """Return what a worker needs to read the lines low <= i < high."""
        lines, places = self.marks
        first, last = int(lines.searchsorted(low, "right")) - 1, int(lines.searchsorted(high))
        start, stop = int(places[first]), int(places[last])
        # A worker may stand in another folder; abspath() keeps links as they are.
        path = self.path.url if isinstance(self.path, Remote) else os.path.abspath(self.path)  # noqa: PTH100
        fingerprint = (
            self.fingerprint[:2] if isinstance(self.fingerprint, Stamp) else self.fingerprint
        )
        return Span(
            path=path,
            start=start,
            size=stop - start,
            skip=low - int(lines[first]),
            lines=high - low,
            separator=self.separator,
            place=self.place,
            fingerprint=fingerprint,
            temporary=self.keeper is not None,
        )


@dataclass(frozen=True)
class MemoryText:
    """Text that a program has given: like a TextFile, but its spans hold the lines themselves."""

    name: str
    content: Lines = field(repr=False, compare=False)
    """The texts as lines, one after the other."""
    strings: tuple[str, ...] = field(repr=False)
    """The texts as they were given."""
    blanks: Ints = field(repr=False, compare=False)
    odd: Odd = ORDINARY
    has_bom: ClassVar[bool] = False

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
        """The number of the first text without a token, from 1; 0 where there is none."""
        return int(self.blanks[0]) if len(self.blanks) else 0

    @cached_property
    def digest(self) -> str:
        """Digest of the texts, computed when first asked for."""
        data = self.content.ends.astype("<i8").tobytes() + self.data
        return hashlib.blake2b(data, digest_size=16).hexdigest()

    @property
    def place(self) -> str:
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
        """Return the lines low <= i < high, of which no copy is made."""
        if (low, high) == (0, len(self.strings)):
            return self.content
        return Lines(self.data, self.content.starts[low:high], self.content.ends[low:high])


AnyText = TextFile | MemoryText


KIND = "blake3:"
"""How the digests of files begin. Those of earlier versions are BLAKE2b's, of all lines in one
piece."""


def digest_like(text: AnyText, known: str) -> str:
    """Return the digest of a text, of the kind of a digest that was stored."""
    if isinstance(text, MemoryText) or known.startswith(KIND):
        return text.digest
    hashed = hashlib.blake2b(digest_size=16)
    for low in range(0, text.lines, STEP):
        for line in read_span(text.span(low, min(low + STEP, text.lines))).texts():
            hashed.update(line.replace(NEWLINE, b"\xfe") + NEWLINE)
    return hashed.hexdigest()


def same(one: AnyText, two: AnyText) -> bool:
    """Return whether two texts have the same lines."""
    if isinstance(one, MemoryText) and isinstance(two, MemoryText):
        return one.strings == two.strings
    return one.digest == two.digest


def text_in_memory(name: str, texts: Sequence[str]) -> MemoryText:
    """Return strings, which may hold newlines, as a MemoryText; raises CorpusError where UTF-8
    cannot hold one.
    """
    try:
        strings, data, edges, blanks = kernel.joined(texts)
    except UnicodeEncodeError:
        matches = (
            (number, re.search("[\ud800-\udfff]", text)) for number, text in enumerate(texts, 1)
        )
        number, match = next((number, match) for number, match in matches if match)
        message = f"character {match.start() + 1} is half of a surrogate pair, which is no text"
        raise CorpusError([Problem(f"{name}, item {number}", message)]) from None
    numbers = np.array(blanks, np.int64) if blanks else NONE
    return MemoryText(name, Lines(data, edges[:-1], edges[1:]), strings, numbers, odd=Odd.of(data))


NONE = np.zeros(0, np.int64)
"""The numbers of blank lines where there are none."""
NONE.flags.writeable = False


def read_texts(text: AnyText, low: int = 0, high: int | None = None) -> list[str]:
    """Return the lines low <= i < high of a text as strings; without numbers, all of them."""
    if isinstance(text, MemoryText):
        return list(text.strings[low:high])
    return [
        line.decode()
        for line in read_span(text.span(low, text.lines if high is None else high)).texts()
    ]


STEP = 1024
"""How many lines of a text are read at once."""


def lines_of(text: AnyText, lines: Ints) -> Iterator[str]:
    """Yield these lines of a text, which count from 0 and are in rising order. At most STEP lines
    are in memory.
    """
    for low in range(0, text.lines, STEP):
        first, last = np.searchsorted(lines, (low, low + STEP))
        if first == last:
            continue
        span = text.span(low, min(low + STEP, text.lines))
        plain = read_span(span) if isinstance(span, Span) else span
        for line in (lines[first:last] - low).tolist():
            yield plain.data[int(plain.starts[line]) : int(plain.ends[line])].decode()


def called(line: int, ids: AnyText | None) -> str:
    """Return how a line, from 1, is called where it is shown: its number, and its id if there are
    ids.
    """
    return f"line {line:,} (id {read_texts(ids, line - 1, line)[0]})" if ids else f"line {line:,}"


def numbered(ids: AnyText) -> dict[str, int]:
    """Return the line, from 0, of each id; raises CorpusError where one stands twice."""
    known: dict[str, int] = {}
    for line, name in enumerate(read_texts(ids)):
        if known.setdefault(name, line) != line:
            first = ids.at(known[name] + 1)
            raise CorpusError(
                [Problem(ids.at(line + 1), f"has the id '{name}', as {first} has; ids stand once")]
            )
    return known


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
"""What the Penn Treebank writes for brackets. The last two are not of the treebank; outputs of
systems have them."""


def brackets(text: bytes) -> bytes:
    """Return a text with brackets in place of tokens (between blanks) such as -LRB- or -lrb-."""
    if b"-" not in text:
        return text
    return b" ".join(BRACKETS.get(token.lower(), token) for token in text.split(b" "))


REPLACEMENTS: dict[str, Callable[[bytes], bytes]] = {"ptb_brackets": brackets}
"""The functions that change a text, by the value of the key `replace`."""
