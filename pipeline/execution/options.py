"""Options of a run, none of which changes a result, listeners of its progress, and missing lines."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..backends import is_cluster
from ..parallel import processors
from .cluster import Cluster

if TYPE_CHECKING:
    from ..data.config import RunConfig
    from .workers import Backend


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run works. None means the option of the config, or "auto" without a config."""

    n_jobs: int | Literal["auto"] | None = None
    """The number of workers, or of simultaneous tasks on a cluster."""
    backend: "Backend | None" = None
    """What kind of workers there are: threads, processes, or a cluster."""
    shard_lines: int | None = None
    """The number of lines in a shard. None: by its size in bytes."""
    address: str | None = None
    """The address of a cluster's scheduler. None: that of the cluster's settings, or this machine.
    """
    cluster: Cluster | None = None
    """The connection to a cluster for the length of a run, made by connected()."""
    devices: tuple[str, ...] = ()
    """Devices of models of users: cpu, cuda:0 ...; empty means auto."""
    batch_size: int | None = None
    """Limits the lines that code of users gets at once. None: its own limit."""
    patience: float = 600.0
    """Seconds without an answer after which code of users is stopped."""
    recompute: tuple[str, ...] = ()
    """Metrics of users whose cached numbers are not used."""
    cache: bool = True
    """Whether numbers of users' metrics are cached on this computer."""

    def under(self, written: "RunConfig") -> "RunOptions":
        """Fill in options that are None (or empty) from the section `run` of a config.

        The config's address belongs to its backend: with another backend it is not used. Patience
        is always the config's.
        """
        backend = self.backend or written.backend
        address = self.address
        if backend == written.backend:
            address = address or written.address
        devices = written.devices
        if not isinstance(devices, list):
            devices = [devices]
        return replace(
            self,
            n_jobs=self.n_jobs or written.n_jobs,
            backend=backend,
            address=address or None,
            devices=self.devices or tuple(devices),
            batch_size=self.batch_size or written.batch_size,
            patience=float(written.patience),
        )

    @contextmanager
    def connected(
        self, opened: Cluster | None = None
    ) -> "Iterator[RunOptions]":
        """Yield these options with a Cluster if the backend is one, and disconnect at the end.

        `opened` is the Cluster with which texts were opened. It is used again if its settings are
        the same.
        """
        cluster = self.new_cluster()
        if cluster is None:
            yield self
            return
        if opened and opened.settings == cluster.settings:
            cluster = opened
        with cluster:
            yield replace(self, cluster=cluster)

    def new_cluster(self) -> Cluster | None:
        """Return a Cluster if the backend is one. It connects when there is work for it."""
        if self.backend and is_cluster(self.backend):
            return Cluster(self.backend, self.address, self.n_jobs)
        return None

    @property
    def threads(self) -> int:
        """How many threads this process may use for its own work."""
        if self.backend == "serial":
            return 1
        # On a cluster, n_jobs is the number of its workers.
        if is_cluster(self.backend) or self.n_jobs in (None, "auto"):
            return processors()
        return int(self.n_jobs or 1)


AUTO = RunOptions()


class Listener:
    """Receives the progress of a run, and ignores it. Subclasses override what they need."""

    def stage(self, name: str) -> None:
        """Take the name of the stage of the run that begins."""

    def progress(self, done: int, total: int) -> None:
        """Take the number of counted lines. A line counts once for each system."""

    def read(self, size: int) -> None:
        """Take the bytes of texts that were read to count a shard."""

    def testing(self, done: int, total: int) -> None:
        """Take the number of samples, trials or matches that are done."""

    def warn(self, text: str) -> None:
        """Take what a user should know at once, such as that a worker died."""

    def note(self, text: str) -> None:
        """Take what is only for the log."""


SILENT = Listener()


class LoggingListener(Listener):
    """Passes calls on to another listener, logs texts, and adds up the bytes that are read."""

    def __init__(self, listener: Listener, log: Callable[[str], None]) -> None:
        self.listener = listener
        self.log = log
        self.bytes = 0

    def stage(self, name: str) -> None:
        """Pass the name on."""
        self.listener.stage(name)

    def progress(self, done: int, total: int) -> None:
        """Pass the numbers on."""
        self.listener.progress(done, total)

    def testing(self, done: int, total: int) -> None:
        """Pass the numbers on."""
        self.listener.testing(done, total)

    def read(self, size: int) -> None:
        """Add the bytes."""
        self.bytes += size

    def warn(self, text: str) -> None:
        """Log a text and pass it on."""
        self.log(text)
        self.listener.warn(text)

    def note(self, text: str) -> None:
        """Log a text and pass it on."""
        self.log(text)
        self.listener.note(text)


@dataclass(frozen=True)
class Missing:
    """Lines first <= i <= last of a system that could not be counted.

    The system has no score on the data set.
    """

    dataset: str
    system: str
    first: int
    """The number of the line, from 1."""
    last: int

    def __str__(self) -> str:
        lines = f"lines {self.first:,} to {self.last:,}"
        if self.first == self.last:
            lines = f"line {self.first:,}"
        return f"{self.dataset}: {self.system} has no scores: {lines} could not be counted"
