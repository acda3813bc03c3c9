"""How a run is done: workers, backend, and who hears of progress. Nothing here changes a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from . import workers
from .clusters import CLUSTERS, Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..config.models import WrittenRun

    Progress = Callable[[int, int], None]


class How(NamedTuple):
    """What never changes a number: workers, backend, lines in a shard (None: by size), who hears of progress.

    progress is called with (lines done, lines in all), where a line counts once for each system; testing with
    (samples and trials done, in all); stage with what is done now; tell with what a user should know at once (a worker
    that died, a slow shard); note with what is for the log. address, cluster: of a backend past this machine, and the
    connection to it, which lasts a run.
    """

    n_jobs: int | Literal["auto"] | None = None
    backend: workers.Backend | None = None
    shard_lines: int | None = None
    progress: Progress | None = None
    stage: Callable[[str], None] = lambda _: None
    tell: Callable[[str], None] = lambda _: None
    note: Callable[[str], None] = lambda _: None
    testing: Progress | None = None
    address: str | None = None
    cluster: Cluster | None = None

    def under(self, settings: WrittenRun) -> How:
        """Return this with what it leaves open taken from a config."""
        backend = self.backend or settings.backend
        address = self.address or (settings.address if backend == settings.backend else None)
        return self._replace(n_jobs=self.n_jobs or settings.n_jobs, backend=backend, address=address)

    def connection(self) -> Cluster | None:
        """Return the cluster that the backend is, not connected to yet; None for workers of this process."""
        if self.backend not in CLUSTERS:
            return None
        return Cluster(self.backend, self.address, self.n_jobs)

    def logged(self, log: Callable[[str], None]) -> How:
        """Return this with all that is told or noted also logged."""

        def tell(text: str) -> None:
            log(text)
            self.tell(text)

        return self._replace(tell=tell, note=log)

    @property
    def threads(self) -> int:
        """How many threads the parent may use for its own work."""
        if self.backend == "serial":
            return 1
        if self.backend in CLUSTERS:  # n_jobs counts its workers
            return workers.processors()
        return workers.processors() if self.n_jobs in (None, "auto") else int(self.n_jobs or 1)


AUTO = How()
