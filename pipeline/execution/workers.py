"""Counts shards in workers: threads, processes, or the machines of a cluster, of which some may
die.

A worker gets byte ranges and needs, and reads its own lines. It writes the packed columns to the
run directory, where it has the same folder, and answers only the number of the shard. Else it
answers the columns too, and the parent process writes them. Tasks that workers died of are tried
again together, then each alone, then in halves. In the end they are given up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.extensions.clusters.clusters import Cluster, bundles

from .. import kernel
from .._version import __version__
from ..arrays import Bools, Ints
from ..data.texts import Span, read_span
from ..errors import (
    CorpusError,
    InputError,
    InvalidTextError,
    LongTextError,
    PipelineError,
    Problem,
    UnreadableError,
)
from ..kernel.common import Lines
from ..metrics.base.statistics_spec import COUNTING, CorpusPass, StatisticsSpec, Text
from ..parallel import MEMORY, WorkerLostError, processors, results, silent, starved
from .store.counts import Location, ShardFile

Columns = list[NDArray[np.integer] | None]
"""The packed columns of each system of a task, needs after needs. None stands for those that are
incomplete.

Of a survey there is one array, of all systems.
"""
Done = tuple[int, list[NDArray[np.integer]]]
"""The number of a task, and its columns."""
Answer = tuple[int, Columns | None]
"""The same. None: the worker has written them to the file of the shard."""

SMALL = {"python": 1 << 19, "native": 1 << 28}
"""For each kernel, up to how many bytes of text starting workers costs more time than it saves."""
SMALL_IN_MEMORY = 1 << 25
"""The same for texts in memory, which the compiled kernel counts in threads: they cost less to
start."""

Backend = Literal["auto", "serial", "threading", "loky", "dask", "ray", "spark"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a worker is given: where the lines of a shard are, and what to count in one pass over
    them.
    """

    number: int
    source: Span | Lines | None
    references: tuple[Span | Lines, ...]
    systems: tuple[Span | Lines, ...]
    spec: tuple[StatisticsSpec, ...]
    lacking: tuple[Ints, ...] = ()
    """The lines of the shard, from 0, that lack each reference; empty where every line has all of
    them."""
    low: int = 0
    """The number of the first line, from 0."""
    found: tuple[Found | None, ...] = ()
    """What the survey of each of the needs has found, where it has one; empty where none of them
    has."""
    file: ShardFile | None = None
    """Where to write the columns. None: they are answered."""

    @property
    def texts(self) -> list[Span | Lines]:
        """Return the lines of each text: source, references, systems."""
        return [*([self.source] if self.source else []), *self.references, *self.systems]

    @property
    def lines(self) -> int:
        """How many lines there are."""
        text = (*self.references, *self.systems)[0]
        return text.lines if isinstance(text, Span) else len(text.starts)

    def part(self, low: int, high: int, first: int, last: int) -> Task:
        """Return the task with only the lines low <= i < high and the systems first <= s < last of
        it.
        """

        def cut(text: Span | Lines) -> Span | Lines:
            if isinstance(text, Span):
                return text._replace(skip=text.skip + low, lines=high - low)
            return text._replace(starts=text.starts[low:high], ends=text.ends[low:high])

        return replace(
            self,
            low=self.low + low,
            file=None,
            lacking=tuple(lines_between(lines, low, high) for lines in self.lacking),
            source=self.source and cut(self.source),
            references=tuple(map(cut, self.references)),
            systems=tuple(map(cut, self.systems[first:last])),
        )


def lines_between(lines: Ints, low: int, high: int) -> Ints:
    """Return the lines low <= i < high of some in rising order, as numbers from 0."""
    first, last = np.searchsorted(lines, (low, high))
    return lines[first:last] - low


def without(references: Sequence[Lines], lacking: Sequence[Ints]) -> tuple[list[Lines], Bools]:
    """Return references with empty lines for those that some lines, from 0, lack; and these: bool
    [lines, references].

    The columns of a reference that is lacking have ref_len -1.
    """
    blank = np.zeros((len(references[0].starts), len(references)), bool)
    for number, lines in enumerate(lacking):
        blank[lines, number] = True
    emptied = [
        t._replace(ends=np.where(b, t.starts, t.ends))
        for t, b in zip(references, blank.T, strict=True)
    ]
    return emptied, blank


def keep_memory() -> None:
    """Let this process keep some memory that it does not need at the moment, where the kernel is
    compiled.
    """
    if native := kernel.native_function("keep_memory", "scan"):
        native()


