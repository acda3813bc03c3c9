"""What /proc says of processes: the workers of a run, what it waits for, and what is left of a
folder.
"""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

PROC = Path("/proc")


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Send a signal to a process, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in (PROC / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                found += map(
                    int, (task / "children").read_text(encoding="ascii").split()
                )
    return [
        child
        for child in found
        if state(child, "State")[:1] not in ("Z", "X", "")
    ]


def loky_workers(pid: int) -> list[int]:
    """Return the worker processes of a process: those of its children that are not joblib's
    resource trackers.
    """
    found = []
    for child in children(pid):
        with contextlib.suppress(OSError):
            if b"popen_loky" in (PROC / str(child) / "cmdline").read_bytes():
                found.append(child)
    return found


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal."""
    return bool(int(state(pid, "SigCgt") or "0", 16) >> (number - 1) & 1)


def left_of(folder: Path) -> list[str]:
    """Return the command lines of processes whose folder for temporary files is this one."""
    found = []
    for path in PROC.iterdir():
        with contextlib.suppress(OSError):
            if (
                path.name.isdigit()
                and f"TMPDIR={folder}\0".encode()
                in (path / "environ").read_bytes() + b"\0"
            ):
                found.append(
                    (path / "cmdline")
                    .read_bytes()
                    .replace(b"\0", b" ")
                    .decode(errors="replace")
                )
    return [line for line in found if line]


def state(pid: int, name: str) -> str:
    """Return what the status of a process says under a name; empty where it has ended."""
    with contextlib.suppress(OSError):
        for line in (
            (PROC / str(pid) / "status")
            .read_text(encoding="ascii", errors="replace")
            .splitlines()
        ):
            if line.startswith(f"{name}:"):
                return line.partition(":")[2].strip()
    return ""
