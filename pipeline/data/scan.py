"""One pass over a text: its lines, blank lines, digest and validity.

A text is cut into ranges of RANGE_BYTES bytes. Each is scanned by any free thread or worker of a
cluster, and the results are joined in order. They do not depend on the cuts.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from .. import kernel
from ..arrays import Ints
from ..errors import CorpusError, Problem
from ..files import (
    Origin,
    Remote,
    StoredTexts,
    TempFiles,
    content_hint,
    open_regular,
    why_unreadable,
)
from .texts import (
    CHANGED,
    KIND,
    LONG_LINE_BYTES,
    NEWLINE,
    SUBWORDS,
    AnyText,
    Fingerprint,
    Suspicious,
    TextFile,
)

CHUNK_BYTES = 1 << 18
"""Bytes that are examined at once. They are hashed while they are in the processor's cache."""
LEAF_BYTES = 1 << 20
"""Bytes of text in a leaf of the digest. The digest depends on it, so it never changes."""
GRID_BYTES = 1 << 15
"""The first line that begins in each so many bytes is indexed. LEAF_BYTES is a multiple of it."""
RANGE_BYTES = 1 << 25
"""Bytes of a range of a text: a multiple of LEAF_BYTES."""
WINDOW_BYTES = 1 << 16
"""Bytes behind the border of a chunk or range that are searched for a line end to cut at."""
STRIDE = 128
"""Shards are cut at multiples of so many lines."""

# Every Unicode white space at which str.split() splits, as UTF-8. A newline does not end a text of
# a temporary file.
_WHITE = re.compile(
    rb"(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|"
    rb"\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*+"
)
_STORED_TO_HASHED = bytes.maketrans(b"\n\xff", b"\xfe\n")
"""Each line that is hashed ends with a newline, and a newline in a text becomes a byte that UTF-8
does not have."""


class ChunkScan(NamedTuple):
    """What is in a chunk of a text. The compiled kernel returns the same fields as a plain tuple."""

    marks: Ints
    """Lines that are the first to begin in their cell of the grid, int64 [2, lines]: the lines that
    end before each, and the byte of the text where it begins."""
    blank: NDArray[np.uint8]
    """Whether each line that ends here is blank."""
    rest: int
    """Bytes behind the last line end."""
    rest_blank: bool
    """Whether these bytes are blank; False if there are none."""
    is_utf8: bool
    has_returns: bool
    """Whether there is a carriage return."""
    subwords: int
    """Number of subword marks."""
    nuls: int
    """Number of NUL characters."""
    longest_bytes: int
    """Bytes of the longest line that ends here, -1 if none ends."""
    longest_index: int
    """Its index among these lines."""