def answer(count: Callable[[Task], Done], task: Task) -> Answer:
    """Do what a worker does with a task, on this machine and on others: count, and write the
    columns where it can.
    """
    number, arrays = count(task)
    return number, None if task.file and task.file.written(arrays) else [*arrays]


def count(task: Task) -> Done:
    """Read and count a shard.

    Return the number of the task, and the packed columns of each system, needs after needs. Raises
    CorpusError where a text is not valid UTF-8, or a line is too long to be counted."""
    spans = task.texts
    if isinstance(spans[0], Span):  # for texts in memory, the process is the user's
        keep_memory()
    texts = [read_span(span) if isinstance(span, Span) else span for span in spans]
    source = texts.pop(0) if task.source else None
    references, systems = texts[: len(task.references)], texts[len(task.references) :]
    blank = None
    if task.lacking:
        references, blank = without(references, task.lacking)
    rows = task.low + np.arange(
        len(next(one for one in (*references, *systems, source) if one is not None).starts)
    )
    text = Text(source, references, systems, {}, task.spec, rows=rows, missing=blank)
    packed = []
    for spec, found in zip_longest(task.spec, task.found):
        schema = spec.schema(len(task.references))
        try:
            for columns in spec.count(text._replace(whole=found.whole) if found else text):
                if blank is not None and "ref_len" in columns:
                    columns["ref_len"] = np.where(blank, -1, columns["ref_len"])
                packed.append(schema.narrowed(columns))
        except InvalidTextError as error:
            read = [
                *([task.source] if task.source and spec.source else []),
                *task.references,
                *task.systems,
            ]
            message = "is no longer valid UTF-8; it changed since it was checked"
            raise CorpusError([Problem(_position(read[error.text], ""), message)]) from None
        except LongTextError as error:
            position = _position([*task.references, *task.systems][error.text], "text")
            raise CorpusError(
                [Problem(f"{position}:{task.low + error.line + 1}", error.message)]
            ) from None
    return task.number, packed


def _position(text: Span | Lines, otherwise: str) -> str:
    """Return what messages call a text."""
    return (text.place or text.path) if isinstance(text, Span) else otherwise


@dataclass(frozen=True)
class _ClusterWork:
    """Work for a worker of a cluster: several tasks. It returns errors, since clusters would wrap
    raised ones.
    """

    count: Callable[[Task], Done]
    version: tuple[str, int]
    """The version of the program and of its counting, on the machine that handed the task out."""

    def __call__(self, tasks: Sequence[Task]) -> list[Answer | PipelineError]:
        import platform

        answers: list[Answer | PipelineError] = []
        host = platform.node()
        if self.version[1] != COUNTING:
            message = f"has gec-pipeline {__version__}, which counts otherwise than {self.version[0]} here"
            return [
                InputError(
                    [
                        Problem(
                            f"the worker on {host}",
                            f"{message}; install the same version everywhere",
                        )
                    ]
                )
            ]
        for task in tasks:
            try:
                answers.append(answer(self.count, task))
            except UnreadableError as error:
                told = []
                for item in error.problems:
                    same = (
                        "access to it"
                        if "://" in item.position
                        else "file at the same path, with the same time"
                    )
                    where = f"on {host}, where a worker needs the same {same}"
                    told.append(replace(item, message=f"{item.message} ({where})"))
                return [*answers, CorpusError(told)]
            except PipelineError as error:
                return [*answers, error]
        return answers


# ---- in the first process


def plan(
    n_jobs: int | Literal["auto"], backend: Backend, size: int, *, in_memory: bool = False
) -> tuple[int, Backend]:
    """Return how many workers and which backend are used for `size` bytes of text. A cluster has
    its own number.

    Texts in memory are counted in threads, where the kernel is compiled: processes would have to be
    sent them."""
    small = SMALL[kernel.name()]
    in_threads = in_memory and kernel.name() == "native"
    if n_jobs == "auto":
        n_jobs = (
            1
            if backend == "auto" and size <= (SMALL_IN_MEMORY if in_threads else small)
            else processors()
        )
    if backend == "serial" or (backend == "auto" and n_jobs == 1):
        return 1, "serial"
    if backend == "auto":
        backend = "threading" if in_threads else "loky"
    return n_jobs, backend


