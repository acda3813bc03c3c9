"""Counts a corpus: cuts it into shards, sends these to workers, and keeps the counts on disk or in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.scan import STRIDE
from ..corpus.texts import MemoryText, read_texts
from ..errors import CorpusError, IncompleteError, LongTextError
from ..io.workers.threads import in_batches, threads
from ..metrics.base.views import TEXTS
from . import shards, workers
from .listener import SILENT
from .options import AUTO
from .prepared_counts import PreparedCounts
from .retry import Runner
from .shards import Missing
from .slow_shards import Watch
from .store.columns_file import BATCH, MemoryStatistics
from .store.unfinished import Cell, Location, Part, read_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..corpus.corpus import Corpus
    from ..io.workers.threads import Shared
    from ..metrics.base.metric import Needs
    from .listener import Listener
    from .options import RunOptions
    from .retry import Lost
    from .shards import Shard
    from .store.columns_file import Statistics
    from .store.run_directory import RunDirectory

    Counted = Mapping[tuple[str, Needs], Statistics | MemoryStatistics]
    """The counts of a data set, by system and needs."""

THREADED = 1 << 17
"""From so many lines on it is worth joining parts with several threads."""


def count_all(
    corpus: Corpus,
    needs: Sequence[Needs],
    directory: RunDirectory,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> tuple[Counted, list[Missing]]:
    """Do what count_to_disk() does, for all views of the data set: texts, edits, and files of numbers."""
    counted: dict[tuple[str, Needs], Statistics | MemoryStatistics] = {}
    missing: list[Missing] = []
    for files, needs_of_files in by_view(corpus, needs):
        counts, lost = count_to_disk(files, needs_of_files, directory, options, listener)
        counted |= counts
        missing += lost
    return counted, missing


def by_view(corpus: Corpus, needs: Sequence[Needs]) -> list[tuple[Corpus, list[Needs]]]:
    """Return each view of a data set, such as its texts or a set of files of numbers, with the needs that read it."""
    if needs and not corpus.views and not corpus.external and all(need.input == TEXTS for need in needs):
        return [(corpus, [*needs])]
    by_view: dict[int, tuple[Corpus, list[Needs]]] = {}
    for need in needs:
        read = corpus.read_by(need)
        by_view.setdefault(id(read), (read, []))[1].append(need)
    return sorted(by_view.values(), key=lambda item: item[0] is not corpus)


def count_to_disk(
    corpus: Corpus,
    needs: Sequence[Needs],
    directory: RunDirectory,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> tuple[Counted, list[Missing]]:
    """Count what the run directory does not have yet; return all counts, and the lines that could not be counted.

    The counts of a shard are written as soon as it is done, so that after an interruption the next run goes on from
    there. Systems with lines that could not be counted are left out of the counts. Raises CorpusError where a file
    has changed meanwhile.
    """
    counts, keys = placed(corpus, needs, directory)
    missing = {cell: keys[cell] for cell in counts if not directory.is_current(counts[cell], keys[cell])}
    directory.announce(counts[cell] for cell in missing)
    work = _Work.of(corpus, missing, options.shard_lines)
    locations = directory.parts({key: counts[cell].schema.width for cell, key in missing.items()})
    undone = [piece for piece in work.pieces if any(cell and cell not in locations for cell in work.cells(piece))]
    listener.stage("counting" if undone else "looking")
    shards_to_count = f"{len(undone):,} of {len(work.pieces):,} shards"
    listener.note(f"{corpus.name}: {shards_to_count} of {len(work.names)} systems to count")
    lost: list[Missing] = []
    if undone:
        written, lost = _counted_to_parts(corpus, work, undone, directory, options, listener)
        locations |= written
    parts = {location.path for location in locations.values()}
    try:
        corpus.check_unchanged()
    except CorpusError:
        directory.remove_parts(parts)  # they may be of the old lines or of the new ones
        raise
    with threads(options.threads if work.missing and corpus.lines > THREADED else 1) as shared:
        _put_in_place(directory, counts, work, locations, shared)
    if not lost:
        directory.remove_parts(parts)
    incomplete = {item.system for item in lost}
    return {cell: item for cell, item in counts.items() if cell[0] not in incomplete}, _merged(lost)


def _counted_to_parts(
    corpus: Corpus,
    work: _Work,
    undone: Sequence[Shard],
    directory: RunDirectory,
    options: RunOptions,
    listener: Listener,
) -> tuple[dict[Cell, Location], list[Missing]]:
    """Count shards; return where their counts are, and the lines that could not be counted.

    Workers write the parts. This process writes those of workers that have another folder, or cannot write.
    """
    locations: dict[Cell, Location] = {}
    missing: list[Missing] = []
    with directory.open_to_workers(machines=options.cluster is not None) as proof:

        def part(piece: Shard) -> Part:
            keys = tuple(cell and cell.key for cell in work.cells(piece))
            return Part(directory.part(piece.low, piece.high, filter(None, keys)), keys, proof)

        for piece, columns, lost in _counted(corpus, work, undone, options, listener, part):
            items = [(cell, item) for cell, item in zip(work.cells(piece), columns, strict=True) if cell]
            locations |= {cell: item for cell, item in items if isinstance(item, Location)}
            arrays = {cell.key: item for cell, item in items if isinstance(item, np.ndarray)}
            locations |= directory.write_part(piece.low, piece.high, arrays) if arrays else {}
            missing += lost
    return locations, missing


def _put_in_place(
    directory: RunDirectory,
    counts: Mapping[tuple[str, Needs], Statistics],
    work: _Work,
    locations: Mapping[Cell, Location],
    shared: Shared,
) -> None:
    """Join the parts of each system. When all are joined, move the joined files to their own paths."""
    joined = []
    for cell, key in work.missing.items():
        own = [locations[Cell(key, *lines)] for lines in work.ranges if Cell(key, *lines) in locations]
        if len(own) == len(work.ranges):
            arrays = in_batches(shared, read_part, own, BATCH)
            joined.append((directory.join(counts[cell], key, arrays, shared), counts[cell]))
    directory.put_in_place(joined)


class _Work(NamedTuple):
    """What is to be counted."""

    names: list[str]
    """The systems of which some counts are missing."""
    needs: list[Needs]
    """The needs of which some counts are missing."""
    pieces: list[Shard]
    """The shards of these systems."""
    missing: Mapping[tuple[str, Needs], str]
    """The keys of the missing counts, by system and needs."""

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        missing: Mapping[tuple[str, Needs], str],
        shard_lines: int | None,
        least: int = shards.MIN_SHARDS,
    ) -> _Work:
        """Return the work for counts that are missing, whose keys are given by system and needs.

        `least` is how many shards there are, unless they would be too small or too large.
        """
        names = list(dict.fromkeys(name for name, _ in missing))
        needs = list(dict.fromkeys(need for _, need in missing))
        texts = corpus.texts()
        size, references = sum(text.size for text in texts), len(corpus.references)
        stride = 1 if all(isinstance(text, MemoryText) for text in texts) else STRIDE
        pieces = shards.cut(corpus.lines, len(names), size, stride, shard_lines, references=references, least=least)
        return cls(names, needs, pieces, missing)

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The lines of the shards, in order."""
        return list(dict.fromkeys((piece.low, piece.high) for piece in self.pieces))

    def grid(self, piece: Shard) -> list[tuple[str, Needs]]:
        """Return the system and needs of each array of a shard, in the order in which a worker returns them."""
        return [(name, need) for need in self.needs for name in self.names[piece.first : piece.last]]

    def cells(self, piece: Shard) -> list[Cell | None]:
        """Return the cell of each array of a shard, in the same order. None: its counts are not missing."""
        keys = [self.missing.get(cell) for cell in self.grid(piece)]
        return [None if key is None else Cell(key, piece.low, piece.high) for key in keys]


