r"""Parallel text files: opened and checked once in the parent, then read by ranges in the workers.

A line ends at \n or \r\n; the last line may lack its end; a byte order mark at the start is dropped; an empty line
is a sentence of length 0. Opening a file reads it once, in pieces, and keeps a number for every STRIDE lines.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .errors import CorpusError, Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from .config import Dataset, System

MAX_REFERENCES = 255
STRIDE = 128
"""Lines between two remembered places of a file; shards are cut at these."""
PIECE = 1 << 20
THREADED = 1 << 24
"""Bytes from which files are opened by several threads (hashing and searching do not hold Python's lock)."""
BOM = b"\xef\xbb\xbf"

# Every Unicode white space that str.split() splits at, as UTF-8, but for the line end.
_BLANKS = re.compile(
    rb"(?:[\t\x0b-\r\x1c-\x20]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*+"
)
_MAY_BE_BLANK = np.isin(np.arange(256), [*range(9, 14), *range(28, 33), 0xC2, 0xE1, 0xE2, 0xE3])


class Lines(NamedTuple):
    """Text of some lines: UTF-8 bytes; int64 start and end of each line in them, without line ends."""

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def texts(self) -> Iterator[bytes]:
        """Yield each line's bytes."""
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield self.data[start:end]


def join_lines(texts: Iterable[bytes]) -> Lines:
    """Return texts (which may hold newlines) as Lines."""
    pieces = list(texts)
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64) if pieces else np.zeros(0, np.int64)
    return Lines(b"".join(pieces), np.concatenate((np.zeros(min(len(pieces), 1), np.int64), ends[:-1])), ends)


class Span(NamedTuple):
    """Lines of a file, as a worker needs to know them: where to read, what to skip, how many lines."""

    path: str
    start: int
    size: int
    skip: int
    lines: int


@dataclass(frozen=True)
class TextFile:
    """An indexed text file.

    digest: of the lines, whatever their line ends; blank: number of lines without a token, and the first
    of them from 1; places: int64 byte offset of every STRIDE-th line, then the size of the file.
    """

    path: Path
    lines: int
    size: int
    digest: str
    blank: int
    first_blank: int
    has_bom: bool
    places: NDArray[np.int64] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """What warnings call it."""
        return self.path.name

    @property
    def place(self) -> str:
        """Where a problem of it is."""
        return str(self.path)

    def span(self, low: int, high: int) -> Span:
        """Return where to find the lines low <= i < high."""
        first, last = low // STRIDE, -(-high // STRIDE)
        start, stop = int(self.places[first]), int(self.places[min(last, len(self.places) - 1)])
        return Span(str(self.path), start, stop - start, low - first * STRIDE, high - low)


def read_span(span: Span) -> Lines:
    """Read the lines of a span; raises CorpusError where the file no longer holds them."""
    try:
        with open(span.path, "rb") as file:  # noqa: PTH123 (a worker opens thousands: no Path objects)
            file.seek(span.start)
            data = file.read(span.size)
    except OSError as error:
        raise CorpusError([Problem(span.path, f"cannot be read: {error.strerror}")]) from None
    whole = len(data) == span.size
    if span.start == 0:
        data = data.removeprefix(BOM)
    codes = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))
    if data and not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.concatenate((np.zeros(1, np.int64), ends + 1))[:-1]
    wanted = slice(span.skip, span.skip + span.lines)
    starts, ends = starts[wanted], ends[wanted]
    if not whole or len(ends) != span.lines:
        raise CorpusError([Problem(span.path, "the file changed while it was being read; start again")])
    returned = (ends > starts) & (ends < len(data)) & (codes[ends - 1] == ord("\r"))
    return Lines(data, starts, ends - returned)


@dataclass(frozen=True)
class MemoryText:
    """Text that came from a program: like a TextFile, but its spans hold the lines themselves."""

    name: str
    content: Lines
    digest: str
    blank: int
    first_blank: int
    has_bom: bool = False

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

    def span(self, low: int, high: int) -> Lines:
        """Return the lines low <= i < high."""
        starts, ends = self.content.starts[low:high], self.content.ends[low:high]
        first, last = int(starts[0]), int(ends[-1])
        return Lines(self.content.data[first:last], starts - first, ends - first)


AnyText = TextFile | MemoryText


def text_in_memory(name: str, texts: Sequence[str]) -> MemoryText:
    """Return strings (which may hold newlines) as text; raises CorpusError for strings that UTF-8 cannot hold."""
    pieces, digest = [], hashlib.blake2b(digest_size=16)
    for number, text in enumerate(texts, 1):
        try:
            pieces.append(text.encode())
        except UnicodeEncodeError as error:
            message = f"character {error.start + 1} is half of a surrogate pair, which is no text"
            raise CorpusError([Problem(f"{name}, item {number}", message)]) from None
        digest.update(len(pieces[-1]).to_bytes(8, "little") + pieces[-1])
    blanks = [number for number, text in enumerate(texts, 1) if not text.split()]
    return MemoryText(name, join_lines(pieces), digest.hexdigest(), len(blanks), blanks[0] if blanks else 0)


