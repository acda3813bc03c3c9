"""The machine on which the benchmark runs: what it is, what else it does, and how fast it can be at all."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .rows import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

TRIES = 5
BUFFER = 256 << 20
"""Bytes that are copied to measure the memory: more than most caches hold."""


class Machine:
    """The limits of the machine, each measured once, when a row first asks for it. words: a text for `wc -w`."""

    def __init__(self, words: Path) -> None:
        self.words = words

    @cached_property
    def counting(self) -> float:
        """Bytes that `wc -w` counts in a second of a processor."""
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        best = float("inf")
        for _ in range(TRIES):
            before = _of_children()
            subprocess.run(["wc", "-w", str(self.words)], check=True, capture_output=True, env=environment)
            best = min(best, _of_children() - before)
        return self.words.stat().st_size / max(best, 1e-3)

    @cached_property
    def memory(self) -> float:
        """Bytes that one processor copies in a second: each is read and written."""
        import numpy as np

        source, target = np.ones(BUFFER // 8), np.ones(BUFFER // 8)
        best = float("inf")
        for _ in range(TRIES):
            start = time.process_time()
            np.copyto(target, source)
            best = min(best, time.process_time() - start)
        return BUFFER / best

    def limit(self, paths: Iterable[Path]) -> str:
        """Return how long the machine needs to count the words of these texts, and to copy them in memory."""
        size = sum(path.stat().st_size for path in paths)
        return f"wc -w: {shown(size / self.counting)}, memory: {shown(size / self.memory)}"

    def state(self) -> str:
        """Return what the machine is and how busy it is, in a line."""
        loads = ", ".join(f"{load:.1f}" for load in os.getloadavg())
        speeds = f"wc -w {self.counting / 1e6:.0f} MB/s, memory {self.memory / 1e9:.1f} GB/s copied"
        return f"{_processor()}, {os.cpu_count()} cores, load {loads} (1, 5, 15 minutes), {speeds}"


class Others:
    """How much of the machine other processes use from now on. A figure with much of it is not to be trusted."""

    def __init__(self) -> None:
        self.begun = (time.perf_counter(), _busy(), _own())

    def share(self) -> str:
        """Return it in percent of all processors; nothing where too little time has gone, or the system is silent."""
        start, busy, own = self.begun
        elapsed = time.perf_counter() - start
        if not Path("/proc/stat").exists() or elapsed < 0.05:
            return ""
        others = (_busy() - busy) - (_own() - own)
        return f"{max(0.0, others / elapsed / (os.cpu_count() or 1)):.0%}"


def _processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _own() -> float:
    """Return the processor seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _busy() -> float:
    """Return the seconds that all processors together have worked, and those that were taken from this machine."""
    stat = Path("/proc/stat")
    if not stat.exists():
        return 0.0
    user, nice, system, _, _, irq, soft, steal = map(int, stat.read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
