"""One pass over a file: its lines and their offsets, blank lines, digest and validity, at hundreds of megabytes/s."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from .. import kernel
from ..errors import CorpusError, Problem
from ..io.plain_files import Origin, Spool, Spooled, looks_like, reason
from ..io.remote import Pieces, RangeReader, Remote, RemoteStamp
from ..io.safe_files import open_regular
from .texts import BOM, LONG, NEWLINE, SUBWORDS, AnyText, Odd, Stamp, TextFile, stamp_of

Surveyed = tuple[NDArray[np.int64], NDArray[np.uint8], int, bool, bool, bool, int, int, int, int]
"""What survey() returns."""


# Every Unicode white space at which str.split() splits, as UTF-8. The newline ends no text of the spool.
_WHITE = re.compile(
    rb"(?:[\t-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|"
    rb"\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*+"
)


def survey(piece: bytes, separator: int, skip: int, stride: int, column: int) -> Surveyed:
    """Return what is found in a piece of a file; its compiled twin is in `kernel/native/scan.pyx`.

    These are: the place behind every stride-th line end after the first `skip`; for each line that ends here whether it
    is blank; the bytes behind the last line end, and whether they are blank; whether the piece is UTF-8; whether it has
    carriage returns; how many marks of subwords and NUL characters it has; the bytes of the longest line that ends here
    and its place from 0. The first line has `column` bytes in earlier pieces.
    """
    ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == separator)
    *lines, rest = piece.split(bytes([separator]))
    blank = np.array([_WHITE.fullmatch(line) is not None for line in lines], np.uint8)
    try:
        piece.decode()
        valid = True
    except UnicodeDecodeError:
        valid = False
    longest, place = 0, 0
    if lines:
        sizes = np.diff(ends, prepend=-1 - column) - 1
        place = int(sizes.argmax())
        longest = int(sizes[place])
    kept = ends[skip::stride].astype(np.int64) + 1
    open_blank = rest != b"" and _WHITE.fullmatch(rest) is not None
    subwords, nuls = sum(map(piece.count, SUBWORDS)), piece.count(b"\0")
    return kept, blank, len(rest), open_blank, valid, b"\r" in piece, subwords, nuls, longest, place


class Scanner:
    """What one pass over a file finds out. It is fed with pieces that cut no character and no line end."""

    def __init__(self, separator: bytes, stride: int) -> None:
        self.separator, self.stride, self.plain = separator, stride, separator == NEWLINE
        self.has_bom = False
        self.subwords = self.nuls = 0
        self.hash = hashlib.blake2b(digest_size=16)
        self.survey = kernel.native_function("survey", "scan") or survey
        self.offset = self.lines = self.column = 0  # of the next piece: its byte in the file, line, byte in the line
        self.blank = 0  # how many lines are blank
        self.longest = (0, 0)  # the bytes of the longest line, and its number, from 1, below 0
        self.bits: list[NDArray[np.uint8]] = []  # of each line a bit, whether it is blank, eight in a byte
        self.last_bits = np.zeros(0, bool)  # fewer than eight, which are no byte yet
        self.mid_line = self.open_blank = False  # the next piece continues a line; so far that line is blank
        self.offsets = [np.zeros(1, np.int64)]  # of every stride-th line

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the file, which is not empty.

        Raises CorpusError, placed at the line, where it is not valid UTF-8. Texts of the spool are not checked.
        """
        skip = (self.stride - 1 - self.lines) % self.stride  # line ends before the next one whose place is kept
        found = self.survey(piece, self.separator[0], skip, self.stride, self.column)
        kept, blank, rest, open_blank, valid, returns, subwords, nuls, longest, place = found
        if self.plain and not valid:
            try:
                piece.decode()
            except UnicodeDecodeError as error:
                line_start = piece.rfind(b"\n", 0, error.start) + 1 or -self.column
                line = self.lines + piece.count(b"\n", 0, error.start) + 1
                hint = looks_like(piece) if self.offset == 0 else ""
                byte = f"byte {error.start - line_start + 1} of the line (0x{piece[error.start]:02x})"
                message = f"{byte} is not valid UTF-8{hint}"
                raise CorpusError([Problem(str(line), message)]) from None
        self.subwords += subwords
        self.nuls += nuls
        goes_on = self.mid_line and not self.open_blank  # the first line of the piece began with a token
        self.open_blank = open_blank and not (goes_on and not len(blank))
        blank[:1] &= not goes_on
        self._keep(blank.view(np.bool_))
        if len(blank):
            self.longest = max(self.longest, (longest, -(self.lines + place + 1)))
        self.offsets.append(kept + self.offset)
        self.lines += len(blank)
        self.offset += len(piece)
        self.column = rest if len(blank) else self.column + len(piece)
        self.mid_line = self.column > 0
        # Each line that is hashed ends with a newline, and a newline in a text is a byte that no UTF-8 has.
        if self.plain:
            self.hash.update(piece.replace(b"\r\n", NEWLINE) if returns else piece)
        else:
            self.hash.update(piece.replace(NEWLINE, b"\xfe").replace(self.separator, NEWLINE))

    def _keep(self, blank: NDArray[np.bool_]) -> None:
        """Keep a bit for each of some lines: a list of numbers would be larger than a file of blank lines."""
        self.blank += int(blank.sum())
        bits = np.concatenate((self.last_bits, blank))
        whole = len(bits) // 8 * 8
        self.bits.append(np.packbits(bits[:whole]))
        self.last_bits = bits[whole:]

    def finish(self) -> None:
        """End the pass: the last line counts also where it lacks its end."""
        if self.mid_line:
            self._keep(np.array([self.open_blank]))
            self.hash.update(b"\n")
            self.lines += 1
            self.longest = max(self.longest, (self.column, -self.lines))
        self.bits.append(np.packbits(self.last_bits))
        self.offsets.append(np.array([self.offset], np.int64))

    @property
    def odd(self) -> Odd:
        """What is odd in the text."""
        size, line = self.longest
        return Odd(self.subwords, self.nuls, -line if size > LONG else 0, size if size > LONG else 0)


