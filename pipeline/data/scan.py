"""One pass over a text: its lines and where they begin, blank lines, digest and validity, by
stretches side by side.

A text is cut into stretches of RANGE bytes. Each is scanned by whoever is free, a thread or a
worker of a cluster, and what is found is joined in order. However a text is cut, the same is found
in it."""

from __future__ import annotations

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
from ..files.plain_files import BOM, Origin, StoredTexts, TempFiles, looks_like, reason
from ..files.remote import Remote, RemoteStamp, open_remote, read_range, stamp_of
from ..files.safe_files import open_regular
from .texts import CHANGED, KIND, LONG, NEWLINE, SUBWORDS, AnyText, Odd, Stamp, TextFile

PIECE = 1 << 18
"""Bytes looked at at once: so few that they are still in the processor's cache when they are
hashed."""
LEAF = 1 << 20
"""Bytes of text in a leaf of the digest: part of what the digest means, so it never changes."""
GRID = 1 << 15
"""Of the lines that begin in each so many bytes, the place of the first is kept. LEAF is a multiple
of it."""
RANGE = 1 << 25
"""Bytes of a stretch of a text: a multiple of LEAF."""
WINDOW = 1 << 16
"""Behind a border of pieces and stretches, so many bytes are searched for a line end, where it is
better to cut."""
STRIDE = 128
"""Shards are cut at multiples of so many lines."""
Surveyed = tuple[Ints, NDArray[np.uint8], int, bool, bool, bool, int, int, int, int]
"""What survey() returns."""


# Every Unicode white space at which str.split() splits, as UTF-8. The newline ends no text of the
# spool.
_WHITE = re.compile(
    rb"(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|"
    rb"\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*+"
)


