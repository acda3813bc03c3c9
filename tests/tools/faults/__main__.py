"""Faults at random moments, and whether the same command then ends in the same bytes: `python -m
tests.tools.faults`.

A run of two data sets (one of them compressed), with worker processes, gets into trouble in a new
folder again and again. The same command is given again until it is done. Then all files of results
and statistics must have the bytes of a run that nothing happened to; where the fault took nothing
away, nothing that was finished may have been counted again; every message must be one of the
program's own; and no process and no temporary file may be left. No command is waited for without a
limit: one that does not end is told with what it waits for. Needs Linux.

    python -m tests.tools.faults                        100 faults, each kind in its turn
    python -m tests.tools.faults --faults 300 --seed 7  others; the same seed does the same again
    python -m tests.tools.faults --kinds                the kinds
    python -m tests.tools.faults --kinds disk,two       these kinds only
    python -m tests.tools.faults --seed 7 --only 42,57  these faults of the seed again
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

from .machine import Machine
from .trials import KINDS, Trial, trial

VERDICTS = ("survived", "lost", "hung", "untidy")


def chosen(kinds: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the numbers and kinds of faults: number N of a seed is the same whichever kinds are
    left out.
    """
    names = list(KINDS)
    for number in count():
        if names[number % len(names)] in kinds:
            yield number, names[number % len(names)]


def figures(trials: Sequence[Trial]) -> str:
    """Return the figures of some trials in a line."""
    verdicts = Counter(one.verdict for one in trials)
    codes = ", ".join(
        f"{code}: {n}"
        for code, n in sorted(
            Counter(one.codes[0] for one in trials if one.codes).items()
        )
    )
    ends = ", ".join(f"{name} {verdicts[name]}" for name in VERDICTS)
    kept, repeated = (
        sum(getattr(one, name) for one in trials)
        for name in ("kept", "repeated")
    )
    return f"{len(trials)}; {ends}; exit codes {codes}; shards kept {kept}, counted again {repeated}"


def main() -> int:
    """Do the faults, print a line for each kind; return 1 where anything was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--faults", type=int, default=100, help="how many (default: 100)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="of faults and moments (default: 1)"
    )
    parser.add_argument(
        "--kinds",
        nargs="?",
        const="",
        metavar="A,B",
        help="these kinds only; alone: list them",
    )
    parser.add_argument(
        "--only",
        metavar="N,M",
        help="these faults of the seed only, by their numbers",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="a line for each fault"
    )
    args = parser.parse_args()
    if args.kinds == "":
        print(
            *(f"{name:10}  {kind.about}" for name, kind in KINDS.items()),
            sep="\n",
        )
        return 0
    kinds = (args.kinds or ",".join(KINDS)).split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(
            f"no kind {', '.join(sorted(unknown))}; known: {', '.join(KINDS)}"
        )
    numbers: Iterator[tuple[int, str]] = islice(chosen(kinds), args.faults)
    if args.only:
        numbers = (
            (int(number), list(KINDS)[int(number) % len(KINDS)])
            for number in args.only.split(",")
        )
    trials = _all(numbers, args.seed, args.verbose)
    for name, kind in KINDS.items():
        if of_kind := [one for one in trials if one.kind == name]:
            print(f"{kind.about}: {figures(of_kind)}")
    print(f"all: {figures(trials)}")
    return int(any(one.verdict != "survived" for one in trials))


def _all(
    numbers: Iterator[tuple[int, str]], seed: int, verbose: bool
) -> list[Trial]:
    # Whoever starts this may ignore signals (nohup, or & in a script), and processes inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    trials = []
    temporary = tempfile.TemporaryDirectory(
        prefix="faults-", ignore_cleanup_errors=True
    )
    with (
        temporary as folder,
        contextlib.closing(Machine(Path(folder))) as machine,
    ):
        print(
            f"{machine.shards} shards in {machine.seconds:.1f} s, seed {seed}",
            flush=True,
        )
        for number, kind in numbers:
            trials.append(trial(machine, seed, number, kind))
            if verbose or trials[-1].verdict != "survived":
                print(trials[-1].verdict, trials[-1], flush=True)
    return trials


if __name__ == "__main__":
    sys.exit(main())
