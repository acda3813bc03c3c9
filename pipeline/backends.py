"""Backends by name: what runs the workers that count.

Those of this machine are part of the core. A cluster is a backend that an extension adds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from .lookup import Table

LOCAL_BACKENDS = ("auto", "serial", "threading", "loky")
"""The backends of this machine: auto chooses, serial has no workers, threading has threads, and
loky has processes."""


@dataclass(frozen=True, kw_only=True)
class ClusterBackend:
    """How the workers of a kind of cluster are reached."""

    packages: tuple[str, ...]
    """The packages to install; the extra of gec-pipeline has the name of the backend."""
    connect: Callable[[str | None, int | None, contextlib.ExitStack], int]
    """Takes the address, the number of workers (None: all) and a stack for what must be undone at
    the end of the run. Returns how many workers there are."""
    results: Callable[
        [Any, Callable[[Any], Any], Any, int], Generator[Any, None, None]
    ]
    """Takes the Cluster (`execution/cluster.py`), a function, an iterator of tasks and the number of workers. Yields the
    results of the tasks."""
    death_errors: tuple[str, ...]
    """The names of the errors that mean that a worker died."""


CLUSTER_BACKENDS: Table[ClusterBackend] = Table(__name__, {}, kind="backends")
"""The backends that use more than one machine."""


def is_cluster(backend: str | None) -> bool:
    """Return whether a backend uses more than one machine."""
    return backend is not None and backend not in LOCAL_BACKENDS


def backend_names() -> tuple[str, ...]:
    """Return the names of all backends."""
    return (*LOCAL_BACKENDS, *CLUSTER_BACKENDS)


def unused_address(backend: str) -> str:
    """Return why an address has no effect with a backend; an empty text if it has one."""
    if is_cluster(backend):
        return ""
    clusters = (
        ", ".join(sorted(CLUSTER_BACKENDS))
        or "of clusters (no extension has one)"
    )
    return f"only the backends {clusters} take an address, not '{backend}'"
