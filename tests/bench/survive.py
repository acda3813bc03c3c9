"""The row `survive` of tests.bench: a large run, and the same killed half-way: time, memory, disk,
work done again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measuring.rows import Row
from tests.conftest import ROOT, tree
from tests.tools.faults.machine import counted
from tests.tools.faults.processes import children

HOWS = {
    "1 worker": ["--n-jobs", "1"],
    "2 workers (threads)": ["--n-jobs", "2", "--backend", "threading"],
    "2 workers (processes)": ["--n-jobs", "2", "--backend", "loky"],
}


@dataclass
class Figures:
    """Seconds of a command; megabytes of its program and of its largest worker; megabytes in its
    run directory.
    """

    seconds: float = 0.0
    program: float = 0.0
    worker: float = 0.0
    disk: float = 0.0
    killed: bool = False

    def __str__(self) -> str:
        worker = f" and {self.worker:.0f} MB a worker" if self.worker else ""
        return f"{self.seconds:.1f} s, {self.program:.0f} MB{worker}, {self.disk:.0f} MB of disk at most"


def measured(
    config: Path, run: Path, how: Sequence[str], kill_at: int | None = None
) -> Figures:
    """Run a config and look at it five times a second; kill_at: number of shards on disk at which
    it is killed.
    """
    line = f"-m pipeline run {config} -q --no-cache --output {run}"
    command = [sys.executable, *line.split(), *how]
    start = time.perf_counter()
    found = Figures()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=ROOT
    ) as process:
        while process.poll() is None:
            time.sleep(0.2)
            found.program = max(found.program, anonymous(process.pid))
            found.worker = max(
                [found.worker, *map(anonymous, children(process.pid))]
            )
            found.disk = max(found.disk, size(run))
            parts = run / "unfinished"
            if (
                kill_at is not None
                and parts.is_dir()
                and len(list(parts.glob("*.part"))) >= kill_at
            ):
                process.kill()
                found.killed = True
        found.seconds = time.perf_counter() - start
        if process.wait() != (-9 if found.killed else 0):
            raise SystemExit(f"the run ends with {process.returncode}")
    return found


def survive(config: Path, folder: Path) -> Iterator[Row]:
    """Yield a row for each way of working: the whole run, and beside it the run killed half-way and
    continued.
    """
    for name, how in HOWS.items():
        one = folder / "one"
        two = folder / "two"
        for run in (one, two):
            shutil.rmtree(run, ignore_errors=True)
        whole = measured(config, one, how)
        ((_, shards),) = counted(one)
        first = measured(config, two, how, kill_at=shards // 2)
        kept = len(list((two / "unfinished").glob("*.part")))
        second = measured(config, two, how)
        ((again, _),) = counted(two)
        if tree(one) != tree(two):
            raise SystemExit("the run that was killed has other results")
        if not first.killed:
            raise SystemExit("the run ended before it was killed")
        both = first.seconds + second.seconds
        told = f"killed with {kept} of {shards} shards: {first.seconds:.1f} s + {second.seconds:.1f} s"
        told += f", {again - (shards - kept)} shards counted again"
        for run in (one, two):
            shutil.rmtree(run)
        figures = (
            f"10M lines, {name}",
            str(whole),
            told,
            both / whole.seconds,
            "1.0 to 1.3 times the time",
        )
        yield Row(*figures, seconds=whole.seconds)


def anonymous(pid: int) -> float:
    """Return the memory of a process that no file backs, in megabytes."""
    try:
        status = (Path("/proc") / str(pid) / "status").read_text()
    except OSError:
        return 0.0
    return next(
        (
            int(line.split()[1]) / 1024
            for line in status.splitlines()
            if line.startswith("RssAnon")
        ),
        0.0,
    )


def size(folder: Path) -> float:
    """Return the megabytes of the files in a folder."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(Path(path) / name).st_size
            except OSError:
                continue
    return total / 1e6
