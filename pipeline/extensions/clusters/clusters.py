"""Clusters of dask, ray and spark: how each is connected to, how it works through tasks, how it
tells of a death.

The program connects to a cluster when there is work for it, and disconnects at the end of the run.
A dask client, a ray or a spark session that the user has already started in this process is used as
it is, and is left open."""

import contextlib
import os
import re
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar

from pipeline.errors import ConfigError, IncompleteError, PipelineError, Problem
from pipeline.parallel import WorkerLostError, processors, quiet

T = TypeVar("T")
R = TypeVar("R")
Results = Generator[Any, None, None]

REACHED = 10.0
"""Seconds within which a scheduler must answer and have a worker."""
BUNDLES, MOST = 2, 16
"""A worker gets several tasks at once, since a scheduler takes milliseconds for each request: at
most so many, and as many as leave so many bundles of this size for each worker, so that all workers
end together."""
WAVE = 4
"""How many tasks for each worker a backend gets at once that refuses generators, and returns all
results together."""


class ClusterKind(NamedTuple):
    """What to install for a backend, and how to use it."""

    packages: tuple[str, ...]
    connect: Callable[[str | None, int | None, contextlib.ExitStack], int]
    """Takes the address, the number of workers (None: all) and a stack for what must be undone at
    the end of the run. Returns how many workers there are."""
    results: Callable[[Any, Any, Any, int], Results]
    """Takes the cluster, a function, its tasks and the number of workers. Yields the results of the
    tasks."""
    died: tuple[str, ...]
    """The names of the errors that mean that a worker died."""


class Cluster:
    """The workers of a run on a cluster. At most `n_jobs` tasks run at once, or as many as there is
    room for (auto).
    """

    def __init__(
        self, backend: str, address: str | None, n_jobs: int | Literal["auto"] | None
    ) -> None:
        self.given = self.backend, self.address, _ = backend, address, n_jobs
        self.limit = None if n_jobs in (None, "auto") else int(str(n_jobs))
        self._undo = contextlib.ExitStack()
        self._workers = 0
        weakref.finalize(
            self, self._undo.close
        )  # where texts were opened, and the run did not come to its workers

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        with quiet():
            self._undo.close()
        self._workers = 0

    def workers(self) -> int:
        """Return how many tasks can run at once. The first call connects to the cluster.

        Raises ConfigError where the cluster's package is not installed, or the cluster cannot be
        used."""
        if not self._workers:
            kind = CLUSTERS[self.backend]
            # The packages of the clusters would wait for minutes where nobody answers.
            if address := re.search(
                r"(?:\A|//)(\[[^]]+\]|[^/:]+):([0-9]+)/?\Z", self.address or ""
            ):
                import socket

                try:
                    socket.create_connection(
                        (address[1].strip("[]"), int(address[2])), REACHED
                    ).close()
                except (OSError, OverflowError, UnicodeError) as error:
                    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
                    raise self._problem(
                        f"nobody answers there ({reason}); is the scheduler running?"
                    ) from None
            try:
                with quiet():
                    self._workers = kind.connect(self.address, self.limit, self._undo)
            except ImportError as error:
                lacking = error.name or str(error)
                message = f"needs {' and '.join(kind.packages)} ({lacking} is missing)"
                raise self._problem(
                    f"{message}: pip install 'gec-pipeline[{self.backend}]'"
                ) from None
            except Exception as error:  # noqa: BLE001 (each cluster has errors of its own)
                raise self._problem(f"the cluster cannot be used: {_first_line(error)}") from None
        return min(self._workers, self.limit or self._workers)

    def shared(self, call: Callable[[T], R], items: Sequence[T]) -> list[R | None]:
        """Return what a function returns for each item; None where a worker was lost. Raises as
        results() does.

        Until the cluster is connected to, threads of this process take the first items. Of a remote
        cluster these are few; workers that have to be started on this machine take seconds, in
        which it has else little to do."""
        from concurrent.futures import Future, ThreadPoolExecutor

        here, done = list[Future[R]](), dict[int, R | None]()
        with ThreadPoolExecutor(processors()) as pool:
            with contextlib.suppress(RuntimeError, MemoryError):  # there is no thread to be had
                here += (pool.submit(call, item) for item in (() if self._workers else items))
            try:
                workers = self.workers()
            finally:  # what a thread has begun is not cancelled
                left = [
                    number
                    for number in range(len(items))
                    if number >= len(here) or here[number].cancel()
                ]
            with contextlib.suppress(WorkerLostError):
                given = ((number, items[number]) for number in left)
                for answers in self.results(
                    partial(_each, call), bundles(given, len(left), workers)
                ):
                    done |= answers
        done |= {number: one.result() for number, one in enumerate(here) if not one.cancelled()}
        return [done.get(number) for number in range(len(items))]

    def under_way(self, workers: int) -> int:
        """Return how many tasks to hand out at once: twice as many as run, so that no worker waits
        for its next one.

        Where the cluster has room for more tasks than may run at once, it would run all that it
        has."""
        return workers if self._workers > workers else 2 * workers

    def _problem(self, message: str) -> ConfigError:
        at = f" at {self.address}" if self.address else ""
        return ConfigError([Problem(f"backend {self.backend}{at}", message)])

    def results(self, call: Callable[[T], R], tasks: Iterator[T]) -> Iterator[R]:
        """Yield `call(task)` for each task, in any order.

        Raises WorkerLostError where a worker died, ConfigError where a worker lacks this program
        and IncompleteError where the cluster failed otherwise. `call` must return its own errors as
        results: an error that is raised here is taken for one of the cluster."""
        results = CLUSTERS[self.backend].results(self, call, tasks, self.workers())
        try:
            yield from results
        except PipelineError:  # a text could not be read on this machine
            raise
        except Exception as error:
            if isinstance(error, ImportError) or "ModuleNotFoundError" in str(error):
                message = f"a worker cannot import the program ({_first_line(error)}): install gec-pipeline on every"
                raise self._problem(f"{message} machine, in the same version") from None
            if any(kind.__name__ in CLUSTERS[self.backend].died for kind in type(error).__mro__):
                raise WorkerLostError(
                    f"a worker of the cluster died ({_first_line(error)})"
                ) from None
            raise IncompleteError(
                f"the cluster failed: {_first_line(error)}; run the same command again"
            ) from error
        finally:
            with quiet():
                results.close()


