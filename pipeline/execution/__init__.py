"""From a corpus to its counts: shards, workers and clusters; begin at `count.py`.

The names of `__all__` are what other rooms import.
"""

from typing import TYPE_CHECKING

from ..lookup import lazy_names

if TYPE_CHECKING:
    from .cluster import Cluster
    from .computation import Computation, computations, with_computed
    from .count import (
        Counted,
        PreparedCounts,
        count_all,
        count_in_memory,
        finished_counts,
    )
    from .options import (
        AUTO,
        SILENT,
        Listener,
        LoggingListener,
        Missing,
        RunOptions,
    )
    from .store.counts import InMemoryCounts, StoredCounts, ids_file
    from .store.run_directory import RunDirectory, folder_of, read_manifest
    from .tasks import Task, specs_of, tasks_of

__all__ = [
    "AUTO",
    "SILENT",
    "Cluster",
    "Computation",
    "Counted",
    "InMemoryCounts",
    "Listener",
    "LoggingListener",
    "Missing",
    "PreparedCounts",
    "RunDirectory",
    "RunOptions",
    "StoredCounts",
    "Task",
    "computations",
    "count_all",
    "count_in_memory",
    "finished_counts",
    "folder_of",
    "ids_file",
    "read_manifest",
    "specs_of",
    "tasks_of",
    "with_computed",
]
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "cluster": "Cluster",
            "computation": "Computation computations with_computed",
            "count": "Counted PreparedCounts count_all count_in_memory finished_counts",
            "options": "AUTO SILENT Listener LoggingListener Missing RunOptions",
            "store.counts": "InMemoryCounts StoredCounts ids_file",
            "store.run_directory": "RunDirectory folder_of read_manifest",
            "tasks": "Task specs_of tasks_of",
        },
    )
