"""From a corpus to its statistics: shards cut, sent to workers, what comes back kept on disk or in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..corpus.index import STRIDE
from ..errors import CorpusError, IncompleteError
from . import shards, workers
from .listener import SILENT
from .options import AUTO
from .retry import Runner
from .shards import Missing
from .slow_shards import Watch
from .store.columns_file import MemoryStatistics
from .store.run_directory import counts_key
from .store.unfinished import Cell, read_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ..corpus.corpus import Corpus
    from ..metrics.base.metric import Needs
    from .listener import Listener
    from .options import RunOptions
    from .retry import Lost
    from .shards import Shard
    from .store.columns_file import Statistics
    from .store.run_directory import RunDirectory
    from .store.unfinished import Found

    Counted = Mapping[tuple[str, Needs], Statistics | MemoryStatistics]


def count_all(
    corpus: Corpus,
    needs: Sequence[Needs],
    directory: RunDirectory,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> tuple[Counted, list[Missing]]:
    """Do what count_to_disk() does, for needs of text and of files of numbers."""
    counted: dict[tuple[str, Needs], Statistics | MemoryStatistics] = {}
    missing: list[Missing] = []
    for files, wanted in by_files(corpus, needs):
        found, lost = count_to_disk(files, wanted, directory, options, listener)
        counted |= found
        missing += lost
    return counted, missing


def by_files(corpus: Corpus, needs: Sequence[Needs]) -> list[tuple[Corpus, list[Needs]]]:
    """Return what is read for some needs, and which: the texts first, then files of numbers."""
    of_text = [need for need in needs if need.key not in corpus.external]
    numbers = [(corpus.external[need.key], [need]) for need in needs if need.key in corpus.external]
    return [*([(corpus, of_text)] if of_text else []), *numbers]


def count_to_disk(
    corpus: Corpus,
    needs: Sequence[Needs],
    directory: RunDirectory,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> tuple[Counted, list[Missing]]:
    """Have the columns counted that are not in the run directory yet; return where all of them are.

    What a shard gave is written as it comes, under the keys of its content: after an interruption the next run goes
    on from there. Systems with lines that could not be counted are left out of what is returned, and told.
    Raises CorpusError where a file changed meanwhile.
    """
    places, keys = placed(corpus, needs, directory)
    missing = {cell: keys[cell] for cell in places if not directory.is_current(places[cell], keys[cell])}
    directory.announce(places[cell] for cell in missing)
    work = _Work.of(corpus, missing, options.shard_lines)
    known = directory.parts({key: places[cell].schema.width for cell, key in missing.items()})
    undone = [piece for piece in work.pieces if any(cell and cell not in known for cell in work.cells(piece))]
    listener.stage("counting" if undone else "looking")
    shards_to_count = f"{len(undone):,} of {len(work.pieces):,} shards"
    listener.note(f"{corpus.name}: {shards_to_count} of {len(work.names)} systems to count")
    lost: list[Missing] = []
    for piece, arrays, gone in _counted(corpus, work, undone, options, listener):
        pairs = zip(work.cells(piece), arrays, strict=True)
        known |= directory.write_part(piece.low, piece.high, {c.key: a for c, a in pairs if c and a is not None})
        lost += gone
    parts = {found.path for found in known.values()}
    try:
        corpus.check_unchanged()
    except CorpusError:
        directory.remove_parts(parts)  # which of them are of the old lines cannot be told
        raise
    _put_in_place(directory, places, work, known)
    if not lost:
        directory.remove_parts(parts)
    incomplete = {item.system for item in lost}
    return {cell: place for cell, place in places.items() if cell[0] not in incomplete}, _merged(lost)


def _put_in_place(
    directory: RunDirectory,
    places: Mapping[tuple[str, Needs], Statistics],
    work: _Work,
    known: Mapping[Cell, Found],
) -> None:
    """Join what belongs together, and move it to its place, all or none: until then a later run goes on from parts."""
    joined = []
    for cell, key in work.missing.items():
        own = [known[Cell(key, *lines)] for lines in work.ranges if Cell(key, *lines) in known]
        if len(own) == len(work.ranges):
            joined.append((directory.join(places[cell], key, map(read_part, own)), places[cell]))
    directory.put_in_place(joined)


class _Work(NamedTuple):
    """What is to be counted: systems and needs of which some columns are missing, and the shards."""

    names: list[str]
    needs: list[Needs]
    pieces: list[Shard]
    missing: Mapping[tuple[str, Needs], str]

    @classmethod
    def of(cls, corpus: Corpus, missing: Mapping[tuple[str, Needs], str], shard_lines: int | None) -> _Work:
        """Return the work for columns that are missing: their keys by system and needs."""
        names = list(dict.fromkeys(name for name, _ in missing))
        needs = list(dict.fromkeys(need for _, need in missing))
        size = sum(text.size for text in corpus.texts())
        return cls(names, needs, shards.cut(corpus.lines, len(names), size, STRIDE, shard_lines), missing)

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The lines of the shards, in order."""
        return list(dict.fromkeys((piece.low, piece.high) for piece in self.pieces))

    def grid(self, piece: Shard) -> list[tuple[str, Needs]]:
        """Return what the arrays of a shard are, in the order in which a worker gives them."""
        return [(name, need) for need in self.needs for name in self.names[piece.first : piece.last]]

    def cells(self, piece: Shard) -> list[Cell | None]:
        """Return the same as they are known on disk; None for those that are in place already."""
        keys = [self.missing.get(cell) for cell in self.grid(piece)]
        return [None if key is None else Cell(key, piece.low, piece.high) for key in keys]


