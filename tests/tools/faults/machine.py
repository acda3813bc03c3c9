"""The corpus of the faults, the command, and how it is waited for: never without a limit."""

from __future__ import annotations

import gzip
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.conftest import ROOT, Tree, tree, write_run

from .processes import children, kill, what

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

COLUMNS = 6
"""Files of counts of each data set: three systems, two sets of columns."""
LEAST = 90.0
"""Seconds that a command may take in any case before it is said to hang; else it is TIMES what one takes."""
TIMES = 30
GRACE = 5.0
"""Seconds that a process has to say where it stands, before it is killed."""
PRIVILEGES = shutil.which("setpriv")
"""A program that takes privileges away, so that limits and permissions hold for the superuser too."""


class HungError(Exception):
    """A command did not end in time; the message says what it waited for."""


@dataclass
class Ended:
    """How a command ended: exit code, what it printed to both outputs, seconds of processor time, peak in MB."""

    code: int
    said: str
    seconds: float
    peak: float
    printed: str = ""


@dataclass
class Machine:
    """A folder with two data sets, one of them compressed, and the files of a run that nothing happened to."""

    folder: Path
    lines: int = 6_000
    least: float = LEAST
    ended: list[Ended] = field(default_factory=list)
    """The commands of the current trial that have ended."""
    wrong: list[str] = field(default_factory=list)
    """What was wrong with their scores."""
    scores: str = ""
    """What the command `score` prints where nothing happens to it."""

    def __post_init__(self) -> None:
        """Write the corpus and run the command once."""
        self.temporary, self.disk = self.folder / "temporary", self.folder / "disk"
        for made in (self.temporary, self.disk):
            made.mkdir()
            made.chmod(0o777)
        self.folder.chmod(0o777)
        self.run = self.disk / "run"
        self.config = self.write()
        self.seconds = 0.0
        self.deadline = 10 * self.least
        start = time.monotonic()
        process = self.start(run=self.folder / "expected")
        if process.wait().code != 0:
            raise SystemExit(f"the run fails where nothing happens to it: {self.ended[-1].said}")
        self.seconds = time.monotonic() - start
        self.deadline = max(self.least, TIMES * self.seconds)
        self.expected: Tree = tree(self.folder / "expected")
        self.shards = sum(whole for _, whole in counted(self.folder / "expected"))

    def write(self) -> Path:
        """Write texts and config; of one output only a compressed file stays."""
        chosen = ["gleu[iter=20]", "gleu[unit=char,n=3,refs=max]"]
        config = write_run(self.folder, self.lines, datasets=("d", "e"), systems="ABC", chosen=chosen)
        plain = self.folder / "e" / "C"
        (self.folder / "e" / "C.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        text = config.read_text(encoding="utf-8").replace('"{dataset}/C"', '{"d": "d/C", "e": "e/C.gz"}')
        config.write_text(text, encoding="utf-8")
        return config

    def texts(self) -> list[Path]:
        """Return the files that the config names."""
        return sorted(path for name in "de" for path in (self.folder / name).iterdir())

    def start(
        self,
        *,
        run: Path | None = None,
        config: Path | None = None,
        limits: Mapping[int, int] | None = None,
        environment: Mapping[str, str | None] | None = None,
        settings: Mapping[str, object] | None = None,
        before: Sequence[str] = (),
        statements: str = "",
        score: bool = False,
    ) -> Running:
        """Give the command.

        `limits` are those of resource.setrlimit, `environment` has variables (None takes one away), `settings` names
        constants of the program that have other values, as "io.remote.SILENCE", `before` is a command that starts this
        one, and `statements` are executed before it begins. `score` asks for the command of that name, whose counts are
        in memory.
        """
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.temporary), "PYTHONFAULTHANDLER": "1"}
        variables |= environment or {}  # type: ignore[arg-type]
        own = [f"import {module}; {module}.{name} = {value!r}" for module, name, value in _constants(settings or {})]
        program = ["-c", "; ".join([*own, *([statements] if statements else []), _MAIN])]
        program = program if own or statements else ["-m", "pipeline"]

        def limited() -> None:
            for number, most in (limits or {}).items():
                resource.setrlimit(number, (most, most))

        texts = self.folder / "d"
        words = ["run", str(config or self.config), "-q", "--output", str(run or self.run), "--backend", "loky"]
        if score:
            words = ["score", "gleu", "bleu", "-s", str(texts / "source"), "-r", str(texts / "ref0")]
            words += ["-o", str(texts / "A"), str(texts / "B")]
        said = self.folder / f"said{time.monotonic_ns()}"
        command = [*before, sys.executable, *program, *words, "--n-jobs", "2"]
        with said.open("wb") as file, said.with_suffix(".out").open("wb") as printed:
            process = subprocess.Popen(
                command,
                env={key: value for key, value in variables.items() if value is not None},
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=file,
                preexec_fn=limited if limits else None,  # noqa: PLW1509
                start_new_session=True,
            )
        return Running(self, process, said)

    def finished(self) -> int:
        """Return how many shards a later run need not count."""
        if not (self.run / "log.txt").is_file():
            return 0
        parts = len(list((self.run / "unfinished").glob("*.part")))
        statistics = self.run / "statistics"
        placed = [name for name in "de" if len(list((statistics / name).glob("*.columns"))) == COLUMNS]
        begun = len(counted(self.run))  # data sets; parts of one that is in place wait to be deleted
        return len(placed) * self.shards // 2 + parts * (begun > len(placed))


