"""Faults that signals make: parent and workers killed or stopped, interruptions, one after the
other.
"""

from __future__ import annotations

import os
import random
import signal
import time

from .machine import Machine, Running
from .processes import catches, kill, loky_workers

HASTY = "import pipeline.parallel as w; w.PATIENCE = 5.0"
"""Makes the program give up workers that answer nothing sooner."""
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def parent(machine: Machine, rng: random.Random) -> str:
    """Kill the program; its workers must end by themselves."""
    process, moment = begun(machine, rng)
    kill(process.pid)
    process.wait()
    return moment


def start(machine: Machine, rng: random.Random) -> str:
    """Kill a worker, or each of several, within half a second of its start."""
    process = machine.start()
    victims: set[int] = set()
    number = rng.randint(1, 4)
    while len(victims) < number and not process.poll():
        for pid in set(loky_workers(process.pid)) - victims:
            time.sleep(rng.uniform(0, 0.5) if rng.random() < 0.8 else 0)
            kill(pid)
            victims.add(pid)
        time.sleep(0.002)
    process.wait()
    return f"{len(victims)} workers killed soon after their start"


def worker(machine: Machine, rng: random.Random) -> str:
    """Kill workers at any moment."""
    process, moment = begun(machine, rng)
    number = rng.choice([1, 1, 2, 4])
    _kill_workers(process, rng, number)
    process.wait()
    return f"{number} workers killed {moment}"


def stopped(machine: Machine, rng: random.Random) -> str:
    """Stop a worker, so that it lives and does nothing. It may not even have begun."""
    process = machine.start(before=HASTY)
    moment = rng.uniform(0, machine.seconds)
    process.until(moment)
    if pid := _a_worker(process, rng):
        kill(pid, signal.SIGSTOP)
    process.wait()
    return f"a worker stopped after {moment:.2f} s"


def scored(machine: Machine, rng: random.Random) -> str:
    """Kill workers, or the program, while it counts in memory: answers are files, and scores are as
    ever.
    """
    if not machine.scores:
        machine.scores = machine.start(score=True).wait().printed
    process, moment = begun(machine, rng, score=True)
    number = rng.choice([0, 1, 1, 2])
    _kill_workers(process, rng, number)
    if not number:
        kill(process.pid)
    ended = process.wait()
    if ended.code == 0 and ended.printed != machine.scores:
        machine.wrong.append(f"other scores: {ended.printed}")
    return f"{number} workers killed, or the program, {moment}"


def interrupt(machine: Machine, rng: random.Random) -> str:
    """Interrupt the program, or all processes as a terminal does; now and then twice within a third
    of a second.
    """
    process, moment = begun(machine, rng)
    signals = [_send(process, rng)]
    if rng.random() < 0.5:
        process.more(rng.uniform(0, 0.3) * rng.random())
        signals.append(_send(process, rng))
    process.wait()
    return f"{', '.join(signals)} {moment}"


def begun(
    machine: Machine, rng: random.Random, *, score: bool = False
) -> tuple[Running, str]:
    """Return a command at a random moment, from that on where it looks after signals."""
    process = machine.start(score=score)
    while not process.poll() and not catches(process.pid, signal.SIGTERM):
        time.sleep(0.002)
    here = time.monotonic() - process.begun
    moment = here + rng.random() * max(machine.seconds - here, 0)
    process.until(moment)
    return process, f"after {moment:.2f} s"


def _kill_workers(process: Running, rng: random.Random, number: int) -> None:
    for _ in range(number):
        if pid := _a_worker(process, rng):
            kill(pid)
        process.more(rng.uniform(0, 0.2))


def _a_worker(process: Running, rng: random.Random) -> int:
    """Return a worker, which is waited for; 0 where the command ends before there is one."""
    while not process.poll():
        if pids := loky_workers(process.pid):
            return rng.choice(pids)
        process.more(0.005)
    return 0


def _send(process: Running, rng: random.Random) -> str:
    """Send a signal to the program or to its process group; return its name."""
    number = rng.choice(ENDS)
    to_group = rng.random() < 0.5
    if not process.poll():
        if to_group:
            os.killpg(process.pid, number)
        else:
            kill(process.pid, number)
    return f"{number.name}{' to all' if to_group else ''}"
