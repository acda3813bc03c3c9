"""Workers of ray, through ray itself: joblib's backend refuses generators and waits for each wave.

A ray that the user has already started in this process is used as it is, and is left open.
"""

import contextlib
import logging
import os
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Any

from pipeline.backends import ClusterBackend
from pipeline.execution import Cluster


def connect(
    address: str | None, workers: int | None, undo: contextlib.ExitStack
) -> int:
    """Connect to ray; return how many processors it has.

    Without an address, that is the cluster at RAY_ADDRESS, or a new one with so many `workers` on
    this machine (None: one for each processor). `undo` is given what disconnects.
    """
    import ray

    if not ray.is_initialized():
        settings: dict[str, Any] = {"address": address}
        if address is None and "RAY_ADDRESS" not in os.environ:
            settings = {
                "address": "local",
                "num_cpus": workers,
                "include_dashboard": False,
            }
        # workers without a GPU still see the GPUs of the machine
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        ray.init(
            **settings, log_to_driver=False, logging_level=logging.CRITICAL
        )
        undo.callback(ray.shutdown)
    return int(ray.cluster_resources().get("CPU", 0)) or 1


def results(
    cluster: Cluster,
    call: Callable[[Any], Any],
    tasks: Iterator[Any],
    workers: int,
) -> Generator[Any, None, None]:
    """Yield `call(task)` for each task, in any order; at the end, cancel tasks that are not done.

    ray does not try a task again: the program itself finds out which lines a worker dies of.
    """
    import ray

    remote_call = ray.remote(max_retries=0)(lambda call, task: call(task))
    function = ray.put(call)  # sent to each machine once
    pending: list[Any] = []

    def submit(count: int) -> None:
        for task in islice(tasks, count):
            pending.append(remote_call.remote(function, task))

    try:
        submit(cluster.under_way(workers))
        while pending:
            done, pending[:] = ray.wait(pending, num_returns=1)
            submit(len(done))
            yield from ray.get(done)
    finally:
        for reference in pending:
            ray.cancel(reference, force=True)


RAY = ClusterBackend(
    packages=("ray",),
    connect=connect,
    results=results,
    death_errors=(
        "RayActorError",
        "ActorDiedError",
        "WorkerCrashedError",
        "NodeDiedError",
        "OutOfMemoryError",
    ),
)