def placed(
    corpus: Corpus, needs: Sequence[Needs], directory: RunDirectory
) -> tuple[dict[tuple[str, Needs], Statistics], dict[tuple[str, Needs], str]]:
    """Return, for each system and needs, its counts (which may not be there yet) and their key."""
    from .store.run_directory import counts_key  # here, because counts in memory have no keys

    counts, keys = {}, {}
    for need in needs:
        tokenization = need.tokenization
        base = [*_base(corpus), *([tokenization.version] if tokenization and tokenization.version else [])]
        schema = need.schema(len(corpus.references))
        for name, file in corpus.systems.items():
            counts[name, need] = directory.statistics(corpus.name, name, need.key, schema, corpus.lines)
            keys[name, need] = counts_key([base, file.digest], need)
    return counts, keys


def outdated(corpus: Corpus, needs: Sequence[Needs], directory: RunDirectory) -> list[str]:
    """Return the system of each file of counts that a run would replace, because it is of other texts than now."""
    systems = []
    for files, needs_of_files in by_view(corpus, needs):
        counts, keys = placed(files, needs_of_files, directory)
        systems += [cell[0] for cell, key in keys.items() if counts[cell].is_of_other_texts(key)]
    return systems


def _base(corpus: Corpus) -> list[object]:
    """Return what all counts of a data set depend on."""
    references = [file.digest for file in corpus.references]
    return [corpus.source and corpus.source.digest, references, corpus.lines, corpus.missing]


