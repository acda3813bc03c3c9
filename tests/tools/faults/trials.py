"""A trial: a fault, the same command until it is done, and whether all is then as if nothing had
happened.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.conftest import tree

from . import files, signals
from .machine import Ended, HungError, Machine, counted
from .processes import left_of

ATTEMPTS = 5
"""Times that the command may be given again."""
DECENT = re.compile(r"(?:error|note|warning): .+|interrupted; .+|[ \t].*|")
"""A line that may be printed to standard error."""


class Kind(NamedTuple):
    """A kind of faults."""

    about: str
    inflict: Callable[[Machine, random.Random], str]
    """Gives the command, and has the fault happen to it; returns what was done, in a few words."""
    codes: tuple[int, ...]
    """The exit codes that the command may then have."""
    loses: bool = False
    """Whether the fault takes away what was finished, so that this is counted again."""
    again: bool = False
    """Whether the command is given again even where it has ended well."""
    leaves: bool = False
    """Whether the program may be unable to delete what it has unpacked; a later run does."""


KILLED = -9
KINDS = {
    "parent": Kind("the program killed", signals.parent, (KILLED, 0)),
    "start": Kind("workers killed soon after their start", signals.start, (0,)),
    "worker": Kind("workers killed at any moment", signals.worker, (0,)),
    "scored": Kind(
        "workers, or the program, killed with counts in memory",
        signals.scored,
        (KILLED, 0),
        again=True,
    ),
    "stopped": Kind("a worker stopped (SIGSTOP)", signals.stopped, (0,)),
    "interrupt": Kind(
        "interrupted once or twice", signals.interrupt, (130, 0), leaves=True
    ),
    "server": Kind(
        "a server that stalls or breaks off",
        files.server,
        (0, 2),
        again=True,
        loses=True,
    ),
    "changed": Kind(
        "a text changed while it is used",
        files.changed,
        (0, 2),
        again=True,
        loses=True,
    ),
    "damage": Kind(
        "killed, a file damaged or deleted",
        files.damage,
        (KILLED, 0),
        again=True,
        loses=True,
    ),
    "deleted": Kind(
        "the run directory deleted in use",
        files.deleted,
        (KILLED, 0, 2),
        again=True,
        loses=True,
    ),
    "two": Kind("two runs at once", files.two, (KILLED, 0, 2)),
    "disk": Kind("no room for files", files.disk, (2,)),
    "full": Kind(
        "a file system that is full at some moment", files.full, (0, 2, 3)
    ),
    "readonly": Kind(
        "killed, then a read-only file system",
        files.readonly,
        (KILLED, 0, 2),
        again=True,
    ),
    "special": Kind(
        "no file in the place of a text or config",
        files.special,
        (0, 2),
        again=True,
        loses=True,
    ),
    "in the way": Kind(
        "killed, a folder in the place of a file",
        files.in_the_way,
        (KILLED, 0, 2),
        again=True,
        loses=True,
    ),
    "closed": Kind("standard output or error closed", files.closed, (0,)),
}
if os.name != "posix" or os.geteuid() != 0:  # only root may mount
    del KINDS["full"], KINDS["readonly"]


@dataclass
class Trial:
    """What happened in a trial."""

    number: int
    kind: str
    what: str = ""
    """What was done."""
    codes: list[int] = field(default_factory=list)
    """The exit codes of all commands."""
    kept: int = 0
    """Shards that were finished before the last command."""
    repeated: int = 0
    """How many of these it counted again."""
    hung: str = ""
    lost: list[str] = field(default_factory=list)
    """What is not as it must be of the results."""
    untidy: list[str] = field(default_factory=list)
    """What is not as it must be of messages, exit codes, processes and files."""

    @property
    def verdict(self) -> str:
        """How the trial has ended, in a word."""
        return (
            "hung"
            if self.hung
            else "lost"
            if self.lost
            else "untidy"
            if self.untidy
            else "survived"
        )


def trial(machine: Machine, seed: int, number: int, kind: str) -> Trial:
    """Do a fault, go on until the command is done, compare. The same seed and number do the same."""
    done = Trial(number, kind)
    machine.ended.clear()
    machine.wrong.clear()
    try:
        done.what = KINDS[kind].inflict(
            machine, random.Random(f"{seed}:{number}:{kind}")
        )
        _decent(done, machine.ended, KINDS[kind].codes)
        _go_on(machine, done)
    except HungError as error:
        done.hung = str(error)
    done.lost += machine.wrong
    done.codes = [ended.code for ended in machine.ended]
    _look_for_rests(machine, done)
    shutil.rmtree(machine.run, ignore_errors=True)
    return done


def _go_on(machine: Machine, done: Trial) -> None:
    """Give the same command until it is done; compare its files."""
    first = len(machine.ended)
    again = KINDS[done.kind].again
    while again or machine.ended[-1].code != 0:
        again = False
        if len(machine.ended) - first == ATTEMPTS:
            done.lost.append(f"does not end: {machine.ended[-1]}")
            return
        done.kept = machine.finished()
        machine.start().wait()
    _decent(done, machine.ended[first:], (0,))
    found = tree(machine.run)
    names = {*found, *machine.expected}
    done.lost += [
        f"{name} differs"
        for name in sorted(names)
        if found.get(name) != machine.expected.get(name)
    ]
    if len(machine.ended) > first:
        done.repeated = max(
            sum(todo for todo, _ in counted(machine.run))
            - (machine.shards - done.kept),
            0,
        )
        if done.repeated and not KINDS[done.kind].loses:
            done.lost.append(
                f"{done.repeated} of {done.kept} finished shards were counted again"
            )


def _decent(done: Trial, ended: list[Ended], codes: tuple[int, ...]) -> None:
    """Note exit codes and messages that no command should end with."""
    for one in ended:
        odd = [
            line for line in one.said.splitlines() if not DECENT.fullmatch(line)
        ]
        told = one.code in (KILLED, 0) or bool(one.said.strip())
        if one.code not in codes or odd or not told or "Traceback" in one.said:
            done.untidy.append(f"exit code {one.code}, and it said: {one.said}")


def _look_for_rests(machine: Machine, done: Trial) -> None:
    """Note processes and temporary files that are left. A later run deletes those of killed ones
    (test_lock.py).
    """
    for _ in range(100):
        if not (left := left_of(machine.temporary)):
            break
        time.sleep(0.1)
    else:
        done.untidy.append(f"processes are left: {left}")
    killed = KILLED in done.codes or KINDS[done.kind].leaves or done.hung
    for path in list(machine.temporary.iterdir()):
        if not (killed and path.name.startswith("gec-pipeline-")):
            done.untidy.append(f"a temporary file is left: {path.name}")
        path.unlink() if path.is_file() else shutil.rmtree(path)
