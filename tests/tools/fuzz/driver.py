"""What all fuzzers share: cases of a seed, limits of time and memory for each, and the corpus of
what was ever found.

A fuzzer makes a case of a seed and checks it. A case is a value of JSON, so that one that was found
goes into the corpus as it is. Cases of inputs are their seeds; the others say what is changed."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.cli.dispatch import main

CORPUS = Path(__file__).parent / "corpus"
"""A file for each fuzzer: a list of cases, each with a sentence about what was wrong."""
LIMIT = 20.0
"""Seconds of processor time that a case may take."""
WAIT = 300.0
"""Seconds that it may take by the clock: more, since the machine may have other work."""
ROOM = 500.0
"""MB by which a case may raise the most memory that the process has ever had."""


class Fuzzer(NamedTuple):
    """A kind of cases."""

    about: str
    make: Callable[[str], Any]
    """Returns the case of a seed."""
    check: Callable[[Any, Path, Counter[str]], str]
    """Returns what is wrong with a case, or an empty text; it may write to a folder, and counts
    what came of it."""


@dataclass
class Report:
    """What came of many cases."""

    cases: int = 0
    tally: Counter[str] = field(default_factory=Counter)
    """How they ended."""
    wrong: dict[str, str] = field(default_factory=dict)
    """What was wrong, by seed."""
    slowest: tuple[float, str] = (0.0, "")
    """Seconds of processor time of the slowest case, and its seed."""


def fuzz(fuzzer: Fuzzer, seeds: Iterator[str]) -> Report:
    """Make and check the cases of some seeds."""
    report = Report()
    for seed in seeds:
        begun = time.process_time()
        if wrong := checked(fuzzer, fuzzer.make(seed), report.tally):
            report.wrong[seed] = wrong
        report.cases += 1
        report.slowest = max(
            report.slowest, (time.process_time() - begun, seed)
        )
    return report


def seeds_of(seed: int, number: int) -> Iterator[str]:
    """Yield so many seeds of a seed: each case can be made alone."""
    return (f"{seed}:{n}" for n in range(number))


def corpus(name: str) -> list[dict[str, Any]]:
    """Return the cases of a fuzzer that were found at some time: `about` says what was wrong,
    `case` is the case.
    """
    cases: list[dict[str, Any]] = json.loads(
        (CORPUS / f"{name}.json").read_text(encoding="utf-8")
    )
    return cases


def checked(fuzzer: Fuzzer, case: Any, tally: Counter[str]) -> str:
    """Check a case within the limits; whatever it raises is wrong."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    before = peak()
    try:
        with limited():
            wrong = fuzzer.check(case, folder, tally)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        wrong = traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if not wrong and peak() - before > ROOM:
        wrong = f"took {peak() - before:.0f} MB of memory"
    return wrong


def peak() -> float:
    """Return the most memory that this process has ever had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class LateError(BaseException):
    """A case took too long; no part of the program takes this for an error of its own."""


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raise LateError after the seconds that a case may take."""

    def late(*_: object) -> None:
        raise LateError(
            f"more than {LIMIT:.0f} s of processor time, or {WAIT:.0f} s by the clock"
        )

    alarms = {
        signal.SIGPROF: (signal.ITIMER_PROF, LIMIT),
        signal.SIGALRM: (signal.ITIMER_REAL, WAIT),
    }
    before = {number: signal.signal(number, late) for number in alarms}
    for timer, seconds in alarms.values():
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for number, (timer, _) in alarms.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


class Said(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    def wrong(self) -> str:
        """Return what is wrong with it: it must end well, or be refused with one message for each
        problem.
        """
        refused = (
            self.code == 2
            and "error: " in self.err
            and not _odd_lines(self.err)
        )
        if "Traceback" in self.err or not (self.code == 0 or refused):
            return f"exit code {self.code}, and it said: {self.err[:2000]}"
        if refused and len(self.err) > 100_000:
            return f"a message of {len(self.err)} characters: {self.err[:500]}"
        return ""


def _odd_lines(text: str) -> list[str]:
    """Return the lines of an error that are no message of the program's."""
    usual = ("error: ", "warning: ", "note: ", "no texts: ", "See ", " ")
    return [
        line
        for line in text.splitlines()
        if line and not line.startswith(usual)
    ]


def said(*arguments: object) -> Said:
    """Run the command line in this process."""
    out = io.StringIO()
    err = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as done:
            code = int(done.code or 0)
    return Said(code, out.getvalue(), err.getvalue())
