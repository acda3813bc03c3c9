"""Reports tasks that take far longer than the others, while they still run."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 10
"""A task is slow when it takes so many times the median of those that are done, and at least LEAST seconds."""
LEAST = 5.0
ENOUGH = 5
"""How many tasks must be done before their median is used."""
PAUSE = 0.5
"""Seconds between two looks."""


class Watch:
    """Is told which tasks are handed out and done, and reports each slow task once.

    Workers take tasks in the order in which they are handed out. So the oldest tasks that are not done are running,
    and a task's time counts from when it became one of these. `slow` is called in a separate thread, with the number
    of the task, its seconds so far and the median.
    """

    def __init__(self, workers: int, slow: Callable[[int, float, float], None]) -> None:
        self.workers, self.slow = workers, slow
        self._waiting: list[int] = []
        self._since: dict[int, float] = {}
        self._seconds: list[float] = []
        self._reported: set[int] = set()
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join()

    def handed(self, number: int) -> None:
        """Note that a task waits for a worker."""
        with self._lock:
            self._waiting.append(number)
            self._start()

    def done(self, number: int) -> None:
        """Note that a task is done."""
        with self._lock:
            self._waiting.remove(number)
            self._seconds.append(time.monotonic() - self._since.pop(number, time.monotonic()))
            if len(self._seconds) == ENOUGH:  # before that nothing is slow, and small runs need no thread
                with suppress(RuntimeError, MemoryError):  # without a thread nobody is told
                    self._thread.start()
            self._start()

    def forget(self) -> None:
        """Note that no task runs any more."""
        with self._lock:
            self._waiting.clear()
            self._since.clear()

    def _start(self) -> None:
        for number in self._waiting[: self.workers]:
            self._since.setdefault(number, time.monotonic())

    def _look(self) -> None:
        while not self._end.wait(PAUSE):
            for task in self.look():
                self.slow(*task)

    def look(self) -> list[tuple[int, float, float]]:
        """Return the tasks that have become slow since the last call: number, seconds so far, median."""
        with self._lock:
            if len(self._seconds) < ENOUGH:
                return []
            from statistics import median  # here, because most runs end before it is needed

            middle, now = median(self._seconds), time.monotonic()
            taken = {number: now - since for number, since in self._since.items() if number not in self._reported}
            slow = [(n, seconds, middle) for n, seconds in taken.items() if seconds > max(TIMES * middle, LEAST)]
            self._reported.update(number for number, *_ in slow)
            return slow