def placed(
    corpus: Corpus, needs: Sequence[Needs], directory: RunDirectory
) -> tuple[dict[tuple[str, Needs], Statistics], dict[tuple[str, Needs], str]]:
    """Return, for each system and needs, where its columns are or will be, and the key of what they depend on."""
    places, keys = {}, {}
    for need in needs:
        tokenization = need.tokenization
        base = [*_base(corpus), *([tokenization.version] if tokenization and tokenization.version else [])]
        schema = need.schema(len(corpus.references))
        for name, file in corpus.systems.items():
            places[name, need] = directory.statistics(corpus.name, name, need.key, schema, corpus.lines)
            keys[name, need] = counts_key([base, file.digest], need)
    return places, keys


def _base(corpus: Corpus) -> list[object]:
    """Return what all columns of a data set depend on."""
    references = [file.digest for file in corpus.references]
    return [corpus.source and corpus.source.digest, references, corpus.lines, corpus.missing]


def count_in_memory(corpus: Corpus, needs: Sequence[Needs], options: RunOptions = AUTO) -> Counted:
    """Have all columns counted and keep them; raises IncompleteError where lines cannot be counted."""
    work = _Work.of(corpus, {(name, need): "" for need in needs for name in corpus.systems}, options.shard_lines)
    parts = {}
    for piece, found, lost in _counted(corpus, work, work.pieces, options):
        if lost:
            raise IncompleteError(f"{lost[0]}; there is too little memory, or a fault in the program")
        parts[piece] = dict(zip(work.grid(piece), found, strict=True))
    counted = {}
    for name, need in work.missing:
        arrays = [parts[piece].get((name, need)) for piece in work.pieces]
        own = [array for array in arrays if array is not None]
        counted[name, need] = MemoryStatistics(own, need.schema(len(corpus.references)))
    return counted


def _counted(
    corpus: Corpus, work: _Work, undone: Sequence[Shard], options: RunOptions, listener: Listener = SILENT
) -> Iterator[tuple[Shard, list[NDArray[np.integer] | None], list[Missing]]]:
    """Yield shards as workers finish them: packed columns of each cell of the grid, and what could not be counted."""
    size = sum(text.size for text in corpus.texts())
    n_jobs, backend = workers.plan(options.n_jobs or "auto", options.backend or "auto", size)
    if options.cluster and undone:
        n_jobs = options.cluster.workers()
    whole = sum(_lines(piece) for piece in work.pieces)
    done = whole - sum(_lines(piece) for piece in undone)

    def slow(number: int, seconds: float, middle: float) -> None:
        where = corpus.references[0].at(undone[number].low + 1)
        lines = f"lines {undone[number].low + 1:,} to {undone[number].high:,} (from {where} on)"
        listener.tell(
            f"{corpus.name}: {lines} are slow: {seconds:.0f} s so far, where half of the shards took {middle:.1f} s"
        )

    with Watch(n_jobs, slow) as watch:
        runner = Runner(n_jobs, backend, watch, lambda text: listener.tell(f"{corpus.name}: {text}"), options.cluster)
        for number, arrays, lost in runner.run([_task(corpus, work, *item) for item in enumerate(undone)]):
            yield undone[number], arrays, [item for one in lost for item in _missing(corpus, work, undone[number], one)]
            done += _lines(undone[number])
            listener.progress(done, whole)


def _task(corpus: Corpus, work: _Work, number: int, piece: Shard) -> workers.Task:
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
        low=piece.low,
    )


def _missing(corpus: Corpus, work: _Work, piece: Shard, lost: Lost) -> list[Missing]:
    """Return what was lost of a shard as the user counts lines."""
    names = work.names[piece.first + lost.first : piece.first + lost.last]
    first, last = (corpus.systems[names[0]].number(piece.low + place) for place in (lost.low + 1, lost.high))
    return [Missing(corpus.name, name, first, last) for name in names]


def _merged(lost: Iterable[Missing]) -> list[Missing]:
    """Return the same in order, neighbouring lines of a system as one."""
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
