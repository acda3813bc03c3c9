"""The texts of a data set opened: each file once, replaced, selected and annotated as the config says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..config.resolved import UNPACKED
from ..errors import ConfigError, CorpusError, Problem
from ..io.plain_files import SEPARATOR, STDIN, Origin, Spool, Spooled
from ..io.remote import Remote
from . import formats
from .corpus import MAX_REFERENCES, Corpus, check_parallel, without_any
from .formats.m2 import spool_m2
from .index import index_text
from .replacements import REPLACEMENTS
from .spans import read_span
from .texts import TextFile, read_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from ..config.resolved import Dataset, Input, Selection, System
    from ..kernel.lines import Lines


BLOCK = 8192
"""Lines read at once where texts are compared or selected."""


THREADED = 1 << 24
"""Bytes from which files are opened by several threads (hashing and searching do not hold Python's lock)."""


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
        return index_text(file, None if in_place else self.spool)

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
    return Corpus(
        name=dataset.name,
        lines=references[0].lines,
        source=source,
        references=tuple(references),
        systems=outputs,
        missing=missing,
        notes=tuple(notes),
    )


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


def _empty_references(dataset: Dataset, references: Sequence[TextFile]) -> list[Problem]:
    """Return the problems of references without a token, where they are more than sentences of length 0."""
    if dataset.empty_references == "error":
        return [_blank_reference(file) for file in references if file.blank]
    if dataset.empty_references == "keep" or not references or len({file.lines for file in references}) > 1:
        return []
    return without_any(references, ", and the data set says `empty_references: none`")


def _blank_reference(file: TextFile) -> Problem:
    more = f" (and {file.blank - 1} more)" if file.blank > 1 else ""
    message = f"this reference is empty{more}, and the data set says `empty_references: error`"
    return Problem(file.at(int(file.blanks[0])), message)
