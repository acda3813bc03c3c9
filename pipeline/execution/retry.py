"""Tasks that end their workers: tried again alone, then in halves, then given up, while the rest finishes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..corpus.spans import Span
from . import workers
from .workers import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ..kernel.lines import Lines
    from .clusters import Cluster
    from .slow_shards import Watch
    from .workers import Backend, Task

    Arrays = list[NDArray[np.integer] | None]

DEATHS = 64
"""Workers that may die in a data set before what is not done is given up: by then it is not a line that is to blame."""


class Lost(NamedTuple):
    """Lines low <= i < high of systems first <= s < last of a task that could not be counted, counted from its own."""

    number: int
    low: int
    high: int
    first: int
    last: int


class Outcome(NamedTuple):
    """What became of a task: its arrays, None for each that is incomplete, and what was lost of them."""

    number: int
    arrays: Arrays
    lost: list[Lost]


class Runner:
    """Runs tasks to their end, whatever happens to workers; tell() hears of each death."""

    def __init__(
        self,
        n_jobs: int,
        backend: Backend,
        watch: Watch,
        tell: Callable[[str], None],
        cluster: Cluster | None = None,
    ) -> None:
        self.n_jobs, self.backend, self.watch, self.tell, self.cluster = n_jobs, backend, watch, tell, cluster
        self.left = DEATHS

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield the outcome of each task: first those that no worker died of, in the order in which they finish."""
        todo: dict[int, Task] = {task.number: task for task in tasks}
        suspects: list[Task] = []
        once: set[int] = set()
        while todo:
            try:
                given = list(todo.values())
                for number, arrays in workers.run(given, self.n_jobs, self.backend, self.watch, self.cluster):
                    del todo[number]
                    yield Outcome(number, list(arrays), [])
            except WorkerDiedError as died:
                self._died(f"{died.reason}; its work is tried again")
                # A machine of a cluster goes for many reasons, and takes many tasks: they are tried together once more.
                again = {task.number for task in died.tasks} - once if self.cluster else set[int]()
                once |= again
                suspects += [task for task in died.tasks if task.number not in again]
                for task in died.tasks:
                    if task.number not in again:
                        todo.pop(task.number, None)
                if self.left <= 0:
                    suspects, todo = [*suspects, *todo.values()], {}
        for task in suspects:
            yield self._alone(task, _Part(0, _lines(task), 0, len(task.systems)))

    def _died(self, message: str) -> None:
        self.left -= 1
        self.watch.forget()
        self.tell(message)

    def _alone(self, task: Task, part: _Part) -> Outcome:
        """Count a part of a task with nothing else under way; where that kills a worker, its halves."""
        if self.left > 0:
            try:
                # With one worker joblib would count in this process: a second, idle one is what keeps it apart.
                ((_, arrays),) = workers.run([part.of(task)], 2, self._backend(), self.watch, self.cluster)
                return Outcome(task.number, list(arrays), [])
            except WorkerDiedError as died:
                halves = part.halves()
                what = "two smaller shards are tried" if halves else "it is given up"
                lines = f"{part.high - part.low:,} lines" if part.high - part.low > 1 else "a line"
                self._died(f"{died.reason} over {lines} alone; {what}")
                if halves:
                    one, two = (self._alone(task, half) for half in halves)
                    return _joined(one, two, len(task.needs), lines=part.high - part.low > 1)
        nothing: Arrays = [None] * (len(task.needs) * (part.last - part.first))
        return Outcome(task.number, nothing, [Lost(task.number, *part)])

    def _backend(self) -> Backend:
        return "serial" if self.backend == "threading" else self.backend


class _Part(NamedTuple):
    """Lines low <= i < high and systems first <= s < last of a task."""

    low: int
    high: int
    first: int
    last: int

    def halves(self) -> tuple[_Part, _Part] | None:
        """Return two smaller parts: half the lines each, of one line half the systems; None where there is one."""
        if self.high - self.low > 1:
            middle = (self.low + self.high) // 2
            return self._replace(high=middle), self._replace(low=middle)
        if self.last - self.first > 1:
            middle = (self.first + self.last) // 2
            return self._replace(last=middle), self._replace(first=middle)
        return None

    def of(self, task: Task) -> Task:
        """Return the task with these lines and systems alone."""
        return replace(
            task,
            low=task.low + self.low,
            source=task.source and self._cut(task.source),
            references=tuple(map(self._cut, task.references)),
            systems=tuple(map(self._cut, task.systems[self.first : self.last])),
        )

    def _cut(self, lines: Span | Lines) -> Span | Lines:
        if isinstance(lines, Span):
            return lines._replace(skip=lines.skip + self.low, lines=self.high - self.low)
        return lines._replace(starts=lines.starts[self.low : self.high], ends=lines.ends[self.low : self.high])


def _lines(task: Task) -> int:
    text = task.references[0]
    return text.lines if isinstance(text, Span) else len(text.starts)


def _joined(one: Outcome, two: Outcome, needs: int, *, lines: bool) -> Outcome:
    """Return the outcome of both halves: of lines, or of systems (arrays are needs after needs, systems in each)."""
    if lines:
        pairs = zip(one.arrays, two.arrays, strict=True)
        arrays = [None if a is None or b is None else np.concatenate((a, b)) for a, b in pairs]
    else:
        first, second = len(one.arrays) // needs, len(two.arrays) // needs
        arrays = []
        for row in range(needs):
            arrays += one.arrays[row * first : (row + 1) * first] + two.arrays[row * second : (row + 1) * second]
    return Outcome(one.number, arrays, [*one.lost, *two.lost])
