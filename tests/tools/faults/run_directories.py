"""Faults of the run directory: files damaged, deleted while they are used, a second run in the same folder."""

from __future__ import annotations

import contextlib
import shutil
import time
from typing import TYPE_CHECKING

from .processes import kill
from .signals import begun

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from .machine import Machine

PARTS = ["", "", "unfinished", "statistics", "statistics/d", "run.json", "log.txt", "run.lock", "a part", "all files"]


def damage(machine: Machine, rng: random.Random) -> str:
    """Kill the program, and cut, change, empty or delete one of the files that are there, or put a folder there."""
    process, moment = begun(machine, rng)
    kill(process.pid)
    process.wait()
    files = sorted(path for path in machine.run.rglob("*") if path.is_file() and path.stat().st_size)
    if not files:
        return f"nothing to damage {moment}"
    path = rng.choice(files)
    way = rng.choice(["cut", "changed", "emptied", "deleted", "cut", "changed", "doubled"])
    _damage(path, "cut" if path.name == "run.json" and way == "changed" else way, rng)
    return f"{path.relative_to(machine.run)} {way} {moment}"


def _damage(path: Path, way: str, rng: random.Random) -> None:
    data = path.read_bytes()
    place = rng.randrange(len(data))
    flipped = data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]
    if way == "deleted":
        path.unlink()
    else:
        path.write_bytes({"cut": data[:place], "changed": flipped, "emptied": b"", "doubled": data + data}[way])


def deleted(machine: Machine, rng: random.Random) -> str:
    """Delete the run directory, or a part of it, while it is used."""
    process, moment = begun(machine, rng)
    what = rng.choice(PARTS)
    path = machine.run / what
    if what in ("a part", "all files"):
        files = sorted(path for path in machine.run.rglob("*") if path.is_file())
        for path in rng.sample(files, min(len(files), 1)) if what == "a part" else files:
            path.unlink(missing_ok=True)
    elif path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
    if rng.random() < 0.3:
        kill(process.pid)
    process.wait()
    return f"{what or 'the whole folder'} deleted {moment}"


def two(machine: Machine, rng: random.Random) -> str:
    """Give the command a second time while the first is at work; one of the two may be killed."""
    first, moment = begun(machine, rng)
    second = machine.start()
    if rng.random() < 0.3:
        process = rng.choice([first, second])
        process.until(time.monotonic() - process.begun + rng.uniform(0, 0.5))
        kill(process.pid)
    first.wait()
    second.wait()
    return f"a second run {moment}"
