"""Groups of samples whose weights are in memory at once, shared by threads.

Memory is GROUP bytes and those of `summands.py` and `weighted_sums.py`, or for each thread a few bytes for each line
of the data where that is more.
"""

from __future__ import annotations

from functools import partial
from threading import Event, Lock
from typing import TYPE_CHECKING, TypeVar

from ... import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .sample_weights import Bytes, Weights

    Progress = Callable[[int, int], None]

T = TypeVar("T")

GROUP = 80 << 20
"""At most so many bytes of weights are held at once by all threads, but at least one row."""
ALONE = 400 << 20
"""The same where nothing else takes much memory: what is summed is then read again for each group."""
ROWS = 1000
"""At most so many rows of weights are held at once."""
THREADED = 1 << 24
"""From so many weights on it is worth starting several threads."""


class Groups:
    """Samples of the sentences in groups, as large as there is room for."""

    def __init__(self, weights: Weights, samples: int, lines: int, *, threads: int = 1, space: int = 0) -> None:
        """Take the stream of weights. They may take `space` bytes, or GROUP where it is 0."""
        self.weights, self.samples = weights, samples
        most = max((space or GROUP) // lines, 1)
        # The Python kernel could only pass over weights by making them.
        self.threads = min(threads, most) if samples * lines >= THREADED and kernel.name() == "native" else 1
        self.rows = min(most // self.threads, ROWS, max(samples // self.threads, 1))
        self.begun = self.done = 0
        self.lock, self.stopped = Lock(), Event()

    def __iter__(self) -> Iterator[tuple[int, Bytes]]:
        """Yield the number of the first sample of each group, and the weights, [samples, lines]."""
        while (group := self._begin()) is not None:
            low, _, make = group
            yield low, make()

    def results(self, call: Callable[[int, Bytes], T], progress: Progress | None = None) -> list[T]:
        """Return what a function returns for each group, in order; its arguments are those that the groups yield.

        With several threads it is called in any of them. Groups can be gone through once.
        """
        results: dict[int, T] = {}

        def work(_: int = 0) -> None:
            while (group := self._begin()) is not None:
                low, rows, make = group
                own = call(low, make())
                with self.lock:
                    results[low] = own
                    self.done += rows
                    if progress:
                        progress(self.done, self.samples)

        if self.threads == 1:
            work()
        else:
            from ...io.workers import threads as shared_by

            with shared_by(self.threads) as apply:
                try:
                    apply(work, range(self.threads))
                finally:
                    self.stopped.set()  # where one has failed, the others end with their groups
        return [results[low] for low in sorted(results)]

    def _begin(self) -> tuple[int, int, Callable[[], Bytes]] | None:
        """Return the number of the first sample of the next group, how many it has, and what makes the weights."""
        with self.lock:
            low = self.begun
            if low >= self.samples or self.stopped.is_set():
                return None
            rows = min(self.rows, self.samples - low)
            self.begun += rows
            if self.threads == 1:  # the weights need not be passed over for others
                return low, rows, partial(self.weights.take, rows)
            return low, rows, self.weights.later(rows)
