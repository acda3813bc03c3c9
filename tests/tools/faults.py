"""Faults at random moments, and whether the same command then ends in the same bytes: `python -m tests.tools.faults`.

A run of two data sets (one of them compressed), with worker processes, is stopped in a new folder again and again:
its parent or a worker is killed, it is interrupted, its disk is full, or it is killed and a file of what it left is
cut short or damaged. The same command is given again until it is done. Then all files of results and statistics
must have the bytes of a run that nothing happened to, nothing that was finished may have been counted again, and no
process and no temporary file may be left. Not run by pytest; needs /proc.

    python -m tests.tools.faults                        50 faults
    python -m tests.tools.faults --faults 500 --seed 7  others
    python -m tests.tools.faults --only disk            one kind

A full disk is a small tmpfs where one may be mounted, else a limit to the size of files (RLIMIT_FSIZE).
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import ROOT, Tree, tree, write_run

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = 6_000
COLUMNS = 6
"""Files of columns of each data set: three systems, two sets of columns."""
ATTEMPTS = 5
"""Times that the command may be given again."""


@dataclass
class Trial:
    """What happened to one run: kind of fault, second, exit codes, shards finished before the last attempt and counted
    in it, and what was wrong.
    """

    kind: str
    moment: float
    codes: list[int] = field(default_factory=list)
    kept: int = 0
    repeated: int = 0
    wrong: list[str] = field(default_factory=list)


class Faults:
    """The corpus, the command, the files of a run that nothing happened to, and how long it took."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, random.Random(seed)
        self.disk = folder / "disk"
        self.disk.mkdir()
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        chosen = ["gleu[iter=20]", "gleu[unit=char,n=3,refs=max]"]
        self.config = write_run(folder, LINES, datasets=("d", "e"), systems="ABC", chosen=chosen)
        packed = folder / "e" / "C"
        (folder / "e" / "C.gz").write_bytes(gzip.compress(packed.read_bytes()))
        packed.unlink()
        text = self.config.read_text(encoding="utf-8").replace('"{dataset}/C"', '{"d": "d/C", "e": "e/C.gz"}')
        self.config.write_text(text, encoding="utf-8")
        start = time.monotonic()
        if self.start(folder / "expected").wait() != 0:
            raise SystemExit("the run fails where nothing happens to it")
        self.seconds = time.monotonic() - start
        self.expected: Tree = tree(folder / "expected")
        self.shards = sum(whole for _, whole in self.counted(folder / "expected"))

    def start(self, run: Path, limit: int | None = None) -> subprocess.Popen[bytes]:
        """Give the command; limit: bytes that a file may have."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PIPELINE_KERNEL": "python",
            "TMPDIR": str(self.temporary),
        }
        command = [sys.executable, "-m", "pipeline", "run", str(self.config), "--output", str(run), "-q"]
        command += ["--n-jobs", "2", "--backend", "loky"]

        def limited() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        with (self.folder / "said").open("wb") as said:
            return subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=said,
                preexec_fn=limited,  # noqa: PLW1509
            )

    @staticmethod
    def counted(run: Path) -> list[tuple[int, int]]:
        """Return, for each data set of the last attempt, its shards to count and its shards in all, from the log."""
        text = (run / "log.txt").read_text(encoding="utf-8").rpartition("begins:")[2]
        return [(int(n), int(m)) for n, m in re.findall(r"(\d+) of (\d+) shards", text)]

    def finished(self, run: Path) -> int:
        """Return how many shards a later run need not count."""
        parts = len(list((run / "unfinished").glob("*.part")))
        placed = [name for name in "de" if len(list((run / "statistics" / name).glob("*.columns"))) == COLUMNS]
        begun = len(self.counted(run))  # data sets; parts of one that is in place wait to be deleted
        return len(placed) * self.shards // 2 + parts * (begun > len(placed))

    # --- faults: each takes a running command and its folder

    def kill_parent(self, process: subprocess.Popen[bytes], _: Path) -> None:
        process.kill()

    def interrupt(self, process: subprocess.Popen[bytes], _: Path) -> None:
        process.send_signal(self.random.choice([signal.SIGINT, signal.SIGTERM]))

    def kill_worker(self, process: subprocess.Popen[bytes], _: Path) -> None:
        for _attempt in range(200):
            found = workers(process.pid)
            if found:
                kill(self.random.choice(found))
                return
            if process.poll() is not None:
                return
            time.sleep(0.01)

    def damage(self, process: subprocess.Popen[bytes], run: Path) -> None:
        """Kill the parent, and cut or change one of the files that are there."""
        process.kill()
        process.wait()
        files = sorted(path for path in run.rglob("*") if path.is_file() and path.stat().st_size)
        if files:
            path = self.random.choice(files)
            data = path.read_bytes()
            place = self.random.randrange(len(data))
            cut = self.random.random() < 0.5
            flipped = data[:place] + bytes([data[place] ^ (1 << self.random.randrange(8))]) + data[place + 1 :]
            path.write_bytes(data[:place] if cut or path.name == "run.json" else flipped)

    def trial(self, kind: str) -> Trial:
        """Do one fault, continue, compare."""
        trial = Trial(kind, self.random.uniform(0, self.seconds))
        run = self.disk / "run"
        if kind == "disk":
            self.full_disk(trial, run)
        else:
            self.stop(trial, run)
        trial.kept = self.finished(run) if (run / "log.txt").exists() else 0
        again = kind == "damage"
        while (again or trial.codes[-1] != 0) and len(trial.codes) < ATTEMPTS:
            again = False
            trial.codes.append(self.start(run).wait())
        self.check(trial, run)
        shutil.rmtree(run, ignore_errors=True)
        if self.disk.is_mount():
            subprocess.run(["umount", str(self.disk)], check=True)
        return trial

    def stop(self, trial: Trial, run: Path) -> None:
        """Give the command, and have the fault happen at its moment."""
        begun = time.monotonic()
        process = self.start(run)
        while time.monotonic() < begun + trial.moment and process.poll() is None:
            time.sleep(0.005)
        if process.poll() is not None:
            self.seconds = min(self.seconds, time.monotonic() - begun)  # so that later moments are earlier
        FAULTS[trial.kind](self, process, run)
        trial.codes.append(process.wait())

    def full_disk(self, trial: Trial, run: Path) -> None:
        """Run on a disk that is too small, then make room."""
        size = self.random.randrange(4096, sum(map(len, self.expected.values())))
        options = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(self.disk)]
        mounted = subprocess.run(options, check=False, capture_output=True).returncode == 0
        trial.codes.append(self.start(run, None if mounted else size // 20).wait())
        if mounted:
            subprocess.run(["mount", "-o", "remount,size=1g", str(self.disk)], check=True)
        said = (self.folder / "said").read_text(encoding="utf-8")
        if trial.codes[-1] != 2 or "cannot be written" not in said or "Traceback" in said:
            trial.wrong.append(f"a full disk gives {trial.codes[-1]}: {said}")

    def check(self, trial: Trial, run: Path) -> None:
        """Note what is not as it must be."""
        said = (self.folder / "said").read_text(encoding="utf-8")
        if trial.codes[-1] != 0:
            trial.wrong.append(f"does not end: {trial.codes}: {said}")
            return
        found = tree(run)
        trial.wrong += [
            f"{name} differs" for name in {*found, *self.expected} if found.get(name) != self.expected.get(name)
        ]
        if len(trial.codes) > 1:
            trial.repeated = sum(todo for todo, _ in self.counted(run)) - (self.shards - trial.kept)
        if trial.repeated > (trial.kind == "damage") * self.shards // 2:
            trial.wrong.append(f"{trial.repeated} of {trial.kept} finished shards were counted again")
        left = [path.name for path in self.temporary.iterdir() if not path.name.startswith("gec-pipeline-")]
        if left:  # those that a killed run has unpacked go when they are a minute old: tests/io/test_lock.py
            trial.wrong.append(f"temporary files are left: {left}")
        for _ in range(100):
            if not alive(self.temporary):
                return
            time.sleep(0.1)
        trial.wrong.append(f"processes are left: {alive(self.temporary)}")


FAULTS: dict[str, Callable[[Faults, subprocess.Popen[bytes], Path], None]] = {
    "parent": Faults.kill_parent,
    "worker": Faults.kill_worker,
    "interrupt": Faults.interrupt,
    "damage": Faults.damage,
}
KINDS = {
    "parent": "parent killed",
    "worker": "worker killed",
    "interrupt": "interrupted (SIGINT, SIGTERM)",
    "damage": "parent killed, a file cut or changed",
    "disk": "disk full",
}


def kill(pid: int) -> None:
    """Kill a process, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def processes() -> dict[int, tuple[int, str]]:
    """Return parent and command line of all processes."""
    found = {}
    for path in Path("/proc").iterdir():
        try:
            if path.name.isdigit():
                status = (path / "stat").read_text().rpartition(")")[2].split()
                command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if status[0] != "Z":
                    found[int(path.name)] = int(status[1]), command
        except OSError:
            continue
    return found


