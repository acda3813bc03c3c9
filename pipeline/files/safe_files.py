"""Reads, writes and locks files of a run directory, which may come from a stranger.

Nothing here follows a link inside the folder, waits for a pipe, or reserves as much memory as a
file claims to need. Writes are atomic.
"""

import contextlib
import errno
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import StoreError

if TYPE_CHECKING:
    from filelock import FileLock

Content = str | bytes | Iterable[bytes]
"""The content of a file to be written: text, bytes, or chunks of bytes."""
TEMPORARY = ".tmp"
"""The suffix of a file while it is written."""
MAX_JSON_BYTES = 1 << 25
"""Limits a JSON file: fifty thousand comparisons of systems have so many bytes."""
MAX_VALUES = 2_000_000
"""Limits the values of a JSON text. Each takes a hundred bytes of memory, but two in the file."""
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag of os.open() to refuse links, or 0 if the platform does not have it."""
_UNABLE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Errors of file systems without fsync."""
_READ = (
    os.O_RDONLY
    | NO_LINK
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_NEW = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | NO_LINK
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def file_name(name: str, max_length: int = 100) -> str:
    """Return a name of a file or folder for any name; different names have different results.

    Letters of ASCII, digits and . _ + - stay. Of all else, and of a sign other than a letter or
    digit at the beginning, the bytes are written as =20. A digest of the name replaces the end of a
    result that is longer than `max_length`.
    """
    escaped = re.sub(
        rb"[^A-Za-z0-9._+-]|^[._+-]",
        lambda sign: b"=%02X" % ord(sign[0]),
        name.encode(),
    ).decode()
    if len(escaped) <= max_length:
        return escaped
    return f"{escaped[:max_length]}=={digest(name.encode(), size=12)}"


def digest(*data: bytes, size: int = 8) -> str:
    """Return a digest of `size` bytes, as hexadecimal digits, which reveals damage."""
    hashed = hashlib.blake2b(digest_size=size)
    for part in data:
        hashed.update(part)
    return hashed.hexdigest()


def open_regular(path: Path | str, *, links: bool = False) -> BufferedReader:
    """Open a regular file for reading; raises OSError, also for pipes, devices and folders.

    Links are errors as well, unless `links` allows them.
    """
    descriptor = os.open(path, _READ & ~NO_LINK if links else _READ)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(None, "is no regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def parse_json(data: bytes) -> Any:
    """Return the value of a JSON text; raises ValueError if it is invalid, or has too many values.

    Values are counted before memory is taken for them, by the characters before each, so those in
    texts count.
    """
    if len(data) > MAX_VALUES:
        values = sum(map(data.count, (b",", b":", b"[", b"{")))
        if values > MAX_VALUES:
            raise ValueError(f"has more than {MAX_VALUES:,} values")
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def read_json(path: Path) -> Any:
    """Return the value of a JSON file; raises OSError, and ValueError if it is invalid or large."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_JSON_BYTES:
            raise ValueError(f"is larger than {MAX_JSON_BYTES:,} bytes")
        # not MAX_JSON_BYTES: memory is taken for the argument
        data = file.read(size)
    return parse_json(data)


@contextlib.contextmanager
def replacing(
    path: Path,
    temporary: Path,
    *,
    durable: bool = True,
) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name; at the end it is renamed to path.

    A durable file is synced to disk first. After an error the new file is deleted. Raises OSError
    if the file cannot be made, written or renamed, also if the temporary name is taken.
    """
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as file:
            yield file
            file.flush()
            if durable:
                try:
                    os.fsync(file.fileno())
                except OSError as error:
                    if error.errno not in _UNABLE:
                        raise
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_atomic(
    path: Path,
    data: Content,
    mark: str = "",
    *,
    durable: bool = True,
) -> None:
    """Write a file completely or not at all; raises StoreError if that fails, as on a full disk.

    `mark` is in the temporary name of the file: each of several processes that may write the same
    file needs its own. A file that is not durable is not synced to disk, and can be damaged when
    the machine fails: whoever reads it has to check that.
    """
    temporary = path.with_name(f"{path.name}{mark}{TEMPORARY}")
    if isinstance(data, str):
        data = data.encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # It may be of a run that was killed, or a link, which would lead elsewhere.
        temporary.unlink(missing_ok=True)
        with replacing(path, temporary, durable=durable) as file:
            for chunk in [data] if isinstance(data, bytes) else data:
                file.write(chunk)
    except OSError as error:
        reason = in_the_way(path) or in_the_way(temporary) or error.strerror
        message = (
            f"cannot be written: {reason}; what was finished before is kept"
        )
        raise StoreError(f"{path}: {message}") from None


def in_the_way(path: Path) -> str:
    """Return what has to be deleted before a file can be written, or an empty text."""
    again = "and run the same command again"
    if path.is_dir():
        return f"delete the folder {path}, which is in its place, {again}"
    for folder in path.parents:
        if os.path.lexists(folder) and not folder.is_dir():
            return (
                f"delete {folder}, which is in the place of a folder, {again}"
            )
    return ""


LOCK = "run.lock"
"""An empty file. It is never deleted, or two runs could hold two files of this name."""


def lock_of(path: Path) -> "FileLock":
    """Return a lock on a file, not yet taken: flock of the system, which ends with its process."""
    from filelock import FileLock

    return FileLock(path, fallback_to_soft=False, thread_local=False)


def take_lock(path: Path) -> "FileLock | None":
    """Take a lock on a file and return it; the lock is held as long as the object lives.

    Returns None if another process holds the lock, or the file system has no locks.
    """
    from filelock import Timeout

    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, RuntimeError):
        return None
    return lock


@contextlib.contextmanager
def locked(
    folder: Path,
    holder: Callable[[], str],
    warn: Callable[[str], None],
) -> Iterator[None]:
    """Hold the lock of a folder; raises StoreError if another run holds it, or it cannot be made.

    `holder` returns who holds the lock, for the message. If a file system has no locks, `warn` is
    called with a message, and the run goes on.
    """
    from filelock import Timeout

    file = folder / LOCK
    lock = lock_of(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        message = f"another run is using it ({holder()}); wait for its end, or name another"
        raise StoreError(f"{folder}: {message}") from None
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if not file.is_file() or file.is_symlink():
            raise StoreError(f"{file}: cannot be made: {reason}") from None
        advice = "see that no other run uses this folder"
        warn(f"{folder}: its file system has no locks ({reason}); {advice}")
    try:
        yield
    finally:
        lock.release(force=True)
