"""Opens texts, each file once. Selected, joined and changed texts are written to temporary files."""

import codecs
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from ..arrays import Ints
from ..errors import CorpusError, Problem, did_you_mean, gathered
from ..files import Origin, Remote, StoredTexts, TempFiles, WrittenPath, named
from ..parallel import Shared, threads
from . import formats
from .config.resolved import Column, Dataset, Input, System
from .scan import Opening, ScanResult, TextRange, index_text
from .texts import TextFile, lines_of, numbered, read_span

T = TypeVar("T")

ClusterMap = Callable[
    [Callable[[TextRange], ScanResult], Sequence[TextRange]],
    Sequence[ScanResult | None],
]
"""Has the workers of a cluster call a function for each item; None for an item of a lost worker."""

BLOCK_LINES = 8192
"""Lines that are read at once where texts are compared or selected."""
ORDERED_LINES = 1 << 18
"""Lines of a text in another order that are in memory at once."""
MIN_THREADED_BYTES = 1 << 24
"""Bytes from which several threads open files. Hashing and searching release Python's lock."""
MIN_CLUSTER_BYTES = 1 << 30
"""Bytes from which the workers of a cluster open files."""
RANGES_AT_ONCE = 1024
"""Ranges of texts that are scanned together. If a worker of a cluster dies, this machine scans the
rest of them."""


@dataclass
class TextsOfInput:
    """The texts that the files of an input have."""

    source: TextFile | None = None
    references: list[TextFile] = field(default_factory=list)
    outputs: dict[str, TextFile] = field(default_factory=dict)
    """The texts of systems by their names."""
    ids: TextFile | None = None
    """The ids of the lines, if any."""
    notes: list[str] = field(default_factory=list)
    """Warnings."""
    ragged: bool = False
    """Whether references are lists of different lengths."""
    complete: bool = True
    """Whether all files could be opened."""

    @property
    def of_dataset(self) -> list[TextFile]:
        """The source and the references."""
        if self.source:
            return [self.source, *self.references]
        return list(self.references)

    @property
    def of_systems(self) -> list[TextFile]:
        """The outputs."""
        return list(self.outputs.values())

    @property
    def all(self) -> list[TextFile]:
        """The source, the references and the outputs."""
        return [*self.of_dataset, *self.of_systems]

    def change(
        self, change: Callable[[TextFile], TextFile], *, outputs: bool = True
    ) -> None:
        """Change source, references and, with `outputs`, outputs; each text once."""
        files = self.all if outputs else self.of_dataset
        self._put(
            {file: change(file) for file in dict.fromkeys(files)}, outputs
        )

    def _put(self, new: Mapping[TextFile, TextFile], outputs: bool) -> None:
        self.source = self.source and new[self.source]
        self.references = [new[file] for file in self.references]
        if outputs:
            self.outputs = {
                name: new[file] for name, file in self.outputs.items()
            }


class Lists(NamedTuple):
    """The references in a column of lists."""

    references: list[Input]
    """A reference for each index in the lists; for a column of texts, or another file, one."""
    missing: list[int]
    """How many lists have no text at each index; empty if all lists have the same length."""


