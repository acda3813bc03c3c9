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
from dataclasses import replace
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
from .opened_input import TextsOfInput
from .scan import ScanResult, TextRange
from .texts import Opening, TextFile, numbered

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


class ExpandedLists(NamedTuple):
    """The references that a column of lists stands for: its first items, its second items, ..."""

    references: list[Input]
    """The columns of the items; one input that is no column of lists stands for itself."""
    missing: list[int]
    """How many lists are too short for each of these references."""


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
        """Return inputs as texts, in their order; None for those that cannot be opened.

        An input that was opened before is not opened again, and adds no problem again.
        """
        # scan the new ones together, in threads or on a cluster if they are large
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
            openings = shared(self._begin, new)
            opened = [item for item in openings if isinstance(item, Opening)]
            uses_cluster = self.cluster is not None and size > MIN_CLUSTER_BYTES
            results = self._scan(opened, shared, uses_cluster=uses_cluster)
        for item, opening in zip(new, openings, strict=True):
            if isinstance(opening, Opening):
                self._opened[item] = self._finish(opening, results)
            else:
                self._opened[item] = opening
            file = self._opened[item]
            if isinstance(file, CorpusError):
                problems += file.problems

        # standard input can be read once
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
        # what to open: the source, the references, and the outputs of systems
        outputs = {}
        for system in systems:
            if dataset.name in system.paths:
                outputs[system.name] = system.paths[dataset.name]
        references: list[Input] = []
        missing: list[int] = []
        for reference in dataset.references:
            lists = self._expand_lists(reference, problems)
            references += lists.references
            missing += lists.missing
        ragged = any(missing)
        inputs: list[Input] = [dataset.source] if dataset.source else []
        first = len(inputs)
        last = first + len(references)
        inputs += references
        inputs += outputs.values()
        files = self.open_all(inputs, problems)

        # in lists of different lengths, an empty text is not told from a missing one
        if ragged and dataset.empty_references != "none":
            for file, count in zip(files[first:last], missing, strict=True):
                if file and file.blank > count:
                    message = (
                        f"{file.blank - count} references have no word, and other lists lack "
                        "references: say `empty_references: none` (--empty-references none), or "
                        "fill them"
                    )
                    problems.append(Problem(file.display_name, message))

        # put records with ids into one order
        ids = self._order_by_ids(inputs, len(outputs), files, problems)
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
            lines = _lines(file, 0, file.lines)
            first = [codecs.BOM_UTF8 + next(lines)] if file.lines else []
            written = self._write_like(file, chain(first, lines), file.numbers)
            return replace(written, has_bom=False)

        texts.change(with_mark)

    def _expand_lists(
        self, reference: Input, problems: list[Problem]
    ) -> ExpandedLists:
        """Return the references that an input stands for; adds to problems.

        A column whose records are lists stands for as many references as the longest list has.
        """
        sizes_of_lists = bytearray()
        is_missing = formats.file_of(reference) in self.missing_files
        if isinstance(reference, Column) and not is_missing:
            try:
                sizes_of_lists = formats.sizes_of_lists(
                    reference, self.temp_files
                )
            except CorpusError as error:
                problems += error.problems
                self._opened[reference] = CorpusError([])
        if not isinstance(reference, Column) or not sizes_of_lists:
            return ExpandedLists([reference], [0])
        sizes = np.frombuffer(sizes_of_lists, np.uint8)
        longest = int(sizes.max())
        missing = [int((sizes <= index).sum()) for index in range(longest)]
        null = reference.null or any(missing)
        references: list[Input] = []
        for index in range(longest):
            column = f"{reference.column}[{index}]"
            references.append(replace(reference, column=column, null=null))
        return ExpandedLists(references, missing)

    def _begin(self, text: Input) -> Opening | CorpusError:
        """Return what of an input has to be scanned, or why it cannot be opened.

        Texts that are no lines of UTF-8 are written to a temporary file before.
        """
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
        """Return the result of `make`, which is called with threads, once for each key."""
        with self._lock, threads(self.threads) as shared:
            if key not in self._once:
                self._once[key] = make(shared)
            result: T = self._once[key]
            return result

    def _scan(
        self, openings: Sequence[Opening], shared: Shared, *, uses_cluster: bool
    ) -> dict[TextRange, ScanResult]:
        """Return what is in each range of the texts.

        Ranges of users' files may be scanned by a cluster. What it does not answer, or finds to be
        wrong, is scanned here.
        """
        results: dict[TextRange, ScanResult] = {}
        remote_ranges: set[TextRange] = set()
        if uses_cluster:  # its workers do not have the temporary folder
            for opening in openings:
                if _is_read_in_place(opening):
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

    def _finish(
        self, opening: Opening, results: Mapping[TextRange, ScanResult]
    ) -> TextFile | CorpusError:
        """Return the text whose ranges were scanned, or what is wrong with it.

        A text in a temporary file keeps the file alive.
        """
        try:
            temp_files = None if _is_read_in_place(opening) else self.temp_files
            results_of_text = [results[item] for item in opening.ranges]
            return opening.finish(results_of_text, temp_files)
        except CorpusError as error:
            return error

    def index(self, file: StoredTexts) -> TextFile:
        """Index texts of a temporary file; raises CorpusError."""
        return TextFile.index(file, self.temp_files)

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
        """Return the lines of a text in some ranges low <= i < high, as a text."""
        parts = [np.arange(low + 1, high + 1) for low, high in ranges]
        numbers = np.concatenate(parts)
        if file.numbers is not None:
            numbers = file.numbers[numbers - 1]
        texts = chain.from_iterable(
            _lines(file, low, high) for low, high in ranges
        )
        return self._write_like(file, texts, numbers)

    def _order_by_ids(
        self,
        inputs: Sequence[Input],
        outputs: int,
        files: list[TextFile | None],
        problems: list[Problem],
    ) -> "_IdOrder | None":
        """Put the opened `files` of inputs into the order of the first one that has ids; return its ids.

        The last `outputs` of the inputs are those of systems; the first one with ids must be another
        one. Files without ids are unchanged. A record whose id the first one does not have is left
        out, with a warning. An id that is missing or occurs twice is a problem, and the file becomes
        None. Returns None if no input has ids.
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
        base: _IdOrder | None = None
        orders: dict[TextFile, Ints | None] = {}
        for index, ids in zip(id_columns, opened_ids, strict=True):
            file = files[index]
            files[index] = None
            if ids is None or file is None:
                continue
            with gathered(problems):
                base = base or _IdOrder(ids)
                if ids not in orders:
                    orders[ids] = base.order(ids)
                order = orders[ids]
                files[index] = (
                    file if order is None else self._reorder(file, order)
                )
        return base

    def _reorder(self, file: TextFile, indices: Ints) -> TextFile:
        """Return the lines of a text with these indices, in any order, as a text."""

        def texts() -> Iterator[bytes]:
            # the text is read once for each part
            for low in range(0, len(indices), ORDERED_LINES):
                part = indices[low : low + ORDERED_LINES]
                unique = np.unique(part)
                pairs = zip(unique.tolist(), file.lines_at(unique), strict=True)
                line_at = dict(pairs)
                for index in part.tolist():
                    yield line_at[index].encode()

        return self._write_like(file, texts(), indices + 1)

    def rewrite(
        self, file: TextFile, change: Callable[[bytes], bytes]
    ) -> TextFile:
        """Return a text with each line changed; the lines keep their numbers."""
        texts = map(change, _lines(file, 0, file.lines))
        return self._write_like(file, texts, file.numbers)

    def _write_like(
        self,
        file: TextFile,
        texts: Iterable[bytes],
        numbers: Ints | None,
    ) -> TextFile:
        """Write lines to a temporary file; return them as a text with the name of `file`.

        `numbers` are the numbers of the lines in the file of the user; None: 1, 2, ...
        """
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


def _is_read_in_place(opening: Opening) -> bool:
    """Return whether a text is read from the user's file, not from a temporary one."""
    path, _, origin = opening.file
    return isinstance(path, Remote) or path == Path(origin.name)


