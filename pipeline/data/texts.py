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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from .. import kernel
from ..arrays import Ints
from ..errors import CorpusError, Problem, UnreadableError
from ..files import Origin, Remote, StoredTexts, TempFiles, open_regular
from ..kernel.common import Lines
from . import scan
from .scan import (
    CHANGED,
    NEWLINE,
    SUBWORDS,
    Fingerprint,
    ScanResult,
    TextRange,
    unreadable,
)


class Span(NamedTuple):
    """Some lines of a file: all that a worker needs to read them."""

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

    def read(self) -> Lines:
        """Return the lines; raises UnreadableError if the file no longer holds them."""
        display_name = self.display_name or self.path
        try:
            if "://" in self.path:  # which no absolute path of this machine has
                address = Remote(self.path)
                data = address.read_range(self.start, self.size)
                unchanged = address.fingerprint() == self.fingerprint
            else:
                # No Path objects: a worker opens thousands of files.
                with open_regular(self.path, links=True) as file:
                    file.seek(self.start)
                    data = file.read(self.size)
                    unchanged = (
                        self.fingerprint is None
                        or Fingerprint.of(file.fileno()).for_workers
                        == self.fingerprint
                    )
        except OSError as error:
            problem = Problem(display_name, f"cannot be read: {error.strerror}")
            raise UnreadableError([problem]) from None
        except CorpusError as error:
            raise UnreadableError(error.problems) from None
        has_all_bytes = len(data) == self.size
        is_plain = self.separator == NEWLINE
        if self.start == 0 and is_plain:
            data = data.removeprefix(codecs.BOM_UTF8)
        codes = np.frombuffer(data, np.uint8)
        find_ends = kernel.native_function("line_ends", "scan") or line_ends
        ends = find_ends(data, self.separator[0])
        starts = np.zeros(len(ends), np.int64)
        np.add(ends[:-1], 1, out=starts[1:])
        rows = slice(self.skip, self.skip + self.lines)
        starts = starts[rows]
        ends = ends[rows]
        if not unchanged or not has_all_bytes or len(ends) != self.lines:
            raise UnreadableError.at(display_name, CHANGED)
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


RARE_BYTES = (b"\0", *(mark[-2:-1] for mark in SUBWORDS))
"""Bytes, one of which is in every suspicious text: one byte is found much faster than three."""
LONG_LINE_BYTES = 1 << 20
"""Bytes from which a line is reported as long: whole books are shorter."""


