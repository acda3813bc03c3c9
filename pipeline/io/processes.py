"""What every worker process does: it ends with its parent, however the parent ends. And how many there may be."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import re
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from ..errors import IncompleteError

if TYPE_CHECKING:
    from collections.abc import Callable


MEMORY = "memory ran out"
"""What messages say of a MemoryError."""
_UNSAID = re.compile("without (setting an exception|exception set)$")
"""What Python says where a library gives up without saying why, as NumPy and subprocess do where memory runs out."""
_SHORT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def starved(error: BaseException) -> str:
    """Return what the system did not give, in a few words, where an error was raised for that; else an empty text."""
    text = str(error)
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and "failed to map" in text):
        return MEMORY
    if isinstance(error, SystemError) and _UNSAID.search(text):
        return MEMORY
    if isinstance(error, RuntimeError) and text in ("can't start new thread", "can't allocate lock"):
        return f"the system gives no more threads, or no memory for them ({text})"
    if isinstance(error, OSError) and error.errno in _SHORT:
        return f"the system gives no more: {error.strerror}"
    return ""


def refuse_want(error: BaseException, what: str) -> None:
    """Raise IncompleteError where an error of `what` was raised because the system gave too little."""
    if reason := starved(error):
        raise IncompleteError(f"{what}: {reason}") from None


class WorkerLostError(Exception):
    """A worker process ended, was killed because it stood still, or memory ran out.

    `item` is what it worked on. `stood` says that it stood still.
    """

    def __init__(self, item: Any, reason: str, *, stood: bool = False) -> None:
        self.item, self.reason, self.stood = item, reason, stood
        super().__init__(reason)


def end_with_parent(parent: int, unneeded: Callable[[], bool]) -> None:
    """Make this worker process end soon after its parent, which may be killed, or once it is unneeded.

    Ctrl-C at a terminal reaches every process. Workers ignore it: the parent ends them, and gives one message. Where
    no thread can be started, the process ends when it next reads from its parent or writes to it.
    """

    def follow() -> None:
        while os.getppid() == parent and not unneeded():
            time.sleep(1)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        with contextlib.suppress(RuntimeError, MemoryError):
            threading.Thread(target=follow, name="follow", daemon=True).start()


def address_space() -> float:
    """Return how many bytes of memory this process may have reserved; infinity where there is no limit."""
    try:
        import resource
    except ImportError:  # on Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def give_back_memory() -> None:
    """Give back to the system what the C library keeps of memory that is free.

    Each thread has its own store of free memory, which is not given back when the thread ends: after large texts have
    been read these are some 20 MB. Other C libraries than glibc do not keep so much, and are left alone.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
