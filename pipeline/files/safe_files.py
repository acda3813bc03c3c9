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
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import StoreError

if TYPE_CHECKING:
    from filelock import FileLock

TEMPORARY = ".tmp"
"""The suffix of a file while it is written."""
MAX_JSON_BYTES = 1 << 25
"""Limits a JSON file: fifty thousand comparisons of systems have so many bytes."""
MAX_VALUES = 2_000_000
"""Limits the values of a JSON text. Each takes a hundred bytes of memory, but two in the file."""
_UNABLE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""Errors of file systems without fsync."""


def _flags(*names: str) -> int:
    """Return flags of os.open() together, without those that the platform does not have."""
    flags = 0
    for name in names:
        flags |= getattr(os, name, 0)
    return flags


_BINARY = _flags("O_BINARY", "O_CLOEXEC")
_NO_LINK = _flags("O_NOFOLLOW")
_READ = _BINARY | _flags("O_RDONLY", "O_NONBLOCK")
_NEW = _BINARY | _NO_LINK | _flags("O_WRONLY", "O_CREAT", "O_EXCL")


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
    descriptor = os.open(path, _READ if links else _READ | _NO_LINK)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(None, "is no regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_json(source: Path | bytes) -> Any:
    """Return the value of a JSON file or text.

    Raises OSError, and ValueError if it is invalid, too large, or has too many values. Values are
    counted before memory is taken for them, by the characters before each, so those in texts count.
    """
    data = source if isinstance(source, bytes) else b""
    if isinstance(source, Path):
        with open_regular(source) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_JSON_BYTES:
                raise ValueError(f"is larger than {MAX_JSON_BYTES:,} bytes")
            # not MAX_JSON_BYTES: memory is taken for the argument
            data = file.read(size)
    if len(data) > MAX_VALUES:
        values = sum(map(data.count, (b",", b":", b"[", b"{")))
        if values > MAX_VALUES:
            raise ValueError(f"has more than {MAX_VALUES:,} values")
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


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
    data: str | bytes | Iterable[bytes],
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


def lock_of(path: Path) -> "FileLock":
    """Return a lock on a file, not yet taken: flock of the system, which ends with its process."""
    from filelock import FileLock

    return FileLock(path, fallback_to_soft=False, thread_local=False)
