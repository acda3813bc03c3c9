"""Faults of the system around a run: little memory, few files and processes, full disks, odd homes and clocks."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .machine import PRIVILEGES
from .processes import threads_of_user

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

    from .machine import Machine

OTHER_USER = 61_234
"""The number of a user that nobody is: the superuser may have any number of processes."""
CLOCK = """
import time as _time
_real, _begun = _time.time, _time.monotonic()
def _moved():
    return _real() + ({step} if _time.monotonic() - _begun > {moment} else 0)
_time.time = _moved
"""


def memory(machine: Machine, rng: random.Random) -> str:
    """Give the processes a small address space."""
    megabytes = rng.randint(100, 400)
    machine.start(limits={resource.RLIMIT_AS: megabytes << 20}).wait()
    return f"{megabytes} MB of address space"


def files(machine: Machine, rng: random.Random) -> str:
    """Let the processes open few files."""
    most = rng.randint(5, 24)
    machine.start(limits={resource.RLIMIT_NOFILE: most}).wait()
    return f"{most} open files"


def processes(machine: Machine, rng: random.Random) -> str:
    """Let the user have few processes and threads."""
    more = rng.randint(1, 12)
    if os.getuid():
        machine.start(limits={resource.RLIMIT_NPROC: threads_of_user(os.getuid()) + more}).wait()
    else:
        reads = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        before = [str(PRIVILEGES), f"--reuid={OTHER_USER}", "--clear-groups", *reads]
        most = threads_of_user(OTHER_USER) + more
        machine.start(before=before, limits={resource.RLIMIT_NPROC: most}).wait()
    return f"{more} processes and threads"


def disk(machine: Machine, rng: random.Random) -> str:
    """Run on a disk that is too small, and then make room."""
    size = rng.randrange(4096, sum(map(len, machine.expected.values())))
    if mounted(machine.disk, size):
        machine.start().wait()
        subprocess.run(["mount", "-o", "remount,size=1g", str(machine.disk)], check=True)
        return f"a disk of {size} bytes"
    machine.start(limits={resource.RLIMIT_FSIZE: size // 20}).wait()
    return f"files of at most {size // 20} bytes"


def temporary(machine: Machine, rng: random.Random) -> str:
    """Have the folder for temporary files be too small, not there, a file, or one that nobody may write to."""
    way = rng.choice(["full", "full", "missing", "file", "closed"])
    place = machine.folder / "other"
    if way == "full":
        place.mkdir()
        with small_disk(place, rng.randrange(4096, 1 << 17)):
            machine.start(environment={"TMPDIR": str(place)}).wait()
        place.rmdir()
    elif way == "closed":
        place.mkdir(mode=0o500)
        machine.start(environment={"TMPDIR": str(place)}, before=unprivileged()).wait()
        place.rmdir()
    else:
        machine.start(environment={"TMPDIR": str(machine.config if way == "file" else place)}).wait()
    return f"the folder for temporary files: {way}"


def home(machine: Machine, rng: random.Random) -> str:
    """Run without a home, or with another language."""
    ways: list[dict[str, str | None]] = [
        {"HOME": None},
        {"HOME": ""},
        {"HOME": "/nonexistent"},
        {"HOME": str(machine.config)},
        {"LC_ALL": "C", "HOME": None},
        {"LC_ALL": "tr_TR.UTF-8"},
        {"PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"},
        {"PATH": None},
    ]
    chosen = rng.choice(ways)
    machine.start(environment=chosen).wait()
    return str(chosen)


def clock(machine: Machine, rng: random.Random) -> str:
    """Set the clock, as time.time() of the program shows it, back or forward while it works.

    The clock of the machine itself stays as it is: to set that is for its owner alone.
    """
    step, moment = rng.choice([-86_400, -3600, -1, 3600, 86_400, 10**9]), rng.uniform(0, machine.seconds)
    moved = CLOCK.format(step=step, moment=moment)
    machine.start(statements=f"exec({moved!r})").wait()
    return f"the clock moved by {step} s after {moment:.2f} s"


def unprivileged() -> list[str]:
    """Return a command with which permissions hold for the superuser too; empty where there is no need."""
    return [] if os.getuid() else [str(PRIVILEGES), "--bounding-set=-all", "--inh-caps=-all"]


def without_setpriv() -> str:
    """Return why faults of permissions cannot be tried here; empty where they can."""
    return "" if os.getuid() or PRIVILEGES else "the superuser needs the program setpriv"


def mounted(folder: Path, size: int) -> bool:
    """Mount a disk of this size in memory; return whether this user may."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    with contextlib.suppress(OSError):
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    return False


def unmount(folder: Path) -> None:
    """Take a disk away, if there is one; a process that uses it may be about to end."""
    for _ in range(50):
        if not folder.is_mount():
            return
        subprocess.run(["umount", str(folder)], check=False, capture_output=True)
        time.sleep(0.02)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """Have a folder be on a disk of this size; where none may be mounted, it stays as it is."""
    mounted(folder, size)
    try:
        yield
    finally:
        unmount(folder)
        for path in folder.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
