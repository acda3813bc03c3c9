"""How a run works (no option changes a result), who is told how it goes, and what it may lack in
the end.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..backends import is_cluster
from ..parallel import processors
from .cluster import Cluster

if TYPE_CHECKING:
    from ..data.config.models import RunConfig
    from .workers import Backend


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run works. An option that is None is taken from the config; without a config it is
    "auto".
    """

    n_jobs: int | Literal["auto"] | None = None
    """The number of workers, or of tasks that run at once on a cluster."""
    backend: "Backend | None" = None
    """What kind of workers there are: threads, processes, or a cluster."""
    shard_lines: int | None = None
    """The number of lines in a shard. None: as many as its size in bytes allows."""
    address: str | None = None
    """The address of a cluster's scheduler. None: the one in the cluster's own settings, or this
    machine."""
    cluster: Cluster | None = None
    """The connection to a cluster for the length of a run, made by connected()."""
    devices: tuple[str, ...] = ()
    """Where models of users compute: auto, cpu, cuda:0 ...; none named: auto."""
    batch_size: int | None = None
    """The most lines that code of users gets at once. None: as many as it says itself."""
    patience: float = 600.0
    """Seconds without any answer after which code of users is given up."""
    recompute: tuple[str, ...] = ()
    """Metrics of users whose kept numbers are not used."""
    cache: bool = True
    """Whether numbers of users' metrics are kept on this computer, and read."""

    def under(self, written: "RunConfig") -> "RunOptions":
        """Return these options, with those that are None taken from the section `run` of a config.

        The address belongs to the backend of the config: it is not taken where these options name
        another backend."""
        own = self.backend or written.backend
        where = self.address or (written.address if own == written.backend else None)
        devices = written.devices if isinstance(written.devices, list) else [written.devices]
        return replace(
            self,
            n_jobs=self.n_jobs or written.n_jobs,
            backend=own,
            address=where,
            devices=self.devices or tuple(devices),
            batch_size=self.batch_size or written.batch_size,
            patience=float(written.patience),
        )

    @contextmanager
    def connected(self, opened: Cluster | None = None) -> "Iterator[RunOptions]":
        """Yield these options with a Cluster, where the backend is one, and disconnect from the
        cluster at the end.

        That is the one with which texts were `opened`, where it is the same.
        """
        cluster = self.new_cluster()
        if cluster is None:
            yield self
            return
        with opened if opened and opened.is_same(cluster) else cluster as connected:
            yield replace(self, cluster=connected)

    def new_cluster(self) -> Cluster | None:
        """Return a Cluster, where the backend is one. It connects when there is work for it."""
        return (
            Cluster(self.backend, self.address, self.n_jobs)
            if self.backend and is_cluster(self.backend)
            else None
        )

    @property
    def threads(self) -> int:
        """How many threads this process may use for its own work."""
        if self.backend == "serial":
            return 1
        is_open = is_cluster(self.backend) or self.n_jobs in (
            None,
            "auto",
        )  # n_jobs is that of the cluster's workers
        return processors() if is_open else int(self.n_jobs or 1)


AUTO = RunOptions()


class Listener:
    """Is told how a run goes, and does nothing. The progress bar and the log override the methods
    that they need.
    """

    def stage(self, name: str) -> None:
        """Take the name of the stage of the run that begins."""

    def progress(self, done: int, whole: int) -> None:
        """Take the number of lines that are counted. A line counts once for each system."""

    def read(self, size: int) -> None:
        """Take how many bytes of texts were read to count a shard."""

    def testing(self, done: int, whole: int) -> None:
        """Take the number of samples, trials or matches that are done."""

    def warn(self, text: str) -> None:
        """Take what a user should know at once, such as that a worker died."""

    def note(self, text: str) -> None:
        """Take what is only for the log."""


SILENT = Listener()


class LoggingListener(Listener):
    """A listener that passes calls on to another one, logs the texts of tell() and note(), and adds
    up what is read.
    """

    def __init__(self, listener: Listener, log: Callable[[str], None]) -> None:
        self.listener, self.log, self.bytes = listener, log, 0
        for name in ("stage", "progress", "testing"):
            setattr(self, name, getattr(listener, name))

    def read(self, size: int) -> None:
        """Add it."""
        self.bytes += size

    def warn(self, text: str) -> None:
        """Log it and pass it on."""
        self.log(text)
        self.listener.warn(text)

    def note(self, text: str) -> None:
        """Log it and pass it on."""
        self.log(text)
        self.listener.note(text)


@dataclass(frozen=True)
class Missing:
    """Lines first <= i <= last of a system that could not be counted: the system has no score on
    the data set.
    """

    dataset: str
    system: str
    first: int
    """The number of the line, as the user counts: from 1."""
    last: int

    def __str__(self) -> str:
        lines = (
            f"line {self.first:,}"
            if self.first == self.last
            else f"lines {self.first:,} to {self.last:,}"
        )
        return f"{self.dataset}: {self.system} has no scores: {lines} could not be counted"
