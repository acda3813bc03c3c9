"""Counts shards in workers: threads, processes, or the machines of a cluster.

A worker gets byte ranges and the statistics to count, and reads its own lines. If it has the same
run directory, it writes the packed columns there and answers only the number of the shard. Else it
answers the columns, and the first process writes them.

If a worker dies, the tasks that were handed out are tried once more together, then each alone, then
in halves. Lines that still end their worker are reported as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import kernel
from .._version import __version__
from ..arrays import Bools, Ints
from ..data import Span
from ..errors import (
    CorpusError,
    IncompleteError,
    InputError,
    InvalidTextError,
    LongTextError,
    PipelineError,
    Problem,
    UnreadableError,
)
from ..kernel.common import Lines
from ..metrics.base import COUNTING, CorpusPass, StatisticsSpec, Text
from ..parallel import (
    MEMORY,
    NoAnswerError,
    WorkerLostError,
    processors,
    results,
)
from .cluster import Cluster, bundles
from .store.counts import Location, ShardFile

ShardText = Span | Lines
"""The lines of a text that a shard has: where they are in a file, or the lines in memory."""
Rows = NDArray[np.integer]
"""The packed columns of some lines: integers [lines, width] (see Schema)."""
Columns = list[Rows | None]
"""The packed columns of each system of a task, for one spec after the other. None stands for those
that are incomplete.

