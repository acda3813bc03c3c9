"""The corpus of the faults, the command, and how it is waited for: never without a limit."""

from __future__ import annotations

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT, Tree, tree, write_run

from .processes import children, kill, state

COLUMNS = 6
"""Files of counts of each data set: three systems, two sets of columns."""
TIMES = 30
"""How many times the time of one command another may take before it is said to hang, and `least`
seconds at least."""
GRACE = 5.0
"""Seconds that a process has to say where it stands, before it is killed."""


class HungError(Exception):
    """A command did not end in time; the message says what it waited for."""


class Ended(NamedTuple):
    """How a command ended: exit code, and what it printed to both outputs."""

    code: int
    said: str
    printed: str


@dataclass
class Machine:
    """A folder with two data sets, one of them compressed, and the files of a run that nothing
    happened to.
    """

    folder: Path
    lines: int = 6_000
    least: float = 90.0
    ended: list[Ended] = field(default_factory=list)
    """The commands of the current trial that have ended."""
    wrong: list[str] = field(default_factory=list)
    """What was wrong with their scores."""
    scores: str = ""
    """What the command `score` prints where nothing happens to it."""

    def __post_init__(self) -> None:
        """Write the corpus and run the command once."""
        self.temporary = self.folder / "temporary"
        self.disk = self.folder / "disk"
        for directory in (self.temporary, self.disk):
            directory.mkdir()
        self.run = self.disk / "run"
        self.config = self.write()
        self.seconds = 0.0
        self.deadline = 10 * self.least
        start = time.monotonic()
        process = self.start(run=self.folder / "expected")
        if process.wait().code != 0:
            raise SystemExit(
                f"the run fails where nothing happens to it: {self.ended[-1].said}"
            )
        self.seconds = time.monotonic() - start
        self.deadline = max(self.least, TIMES * self.seconds)
        self.expected: Tree = tree(self.folder / "expected")
        self.shards = sum(
            total for _, total in counted(self.folder / "expected")
        )

    def write(self) -> Path:
        """Write texts and config; of one output only a compressed file stays."""
        chosen = ["gleu[iter=20]", "gleu[unit=char,n=3,refs=max]"]
        config = write_run(
            self.folder,
            self.lines,
            datasets=("d", "e"),
            systems="ABC",
            chosen=chosen,
        )
        plain = self.folder / "e" / "C"
        (self.folder / "e" / "C.gz").write_bytes(
            gzip.compress(plain.read_bytes())
        )
        plain.unlink()
        text = config.read_text(encoding="utf-8").replace(
            '"{dataset}/C"', '{"d": "d/C", "e": "e/C.gz"}'
        )
        config.write_text(text, encoding="utf-8")
        return config

    def texts(self) -> list[Path]:
        """Return the files that the config names."""
        return sorted(
            path for name in "de" for path in (self.folder / name).iterdir()
        )

    def start(
        self, *, run: Path | None = None, before: str = "", score: bool = False
    ) -> Running:
        """Give the command. before: statements of Python that the process executes first.

        score: it is the command of that name, whose counts are in memory.
        """
        texts = self.folder / "d"
        words = [
            "run",
            str(self.config),
            "-q",
            "--output",
            str(run or self.run),
            "--backend",
            "loky",
        ]
        if score:
            words = [
                "score",
                "gleu",
                "bleu",
                "-s",
                str(texts / "source"),
                "-r",
                str(texts / "ref0"),
            ]
            words += ["-o", str(texts / "A"), str(texts / "B")]
        messages = self.folder / f"said{time.monotonic_ns()}"
        program = f"{before}\nimport sys; from pipeline.cli import main; sys.exit(main())"
        with (
            messages.open("wb") as file,
            messages.with_suffix(".out").open("wb") as printed,
        ):
            process = subprocess.Popen(
                [sys.executable, "-c", program, *words, "--n-jobs", "2"],
                env=os.environ
                | {
                    "PYTHONPATH": str(ROOT),
                    "TMPDIR": str(self.temporary),
                    "PYTHONFAULTHANDLER": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=file,
                start_new_session=True,
            )
        return Running(self, process, messages)

    def mount(self, options: str) -> None:
        """Have the run directories on a file system in memory, or change its options; its user is
        root.
        """
        again = "remount," if os.path.ismount(self.disk) else ""
        words = [
            "mount",
            "-t",
            "tmpfs",
            "-o",
            f"{again}{options}",
            "tmpfs",
            str(self.disk),
        ]
        subprocess.run(words, check=True)

    def close(self) -> None:
        """Give back what mount() has made."""
        if os.path.ismount(self.disk):
            subprocess.run(["umount", "--lazy", str(self.disk)], check=True)

    def finished(self) -> int:
        """Return how many shards a later run need not count."""
        if not (self.run / "log.txt").is_file():
            return 0
        parts = len(list((self.run / "unfinished").glob("*.part")))
        statistics = self.run / "statistics"
        placed = [
            name
            for name in "de"
            if len(list((statistics / name).glob("*.columns"))) == COLUMNS
        ]
        # data sets; parts of one that is in place wait to be deleted
        begun = len(counted(self.run))
        return len(placed) * self.shards // 2 + parts * (begun > len(placed))


def counted(run: Path) -> list[tuple[int, int]]:
    """Return, for each data set of the last attempt, its shards to count and its shards in all,
    from the log.
    """
    text = (
        (run / "log.txt")
        .read_text(encoding="utf-8", errors="replace")
        .rpartition("begins:")[2]
    )
    numbers = re.findall(r"([\d,]+) of ([\d,]+) shards", text)
    return [
        (int(to_count.replace(",", "")), int(total.replace(",", "")))
        for to_count, total in numbers
    ]


class Running:
    """A command at work."""

    def __init__(
        self, machine: Machine, process: subprocess.Popen[bytes], said: Path
    ) -> None:
        self.machine = machine
        self.process = process
        self.said = said
        self.pid = process.pid
        self.begun = time.monotonic()
        self.result: Ended | None = None

    def poll(self) -> bool:
        """Whether the command has ended."""
        code = self.process.poll()
        if self.result is None and code is not None:
            files = self.said, self.said.with_suffix(".out")
            self.result = Ended(
                code,
                *(
                    path.read_text(encoding="utf-8", errors="replace")
                    for path in files
                ),
            )
            for path in files:
                path.unlink()
            self.machine.ended.append(self.result)
            # a machine has more or less other work: moments are shares of a run now
            if code == 0:
                self.machine.seconds = (
                    self.machine.seconds + time.monotonic() - self.begun
                ) / 2
        return self.result is not None

    def until(self, seconds: float) -> bool:
        """Wait until so many seconds after the start; return whether the command is still at work."""
        while time.monotonic() < self.begun + seconds and not self.poll():
            time.sleep(0.005)
        return not self.poll()

    def more(self, seconds: float) -> None:
        """Wait for so many seconds, or until the command ends."""
        self.until(time.monotonic() - self.begun + seconds)

    def wait(self) -> Ended:
        """Return how the command ends; raises HungError where it does not."""
        if self.until(self.machine.deadline):
            raise HungError(self._give_up())
        assert self.result
        return self.result

    def _give_up(self) -> str:
        """End the command; return what it waited for. Python prints where its threads are when it
        is aborted.
        """
        helpers = children(self.pid)
        states = ", ".join(
            f"process {pid} is in state {state(pid, 'State')}"
            for pid in (self.pid, *helpers)
        )
        kill(self.pid, signal.SIGABRT)
        self.more(GRACE)
        for pid in (self.pid, *helpers):
            kill(pid)
        while not self.poll():
            time.sleep(0.01)
        return f"no end after {self.machine.deadline:.0f} s: {states}; it said: {self.machine.ended[-1].said}"