class Opener:
    """Opens the inputs of a run, each once, and reports each problem once.

    `cap` limits the bytes that are unpacked. `missing_files` are known to be missing, and have
    problems already: they are not opened. `cluster` has workers scan large files.
    """

    def __init__(
        self,
        threads: int = 1,
        cap: int = TempFiles.DEFAULT_CAP,
        missing_files: Collection[Path | Remote] = (),
        cluster: ClusterMap | None = None,
    ) -> None:
        self.threads = threads
        self.temp_files = TempFiles(cap)
        self.missing_files = missing_files
        self.cluster = cluster
        self.read = 0
        """The bytes of texts that were read."""
        self._opened: dict[Input, TextFile | CorpusError] = {}
        self._once: dict[Hashable, Any] = {}
        self._lock = Lock()
        self._stdin_inputs = 0

    def open_all(
        self, inputs: Sequence[Input], problems: list[Problem]
    ) -> list[TextFile | None]:
        """Open inputs; those that cannot be opened are None and, the first time, add to problems."""
        new = [
            item for item in dict.fromkeys(inputs) if item not in self._opened
        ]
        size = 0
        if self.threads > 1 or self.cluster:
            for item in new:
                size += _size(formats.file_of(item))
        thread_count = 1
        if size > MIN_THREADED_BYTES:
            thread_count = self.threads
        with threads(thread_count) as shared:
            openings = shared(self._try, new)
            opened = [item for item in openings if isinstance(item, Opening)]
            uses_cluster = self.cluster is not None and size > MIN_CLUSTER_BYTES
            results = self._scanned(opened, shared, uses_cluster=uses_cluster)
        for item, opening in zip(new, openings, strict=True):
            if isinstance(opening, Opening):
                self._opened[item] = self._finished(opening, results)
            else:
                self._opened[item] = opening
            file = self._opened[item]
            if isinstance(file, CorpusError):
                problems += file.problems
        stdin_inputs_before = self._stdin_inputs
        self._stdin_inputs += list(inputs).count(WrittenPath.STDIN)
        if stdin_inputs_before < 2 <= self._stdin_inputs:
            message = "is named more than once; it can be one text only"
            problems.append(Problem("standard input", message))
        files = [self._opened[item] for item in inputs]
        return [file if isinstance(file, TextFile) else None for file in files]

    def texts(
        self,
        dataset: Dataset,
        systems: Sequence[System],
        problems: list[Problem],
    ) -> TextsOfInput:
        """Open the texts that a data set and its systems name; adds to problems.

        Records with ids are in the order of the first text that has ids.
        """
        outputs = {}
        for system in systems:
            if dataset.name in system.paths:
                outputs[system.name] = system.paths[dataset.name]
        references: list[Input] = []
        # how many lists have no text for each reference
        missing: list[int] = []
        for reference in dataset.references:
            lists = self._lists(reference, problems)
            references += lists.references
            missing += lists.missing or [0] * len(lists.references)
        ragged = any(missing)
        inputs: list[Input] = [dataset.source] if dataset.source else []
        first = len(inputs)
        last = first + len(references)
        inputs += references
        inputs += outputs.values()
        files = self.open_all(inputs, problems)

        # empty references in lists of different lengths
        if ragged and dataset.empty_references != "none":
            for file, count in zip(files[first:last], missing, strict=True):
                if file and file.blank > count:
                    message = (
                        f"{file.blank - count} references have no word, and other lists lack "
                        "references: say `empty_references: none` (--empty-references none), or "
                        "fill them"
                    )
                    problems.append(Problem(file.display_name, message))

        # ids
        ids = self._join(inputs, len(outputs), files, problems)
        texts = TextsOfInput(
            source=files[0] if dataset.source else None,
            references=[file for file in files[first:last] if file],
            ragged=ragged,
            complete=all(files),
        )
        for name, file in zip(outputs, files[last:], strict=True):
            if file:
                texts.outputs[name] = file
        if ids:
            texts.ids = ids.base
            texts.notes += ids.notes
        if dataset.bom != "drop":
            self._keep_marks(dataset.bom, texts)
        return texts

    def _keep_marks(
        self, systems: tuple[str, ...] | Literal["keep"], texts: TextsOfInput
    ) -> None:
        """Make byte order marks part of texts, or of the outputs of some systems, with a warning."""
        chosen = set(texts.all)
        if systems != "keep":
            chosen = {
                file for name, file in texts.outputs.items() if name in systems
            }

        def with_mark(file: TextFile) -> TextFile:
            if not file.has_bom or file not in chosen:
                return file
            texts.notes.append(
                f"{file.name}: the byte order mark at its beginning counts as text (bom: keep)"
            )
            return self.with_mark(file)

        texts.change(with_mark)

    def _lists(self, reference: Input, problems: list[Problem]) -> Lists:
        """Return the references in a column, which may hold lists; adds to problems."""
        if (
            isinstance(reference, Path | Remote)
            or reference.path in self.missing_files
        ):
            return Lists([reference], [])
        try:
            sizes_of_lists = formats.sizes_of_lists(reference, self.temp_files)
        except CorpusError as error:
            problems += error.problems
            self._opened[reference] = CorpusError([])
            return Lists([reference], [])
        if not sizes_of_lists:
            return Lists([reference], [])
        sizes = np.frombuffer(sizes_of_lists, np.uint8)
        longest = int(sizes.max())
        missing = [int((sizes <= index).sum()) for index in range(longest)]
        null = reference.null or any(missing)
        references: list[Input] = []
        for index in range(len(missing)):
            column = f"{reference.column}[{index}]"
            references.append(replace(reference, column=column, null=null))
        return Lists(references, missing if any(missing) else [])

    def _try(self, text: Input) -> Opening | CorpusError:
        if formats.file_of(text) in self.missing_files:
            return CorpusError([])
        try:
            if isinstance(text, Path) and WrittenPath(text).exists():
                formats.refuse_table(
                    text, self.temp_files.local(text), named(text)
                )
            if isinstance(text, Column):
                open_column = formats.format_of(text).open
                if open_column:
                    return Opening.of(open_column(text, self))
            return Opening.of(formats.stored_texts(text, self.temp_files))
        except CorpusError as error:
            return error

    def once(self, key: Hashable, make: Callable[[Shared], T]) -> T:
        """Return the result of a function that uses threads; it is called once for each key."""
        with self._lock, threads(self.threads) as shared:
            if key not in self._once:
                self._once[key] = make(shared)
            result: T = self._once[key]
            return result

    def _scanned(
        self, openings: Sequence[Opening], shared: Shared, *, uses_cluster: bool
    ) -> dict[TextRange, ScanResult]:
        """Return the results for all ranges of texts."""
        results: dict[TextRange, ScanResult] = {}
        remote_ranges: set[TextRange] = set()
        if uses_cluster:  # its workers do not have the temporary folder
            for opening in openings:
                if _in_place(opening):
                    remote_ranges.update(opening.ranges)
        distinct: dict[TextRange, None] = {}
        for opening in openings:
            distinct.update(dict.fromkeys(opening.ranges))
        ranges = list(distinct)
        for low in range(0, len(ranges), RANGES_AT_ONCE):
            batch = ranges[low : low + RANGES_AT_ONCE]
            sent = [item for item in batch if item in remote_ranges]
            if self.cluster and sent:
                answers = self.cluster(TextRange.scan, sent)
                for text_range, result in zip(sent, answers, strict=True):
                    if result and not result.problem:
                        results[text_range] = result
            local = [item for item in batch if item not in results]
            scanned = shared(TextRange.scan, local)
            results.update(zip(local, scanned, strict=True))
            self.read += sum(item.high - item.low for item in batch)
        return results

    def _finished(
        self, opening: Opening, results: Mapping[TextRange, ScanResult]
    ) -> TextFile | CorpusError:
        """Return a text whose ranges were scanned; one in a temporary file keeps it alive."""
        try:
            temp_files = None if _in_place(opening) else self.temp_files
            results_of_text = [results[item] for item in opening.ranges]
            return opening.opened(results_of_text, temp_files)
        except CorpusError as error:
            return error

    def index(self, file: StoredTexts) -> TextFile:
        """Index texts of a temporary file; raises CorpusError."""
        return index_text(file, self.temp_files)

    def index_records(self, name: str, records: Iterable[bytes]) -> TextFile:
        """Write and index records of sentences, such as edits; `name` is that of their file.

        Raises CorpusError.
        """
        path = self.temp_files.write_texts(name, records)
        return self.index(
            StoredTexts(path, TempFiles.SEPARATOR, Origin(name, ", sentence "))
        )

    def select(
        self, file: TextFile, ranges: Sequence[tuple[int, int]]
    ) -> TextFile:
        """Return some lines of a text as a text; ranges are low <= i < high."""
        parts = [np.arange(low + 1, high + 1) for low, high in ranges]
        numbers = np.concatenate(parts)
        if file.numbers is not None:
            numbers = file.numbers[numbers - 1]
        texts = chain.from_iterable(
            _texts(file, low, high) for low, high in ranges
        )
        return self._written(file, texts, numbers)

    def _join(
        self,
        inputs: Sequence[Input],
        outputs: int,
        files: list[TextFile | None],
        problems: list[Problem],
    ) -> "_Ids | None":
        """Put texts in the order of the ids of the first one that has ids; return its ids.

        The last `outputs` of the inputs are those of systems, and the first one with ids is none of
        these. Texts without ids are unchanged. A record whose id the first text does not have is
        left out, with a warning. Adds problems if an id is missing in a text, or occurs twice; the
        text is None then.
        """
        id_columns: dict[int, Column] = {}
        for index, item in enumerate(inputs):
            if isinstance(item, Column) and item.key:
                id_columns[index] = replace(item, column=item.key, null=False)
        if not id_columns:
            return None
        opened_ids = self.open_all(list(id_columns.values()), problems)
        first = min(id_columns)
        if first >= len(inputs) - outputs:
            message = (
                "has ids, but no text of the data set has any: name the field of a file of records "
                "there too"
            )
            problems.append(Problem(str(id_columns[first].path), message))
            return None
        base: _Ids | None = None
        for index, ids in zip(id_columns, opened_ids, strict=True):
            file = files[index]
            files[index] = None
            if ids is None or file is None:
                continue
            with gathered(problems):
                base = base or _Ids(ids)
                order = base.order(ids)
                files[index] = (
                    file if order is None else self._ordered(file, order)
                )
        return base

    def _ordered(self, file: TextFile, indices: Ints) -> TextFile:
        """Return the lines of a text with these indices, in this order, as a text."""

        def texts() -> Iterator[bytes]:
            # the text is read once for each part
            for low in range(0, len(indices), ORDERED_LINES):
                part = indices[low : low + ORDERED_LINES]
                unique = np.unique(part)
                pairs = zip(
                    unique.tolist(), lines_of(file, unique), strict=True
                )
                line_at = dict(pairs)
                for index in part.tolist():
                    yield line_at[index].encode()

        return self._written(file, texts(), indices + 1)

    def rewrite(
        self, file: TextFile, change: Callable[[bytes], bytes]
    ) -> TextFile:
        """Return a text with each line changed; the lines keep their numbers."""
        texts = map(change, _texts(file, 0, file.lines))
        return self._written(file, texts, file.numbers)

    def with_mark(self, file: TextFile) -> TextFile:
        """Return a text with the byte order mark as text at its beginning."""
        texts = _texts(file, 0, file.lines)
        first = [codecs.BOM_UTF8 + next(texts)] if file.lines else []
        written = self._written(file, chain(first, texts), file.numbers)
        return replace(written, has_bom=False)

    def _written(
        self,
        file: TextFile,
        texts: Iterable[bytes],
        numbers: Ints | None,
    ) -> TextFile:
        """Write texts made of those of a file; return them as a text of the same name."""
        path = self.temp_files.write_texts(file.display_name, texts)
        origin = file.origin or Origin(str(file.path))
        indexed = self.index(StoredTexts(path, TempFiles.SEPARATOR, origin))
        return replace(indexed, numbers=numbers, has_bom=file.has_bom)


