"""One run at a time in a folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from filelock import FileLock

LOCK = "run.lock"
"""An empty file; it stays, since deleting it would let two runs hold two files of this name."""


def lock_of(path: Path) -> FileLock:
    """Return a lock on a file, not taken yet: the operating system's own (flock), which ends with its process."""
    from filelock import FileLock

    return FileLock(path, fallback_to_soft=False)


def take(path: Path) -> object | None:
    """Return a lock on a file, held as long as the object lives; None where another has it or there are no locks."""
    from filelock import Timeout

    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, RuntimeError):
        return None
    return lock


@contextmanager
def held(folder: Path, holder: Callable[[], str], warn: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a folder; raises StoreError where another run has it, or no file can be made.

    holder() tells who has it. Where a file system has no locks, warn() is called and the run goes on.
    """
    from filelock import Timeout

    lock = lock_of(folder / LOCK)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            lock.acquire(timeout=0)
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