class WorkerDiedError(WorkerLostError):
    """A worker was lost; `tasks` are those that were handed out and are not done. One of them is
    the cause.
    """

    def __init__(self, tasks: Iterable[Task], reason: str, *, alive: bool = False) -> None:
        self.tasks = list(tasks)
        super().__init__(reason, alive=alive)


def run(
    tasks: Sequence[Task],
    n_jobs: int,
    backend: Backend,
    cluster: Cluster | None = None,
    warn: Callable[[str], None] = silent,
) -> Iterator[Answer]:
    """Yield the answers to tasks in the order in which they finish. Raises WorkerDiedError.

    With a `cluster`, `backend` is not used. `tell` is given a message where there is no room for
    workers."""
    handed: dict[int, Task] = {}

    def hand(task: Task) -> Task:
        handed[task.number] = task
        return task

    def done(item: Answer) -> Answer:
        del handed[item[0]]
        return item

    handing, n_jobs = map(hand, tasks), min(n_jobs, len(tasks))
    work = partial(answer, count)
    try:
        if cluster:  # whose workers read texts from files at the same paths as here
            bundled = bundles(map(_carried, handing), len(tasks), cluster.workers())
            for answers in cluster.results(_ClusterWork(count, (__version__, COUNTING)), bundled):
                for item in answers:
                    if isinstance(item, PipelineError):
                        raise item
                    yield done(item)
        elif backend == "serial":
            yield from map(done, map(work, handing))
        else:
            yield from map(
                done, results(work, handing, n_jobs, processes=backend != "threading", warn=warn)
            )
    except (MemoryError, SystemError) as error:
        if starved(error) != MEMORY:
            raise
        raise WorkerDiedError(handed.values(), MEMORY, alive=True) from None
    except WorkerLostError as error:
        # joblib drops the answers that came just before a death. What was written is not counted
        # again.
        for task in [task for task in handed.values() if task.file and task.file.locations()]:
            yield done((task.number, None))
        raise WorkerDiedError(handed.values(), error.reason, alive=error.alive) from None


def _carried(task: Task) -> Task:
    """Return a task that contains the texts which are in the temporary folder of this machine."""

    def carried(text: Span | Lines) -> Span | Lines:
        return read_span(text) if isinstance(text, Span) and text.temporary else text

    found = [
        replace(f, rows=f.rows.read()) if f and isinstance(f.rows, Location) else f
        for f in task.found
    ]
    return replace(
        task,
        source=task.source and carried(task.source),
        references=tuple(map(carried, task.references)),
        systems=tuple(map(carried, task.systems)),
        found=tuple(found),
    )


# ---- when workers die

DEATHS = 64
"""After so many deaths of workers in a data set the rest is given up: the cause is then not a
single line."""
FAILURES = 2
"""After so many failures of living processes (one stood still, or had too little memory) this one
counts the rest."""


class Lost(NamedTuple):
    """Lines low <= i < high of systems first <= s < last of a task that could not be counted.

    The numbers count from the first line and the first system of the task.
    """

    low: int
    high: int
    first: int
    last: int


class Outcome(NamedTuple):
    """What came of a task: its columns (None: they are in the file of the shard), and what could
    not be counted.
    """

    number: int
    columns: Columns | None
    lost: list[Lost]