def survey(piece: bytes | memoryview, separator: int, start: int, line: int, grid: int) -> Surveyed:
    """Return what is found in a piece of a text; its compiled twin is in `kernel/native/scan.pyx`.

    The piece is at the byte `start` of the text, and its first line begins at the byte `line`, -1
    where that is not known. These are: of each line that is the first to begin in its cell of
    `grid` bytes, how many lines of the piece end before it and where it begins in the text, [2,
    lines]; for each line that ends here whether it is blank; the bytes behind the last line end,
    and whether they are blank; whether the piece is UTF-8; whether it has carriage returns; how
    many marks of subwords and NUL characters it has; the bytes of the longest line that ends here
    and its place from 0. The first line is taken as though it began here, where that is not known.
    """
    piece = bytes(piece)
    ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == separator).astype(np.int64)
    *lines, rest = piece.split(bytes([separator]))
    blank = np.array([_WHITE.fullmatch(line) is not None for line in lines], np.uint8)
    valid = piece.decode(errors="ignore").encode() == piece  # no byte is passed over
    longest, place = -1, 0
    if lines:
        sizes = np.diff(ends, prepend=-1 - (start - line if line >= 0 else 0)) - 1
        place = int(sizes.argmax())
        longest = int(sizes[place])
    begins = ends + 1 + start
    firsts = np.flatnonzero(np.diff(begins // grid, prepend=line // grid if line >= 0 else -1))
    kept = np.stack((firsts + 1, begins[firsts]))
    open_blank = rest != b"" and _WHITE.fullmatch(rest) is not None
    subwords, nuls = sum(map(piece.count, SUBWORDS)), piece.count(b"\0")
    return kept, blank, len(rest), open_blank, valid, b"\r" in piece, subwords, nuls, longest, place


class Leaves:
    """The digests of LEAF bytes each, of a stretch of a text that begins with a leaf."""

    def __init__(self) -> None:
        self.digests, self._hash, self._room = list[bytes](), blake3(), LEAF

    def update(self, data: bytes | memoryview) -> None:
        """Take the next bytes."""
        left = memoryview(data)
        while left:
            taken = left[: self._room]
            self._hash.update(taken)
            left, self._room = left[len(taken) :], self._room - len(taken)
            if not self._room:
                self.end()

    def end(self) -> None:
        """End the leaf at hand, where it has any bytes."""
        if self._room < LEAF:
            self.digests.append(self._hash.digest())
            self._hash, self._room = blake3(), LEAF


@dataclass
class Found:
    """What is found in a stretch of a text, to which what is found in the next one is added."""

    lines: int = 0
    """How many lines end here."""
    head: int = 0
    """The bytes before the first line end; all of them where none is here."""
    head_blank: bool = True
    rest: int = 0
    """The bytes behind the last line end; all of them where none is here."""
    rest_blank: bool = True
    longest: tuple[int, int] = (-1, 0)
    """The bytes of the longest line that ends here, and its number from 1, below 0."""
    marks: list[Ints] = field(default_factory=list)
    """As survey() says."""
    blanks: list[tuple[int, NDArray[np.uint8]]] = field(default_factory=list)
    """For some lines from a number on a bit, whether they are blank; the others are not."""
    blank: int = 0
    """How many lines are blank."""
    subwords: int = 0
    nuls: int = 0
    leaves: list[bytes] = field(default_factory=list)
    windows: bool = False
    """Whether a line ends with a carriage return and a newline, of which the digest takes only the
    newline."""
    problem: tuple[int, int, str] | None = None
    """What is wrong: the line, from 0, the byte in this line, from 1, and the message; 0, 0 where
    no byte is wrong."""

    def add(self, other: Found) -> None:
        """Take what is found in the stretch behind this one."""
        if other.problem and not self.problem:
            line, byte, message = other.problem
            self.problem = (
                self.lines + line,
                byte + (0 if line or not byte else self.rest),
                message,
            )
        blanks = other.blanks
        if other.lines:
            size, line = max(other.longest, (self.rest + other.head, -1))
            self.longest = max(self.longest, (size, line - self.lines))
            if self.rest and not self.rest_blank and blanks and not blanks[0][0]:
                first = blanks[0][1].copy()
                self.blank -= int(
                    first[0] >> 7
                )  # it seemed to be blank, and the line has begun before
                first[0] &= 0x7F
                blanks = [(0, first), *blanks[1:]]
        if not self.lines:
            self.head, self.head_blank = (
                self.head + other.head,
                self.head_blank and other.head_blank,
            )
        before, blank = (0, True) if other.lines else (self.rest, self.rest_blank)
        self.rest, self.rest_blank = before + other.rest, blank and other.rest_blank
        self.marks += [marks + np.array([[self.lines], [0]]) for marks in other.marks]
        self.blanks += [(self.lines + line, bits) for line, bits in blanks]
        self.blank += other.blank
        self.subwords, self.nuls = self.subwords + other.subwords, self.nuls + other.nuls
        self.leaves += other.leaves
        self.windows |= other.windows
        self.lines += other.lines

    def end(self) -> None:
        """End the text: its last line counts also where it lacks its end."""
        if self.rest:
            last = Found(lines=1, longest=(0, -1))
            if self.rest_blank:
                last.blank, last.blanks = 1, [(0, np.array([0x80], np.uint8))]
            self.add(last)

    def packed(self) -> NDArray[np.uint8]:
        """Return for each line a bit, whether it is blank: a list of numbers would be larger than a
        blank file.
        """
        whole = np.zeros(-(-self.lines // 8), np.uint8)
        for line, own in self.blanks:
            bits = (
                np.packbits(np.concatenate((np.zeros(line % 8, np.uint8), np.unpackbits(own))))
                if line % 8
                else own
            )
            place = whole[line // 8 :][: len(bits)]
            place |= bits[: len(place)]
        return whole


class Stretch(NamedTuple):
    """Bytes low <= i < high of a text, as whoever scans them is told. They do not count a byte
    order mark.
    """

    path: Path | Remote
    fingerprint: tuple[int, int] | RemoteStamp
    """Size and time of the file when it was opened."""
    separator: bytes
    mark: int
    """The bytes before the text: those of the byte order mark, where there is one."""
    size: int
    """The bytes of the text."""
    low: int
    high: int

    def scan(self) -> Found:
        """Return what is found. What cannot be read, or is no UTF-8, is a problem of this."""
        try:
            if isinstance(self.path, Remote):
                same = stamp_of(self.path) == self.fingerprint
                with open_remote(self.path) as reader:
                    reader.seek(self.mark + self.low)
                    found = _scanned(self, reader.readinto)
            else:
                with open_regular(self.path, links=True) as file:
                    file.seek(self.mark + self.low)
                    found, same = (
                        _scanned(self, file.readinto),
                        Stamp.of(file.fileno())[:2] == self.fingerprint,
                    )
            return found if same else Found(problem=(0, 0, CHANGED))
        except CorpusError as error:
            return Found(problem=(0, 0, error.problems[0].message))
        except (OSError, ValueError) as error:
            return Found(
                problem=(
                    0,
                    0,
                    reason(self.path, error) if isinstance(self.path, Path) else str(error),
                )
            )


def _border(data: bytearray, place: int, end: int, separator: bytes) -> int:
    """Return where to cut at a place or a little behind it, which depends on the bytes from there
    to `end` alone.

    No character is cut, nor a mark of subwords, nor a line where its end is near.
    """
    for sign in (separator, b" "):
        found = data.find(sign, place, end)
        if found >= 0:
            return found + 1
    end = min(place + 3, end)
    while place < end and data[place] & 0xC0 == 0x80:  # bytes with which a character goes on
        place += 1
    return place


def _piece_ends(low: int, high: int, size: int) -> list[int]:
    """Return the bytes at or behind which a stretch is cut into pieces; the last one is `high`.

    A cut lies up to WINDOW bytes behind its place. None may lie behind `high`, where the next
    stretch of the text looks for its own first cut: the bytes between the two would belong to
    neither.
    """
    if high == size:
        ends = list(range(low + PIECE, high, PIECE))
    else:
        ends = list(range(low + PIECE, high - WINDOW + 1, PIECE))
    if low:
        ends.insert(0, low)  # the bytes before this cut belong to the stretch before
    return [*ends, high]


def _scanned(stretch: Stretch, readinto: Callable[[memoryview], int]) -> Found:
    """Return what is found in a stretch, whose bytes are read from `low` on, and a few behind
    `high`.
    """
    _, _, separator, _, size, low, high = stretch
    whole = Found()
    leaves = Leaves()
    unhashed = high - low
    # The last piece of a stretch may be longer than PIECE by WINDOW: see _piece_ends().
    data = bytearray(min(PIECE + 2 * WINDOW, size - low))
    view = memoryview(data)
    start = low  # of the bytes in `data`, the first `filled` of which are there
    filled = 0
    line = -1 if low else 0  # where the line at hand begins, -1 where that is not known
    ended = not low  # whether a line ends before `start`
    for stop in _piece_ends(low, high, size):
        end = min(stop + WINDOW, size) - start
        while filled < end:
            bytes_read = readinto(view[filled:end])
            if not bytes_read:
                return Found(problem=(0, 0, CHANGED))
            filled += bytes_read
        if stop == size:
            cut = filled
        elif start <= stop:
            cut = _border(data, stop - start, filled, separator)
        else:
            cut = 0
        if separator == NEWLINE:
            text: bytes | memoryview = view[:cut]
        else:
            text = bytes(view[:cut]).translate(_SPOOLED)
        if cut:
            ended = data.endswith(separator, 0, cut)
        if stop == low:  # the bytes before the border are found by the stretch before
            line = low + cut if ended else -1
        elif cut:
            piece, returns = _surveyed(data, cut, separator, start, line)
            if returns and separator == NEWLINE:
                text = bytes(view[:cut]).replace(b"\r\n", NEWLINE)
                piece.windows = len(text) < cut
            whole.add(piece)
            if whole.problem:
                return whole
            if piece.lines:
                line = start + cut - piece.rest
        leaves.update(text[:unhashed])
        unhashed = max(unhashed - len(text), 0)
        data[: filled - cut] = data[cut:filled]
        start += cut
        filled -= cut
    if high == size and not ended:
        leaves.update(NEWLINE)
    leaves.end()
    whole.leaves = leaves.digests
    whole.blanks = [(0, whole.packed())] if whole.blank else []
    return whole


_SPOOLED = bytes.maketrans(b"\n\xff", b"\xfe\n")
"""Each line that is hashed ends with a newline, and a newline in a text is a byte that no UTF-8
has."""


def _surveyed(
    data: bytearray, size: int, separator: bytes, start: int, line: int
) -> tuple[Found, bool]:
    """Return what is found in a piece, but for leaves, and whether it has carriage returns.

    The piece is the first `size` bytes of data, at the byte `start`; its first line begins at the
    byte `line`."""
    function = kernel.native_function("survey", "scan") or survey
    piece = memoryview(data)[:size]
    marks, blank, rest, open_blank, valid, returns, *odd, longest, place = function(
        piece, separator[0], start, line, GRID
    )
    own = Found(lines=len(blank), rest=rest, rest_blank=open_blank or not rest)
    own.head, own.head_blank = rest, own.rest_blank
    if own.lines:
        own.head, own.head_blank = data.find(separator), bool(blank[0])
        own.longest = (longest, -1 - place)
    own.marks = [marks] if marks.size else []
    if blank.any():
        own.blank, own.blanks = int(blank.sum()), [(0, np.packbits(blank))]
    own.subwords, own.nuls = odd
    if separator == NEWLINE and not valid:  # texts of the spool we wrote as UTF-8
        try:
            bytes(piece).decode()
        except UnicodeDecodeError as error:
            at = error.start
            told = (
                f"(0x{data[at]:02x}) is not valid UTF-8{'' if start else looks_like(bytes(piece))}"
            )
            own.problem = (data.count(NEWLINE, 0, at), at - data.rfind(NEWLINE, 0, at), told)
    return own, returns


class Opening(NamedTuple):
    """A text that is being opened."""

    file: StoredTexts
    fingerprint: Stamp | RemoteStamp
    mark: int
    """The bytes of the byte order mark."""
    stretches: list[Stretch]

    @classmethod
    def of(cls, file: StoredTexts) -> Opening:
        """Return the stretches that have to be scanned; raises CorpusError where the file cannot be
        opened.

        The digest is of lines that end with a newline. So a text whose lines end otherwise is one
        stretch."""
        path, separator, origin = file
        fingerprint: Stamp | RemoteStamp
        try:
            if isinstance(path, Remote):
                fingerprint = stamp_of(path)
                head = read_range(path.url, 0, min(WINDOW, fingerprint.size))
            else:
                with open_regular(path, links=True) as opened:
                    fingerprint, head = Stamp.of(opened.fileno()), opened.read(WINDOW)
        except (OSError, ValueError) as error:
            message = reason(path, error) if isinstance(path, Path) else str(error)
            raise CorpusError([Problem(origin.name, message)]) from None
        mark = len(BOM) if separator == NEWLINE and head.startswith(BOM) else 0
        size = fingerprint.size - mark
        edges = [*range(0, max(size, 1), max(size, 1) if b"\r\n" in head else RANGE), size]
        told = (
            (fingerprint.size, fingerprint.mtime) if isinstance(fingerprint, Stamp) else fingerprint
        )
        place = (
            path if isinstance(path, Remote) else path.absolute()
        )  # a worker may stand in another folder
        stretches = [
            Stretch(place, told, separator, mark, size, low, high) for low, high in pairwise(edges)
        ]
        return cls(file, fingerprint, mark, stretches)

    def opened(self, found: Sequence[Found], temp_files: TempFiles | None = None) -> TextFile:
        """Return the text, from what is found in its stretches; raises CorpusError for what is
        wrong in it.

        The text keeps `spool` alive, which holds the file.
        """
        path, separator, origin = self.file
        if len(found) > 1 and any(own.windows for own in found):
            size = self.stretches[0].size
            found = [self.stretches[0]._replace(high=size).scan()]
        whole = Found()
        for own in found:
            whole.add(own)
        if whole.problem:
            line, byte, message = whole.problem
            told = Problem(origin.at(line + 1), f"byte {byte} of the line {message}")
            raise CorpusError([told if byte else Problem(origin.name, message)])
        whole.end()
        size, line = whole.longest
        odd = Odd(
            whole.subwords, whole.nuls, -line if size > LONG else 0, size if size > LONG else 0
        )
        end = self.fingerprint.size
        marks = np.concatenate([np.zeros((2, 1), np.int64), *whole.marks], axis=1)
        marks[1, 1:] += self.mark
        return TextFile(
            path=path,
            lines=whole.lines,
            size=end,
            digest=KIND + blake3(b"".join(whole.leaves)).hexdigest(length=16),
            has_bom=self.mark > 0,
            blank=whole.blank,
            blank_bits=whole.packed(),
            marks=np.append(marks, [[whole.lines], [end]], axis=1) if whole.lines else marks,
            odd=odd,
            separator=separator,
            origin=None if origin == Origin(str(path)) else origin,
            keeper=temp_files,
            fingerprint=self.fingerprint,
        )


def index_text(file: StoredTexts, temp_files: TempFiles | None = None) -> TextFile:
    """Index and check the texts of a file; raises CorpusError. The index keeps `spool` alive, which
    holds the file.
    """
    opening = Opening.of(file)
    return opening.opened([stretch.scan() for stretch in opening.stretches], temp_files)


def changed(file: AnyText) -> bool:
    """Return whether a file has other lines than when it was checked. It is read again only where
    its stamp differs.
    """
    if not isinstance(file, TextFile) or file.fingerprint is None:
        return False
    try:
        if (
            stamp_of(file.path) if isinstance(file.path, Remote) else Stamp.of(file.path)
        ) == file.fingerprint:
            return False
        return (
            index_text(StoredTexts(file.path, file.separator, Origin(str(file.path)))).digest
            != file.digest
        )
    except (OSError, CorpusError):
        return True