_MAIN = "import sys; from pipeline.cli import main; sys.exit(main())"


def _constants(settings: Mapping[str, object]) -> list[tuple[str, str, object]]:
    """Return module, name and value of each setting."""
    return [(f"pipeline.{name.rpartition('.')[0]}", name.rpartition(".")[2], value) for name, value in settings.items()]


def counted(run: Path) -> list[tuple[int, int]]:
    """Return, for each data set of the last attempt, its shards to count and its shards in all, from the log."""
    text = (run / "log.txt").read_text(encoding="utf-8", errors="replace").rpartition("begins:")[2]
    return [(int(n), int(m)) for n, m in re.findall(r"(\d+) of (\d+) shards", text)]


class Running:
    """A command at work."""

    def __init__(self, machine: Machine, process: subprocess.Popen[bytes], said: Path) -> None:
        self.machine, self.process, self.said = machine, process, said
        self.pid, self.begun = process.pid, time.monotonic()
        self.result: Ended | None = None

    def poll(self) -> bool:
        """Whether the command has ended. Its memory and time are then known."""
        if self.result is None:
            pid, status, used = os.wait4(self.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                text = self.said.read_text(encoding="utf-8", errors="replace")
                printed = self.said.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
                self.said.unlink()
                self.said.with_suffix(".out").unlink()
                seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
                self.result = Ended(self.process.returncode, text, seconds, peak, printed)
                self.machine.ended.append(self.result)
                if self.result.code == 0:  # a machine has more or less other work: moments are shares of a run now
                    self.machine.seconds = (self.machine.seconds + time.monotonic() - self.begun) / 2
        return self.result is not None

    def until(self, seconds: float) -> bool:
        """Wait until so many seconds after the start; return whether the command is still at work."""
        while time.monotonic() < self.begun + seconds and not self.poll():
            time.sleep(0.005)
        return not self.poll()

    def wait(self) -> Ended:
        """Return how the command ends; raises HungError where it does not."""
        if self.until(self.machine.deadline):
            raise HungError(self._give_up())
        assert self.result
        return self.result

    def _give_up(self) -> str:
        """End the command; return what it waited for. Python prints where its threads are when it is aborted."""
        log = self.machine.run / "log.txt"
        last = log.read_text(encoding="utf-8", errors="replace").splitlines()[-1:] if log.is_file() else []
        where = f"{what(self.pid)}; log: {''.join(last) or 'none'}"
        helpers = children(self.pid)
        kill(self.pid, signal.SIGABRT)
        end = time.monotonic() + GRACE
        while time.monotonic() < end and not self.poll():
            time.sleep(0.01)
        for pid in [self.pid, *helpers]:
            kill(pid)
        while not self.poll():
            time.sleep(0.01)
        return f"no end after {self.machine.deadline:.0f} s: {where}; it said: {self.machine.ended[-1].said}"
