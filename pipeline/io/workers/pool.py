"""Work that several threads or processes do at once. No state of a worker is waited for without a limit.

Each worker is looked after by a thread of this process. Where a system has no room for as many, there are fewer, and
where it has no room for one, this process does the work itself. A worker process that stands still is killed.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..processes import MEMORY, WorkerLostError, starved
from .serving import Call, dumps
from .worker_process import PATIENCE, GoneError, WorkerProcess, worker_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
R = TypeVar("R")

STILL = 300.0
"""Seconds without any use of the processor after which a worker process that has work is killed. A server that sends
nothing is given up earlier (see io/remote.py)."""
BLIND = 3600.0
"""The same where the system does not tell what a process uses: the seconds that its work may take."""
USE = 0.05
"""Seconds of processor time that show that a process works. To look after its parent takes less."""
LOOK = 5.0
"""Seconds between two looks at the workers."""
STARTS = 3
"""How often a worker process may end before it is ready, until there is one worker less."""
STARVED = (OSError, RuntimeError, MemoryError)
"""What Python raises where there is no room for another process, thread or lock."""


@dataclass(eq=False, kw_only=True)
class _Worker:
    """A worker: its process, where it is one, and what it does."""

    process: WorkerProcess | None
    item: Any = None
    busy: bool = True
    """It starts, or works on the item."""
    ready: bool = False
    """It has been started."""
    over: bool = False
    """It has ended because there was no more work."""
    stood: float = 0.0
    """For how many seconds it stood still when it was killed for that."""
    used: float = 0.0
    """The processor time that the process had used when it was last seen to work."""
    seen: float = field(default_factory=time.monotonic)
    """When that was."""

    def begins(self, item: Any) -> None:
        """Note what it begins to work on."""
        self.item, self.seen = item, time.monotonic()
        self.busy = True

    def ends(self) -> None:
        """Note that it has ended its work."""
        self.busy = False

    def still(self) -> float:
        """Return for how many seconds the process has done nothing of its work, if that is too long; else 0."""
        if self.process is None or not self.busy:
            return 0.0
        used, now = self.process.used(), time.monotonic()
        if used is not None and used - self.used >= USE:
            self.used, self.seen = used, now
        stood = now - self.seen
        return stood if stood > (BLIND if used is None else STILL) else 0.0


def silent(_: str) -> None:
    """Take a message, and do nothing with it."""


class _Pool(Generic[T, R]):
    """Workers that take items from a queue, and put what comes of them into another."""

    def __init__(self, call: Callable[[T], R], *, processes: bool, tell: Callable[[str], None]) -> None:
        self.call, self.processes, self.tell = call, processes, tell
        self.request = dumps(Call(call)) if processes else b""
        self.items: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()
        self.events: queue.SimpleQueue[tuple[_Worker, BaseException | None, list[R]]] = queue.SimpleQueue()
        self.workers: dict[_Worker, threading.Thread] = {}
        self.lost = 0
        """How many workers ended before they were ready."""

    def start(self) -> str:
        """Start a worker; return why there can be none, or an empty text."""
        worker = None
        try:
            worker = _Worker(process=worker_process() if self.processes else None)
            thread = threading.Thread(target=self._work, args=(worker,), name="worker", daemon=True)
            thread.start()
        except STARVED as error:
            if worker and worker.process:
                worker.process.close()
            return getattr(error, "strerror", None) or str(error) or "memory ran out"
        self.workers[worker] = thread
        return ""

    def _work(self, worker: _Worker) -> None:
        """Have a worker do items until it is lost, or there are none; it tells each end as an event."""
        try:
            call = self.call
            if worker.process:
                worker.process.prepare(self.request)
                call = worker.process.ask
            worker.ready = True
            worker.ends()
            while (given := self.items.get()) is not None:
                worker.begins(given[0])
                answer = call(given[0])
                worker.ends()
                self.events.put((worker, None, [answer]))
                del given, answer
            worker.over = True
        except BaseException as error:  # noqa: BLE001 (the thread that waits for the events raises it)
            worker.ends()
            self.events.put((worker, error, []))

    def results(self, items: Iterator[T], number: int) -> Iterator[R]:
        """Yield what comes of the items as it comes; raises WorkerLostError, and what the function raises."""
        self._start(number)
        out = self._give(items, 2 * len(self.workers))
        while out and self.workers:
            try:
                worker, error, answers = self.events.get(timeout=LOOK)
            except queue.Empty:
                self._look()
                continue
            if error is None:
                out += self._give(items, 1) - 1
                yield from answers
            elif worker.ready:
                raise _lost(worker, error)
            elif worker in self.workers:
                self._replace(worker, error)
        if not self.workers:
            yield from map(self.call, self._left(items))

    def _start(self, number: int) -> None:
        for _ in range(number):
            if reason := self.start():
                break
        else:
            return
        if self.workers:
            self.tell(f"{len(self.workers)} of {number} workers could be started ({reason}); these do the work")
        else:
            self.tell(f"no worker could be started ({reason}); the work is done in one process")

    def _give(self, items: Iterator[T], number: int) -> int:
        """Put up to so many items into the queue; return how many."""
        for given in range(number):
            try:
                self.items.put((next(items),))
            except StopIteration:
                return given
        return number

    def _left(self, items: Iterator[T]) -> Iterator[T]:
        """Yield the items that no worker has taken."""
        while not self.items.empty():
            if given := self.items.get():
                yield given[0]
        yield from items

    def _look(self) -> None:
        """Kill processes that stand still: the threads that wait for them are told so, or else we are."""
        for worker in self.workers:
            if stood := worker.still():
                if worker.stood:  # the system does not end it
                    self.events.put((worker, GoneError(), []))
                worker.stood = stood
                if worker.process:
                    worker.process.kill()

    def _replace(self, worker: _Worker, error: BaseException) -> None:
        """Start another worker for one that was lost before it was ready; there is one less after some of these."""
        if not isinstance(error, (GoneError, *STARVED, ImportError)):
            raise error
        self.workers.pop(worker).join(PATIENCE)
        self.lost += 1
        why = f"process {worker.process.pid} ended before it was ready" if worker.process else str(error)
        if worker.stood and worker.process:
            why = f"process {worker.process.pid} stood still for {worker.stood:.0f} s before it was ready"
        if worker.process:
            worker.process.close()
        if self.lost >= STARTS or self.start():
            for other in [other for other in self.workers if not other.ready]:
                self.workers.pop(other)
                if other.process:
                    other.process.close()
            number = len(self.workers)
            rest = f"{number} can and do the work" if number else "the work is done in one process"
            self.tell(f"a worker cannot be started ({why}); {rest}")

    def close(self) -> None:
        """End all workers. Processes that are not at work are kept for later; threads end their work."""
        for _ in self._left(iter(())):
            pass
        for worker in self.workers:
            self.items.put(None)
            if worker.process and (worker.busy or not worker.ready):
                worker.process.kill()
        for worker, thread in self.workers.items():
            thread.join(PATIENCE if worker.process else None)
            if worker.process:
                (worker.process.keep if worker.over else worker.process.close)()
        self.workers.clear()


def _lost(worker: _Worker, error: BaseException) -> BaseException:
    """Return the error that is raised for one of a worker."""
    if starved(error) == MEMORY:
        return WorkerLostError(worker.item, MEMORY)
    if not isinstance(error, GoneError) or not worker.process:
        return error
    if worker.stood:
        reason = f"a worker process ({worker.process.pid}) stood still for {worker.stood:.0f} s"
        return WorkerLostError(worker.item, reason, stood=True)
    return WorkerLostError(worker.item, "a worker process died (out of memory, or killed)")


def results(
    call: Callable[[T], R], items: Iterator[T], number: int, *, processes: bool, tell: Callable[[str], None] = silent
) -> Iterator[R]:
    """Yield what a function returns for each item, in the order in which it returns, from a number of workers.

    Workers are processes or threads. A worker takes the items in their order. `tell` is given a message where there
    can be fewer workers, or none, so that this process does the work. Raises WorkerLostError where a worker is lost
    over an item, and whatever the function raises.
    """
    pool = _Pool[T, R](call, processes=processes, tell=tell)
    try:
        yield from pool.results(items, number)
    finally:
        pool.close()
