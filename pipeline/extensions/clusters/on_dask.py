"""Workers of dask, through its own client.

joblib's dask backend is not used: in joblib 1.6 it waits for ever for a task that dask has given
up, or whose scheduler is gone. A client that the user has already started in this process is used
as it is, and is left open.
"""

import contextlib
import logging
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import islice
from typing import Any

from pipeline.backends import ClusterBackend
from pipeline.execution import Cluster
from pipeline.parallel import quiet


def connect(
    address: str | None, workers: int | None, undo: contextlib.ExitStack
) -> int:
    """Connect to dask; return how many threads it has.

    Without an address, that is the cluster in dask's own settings, or a new one with so many
    `workers` on this machine (None: one for each processor). `undo` is given what disconnects.
    """
    import dask.config
    import dask.system
    from distributed import Client, get_client

    with contextlib.suppress(ValueError):
        client = get_client()
        if address in (None, client.scheduler.address):
            return sum(client.ncores().values())
    if address or dask.config.get("scheduler-address", None):
        client = Client(
            address, timeout=Cluster.MAX_ANSWER_SECONDS, set_as_default=True
        )
        undo.callback(client.close)
        client.wait_for_workers(1, timeout=Cluster.MAX_ANSWER_SECONDS)
    else:
        with _uninterruptible():
            client = Client(
                # Without a number, dask would give each of a few workers several threads.
                n_workers=workers or dask.system.CPU_COUNT,
                threads_per_worker=1,
                set_as_default=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        undo.callback(client.close)
    log = logging.getLogger("distributed")
    undo.callback(log.setLevel, log.level)
    # the program itself reports what went wrong, once
    log.setLevel(logging.CRITICAL)
    return sum(client.ncores().values())


@contextlib.contextmanager
def _uninterruptible() -> Iterator[None]:
    """Have processes that are started here ignore Ctrl-C: this process handles it and ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def results(
    cluster: Cluster,
    call: Callable[[Any], Any],
    tasks: Iterator[Any],
    workers: int,
) -> Generator[Any, None, None]:
    """Yield `call(task)` for each task, in any order; at the end, cancel tasks that are not done.

    More tasks are submitted than there are workers, so that no worker waits.
    """
    from distributed import as_completed, get_client

    client = get_client()
    completed = as_completed()
    pending: set[Any] = set()

    def submit(count: int) -> None:
        for task in islice(tasks, count):
            with quiet():  # dask warns of large tasks, such as those with texts
                # pure=False: count a task that is submitted twice anew
                future = client.submit(partial(call, task), pure=False)
            pending.add(future)
            completed.add(future)

    try:
        submit(cluster.under_way(workers))
        for future in completed:
            pending.discard(future)
            submit(1)
            yield future.result()
    finally:
        client.cancel(list(pending), force=True)


DASK = ClusterBackend(
    packages=("dask[distributed]",),
    connect=connect,
    results=results,
    death_errors=("KilledWorker",),
)
