"""Files of a run directory, which may come from a stranger: written whole or not at all, read without surprises.

Nothing here follows a link that lies inside the folder, waits for a pipe, or takes memory for what a file claims.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from typing import TYPE_CHECKING, Any

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    Content = str | bytes | Iterable[bytes]
    """What a file is to have: text, bytes, or bytes piece by piece."""

TEMPORARY = ".tmp"
MAX_JSON = 1 << 28
"""Bytes of a JSON file, or of a line of JSON, that are read."""
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def digest(*data: bytes) -> str:
    """Return a digest of bytes, by which damage is noticed: 16 hexadecimal digits."""
    found = hashlib.blake2b(digest_size=8)
    for piece in data:
        found.update(piece)
    return found.hexdigest()


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read; raises OSError, also for links, pipes, devices and folders."""
    number = os.open(path, _READ)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(None, "is no regular file", str(path))
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def parse_json(data: bytes) -> Any:
    """Return what JSON says; raises ValueError for anything that is none, whatever is wrong with it."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; raises OSError and ValueError."""
    with open_regular(path) as file:
        data = file.read(MAX_JSON + 1)
    if len(data) > MAX_JSON:
        raise ValueError(f"is larger than {MAX_JSON:,} bytes")
    return parse_json(data)


@contextlib.contextmanager
def replacing(path: Path, temporary: Path) -> Iterator[BinaryIO]:
    """Give a new file under a temporary name; at the end it is flushed to disk and renamed, or deleted after an error.

    Raises OSError where it cannot be made, written or renamed, also where the temporary name is taken.
    """
    try:
        with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_atomic(path: Path, data: Content) -> None:
    """Write a file whole or not at all; raises StoreError (a full disk, say)."""
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    data = data.encode() if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)  # of a run that was killed; were it a link, writing would go elsewhere
        with replacing(path, temporary) as file:
            for piece in [data] if isinstance(data, bytes) else data:
                file.write(piece)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}; what was finished before is kept") from None


def refuse_links(root: Path, folder: str) -> None:
    """Raise StoreError where a folder below root, or one on the way to it, is a link."""
    path = root
    for step in folder.split("/"):
        path /= step
        if path.is_symlink():
            raise StoreError(f"{path}: is a link; a run directory with links inside is not written to")