class Runner:
    """Runs tasks although workers may die, and passes a message about each death to tell()."""

    def __init__(
        self,
        n_jobs: int,
        backend: Backend,
        warn: Callable[[str], None],
        cluster: Cluster | None = None,
    ) -> None:
        self.n_jobs, self.backend, self.warn, self.cluster = n_jobs, backend, warn, cluster
        self.left, self.failures = DEATHS, FAILURES

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield the outcomes of tasks as they finish; tasks that a worker has died of twice come
        last.

        Processes may be killed for many reasons, with all tasks that are handed out: these are
        tried together once more. Memory that runs out in this process has one reason, and a task
        that could be it is tried alone."""
        todo: dict[int, Task] = {task.number: task for task in tasks}
        suspects: list[Task] = []
        tried_again: set[int] = set()
        while todo:
            try:
                for number, columns in run(
                    [*todo.values()], self.n_jobs, self.backend, self.cluster, self.warn
                ):
                    del todo[number]
                    yield Outcome(number, columns, [])
            except WorkerDiedError as died:
                self._died(died, "; its work is tried again")
                alone = {
                    task.number for task in died.tasks if died.alive or task.number in tried_again
                }
                tried_again |= {task.number for task in died.tasks}
                suspects += [todo.pop(number) for number in alone]
                if self.left <= 0:
                    suspects, todo = [*suspects, *todo.values()], {}
        for task in suspects:
            yield self._alone(task, (0, task.lines, 0, len(task.systems)))

    def _died(self, died: WorkerDiedError, then: str) -> None:
        self.left -= 1
        self.failures -= died.alive
        self.warn(f"{died.reason}{then}")
        if self.backend == "loky" and died.alive and self.failures <= 0:
            self.backend = "serial"
            self.warn("the rest is counted in one process")

    def _alone(self, task: Task, part: tuple[int, int, int, int]) -> Outcome:
        """Count a part of a task (see Lost) while nothing else runs. Where a worker dies of it,
        count its halves.
        """
        low, high, first, last = part
        apart = (
            1 if isinstance(task.spec[0], CorpusPass) else last - first
        )  # how many systems can be counted apart
        if self.left > 0:
            if self.backend == "threading":
                self.backend = "serial"
            try:
                ((_, columns),) = run([task.part(*part)], 1, self.backend, self.cluster, self.warn)
                return Outcome(task.number, columns, [])
            except WorkerDiedError as died:
                line, system = (low + high) // 2, (first + last) // 2
                halves = (
                    [(low, line, first, last), (line, high, first, last)] if high - low > 1 else []
                )
                if not halves and apart > 1:
                    halves = [(low, high, first, system), (low, high, system, last)]
                what = "two smaller shards are tried" if halves else "it is given up"
                lines = f"{high - low:,} lines" if high - low > 1 else "a line"
                self._died(died, f" over {lines} alone; {what}")
                if halves:
                    one, two = (self._alone(task, half) for half in halves)
                    return _joined(one, two, len(task.spec), lines=high - low > 1)
        return Outcome(task.number, [None] * (len(task.spec) * apart), [Lost(*part)])


def _joined(one: Outcome, two: Outcome, spec: int, *, lines: bool) -> Outcome:
    """Join the outcomes of two halves of a part: of its lines where `lines` is true, else of its
    systems.
    """
    columns: Columns
    first, second, columns = one.columns or [], two.columns or [], []
    if lines:
        for upper, lower in zip(first, second, strict=True):
            columns.append(
                None if upper is None or lower is None else np.concatenate((upper, lower))
            )
    else:
        for row in range(spec):
            for half in (first, second):
                size = len(half) // spec
                columns += half[row * size : (row + 1) * size]
    return Outcome(one.number, columns, [*one.lost, *two.lost])


# ---- what surveys find in whole data sets, as workers get it (see Survey in
# `metrics/base/statistics_spec.py`)


@dataclass(frozen=True, eq=False)
class Found:
    """What a survey has found in a data set. A worker process that gets it several times opens it
    once.
    """

    corpus_pass: CorpusPass
    references: int
    """How many references the data set has."""
    rows: NDArray[np.integer] | Location
    """The packed rows, or the file on this machine that has them."""

    @cached_property
    def whole(self) -> Any:
        """What needs find as Text.whole. Raises StoreError where the file is damaged or gone."""
        rows = self.rows.read() if isinstance(self.rows, Location) else self.rows
        return self.corpus_pass.opened(self.corpus_pass.schema(self.references).unpack(rows))

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_file if isinstance(self.rows, Location) else Found, (
            self.corpus_pass,
            self.references,
            self.rows,
        )


@lru_cache(4)  # a worker process keeps so many opened
def _of_file(corpus_pass: CorpusPass, references: int, rows: Location) -> Found:
    return Found(corpus_pass, references, rows)


def joined(
    corpus_pass: CorpusPass, references: int, shards: Iterable[NDArray[np.integer]]
) -> NDArray[np.integer]:
    """Return the reduced rows of all shards, which come in the order of lines.

    A few neighbours at a time are reduced, so that memory holds little more than the rows that are
    left in the end."""
    schema = corpus_pass.schema(references)
    waiting: list[NDArray[np.integer]] = []

    def reduce(last: int) -> None:
        rows = schema.unpack(np.concatenate(waiting[-last:]))
        waiting[-last:] = [schema.narrowed(corpus_pass.reduced(rows))]

    for shard in shards:
        waiting.append(shard)
        while len(waiting) > 1 and len(waiting[-2]) <= 2 * len(waiting[-1]):
            reduce(2)
    reduce(len(waiting))
    return waiting[0]
