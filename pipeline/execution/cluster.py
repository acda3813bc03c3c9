"""The workers of a run on a cluster.

The program connects to a cluster when there is work for it, and disconnects at the end of the run.
"""

import contextlib
import re
import socket
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Literal, TypeVar

from ..backends import CLUSTER_BACKENDS
from ..errors import ConfigError, IncompleteError, PipelineError, Problem
from ..parallel import WorkerLostError, processors, quiet

T = TypeVar("T")
R = TypeVar("R")

MAX_BUNDLE = 16
"""A worker gets at most so many tasks at once, since a scheduler takes milliseconds a request."""
BUNDLES_FOR_EACH = 2
"""So many bundles are left for each worker when their size is chosen, so that all end together."""


class Cluster:
    """The workers of a run on a cluster.

    At most `n_jobs` tasks run at once, or as many as there is room for (auto).
    """

    MAX_ANSWER_SECONDS = 10.0
    """Seconds within which a scheduler must answer and have a worker."""

    def __init__(
        self,
        backend: str,
        address: str | None,
        n_jobs: int | Literal["auto"] | None,
    ) -> None:
        """Take a backend, its scheduler's address, and the most tasks at once; do not connect."""
        self.backend = backend
        self.address = address
        self.settings = (backend, address, n_jobs)
        """Equal for objects that stand for the same workers."""
        self.max_workers = n_jobs if isinstance(n_jobs, int) else None
        self._on_disconnect = contextlib.ExitStack()
        """What ClusterBackend.connect() wants to be called at the end."""
        self._workers = 0
        """How many tasks the cluster can run at once; 0: not connected."""
        # prepare() may connect to open large texts, and then find a mistake. Nobody enters this
        # context then, so disconnect when the object is deleted.
        weakref.finalize(self, self._on_disconnect.close)

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        with quiet():
            self._on_disconnect.close()
        self._workers = 0

    def workers(self) -> int:
        """Return how many tasks can run at once. The first call connects to the cluster.

        Raises ConfigError if the cluster's package is not installed, or the cluster cannot be used.
        """
        if not self._workers:
            self._check_address()
            self._workers = self._connect()
        return min(self._workers, self.max_workers or self._workers)

    def _check_address(self) -> None:
        """Raise ConfigError if nothing answers at a HOST:PORT address.

        The packages of clusters would wait for minutes. Other addresses are not checked.
        """
        address = re.search(
            r"(?:\A|//)(\[[^]]+\]|[^/:]+):([0-9]+)/?\Z", self.address or ""
        )
        if not address:
            return
        host = address[1].strip("[]")
        try:
            socket.create_connection(
                (host, int(address[2])), self.MAX_ANSWER_SECONDS
            ).close()
        except (OSError, OverflowError, UnicodeError) as error:
            reason = (
                getattr(error, "strerror", None)
                or str(error)
                or type(error).__name__
            )
            message = (
                f"nobody answers there ({reason}); is the scheduler running?"
            )
            raise self._error(message) from None

    def _connect(self) -> int:
        """Connect, and return how many tasks the cluster can run at once.

        They may be more than `max_workers`. Raises ConfigError if a package is missing or the
        cluster cannot be used.
        """
        backend = CLUSTER_BACKENDS[self.backend]
        try:
            with quiet():
                return backend.connect(
                    self.address, self.max_workers, self._on_disconnect
                )
        except ImportError as error:
            needed = " and ".join(backend.packages)
            missing = error.name or str(error)
            install = f"pip install 'gec-pipeline[{self.backend}]'"
            raise self._error(
                f"needs {needed} ({missing} is missing): {install}"
            ) from None
        except Exception as error:  # noqa: BLE001 (each cluster has errors of its own)
            raise self._error(
                f"the cluster cannot be used: {_first_line(error)}"
            ) from None

    def shared(
        self, call: Callable[[T], R], items: Sequence[T]
    ) -> list[R | None]:
        """Return what a function returns for each item; None if its worker was lost.

        Until the cluster is connected to, threads of this process take the first items. With a
        remote cluster these are few; workers that have to be started on this machine take seconds,
        in which it has little else to do. Raises as results() does.
        """
        from concurrent.futures import Future, ThreadPoolExecutor

        futures: list[Future[R]] = []
        returned: dict[int, R | None] = {}  # by the item's index
        with ThreadPoolExecutor(processors()) as pool:
            # hand all items to threads
            if not self._workers:
                # Without threads, the cluster takes all items.
                with contextlib.suppress(RuntimeError, MemoryError):
                    for item in items:
                        futures.append(pool.submit(call, item))
            # meanwhile connect, and take back the items that no thread has begun
            try:
                workers = self.workers()
            finally:
                remaining = []
                for index in range(len(items)):
                    if index >= len(futures) or futures[index].cancel():
                        remaining.append(index)
            # hand these to the cluster
            indexed = ((index, items[index]) for index in remaining)
            bundled = bundles(indexed, len(remaining), workers)
            with contextlib.suppress(WorkerLostError):
                for answers in self.results(partial(_call_each, call), bundled):
                    returned |= answers
        for index, future in enumerate(futures):
            if not future.cancelled():
                returned[index] = future.result()
        return [returned.get(index) for index in range(len(items))]

    def under_way(self, workers: int) -> int:
        """Return how many tasks to hand out at once: twice as many as run, so that none waits.

        If the cluster has room for more tasks than may run at once, it would run all that it has.
        """
        return workers if self._workers > workers else 2 * workers

    def _error(self, message: str) -> ConfigError:
        at = f" at {self.address}" if self.address else ""
        return ConfigError([Problem(f"backend {self.backend}{at}", message)])

    def results(
        self, call: Callable[[T], R], tasks: Iterator[T]
    ) -> Iterator[R]:
        """Have the cluster call a function for each task; yield what it returns, in any order.

        Raises WorkerLostError if a worker died, ConfigError if a worker cannot import this program,
        and IncompleteError if the cluster failed otherwise. The function must return errors instead
        of raising them: an error that it raises is taken for a failure of the cluster.
        """
        backend = CLUSTER_BACKENDS[self.backend]
        results = backend.results(self, call, tasks, self.workers())
        try:
            yield from results
        except PipelineError:  # a text could not be read on this machine
            raise
        except Exception as error:
            reason = _first_line(error)
            if isinstance(error, ImportError) or "ModuleNotFoundError" in str(
                error
            ):
                message = f"a worker cannot import the program ({reason})"
                remedy = (
                    "install gec-pipeline on every machine, in the same version"
                )
                raise self._error(f"{message}: {remedy}") from None
            # compared by name, as errors of a cluster have no common module to import from
            class_names = {
                ancestor.__name__ for ancestor in type(error).__mro__
            }
            if class_names.intersection(backend.death_errors):
                raise WorkerLostError(
                    f"a worker of the cluster died ({reason})"
                ) from None
            message = (
                f"the cluster failed: {reason}; run the same command again"
            )
            raise IncompleteError(message) from error
        finally:
            with quiet():
                results.close()


def bundles(items: Iterator[T], number: int, workers: int) -> Iterator[list[T]]:
    """Yield items, of which there are `number`, in bundles for so many workers.

    The fewer items remain, the smaller the bundles, so that all workers end together.
    """
    remaining = number
    while True:
        size = min(remaining // (BUNDLES_FOR_EACH * workers), MAX_BUNDLE)
        bundle = list(islice(items, max(size, 1)))
        if not bundle:
            return
        remaining -= len(bundle)
        yield bundle


def _call_each(
    call: Callable[[T], R], items: Sequence[tuple[int, T]]
) -> dict[int, R]:
    """Return what a function returns for each item, by the index of the item."""
    return {index: call(item) for index, item in items}


def _first_line(error: BaseException) -> str:
    """Return the type and the first line of an error that is not blank."""
    name = type(error).__name__
    for line in str(error).splitlines():
        if line.strip():
            return f"{name}: {line.strip()[:300]}"
    return name