Of a corpus pass there is one array, of all systems.
"""
Done = tuple[int, list[Rows]]
"""The number of a task, and its columns."""
Answer = tuple[int, Columns | None]
"""The same. None: the worker has written them to the file of the shard."""

SMALL = {"python": 1 << 19, "native": 1 << 28}
"""For each kernel, up to how many bytes of text starting workers costs more time than it saves."""
SMALL_IN_MEMORY = 1 << 25
"""The same for texts in memory, which the compiled kernel counts in threads: they cost less to
start."""

Backend = str
"""The name of a backend: see `backends.py`."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """Where the lines of a shard are, and what to count in one pass over them."""

    number: int
    source: ShardText | None
    references: tuple[ShardText, ...]
    systems: tuple[ShardText, ...]
    spec: tuple[StatisticsSpec, ...]
    missing_lines: tuple[Ints, ...] = ()
    """The lines of the shard, from 0, that have no text of each reference; empty if every line has
    all references."""
    low: int = 0
    """The number of the first line, from 0."""
    found: tuple[Found | None, ...] = ()
    """What the corpus pass of each spec has found, or None for a spec without one; empty if no spec
    has one."""
    file: ShardFile | None = None
    """Where to write the columns. None: they are answered."""

    @property
    def texts(self) -> list[ShardText]:
        """The lines of each text: source, references, systems."""
        texts = [*self.references, *self.systems]
        if self.source:
            texts.insert(0, self.source)
        return texts

    @property
    def lines(self) -> int:
        """How many lines there are."""
        text = self.texts[-1]
        if isinstance(text, Span):
            return text.lines
        return len(text.starts)

    def part(self, low: int, high: int, first: int, last: int) -> Task:
        """Return the task for the lines low <= i < high and the systems first <= s < last alone.

        All four count from the first line and system of this task. The new task answers its counts,
        since its file is for the counts of the whole shard.
        """

        def cut(text: ShardText) -> ShardText:
            if isinstance(text, Span):
                return text._replace(skip=text.skip + low, lines=high - low)
            starts = text.starts[low:high]
            ends = text.ends[low:high]
            return text._replace(starts=starts, ends=ends)

        missing_lines = []
        for lines in self.missing_lines:
            missing_lines.append(lines_between(lines, low, high))
        return replace(
            self,
            low=self.low + low,
            file=None,
            missing_lines=tuple(missing_lines),
            source=self.source and cut(self.source),
            references=tuple(map(cut, self.references)),
            systems=tuple(map(cut, self.systems[first:last])),
        )


def lines_between(lines: Ints, low: int, high: int) -> Ints:
    """Return those of some line numbers, in rising order, that are low <= i < high, less `low`."""
    first, last = np.searchsorted(lines, (low, high))
    return lines[first:last] - low


def without(
    references: Sequence[Lines], missing_lines: Sequence[Ints]
) -> tuple[list[Lines], Bools]:
    """Return references whose missing lines are empty, and which lines are missing.

    `missing_lines` has the numbers, from 0, of the lines that each reference lacks. The second
    value is bool [lines, references]. (Later, a missing reference gets ref_len -1 in the counts.)
    """
    lines = len(references[0].starts)
    is_missing = np.zeros((lines, len(references)), bool)
    for index, line_numbers in enumerate(missing_lines):
        is_missing[line_numbers, index] = True
    emptied = []
    for index, reference in enumerate(references):
        # a line that ends where it starts is empty
        is_empty = is_missing[:, index]
        ends = np.where(is_empty, reference.starts, reference.ends)
        emptied.append(reference._replace(ends=ends))
    return emptied, is_missing


def mark_missing(columns: dict[str, Ints], is_missing: Bools | None) -> None:
    """Set the ref_len of missing references to -1. `is_missing` is bool [lines, references]; None:
    none is missing.
    """
    if is_missing is not None and "ref_len" in columns:
        lengths = columns["ref_len"]
        columns["ref_len"] = np.where(is_missing, -1, lengths)


def keep_memory() -> None:
    """Let this process keep memory that it has freed, if the kernel is compiled."""
    native = kernel.native_function("keep_memory", "scan")
    if native:
        native()


# ---- in a worker


def answer(count: Callable[[Task], Done], task: Task) -> Answer:
    """Count a task on any machine, and write the columns if the task has a file for them."""
    number, arrays = count(task)
    if task.file and task.file.written(arrays):
        return number, None
    return number, [*arrays]


def count(task: Task) -> Done:
    """Read the lines of a shard, and count each system for each specification of statistics.

    Return the number of the task, and a packed array [lines, width] for each system: all systems
    for the first specification, then all for the next. A corpus pass has one array. Missing
    references have ref_len -1. Raises CorpusError if a text is not valid UTF-8, or a line is too
    long to be counted.
    """
    # read the lines
    in_memory = not isinstance(task.texts[0], Span)
    if not in_memory:  # else the process is the user's
        keep_memory()
    texts = [read(text) for text in task.texts]
    lines = len(texts[0].starts)
    rows = task.low + np.arange(lines)
    source = None
    if task.source:
        source = texts.pop(0)
    references = texts[: len(task.references)]
    systems = texts[len(task.references) :]
    is_missing = None
    if task.missing_lines:
        references, is_missing = without(references, task.missing_lines)
    text = Text(
        source,
        references,
        systems,
        {},
        task.spec,
        rows=rows,
        missing=is_missing,
    )

    # count for one specification after the other; `found` is empty if there is no corpus pass
    compared = [*task.references, *task.systems]
    packed = []
    for spec, found in zip_longest(task.spec, task.found):
        schema = spec.schema(len(task.references))
        spec_text = text
        if found:
            spec_text = text._replace(corpus_data=found.content)
        try:
            for columns in spec.count(spec_text):
                mark_missing(columns, is_missing)
                packed.append(schema.narrowed(columns))
        except InvalidTextError as error:
            # the number of a text among those that this specification reads
            encoded = compared
            if task.source and spec.source:
                encoded = [task.source, *compared]
            position = _position(encoded[error.text], "")
            message = (
                "is no longer valid UTF-8; it changed since it was checked"
            )
            raise CorpusError([Problem(position, message)]) from None
        except LongTextError as error:
            position = _position(compared[error.text], "text")
            line = task.low + error.line + 1
            raise CorpusError(
                [Problem(f"{position}:{line}", error.message)]
            ) from None
    return task.number, packed


def read(text: ShardText) -> Lines:
    """Return the lines of a text; they are read from its file unless they are in memory."""
    if isinstance(text, Span):
        return text.read()
    return text


def _position(text: ShardText, in_memory: str) -> str:
    """Return the name of a text for messages: of its file, or `in_memory` if it has none."""
    if isinstance(text, Span):
        return text.display_name or text.path
    return in_memory


@dataclass(frozen=True)
class _ClusterWork:
    """Work for a worker of a cluster: several tasks. It returns errors, since clusters would wrap
    raised ones.
    """

    count: Callable[[Task], Done]
    version: tuple[str, int]
    """The version of the program and of its counting, on the machine that handed the task out."""

    def __call__(self, tasks: Sequence[Task]) -> list[Answer | PipelineError]:
        """Return the answer to each task, up to the first that ends with an error, which is last.

        A worker with another version of the counting only returns an error.
        """
        import platform

        host = platform.node()
        version, counting = self.version
        if counting != COUNTING:
            message = f"has gec-pipeline {__version__}, which counts otherwise than {version} here"
            advice = "install the same version everywhere"
            problem = Problem(f"the worker on {host}", f"{message}; {advice}")
            return [InputError([problem])]
        answers: list[Answer | PipelineError] = []
        for task in tasks:
            try:
                answers.append(answer(self.count, task))
            except UnreadableError as error:
                problems = [_on(host, problem) for problem in error.problems]
                return [*answers, CorpusError(problems)]
            except PipelineError as error:
                return [*answers, error]
        return answers


def _on(host: str, problem: Problem) -> Problem:
    """Add to the problem of a file that cannot be read which machine could not read it, and why."""
    needed = "file at the same path, with the same time"
    if "://" in problem.position:
        needed = "access to it"
    reason = f"on {host}, where a worker needs the same {needed}"
    return replace(problem, message=f"{problem.message} ({reason})")


# ---- in the first process


def plan(
    n_jobs: int | Literal["auto"],
    backend: Backend,
    size: int,
    *,
    in_memory: bool = False,
) -> tuple[int, Backend]:
    """Return how many workers and which backend are used for `size` bytes of text.

    With "auto" there is a worker for each processor, but only one if both are "auto" and the texts
    are small. The backend "auto" is serial for one worker. For more, it is processes (loky), or
    threads if the texts are in memory, which processes would have to be sent, and the kernel is
    compiled. (The number of workers of a cluster is its own: see Cluster.workers.)
    """
    parallel_backend: Backend = "loky"
    small = SMALL[kernel.name()]
    if in_memory and kernel.name() == "native":
        parallel_backend = "threading"
        small = SMALL_IN_MEMORY
    if n_jobs == "auto":
        n_jobs = processors()
        if backend == "auto" and size <= small:
            n_jobs = 1
    if backend == "serial" or (backend == "auto" and n_jobs == 1):
        return 1, "serial"
    if backend == "auto":
        return n_jobs, parallel_backend
    return n_jobs, backend


class WorkerDiedError(WorkerLostError):
    """A worker was lost; `tasks` are those that were handed out and are not done."""

    def __init__(self, tasks: Iterable[Task], reason: str) -> None:
        self.tasks = list(tasks)
        super().__init__(reason)


def run(
    tasks: Sequence[Task],
    n_jobs: int,
    backend: Backend,
    cluster: Cluster | None = None,
) -> Iterator[Answer]:
    """Yield the answers to tasks in the order in which they finish.

    With a `cluster`, `backend` is not used. Raises WorkerDiedError if a worker dies or memory runs
    out, and IncompleteError if no worker has answered for too long.
    """
    pending: dict[int, Task] = {}

    def handed_out() -> Iterator[Task]:
        for task in tasks:
            pending[task.number] = task
            yield task

    work = partial(answer, count)
    answers: Iterator[Answer]
    if cluster:
        answers = _from_cluster(handed_out(), len(tasks), cluster)
    elif backend == "serial":
        answers = map(work, handed_out())
    else:
        n_jobs = min(n_jobs, len(tasks))
        processes = backend != "threading"
        answers = results(work, handed_out(), n_jobs, processes=processes)
    try:
        for number, columns in answers:
            del pending[number]
            yield number, columns
    except MemoryError:
        raise WorkerDiedError(pending.values(), MEMORY) from None
    except NoAnswerError as error:
        raise IncompleteError(
            f"{error.reason}; run the same command again"
        ) from None
    except WorkerLostError as error:
        # joblib drops answers that came just before a death. But their shards may be written.
        for task in list(pending.values()):
            if task.file and task.file.locations():
                del pending[task.number]
                yield task.number, None
        raise WorkerDiedError(pending.values(), error.reason) from None


def _from_cluster(
    tasks: Iterator[Task], number: int, cluster: Cluster
) -> Iterator[Answer]:
    """Yield the answers of a cluster to `number` tasks, and raise the errors that it returns.

    Its workers read texts from files at the same paths.
    """
    bundled = bundles(map(_carried, tasks), number, cluster.workers())
    work = _ClusterWork(count, (__version__, COUNTING))
    for answers in cluster.results(work, bundled):
        for item in answers:
            if isinstance(item, PipelineError):
                raise item
            yield item


def _carried(task: Task) -> Task:
    """Return a task for another machine, which cannot read the temporary files of this one.

    Lines in temporary files, and results of corpus passes, are put into the task.
    """

    def carried(text: ShardText) -> ShardText:
        if isinstance(text, Span) and text.temporary:
            return text.read()
        return text

    return replace(
        task,
        source=task.source and carried(task.source),
        references=tuple(map(carried, task.references)),
        systems=tuple(map(carried, task.systems)),
        found=tuple(found and found.carried() for found in task.found),
    )


# ---- when workers die

DEATHS = 64
"""After so many deaths of workers in a data set the rest is given up: the cause is then not a
single line."""


class Lost(NamedTuple):
    """Lines low <= i < high of systems first <= s < last of a task that could not be counted.

    The numbers count from the first line and the first system of the task.
    """

    low: int
    high: int
    first: int
    last: int


class Outcome(NamedTuple):
    """The result of a task."""

    number: int
    """The number of the task."""
    columns: Columns | None
    """The counts. None: they are in the file of the shard."""
    lost: list[Lost]
    """What could not be counted."""


class Runner:
    """Runs tasks although workers may die, and passes a message about each death to warn()."""

    def __init__(
        self,
        n_jobs: int,
        backend: Backend,
        warn: Callable[[str], None],
        cluster: Cluster | None = None,
    ) -> None:
        """Take the number and kind of workers, or a cluster."""
        self.n_jobs = n_jobs
        self.backend = backend
        self.warn = warn
        self.cluster = cluster
        self.deaths_left = DEATHS

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield the outcomes of tasks as they finish.

        When a worker dies, any of the tasks that were handed out may be the cause, or none. They
        are tried once more together; those that are not done then are tried alone, at the end.
        """
        todo = {task.number: task for task in tasks}
        suspects: list[Task] = []  # handed out at two deaths
        handed_out_before: set[int] = set()
        while todo and self.deaths_left > 0:
            remaining = list(todo.values())
            answers = run(remaining, self.n_jobs, self.backend, self.cluster)
            try:
                for number, columns in answers:
                    del todo[number]
                    yield Outcome(number, columns, [])
            except WorkerDiedError as error:
                self.deaths_left -= 1
                self.warn(f"{error.reason}; its work is tried again")
                for task in error.tasks:
                    if task.number in handed_out_before:
                        suspects.append(todo.pop(task.number))
                    handed_out_before.add(task.number)
        for task in [*suspects, *todo.values()]:
            all_of_task = Lost(0, task.lines, 0, len(task.systems))
            yield self._alone(task, all_of_task)

    def _alone(self, task: Task, part: Lost) -> Outcome:
        """Count a part of a task while nothing else runs; if a worker dies of it, count its halves.

        `part` is the lines and systems to count. A part is lost if it cannot be halved (one line of
        one system) or too many workers have died. The outcome has an array for each specification
        and system, or None in place of one that is not complete.
        """
        systems = part.last - part.first
        if isinstance(task.spec[0], CorpusPass):
            systems = 1  # it counts all systems together
        arrays = len(task.spec) * systems
        lost = Outcome(task.number, [None] * arrays, [part])
        if self.deaths_left <= 0:
            return lost
        backend = "serial" if self.backend == "threading" else self.backend
        task_of_part = task.part(*part)
        try:
            ((_, columns),) = run([task_of_part], 1, backend, self.cluster)
            return Outcome(task.number, columns, [])
        except WorkerDiedError as error:
            lines = part.high - part.low
            halves = _halves(part, systems)
            next_step = "it is given up"
            if halves:
                next_step = "two smaller shards are tried"
            counted = f"{lines:,} lines" if lines > 1 else "a line"
            self.deaths_left -= 1
            self.warn(f"{error.reason} over {counted} alone; {next_step}")
        if not halves:
            return lost
        first, second = [self._alone(task, half) for half in halves]
        return _joined(first, second, len(task.spec), lines=lines > 1)