def bundles(items: Iterator[T], number: int, workers: int) -> Iterator[list[T]]:
    """Yield a number of items in bundles for workers."""
    while bundle := list(islice(items, max(min(number // (BUNDLES * workers), MOST), 1))):
        number -= len(bundle)
        yield bundle


def _each(call: Callable[[T], R], items: Sequence[tuple[int, T]]) -> dict[int, R]:
    return {number: call(item) for number, item in items}


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__


# ---- dask


def _connect_dask(address: str | None, workers: int | None, undo: contextlib.ExitStack) -> int:
    """Connect to dask: without an address to the cluster in its own settings, or a new one; return
    its threads.
    """
    import logging

    import dask.config
    import dask.system
    from distributed import Client, get_client

    with contextlib.suppress(ValueError):
        client = get_client()
        if address in (None, client.scheduler.address):
            return sum(client.ncores().values())
    if address or dask.config.get("scheduler-address", None):
        client = Client(address, timeout=REACHED, set_as_default=True)
        undo.callback(client.close)
        client.wait_for_workers(1, timeout=REACHED)
    else:
        # Without a number dask would give each of a few workers several threads.
        count = workers or dask.system.CPU_COUNT
        more = {"dashboard_address": None, "silence_logs": logging.CRITICAL}
        with _uninterruptible():
            client = Client(n_workers=count, threads_per_worker=1, set_as_default=True, **more)
        undo.callback(client.close)
    log = logging.getLogger("distributed")
    undo.callback(log.setLevel, log.level)
    log.setLevel(logging.CRITICAL)  # the program itself tells the user what went wrong, once
    return sum(client.ncores().values())


@contextlib.contextmanager
def _uninterruptible() -> Iterator[None]:
    """Have processes that are started here ignore Ctrl-C at a terminal: this process handles it and
    ends them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _dask_results(
    cluster: Cluster, call: Callable[[T], R], tasks: Iterator[T], workers: int
) -> Results:
    """Yield the results of tasks from dask's own client; at the end, cancel the tasks that are not
    done.

    More tasks are submitted than there are workers, so that no worker waits. joblib's dask backend
    is not used: in joblib 1.6 it waits for ever for a task that dask has given up, or whose
    scheduler is gone."""
    from distributed import as_completed, get_client

    client, done, pending = get_client(), as_completed(), set[Any]()

    def give(count: int) -> None:
        for task in islice(tasks, count):
            with quiet():  # dask warns of large tasks, such as those with texts
                future = client.submit(partial(call, task), pure=False)
            pending.add(future)
            done.add(future)

    try:
        give(cluster.under_way(workers))
        for future in done:
            pending.discard(future)
            give(1)
            yield future.result()
    finally:
        client.cancel(list(pending), force=True)


# ---- ray


def _connect_ray(address: str | None, workers: int | None, undo: contextlib.ExitStack) -> int:
    """Connect to ray: without an address to the cluster at RAY_ADDRESS, or a new one; return its
    processors.
    """
    import logging

    import ray

    if not ray.is_initialized():
        more: dict[str, Any] = {}
        if address is None and "RAY_ADDRESS" not in os.environ:
            more = {"address": "local", "num_cpus": workers, "include_dashboard": False}
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        ray.init(
            **{"address": address, **more}, log_to_driver=False, logging_level=logging.CRITICAL
        )
        undo.callback(ray.shutdown)
    return int(ray.cluster_resources().get("CPU", 0)) or 1


def _ray_results(
    cluster: Cluster, call: Callable[[T], R], tasks: Iterator[T], workers: int
) -> Results:
    """Yield the results of tasks from ray itself, not joblib, whose backend refuses generators and
    waits for each wave.

    A task is not tried again by ray: the program itself finds out which lines a worker dies of.
    """
    import ray

    remote = ray.remote(max_retries=0)(lambda call, task: call(task))
    function = ray.put(call)
    pending: list[Any] = []

    def give(count: int) -> None:
        pending.extend(remote.remote(function, task) for task in islice(tasks, count))

    try:
        give(cluster.under_way(workers))
        while pending:
            done, pending[:] = ray.wait(pending, num_returns=1)
            give(len(done))
            yield from ray.get(done)
    finally:
        for reference in pending:
            ray.cancel(reference, force=True)


# ---- spark, by joblib


def _connect_spark(address: str | None, workers: int | None, undo: contextlib.ExitStack) -> int:
    """Connect to spark, of which the address is the master's; return how many tasks can run at
    once.
    """
    import logging

    from joblibspark import register_spark
    from pyspark.sql import SparkSession

    register_spark()
    undo.callback(logging.disable, logging.root.manager.disable)
    logging.disable(logging.ERROR)  # py4j prints a traceback where the run is interrupted
    if SparkSession.getActiveSession() is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        build = SparkSession.builder.appName("gec-pipeline").config("spark.ui.enabled", "false")
        build = build.config("spark.ui.showConsoleProgress", "false").config(
            "spark.log.level", "OFF"
        )
        if address:
            build = build.master(address)
        elif workers:
            build = build.config("spark.master", f"local[{workers}]")
        undo.callback(build.getOrCreate().stop)
    return workers or int(SparkSession.builder.getOrCreate().sparkContext.defaultParallelism)


def spark_results(
    cluster: Cluster, call: Callable[[T], R], tasks: Iterator[T], workers: int
) -> Results:
    """Yield the results of tasks from joblib, which gets a bounded number at once: spark refuses
    generators.
    """
    from joblib import Parallel, delayed, parallel_config

    size = 1 if workers == 1 else WAVE * workers
    with contextlib.ExitStack() as stack:
        with quiet(), parallel_config(cluster.backend):
            # joblib would use this process as the only worker, so there are two, of which the
            # second stays idle.
            parallel = stack.enter_context(Parallel(max(workers, 2), batch_size=1))
        while wave := list(islice(tasks, size)):
            with quiet():
                done = parallel(delayed(call)(task) for task in wave)
            yield from done


CLUSTERS = {
    "dask": ClusterKind(("dask[distributed]",), _connect_dask, _dask_results, ("KilledWorker",)),
    "ray": ClusterKind(
        ("ray",),
        _connect_ray,
        _ray_results,
        (
            "RayActorError",
            "ActorDiedError",
            "WorkerCrashedError",
            "NodeDiedError",
            "OutOfMemoryError",
        ),
    ),
    "spark": ClusterKind(
        ("joblibspark", "pyspark"),
        _connect_spark,
        spark_results,
        ("Py4JJavaError", "SparkException"),
    ),
}
"""The backends that use more than one machine, by the names that joblib and configs give them."""