def count_in_memory(corpus: Corpus, needs: Sequence[Needs], options: RunOptions = AUTO) -> Counted:
    """Count everything and keep the counts in memory; raises IncompleteError where lines cannot be counted."""
    counted: dict[tuple[str, Needs], Statistics | MemoryStatistics] = {}
    for view, needs_of_view in by_view(corpus, needs):
        counted |= _count_view_in_memory(view, needs_of_view, options)
    return counted


def _count_view_in_memory(
    corpus: Corpus, needs: Sequence[Needs], options: RunOptions
) -> dict[tuple[str, Needs], Statistics | MemoryStatistics]:
    """Count a view of a data set and keep the counts in memory."""
    if _is_small(corpus, options):
        try:
            return _count_small(corpus, needs)
        except LongTextError:  # the way below says where
            pass
    cells = {(name, need): "" for need in needs for name in corpus.systems}
    n_jobs, backend = _plan(corpus, options)
    least = {"serial": 1, "threading": 2 * n_jobs}.get(backend, shards.MIN_SHARDS)
    work = _Work.of(corpus, cells, options.shard_lines, least)
    parts = {}
    for piece, columns, lost in _counted(corpus, work, work.pieces, options):
        if lost:
            raise IncompleteError(f"{lost[0]}; there is too little memory, or a fault in the program")
        arrays = (array for array in columns if isinstance(array, np.ndarray))
        parts[piece] = dict(zip(work.grid(piece), arrays, strict=True))
    counted: dict[tuple[str, Needs], Statistics | MemoryStatistics] = {}
    for name, need in work.missing:
        own = [parts[piece][name, need] for piece in work.pieces if (name, need) in parts[piece]]
        counted[name, need] = MemoryStatistics(own, need.schema(len(corpus.references)))
    return counted


SMALL = 1 << 14
"""Up to so many bytes of text in memory, shards and workers take longer than counting does."""


def _is_small(corpus: Corpus, options: RunOptions) -> bool:
    """Return whether all texts are in memory, few, and are counted by this process."""
    if options.n_jobs != 1 or options.backend is not None or options.shard_lines is not None:
        return False
    size = 0
    for text in corpus.texts():
        size += text.size if isinstance(text, MemoryText) else SMALL
    return size < SMALL


def _count_small(corpus: Corpus, needs: Sequence[Needs]) -> dict[tuple[str, Needs], Statistics | MemoryStatistics]:
    """Count a view of a data set at once. Raises LongTextError for a text that is too long to be counted."""
    outputs = {name: read_texts(text, 0, text.lines) for name, text in corpus.systems.items()}
    counted: dict[tuple[str, Needs], Statistics | MemoryStatistics] = {}
    for need in needs:
        counts = PreparedCounts(corpus, need)
        counted |= {(name, need): counts.statistics(texts) for name, texts in outputs.items()}
    return counted


