"""Runs tasks although workers may die.

Tasks that a worker died of are tried again alone, then in halves, then given up. All other tasks finish.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..corpus.texts import Span
from . import workers
from .workers import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..kernel.lines import Lines
    from .clusters import Cluster
    from .slow_shards import Watch
    from .workers import Backend, Kept, Task

DEATHS = 64
"""After so many deaths of workers in a data set the rest is given up: the cause is then not a single line."""


FAILURES = 2
"""After so many processes of a data set that stood still or had too little memory, this process counts the rest."""


class Lost(NamedTuple):
    """Lines low <= i < high of systems first <= s < last of a task that could not be counted.

    The numbers count from the first line and the first system of the task.
    """

    number: int
    low: int
    high: int
    first: int
    last: int


class Outcome(NamedTuple):
    """What a task gave."""

    number: int
    """The number of the task."""
    columns: Kept
    """The packed columns of each system, needs after needs, or where they are written already. None stands for those
    that are incomplete, or that nobody asked for."""
    lost: list[Lost]


class Runner:
    """Runs tasks although workers may die, and passes a message about each death to tell()."""

    def __init__(
        self,
        n_jobs: int,
        backend: Backend,
        watch: Watch,
        tell: Callable[[str], None],
        cluster: Cluster | None = None,
    ) -> None:
        self.n_jobs, self.backend, self.watch, self.tell, self.cluster = n_jobs, backend, watch, tell, cluster
        self.left, self.failures = DEATHS, FAILURES

    def run(self, tasks: Sequence[Task]) -> Iterator[Outcome]:
        """Yield the outcomes of tasks as they finish; tasks that a worker may have died of come last."""
        todo: dict[int, Task] = {task.number: task for task in tasks}
        suspects: list[Task] = []
        tried_again: set[int] = set()
        while todo:
            try:
                given = list(todo.values())
                for number, columns in self._counted(given, self.n_jobs):
                    del todo[number]
                    yield Outcome(number, columns, [])
            except WorkerDiedError as died:
                self._died(died, "; its work is tried again")
                # A machine of a cluster may go for many reasons, with many tasks: they are tried together once more.
                again = {task.number for task in died.tasks} - tried_again if self.cluster else set[int]()
                tried_again |= again
                suspects += [task for task in died.tasks if task.number not in again]
                for task in died.tasks:
                    if task.number not in again:
                        todo.pop(task.number, None)
                if self.left <= 0:
                    suspects, todo = [*suspects, *todo.values()], {}
        for task in suspects:
            yield self._alone(task, _Part(0, _lines(task), 0, len(task.systems)))

    def _counted(self, tasks: Sequence[Task], n_jobs: int) -> Iterator[tuple[int, Kept]]:
        return workers.run(tasks, n_jobs, self.backend, self.watch, self.cluster, self.tell)

    def _died(self, died: WorkerDiedError, then: str) -> None:
        self.left -= 1
        self.failures -= died.alive
        self.watch.forget()
        self.tell(f"{died.reason}{then}")
        if self.backend == "loky" and died.alive and self.failures <= 0:
            self.backend = "serial"
            self.tell("the rest is counted in one process")

    def _alone(self, task: Task, part: _Part) -> Outcome:
        """Count a part of a task while nothing else runs. Where a worker dies of it, count its halves."""
        if self.left > 0:
            if self.backend == "threading":
                self.backend = "serial"
            try:
                ((_, columns),) = self._counted([part.of(task)], 1)
                return Outcome(task.number, columns, [])
            except WorkerDiedError as died:
                halves = part.halves()
                what = "two smaller shards are tried" if halves else "it is given up"
                lines = f"{part.high - part.low:,} lines" if part.high - part.low > 1 else "a line"
                self._died(died, f" over {lines} alone; {what}")
                if halves:
                    one, two = (self._alone(task, half) for half in halves)
                    return _joined(one, two, len(task.needs), lines=part.high - part.low > 1)
        nothing = [None] * (len(task.needs) * (part.last - part.first))
        return Outcome(task.number, nothing, [Lost(task.number, *part)])


class _Part(NamedTuple):
    """Lines low <= i < high and systems first <= s < last of a task."""

    low: int
    high: int
    first: int
    last: int

    def halves(self) -> tuple[_Part, _Part] | None:
        """Return two parts with half of the lines each; a single line is split by systems. None: it is one of each."""
        if self.high - self.low > 1:
            middle = (self.low + self.high) // 2
            return self._replace(high=middle), self._replace(low=middle)
        if self.last - self.first > 1:
            middle = (self.first + self.last) // 2
            return self._replace(last=middle), self._replace(first=middle)
        return None

    def of(self, task: Task) -> Task:
        """Return the task with only these lines and systems."""
        return replace(
            task,
            low=task.low + self.low,
            part=None,
            kept=tuple(lines[(lines >= self.low) & (lines < self.high)] - self.low for lines in task.kept),
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
    """Join the outcomes of two halves of a part: of its lines where `lines` is true, else of its systems.

    Columns are needs after needs, with all systems for each.
    """
    columns: list[Any] = []
    if lines:
        pairs = zip(one.columns, two.columns, strict=True)
        columns = [
            np.concatenate((a, b)) if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else None
            for a, b in pairs
        ]
    else:
        first, second = len(one.columns) // needs, len(two.columns) // needs
        for row in range(needs):
            columns += one.columns[row * first : (row + 1) * first]
            columns += two.columns[row * second : (row + 1) * second]
    return Outcome(one.number, columns, [*one.lost, *two.lost])