def scan(file: BinaryIO | Pieces, separator: bytes, size: int, stride: int) -> Scanner:
    """Read a file in pieces of size bytes; raises CorpusError where it is not valid UTF-8.

    The place of the problem is the number of the line. Texts of the spool are not checked: we wrote them as UTF-8.
    """
    scanner = Scanner(separator, stride)
    for piece in _pieces(file, separator, size):
        text = piece
        if scanner.offset == 0 and scanner.plain and piece.startswith(BOM):
            scanner.has_bom, scanner.offset = True, len(BOM)
            text = piece[len(BOM) :]
        if text:
            scanner.feed(text)
    scanner.finish()
    return scanner


def _cut(piece: bytes, separator: bytes) -> int:
    """Return where a piece may be cut: after its last line end, else before a character that may go on."""
    cut = piece.rfind(separator) + 1
    if cut == 0:
        cut = len(piece) - 1
        while cut and piece[cut] & 0xC0 == 0x80 and len(piece) - cut < 4:
            cut -= 1
        if cut >= 0 and piece[cut : cut + 1] and piece[cut] & 0xC0 == 0x80:
            return len(piece)  # no character is so long: the check of the piece will find it
        cut -= cut > 0 and piece[cut - 1] == ord("\r")
    return cut


def _pieces(file: BinaryIO | Pieces, separator: bytes, size: int) -> Iterator[bytes]:
    rest = b""
    while chunk := file.read(size):
        whole = rest + chunk
        cut = _cut(whole, separator)
        yield whole[:cut]
        rest = whole[cut:]
    yield rest


PIECE = 1 << 18
"""Bytes read at once: so few that they are still in the processor's cache when they are hashed."""
STRIDE = 128
"""Lines between two byte offsets that are kept; shards are cut at these lines."""


def index_text(file: Spooled, spool: Spool | None = None) -> TextFile:
    """Index and check the texts of a file; raises CorpusError. The index keeps `spool` alive, which holds the file."""
    path, separator, origin = file
    stamp: Stamp | RemoteStamp
    try:
        if isinstance(path, Remote):
            reader = RangeReader(path)
            stamp, scanner = reader.stamp, scan(reader, separator, PIECE, STRIDE)
        else:
            with open_regular(path, links=True) as opened:
                stamp, scanner = Stamp.of(opened.fileno()), scan(cast("BinaryIO", opened.raw), separator, PIECE, STRIDE)
    except (OSError, ValueError) as error:
        message = reason(path, error) if isinstance(path, Path) else str(error)
        raise CorpusError([Problem(origin.name, message)]) from None
    except CorpusError as error:
        problem = error.problems[0]
        place = origin.at(int(problem.position)) if problem.position.isdecimal() else problem.position
        raise CorpusError([Problem(place, problem.message)]) from None
    # Rising offsets once each, as np.unique would, which imports numpy.ma: that takes 20 ms.
    offsets = np.concatenate(scanner.offsets)
    distinct: NDArray[np.int64] = offsets[np.append(True, offsets[1:] != offsets[:-1])]
    return TextFile(
        path=path,
        lines=scanner.lines,
        size=scanner.offset,
        digest=scanner.hash.hexdigest(),
        has_bom=scanner.has_bom,
        blank=scanner.blank,
        blank_bits=np.concatenate(scanner.bits),
        offsets=distinct,
        stride=STRIDE,
        odd=scanner.odd,
        separator=separator,
        origin=None if origin == Origin(str(path)) else origin,
        keeper=spool,
        stamp=stamp,
    )


def changed(file: AnyText) -> bool:
    """Return whether a file has other lines than when it was checked. It is read again only where its stamp differs."""
    if not isinstance(file, TextFile) or file.stamp is None:
        return False
    try:
        if stamp_of(file.path) == file.stamp:
            return False
        return index_text(Spooled(file.path, file.separator, Origin(str(file.path)))).digest != file.digest
    except (OSError, CorpusError):
        return True
