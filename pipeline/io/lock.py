"""Locks on files, such as that of a run directory. A lock ends with its process, however the process ends."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from filelock import FileLock

LOCK = "run.lock"
"""The name of an empty file. It is never deleted: two runs could then hold two files of this name."""


def lock_of(path: Path) -> FileLock:
    """Return a lock on a file, not taken yet. It is the operating system's own (flock)."""
    from filelock import FileLock

    return FileLock(path, fallback_to_soft=False)


def take(path: Path) -> object | None:
    """Take a lock on a file and return it; the lock is held as long as the object lives.

    Returns None where another process holds the lock, or where the file system has no locks. The lock is that which
    lock_of() makes. It is taken without the package where the system has flock, since every run with a temporary
    folder takes one, and the package takes longer to load than most of this program.
    """
    try:
        import fcntl
    except ImportError:  # on Windows
        return _take_slowly(path)
    try:
        held = _Held(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644))
        fcntl.flock(held.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    return held


class _Held:
    """An open file, which is closed with this object."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __del__(self) -> None:
        os.close(self.descriptor)


def _take_slowly(path: Path) -> object | None:
    from filelock import Timeout

    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, RuntimeError):
        return None
    return lock


@contextmanager
def held(folder: Path, holder: Callable[[], str], warn: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a folder; raises StoreError where another run holds it, or the file cannot be made.

    `holder` returns who holds the lock, for the message. Where a file system has no locks, `warn` is called with a
    message, and the run goes on.
    """
    from filelock import Timeout

    lock = lock_of(folder / LOCK)
    with warnings.catch_warnings(record=True) as messages:
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
            messages.append(warnings.WarningMessage(reason, UserWarning, __file__, 0))
    for message in messages:
        warn(f"{folder}: its file system has no locks ({message.message}); see that no other run uses this folder")
    try:
        yield
    finally:
        lock.release(force=True)
