"""log.txt of a run directory: what happened when, run after run. No part of the results."""

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
"""Bytes after which a new run begins a new log."""
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


class Log:
    """A log file; called with a text it writes a line for it. A full disk silences it and stops nothing."""

    def __init__(self, folder: Path) -> None:
        """Open the log of a run directory; raises StoreError where it is no regular file."""
        path = folder / LOG
        try:
            number = os.open(path, _APPEND, 0o666)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
        self._file = os.fdopen(number, "ab", buffering=0)
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            self._file.close()
            raise StoreError(f"{path}: cannot be written: is a link, or no regular file")
        if found.st_size > MAX_LOG:
            self._file.truncate(0)

    def __call__(self, text: str) -> None:
        """Write a text, on a line of its own, after the time."""
        line = printable(text).replace("\n", " | ")
        with contextlib.suppress(OSError, ValueError):
            self._file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {line}\n".encode(errors="backslashreplace"))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
