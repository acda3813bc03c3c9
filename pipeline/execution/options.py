"""How the work of a run is done: workers, backend, size of shards. Nothing here changes a number."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from . import workers
from .clusters import CLUSTERS, Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class RunOptions:
    """How the work is done. None leaves open what a config may say; where no config does, it is "auto"."""

    n_jobs: int | Literal["auto"] | None = None
    """How many workers; of a cluster, how many tasks are under way at once."""
    backend: workers.Backend | None = None
    """What the workers are."""
    shard_lines: int | None = None
    """How many lines a shard has; None: as many as its size allows."""
    address: str | None = None
    """Where the scheduler of a cluster is; None: where the cluster's own settings say, else on this machine."""
    cluster: Cluster | None = None
    """The connection to a cluster, which lasts a run. See connected()."""

    def under(self, n_jobs: int | Literal["auto"], backend: workers.Backend, address: str | None = None) -> RunOptions:
        """Return these options with what they leave open taken from values, such as those of a config.

        The address belongs to the backend beside it, and is taken for no other.
        """
        own = self.backend or backend
        where = self.address or (address if own == backend else None)
        return replace(self, n_jobs=self.n_jobs or n_jobs, backend=own, address=where)

    @contextmanager
    def connected(self) -> Iterator[RunOptions]:
        """Yield these options with the cluster that the backend is; it is left at the end.

        The cluster is reached only when there is work for it. Other backends have none.
        """
        if self.backend not in CLUSTERS:
            yield self
            return
        with Cluster(self.backend, self.address, self.n_jobs) as cluster:
            yield replace(self, cluster=cluster)

    @property
    def threads(self) -> int:
        """How many threads the parent may use for its own work."""
        if self.backend == "serial":
            return 1
        if self.backend in CLUSTERS:  # n_jobs counts its workers
            return workers.processors()
        return workers.processors() if self.n_jobs in (None, "auto") else int(self.n_jobs or 1)


AUTO = RunOptions()
