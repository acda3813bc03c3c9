"""Random cases of many kinds: no traceback, no hang, no silent or wrong score: `python -m tests.tools.fuzz`.

    python -m tests.tools.fuzz                                    200 cases of each kind
    python -m tests.tools.fuzz configs runs --cases 2000 --seed 7 others of two kinds
    python -m tests.tools.fuzz runs --only 7:42                   one case again; it is printed as the corpus has it

Each case may take 20 seconds of processor time and 500 MB. A case is the same whenever it is made of its seed. What is
found goes into `tests/tools/fuzz/corpus`, with a sentence about what was wrong; the tests replay that.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import sys
from collections.abc import Sequence

from .driver import fuzz, peak, seeds_of
from .kinds import FUZZERS


def main() -> int:
    """Do what the arguments say; return 1 where anything was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = "; ".join(f"{name}: {one.about}" for name, one in FUZZERS.items())
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=known)
    parser.add_argument(
        "--cases",
        type=int,
        default=200,
        metavar="N",
        help="how many of each kind (default: 200)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="S",
        help="of the cases (default: 0)",
    )
    parser.add_argument("--only", metavar="S:N", help="case N of seed S alone")
    args = parser.parse_args()
    if unknown := set(args.kinds) - set(FUZZERS):
        parser.error(
            f"no kind {', '.join(sorted(unknown))}; known: {', '.join(FUZZERS)}"
        )
    faulthandler.enable()
    kinds = args.kinds or list(FUZZERS)
    return max(
        _fuzz(
            name,
            [args.only] if args.only else list(seeds_of(args.seed, args.cases)),
        )
        for name in kinds
    )


def _fuzz(name: str, seeds: Sequence[str]) -> int:
    report = fuzz(FUZZERS[name], iter(seeds))
    for seed in list(report.wrong)[:20] if len(seeds) > 1 else seeds:
        print(
            f"--- {name} {seed}: {json.dumps(FUZZERS[name].make(seed))}\n{report.wrong.get(seed, 'nothing is wrong')}"
        )
    seconds, slowest = report.slowest
    tally = ", ".join(
        f"{key} {number}" for key, number in sorted(report.tally.items())
    )
    print(
        f"{name}: {report.cases} cases, {len(report.wrong)} wrong; slowest {seconds:.1f} s ({slowest}); ",
        end="",
    )
    print(f"this process at most {peak():.0f} MB; {tally}", flush=True)
    return int(bool(report.wrong))


if __name__ == "__main__":
    sys.exit(main())
