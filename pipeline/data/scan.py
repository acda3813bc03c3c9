"""One pass over a text: its lines, blank lines, digest and validity.

A text is cut into ranges of RANGE_BYTES bytes. Each is scanned by any free thread or worker of a
cluster, and the results are joined in order. They do not depend on the cuts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from .. import kernel
from ..arrays import Ints
from ..errors import CorpusError
from ..files import Remote, content_hint, open_regular, why_unreadable

NEWLINE = b"\n"
CHANGED = "the file changed while it was being read; start again"
SUBWORDS = (b"@@ ", "\u2581".encode())
"""The marks of subword pieces that subword-nmt and SentencePiece write."""
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

# Every Unicode white space at which str.split() splits, as UTF-8. A newline does not end a text of
# a temporary file.
_WHITE = re.compile(
    rb"(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|"
    rb"\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*+"
)
_STORED_TO_HASHED = bytes.maketrans(b"\n\xff", b"\xfe\n")
"""Each line that is hashed ends with a newline, and a newline in a text becomes a byte that UTF-8
does not have."""


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

    @property
    def for_workers(self) -> tuple[int, int]:
        """Size and time, which are the same on each machine that shares the file."""
        return (self.size, self.mtime)


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
    """Hashes a range of a text: a digest for each leaf, which has LEAF_BYTES bytes.

    The digest of the text is that of the digests of all leaves. So ranges, which begin with a leaf,
    can be hashed independently.
    """

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
                    result = _scan_range(self, reader.readinto)
            else:
                with open_regular(self.path, links=True) as file:
                    file.seek(self.bom_bytes + self.low)
                    result = _scan_range(self, file.readinto)
                    fingerprint = Fingerprint.of(file.fileno()).for_workers
        except CorpusError as error:
            return ScanResult.failed(error.problems[0].message)
        except (OSError, ValueError) as error:
            return ScanResult.failed(unreadable(self.path, error))
        if fingerprint != self.fingerprint:
            return ScanResult.failed(CHANGED)
        return result


def unreadable(path: Path | Remote, error: OSError | ValueError) -> str:
    """Return why a file cannot be read."""
    return why_unreadable(path, error) if isinstance(path, Path) else str(error)


def _cut_after(data: bytearray, start: int, end: int, separator: bytes) -> int:
    """Return where to cut a text at the byte `start` or a little later, at most at `end`.

    It is behind the next line end, or else behind the next blank, or else before the next
    character. So whoever reads these bytes cuts at the same place, and no character or subword mark
    is cut.
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


def _scan_range(
    text_range: TextRange, readinto: Callable[[memoryview], int]
) -> ScanResult:
    """Return what is in a range of a text; `readinto` reads its file from the byte `low` on.

    The range is read in chunks. Both ends of a chunk are moved to the next cut (see _cut_after), so
    a range begins behind its byte `low`, and ends as far behind `high` as the next range begins.
    """
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
            cut = _cut_after(data, stop - start, filled, separator)
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
            chunk, has_returns = _scan_in_range(
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


def _scan_in_range(
    data: bytearray, size: int, separator: bytes, start: int, line: int
) -> tuple[ScanResult, bool]:
    """Return what is in a chunk as the result of a range, and whether it has carriage returns.

    The chunk is the first `size` bytes of data. It begins at the byte `start` of the text, and its
    first line at the byte `line`, -1 if that is unknown. Leaves of the digest are not in the result.
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
