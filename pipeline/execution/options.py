"""Options of how a run works: workers, backend and size of shards. No option changes a result."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..io.processes import processors
from .clusters import CLUSTERS, Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .workers import Backend


@dataclass(frozen=True)
class RunOptions:
    """How a run works. An option that is None is taken from the config; without a config it is "auto"."""

    n_jobs: int | Literal["auto"] | None = None
    """The number of workers, or of tasks that run at once on a cluster."""
    backend: Backend | None = None
    """What kind of workers there are: threads, processes, or a cluster."""
    shard_lines: int | None = None
    """The number of lines in a shard. None: as many as its size in bytes allows."""
    address: str | None = None
    """The address of a cluster's scheduler. None: the one in the cluster's own settings, or this machine."""
    cluster: Cluster | None = None
    """The connection to a cluster for the length of a run, made by connected()."""

    def under(self, n_jobs: int | Literal["auto"], backend: Backend, address: str | None = None) -> RunOptions:
        """Return these options, with those that are None taken from the arguments, which come from a config.

        The address belongs to the backend of the config: it is not taken where these options name another backend.
        """
        own = self.backend or backend
        where = self.address or (address if own == backend else None)
        return replace(self, n_jobs=self.n_jobs or n_jobs, backend=own, address=where)

    @contextmanager
    def connected(self) -> Iterator[RunOptions]:
        """Yield these options with a Cluster, where the backend is one, and disconnect from the cluster at the end.

        The connection itself is only made when there is work for the cluster.
        """
        if self.backend not in CLUSTERS:
            yield self
            return
        with Cluster(self.backend, self.address, self.n_jobs) as cluster:
            yield replace(self, cluster=cluster)

    @property
    def threads(self) -> int:
        """How many threads this process may use for its own work."""
        if self.backend == "serial":
            return 1
        if self.backend in CLUSTERS:  # n_jobs is the number of the cluster's workers
            return processors()
        return processors() if self.n_jobs in (None, "auto") else int(self.n_jobs or 1)


AUTO = RunOptions()
