"""One run at a time in a folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOCK = "run.lock"
"""An empty file; it stays, since deleting it would let two runs hold two files of this name."""


def take(path: Path) -> object | None:
    """Return a lock on a file, held as long as the object lives; None where another has it or there are no locks."""
    from filelock import FileLock, Timeout

    lock = FileLock(path, timeout=0, fallback_to_soft=False)
    try:
        lock.acquire()
    except (Timeout, OSError, RuntimeError):
        return None
    return lock


@contextmanager
def held(folder: Path, holder: Callable[[], str], warn: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a folder; raises StoreError where another run has it, or no file can be made.

    holder: tells who has it. The operating system's own lock (flock) is used, through the package filelock; it goes
    with the process. Where a file system has none, warn() is called and the run goes on.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0, fallback_to_soft=False)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            lock.acquire()
        except Timeout:
            raise StoreError(
                f"{folder}: another run is using it ({holder()}); wait for its end, or name another"
            ) from None
        except (OSError, RuntimeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if not (folder / LOCK).is_file() or (folder / LOCK).is_symlink():
                raise StoreError(f"{folder / LOCK}: cannot be made: {reason}") from None
            told.append(warnings.WarningMessage(reason, UserWarning, __file__, 0))
    for message in told:
        warn(f"{folder}: its file system has no locks ({message.message}); see that no other run uses this folder")
    try:
        yield
    finally:
        lock.release(force=True)
