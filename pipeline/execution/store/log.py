"""The log of a run directory, log.txt: what happened at what time in each run. It is not a part of the results."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import TYPE_CHECKING

from ...errors import StoreError, printable
from ...io.safe_files import NO_LINK

if TYPE_CHECKING:
    from pathlib import Path

LOG = "log.txt"
MAX_LOG = 1 << 20
"""A run empties a log that is larger than so many bytes."""
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Log:
    """A log file. Texts that cannot be written, such as on a full disk, are left out without an error."""

    def __init__(self, folder: Path) -> None:
        """Open the log of a run directory; raises StoreError where it is a link, or not a regular file."""
        path = folder / LOG
        try:
            number = os.open(path, _APPEND, 0o666)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
        self._file = os.fdopen(number, "ab", buffering=0)
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            self._file.close()
            raise StoreError(f"{path}: cannot be written: is a link, or no regular file")
        if status.st_size > MAX_LOG:
            self._file.truncate(0)

    def __call__(self, text: str) -> None:
        """Write the time and a text as one line."""
        line = printable(text).replace("\n", " | ")
        with contextlib.suppress(OSError, ValueError):
            self._file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n".encode(errors="backslashreplace"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
