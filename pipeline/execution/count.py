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
    """Cut the lines of a data set into shards, independently of the number of workers.

    `lines`, `systems` and `references` are how many the data set has; `size` is the number of bytes
    of all its files together. `shard_lines` is the number of lines of a shard (the last may have
    fewer). None: it follows from the other arguments, and is a multiple of `stride`. There are then
    about `least` shards, unless each would have less than MIN_BYTES, or more than MAX_BYTES or
    MAX_ROWS. Counts in memory ask for fewer than MIN_SHARDS, since an interruption loses them
    anyway.
    """
    if shard_lines is None:
        size = max(size, 1)
        target_bytes = min(max(size // least, MIN_BYTES), MAX_BYTES)
        rows_of_line = max(systems * references, 1)
        max_lines = MAX_ROWS // rows_of_line
        target_lines, remainder = divmod(lines * target_bytes, size)
        if stride == 1 and remainder:
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
        """Return the plan for missing counts, of which `keys` has the keys.

        `shard_lines` and `least` are as in cut(); `passes` has the results of corpus passes.
        """
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
        """The system and specification of each array that a worker counts for a shard, in order:
        all systems for the first specification, then all for the next.
        """
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
        """Return the file for the counts of a shard; `proof` is as in ShardFile.

        Arrays without a key (counts that exist already) are not stored in it.
        """
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
        """Return the task of a worker: read the lines of a shard, and count all specifications.

        `number` identifies the task in the worker's answer. `file` is where the worker writes the
        counts. None: it answers them.
        """
        corpus = self.corpus
        low, high = shard
        names = corpus.systems if self.names == [ALL] else self.names
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
        """Return the lines that could not be counted, for each system that lost them.

        `lost` counts lines from the first of the shard, and systems from the first of the plan. The
        result has line numbers as the user knows them. Raises IncompleteError for a corpus pass.
        """
        corpus = self.corpus
        first = shard.low + lost.low + 1
        last = shard.low + lost.high
        if self.names == [ALL]:
            lines = f"{corpus.name}: lines {first:,} to {last:,} cannot be read"
            consequence = "and all lines together decide what each counts"
            raise IncompleteError(f"{lines}, {consequence}; {UNCOUNTABLE_HINT}")
        names = self.names[lost.first : lost.last]
        text = corpus.systems[names[0]]
        line_numbers = (text.number(first), text.number(last))
        return [Missing(corpus.name, name, *line_numbers) for name in names]


def _by_view(
    corpus: Corpus, specs: Sequence[StatisticsSpec]
) -> list[tuple[Corpus, list[StatisticsSpec]]]:
    """Group specifications by the view of a data set that they read: its texts, edits, or numbers.

    Return each view with its specifications, beginning with the texts.
    """
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
    """The counts, an array for each of _Plan.cells. None: a worker has written them."""
    missing: list[Missing]
    """The lines that could not be counted."""


def _counted(
    plan: _Plan,
    undone: Sequence[Shard],
    options: RunOptions,
    listener: Listener = SILENT,
    file: Callable[[Shard], ShardFile | None] = lambda _: None,
) -> Iterator[_CountedShard]:
    """Have workers count the `undone` shards of a plan; yield each when it is done.

    `file` returns the file that a worker may write the counts of a shard to. None, as by default:
    the counts are yielded. Progress is reported to the listener as lines times systems, and
    includes the shards of the plan that earlier runs have counted.
    """
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
    """Return how many workers count, and which backend is used, for the size of a data set."""
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
    """Count each system of a data set for each specification, unless the run directory has it.

    Return the counts on disk by system and specification, and the lines that could not be counted.
    Systems with such lines are left out of the counts. The counts of a shard are written as soon as
    it is done, so that the next run goes on from there after an interruption. Raises CorpusError if
    a file has changed meanwhile.
    """
    workers.keep_memory()
    counted: dict[Cell, Counts] = {}
    all_missing: list[Missing] = []
    for view, view_specs in _by_view(corpus, specs):
        # find the counts that the run directory does not have
        counts = _stored_counts(view, view_specs, directory)
        to_count: dict[Cell, StoredCounts] = {}
        for cell, stored in counts.items():
            if not directory.is_current(stored):
                to_count[cell] = stored
        directory.announce(to_count.values())

        # count them, shard by shard
        specs_to_count = [spec for _, spec in to_count]
        passes = _passes_on_disk(
            view, specs_to_count, directory, options, listener
        )
        keys = {cell: stored.key for cell, stored in to_count.items()}
        parts = _counted_to_files(
            view, keys, directory, options, listener, passes
        )

        # join the shards to one file for each system and specification
        incomplete = {item.system for item in parts.missing}
        uses_threads = to_count and view.lines > MIN_THREADED_LINES
        thread_count = options.threads if uses_threads else 1
        joined = []
        with threads(thread_count) as shared:
            for (name, _), stored in to_count.items():
                if name not in incomplete:
                    locations = parts.with_key(stored.key)
                    file = directory.join(stored, locations, shared)
                    joined.append((file, stored))
        # only when all are joined, so that none is lost if the disk is full
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
    """Return the result of each corpus pass that some specifications ask for.

    A corpus pass reads the whole data set before anything is counted, for example for the document
    frequencies of n-grams. It is run only if the run directory does not have its result.
    """
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
        # the file has one array, the result
        (location,) = file.locations().values()
        passes[corpus_pass] = workers.Found(corpus_pass, references, location)
    return passes


def _corpus_passes(
    corpus: Corpus, specs: Iterable[StatisticsSpec]
) -> Iterator[tuple[CorpusPass, Corpus]]:
    """Yield each corpus pass of some specifications once, with the data set that it reads.

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
    """Where the counts of each shard are, and those of earlier runs with other shards."""
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
    """Count the shards that earlier runs have not counted; return where the counts of all are.

    `keys` has the key of each system and specification to count. `passes` has the results of corpus
    passes. None: the corpus pass itself is counted. Raises CorpusError, and deletes the counts, if a
    text has changed meanwhile.
    """
    references = len(corpus.references)
    widths = {}
    for (_, spec), key in keys.items():
        widths[key] = spec.schema(references).width
    locations = find(directory.path / UNFINISHED, widths)
    shard_lines = options.shard_lines
    if not shard_lines:
        # Cut as the interrupted run did, whose counts can only be used for the same shards. Its
        # first shard shows how many lines it took.
        first_shards = [part for part in locations if part.low == 0]
        if first_shards:
            shard_lines = first_shards[0].high
    plan = _Plan.of(corpus, keys, shard_lines, passes=passes)
    undone = []
    for shard in plan.shards:
        counts_keys = {CountsKey(key, *shard) for key in keys.values()}
        if not counts_keys <= locations.keys():
            undone.append(shard)

    stage = "counting"
    purpose = f"of {len(plan.names)} systems to count"
    if passes is None:
        stage = "surveying"
        purpose = "to survey"
    listener.stage(stage if undone else "looking")
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
                    # The worker has another folder, or cannot write to this one.
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
    """Return ranges of missing lines sorted by system and line.

    Ranges of a system that touch or overlap are joined to one.
    """
    merged: list[Missing] = []
    for item in sorted(missing, key=lambda item: (item.system, item.first)):
        if merged and merged[-1].system == item.system:
            before = merged[-1]
            if item.first <= before.last + 1:
                last = max(before.last, item.last)
                merged[-1] = replace(before, last=last)
                continue
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
    """Return the counts of each system and specification of a view, with their paths and keys.

    The files need not exist.
    """
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
    """Return the key of counts: a digest of everything that they depend on.

    `outputs` are the digests of the outputs that they depend on. The digests of source and
    references are taken from the data set.
    """
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
    """Count each system of a data set for each specification, and keep the counts in memory.

    Raises IncompleteError if lines cannot be counted.
    """
    counted: dict[Cell, Counts] = {}
    for view, view_specs in _by_view(corpus, specs):
        if _is_small(view, options):
            try:
                counted |= _counted_at_once(view, view_specs)
                continue
            except LongTextError:
                # Count it again with a worker, whose error names the text and the line.
                pass
        passes = _passes_in_memory(view, view_specs, options)
        keys: dict[Cell, str] = {}  # without content: nothing is stored
        for spec in view_specs:
            keys |= {(name, spec): "" for name in view.systems}
        n_jobs, backend = _workers(view, options)
        least = {"serial": 1, "threading": 2 * n_jobs}.get(backend, MIN_SHARDS)
        plan = _Plan.of(view, keys, options.shard_lines, least, passes)
        arrays = _counted_arrays(plan, options)
        for name, spec in keys:
            schema = spec.schema(len(view.references))
            counted[name, spec] = InMemoryCounts(arrays[name, spec], schema)
    return counted


def _counted_arrays(
    plan: _Plan, options: RunOptions
) -> dict[Cell, list[workers.Rows]]:
    """Count all shards of a plan in memory.

    Return the arrays of the shards for each system and specification, in the order of lines. Raises
    IncompleteError if lines cannot be counted.
    """
    columns_of: dict[Shard, workers.Columns] = {}
    for shard, columns, missing in _counted(plan, plan.shards, options):
        if missing:
            raise IncompleteError(f"{missing[0]}; {UNCOUNTABLE_HINT}")
        columns_of[shard] = columns or []
    arrays: dict[Cell, list[workers.Rows]] = {}
    for cell in plan.cells:
        arrays[cell] = []
    # shards are done in any order
    for shard in plan.shards:
        for cell, array in zip(plan.cells, columns_of[shard], strict=True):
            if array is not None:
                arrays[cell].append(array)
    return arrays


def _is_small(corpus: Corpus, options: RunOptions) -> bool:
    """Return whether a data set is counted at once in this process, without shards and workers.

    It is if it is in memory, smaller than MIN_SHARDED_BYTES, and no option asks for workers.
    """
    if options.n_jobs != 1 or options.backend or options.shard_lines:
        return False
    if not _is_in_memory(corpus):
        return False
    return sum(text.size for text in corpus.texts) < MIN_SHARDED_BYTES


def _counted_at_once(
    corpus: Corpus, specs: Sequence[StatisticsSpec]
) -> dict[Cell, Counts]:
    """Count each system for each specification in this process. Raises as Prepared.count() does."""
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
    """Return the result of each corpus pass that some specifications ask for."""
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
        """Prepare the view of a data set that a specification reads.

        Outputs are only read if a corpus pass needs those of all systems.
        """
        self.references = len(corpus.references)
        self.schema = spec.schema(self.references)
        self.missing: Bools | None = None
        """Which references are missing: bool [lines, references]."""
        self.all_rows = np.arange(corpus.lines)
        """The indices of all lines."""
        source = None
        if corpus.source and spec.source:
            source = _all_lines(corpus.source)
        references = [_all_lines(text) for text in corpus.references]
        if corpus.missing:
            # Blank lines are numbered from 1.
            missing_lines = [text.blanks - 1 for text in corpus.references]
            references, self.missing = workers.without(
                references, missing_lines
            )
        systems = []
        if spec.corpus_pass and spec.corpus_pass.of_systems:
            systems = [_all_lines(text) for text in corpus.systems.values()]
        text = Text(source, references, systems, {}, missing=self.missing)
        text = spec.with_corpus_pass(text)
        self.corpus_pass_result = text.corpus_data
        self._prepared = spec.prepared(text, as_lines=corpus.computed)

    def columns(self, outputs: Sequence[str], rows: Ints) -> dict[str, Ints]:
        """Return the columns of outputs: each an array whose first axis is that of `outputs`.

        `rows` has the index of each output's line in the data set. Missing references have ref_len
        -1. Raises as Prepared.count() does.
        """
        columns = self._prepared.count(outputs, rows)
        if self.missing is not None:
            workers.mark_missing(columns, self.missing[rows])
        return columns

    def counts(self, outputs: Sequence[str]) -> InMemoryCounts:
        """Return the counts of one output for each line. Raises as Prepared.count() does."""
        columns = self.columns(outputs, self.all_rows)
        if len(outputs) < MIN_PACKED_LINES:
            return InMemoryCounts([], self.schema, columns)
        return InMemoryCounts([self.schema.narrowed(columns)], self.schema)


def _all_lines(text: AnyText) -> Lines:
    return workers.read(text.span(0, text.lines))
