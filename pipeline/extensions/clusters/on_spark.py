"""Workers of spark, by joblib.

A spark session that the user has already started in this process is used as it is, and is left
open.
"""

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Any

from pipeline.backends import ClusterBackend
from pipeline.execution import Cluster
from pipeline.parallel import quiet

TASKS_FOR_EACH = 4
"""How many tasks for each worker joblib gets at once: spark refuses generators, and returns all
results together."""


def connect(
    address: str | None, workers: int | None, undo: contextlib.ExitStack
) -> int:
    """Connect to spark; return how many tasks can run at once.

    The address is the master's. Without one, that is the master in spark's own settings, or this
    machine with so many `workers`. `undo` is given what disconnects.
    """
    from joblibspark import register_spark
    from pyspark.sql import SparkSession

    register_spark()
    undo.callback(logging.disable, logging.root.manager.disable)
    # py4j prints a traceback if the run is interrupted
    logging.disable(logging.ERROR)
    if SparkSession.getActiveSession() is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("gec-pipeline")
        builder = builder.config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.log.level", "OFF")
        if address:
            builder = builder.master(address)
        elif workers:
            builder = builder.config("spark.master", f"local[{workers}]")
        undo.callback(builder.getOrCreate().stop)
    if workers:
        return workers
    session = SparkSession.builder.getOrCreate()
    return int(session.sparkContext.defaultParallelism)


def results(
    cluster: Cluster,
    call: Callable[[Any], Any],
    tasks: Iterator[Any],
    workers: int,
) -> Generator[Any, None, None]:
    """Yield `call(task)` for each task. joblib gets TASKS_FOR_EACH tasks a worker at once."""
    from joblib import Parallel, delayed, parallel_config

    wave_size = 1 if workers == 1 else TASKS_FOR_EACH * workers
    with contextlib.ExitStack() as stack:
        with quiet(), parallel_config(cluster.backend):
            # joblib would use this process as the only worker, so there are two, of which the
            # second stays idle.
            parallel = stack.enter_context(
                Parallel(max(workers, 2), batch_size=1)
            )
        while True:
            wave = list(islice(tasks, wave_size))
            if not wave:
                return
            with quiet():
                done = parallel(delayed(call)(task) for task in wave)
            yield from done


SPARK = ClusterBackend(
    packages=("joblibspark", "pyspark"),
    connect=connect,
    results=results,
    death_errors=("Py4JJavaError", "SparkException"),
)