def _size(path: Path | Remote) -> int:
    """Return the bytes of a file, 0 if it cannot be read."""
    if isinstance(path, Remote):
        return MIN_THREADED_BYTES  # a request takes its time, whatever the size
    with suppress(OSError, ValueError):
        return path.stat().st_size
    return 0


def _in_place(opening: Opening) -> bool:
    """Return whether a text is read from the user's file, not from a temporary one."""
    path, _, origin = opening.file
    return isinstance(path, Remote) or path == Path(origin.name)


def _texts(file: TextFile, low: int, high: int) -> Iterator[bytes]:
    for first in range(low, high, BLOCK_LINES):
        last = min(first + BLOCK_LINES, high)
        lines = read_span(file.span(first, last))
        yield from lines.texts()


# ---- records with ids


class _Ids:
    """The ids of the first text that has some, and the order of other texts by them."""

    def __init__(self, base: TextFile) -> None:
        self.base = base
        self.notes: dict[str, None] = {}
        self._line_of = numbered(base)
        self._orders: dict[TextFile, Ints | None] = {}

    def order(self, ids: TextFile) -> Ints | None:
        """Return the index of each id in another text, or None if both have the same order.

        Notes further ids there. Raises CorpusError for a missing id, and for one that occurs twice.
        """
        if ids not in self._orders:
            order = None
            if ids.digest != self.base.digest:
                order = self._new_order(ids)
            self._orders[ids] = order
        return self._orders[ids]

    def _new_order(self, ids: TextFile) -> Ints:
        base = self.base
        line_of = numbered(ids)
        missing = [name for name in self._line_of if name not in line_of]
        further = [name for name in line_of if name not in self._line_of]
        if missing:
            position = base.at(self._line_of[missing[0]] + 1)
            more = (
                f", nor for {len(missing) - 1:,} more"
                if len(missing) > 1
                else ""
            )
            hint = did_you_mean(missing[0], further[:1000])
            message = f"has no record with the id '{missing[0]}' of {position}{more}{hint}"
            raise CorpusError([Problem(ids.display_name, message)])
        if further:
            plural = "s" if len(further) > 1 else ""
            count = f"{len(further):,} record{plural}"
            position = ids.at(line_of[further[0]] + 1)
            first = f"the first is '{further[0]}', {position}"
            left_out = f"{count} left out, whose ids {base.name} does not have"
            self.notes[f"{ids.name}: {left_out}; {first}"] = None
        return np.array([line_of[name] for name in self._line_of], np.int64)
