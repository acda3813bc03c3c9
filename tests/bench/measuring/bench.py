"""A run of the benchmark: the corpora, and how commands and children are timed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .clock import VARIABLE, of_processor
from .corpora import ROOT, Corpora
from .rows import Timing


@dataclass
class Done:
    """A command that has run: its seconds, those of its processors, and what it printed."""

    wall: float
    cpu: float
    printed: str


def _children() -> float:
    """Return the processor seconds of all processes that were started from here and have ended."""
    import resource  # here, because Windows has none

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Bench(Corpora):
    """How rows are measured."""

    def __init__(self, folder: Path, runs: int) -> None:
        super().__init__(folder)
        self.runs = runs
        self.m2scorer: Path | None = None
        """A port of m2scorer to Python 3, where there is one."""
        self.annotated: Path | None = None
        """A folder with gold.m2 and an M2 file of each system, where there is one."""

    def seconds(
        self, command: Sequence[str | Path], cpu: bool = False
    ) -> float:
        """Return the wall (or processor) seconds of a whole command."""
        done = self.done(command)
        return done.cpu if cpu or of_processor() else done.wall

    def done(self, command: Sequence[str | Path]) -> Done:
        """Run a command. Its bytecode is kept, as that of an installed package is."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        before = _children()
        start = time.perf_counter()
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        words = [str(word) for word in command]
        run = subprocess.run(
            words,
            check=True,
            capture_output=True,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        return Done(
            time.perf_counter() - start, _children() - before, run.stdout
        )

    def child(
        self,
        *arguments: str | Path,
        module: str = "tests.bench.children",
        threads: int = 1,
    ) -> dict[str, float]:
        """Run a child that reports seconds of its own stages. Several threads are always timed by
        the wall.
        """
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        if threads > 1:
            environment.pop(VARIABLE, None)
        command = [sys.executable, "-m", module, *map(str, arguments)]
        done = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        figures: dict[str, float] = json.loads(done.stdout)
        return figures

    def pairs(
        self,
        ours: Callable[[], float],
        peer: Callable[[], float] | None = None,
        most: int = 99,
    ) -> Timing:
        """Time both in turn after one warm-up, `runs` times, but not more than `most` times."""
        others = [peer] if peer else []
        for task in (ours, *others):
            task()
        timing = Timing([], [])
        for _ in range(min(self.runs, most)):
            timing.ours.append(ours())
            timing.peer.extend(other() for other in others)
        return timing