def _halves(part: Lost, systems: int) -> list[Lost]:
    """Halve a part by its lines; if it has one line, by its systems; return [] if by neither."""
    if part.high - part.low > 1:
        line = (part.low + part.high) // 2
        return [part._replace(high=line), part._replace(low=line)]
    if systems > 1:
        system = (part.first + part.last) // 2
        return [part._replace(last=system), part._replace(first=system)]
    return []


def _joined(
    first: Outcome, second: Outcome, specs: int, *, lines: bool
) -> Outcome:
    """Join the outcomes of two halves of a part: halves of its lines, or (`lines` is False) of its
    systems.

    `specs` is the number of specifications. Columns have all systems for the first specification,
    then all for the next.
    """
    first_columns = first.columns or []
    second_columns = second.columns or []
    columns: Columns = []
    if lines:
        for upper, lower in zip(first_columns, second_columns, strict=True):
            if upper is None or lower is None:
                columns.append(None)
            else:
                columns.append(np.concatenate((upper, lower)))
    else:
        for spec in range(specs):
            for half in (first_columns, second_columns):
                systems = len(half) // specs
                start = spec * systems
                columns += half[start : start + systems]
    return Outcome(first.number, columns, [*first.lost, *second.lost])


# ---- what a pass over a whole data set finds, as workers get it (see CorpusPass in
# `metrics/base/statistics_spec.py`)


