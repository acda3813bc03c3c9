"""Opens the texts of data sets, each file once: with the lines, replacements and annotations of the config."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ..config.resolved import Dataset, Input, System

BLOCK = 8192
"""Lines read at once where texts are compared or selected."""
THREADED = 1 << 24
"""Bytes from which files are opened by several threads (hashing and searching do not hold Python's lock)."""


class Opener:
    """Opens the inputs of a run, each once, whatever data sets and roles it has, and tells each problem once.

    `cap` limits the bytes that are unpacked. `absent` are files that are known not to be there; they are not opened,
    and no problem is added for them.
    """

    def __init__(self, threads: int = 1, cap: int = UNPACKED, absent: Collection[Path | Remote] = ()) -> None:
        self.threads, self.spool, self.absent = threads, Spool(cap), absent
        self._opened: dict[Input, TextFile | CorpusError] = {}
        self._stdin = 0

    def open_all(self, inputs: Sequence[Input], problems: list[Problem]) -> list[TextFile | None]:
        """Open inputs; those that cannot be opened are None and, the first time, add to problems."""
        new = [item for item in dict.fromkeys(inputs) if item not in self._opened]
        if self.threads > 1 and sum(_size(formats.file_of(item)) for item in new) > THREADED:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(self.threads) as pool:
                results = list(pool.map(self._try, new))
        else:
            results = [self._try(item) for item in new]
        for result in results:
            problems += result.problems if isinstance(result, CorpusError) else []
        self._opened |= dict(zip(new, results, strict=True))
        before, self._stdin = self._stdin, self._stdin + sum(item == STDIN for item in inputs)
        if before < 2 <= self._stdin:
            problems.append(Problem("standard input", "is named more than once; it can be one text only"))
        files = [self._opened[item] for item in inputs]
        return [file if isinstance(file, TextFile) else None for file in files]

    def _try(self, text: Input) -> TextFile | CorpusError:
        if formats.file_of(text) in self.absent:
            return CorpusError([])
        try:
            return self.index(formats.spooled(text, self.spool))
        except CorpusError as error:
            return error

    def index(self, file: Spooled) -> TextFile:
        """Index texts; those in the spool keep it alive."""
        in_place = isinstance(file.path, Remote) or file.path == Path(file.origin.name)
        return index_text(file, None if in_place else self.spool)

    def select(self, file: TextFile, ranges: Sequence[tuple[int, int]]) -> TextFile:
        """Return some lines of a text as a text of its own; ranges are low <= i < high."""
        numbers = np.concatenate([np.arange(low + 1, high + 1) for low, high in ranges])
        return self._written(file, (text for low, high in ranges for text in _texts(file, low, high)), numbers)

    def rewrite(self, file: TextFile, change: Callable[[bytes], bytes]) -> TextFile:
        """Return a text with each line changed; the lines keep their numbers."""
        return self._written(file, map(change, _texts(file, 0, file.lines)), file.numbers)

    def _written(self, file: TextFile, texts: Iterable[bytes], numbers: NDArray[np.int64] | None) -> TextFile:
        """Write texts made of those of a file; return them as a text that messages call by the same name."""
        path = self.spool.write_texts(file.place, texts)
        indexed = self.index(Spooled(path, SEPARATOR, file.origin or Origin(str(file.path))))
        return replace(indexed, numbers=numbers, has_bom=file.has_bom)


def _size(path: Path | Remote) -> int:
    if isinstance(path, Remote):
        return THREADED  # each request takes its time, whatever the size
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _texts(file: TextFile, low: int, high: int) -> Iterator[bytes]:
    for first in range(low, high, BLOCK):
        yield from read_span(file.span(first, min(first + BLOCK, high))).texts()


@dataclass
class _Texts:
    """The texts of a data set by their roles, while they are being opened."""

    source: TextFile | None
    references: list[TextFile]
    outputs: dict[str, TextFile]
    complete: bool
    """All of them could be opened."""

    @property
    def given(self) -> list[TextFile]:
        """The source, where there is one, and the references."""
        return [*([self.source] if self.source else []), *self.references]

    @property
    def all(self) -> list[TextFile]:
        """The source, the references and the outputs."""
        return [*self.given, *self.outputs.values()]

    def put(self, new: Mapping[TextFile, TextFile], outputs: bool = True) -> None:
        """Put new texts in place of the source, the references and, where so asked, the outputs."""
        self.source = self.source and new[self.source]
        self.references = [new[file] for file in self.references]
        if outputs:
            self.outputs = {name: new[file] for name, file in self.outputs.items()}


def open_corpus(
    dataset: Dataset, systems: Sequence[System], problems: list[Problem], threads: int = 1, opener: Opener | None = None
) -> Corpus | None:
    """Open all files of a data set; return None after adding to problems, as many as can be told at once."""
    before = len(problems)
    opener = opener or Opener(threads)
    texts = _opened(dataset, systems, opener, problems)
    notes = _annotate(dataset, texts, opener, problems)
    for group in (texts.given, [*texts.outputs.values()]) if dataset.outputs == "kept" else (texts.all,):
        problems += check_parallel(group) if group else []
    if len(texts.references) > MAX_REFERENCES:
        message = f"has {len(texts.references)} references; at most {MAX_REFERENCES} are supported"
        problems.append(Problem(dataset.name, message))
    _select(dataset, texts, opener, problems)
    _replace(dataset, texts, opener, problems)
    problems += _empty_references(dataset, texts.references)
    if not texts.complete or len(problems) > before or not texts.references:
        return None
    return Corpus(
        name=dataset.name,
        lines=texts.references[0].lines,
        source=texts.source,
        references=tuple(texts.references),
        systems=texts.outputs,
        missing=dataset.empty_references == "none" and any(file.blank for file in texts.references),
        notes=tuple(notes),
    )


def _opened(dataset: Dataset, systems: Sequence[System], opener: Opener, problems: list[Problem]) -> _Texts:
    """Open the files that a data set and its systems name, but for M2 files."""
    outputs = {system.name: system.paths[dataset.name] for system in systems if dataset.name in system.paths}
    inputs = [*([dataset.source] if dataset.source else []), *dataset.references, *outputs.values()]
    files = opener.open_all(inputs, problems)
    complete = all(files)
    source = files.pop(0) if dataset.source else None
    count = len(files) - len(outputs)
    opened_outputs = {name: file for name, file in zip(outputs, files[count:], strict=True) if file}
    return _Texts(source, [file for file in files[:count] if file], opened_outputs, complete)


def _annotate(dataset: Dataset, texts: _Texts, opener: Opener, problems: list[Problem]) -> list[str]:
    """Take source and references from the M2 file of a data set, where it has one; return warnings."""
    if not dataset.m2:
        return []
    if dataset.m2 in opener.absent:
        texts.complete = False
        return []
    try:
        m2 = spool_m2(dataset.m2, dataset.missing_annotator, opener.spool)
        annotated = opener.index(m2.source)
        if texts.source and texts.source.lines == annotated.lines:
            different = next(_different(texts.source, annotated), None)
            if different:
                raise CorpusError([different])
        texts.references = [opener.index(reference) for reference in m2.references]
    except CorpusError as error:
        texts.complete = False
        problems += error.problems
        return []
    texts.source = texts.source or annotated
    stand_in = {"first": "the first annotator's edits stand in", "source": "the source stands in", "none": ""}
    notes = []
    for annotator, count, line in m2.lacking if not dataset.explicit else ():
        lacking = f"no line for {count} sentences that others annotated, the first in line {line}"
        solution = f"{stand_in[dataset.missing_annotator]} (see missing_annotator)"
        notes.append(f"{dataset.m2.name}: annotator {annotator} has {lacking}; {solution}")
    return notes


def _different(source: TextFile, annotated: TextFile) -> Iterator[Problem]:
    """Yield a problem for each line where the tokens of a source are not those of the S lines of an M2 file."""
    for low in range(0, annotated.lines, BLOCK):
        high = min(low + BLOCK, annotated.lines)
        pairs = zip(read_texts(source, low, high), read_texts(annotated, low, high), strict=True)
        for line, (text, annotated_text) in enumerate(pairs, low + 1):
            tokens, expected = text.split(), annotated_text.split()
            if tokens != expected:
                token = next((i for i, (a, b) in enumerate(zip(tokens, expected, strict=False)) if a != b), None)
                there = annotated.at(line)
                if token is None:
                    what = f"has {len(tokens)} tokens, and {there} has {len(expected)}"
                else:
                    what = f"token {token + 1} is '{tokens[token]}', and in {there} it is '{expected[token]}'"
                yield Problem(source.at(line), f"{what}: the source is not that of the annotations")


def _select(dataset: Dataset, texts: _Texts, opener: Opener, problems: list[Problem]) -> None:
    """Keep the lines that the config selects. Where outputs are "kept", they have these lines only already."""
    kept = dataset.outputs == "kept"
    files = texts.given if kept else texts.all
    if not dataset.selection or len({file.lines for file in files}) != 1:
        return
    try:
        ranges = dataset.selection.numbers(files[0].lines)
        texts.put({file: opener.select(file, ranges) for file in files}, outputs=not kept)
    except (ConfigError, CorpusError) as error:
        problems += error.problems
    problems += check_parallel([*texts.references, *texts.outputs.values()]) if kept and texts.references else []


def _replace(dataset: Dataset, texts: _Texts, opener: Opener, problems: list[Problem]) -> None:
    """Replace in all texts what the config says."""
    if dataset.replace == "none":
        return
    try:
        texts.put({file: opener.rewrite(file, REPLACEMENTS[dataset.replace]) for file in texts.all})
    except CorpusError as error:
        problems += error.problems


def _empty_references(dataset: Dataset, references: Sequence[TextFile]) -> list[Problem]:
    """Return the problems of references without a token, where these are not sentences of length 0."""
    if dataset.empty_references == "error":
        return [_blank_reference(file) for file in references if file.blank]
    if dataset.empty_references == "keep" or not references or len({file.lines for file in references}) > 1:
        return []
    return without_any(references, ", and the data set says `empty_references: none`")


def _blank_reference(file: TextFile) -> Problem:
    more = f" (and {file.blank - 1} more)" if file.blank > 1 else ""
    message = f"this reference is empty{more}, and the data set says `empty_references: error`"
    return Problem(file.at(int(file.blanks[0])), message)
