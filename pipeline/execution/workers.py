"""Counts shards in workers: threads, processes, or the machines of a cluster.

A worker gets byte ranges and needs, and reads its own lines. It writes the packed columns to the run directory, where
it has the same folder, and returns where they are. Else it returns them, and the parent process writes them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import kernel
from .._version import __version__
from ..corpus.texts import Span, read_span
from ..dataclass import dataclass
from ..errors import CorpusError, InputError, InvalidTextError, LongTextError, PipelineError, Problem, UnreadableError
from ..io.processes import MEMORY, WorkerLostError, processors, starved
from ..metrics.base.columns import COUNTING
from ..metrics.base.metric import Text
from .clusters import LostWorkerError
from .listener import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..kernel.lines import Lines
    from ..metrics.base.metric import Needs
    from .clusters import Cluster
    from .slow_shards import Watch
    from .store.unfinished import Location, Part

    Done = tuple[int, list[NDArray[np.integer]]]
    """The number of a task, and the packed columns of each system, needs after needs."""
    Kept = Sequence[NDArray[np.integer] | Location | None]
    """The same columns; where a worker wrote them, their locations, and None for those that nobody asked for."""

SMALL = {"python": 1 << 19, "native": 1 << 25}
"""For each kernel, up to how many bytes of text starting workers costs more time than it saves."""

BUNDLES, MOST = 32, 16
"""A worker of a cluster gets several tasks at once, since a scheduler takes milliseconds for each request: at least so
many bundles of them in all, and at most so many tasks in a bundle."""

Backend = Literal["auto", "serial", "threading", "loky", "dask", "ray", "spark"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a worker is given: where the lines of a shard are, and what to count in one pass over them."""

    number: int
    source: Span | Lines | None
    references: tuple[Span | Lines, ...]
    systems: tuple[Span | Lines, ...]
    needs: tuple[Needs, ...]
    missing: bool = False
    """A blank line of a reference means that the reference is missing: its columns have ref_len -1."""
    kept: tuple[NDArray[np.int64], ...] = ()
    """The blank lines of each reference, from 0, that are there all the same (see Corpus.kept)."""
    low: int = 0
    """The number of the first line, from 0."""
    part: Part | None = None
    """Where to write the columns. None: they are returned."""


@dataclass(frozen=True)
class _Work:
    """What a worker does with a task: it counts, and writes the columns where it can."""

    count: Callable[[Task], Done]

    def __call__(self, task: Task) -> tuple[int, Kept]:
        number, arrays = self.count(task)
        written = task.part and task.part.written(task.low, task.low + len(arrays[0]), arrays)
        return number, arrays if written is None else written


def count(task: Task) -> Done:
    """Read and count a shard.

    Return the number of the task, and the packed columns of each system, needs after needs. Raises CorpusError where
    a text is not valid UTF-8, or a line is too long to be counted.
    """
    spans = [*([task.source] if task.source else []), *task.references, *task.systems]
    keep_memory = kernel.formula("keep_memory", "scan")
    if keep_memory and isinstance(spans[0], Span):  # for texts in memory, the process is the user's
        keep_memory()
    texts = [read_span(span) if isinstance(span, Span) else span for span in spans]
    source = texts.pop(0) if task.source else None
    references, systems = texts[: len(task.references)], texts[len(task.references) :]
    blank = np.stack([_blank_lines(lines) for lines in references], axis=-1) if task.missing else None
    if blank is not None:
        for number, lines in enumerate(task.kept):
            blank[lines, number] = False
        references = [
            lines._replace(ends=np.where(is_blank, lines.starts, lines.ends))
            for lines, is_blank in zip(references, blank.T, strict=True)
        ]
    text = Text(source, references, systems, {}, task.needs)
    packed = []
    for needs in task.needs:
        schema = needs.schema(len(task.references))
        try:
            for columns in needs.count(text):
                if blank is not None:
                    columns["ref_len"] = np.where(blank, -1, columns["ref_len"])
                packed.append(schema.narrowed(columns))
        except InvalidTextError as error:
            read = [*([task.source] if task.source and needs.source else []), *task.references, *task.systems]
            position = _position(read[error.text], "")
            raise CorpusError(
                [Problem(position, "is no longer valid UTF-8; it changed since it was checked")]
            ) from None
        except LongTextError as error:
            position = _position([*task.references, *task.systems][error.text], "text")
            raise CorpusError([Problem(f"{position}:{task.low + error.line + 1}", error.message)]) from None
    return task.number, packed


def _position(text: Span | Lines, otherwise: str) -> str:
    """Return what messages call a text."""
    return (text.place or text.path) if isinstance(text, Span) else otherwise


def _blank_lines(lines: Lines) -> NDArray[np.bool_]:
    """Return which lines have no token: bool [lines]."""
    return np.array([not line.decode().split() for line in lines.texts()], bool)


