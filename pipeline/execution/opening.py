"""Opens texts on the machines of a cluster, where the first machine would else read all of them."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from .._version import __version__
from ..corpus.scan import index_text
from ..corpus.texts import stamp_of
from ..dataclass import dataclass
from ..errors import IncompleteError, PipelineError
from .clusters import LostWorkerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..corpus.opener import Elsewhere
    from ..corpus.texts import TextFile
    from ..io.plain_files import Spooled
    from .clusters import Cluster
    from .options import RunOptions


@contextmanager
def elsewhere(options: RunOptions) -> Iterator[Elsewhere | None]:
    """Yield a function that opens texts on the workers of a cluster; None where these are on this machine."""
    if options.address is None:
        yield None
        return
    with options.connected() as connected:
        yield partial(_opened, connected.cluster) if connected.cluster else None


def _opened(cluster: Cluster, files: Sequence[Spooled]) -> list[TextFile | None]:
    """Open files on workers. None: the worker has no such file, found a fault in it, or was lost.

    Raises ConfigError where the cluster cannot be used.
    """
    texts: list[TextFile | None] = [None] * len(files)
    with suppress(LostWorkerError, IncompleteError):
        for number, text in cluster.results(_Index(__version__), iter(enumerate(files))):
            texts[number] = text and _same_here(text)
    return texts


def _same_here(text: TextFile) -> TextFile | None:
    """Return a text with the stamp that its file has on this machine; None where it is another file here."""
    with suppress(OSError, PipelineError):
        here = stamp_of(text.path)
        if text.stamp and here[:2] == text.stamp[:2]:
            return replace(text, stamp=here)
    return None


@dataclass(frozen=True)
class _Index:
    """What a worker does with the number of a file and the file."""

    version: str
    """The version of the program on the first machine. A worker with another leaves the file to it."""

    def __call__(self, item: tuple[int, Spooled]) -> tuple[int, TextFile | None]:
        number, file = item
        if __version__ == self.version:
            with suppress(OSError, PipelineError):
                return number, index_text(file)
        return number, None