NO_NUMBERS = np.zeros(0, np.int64)
"""The numbers of blank lines if there are none."""
NO_NUMBERS.flags.writeable = False
LINES_AT_ONCE = 1024
"""How many lines of a text are read at once."""


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

    DIGEST_PREFIX: ClassVar[str] = "blake3:"
    """How digests begin. Earlier versions wrote the BLAKE2b digest of all lines."""
    CHANGED: ClassVar[str] = CHANGED
    """The message about a file that changes while it is read."""

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
        """Return the lines low <= i < high as a span.

        It begins at the last indexed line before them, and ends at the next one behind them.
        """
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
            fingerprint = self.fingerprint.for_workers
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

    def read(self, low: int = 0, high: int | None = None) -> list[str]:
        """Return the lines low <= i < high as strings; by default all of them."""
        if high is None:
            high = self.lines
        return [line.decode() for line in self.span(low, high).read().texts()]

    def lines_at(self, indices: Ints) -> Iterator[str]:
        """Yield the lines with these indices, which must rise.

        At most LINES_AT_ONCE lines are in memory.
        """
        for low in range(0, self.lines, LINES_AT_ONCE):
            high = min(low + LINES_AT_ONCE, self.lines)
            first, last = np.searchsorted(indices, (low, high))
            if first == last:
                continue
            lines = self.span(low, high).read()
            for index in (indices[first:last] - low).tolist():
                start = int(lines.starts[index])
                end = int(lines.ends[index])
                yield lines.data[start:end].decode()

    def digest_like(self, known: str | None = None) -> str:
        """Return the digest by the algorithm of a stored digest, by default that of this version."""
        if known is None or known.startswith(self.DIGEST_PREFIX):
            return self.digest
        hashed = hashlib.blake2b(digest_size=16)
        for low in range(0, self.lines, LINES_AT_ONCE):
            span = self.span(low, min(low + LINES_AT_ONCE, self.lines))
            for line in span.read().texts():
                hashed.update(line.replace(NEWLINE, b"\xfe") + NEWLINE)
        return hashed.hexdigest()

    @classmethod
    def index(
        cls, file: StoredTexts, temp_files: TempFiles | None = None
    ) -> TextFile:
        """Index and check the texts of a file; raises CorpusError.

        The text keeps `temp_files` alive, which holds the file.
        """
        opening = Opening.of(file)
        results = [text_range.scan() for text_range in opening.ranges]
        return opening.finish(results, temp_files)

    @classmethod
    def open(cls, path: Path | Remote) -> TextFile:
        """Index and check a file with a text on each line; raises CorpusError."""
        return cls.index(StoredTexts(path, NEWLINE, Origin(str(path))))

    def has_changed(self) -> bool:
        """Return whether the file has other lines than when it was checked.

        It is read again only if its fingerprint differs.
        """
        if self.fingerprint is None:
            return False
        fingerprint: Fingerprint | Remote.Fingerprint
        try:
            if isinstance(self.path, Remote):
                fingerprint = self.path.fingerprint()
            else:
                fingerprint = Fingerprint.of(self.path)
            if fingerprint == self.fingerprint:
                return False
            origin = Origin(str(self.path))
            now = TextFile.index(StoredTexts(self.path, self.separator, origin))
        except (OSError, CorpusError):
            return True
        return now.digest != self.digest


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

    def read(self, low: int = 0, high: int | None = None) -> list[str]:
        """Return the texts low <= i < high; by default all of them."""
        return list(self.strings[low:high])

    def lines_at(self, indices: Ints) -> Iterator[str]:
        """Yield the texts with these indices."""
        for index in indices.tolist():
            yield self.strings[index]

    def digest_like(self, known: str | None = None) -> str:
        """Return the digest; all versions have the same for texts in memory."""
        return self.digest

    def has_changed(self) -> bool:
        """Return that strings do not change."""
        return False

    @classmethod
    def of(cls, name: str, texts: Sequence[str]) -> MemoryText:
        """Return strings, which may hold newlines, as a text with this name in messages.

        Raises CorpusError for half of a surrogate pair, which UTF-8 cannot hold.
        """
        try:
            strings, data, edges, blanks = kernel.joined(texts)
        except UnicodeEncodeError:
            raise CorpusError([_surrogate_problem(name, texts)]) from None
        numbers = np.array(blanks, np.int64) if blanks else NO_NUMBERS
        content = Lines(data, edges[:-1], edges[1:])
        return cls(
            name, content, strings, numbers, suspicious=Suspicious.of(data)
        )


AnyText = TextFile | MemoryText
"""A text: its lines are in a file, or in memory."""


def _surrogate_problem(name: str, texts: Sequence[str]) -> Problem:
    for number, text in enumerate(texts, 1):
        match = re.search("[\ud800-\udfff]", text)
        if match:
            message = f"character {match.start() + 1} is half of a surrogate pair, which is no text"
            return Problem(f"{name}, item {number}", message)
    raise ValueError("no text has half of a surrogate pair")


def numbered(ids: AnyText) -> dict[str, int]:
    """Return the index of each id in a text of ids; raises CorpusError if an id occurs twice."""
    index_of: dict[str, int] = {}
    for index, name in enumerate(ids.read()):
        if index_of.setdefault(name, index) != index:
            first = ids.at(index_of[name] + 1)
            message = f"has the id '{name}', as {first} has; ids stand once"
            raise CorpusError.at(ids.at(index + 1), message)
    return index_of


