"""Data sets: text files opened and checked once in the parent, then read by ranges in the workers.

Opening a file reads it once, in pieces, and keeps a number for every STRIDE lines. What is no plain file is spooled.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..config.resolved import UNPACKED
from ..errors import ConfigError, CorpusError, Problem
from ..io.plain_files import SEPARATOR, STDIN, Origin, Spool, Spooled
from ..io.remote import RangeReader, Remote, RemoteStamp
from ..kernel.lines import Lines, join_lines
from . import formats
from .formats.m2 import spool_m2
from .replacements import REPLACEMENTS
from .scan import Scanner, scan
from .texts import NEWLINE, AnyText, MemoryText, Span, Stamp, TextFile, read_span, read_texts, stamp_of, text_in_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from ..config.line_numbers import Selection
    from ..config.resolved import Dataset, Input, System

__all__ = [
    "MAX_REFERENCES",
    "PIECE",
    "STRIDE",
    "AnyText",
    "Corpus",
    "Lines",
    "MemoryText",
    "Opener",
    "Span",
    "TextFile",
    "check_parallel",
    "join_lines",
    "open_corpus",
    "open_text",
    "read_span",
    "read_texts",
    "text_in_memory",
]

MAX_REFERENCES = 255
STRIDE = 128
"""Lines between two remembered places of a file; shards are cut at these."""
PIECE = 1 << 20
BLOCK = 8192
"""Lines read at once where texts are compared or selected."""
THREADED = 1 << 24
"""Bytes from which files are opened by several threads (hashing and searching do not hold Python's lock)."""


def open_text(path: Path) -> TextFile:
    """Index and check one plain file; raises CorpusError (missing, a folder, unreadable, not UTF-8)."""
    return _index(Spooled(path, NEWLINE, Origin(str(path))))


def _index(file: Spooled, spool: Spool | None = None) -> TextFile:
    """Index and check texts in a file; spool: what they are in, and must outlive."""
    path, separator, origin = file
    try:
        stamp, found = _scanned(path, separator)
    except (OSError, ValueError) as error:
        message = formats.reason(path, error) if isinstance(path, Path) else str(error)
        raise CorpusError([Problem(origin.name, message)]) from None
    except CorpusError as error:
        problem = error.problems[0]
        place = origin.at(int(problem.place)) if problem.place.isdecimal() else problem.place
        raise CorpusError([Problem(place, problem.message)]) from None
    return TextFile(
        path,
        found.lines,
        found.offset,
        found.hash.hexdigest(),
        found.has_bom,
        np.array(found.blanks, np.int64),
        np.unique(np.concatenate(found.places)),
        STRIDE,
        found.odd,
        separator,
        None if origin == Origin(str(path)) else origin,
        keeper=spool,
        stamp=stamp,
    )


def _scanned(path: Path | Remote, separator: bytes) -> tuple[Stamp | RemoteStamp, Scanner]:
    if isinstance(path, Remote):
        reader = RangeReader(path)
        return reader.stamp, scan(reader, separator, PIECE, STRIDE)
    with path.open("rb") as opened:
        return Stamp.of(opened.fileno()), scan(opened, separator, PIECE, STRIDE)


def changed(file: AnyText) -> bool:
    """Whether a file has other lines than when it was checked; it is read again only where its stamp is another."""
    if not isinstance(file, TextFile) or file.stamp is None:
        return False
    try:
        if stamp_of(file.path) == file.stamp:
            return False
        return _index(Spooled(file.path, file.separator, Origin(str(file.path)))).digest != file.digest
    except (OSError, CorpusError):
        return True


@dataclass(frozen=True)
class Corpus:
    """A data set with all its systems, checked: every text has `lines` lines.

    missing: a reference without a token says that its annotator has nothing for the sentence (every sentence has
    something from one of them); notes: warnings of how it was made.
    """

    name: str
    lines: int
    source: AnyText | None
    references: tuple[AnyText, ...]
    systems: Mapping[str, AnyText]
    missing: bool = False
    notes: tuple[str, ...] = ()
    own: Mapping[str, int] = field(default_factory=dict)
    """Systems that are references themselves, and which."""
    external: Mapping[str, Corpus] = field(default_factory=dict)
    """Files of numbers for metrics that read no text: by the key of their needs, a data set without references."""

    def with_references(self) -> Corpus:
        """Return the same with each reference as one more system; raises CorpusError where a name is taken."""
        own = {f"reference{number}": number for number in range(len(self.references))}
        taken = next((name for name in own if name in self.systems), None)
        if taken:
            message = f"a system cannot be called '{taken}': references: leave_one_out scores the references so"
            raise CorpusError([Problem(self.name, message)])
        added = {name: self.references[number] for name, number in own.items()}
        return replace(self, systems={**self.systems, **added}, own=own)

    def present(self) -> tuple[int, int]:
        """Return how many references a line has: the least, the most."""
        every = len(self.references)
        if not self.missing:
            return every, every
        lines, lacking = np.unique(np.concatenate([file.blanks for file in self.references]), return_counts=True)
        return every - int(lacking.max()), every - (int(lacking.min()) if len(lines) == self.lines else 0)

    def without(self, names: Collection[str]) -> Corpus:
        """Return the same without some systems."""
        return replace(self, systems={name: file for name, file in self.systems.items() if name not in names})

    def check_unchanged(self) -> None:
        """Raise CorpusError where a file has other lines than when it was checked."""
        found = dict.fromkeys(file.place for file in self.texts() if changed(file))
        if found:
            message = "changed while it was being scored; nothing of it is kept: run the same command again"
            raise CorpusError([Problem(place, message) for place in found])

    def texts(self) -> list[AnyText]:
        """Return all texts: source, references, systems."""
        return [*([self.source] if self.source else []), *self.references, *self.systems.values()]


class Opener:
    """Opens the inputs of a run, each once, whatever data sets and roles it has; what is wrong is told once.

    absent: files that are known not to be there, and told of.
    """

    def __init__(self, threads: int = 1, cap: int = UNPACKED, absent: Collection[Path | Remote] = ()) -> None:
        self.threads, self.spool, self.absent = threads, Spool(cap), absent
        self.known: dict[Input, TextFile | CorpusError] = {}
        self.stdin = 0

    def open_all(self, wanted: Sequence[Input], problems: list[Problem]) -> list[TextFile | None]:
        """Open inputs; what cannot be opened is None and, the first time, adds to problems."""
        new = [item for item in dict.fromkeys(wanted) if item not in self.known]
        if self.threads > 1 and sum(_size(formats.file_of(item)) for item in new) > THREADED:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(self.threads) as pool:
                results = list(pool.map(self._try, new))
        else:
            results = [self._try(item) for item in new]
        for result in results:
            problems += result.problems if isinstance(result, CorpusError) else []
        self.known |= dict(zip(new, results, strict=True))
        before, self.stdin = self.stdin, self.stdin + sum(item == STDIN for item in wanted)
        if before < 2 <= self.stdin:
            problems.append(Problem("standard input", "is named more than once; it can be one text only"))
        found = [self.known[item] for item in wanted]
        return [file if isinstance(file, TextFile) else None for file in found]

    def _try(self, wanted: Input) -> TextFile | CorpusError:
        if formats.file_of(wanted) in self.absent:
            return CorpusError([])
        try:
            return self.index(formats.spooled(wanted, self.spool))
        except CorpusError as error:
            return error

    def index(self, file: Spooled) -> TextFile:
        """Index texts; those in the spool keep it alive."""
        in_place = isinstance(file.path, Remote) or file.path == Path(file.origin.name)
        return _index(file, None if in_place else self.spool)

    def select(self, file: TextFile, ranges: Sequence[tuple[int, int]]) -> TextFile:
        """Return some lines of a text as a text of its own; ranges are low <= i < high."""
        texts = (text for low, high in ranges for block in _blocks(file, low, high) for text in block.texts())
        path = self.spool.write_texts(file.place, texts)
        found = self.index(Spooled(path, SEPARATOR, file.origin or Origin(str(file.path))))
        numbers = np.concatenate([np.arange(low + 1, high + 1) for low, high in ranges])
        return replace(found, numbers=numbers, has_bom=file.has_bom)

    def rewrite(self, file: TextFile, change: Callable[[bytes], bytes]) -> TextFile:
        """Return a text with each line changed; the lines keep their numbers."""
        texts = (change(text) for block in _blocks(file, 0, file.lines) for text in block.texts())
        path = self.spool.write_texts(file.place, texts)
        found = self.index(Spooled(path, SEPARATOR, file.origin or Origin(str(file.path))))
        return replace(found, numbers=file.numbers, has_bom=file.has_bom)


def _size(path: Path | Remote) -> int:
    if isinstance(path, Remote):
        return THREADED  # each request takes its time, whatever the size
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _blocks(file: TextFile, low: int, high: int) -> Iterator[Lines]:
    for first in range(low, high, BLOCK):
        yield read_span(file.span(first, min(first + BLOCK, high)))


def open_corpus(
    dataset: Dataset, systems: Sequence[System], problems: list[Problem], threads: int = 1, opener: Opener | None = None
) -> Corpus | None:
    """Open all files of a data set; return None after adding to problems, as many as can be told at once."""
    before = len(problems)
    opener = opener or Opener(threads)
    paths = {system.name: system.paths[dataset.name] for system in systems if dataset.name in system.paths}
    wanted = [*([dataset.source] if dataset.source else []), *dataset.references, *paths.values()]
    opened = opener.open_all(wanted, problems)
    whole = all(opened)
    source = opened.pop(0) if dataset.source else None
    count = len(opened) - len(paths)
    references = [file for file in opened[:count] if file]
    outputs = {name: file for name, file in zip(paths, opened[count:], strict=True) if file}
    notes: list[str] = []
    if dataset.m2 in opener.absent:
        whole = False
    elif dataset.m2:
        try:
            checked, references, notes = _annotated(dataset, source, opener)
            source = source or checked
        except CorpusError as error:
            problems += error.problems
            whole = False
    given = [*([source] if source else []), *references]
    files = [*given, *outputs.values()]
    kept = dataset.outputs == "kept"
    for group in (given, list(outputs.values())) if kept else (files,):
        problems += check_parallel(group) if group else []
    if len(references) > MAX_REFERENCES:
        message = f"has {len(references)} references; at most {MAX_REFERENCES} are supported"
        problems.append(Problem(dataset.name, message))
    if dataset.selection and len({file.lines for file in (given if kept else files)}) == 1:
        selected = _selected(given if kept else files, dataset.selection, opener, problems)
        source = selected.pop(0) if source else None
        references, rest = selected[: len(references)], selected[len(references) :]
        outputs = outputs if kept else dict(zip(outputs, rest, strict=True))
        problems += check_parallel([*references, *outputs.values()]) if kept and references else []
    if dataset.replace != "none":
        source, references, outputs = _replaced(dataset, source, references, outputs, opener, problems)
    problems += _empty_references(dataset, references)
    if not whole or len(problems) > before or not references:
        return None
    missing = dataset.empty_references == "none" and any(file.blank for file in references)
    return Corpus(dataset.name, references[0].lines, source, tuple(references), outputs, missing, tuple(notes))


def _selected(
    files: Sequence[TextFile], selection: Selection, opener: Opener, problems: list[Problem]
) -> list[TextFile]:
    try:
        ranges = selection.numbers(files[0].lines)
        made = {file: opener.select(file, ranges) for file in files}
    except (ConfigError, CorpusError) as error:
        problems += error.problems
        return list(files)
    return [made[file] for file in files]


def _replaced(
    dataset: Dataset,
    source: TextFile | None,
    references: list[TextFile],
    outputs: dict[str, TextFile],
    opener: Opener,
    problems: list[Problem],
) -> tuple[TextFile | None, list[TextFile], dict[str, TextFile]]:
    """Return all texts with what the data set says replaced."""
    files = [*([source] if source else []), *references, *outputs.values()]
    change = REPLACEMENTS[dataset.replace]
    try:
        made = {file: opener.rewrite(file, change) for file in files}
    except CorpusError as error:
        problems += error.problems
        return source, references, outputs
    named = {name: made[file] for name, file in outputs.items()}
    return source and made[source], [made[file] for file in references], named


def _annotated(dataset: Dataset, source: TextFile | None, opener: Opener) -> tuple[TextFile, list[TextFile], list[str]]:
    """Return source, references and warnings of an M2 file; raises CorpusError where a given source differs."""
    assert dataset.m2  # noqa: S101 (for the type checker: asked by the caller)
    found = spool_m2(dataset.m2, dataset.missing_annotator, opener.spool)
    own = opener.index(found.source)
    if source and source.lines == own.lines:
        problems = list(_different(source, own))
        if problems:
            raise CorpusError(problems[:1])
    stand_in = {"first": "the first annotator's edits stand in", "source": "the source stands in", "none": ""}
    notes = []
    for annotator, count, line in found.lacking if not dataset.explicit else ():
        told = (
            f"annotator {annotator} has no line for {count} sentences that others annotated, the first in line {line}"
        )
        notes.append(f"{dataset.m2.name}: {told}; {stand_in[dataset.missing_annotator]} (see missing_annotator)")
    return own, [opener.index(reference) for reference in found.references], notes


def _different(source: TextFile, own: TextFile) -> Iterator[Problem]:
    """Tell where the tokens of a source are not those of the S lines."""
    for low in range(0, own.lines, BLOCK):
        high = min(low + BLOCK, own.lines)
        pairs = zip(read_texts(source, low, high), read_texts(own, low, high), strict=True)
        for line, (one, two) in enumerate(pairs, low + 1):
            found, expected = one.split(), two.split()
            if found != expected:
                token = next((i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), None)
                if token is None:
                    what = f"has {len(found)} tokens, and {own.at(line)} has {len(expected)}"
                else:
                    what = f"token {token + 1} is '{found[token]}', and in {own.at(line)} it is '{expected[token]}'"
                yield Problem(source.at(line), f"{what}: the source is not that of the annotations")


def check_parallel(texts: Sequence[AnyText]) -> list[Problem]:
    """Return the problems of texts that must run in parallel: unequal line counts, no lines at all."""
    counts = {text.lines for text in texts}
    if len(counts) == 1:
        return [Problem(texts[0].place, "has no lines; nothing can be scored")] if counts == {0} else []
    listed = "".join(f"\n  {text.lines:>9} lines  {text.place}" for text in texts)
    message = f"the texts have different numbers of lines; line {min(counts) + 1} has no partner in some:{listed}"
    return [Problem("", message)]


def _empty_references(dataset: Dataset, references: Sequence[TextFile]) -> list[Problem]:
    """Return the problems of references without a token, where they are more than sentences of length 0."""
    if dataset.empty_references == "error":
        return [_blank_reference(file) for file in references if file.blank]
    if dataset.empty_references == "keep" or not references or len({file.lines for file in references}) > 1:
        return []
    return without_any(references, ", and the data set says `empty_references: none`")


def without_any(references: Sequence[AnyText], why: str) -> list[Problem]:
    """Return the problem of sentences that no reference has anything for; why: ends the message."""
    bare = references[0].blanks
    for file in references[1:]:
        bare = np.intersect1d(bare, file.blanks, assume_unique=True)
    if not len(bare):
        return []
    more = f" (nor for {len(bare) - 1} more)" if len(bare) > 1 else ""
    message = f"no annotator has a reference for this sentence{more}{why}"
    return [Problem(references[0].at(int(bare[0])), message)]


def _blank_reference(file: TextFile) -> Problem:
    more = f" (and {file.blank - 1} more)" if file.blank > 1 else ""
    message = f"this reference is empty{more}, and the data set says `empty_references: error`"
    return Problem(file.at(int(file.blanks[0])), message)