def plan(n_jobs: int | Literal["auto"], backend: Backend, size: int) -> tuple[int, Backend]:
    """Return how many workers and which backend are used for `size` bytes of text. A cluster has its own number."""
    if n_jobs == "auto":
        n_jobs = 1 if backend == "auto" and size <= SMALL[kernel.name()] else processors()
    if backend == "serial" or (backend == "auto" and n_jobs == 1):
        return 1, "serial"
    if backend == "auto":
        backend = "threading" if kernel.name() == "native" else "loky"
    return n_jobs, backend


class WorkerDiedError(Exception):
    """A worker process was killed, or memory ran out.

    `tasks` are those that were handed out and are not done. One of them is the cause. `alive` says that no process
    died: it stood still, or had too little memory.
    """

    def __init__(self, tasks: Iterable[Task], reason: str, *, alive: bool = False) -> None:
        self.tasks, self.reason, self.alive = list(tasks), reason, alive
        super().__init__(reason)


def run(
    tasks: Sequence[Task],
    n_jobs: int,
    backend: Backend,
    watch: Watch | None = None,
    cluster: Cluster | None = None,
    tell: Callable[[str], None] = SILENT.tell,
) -> Iterator[tuple[int, Kept]]:
    """Yield the number of each task, and its columns or where these are, in the order in which tasks finish.

    Raises WorkerDiedError.
    `watch` is told of each task that is handed to a worker, and of its end. With a `cluster`, `backend` is not used.
    `tell` is given a message where there is no room for so many workers.
    """
    handed: dict[int, Task] = {}

    def hand(task: Task) -> Task:
        handed[task.number] = task
        if watch:
            watch.handed(task.number)
        return task

    try:
        handing = map(hand, tasks)
        number = min(n_jobs, len(tasks))
        for done in _on_cluster(handing, cluster, len(tasks)) if cluster else _results(handing, number, backend, tell):
            del handed[done[0]]
            if watch:
                watch.done(done[0])
            yield done
    except (MemoryError, SystemError) as error:
        if starved(error) != MEMORY:
            raise
        raise WorkerDiedError(handed.values(), MEMORY, alive=True) from None
    except WorkerLostError as lost:
        task: Task = lost.item
        at = f" at the lines from {task.low + 1:,} on" if lost.stood else ""
        alive = lost.stood or lost.reason == MEMORY
        raise WorkerDiedError([task], f"{lost.reason}{at}", alive=alive) from None
    except LostWorkerError as error:
        raise WorkerDiedError(handed.values(), str(error)) from None


def _results(
    tasks: Iterator[Task], number: int, backend: Backend, tell: Callable[[str], None]
) -> Iterator[tuple[int, Kept]]:
    """Count on this machine. The backend loky, whose name is that of joblib's processes, has processes of our own."""
    if backend == "serial":
        yield from map(_Work(count), tasks)
    else:
        from ..io.workers.pool import results

        yield from results(_Work(count), tasks, number, processes=backend != "threading", tell=tell)


def _on_cluster(tasks: Iterator[Task], cluster: Cluster, number: int) -> Iterator[tuple[int, Kept]]:
    """Count on the workers of a cluster, which read the texts themselves, from files at the same paths as here."""
    size = min(max(number // (BUNDLES * cluster.workers()), 1), MOST)
    bundles = iter(lambda: [*map(_carried, islice(tasks, size))], [])
    for results in cluster.results(_Attempt(_Work(count), (__version__, COUNTING)), bundles):
        for result in results:
            if isinstance(result, PipelineError):
                raise result
            yield result


def _carried(task: Task) -> Task:
    """Return a task that contains the texts which are in the temporary folder of this machine."""

    def carried(text: Span | Lines) -> Span | Lines:
        return read_span(text) if isinstance(text, Span) and text.temporary else text

    return replace(
        task,
        source=task.source and carried(task.source),
        references=tuple(map(carried, task.references)),
        systems=tuple(map(carried, task.systems)),
    )


def _remedy(path: str, host: str) -> str:
    same = "access to it" if "://" in path else "file at the same path, with the same time"
    return f"on {host}, where a worker needs the same {same}"


@dataclass(frozen=True)
class _Attempt:
    """_Work for a worker of a cluster, which does several tasks one after the other, until one has an error.

    Errors are returned, since each cluster would wrap raised ones in its own.
    """

    work: _Work
    version: tuple[str, int]
    """The version of the program and of its counting, on the machine that handed the task out."""

    def __call__(self, tasks: Sequence[Task]) -> list[tuple[int, Kept] | PipelineError]:
        results: list[tuple[int, Kept] | PipelineError] = []
        for task in tasks:
            results.append(self._attempted(task))
            if isinstance(results[-1], PipelineError):
                break
        return results

    def _attempted(self, task: Task) -> tuple[int, Kept] | PipelineError:
        import platform

        host = platform.node()
        if self.version[1] != COUNTING:
            message = f"has gec-pipeline {__version__}, which counts otherwise than {self.version[0]} here"
            return InputError([Problem(f"the worker on {host}", f"{message}; install the same version everywhere")])
        try:
            return self.work(task)
        except UnreadableError as error:
            return CorpusError(
                [replace(item, message=f"{item.message} ({_remedy(item.position, host)})") for item in error.problems]
            )
        except PipelineError as error:
            return error
