"""Counts a corpus: cuts it into shards, sends these to workers, and keeps the counts on disk or in
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..data.scan import STRIDE, changed
from ..data.texts import AnyText, MemoryText, Span, read_span, read_texts
from ..errors import CorpusError, IncompleteError, LongTextError, Problem, StoreError
from ..metrics.base.statistics_spec import CorpusPass, StatisticsSpec, Text, with_corpus_pass
from ..metrics.prepared import Gathered, prepared_text
from ..parallel import threads
from . import workers
from .options import AUTO, SILENT, Listener, Missing, RunOptions
from .store.counts import (
    UNFINISHED,
    WHOLE,
    CountsKey,
    InMemoryCounts,
    Location,
    ShardFile,
    StoredCounts,
    find,
)

if TYPE_CHECKING:
    from ..arrays import Bools, Ints
    from ..data.corpus import Corpus
    from ..kernel.common import Lines
    from .store.run_directory import RunDirectory

    Counted = Mapping[tuple[str, StatisticsSpec], StoredCounts | InMemoryCounts]
    """The counts of a data set, by system and needs."""

# ---- shards: which lines are counted together; they change memory and time, but never a result

MIN_BYTES, MAX_BYTES = 1 << 17, 6 << 20
"""Bytes of text in a shard: enough to be worth a worker's start, few enough for the processor's
caches."""
MIN_SHARDS = 16
"""How many shards a data set is cut into, unless they would be too small."""
MAX_ROWS = 1 << 18
"""At most so many pairs of a line of an output and a reference are in a shard, however short the
lines are: while they are counted, each pair takes some 300 bytes."""


class Shard(NamedTuple):
    """Lines low <= i < high of all systems, which share a pass over source and references."""

    low: int
    high: int


def cut(
    lines: int,
    systems: int,
    size: int,
    stride: int,
    shard_lines: int | None = None,
    *,
    references: int = 1,
    least: int = MIN_SHARDS,
) -> list[Shard]:
    """Cut lines into shards, whatever the number of workers is.

    `size` is the number of bytes of all files together. A shard has `shard_lines` lines; where that
    is None, the number of lines follows from the size and the number of references, and is a
    multiple of `stride`. `least` is how many shards there are, unless they would be too small or
    too large; fewer than MIN_SHARDS are for counts in memory, which nobody keeps if they are
    interrupted."""
    if shard_lines is None:
        target = min(max(size // least, MIN_BYTES), MAX_BYTES)
        most = MAX_ROWS // max(systems * references, 1)
        wanted = lines * target + (
            max(size, 1) - 1 if stride == 1 else 0
        )  # rounded up, so that no rest is left
        shard_lines = max(min(wanted // max(size, 1), most) // stride, 1) * stride
    return [Shard(low, min(low + shard_lines, lines)) for low in range(0, lines, shard_lines)]


ALL = ""
"""What stands for all systems together, which a survey counts."""
WANT = "there is too little memory, or a fault in the program"
"""The end of messages about lines that cannot be counted."""


class _Plan(NamedTuple):
    """What is to be counted of a view of a data set."""

    corpus: Corpus
    names: list[str]
    """The systems of which some counts are missing."""
    spec: list[StatisticsSpec]
    """The needs of which some counts are missing."""
    shards: list[Shard]
    """The shards of these systems."""
    keys: Mapping[tuple[str, StatisticsSpec], str]
    """The keys of the missing counts, by system and needs."""
    found: Mapping[CorpusPass, workers.Found] = {}
    """What the surveys of the needs have found."""

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        keys: Mapping[tuple[str, StatisticsSpec], str],
        shard_lines: int | None,
        least: int = MIN_SHARDS,
        found: Mapping[CorpusPass, workers.Found] | None = None,
    ) -> _Plan:
        """Return the plan for counts that are missing. `least` is how many shards there are (see
        cut).
        """
        names = list(dict.fromkeys(name for name, _ in keys))
        spec = list(dict.fromkeys(need for _, need in keys))
        texts = corpus.texts()
        size, references = sum(text.size for text in texts), len(corpus.references)
        stride = 1 if all(isinstance(text, MemoryText) for text in texts) else STRIDE
        pieces = cut(
            corpus.lines, len(names), size, stride, shard_lines, references=references, least=least
        )
        return cls(corpus, names, spec, pieces, keys, found or {})

    @property
    def grid(self) -> list[tuple[str, StatisticsSpec]]:
        """The system and needs of each array of a shard, in the order in which a worker gives them."""
        return [(name, need) for need in self.spec for name in self.names]

    def file(self, shard: Shard, directory: RunDirectory, proof: Path | None = None) -> ShardFile:
        """Return the file for the counts of a shard."""
        cells, references = self.grid, len(self.corpus.references)
        widths = [need.schema(references).width for _, need in cells]
        return directory.shard_file(
            shard.low, shard.high, [self.keys.get(cell) for cell in cells], widths, proof
        )

    def task(self, number: int, shard: Shard, file: ShardFile | None) -> workers.Task:
        """Return what a worker is given."""
        corpus, (low, high) = self.corpus, shard
        names = self.corpus.systems if self.names == [ALL] else self.names
        incomplete = corpus.references if corpus.missing else ()
        found = (
            tuple(self.found[need.corpus_pass] if need.corpus_pass else None for need in self.spec)
            if self.found
            else ()
        )
        return workers.Task(
            number=number,
            source=corpus.source.span(low, high) if corpus.source else None,
            references=tuple(text.span(low, high) for text in corpus.references),
            systems=tuple(corpus.systems[name].span(low, high) for name in names),
            spec=tuple(self.spec),
            missing_lines=tuple(
                workers.lines_between(text.blanks, low + 1, high + 1) for text in incomplete
            ),
            low=low,
            found=found,
            file=file,
        )

    def missing(self, shard: Shard, lost: workers.Lost) -> list[Missing]:
        """Return the lines of a shard that could not be counted, with the numbers that they have
        for the user.
        """
        names, corpus = self.names[lost.first : lost.last], self.corpus
        if self.names == [ALL]:
            message = f"{corpus.name}: lines {shard.low + lost.low + 1:,} to {shard.low + lost.high:,} cannot be read"
            raise IncompleteError(
                f"{message}, and all lines together decide what each counts; {WANT}"
            )
        first, last = (
            corpus.systems[names[0]].number(shard.low + line) for line in (lost.low + 1, lost.high)
        )
        return [Missing(corpus.name, name, first, last) for name in names]


def _by_view(
    corpus: Corpus, spec: Sequence[StatisticsSpec]
) -> list[tuple[Corpus, list[StatisticsSpec]]]:
    """Return each view of a data set, such as its texts or a set of files of numbers, with the
    needs that read it.
    """
    by_view: dict[int, tuple[Corpus, list[StatisticsSpec]]] = {}
    for need in spec:
        read = corpus.read_by(need)
        by_view.setdefault(id(read), (read, []))[1].append(need)
    return sorted(by_view.values(), key=lambda item: item[0] is not corpus)


def _counted(
    plan: _Plan,
    undone: Sequence[Shard],
    options: RunOptions,
    listener: Listener = SILENT,
    file: Callable[[Shard], ShardFile | None] = lambda _: None,
) -> Iterator[tuple[Shard, workers.Columns | None, list[Missing]]]:
    """Yield each shard when it is done, with its columns (None: workers have written them), and the
    lines not counted.

    `file` says where workers may write the columns of a shard.
    """
    corpus = plan.corpus
    n_jobs, backend = _workers(corpus, options)
    if options.cluster and undone:
        n_jobs = options.cluster.workers()
    whole = len(plan.names) * corpus.lines
    done = whole - len(plan.names) * sum(shard.high - shard.low for shard in undone)
    tasks = [plan.task(number, shard, file(shard)) for number, shard in enumerate(undone)]
    warn = lambda text: listener.warn(f"{corpus.name}: {text}")  # noqa: E731 (it is only handed on)
    for number, columns, lost in workers.Runner(n_jobs, backend, warn, options.cluster).run(tasks):
        shard = undone[number]
        yield shard, columns, [missing for item in lost for missing in plan.missing(shard, item)]
        done += len(plan.names) * (shard.high - shard.low)
        listener.read(sum(text.size for text in tasks[number].texts if isinstance(text, Span)))
        listener.progress(done, whole)


def _workers(corpus: Corpus, options: RunOptions) -> tuple[int, workers.Backend]:
    """Return how many workers count, and which backend is used."""
    texts = corpus.texts()
    in_memory = all(isinstance(text, MemoryText) for text in texts)
    size = sum(text.size for text in texts)
    return workers.plan(
        options.n_jobs or "auto", options.backend or "auto", size, in_memory=in_memory
    )


# ---- counts on disk

THREADED = 1 << 17
"""From so many lines on it is worth joining the counts of shards with several threads."""


def count_all(
    views: Iterable[tuple[Corpus, Sequence[StatisticsSpec]]],
    directory: RunDirectory,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> tuple[Counted, list[Missing]]:
    """Count what the run directory does not have yet; return all counts, and the lines that could
    not be counted.

    `views` are those of a data set, each with the needs that read it: texts, edits, and files of
    numbers. The counts of a shard are written as soon as it is done, so that after an interruption
    the next run goes on from there. Systems with lines that could not be counted are left out of
    the counts. Raises CorpusError where a file has changed meanwhile."""
    workers.keep_memory()
    counted, every_lost = (
        dict[tuple[str, StatisticsSpec], StoredCounts | InMemoryCounts](),
        list[Missing](),
    )
    for corpus, spec in views:
        counts, keys = placed(corpus, spec, directory)
        missing = {
            cell: keys[cell]
            for cell in counts
            if not directory.is_current(counts[cell], keys[cell])
        }
        directory.announce(counts[cell] for cell in missing)
        found = _surveyed_to_disk(
            corpus, [need for _, need in missing], directory, options, listener
        )
        parts = _unfinished(directory, missing, corpus)
        plan = _Plan.of(corpus, missing, options.shard_lines or _lines_of_shard(parts), found=found)
        locations, lost = _counted_to_files(plan, directory, options, listener, parts)
        joined = []
        with threads(options.threads if missing and corpus.lines > THREADED else 1) as shared:
            for cell, key in missing.items():
                own = [
                    locations[of]
                    for of in (CountsKey(key, *shard) for shard in plan.shards)
                    if of in locations
                ]
                if len(own) == len(plan.shards):
                    joined.append((directory.join(counts[cell], key, own, shared), counts[cell]))
        directory.put_in_place(joined)  # when all are joined: none is lost where the disk is full
        if not lost:
            directory.remove_parts({location.path for location in locations.values()})
        incomplete = {item.system for item in lost}
        counted |= {cell: item for cell, item in counts.items() if cell[0] not in incomplete}
        every_lost += _merged(lost)
    return counted, every_lost


def _lines_of_shard(parts: Iterable[CountsKey]) -> int | None:
    """Return how many lines the shards have of which some are counted; None where none is."""
    return next((key.high for key in parts if not key.low), None)


def _surveyed_to_disk(
    corpus: Corpus,
    spec: Iterable[StatisticsSpec],
    directory: RunDirectory,
    options: RunOptions,
    listener: Listener,
) -> dict[CorpusPass, workers.Found]:
    """Return what the surveys of needs find in a data set. What the run directory does not have yet
    is counted.
    """
    with_corpus_pass = {}
    for corpus_pass, view in _surveys(corpus, spec):
        key = _key(view, corpus_pass, [text.digest for text in view.systems.values()])
        file = directory.whole_file(
            corpus.name, corpus.lines, corpus_pass, f"{WHOLE}{key}", len(corpus.references)
        )
        if not file.locations(read=True):
            directory.announce([file])
            keys: Mapping[tuple[str, StatisticsSpec], str] = {(ALL, corpus_pass): f"{WHOLE}{key}"}
            plan = _Plan.of(view, keys, options.shard_lines)
            parts = _unfinished(directory, keys, view)
            locations, _ = _counted_to_files(plan, directory, options, listener, parts, "surveying")
            arrays = (locations[CountsKey(f"{WHOLE}{key}", *shard)].read() for shard in plan.shards)
            file.write([workers.joined(corpus_pass, len(corpus.references), arrays)])
            directory.remove_parts({location.path for location in locations.values()})
        with_corpus_pass[corpus_pass] = workers.Found(
            corpus_pass, len(corpus.references), *file.locations().values()
        )
    return with_corpus_pass


def _surveys(corpus: Corpus, spec: Iterable[StatisticsSpec]) -> Iterator[tuple[CorpusPass, Corpus]]:
    """Yield the surveys of needs, each with the data set that it reads: without systems where it
    reads none.
    """
    for corpus_pass in dict.fromkeys(need.corpus_pass for need in spec):
        if corpus_pass:
            yield corpus_pass, corpus if corpus_pass.of_systems else corpus.without(corpus.systems)


def _unfinished(
    directory: RunDirectory, keys: Mapping[tuple[str, StatisticsSpec], str], corpus: Corpus
) -> dict[CountsKey, Location]:
    """Return where the run directory has counts of shards with some keys, which are not joined yet."""
    references = len(corpus.references)
    widths = {key: spec.schema(references).width for (_, spec), key in keys.items()}
    return find(directory.path / UNFINISHED, widths)


def _counted_to_files(
    plan: _Plan,
    directory: RunDirectory,
    options: RunOptions,
    listener: Listener,
    parts: Mapping[CountsKey, Location],
    stage: str = "counting",
) -> tuple[dict[CountsKey, Location], list[Missing]]:
    """Count the shards that are not among `parts`; return where all are, and the lines that are
    lost.
    """
    keys, locations = plan.keys.values(), dict(parts)
    undone = [
        shard
        for shard in plan.shards
        if any(CountsKey(key, *shard) not in locations for key in keys)
    ]
    listener.stage(stage if undone else "looking")
    shards_to_count = f"{len(undone):,} of {len(plan.shards):,} shards"
    whole = "to survey" if plan.names == [ALL] else f"of {len(plan.names)} systems to count"
    listener.note(f"{plan.corpus.name}: {shards_to_count} {whole}")
    missing: list[Missing] = []
    if undone:
        with directory.open_to_workers(machines=options.cluster is not None) as proof:
            counted = _counted(
                plan, undone, options, listener, lambda shard: plan.file(shard, directory, proof)
            )
            for shard, columns, lost in counted:
                file = plan.file(shard, directory)
                if columns is not None:  # of a worker that has another folder, or cannot write
                    file.write(columns)
                found = file.locations()
                if columns is None and not found:
                    raise StoreError(
                        f"{file.path}: is gone, or damaged; run the same command again"
                    )
                locations |= found
                missing += lost
    if altered := dict.fromkeys(text.display_name for text in plan.corpus.texts() if changed(text)):
        directory.remove_parts(
            {location.path for location in locations.values()}
        )  # of the old lines or of the new
        message = (
            "changed while it was being scored; nothing of it is kept: run the same command again"
        )
        raise CorpusError([Problem(name, message) for name in altered])
    return locations, missing


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


def placed(
    corpus: Corpus, spec: Sequence[StatisticsSpec], directory: RunDirectory
) -> tuple[dict[tuple[str, StatisticsSpec], StoredCounts], dict[tuple[str, StatisticsSpec], str]]:
    """Return, for each system and needs, its counts (which may not be there yet) and their key."""
    counts, keys = {}, {}
    for need in spec:
        schema = need.schema(len(corpus.references))
        every = (
            [text.digest for text in corpus.systems.values()]
            if need.corpus_pass and need.corpus_pass.of_systems
            else []
        )
        for name, file in corpus.systems.items():
            counts[name, need] = directory.counts(corpus.name, name, need.key, schema, corpus.lines)
            keys[name, need] = _key(corpus, need, file.digest, *every)
    return counts, keys


def _key(corpus: Corpus, need: StatisticsSpec, *outputs: object) -> str:
    """Return the key of counts of a data set, which depend on what stands for outputs, and on its
    other texts.
    """
    from .store.run_directory import counts_key  # here, because counts in memory have no keys

    references = [file.digest for file in corpus.references]
    common = [corpus.source and corpus.source.digest, references, corpus.lines, corpus.missing]
    tokenization = need.tokenization
    base = [*common, *([tokenization.version] if tokenization and tokenization.version else [])]
    return counts_key([base, *outputs], need)


# ---- counts in memory

SMALL = 1 << 14
"""Up to so many bytes of text in memory, shards and workers take longer than counting does."""
FEW = 1024
"""With fewer lines, columns are kept as they were counted."""


def count_in_memory(
    corpus: Corpus, spec: Sequence[StatisticsSpec], options: RunOptions = AUTO
) -> Counted:
    """Count everything and keep the counts in memory; raises IncompleteError where lines cannot be
    counted.
    """
    counted: dict[tuple[str, StatisticsSpec], StoredCounts | InMemoryCounts] = {}
    for view, needs_of_view in _by_view(corpus, spec):
        is_alone = options.n_jobs == 1 and options.backend is None and options.shard_lines is None
        if (
            is_alone
            and sum(text.size if isinstance(text, MemoryText) else SMALL for text in view.texts())
            < SMALL
        ):
            try:
                outputs = {name: read_texts(text) for name, text in view.systems.items()}
                for need in needs_of_view:
                    counts = PreparedCounts(view, need)
                    counted |= {
                        (name, need): counts.counts(texts) for name, texts in outputs.items()
                    }
                continue
            except LongTextError:  # the way below says where
                pass
        corpus_passes = {}
        for corpus_pass, read in _surveys(view, needs_of_view):
            plan = _Plan.of(read, {(ALL, corpus_pass): ""}, options.shard_lines)
            every = {shard: columns for shard, columns, _ in _counted(plan, plan.shards, options)}
            rows = (
                array
                for shard in plan.shards
                for array in every.pop(shard) or []
                if array is not None
            )
            joined = workers.joined(corpus_pass, len(read.references), rows)
            corpus_passes[corpus_pass] = workers.Found(corpus_pass, len(read.references), joined)
        cells = {(name, need): "" for need in needs_of_view for name in view.systems}
        n_jobs, backend = _workers(view, options)
        least = {"serial": 1, "threading": 2 * n_jobs}.get(backend, MIN_SHARDS)
        plan = _Plan.of(view, cells, options.shard_lines, least, corpus_passes)
        parts = {}
        for shard, columns, lost in _counted(plan, plan.shards, options):
            if lost:
                raise IncompleteError(f"{lost[0]}; {WANT}")
            parts[shard] = dict(zip(plan.grid, columns or [], strict=True))
        for cell in cells:
            arrays = [parts[shard][cell] for shard in plan.shards]
            schema = cell[1].schema(len(view.references))
            counted[cell] = InMemoryCounts([array for array in arrays if array is not None], schema)
    return counted


class PreparedCounts:
    """Source and references of a data set, prepared for the columns of some needs, by the process
    that asks.
    """

    def __init__(self, corpus: Corpus, spec: StatisticsSpec) -> None:
        """Prepare the view of a data set that the needs read."""

        def lines(text: AnyText) -> Lines:
            span = text.span(0, text.lines)
            return read_span(span) if isinstance(span, Span) else span

        self.references, self.every = len(corpus.references), np.arange(corpus.lines)
        self.schema = spec.schema(self.references)
        self.blank: Bools | None = None  # which references are missing
        source = lines(corpus.source) if corpus.source and spec.source else None
        kept = [lines(text) for text in corpus.references]
        if corpus.missing:
            kept, self.blank = workers.without(
                kept, [reference.blanks - 1 for reference in corpus.references]
            )
        systems = (
            list(map(lines, corpus.systems.values()))
            if spec.corpus_pass and spec.corpus_pass.of_systems
            else []
        )
        text = with_corpus_pass(spec, Text(source, kept, systems, {}, missing=self.blank))
        self.whole = text.whole
        """What the survey of the needs has found."""
        self._prepared = Gathered(spec, text) if corpus.computed else prepared_text(spec, text)

    def columns(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, each with the line whose number `rows` has.

        Missing references have ref_len -1. Raises as Prepared.count() does.
        """
        columns = self._prepared.count(outputs, rows)
        if self.blank is not None and "ref_len" in columns:
            columns["ref_len"] = np.where(self.blank[rows], -1, columns["ref_len"])
        return columns

    def counts(self, outputs: Sequence[str]) -> InMemoryCounts:
        """Return the counts of one output for each line. Raises as Prepared.count() does."""
        columns = self.columns(outputs, self.every)
        if len(outputs) < FEW:
            return InMemoryCounts([], self.schema, columns)
        return InMemoryCounts([self.schema.narrowed(columns)], self.schema)