@dataclass(frozen=True, eq=False)
class Found:
    """What a corpus pass has found in a data set. A worker process that gets it several times opens
    it once.
    """

    corpus_pass: CorpusPass
    references: int
    """How many references the data set has."""
    rows: Rows | Location
    """The packed rows, or the file on this machine that has them."""

    @cached_property
    def content(self) -> Any:
        """What is `Text.corpus_data` for a spec. Raises StoreError if the file is damaged or missing."""
        rows = self.rows
        if isinstance(rows, Location):
            rows = rows.read()
        schema = self.corpus_pass.schema(self.references)
        return self.corpus_pass.opened(schema.unpack(rows))

    def carried(self) -> Found:
        """Return the same with the rows in memory."""
        if isinstance(self.rows, Location):
            return replace(self, rows=self.rows.read())
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        make = _of_file if isinstance(self.rows, Location) else Found
        return make, (self.corpus_pass, self.references, self.rows)


@lru_cache(4)  # a worker process keeps so many opened
def _of_file(corpus_pass: CorpusPass, references: int, rows: Location) -> Found:
    return Found(corpus_pass, references, rows)


def joined(
    corpus_pass: CorpusPass, references: int, shards: Iterable[Rows]
) -> Rows:
    """Join and reduce the rows that a corpus pass has found in each shard: integers [rows, width].

    `references` is the number of references. Shards come in the order of lines. The last two arrays
    are reduced whenever the last is at least half as long, as merge sort does, so that memory holds
    little more than the rows that are left in the end.
    """
    schema = corpus_pass.schema(references)
    waiting: list[Rows] = []

    def reduce_last(arrays: int) -> None:
        """Replace the last arrays of `waiting` by one with their reduced rows."""
        rows = np.concatenate(waiting[-arrays:])
        reduced = corpus_pass.reduced(schema.unpack(rows))
        waiting[-arrays:] = [schema.narrowed(reduced)]

    for shard in shards:
        waiting.append(shard)
        while len(waiting) > 1:
            max_rows = 2 * len(waiting[-1])
            if len(waiting[-2]) > max_rows:
                break
            reduce_last(2)
    reduce_last(len(waiting))
    return waiting[0]