def _lines(file: TextFile, low: int, high: int) -> Iterator[bytes]:
    """Yield the lines low <= i < high of a text."""
    for first in range(low, high, BLOCK_LINES):
        last = min(first + BLOCK_LINES, high)
        lines = file.span(first, last).read()
        yield from lines.texts()


# ---- records with ids


class _IdOrder:
    """The ids of the first text that has some, and the order of other texts by them."""

    def __init__(self, base: TextFile) -> None:
        self.base = base
        self.notes: dict[str, None] = {}
        self._line_of = numbered(base)

    def order(self, ids: TextFile) -> Ints | None:
        """Return the index of each id in another text, or None if both have the same order.

        Notes further ids there. Raises CorpusError for a missing id, and for one that occurs twice.
        """
        if ids.digest == self.base.digest:
            return None
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
            raise CorpusError.at(ids.display_name, message)
        if further:
            plural = "s" if len(further) > 1 else ""
            count = f"{len(further):,} record{plural}"
            position = ids.at(line_of[further[0]] + 1)
            first = f"the first is '{further[0]}', {position}"
            left_out = f"{count} left out, whose ids {base.name} does not have"
            self.notes[f"{ids.name}: {left_out}; {first}"] = None
        return np.array([line_of[name] for name in self._line_of], np.int64)
