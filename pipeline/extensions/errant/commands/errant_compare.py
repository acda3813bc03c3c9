"""Score an M2 file as errant_compare of the package errant does: the same options and output.

The options -dt, -ds, -cs and -cse say what is compared; only one can be given. With several
annotators, on either side, the pair counts for a sentence with which F of all sentences so far is
best.

examples:
  gec-pipeline errant_compare -hyp data/m2/careful.m2 -ref data/m2/gold.m2
  gec-pipeline errant_compare -hyp data/m2/careful.m2 -ref data/m2/gold.m2 -cat 3
  gec-pipeline errant_compare -hyp data/m2/eager.m2 -ref data/m2/gold.m2 -ds -b 1 -filt R:OTHER R:SPELL

Three things are unlike the package: files of other sentences are refused, and so are lines that are
no lines of an M2 file; what is odd is said on standard error; and where F has no value with -b 0,
it is 0. `gec-pipeline help m2` is about M2 files. The metric errant gives the same scores with
intervals and tests.
"""

import argparse
import math
import sys

from pipeline.errors import printable
from pipeline.extensions.edits.commands.m2 import read_m2
from pipeline.extensions.edits.m2_files import compared_notes
from pipeline.report.terminal import print_warnings

from ..errant_report import MODES, TITLES, TYPE_TIER, Comparison, report

MAX_BETA = 1e6


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of errant_compare."""
    add = parser.add_argument
    add("-hyp", required=True, metavar="FILE", help="the M2 file of a system")
    add(
        "-ref",
        required=True,
        metavar="FILE",
        help="the M2 file of the annotators",
    )
    meaning = "weight of recall against precision (default: 0.5)"
    add("-b", "--beta", type=_beta, default=0.5, metavar="B", help=meaning)
    meaning = "print the edits and choices of all sentences"
    add("-v", "--verbose", action="store_true", help=meaning)
    modes = parser.add_mutually_exclusive_group()
    for mode in reversed(MODES):
        meaning = TITLES[mode].lower()
        if mode == "cs":
            meaning += " (default)"
        modes.add_argument(
            f"-{mode}",
            dest="mode",
            action="store_const",
            const=mode,
            help=meaning,
        )
    add(
        "-single",
        action="store_true",
        help="only edits of at most one word on both sides",
    )
    add(
        "-multi",
        action="store_true",
        help="only edits of several words on a side",
    )
    add(
        "-filt",
        nargs="+",
        default=[],
        metavar="TYPE",
        help="types that are left out",
    )
    meaning = "print the scores of categories: 1 such as R, 2 such as NOUN, 3 such as R:NOUN"
    add("-cat", type=int, choices=range(1, TYPE_TIER + 1), help=meaning)


def _beta(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and 0 <= value <= MAX_BETA):
        raise ValueError(text)
    return value


_beta.__name__ = f"number from 0 to {MAX_BETA:,.0f}"


def run(args: argparse.Namespace) -> None:
    """Print the scores of an M2 file, and warnings on standard error; raises CorpusError."""
    output, reference = read_m2(args.hyp, args.ref)
    by_type = bool(args.cat or args.filt) or args.mode == "cse"
    print_warnings(compared_notes(output, reference, compares_types=by_type))
    comparison = Comparison(
        args.mode or "cs", args.single, args.multi, tuple(args.filt)
    )
    lines = report(
        output,
        reference,
        comparison,
        args.beta,
        tier=args.cat,
        verbose=args.verbose,
    )
    # elsewhere to the character
    to_text = printable if sys.stdout.isatty() else str
    sys.stdout.writelines(f"{to_text(line)}\n" for line in lines)