def read_texts(text: AnyText, low: int, high: int) -> list[str]:
    """Return the lines low <= i < high of a text as strings."""
    span = text.span(low, high)
    lines = read_span(span) if isinstance(span, Span) else span
    return [line.decode() for line in lines.texts()]


class _Scanner:
    """What one pass over a file finds out; fed with pieces that end where a character and a line end are whole."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.offset = self.lines = self.blank = self.first_blank = 0
        self.mid_line = self.open_blank = False
        self.places = [np.zeros(1, np.int64)]

    def feed(self, piece: bytes) -> None:
        codes = np.frombuffer(piece, np.uint8)
        ends = np.flatnonzero(codes == ord("\n"))
        self.hash.update(piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece)
        self._find_blanks(piece, codes, ends)
        kept = ends[(STRIDE - 1 - self.lines) % STRIDE :: STRIDE] + 1 + self.offset
        self.places.append(kept.astype(np.int64))
        self.lines += len(ends)
        self.offset += len(piece)
        self.mid_line = not piece.endswith(b"\n")

    def _find_blanks(self, piece: bytes, codes: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        """Count lines without a token: look closely at those alone whose first byte may begin white space."""
        starts = np.concatenate((np.zeros(1, np.int64), ends + 1))
        looked_at = np.flatnonzero(_MAY_BE_BLANK[codes[np.minimum(starts, len(codes) - 1)]])
        was_open, self.open_blank = self.open_blank, False
        for index in looked_at.tolist():
            start = int(starts[index])
            if start == len(piece) or (index == 0 and self.mid_line and not was_open):
                continue
            found = _BLANKS.match(piece, start)
            if found and found.end() == len(piece):
                self.open_blank = True  # the line goes on in the next piece, or ends with the file
            elif found and piece[found.end()] == ord("\n"):
                self._blank_line(self.lines + index + 1)

    def _blank_line(self, line: int) -> None:
        self.blank += 1
        self.first_blank = self.first_blank or line

    def check_utf8(self, piece: bytes) -> None:
        try:
            piece.decode()
        except UnicodeDecodeError as error:
            line_start = piece.rfind(b"\n", 0, error.start) + 1
            line = self.lines + piece.count(b"\n", 0, error.start) + 1
            found = piece[error.start : error.start + 1].hex()
            message = f"byte {error.start - line_start + 1} of the line (0x{found}) is not valid UTF-8"
            raise CorpusError([Problem(str(line), message)]) from None

    def finish(self) -> None:
        if self.open_blank:
            self._blank_line(self.lines + 1)
        if self.mid_line:
            self.hash.update(b"\n")
            self.lines += 1
        self.places.append(np.array([self.offset], np.int64))


def _cut(piece: bytes) -> int:
    """Return where a piece may be cut: after its last line end, else before a character that may be unfinished."""
    cut = piece.rfind(b"\n") + 1
    if cut == 0:
        cut = len(piece) - 1
        while cut and piece[cut] & 0xC0 == 0x80 and len(piece) - cut < 4:
            cut -= 1
        cut -= cut > 0 and piece[cut - 1] == ord("\r")
    return cut


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while chunk := file.read(PIECE):
        whole = rest + chunk
        cut = _cut(whole)
        yield whole[:cut]
        rest = whole[cut:]
    yield rest


def open_text(path: Path) -> TextFile:
    """Index and check one file; raises CorpusError (missing, a folder, unreadable, not UTF-8)."""
    scanner, has_bom = _Scanner(), False
    try:
        with path.open("rb") as file:
            for piece in _pieces(file):
                text = piece
                if scanner.offset == 0 and piece.startswith(BOM):
                    has_bom, scanner.offset = True, len(BOM)
                    text = piece[len(BOM) :]
                if text:
                    scanner.check_utf8(text)
                    scanner.feed(text)
    except OSError as error:
        raise CorpusError([Problem(str(path), _reason(path, error))]) from None
    except CorpusError as error:
        problem = error.problems[0]
        raise CorpusError([Problem(f"{path}:{problem.place}", problem.message)]) from None
    scanner.finish()
    places = np.unique(np.concatenate(scanner.places))
    return TextFile(
        path,
        scanner.lines,
        scanner.offset,
        scanner.hash.hexdigest(),
        scanner.blank,
        scanner.first_blank,
        has_bom,
        places,
    )


def _reason(path: Path, error: OSError) -> str:
    if path.is_dir():
        return "is a folder; expected a text file"
    if isinstance(error, FileNotFoundError):
        names = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        missing = path if path.parent.is_dir() else path.parent
        return f"no such file{did_you_mean(missing.name, names)}" if names else f"no such file; no folder {missing}"
    return f"cannot be read: {error.strerror}"


@dataclass(frozen=True)
class Corpus:
    """A data set with all its systems, checked: every text has `lines` lines."""

    name: str
    lines: int
    source: AnyText | None
    references: tuple[AnyText, ...]
    systems: Mapping[str, AnyText]
    missing: bool = False
    """Blank reference lines are missing references, not sentences of length 0."""
    own: Mapping[str, int] = field(default_factory=dict)
    """Systems that are references themselves, and which."""

    def with_references(self) -> Corpus:
        """Return the same with each reference as one more system; raises CorpusError where a name is taken."""
        own = {f"reference{number}": number for number in range(len(self.references))}
        taken = next((name for name in own if name in self.systems), None)
        if taken:
            message = f"a system cannot be called '{taken}': references: leave_one_out scores the references so"
            raise CorpusError([Problem(self.name, message)])
        added = {name: self.references[number] for name, number in own.items()}
        return replace(self, systems={**self.systems, **added}, own=own)

    def texts(self) -> list[AnyText]:
        """Return all texts: source, references, systems."""
        return [*([self.source] if self.source else []), *self.references, *self.systems.values()]


def open_corpus(
    dataset: Dataset, systems: Sequence[System], problems: list[Problem], threads: int = 1
) -> Corpus | None:
    """Open all files of a data set; return None after adding to problems, as many as can be told at once."""
    before = len(problems)
    paths = {system.name: system.paths[dataset.name] for system in systems if dataset.name in system.paths}
    wanted = [*([dataset.source] if dataset.source else []), *dataset.references, *paths.values()]
    opened = _open_all(wanted, problems, threads)
    files = [file for file in opened if file]
    source = opened.pop(0) if dataset.source else None
    references = opened[: len(dataset.references)]
    outputs = dict(zip(paths, opened[len(references) :], strict=True))
    if files:
        problems += check_parallel(files)
    if dataset.empty_references == "error":
        problems += [_blank_reference(file) for file in references if file and file.blank]
    if len(references) > MAX_REFERENCES:
        problems.append(
            Problem(dataset.name, f"has {len(references)} references; at most {MAX_REFERENCES} are supported")
        )
    if len(problems) > before:
        return None
    found = {name: file for name, file in outputs.items() if file}
    return Corpus(dataset.name, files[0].lines, source, tuple(file for file in references if file), found)


def _open_all(paths: Sequence[Path], problems: list[Problem], threads: int) -> list[TextFile | None]:
    """Open files, a path that comes twice once; what cannot be opened is None and adds to problems."""
    distinct = list(dict.fromkeys(paths))
    if threads > 1 and sum(path.stat().st_size for path in distinct if path.is_file()) > THREADED:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(threads) as pool:
            results = list(pool.map(_try_open, distinct))
    else:
        results = [_try_open(path) for path in distinct]
    for result in results:
        problems += result.problems if isinstance(result, CorpusError) else []
    found = {path: r for path, r in zip(distinct, results, strict=True) if isinstance(r, TextFile)}
    return [found.get(path) for path in paths]


def _try_open(path: Path) -> TextFile | CorpusError:
    try:
        return open_text(path)
    except CorpusError as error:
        return error


def check_parallel(texts: Sequence[AnyText]) -> list[Problem]:
    """Return the problems of texts that must run in parallel: unequal line counts, no lines at all."""
    counts = {text.lines for text in texts}
    if len(counts) == 1:
        return [Problem(texts[0].place, "has no lines; nothing can be scored")] if counts == {0} else []
    listed = "".join(f"\n  {text.lines:>9} lines  {text.place}" for text in texts)
    message = f"the texts have different numbers of lines; line {min(counts) + 1} has no partner in some:{listed}"
    return [Problem("", message)]


def _blank_reference(file: TextFile) -> Problem:
    more = f" (and {file.blank - 1} more)" if file.blank > 1 else ""
    message = f"this reference is empty{more}, and the data set says `empty_references: error`"
    return Problem(f"{file.path}:{file.first_blank}", message)


def suspicions(corpus: Corpus) -> list[str]:
    """Return warnings of what can be scored but is probably not meant."""
    found = [f"{f.name}: begins with a byte order mark, which is left out" for f in corpus.texts() if f.has_bom]
    for number, reference in enumerate(corpus.references):
        if corpus.source and reference.digest == corpus.source.digest:
            found.append(f"reference {number} ({reference.name}) is the same text as the source")
        if reference.blank:
            lines = f"{reference.blank} empty lines, the first is line {reference.first_blank}"
            found.append(f"reference {number} ({reference.name}) has {lines}: each counts as a sentence of length 0")
    seen = {reference.digest: f"reference {number}" for number, reference in enumerate(corpus.references)}
    for name, file in corpus.systems.items():
        if name in corpus.own:
            continue
        if file.digest in seen:
            found.append(f"system {name} is the same text as {seen[file.digest]}")
        seen.setdefault(file.digest, f"system {name}")
        if file.blank * 2 > file.lines:
            found.append(f"system {name}: {file.blank} of {file.lines} lines are empty")
    return [f"{corpus.name}: {text}" for text in found]
