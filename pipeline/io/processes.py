"""What every worker process does: it ends with its parent, however the parent ends."""

from __future__ import annotations

import os
import signal
import threading
import time


def end_with_parent(parent: int) -> None:
    """Make this worker process end soon after its parent, which may be killed: loky would wait for minutes.

    Ctrl-C at a terminal reaches every process. Workers ignore it: the parent ends them, and gives one message.
    """

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        threading.Thread(target=follow, name="follow", daemon=True).start()


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