def scan_chunk(
    chunk: bytes | memoryview, separator: int, start: int, line: int, grid: int
) -> ChunkScan:
    """Return what is in a chunk of a text; the compiled twin is in `kernel/native/scan.pyx`.

    The chunk begins at the byte `start` of the text, and its first line at the byte `line`, or -1
    if that is unknown: then the line is taken to begin at `start`. `grid` is the bytes of a cell.
    """
    chunk = bytes(chunk)
    codes = np.frombuffer(chunk, np.uint8)
    ends = np.flatnonzero(codes == separator).astype(np.int64)
    *lines, rest = chunk.split(bytes([separator]))
    longest_bytes = -1
    longest_index = 0
    if lines:
        bytes_before = start - line if line >= 0 else 0
        sizes = np.diff(ends, prepend=-1 - bytes_before) - 1
        longest_index = int(sizes.argmax())
        longest_bytes = int(sizes[longest_index])
    begins = ends + 1 + start
    cell_before = line // grid if line >= 0 else -1
    firsts = np.flatnonzero(np.diff(begins // grid, prepend=cell_before))
    return ChunkScan(
        marks=np.stack((firsts + 1, begins[firsts])),
        blank=np.array(
            [_is_blank(line_bytes) for line_bytes in lines], np.uint8
        ),
        rest=len(rest),
        rest_blank=rest != b"" and _is_blank(rest),
        is_utf8=chunk.decode(errors="ignore").encode() == chunk,
        has_returns=b"\r" in chunk,
        subwords=sum(map(chunk.count, SUBWORDS)),
        nuls=chunk.count(b"\0"),
        longest_bytes=longest_bytes,
        longest_index=longest_index,
    )


def _is_blank(text: bytes) -> bool:
    return _WHITE.fullmatch(text) is not None


class Leaves:
    """Hashes a range of a text that begins with a leaf: a digest for each LEAF_BYTES bytes."""

    def __init__(self) -> None:
        self.digests: list[bytes] = []
        self._hash = blake3()
        self._room = LEAF_BYTES

    def update(self, data: bytes | memoryview) -> None:
        """Hash the next bytes."""
        remaining = memoryview(data)
        while remaining:
            part = remaining[: self._room]
            self._hash.update(part)
            self._room -= len(part)
            remaining = remaining[len(part) :]
            if not self._room:
                self.end()

    def end(self) -> None:
        """End the current leaf if it has any bytes."""
        if self._room < LEAF_BYTES:
            self.digests.append(self._hash.digest())
            self._hash = blake3()
            self._room = LEAF_BYTES


class ScanProblem(NamedTuple):
    """What is wrong in a range of a text."""

    line: int
    """The index of the line in the range."""
    byte: int
    """The byte in this line, from 1; 0 if the problem is the file and not a byte."""
    message: str


@dataclass
class ScanResult:
    """What is in a range of a text. Results of ranges that follow each other can be joined."""

    lines: int = 0
    """Number of lines that end here."""
    head: int = 0
    """Bytes before the first line end, or all bytes if there is none."""
    head_blank: bool = True
    rest: int = 0
    """Bytes behind the last line end, or all bytes if there is none."""
    rest_blank: bool = True
    longest_bytes: int = -1
    """Bytes of the longest line that ends here, -1 if none ends."""
    longest_line: int = 0
    """Its number in the range, from 1."""
    marks: list[Ints] = field(default_factory=list)
    """As `marks` of ChunkScan."""
    blanks: list[tuple[int, NDArray[np.uint8]]] = field(default_factory=list)
    """The index of a line, and for the lines from there on a bit: whether each is blank. Lines that
    are not listed are not blank."""
    blank: int = 0
    """Number of blank lines."""
    subwords: int = 0
    nuls: int = 0
    leaves: list[bytes] = field(default_factory=list)
    has_windows_ends: bool = False
    """Whether a line ends with a carriage return and a newline. Only the newline is hashed."""
    problem: ScanProblem | None = None

    @classmethod
    def failed(cls, message: str) -> ScanResult:
        """Return the result for a file that cannot be read."""
        return cls(problem=ScanProblem(0, 0, message))

    def add(self, other: ScanResult) -> None:
        """Join the result of the range behind this one."""
        if other.problem and not self.problem:
            line, byte, message = other.problem
            if byte and not line:
                byte += self.rest
            self.problem = ScanProblem(self.lines + line, byte, message)

        if other.lines:
            self._add_first_line(other)
        if not self.lines:
            self.head += other.head
            self.head_blank = self.head_blank and other.head_blank

        if other.lines:
            self.rest = other.rest
            self.rest_blank = other.rest_blank
        else:
            self.rest += other.rest
            self.rest_blank = self.rest_blank and other.rest_blank
        for marks in other.marks:
            self.marks.append(marks + np.array([[self.lines], [0]]))
        self.blank += other.blank
        self.subwords += other.subwords
        self.nuls += other.nuls
        self.leaves += other.leaves
        self.has_windows_ends |= other.has_windows_ends
        self.lines += other.lines

    def _add_first_line(self, other: ScanResult) -> None:
        """Join the bytes behind the last line end with the first line of the range behind."""
        # Strictly longer, so that the first of several longest lines stays.
        first_bytes = self.rest + other.head
        if first_bytes > self.longest_bytes:
            self.longest_bytes = first_bytes
            self.longest_line = self.lines + 1
        if other.longest_bytes > self.longest_bytes:
            self.longest_bytes = other.longest_bytes
            self.longest_line = self.lines + other.longest_line
        blanks = other.blanks
        if self.rest and not self.rest_blank and blanks and not blanks[0][0]:
            # The first line seemed to be blank, but it has begun in this range.
            bits = blanks[0][1].copy()
            self.blank -= int(bits[0] >> 7)
            bits[0] &= 0x7F
            blanks = [(0, bits), *blanks[1:]]
        self.blanks += [(self.lines + line, bits) for line, bits in blanks]

    def end(self) -> None:
        """End the text: its last line counts also without a line end."""
        if self.rest:
            last = ScanResult(lines=1, longest_bytes=0, longest_line=1)
            if self.rest_blank:
                last.blank = 1
                last.blanks = [(0, np.array([0x80], np.uint8))]
            self.add(last)

    def packed_blanks(self) -> NDArray[np.uint8]:
        """Return a bit for each line: whether it is blank.

        A list of line numbers would be larger than a file of blank lines.
        """
        packed = np.zeros(-(-self.lines // 8), np.uint8)
        for line, bits in self.blanks:
            shifted = bits
            if line % 8:
                padding = np.zeros(line % 8, np.uint8)
                shifted = np.packbits(
                    np.concatenate((padding, np.unpackbits(bits)))
                )
            target = packed[line // 8 :][: len(shifted)]
            target |= shifted[: len(target)]
        return packed


class TextRange(NamedTuple):
    """Bytes low <= i < high of a text, not counting a byte order mark, and how to read them."""

    path: Path | Remote
    fingerprint: tuple[int, int] | Remote.Fingerprint
    """Size and time of the file when it was opened."""
    separator: bytes
    bom_bytes: int
    """The bytes of the byte order mark before the text."""
    size: int
    """The bytes of the text."""
    low: int
    high: int

    def scan(self) -> ScanResult:
        """Return what is in the range. Unreadable files and invalid UTF-8 are problems of it."""
        try:
            if isinstance(self.path, Remote):
                fingerprint: object = self.path.fingerprint()
                with self.path.open() as reader:
                    reader.seek(self.bom_bytes + self.low)
                    result = _scanned(self, reader.readinto)
            else:
                with open_regular(self.path, links=True) as file:
                    file.seek(self.bom_bytes + self.low)
                    result = _scanned(self, file.readinto)
                    fingerprint = Fingerprint.of(file.fileno())[:2]
        except CorpusError as error:
            return ScanResult.failed(error.problems[0].message)
        except (OSError, ValueError) as error:
            return ScanResult.failed(_unreadable(self.path, error))
        if fingerprint != self.fingerprint:
            return ScanResult.failed(CHANGED)
        return result


def _unreadable(path: Path | Remote, error: OSError | ValueError) -> str:
    """Return why a file cannot be read."""
    return why_unreadable(path, error) if isinstance(path, Path) else str(error)


def _border(data: bytearray, start: int, end: int, separator: bytes) -> int:
    """Return where to cut at `start` or a little behind it.

    The cut depends only on the bytes from `start` to `end`. It divides no character and no subword
    mark, and no line that ends before `end`.
    """
    for mark in (separator, b" "):
        index = data.find(mark, start, end)
        if index >= 0:
            return index + 1
    end = min(start + 3, end)
    # bytes with which a character goes on
    while start < end and data[start] & 0xC0 == 0x80:
        start += 1
    return start


def _chunk_ends(low: int, high: int, size: int) -> list[int]:
    """Return the bytes at or behind which a range is cut into chunks; the last one is `high`.

    A cut lies up to WINDOW_BYTES bytes behind its byte. None may lie behind `high`, where the next
    range of the text looks for its first cut: the bytes between the two would belong to neither.
    """
    if high == size:
        ends = list(range(low + CHUNK_BYTES, high, CHUNK_BYTES))
    else:
        ends = list(
            range(low + CHUNK_BYTES, high - WINDOW_BYTES + 1, CHUNK_BYTES)
        )
    if low:
        # the bytes before this cut belong to the range before
        ends.insert(0, low)
    return [*ends, high]


def _scanned(
    text_range: TextRange, readinto: Callable[[memoryview], int]
) -> ScanResult:
    """Return what is in a range, whose bytes are read from `low` on, and a few behind `high`."""
    separator = text_range.separator
    size = text_range.size
    low = text_range.low
    high = text_range.high
    result = ScanResult()
    leaves = Leaves()
    unhashed = high - low
    # The last chunk may be longer than CHUNK_BYTES by WINDOW_BYTES: see _chunk_ends().
    data = bytearray(min(CHUNK_BYTES + 2 * WINDOW_BYTES, size - low))
    view = memoryview(data)
    start = low  # of the bytes in `data`, the first `filled` of which are there
    filled = 0
    # where the current line begins, -1 if that is unknown
    line = -1 if low else 0
    ended = not low  # whether a line ends before `start`
    for stop in _chunk_ends(low, high, size):
        # read the chunk and the window behind it
        end = min(stop + WINDOW_BYTES, size) - start
        while filled < end:
            bytes_read = readinto(view[filled:end])
            if not bytes_read:
                return ScanResult.failed(CHANGED)
            filled += bytes_read

        # cut
        if stop == size:
            cut = filled
        elif start <= stop:
            cut = _border(data, stop - start, filled, separator)
        else:
            cut = 0
        if separator == NEWLINE:
            text: bytes | memoryview = view[:cut]
        else:
            text = bytes(view[:cut]).translate(_STORED_TO_HASHED)
        if cut:
            ended = data.endswith(separator, 0, cut)

        # scan; the bytes before the first border are scanned with the range before
        if stop == low:
            line = low + cut if ended else -1
        elif cut:
            chunk, has_returns = _chunk_result(
                data, cut, separator, start, line
            )
            if has_returns and separator == NEWLINE:
                text = bytes(view[:cut]).replace(b"\r\n", NEWLINE)
                chunk.has_windows_ends = len(text) < cut
            result.add(chunk)
            if result.problem:
                return result
            if chunk.lines:
                line = start + cut - chunk.rest

        # hash, and move the bytes behind the cut to the front
        leaves.update(text[:unhashed])
        unhashed = max(unhashed - len(text), 0)
        data[: filled - cut] = data[cut:filled]
        start += cut
        filled -= cut
    if high == size and not ended:
        leaves.update(NEWLINE)
    leaves.end()
    result.leaves = leaves.digests
    result.blanks = [(0, result.packed_blanks())] if result.blank else []
    return result


def _chunk_result(
    data: bytearray, size: int, separator: bytes, start: int, line: int
) -> tuple[ScanResult, bool]:
    """Return what is in a chunk, except leaves, and whether it has carriage returns.

    The chunk is the first `size` bytes of data. It begins at the byte `start` of the text, and its
    first line at the byte `line`.
    """
    function = kernel.native_function("survey", "scan") or scan_chunk
    chunk = memoryview(data)[:size]
    scan = ChunkScan(*function(chunk, separator[0], start, line, GRID_BYTES))
    result = ScanResult(
        lines=len(scan.blank),
        head=scan.rest,
        head_blank=scan.rest_blank or not scan.rest,
        rest=scan.rest,
        rest_blank=scan.rest_blank or not scan.rest,
        subwords=scan.subwords,
        nuls=scan.nuls,
    )
    if result.lines:
        result.head = data.find(separator)
        result.head_blank = bool(scan.blank[0])
        result.longest_bytes = scan.longest_bytes
        result.longest_line = scan.longest_index + 1
    if scan.marks.size:
        result.marks = [scan.marks]
    if scan.blank.any():
        result.blank = int(scan.blank.sum())
        result.blanks = [(0, np.packbits(scan.blank))]
    # temporary files are written as UTF-8
    if separator == NEWLINE and not scan.is_utf8:
        try:
            bytes(chunk).decode()
        except UnicodeDecodeError as error:
            index = error.start
            hint = "" if start else content_hint(bytes(chunk))
            result.problem = ScanProblem(
                line=data.count(NEWLINE, 0, index),
                byte=index - data.rfind(NEWLINE, 0, index),
                message=f"(0x{data[index]:02x}) is not valid UTF-8{hint}",
            )
    return result, scan.has_returns


class Opening(NamedTuple):
    """A text that is being opened."""

    file: StoredTexts
    fingerprint: Fingerprint | Remote.Fingerprint
    bom_bytes: int
    """The bytes of the byte order mark."""
    ranges: list[TextRange]

    @classmethod
    def of(cls, file: StoredTexts) -> Opening:
        """Return the ranges that have to be scanned; raises CorpusError if the file is unreadable.

        Lines are hashed with a newline at their end. So a text with other line ends is one range.
        """
        path, separator, origin = file
        fingerprint: Fingerprint | Remote.Fingerprint
        # A worker may have another working directory.
        absolute = path if isinstance(path, Remote) else path.absolute()
        try:
            if isinstance(path, Remote):
                fingerprint = path.fingerprint()
                head = path.read_range(0, min(WINDOW_BYTES, fingerprint.size))
            else:
                with open_regular(path, links=True) as opened:
                    fingerprint = Fingerprint.of(opened.fileno())
                    head = opened.read(WINDOW_BYTES)
        except (OSError, ValueError) as error:
            raise CorpusError(
                [Problem(origin.name, _unreadable(path, error))]
            ) from None
        bom_bytes = (
            len(codecs.BOM_UTF8)
            if separator == NEWLINE and head.startswith(codecs.BOM_UTF8)
            else 0
        )
        size = fingerprint.size - bom_bytes
        step = max(size, 1) if b"\r\n" in head else RANGE_BYTES
        expected: tuple[int, int] | Remote.Fingerprint
        if isinstance(fingerprint, Fingerprint):
            expected = (fingerprint.size, fingerprint.mtime)
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

    def opened(
        self, results: Sequence[ScanResult], temp_files: TempFiles | None = None
    ) -> TextFile:
        """Return the text from the results of its ranges; raises CorpusError if it is invalid.

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
        return TextFile(
            path=path,
            lines=total.lines,
            size=end,
            digest=KIND + blake3(b"".join(total.leaves)).hexdigest(length=16),
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


def index_text(
    file: StoredTexts, temp_files: TempFiles | None = None
) -> TextFile:
    """Index and check the texts of a file; raises CorpusError.

    The text keeps `temp_files` alive, which holds the file.
    """
    opening = Opening.of(file)
    results = [text_range.scan() for text_range in opening.ranges]
    return opening.opened(results, temp_files)


def changed(file: AnyText) -> bool:
    """Return whether a file has other lines than when it was checked.

    It is read again only if its fingerprint differs.
    """
    if not isinstance(file, TextFile) or file.fingerprint is None:
        return False
    fingerprint: Fingerprint | Remote.Fingerprint
    try:
        if isinstance(file.path, Remote):
            fingerprint = file.path.fingerprint()
        else:
            fingerprint = Fingerprint.of(file.path)
        if fingerprint == file.fingerprint:
            return False
        text = index_text(
            StoredTexts(file.path, file.separator, Origin(str(file.path)))
        )
    except (OSError, CorpusError):
        return True
    return text.digest != file.digest
