"""Counts a data set: cuts it into shards, has workers count them, and stores the counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..data import AnyText, MemoryText, Span
from ..errors import (
    CorpusError,
    IncompleteError,
    LongTextError,
    Problem,
    StoreError,
)
from ..metrics.base import CorpusPass, StatisticsSpec, Text
from ..parallel import threads
from . import workers
from .options import AUTO, SILENT, Listener, Missing, RunOptions
from .store.counts import (
    CORPUS_KEY_PREFIX,
    UNFINISHED,
    CountsKey,
    InMemoryCounts,
    Location,
    ShardFile,
    StoredCounts,
    counts_key,
    delete,
    find,
)

if TYPE_CHECKING:
    from ..arrays import Bools, Ints
    from ..data import Corpus
    from ..kernel.common import Lines
    from .store.run_directory import RunDirectory

Cell = tuple[str, StatisticsSpec]
"""A system and a specification of statistics."""
Counts = StoredCounts | InMemoryCounts
"""The counts of a system."""
Counted = Mapping[Cell, Counts]
"""The counts of a data set."""

# ---- shards: which lines are counted together; they change memory and time, but never a result

MIN_BYTES = 1 << 17
"""Bytes of text in a shard that are worth a worker's start."""
STRIDE = 128
"""Shards are cut at multiples of so many lines."""
MAX_BYTES = 6 << 20
"""Limits the bytes of text in a shard, so that they fit into the processor's caches."""
MIN_SHARDS = 16
"""How many shards a data set is cut into, unless they would have fewer than MIN_BYTES bytes."""
MAX_ROWS = 1 << 18
"""Limits the pairs of an output's line and a reference in a shard: counting a pair takes some 300
bytes."""


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
    """Cut lines into shards, independently of the number of workers.

    `size` is the number of bytes of all files together. `shard_lines` is the number of lines of a
    shard; by default it follows from the size and the number of references, and is a multiple of
    `stride`. `least` is the number of shards, unless they would be too small or too large; fewer
    than MIN_SHARDS are for counts in memory, which an interruption loses anyway.
    """
    if shard_lines is None:
        size = max(size, 1)
        target_bytes = min(max(size // least, MIN_BYTES), MAX_BYTES)
        rows_of_line = max(systems * references, 1)
        max_lines = MAX_ROWS // rows_of_line
        target_lines, rest = divmod(lines * target_bytes, size)
        if stride == 1 and rest:
            target_lines += 1  # else a small shard would be left
        strides = min(target_lines, max_lines) // stride
        shard_lines = max(strides, 1) * stride
    shards = []
    for low in range(0, lines, shard_lines):
        high = min(low + shard_lines, lines)
        shards.append(Shard(low, high))
    return shards


ALL = ""
"""The name of all systems together, which a corpus pass counts."""
UNCOUNTABLE_HINT = "there is too little memory, or a fault in the program"
"""The end of messages about lines that cannot be counted."""


class _Plan(NamedTuple):
    """What is to be counted of a view of a data set."""

    corpus: Corpus
    names: list[str]
    """The systems of which some counts are missing."""
    specs: list[StatisticsSpec]
    """The specifications of which some counts are missing."""
    shards: list[Shard]
    keys: Mapping[Cell, str]
    """The keys of the missing counts."""
    passes: Mapping[CorpusPass, workers.Found] = {}
    """The results of the corpus passes of the specifications."""

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        keys: Mapping[Cell, str],
        shard_lines: int | None,
        least: int = MIN_SHARDS,
        passes: Mapping[CorpusPass, workers.Found] | None = None,
    ) -> _Plan:
        """Return the plan for missing counts; `least` is the number of shards (see cut)."""
        names = list(dict.fromkeys(name for name, _ in keys))
        specs = list(dict.fromkeys(spec for _, spec in keys))
        shards = cut(
            corpus.lines,
            len(names),
            sum(text.size for text in corpus.texts),
            1 if _is_in_memory(corpus) else STRIDE,
            shard_lines,
            references=len(corpus.references),
            least=least,
        )
        return cls(corpus, names, specs, shards, keys, passes or {})

    @property
    def cells(self) -> list[Cell]:
        """The system and specification of each array of a shard, in the order of a worker."""
        cells = []
        for spec in self.specs:
            cells += [(name, spec) for name in self.names]
        return cells

    def file(
        self,
        shard: Shard,
        directory: RunDirectory,
        proof: Path | None = None,
    ) -> ShardFile:
        """Return the file for the counts of a shard."""
        references = len(self.corpus.references)
        cells = self.cells
        keys = [self.keys.get(cell) for cell in cells]
        widths = [spec.schema(references).width for _, spec in cells]
        return directory.shard_file(shard.low, shard.high, keys, widths, proof)

    def task(
        self,
        number: int,
        shard: Shard,
        file: ShardFile | None,
    ) -> workers.Task:
        """Return the task of a worker for a shard."""
        corpus = self.corpus
        low, high = shard
        names = self.corpus.systems if self.names == [ALL] else self.names
        source = None
        if corpus.source:
            source = corpus.source.span(low, high)
        references = [text.span(low, high) for text in corpus.references]
        systems = [corpus.systems[name].span(low, high) for name in names]
        pass_results: list[workers.Found | None] = []
        if self.passes:
            for spec in self.specs:
                result = None
                if spec.corpus_pass:
                    result = self.passes[spec.corpus_pass]
                pass_results.append(result)
        missing_lines: list[Ints] = []
        if corpus.missing:
            for text in corpus.references:
                lines = workers.lines_between(text.blanks, low + 1, high + 1)
                missing_lines.append(lines)
        return workers.Task(
            number=number,
            source=source,
            references=tuple(references),
            systems=tuple(systems),
            spec=tuple(self.specs),
            missing_lines=tuple(missing_lines),
            low=low,
            found=tuple(pass_results),
            file=file,
        )

    def missing(self, shard: Shard, lost: workers.Lost) -> list[Missing]:
        """Return the lines of a shard that could not be counted, by their numbers for the user.

        Raises IncompleteError for a corpus pass.
        """
        corpus = self.corpus
        names = self.names[lost.first : lost.last]
        first = shard.low + lost.low + 1
        last = shard.low + lost.high
        if self.names == [ALL]:
            lines = f"{corpus.name}: lines {first:,} to {last:,} cannot be read"
            consequence = "and all lines together decide what each counts"
            raise IncompleteError(f"{lines}, {consequence}; {UNCOUNTABLE_HINT}")
        text = corpus.systems[names[0]]
        numbers = (text.number(first), text.number(last))
        return [Missing(corpus.name, name, *numbers) for name in names]


def _by_view(
    corpus: Corpus, specs: Sequence[StatisticsSpec]
) -> list[tuple[Corpus, list[StatisticsSpec]]]:
    """Return each view of a data set, the texts first, with the specifications that read it."""
    groups: dict[int, tuple[Corpus, list[StatisticsSpec]]] = {}
    for spec in specs:
        view = corpus.read_by(spec)
        _, specs_of_view = groups.setdefault(id(view), (view, []))
        specs_of_view.append(spec)
    return sorted(groups.values(), key=lambda group: group[0] is not corpus)


class _CountedShard(NamedTuple):
    """A shard that is done."""

    shard: Shard
    columns: workers.Columns | None
    """None: a worker has written them."""
    missing: list[Missing]
    """The lines that could not be counted."""


def _counted(
    plan: _Plan,
    undone: Sequence[Shard],
    options: RunOptions,
    listener: Listener = SILENT,
    file: Callable[[Shard], ShardFile | None] = lambda _: None,
) -> Iterator[_CountedShard]:
    """Yield each shard when it is done; `file` returns where workers may write its columns."""
    corpus = plan.corpus
    n_jobs, backend = _workers(corpus, options)
    if options.cluster and undone:
        n_jobs = options.cluster.workers()
    systems = len(plan.names)
    total = systems * corpus.lines
    undone_lines = sum(shard.high - shard.low for shard in undone)
    done = total - systems * undone_lines
    tasks = []
    for number, shard in enumerate(undone):
        tasks.append(plan.task(number, shard, file(shard)))

    def warn(text: str) -> None:
        listener.warn(f"{corpus.name}: {text}")

    runner = workers.Runner(n_jobs, backend, warn, options.cluster)
    for number, columns, lost in runner.run(tasks):
        shard = undone[number]
        missing = []
        for item in lost:
            missing += plan.missing(shard, item)
        yield _CountedShard(shard, columns, missing)
        done += systems * (shard.high - shard.low)
        bytes_read = 0
        for text in tasks[number].texts:
            if isinstance(text, Span):
                bytes_read += text.size
        listener.read(bytes_read)
        listener.progress(done, total)


def _workers(
    corpus: Corpus, options: RunOptions
) -> tuple[int, workers.Backend]:
    """Return how many workers count, and which backend is used."""
    return workers.plan(
        options.n_jobs or "auto",
        options.backend or "auto",
        sum(text.size for text in corpus.texts),
        in_memory=_is_in_memory(corpus),
    )


def _is_in_memory(corpus: Corpus) -> bool:
    return all(isinstance(text, MemoryText) for text in corpus.texts)


# ---- counts on disk

MIN_THREADED_LINES = 1 << 17
"""With more lines, several threads join the counts of shards."""


def count_all(
    corpus: Corpus,
    specs: Sequence[StatisticsSpec],
    directory: RunDirectory,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> tuple[Counted, list[Missing]]:
    """Count what the run directory does not have; return all counts, and uncountable lines.

    The counts of a shard are written as soon as it is done, so that the next run goes on from there
    after an interruption. Systems with lines that could not be counted are left out of the counts.
    Raises CorpusError if a file has changed meanwhile.
    """
    workers.keep_memory()
    counted: dict[Cell, Counts] = {}
    all_missing: list[Missing] = []
    for view, view_specs in _by_view(corpus, specs):
        # find out what is missing
        counts = _stored_counts(view, view_specs, directory)
        to_count: dict[Cell, StoredCounts] = {}
        for cell, stored in counts.items():
            if not directory.is_current(stored):
                to_count[cell] = stored
        directory.announce(to_count.values())

        # count it
        specs_to_count = [spec for _, spec in to_count]
        passes = _passes_on_disk(
            view, specs_to_count, directory, options, listener
        )
        keys = {cell: stored.key for cell, stored in to_count.items()}
        parts = _counted_to_files(
            view, keys, directory, options, listener, passes
        )

        # join the shards
        incomplete = {item.system for item in parts.missing}
        uses_threads = to_count and view.lines > MIN_THREADED_LINES
        number = options.threads if uses_threads else 1
        joined = []
        with threads(number) as shared:
            for (name, _), stored in to_count.items():
                if name not in incomplete:
                    locations = parts.with_key(stored.key)
                    file = directory.join(stored, locations, shared)
                    joined.append((file, stored))
        # when all are joined: none is lost if the disk is full
        directory.put_in_place(joined)
        if not parts.missing:
            parts.delete()
        for (name, spec), stored in counts.items():
            if name not in incomplete:
                counted[name, spec] = stored
        all_missing += _merged(parts.missing)
    return counted, all_missing


def _passes_on_disk(
    corpus: Corpus,
    specs: Iterable[StatisticsSpec],
    directory: RunDirectory,
    options: RunOptions,
    listener: Listener,
) -> dict[CorpusPass, workers.Found]:
    """Return the results of corpus passes; what the run directory does not have is counted."""
    passes = {}
    references = len(corpus.references)
    for corpus_pass, view in _corpus_passes(corpus, specs):
        outputs = [text.digest for text in view.systems.values()]
        key = f"{CORPUS_KEY_PREFIX}{_key(view, corpus_pass, outputs)}"
        file = directory.corpus_pass_file(
            corpus.name, corpus.lines, corpus_pass, key, references
        )
        if not file.locations(read=True):
            directory.announce([file])
            keys: dict[Cell, str] = {(ALL, corpus_pass): key}
            parts = _counted_to_files(view, keys, directory, options, listener)
            arrays = (location.read() for location in parts.with_key(key))
            file.write([workers.joined(corpus_pass, references, arrays)])
            parts.delete()
        (location,) = file.locations().values()
        passes[corpus_pass] = workers.Found(corpus_pass, references, location)
    return passes


def _corpus_passes(
    corpus: Corpus, specs: Iterable[StatisticsSpec]
) -> Iterator[tuple[CorpusPass, Corpus]]:
    """Yield the corpus passes of specifications, each with the data set that it reads.

    The data set is without systems if the pass reads none.
    """
    for corpus_pass in dict.fromkeys(spec.corpus_pass for spec in specs):
        if corpus_pass and corpus_pass.of_systems:
            yield corpus_pass, corpus
        elif corpus_pass:
            yield corpus_pass, corpus.without(corpus.systems)


class _Parts(NamedTuple):
    """The counts of shards, not yet joined."""

    shards: list[Shard]
    locations: Mapping[CountsKey, Location]
    """Where they are, and those of earlier runs with other shards."""
    missing: list[Missing]
    """The lines that could not be counted."""

    def delete(self) -> None:
        """Delete the files that have them, which are joined or useless."""
        paths = {location.path for location in self.locations.values()}
        delete(paths, {path.parent for path in paths})

    def with_key(self, key: str) -> list[Location]:
        """Return where the counts with a key are, in the order of lines."""
        return [self.locations[CountsKey(key, *shard)] for shard in self.shards]


def _counted_to_files(
    corpus: Corpus,
    keys: Mapping[Cell, str],
    directory: RunDirectory,
    options: RunOptions,
    listener: Listener,
    passes: Mapping[CorpusPass, workers.Found] | None = None,
) -> _Parts:
    """Count the shards that earlier runs have not counted; return where all of them are.

    `passes` are the results of the corpus passes; None: the pass itself is counted.
    """
    references = len(corpus.references)
    widths = {}
    for (_, spec), key in keys.items():
        widths[key] = spec.schema(references).width
    locations = find(directory.path / UNFINISHED, widths)
    shard_lines = options.shard_lines
    if not shard_lines:  # that of an earlier run, if it was interrupted
        first_shards = [part for part in locations if part.low == 0]
        if first_shards:
            shard_lines = first_shards[0].high
    plan = _Plan.of(corpus, keys, shard_lines, passes=passes)
    undone = []
    for shard in plan.shards:
        counts_keys = {CountsKey(key, *shard) for key in keys.values()}
        if not counts_keys <= locations.keys():
            undone.append(shard)

    stage = "looking"
    if undone:
        stage = "surveying" if passes is None else "counting"
    listener.stage(stage)
    purpose = f"of {len(plan.names)} systems to count"
    if passes is None:
        purpose = "to survey"
    shards = f"{len(undone):,} of {len(plan.shards):,} shards"
    listener.note(f"{corpus.name}: {shards} {purpose}")

    all_missing: list[Missing] = []
    if undone:
        with directory.open_to_workers(
            machines=options.cluster is not None
        ) as proof:
            counted = _counted(
                plan,
                undone,
                options,
                listener,
                lambda shard: plan.file(shard, directory, proof),
            )
            for shard, columns, missing in counted:
                file = plan.file(shard, directory)
                if columns is not None:
                    # of a worker that has another folder, or cannot write
                    file.write(columns)
                written = file.locations()
                if columns is None and not written:
                    message = "is gone, or damaged; run the same command again"
                    raise StoreError(f"{file.path}: {message}")
                locations |= written
                all_missing += missing
    parts = _Parts(plan.shards, locations, all_missing)
    altered = [text.display_name for text in corpus.texts if text.has_changed()]
    if altered:
        # The counts may be of the old lines or of the new ones.
        parts.delete()
        message = "changed while it was being scored; nothing of it is kept: run the same command again"
        raise CorpusError(
            [Problem(name, message) for name in dict.fromkeys(altered)]
        )
    return parts


def _merged(missing: Iterable[Missing]) -> list[Missing]:
    """Return missing lines sorted by system and line, with neighbours of a system joined."""
    merged: list[Missing] = []
    for item in sorted(missing, key=lambda item: (item.system, item.first)):
        is_neighbour = False
        if merged:
            before = merged[-1]
            same_system = before.system == item.system
            is_neighbour = same_system and item.first <= before.last + 1
        if is_neighbour:
            last = max(before.last, item.last)
            merged[-1] = replace(before, last=last)
        else:
            merged.append(item)
    return merged


def finished_counts(
    corpus: Corpus, specs: Sequence[StatisticsSpec], directory: RunDirectory
) -> set[Cell]:
    """Return the systems and specifications whose counts a run directory has, undamaged."""
    finished = set()
    for view, view_specs in _by_view(corpus, specs):
        for cell, counts in _stored_counts(view, view_specs, directory).items():
            if directory.is_current(counts):
                finished.add(cell)
    return finished


def _stored_counts(
    view: Corpus, specs: Iterable[StatisticsSpec], directory: RunDirectory
) -> dict[Cell, StoredCounts]:
    """Return the counts of each system and specification of a view, which need not exist."""
    counts = {}
    for spec in specs:
        schema = spec.schema(len(view.references))
        outputs = []
        if spec.corpus_pass and spec.corpus_pass.of_systems:
            outputs = [text.digest for text in view.systems.values()]
        for name, file in view.systems.items():
            key = _key(view, spec, file.digest, *outputs)
            path = StoredCounts.path_in(
                directory.path, view.name, name, spec.key
            )
            counts[name, spec] = StoredCounts(path, schema, view.lines, key)
    return counts


def _key(corpus: Corpus, spec: StatisticsSpec, *outputs: object) -> str:
    """Return the key of counts of a data set: they depend on `outputs` and on its other texts."""
    source = corpus.source and corpus.source.digest
    references = [file.digest for file in corpus.references]
    texts: list[object] = [source, references, corpus.lines, corpus.missing]
    if spec.tokenization and spec.tokenization.version:
        texts.append(spec.tokenization.version)
    return counts_key([texts, *outputs], spec)


# ---- counts in memory

MIN_SHARDED_BYTES = 1 << 14
"""With fewer bytes of text in memory, shards and workers take longer than counting does."""
MIN_PACKED_LINES = 1024
"""With fewer lines, columns are stored as they were counted."""


def count_in_memory(
    corpus: Corpus, specs: Sequence[StatisticsSpec], options: RunOptions = AUTO
) -> Counted:
    """Count everything in memory; raises IncompleteError if lines cannot be counted."""
    counted: dict[Cell, Counts] = {}
    for view, view_specs in _by_view(corpus, specs):
        if _is_small(view, options):
            try:
                counted |= _counted_at_once(view, view_specs)
                continue
            except LongTextError:  # the way below says where
                pass
        passes = _passes_in_memory(view, view_specs, options)
        cells: dict[Cell, str] = {}
        for spec in view_specs:
            cells |= {(name, spec): "" for name in view.systems}
        n_jobs, backend = _workers(view, options)
        least = {"serial": 1, "threading": 2 * n_jobs}.get(backend, MIN_SHARDS)
        plan = _Plan.of(view, cells, options.shard_lines, least, passes)
        arrays = _counted_arrays(plan, options)
        for name, spec in cells:
            schema = spec.schema(len(view.references))
            counted[name, spec] = InMemoryCounts(arrays[name, spec], schema)
    return counted


def _counted_arrays(
    plan: _Plan, options: RunOptions
) -> dict[Cell, list[workers.Rows]]:
    """Return the arrays of all shards for each system and specification, in the order of lines.

    Raises IncompleteError if lines cannot be counted.
    """
    columns_of: dict[Shard, workers.Columns] = {}
    for shard, columns, missing in _counted(plan, plan.shards, options):
        if missing:
            raise IncompleteError(f"{missing[0]}; {UNCOUNTABLE_HINT}")
        columns_of[shard] = columns or []
    arrays: dict[Cell, list[workers.Rows]] = {}
    for cell in plan.cells:
        arrays[cell] = []
    for shard in plan.shards:
        for cell, array in zip(plan.cells, columns_of[shard], strict=True):
            if array is not None:
                arrays[cell].append(array)
    return arrays


def _is_small(corpus: Corpus, options: RunOptions) -> bool:
    """Return whether a data set in memory is counted at once, without shards and workers."""
    has_other_options = (
        options.backend is not None or options.shard_lines is not None
    )
    if options.n_jobs != 1 or has_other_options:
        return False
    size = 0
    for text in corpus.texts:
        size += text.size if isinstance(text, MemoryText) else MIN_SHARDED_BYTES
    return size < MIN_SHARDED_BYTES


def _counted_at_once(
    corpus: Corpus, specs: Sequence[StatisticsSpec]
) -> dict[Cell, Counts]:
    counted: dict[Cell, Counts] = {}
    outputs = {name: text.read() for name, text in corpus.systems.items()}
    for spec in specs:
        counts = PreparedCounts(corpus, spec)
        for name, texts in outputs.items():
            counted[name, spec] = counts.counts(texts)
    return counted


def _passes_in_memory(
    corpus: Corpus, specs: Sequence[StatisticsSpec], options: RunOptions
) -> dict[CorpusPass, workers.Found]:
    """Return the results of corpus passes."""
    passes = {}
    for corpus_pass, view in _corpus_passes(corpus, specs):
        references = len(view.references)
        plan = _Plan.of(view, {(ALL, corpus_pass): ""}, options.shard_lines)
        arrays = _counted_arrays(plan, options)[ALL, corpus_pass]
        rows = workers.joined(corpus_pass, references, arrays)
        passes[corpus_pass] = workers.Found(corpus_pass, references, rows)
    return passes


class PreparedCounts:
    """Source and references of a data set, prepared to count outputs in this process."""

    def __init__(self, corpus: Corpus, spec: StatisticsSpec) -> None:
        """Prepare the view of a data set that a specification reads."""
        self.references = len(corpus.references)
        self.schema = spec.schema(self.references)
        self.missing: Bools | None = None
        """Which references are missing: bool [lines, references]."""
        self.all_rows = np.arange(corpus.lines)
        """The indices of all lines."""
        source = None
        if corpus.source and spec.source:
            source = _lines_of(corpus.source)
        references = [_lines_of(text) for text in corpus.references]
        if corpus.missing:
            missing_lines = [
                reference.blanks - 1 for reference in corpus.references
            ]
            references, self.missing = workers.without(
                references, missing_lines
            )
        systems = []
        if spec.corpus_pass and spec.corpus_pass.of_systems:
            systems = [_lines_of(text) for text in corpus.systems.values()]
        text = Text(source, references, systems, {}, missing=self.missing)
        text = spec.with_corpus_pass(text)
        self.corpus_pass_result = text.corpus_data
        self._prepared = spec.prepared(text, as_lines=corpus.computed)

    def columns(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs, of which each is for the line with the index in `rows`.

        Missing references have ref_len -1. Raises as Prepared.count() does.
        """
        columns = self._prepared.count(outputs, rows)
        if self.missing is not None and "ref_len" in columns:
            is_missing = self.missing[rows]
            columns["ref_len"] = np.where(is_missing, -1, columns["ref_len"])
        return columns

    def counts(self, outputs: Sequence[str]) -> InMemoryCounts:
        """Return the counts of one output for each line. Raises as Prepared.count() does."""
        columns = self.columns(outputs, self.all_rows)
        if len(outputs) < MIN_PACKED_LINES:
            return InMemoryCounts([], self.schema, columns)
        return InMemoryCounts([self.schema.narrowed(columns)], self.schema)


def _lines_of(text: AnyText) -> Lines:
    span = text.span(0, text.lines)
    if isinstance(span, Span):
        return span.read()
    return span