def _counted(
    corpus: Corpus,
    work: _Work,
    undone: Sequence[Shard],
    options: RunOptions,
    listener: Listener = SILENT,
    part: Callable[[Shard], Part | None] = lambda _: None,
) -> Iterator[tuple[Shard, workers.Kept, list[Missing]]]:
    """Yield each shard when it is done, with the columns of its grid() and the lines that could not be counted.

    `part` says where workers may write the columns of a shard; then their locations are yielded in place of them.
    """
    n_jobs, backend = _plan(corpus, options)
    if options.cluster and undone:
        n_jobs = options.cluster.workers()
    whole = sum(_lines(piece) for piece in work.pieces)
    done = whole - sum(_lines(piece) for piece in undone)

    def slow(number: int, seconds: float, middle: float) -> None:
        where = (corpus.references or corpus.texts())[0].at(undone[number].low + 1)
        lines = f"lines {undone[number].low + 1:,} to {undone[number].high:,} (from {where} on)"
        listener.tell(
            f"{corpus.name}: {lines} are slow: {seconds:.0f} s so far, where half of the shards took {middle:.1f} s"
        )

    with Watch(n_jobs, slow) as watch:
        runner = Runner(n_jobs, backend, watch, lambda text: listener.tell(f"{corpus.name}: {text}"), options.cluster)
        for number, columns, lost in runner.run(
            [_task(corpus, work, *item, part(item[1])) for item in enumerate(undone)]
        ):
            yield undone[number], columns, [m for item in lost for m in _missing(corpus, work, undone[number], item)]
            done += _lines(undone[number])
            listener.progress(done, whole)


def _plan(corpus: Corpus, options: RunOptions) -> tuple[int, workers.Backend]:
    """Return how many workers count, and which backend is used."""
    size = sum(text.size for text in corpus.texts())
    return workers.plan(options.n_jobs or "auto", options.backend or "auto", size)


def has_threads(corpus: Corpus, options: RunOptions) -> bool:
    """Return whether several threads of this process count."""
    return _plan(corpus, options)[1] == "threading"


def _task(corpus: Corpus, work: _Work, number: int, piece: Shard, part: Part | None) -> workers.Task:
    names = work.names[piece.first : piece.last]
    outputs = tuple(corpus.systems[name].span(piece.low, piece.high) for name in names)
    source = corpus.source.span(piece.low, piece.high) if corpus.source else None
    references = tuple(text.span(piece.low, piece.high) for text in corpus.references)
    return workers.Task(
        number=number,
        source=source,
        references=references,
        systems=outputs,
        needs=tuple(work.needs),
        missing=corpus.missing,
        kept=tuple(lines[(lines > piece.low) & (lines <= piece.high)] - piece.low - 1 for lines in corpus.kept),
        low=piece.low,
        part=part,
    )


def _missing(corpus: Corpus, work: _Work, piece: Shard, lost: Lost) -> list[Missing]:
    """Return the lines of a shard that could not be counted, with the numbers that they have for the user."""
    names = work.names[piece.first + lost.first : piece.first + lost.last]
    first, last = (corpus.systems[names[0]].number(piece.low + line) for line in (lost.low + 1, lost.high))
    return [Missing(corpus.name, name, first, last) for name in names]


def _merged(lost: Iterable[Missing]) -> list[Missing]:
    """Return the same in order of systems and lines, with neighbouring lines of a system joined."""
    merged: list[Missing] = []
    for item in sorted(lost, key=lambda item: (item.system, item.first)):
        before = merged[-1] if merged else None
        if before and before.system == item.system and before.last + 1 >= item.first:
            merged[-1] = replace(before, last=max(before.last, item.last))
        else:
            merged.append(item)
    return merged


def _lines(piece: Shard) -> int:
    return (piece.high - piece.low) * (piece.last - piece.first)