class Opening(NamedTuple):
    """A file that is being opened: its ranges are scanned, then finish() makes it a text."""

    file: StoredTexts
    fingerprint: Fingerprint | Remote.Fingerprint
    bom_bytes: int
    """The bytes of the byte order mark."""
    ranges: list[TextRange]

    @classmethod
    def of(cls, file: StoredTexts) -> Opening:
        """Return a file with its ranges, which have to be scanned; raises CorpusError if unreadable.

        Lines are hashed with a newline at their end, whatever their end is. In a text with other
        line ends leaves of the digest do not begin at known bytes, so that it is one range.
        """
        path, separator, origin = file
        fingerprint: Fingerprint | Remote.Fingerprint
        # A worker may have another working directory.
        absolute = path if isinstance(path, Remote) else path.absolute()
        try:
            if isinstance(path, Remote):
                fingerprint = path.fingerprint()
                head = path.read_range(
                    0, min(scan.WINDOW_BYTES, fingerprint.size)
                )
            else:
                with open_regular(path, links=True) as opened:
                    fingerprint = Fingerprint.of(opened.fileno())
                    head = opened.read(scan.WINDOW_BYTES)
        except (OSError, ValueError) as error:
            raise CorpusError.at(origin.name, unreadable(path, error)) from None
        bom_bytes = (
            len(codecs.BOM_UTF8)
            if separator == NEWLINE and head.startswith(codecs.BOM_UTF8)
            else 0
        )
        size = fingerprint.size - bom_bytes
        step = max(size, 1) if b"\r\n" in head else scan.RANGE_BYTES
        expected: tuple[int, int] | Remote.Fingerprint
        if isinstance(fingerprint, Fingerprint):
            expected = fingerprint.for_workers
        else:
            expected = fingerprint
        ranges = []
        edges = [*range(0, max(size, 1), step), size]
        for low, high in pairwise(edges):
            ranges.append(
                TextRange(
                    absolute, expected, separator, bom_bytes, size, low, high
                )
            )
        return cls(file, fingerprint, bom_bytes, ranges)

    def finish(
        self, results: Sequence[ScanResult], temp_files: TempFiles | None = None
    ) -> TextFile:
        """Return the text, from the results of all its ranges; raises CorpusError if it is invalid.

        The text keeps `temp_files` alive, which holds the file.
        """
        path, separator, origin = self.file
        if len(results) > 1 and any(
            result.has_windows_ends for result in results
        ):
            single_range = self.ranges[0]._replace(high=self.ranges[0].size)
            results = [single_range.scan()]
        total = ScanResult()
        for result in results:
            total.add(result)
        if total.problem:
            line, byte, message = total.problem
            problem = Problem(origin.name, message)
            if byte:
                problem = Problem(
                    origin.at(line + 1), f"byte {byte} of the line {message}"
                )
            raise CorpusError([problem])
        total.end()
        suspicious = Suspicious(total.subwords, total.nuls)
        if total.longest_bytes > LONG_LINE_BYTES:
            suspicious = suspicious._replace(
                long_line=total.longest_line,
                long_line_bytes=total.longest_bytes,
            )
        end = self.fingerprint.size
        first_line = np.zeros((2, 1), np.int64)
        marks = np.concatenate([first_line, *total.marks], axis=1)
        marks[1, 1:] += self.bom_bytes
        if total.lines:
            marks = np.append(marks, [[total.lines], [end]], axis=1)
        digest = blake3(b"".join(total.leaves)).hexdigest(length=16)
        return TextFile(
            path=path,
            lines=total.lines,
            size=end,
            digest=TextFile.DIGEST_PREFIX + digest,
            has_bom=self.bom_bytes > 0,
            blank=total.blank,
            blank_bits=total.packed_blanks(),
            marks=marks,
            suspicious=suspicious,
            separator=separator,
            origin=None if origin == Origin(str(path)) else origin,
            keeper=temp_files,
            fingerprint=self.fingerprint,
        )
