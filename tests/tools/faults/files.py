"""Faults of what a run reads and writes: texts changed, servers, files damaged, a second run, a
full disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.web import Answer, Server, serving

from .machine import Machine
from .processes import kill, left_of
from .signals import begun

PATIENT = "import pipeline.files.remote as r; r.SILENCE = 1"
"""Makes the program wait for a server for a second instead of thirty."""
HASTY_PIPES = "import pipeline.files.plain_files as p; p.PIPE_SECONDS = 1"
"""Makes the program wait for whoever writes a pipe for a second instead of sixty."""
WAYS = ["silent", "stall", "short", "reset", "error", "gone", "late", "good"]
PARTS = [
    "",
    "",
    "unfinished",
    "statistics",
    "statistics/d",
    "run.json",
    "log.txt",
    "run.lock",
    "a part",
    "all files",
]


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    """Give a file back at the end, whatever has been put in its place."""
    original = path.with_name(f"{path.name}.kept")
    shutil.copy2(path, original)
    try:
        yield
    finally:
        original.replace(path)


def changed(machine: Machine, rng: random.Random) -> str:
    """Change, cut or delete a text, or the config, while it is used; it is then as before."""
    path = rng.choice([*machine.texts(), machine.config])
    way = rng.choice(["changed", "cut", "deleted", "emptied"])
    moment = rng.uniform(0, machine.seconds)
    with replaced(path):
        process = machine.start()
        process.until(moment)
        _damage(path, way, rng)
        process.wait()
    return f"{path.relative_to(machine.folder)} {way} after {moment:.2f} s"


def server(machine: Machine, rng: random.Random) -> str:
    """Have an output come from a server that stalls or breaks off from some request on; later it is
    a file again.
    """
    way = rng.choice(WAYS)
    last = rng.randint(1, 6)
    content = json.loads(machine.config.read_text(encoding="utf-8"))
    with serving() as web, replaced(machine.config):
        web.ranges = way not in ("stall", "short")
        web.files["A"] = data = (machine.folder / "d" / "A").read_bytes()
        web.answers["A"] = lambda: _answer(
            web, data, way if len(web.heard) >= last else "good"
        )
        content["systems"]["A"] = {"d": web.url("A"), "e": "e/A"}
        machine.config.write_text(json.dumps(content), encoding="utf-8")
        machine.start(before=PATIENT).wait()
    return f"a server: {way}"


def _answer(web: Server, data: bytes, way: str) -> Answer:
    """Answer in a way: a status, headers and a body; an exception ends the connection."""
    if way in ("silent", "late"):
        web.release.wait(None if way == "silent" else 0.7)
    if way in ("silent", "reset"):
        raise ConnectionAbortedError
    if way in ("error", "gone"):
        return 500 if way == "error" else 404, {}, b""
    size = {"Content-Length": str(len(data))}
    if way == "stall":
        return 200, {**size, "X-Stall": "yes"}, b""
    return (
        200,
        size if way == "short" else {},
        data[: len(data) // 2] if way == "short" else data,
    )


def damage(machine: Machine, rng: random.Random) -> str:
    """Kill the program, and cut, change, empty, double or delete one of the files that are there."""
    process, moment = begun(machine, rng)
    kill(process.pid)
    process.wait()
    files = sorted(
        path
        for path in machine.run.rglob("*")
        if path.is_file() and path.stat().st_size
    )
    if not files:
        return f"nothing to damage {moment}"
    path = rng.choice(files)
    way = rng.choice(
        ["cut", "changed", "emptied", "deleted", "cut", "changed", "doubled"]
    )
    _damage(
        path,
        "cut" if path.name == "run.json" and way == "changed" else way,
        rng,
    )
    return f"{path.relative_to(machine.run)} {way} {moment}"


def _damage(path: Path, way: str, rng: random.Random) -> None:
    data = path.read_bytes()
    offset = rng.randrange(len(data))
    flipped = (
        data[:offset]
        + bytes([data[offset] ^ (1 << rng.randrange(8))])
        + data[offset + 1 :]
    )
    if way == "deleted":
        path.unlink()
    else:
        path.write_bytes(
            {
                "cut": data[:offset],
                "changed": flipped,
                "emptied": b"",
                "doubled": data + data,
            }[way]
        )


def deleted(machine: Machine, rng: random.Random) -> str:
    """Delete the run directory, or a part of it, while it is used."""
    process, moment = begun(machine, rng)
    what = rng.choice(PARTS)
    path = machine.run / what
    if what in ("a part", "all files"):
        files = sorted(
            path for path in machine.run.rglob("*") if path.is_file()
        )
        for path in (
            rng.sample(files, min(len(files), 1)) if what == "a part" else files
        ):
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


def disk(machine: Machine, rng: random.Random) -> str:
    """Let files grow no further than to a few bytes, as on a disk that is full, and then make room."""
    most = rng.randrange(4096, sum(map(len, machine.expected.values()))) // 20
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {resource.RLIM_INFINITY}))"
    machine.start(before=limit).wait()
    return f"files of at most {most} bytes"


def readonly(machine: Machine, rng: random.Random) -> str:
    """Kill the program, and give the command again while the file system of the run directory is
    read-only.
    """
    machine.mount("size=256m")
    process, moment = begun(machine, rng)
    kill(process.pid)
    process.wait()
    # workers end by themselves, and have files open
    while left_of(machine.temporary):
        time.sleep(0.1)
    machine.mount("ro")
    machine.start().wait()
    machine.mount("rw")
    return f"read-only, after a kill {moment}"


def full(machine: Machine, rng: random.Random) -> str:
    """Have the file system of the run directory be full at any moment, and grow later."""
    machine.mount("size=256m")
    process, moment = begun(machine, rng)
    room = rng.choice([0, 4096, 40_960])
    done = False
    # more may have been written meanwhile: then the system refuses the size
    while not done:
        usage = shutil.disk_usage(machine.disk)
        with contextlib.suppress(subprocess.CalledProcessError):
            # 0 would be no limit
            machine.mount(f"size={max(usage.used, 4096) + room}")
            done = True
    process.wait()
    machine.mount("size=256m")
    return f"{usage.used} bytes on a disk that is full {moment}"


def special(machine: Machine, rng: random.Random) -> str:
    """Put something that is no file in the place of a text or the config, before the start or while
    it is used.
    """
    path = rng.choice([*machine.texts(), machine.config])
    way = rng.choice(["pipe", "folder", "/dev/zero", "/proc/kmsg"])
    moment = rng.choice([0, rng.uniform(0, machine.seconds)])
    with replaced(path):
        process = machine.start(before=HASTY_PIPES) if moment else None
        if process:
            process.until(moment)
        path.unlink()
        if way in ("pipe", "folder"):
            os.mkfifo(path) if way == "pipe" else path.mkdir()
        else:
            path.symlink_to(way)
        (process or machine.start(before=HASTY_PIPES)).wait()
        path.rmdir() if way == "folder" else path.unlink()
        path.touch()
    return f"{way} in the place of {path.relative_to(machine.folder)} after {moment:.2f} s"


def in_the_way(machine: Machine, rng: random.Random) -> str:
    """Kill the program, and put a folder in the place of one of its files; what the message names
    is deleted.
    """
    process, moment = begun(machine, rng)
    kill(process.pid)
    process.wait()
    # Without run.json, files could be anybody's: nothing is written to such a folder.
    files = sorted(
        path
        for path in machine.run.rglob("*")
        if path.is_file() and path.name != "run.json"
    )
    if not files:
        return f"nothing to replace {moment}"
    path = rng.choice(files)
    path.unlink()
    path.mkdir()
    ended = machine.start().wait()
    if ended.code:
        if str(path) not in ended.said:
            machine.wrong.append(
                f"the message does not name {path}: {ended.said}"
            )
        path.rmdir()
    return f"a folder in the place of {path.relative_to(machine.run)} {moment}"


def closed(machine: Machine, rng: random.Random) -> str:
    """Close standard output, standard error or both before the start: the work is done."""
    numbers = rng.choice([[1], [2], [1, 2], [0, 1, 2]])
    names = ["stdin", "stdout", "stderr"]
    machine.start(
        before="".join(
            f"import os, sys; os.close({n}); sys.{names[n]} = None\n"
            for n in numbers
        )
    ).wait()
    return f"closed: {numbers}"
