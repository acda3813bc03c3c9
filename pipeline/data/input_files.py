"""Opens the inputs of a run, each once, makes texts of selected or changed lines, and joins records
by their ids.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from ..arrays import Ints
from ..errors import CorpusError, Problem, did_you_mean
from ..files.plain_files import (
    BOM,
    SEPARATOR,
    STDIN,
    UNPACKED,
    Origin,
    StoredTexts,
    TempFiles,
    named,
)
from ..files.remote import Remote, is_there
from ..parallel import Shared, threads
from . import formats
from .config.resolved import Column, Input
from .scan import Opening, ScanResult, TextRange, index_text
from .texts import TextFile, lines_of, numbered, read_span

T = TypeVar("T")

BLOCK = 8192
"""Lines read at once where texts are compared or selected."""
PART = 1 << 18
"""Lines of a text in another order that are in memory at once."""
THREADED = 1 << 24
"""Bytes from which files are opened by several threads (hashing and searching do not hold Python's
lock)."""
CLUSTERED = 1 << 30
"""Bytes from which files are opened by the workers of a cluster, where there are some."""

STRETCHES = 1024
"""Stretches of texts that are scanned together. Where a worker of a cluster dies, this machine scans
the rest of them."""


class Opener:
    """Opens the inputs of a run, each once, whatever data sets and roles it has, and tells each
    problem once.

    `cap` limits the bytes that are unpacked. `absent` are files that are known not to be there;
    they are not opened, and no problem is added for them. `cluster` has the workers of a cluster
    call a function for each item; where one was lost it gives None.
    """

    def __init__(
        self,
        threads: int = 1,
        cap: int = UNPACKED,
        absent: Collection[Path | Remote] = (),
        cluster: Callable[
            [Callable[[TextRange], ScanResult], Sequence[TextRange]], Sequence[ScanResult | None]
        ]
        | None = None,
    ) -> None:
        self.threads = threads
        self.temp_files = TempFiles(cap)
        self.absent = absent
        self.cluster = cluster
        self.read = 0
        """The bytes of texts that were read to be opened."""
        self._opened: dict[Input, TextFile | CorpusError] = {}
        self._once: dict[Hashable, Any] = {}
        self._lock = Lock()
        self._stdin = 0

    def open_all(self, inputs: Sequence[Input], problems: list[Problem]) -> list[TextFile | None]:
        """Open inputs; those that cannot be opened are None and, the first time, add to problems."""
        new = [item for item in dict.fromkeys(inputs) if item not in self._opened]
        size = 0
        if self.threads > 1 or self.cluster:
            size = sum(_size(formats.file_of(item)) for item in new)
        with threads(self.threads if size > THREADED else 1) as shared:
            openings = shared(self._try, new)
            opened = [item for item in openings if isinstance(item, Opening)]
            shares = self.cluster is not None and size > CLUSTERED
            found = self._scanned(opened, shared, shares=shares)
        results = [
            self._finished(item, found) if isinstance(item, Opening) else item for item in openings
        ]
        for result in results:
            problems += result.problems if isinstance(result, CorpusError) else []
        self._opened |= dict(zip(new, results, strict=True))
        before, self._stdin = self._stdin, self._stdin + sum(item == STDIN for item in inputs)
        if before < 2 <= self._stdin:
            problems.append(
                Problem("standard input", "is named more than once; it can be one text only")
            )
        files = [self._opened[item] for item in inputs]
        return [file if isinstance(file, TextFile) else None for file in files]

    def lists(self, reference: Input, problems: list[Problem]) -> tuple[list[Input], list[int]]:
        """Return a reference for each place in the lists of a column, and how many lists lack each
        of these.

        The numbers are there only where lists have different lengths. A column of texts, and any
        other file, is one."""
        if isinstance(reference, Path | Remote) or formats.file_of(reference) in self.absent:
            return [reference], []
        try:
            found = formats.sizes_of_lists(reference, self.temp_files)
        except CorpusError as error:
            problems += error.problems
            self._opened[reference] = CorpusError([])
            return [reference], []
        if not found:
            return [reference], []
        sizes = np.frombuffer(found, np.uint8)
        lacking = [int((sizes <= number).sum()) for number in range(int(sizes.max()))]
        names = [f"{reference.column}[{number}]" for number in range(len(lacking))]
        null = reference.null or any(lacking)
        return [replace(reference, column=name, null=null) for name in names], lacking if any(
            lacking
        ) else []

    def _try(self, text: Input) -> Opening | CorpusError:
        if formats.file_of(text) in self.absent:
            return CorpusError([])
        try:
            if isinstance(text, Path) and is_there(text):
                formats.refuse_table(text, self.temp_files.local(text), named(text))
            if isinstance(text, Column):
                opens = formats.format_named(text.kind).open
                if opens:
                    return Opening.of(opens(text, self))
            return Opening.of(formats.stored_texts(text, self.temp_files))
        except CorpusError as error:
            return error

    def once(self, key: Hashable, make: Callable[[Shared], T]) -> T:
        """Return what a function makes with threads, which is made once for each key."""
        with self._lock, threads(self.threads) as shared:
            if key not in self._once:
                self._once[key] = make(shared)
            made: T = self._once[key]
            return made

    def _scanned(
        self, openings: Sequence[Opening], shared: Shared, *, shares: bool
    ) -> dict[TextRange, ScanResult]:
        """Return what is found in all stretches of texts. `shares` says that workers of a cluster
        scan some, too.
        """
        found = dict[TextRange, ScanResult]()
        far = set[TextRange]()
        if shares:  # the workers of a cluster do not have the temporary folder
            for opening in openings:
                far.update(opening.ranges if _in_place(opening) else ())
        stretches = list(dict.fromkeys(one for opening in openings for one in opening.ranges))
        for low in range(0, len(stretches), STRETCHES):
            batch = stretches[low : low + STRETCHES]
            sent = [one for one in batch if one in far]
            if self.cluster and sent:
                for stretch, answer in zip(sent, self.cluster(TextRange.scan, sent), strict=True):
                    if answer and not answer.problem:
                        found[stretch] = answer
            near = [one for one in batch if one not in found]
            found.update(zip(near, shared(TextRange.scan, near), strict=True))
            self.read += sum(one.high - one.low for one in batch)
        return found

    def _finished(
        self, opening: Opening, found: Mapping[TextRange, ScanResult]
    ) -> TextFile | CorpusError:
        """Return a text whose stretches were scanned; those in the spool keep it alive."""
        try:
            stretches = [found[one] for one in opening.ranges]
            return opening.opened(stretches, None if _in_place(opening) else self.temp_files)
        except CorpusError as error:
            return error

    def index(self, file: StoredTexts) -> TextFile:
        """Index texts of the spool; raises CorpusError."""
        return index_text(file, self.temp_files)

    def index_records(self, name: str, records: Iterable[bytes]) -> TextFile:
        """Write records of the edits of sentences, and index them; `name` is that of their file.
        Raises CorpusError.
        """
        return self.index(
            StoredTexts(
                self.temp_files.write_texts(name, records), SEPARATOR, Origin(name, ", sentence ")
            )
        )

    def select(self, file: TextFile, ranges: Sequence[tuple[int, int]]) -> TextFile:
        """Return some lines of a text as a text of its own; ranges are low <= i < high."""
        numbers = np.concatenate([np.arange(low + 1, high + 1) for low, high in ranges])
        numbers = numbers if file.numbers is None else file.numbers[numbers - 1]
        return self._written(
            file, (text for low, high in ranges for text in _texts(file, low, high)), numbers
        )

    def ordered(self, file: TextFile, lines: Ints) -> TextFile:
        """Return some lines of a text, which count from 0, in this order as a text of its own."""

        def texts() -> Iterator[bytes]:
            for low in range(0, len(lines), PART):  # the text is read once for each part
                wanted = np.unique(lines[low : low + PART])
                found = dict(zip(wanted.tolist(), lines_of(file, wanted), strict=True))
                yield from (found[line].encode() for line in lines[low : low + PART].tolist())

        return self._written(file, texts(), lines + 1)

    def rewrite(self, file: TextFile, change: Callable[[bytes], bytes]) -> TextFile:
        """Return a text with each line changed; the lines keep their numbers."""
        return self._written(file, map(change, _texts(file, 0, file.lines)), file.numbers)

    def with_mark(self, file: TextFile) -> TextFile:
        """Return a text with the byte order mark at its beginning, which counts as text there."""
        texts = (
            BOM + text if not number else text
            for number, text in enumerate(_texts(file, 0, file.lines))
        )
        return replace(self._written(file, texts, file.numbers), has_bom=False)

    def _written(self, file: TextFile, texts: Iterable[bytes], numbers: Ints | None) -> TextFile:
        """Write texts made of those of a file; return them as a text that messages call by the same
        name.
        """
        path = self.temp_files.write_texts(file.display_name, texts)
        indexed = self.index(StoredTexts(path, SEPARATOR, file.origin or Origin(str(file.path))))
        return replace(indexed, numbers=numbers, has_bom=file.has_bom)


def _size(path: Path | Remote) -> int:
    with suppress(OSError, ValueError):
        return (
            THREADED if isinstance(path, Remote) else path.stat().st_size
        )  # a request takes its time, however large
    return 0


def _in_place(opening: Opening) -> bool:
    """Return whether a text is read where the user has it, and not in the spool."""
    path, _, origin = opening.file
    return isinstance(path, Remote) or path == Path(origin.name)


def _texts(file: TextFile, low: int, high: int) -> Iterator[bytes]:
    for first in range(low, high, BLOCK):
        yield from read_span(file.span(first, min(first + BLOCK, high))).texts()


def join(
    inputs: Sequence[Input],
    outputs: int,
    files: Sequence[TextFile | None],
    opener: Opener,
    problems: list[Problem],
) -> tuple[list[TextFile | None], TextFile | None, list[str]]:
    """Return texts in the order of the ids of the first one that has ids; these ids; and warnings.

    The last of the inputs, so many as `outputs`, are those of systems, and the first one with ids
    is none of these. Texts without ids stay as they are. A record whose id the first text does not
    have is left out, with a warning. Adds problems where an id is missing in a text, or stands
    twice in one."""
    keys = [
        replace(i, column=i.key, null=False) if isinstance(i, Column) and i.key else None
        for i in inputs
    ]
    ids = iter(opener.open_all([key for key in keys if key], problems))
    joined: list[TextFile | None] = []
    notes: dict[str, None] = {}
    base: TextFile | None = None
    known: dict[str, int] = {}
    orders: dict[TextFile, Ints | None] = {}
    if any(keys) and not any(keys[: len(keys) - outputs]):
        message = "has ids, but no text of the data set has any: name the field of a file of records there too"
        problems.append(Problem(str(next(key.path for key in keys if key)), message))
        keys = [None] * len(keys)
    for file, key in zip(files, keys, strict=True):
        own = next(ids) if key else None
        if key is None or own is None or file is None:
            joined.append(file if key is None else None)
            continue
        try:
            if base is None:
                base, known = own, numbered(own)
            if own not in orders:
                orders[own], note = (
                    (None, "") if own.digest == base.digest else _order(base, known, own)
                )
                notes |= {note: None} if note else {}
            order = orders[own]
            joined.append(file if order is None else opener.ordered(file, order))
        except CorpusError as error:
            problems += error.problems
            joined.append(None)
    return joined, base, list(notes)


def _order(base: TextFile, known: dict[str, int], own: TextFile) -> tuple[Ints, str]:
    """Return the line, from 0, of each id of `base` in another file, and a warning of further ids
    there.
    """
    lines = numbered(own)
    lacking = [name for name in known if name not in lines]
    if lacking:
        hint = did_you_mean(lacking[0], [name for name in lines if name not in known][:1000])
        more = f", nor for {len(lacking) - 1:,} more" if len(lacking) > 1 else ""
        message = f"has no record with the id '{lacking[0]}' of {base.at(known[lacking[0]] + 1)}{more}{hint}"
        raise CorpusError([Problem(own.display_name, message)])
    further = [(line, name) for name, line in lines.items() if name not in known]
    note = ""
    if further:
        line, name = further[0]
        count = f"{len(further):,} record{'s' if len(further) > 1 else ''}"
        where = f"the first is '{name}', {own.at(line + 1)}"
        note = f"{own.name}: {count} left out, whose ids {base.name} does not have; {where}"
    return np.array([lines[name] for name in known], np.int64), note