def workers(parent: int) -> list[int]:
    """Return the worker processes of a run."""
    return [pid for pid, (above, command) in processes().items() if above == parent and "workers.serving" in command]


def alive(folder: Path) -> list[str]:
    """Return the command lines of processes whose folder for temporary files is this one."""
    found = []
    for pid, (_, command) in processes().items():
        with contextlib.suppress(OSError):
            if f"TMPDIR={folder}\0".encode() in (Path("/proc") / str(pid) / "environ").read_bytes() + b"\0":
                found.append(command)
    return found


def main() -> None:
    """Do the faults, print a line for each kind; exit code 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=50, help="how many (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of kinds and moments (default: 1)")
    parser.add_argument("--only", choices=KINDS, help="one kind")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each fault")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        faults = Faults(Path(folder), args.seed)
        print(f"{faults.shards} shards in {faults.seconds:.1f} s, seed {args.seed}", flush=True)
        trials = []
        for number in range(args.faults):
            kind = args.only or list(KINDS)[number % len(KINDS)]
            trials.append(faults.trial(kind))
            if args.verbose or trials[-1].wrong:
                print(number, trials[-1], flush=True)
    for kind, name in KINDS.items():
        own = [trial for trial in trials if trial.kind == kind]
        if own:
            codes = ", ".join(f"{code}: {n}" for code, n in sorted(Counter(trial.codes[0] for trial in own).items()))
            stopped = [trial for trial in own if len(trial.codes) > 1]
            kept = sum(trial.kept for trial in stopped)
            again = sum(max(trial.repeated, 0) for trial in stopped)
            good = sum(not trial.wrong for trial in own)
            print(f"{name}: {len(own)} times, exit codes {codes}; same bytes at the end: {good}; ", end="")
            print(f"shards finished before {kept}, of them counted again {again}")
    sys.exit(any(trial.wrong for trial in trials))


if __name__ == "__main__":
    main()
