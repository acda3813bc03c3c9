"""Reading, writing and locking files of a run directory, which may come from a stranger: whole or
not at all.

Nothing here follows a link inside the folder, waits for a pipe, or reserves as much memory as a
file claims to need."""

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
"""The content of a file to be written: text, bytes, or bytes in pieces."""
TEMPORARY = ".tmp"
"""The suffix of a file while it is written."""
MAX_JSON_BYTES = 1 << 25
"""The most bytes that a JSON file may have: those of fifty thousand comparisons of systems."""
MAX_VALUES = 2_000_000
"""The most values that a JSON text may have. Each takes a hundred bytes of memory, though two in
the file."""
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag by which os.open() refuses links, where the platform has it."""
_UNABLE = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What file systems without fsync say."""
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


def file_name(name: str, most: int = 100) -> str:
    """Return the name of a file or folder for a name that may hold any signs. Different names have
    different ones.

    Letters of ASCII, digits and . _ + - stay; of all else, and of a sign other than a letter or
    digit at the beginning, the bytes are written as =20. Of a result with more than `most` signs, a
    digest of the name replaces the end."""
    kept = re.sub(
        rb"[^A-Za-z0-9._+-]|^[._+-]", lambda sign: b"=%02X" % ord(sign[0]), name.encode()
    ).decode()
    return f"{kept[:most]}=={digest(name.encode(), size=12)}" if len(kept) > most else kept


def digest(*data: bytes, size: int = 8) -> str:
    """Return a digest of bytes, which shows whether they are damaged: two hexadecimal digits for
    each byte of size.
    """
    hashed = hashlib.blake2b(digest_size=size)
    for piece in data:
        hashed.update(piece)
    return hashed.hexdigest()


def open_regular(path: Path | str, *, links: bool = False) -> BufferedReader:
    """Open a regular file for reading; raises OSError, also for pipes, devices, folders and, unless
    allowed, links.
    """
    number = os.open(path, _READ & ~NO_LINK if links else _READ)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(None, "is no regular file", str(path))
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def parse_json(data: bytes) -> Any:
    """Return the value of a JSON text; raises ValueError for what is wrong with it, and for more
    than MAX_VALUES.

    Values are counted before memory is taken for them, by the signs that stand before each, so
    those in texts count."""
    if len(data) > MAX_VALUES and sum(map(data.count, (b",", b":", b"[", b"{"))) > MAX_VALUES:
        raise ValueError(f"has more than {MAX_VALUES:,} values")
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def read_json(path: Path) -> Any:
    """Return the value of a JSON file; raises OSError, and ValueError for what is no JSON or too
    large.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_JSON_BYTES:
            raise ValueError(f"is larger than {MAX_JSON_BYTES:,} bytes")
        data = file.read(size)  # not MAX_JSON_BYTES: memory is taken for all that is asked for
    return parse_json(data)


@contextlib.contextmanager
def replacing(path: Path, temporary: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name; at the end it is flushed to disk, if it is durable,
    and renamed to path.

    After an error the new file is deleted. Raises OSError where the file cannot be made, written or
    renamed, also where the temporary name is taken."""
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as file:
            yield file
            file.flush()
            try:
                if durable:
                    os.fsync(file.fileno())
            except OSError as error:
                if error.errno not in _UNABLE:  # else the system writes when it likes
                    raise
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_atomic(path: Path, data: Content, mark: str = "", *, durable: bool = True) -> None:
    """Write a file whole or not at all; raises StoreError where that fails, as on a full disk.

    `mark` stands in the name that the file has while it is written. Where several processes may
    write the same file at once, each has a mark of its own. A file that is not durable need not be
    on the disk yet, so that it can be damaged when the machine fails: whoever reads it has to see
    that."""
    temporary = path.with_name(f"{path.name}{mark}{TEMPORARY}")
    data = data.encode() if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(
            missing_ok=True
        )  # of a run that was killed; were it a link, writing would go elsewhere
        with replacing(path, temporary, durable=durable) as file:
            for piece in [data] if isinstance(data, bytes) else data:
                file.write(piece)
    except OSError as error:
        why = in_the_way(path) or in_the_way(temporary) or error.strerror
        raise StoreError(
            f"{path}: cannot be written: {why}; what was finished before is kept"
        ) from None


def in_the_way(path: Path) -> str:
    """Return what has to be deleted before a file can be written; empty where nothing of another
    kind has its name.
    """
    if path.is_dir():
        return f"delete the folder {path}, which is in its place, and run the same command again"
    wrong = next(
        (folder for folder in path.parents if os.path.lexists(folder) and not folder.is_dir()), None
    )
    return (
        f"delete {wrong}, which is in the place of a folder, and run the same command again"
        if wrong
        else ""
    )


LOCK = "run.lock"
"""The name of an empty file. It is never deleted: two runs could then hold two files of this name.
"""


def lock_of(path: Path) -> "FileLock":
    """Return a lock on a file, not taken yet. It is the operating system's own (flock), and ends
    with its process.
    """
    from filelock import FileLock

    return FileLock(path, fallback_to_soft=False, thread_local=False)


def take_lock(path: Path) -> "FileLock | None":
    """Take a lock on a file and return it; the lock is held as long as the object lives.

    Returns None where another process holds the lock, or where the file system has no locks.
    """
    from filelock import Timeout

    lock = lock_of(path)
    try:
        lock.acquire(timeout=0)
    except (Timeout, OSError, RuntimeError):
        return None
    return lock


@contextlib.contextmanager
def locked(folder: Path, holder: Callable[[], str], warn: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a folder; raises StoreError where another run holds it, or the file cannot
    be made.

    `holder` returns who holds the lock, for the message. Where a file system has no locks, `warn`
    is called with a message, and the run goes on."""
    from filelock import Timeout

    lock = lock_of(folder / LOCK)
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
        warn(
            f"{folder}: its file system has no locks ({reason}); see that no other run uses this folder"
        )
    try:
        yield
    finally:
        lock.release(force=True)
