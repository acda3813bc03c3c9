"""Print the results of a run: the ranked tables, and with --orders the counts of every order.

examples:
  gec-pipeline show runs/quickstart
  gec-pipeline show runs/quickstart --orders --system careful
  gec-pipeline show runs/quickstart --json
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..errors import StoreError, did_you_mean, printable

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", help="a run directory")
    parser.add_argument("--system", metavar="NAME", help="only this system")
    parser.add_argument("--orders", action="store_true", help="match, penalty, precision ... of each order")
    parser.add_argument("--digits", type=int, default=2, choices=range(13), metavar="N", help="decimals (default: 2)")
    parser.add_argument("--json", action="store_true", help="print the whole results.json")


def run(args: argparse.Namespace) -> int:
    """Read results.json and print it."""
    from ..mirror import folder_of
    from ..report.console import print_orders, print_results
    from ..results import Results

    results = Results.read(folder_of(args.run) / "results.json")
    if args.json:
        sys.stdout.write(results.to_json())
        return 0
    if args.system:
        names = list(dict.fromkeys(score.system for score in results.scores))
        if args.system not in names:
            hint = did_you_mean(args.system, names)
            raise StoreError(f"{args.run}: has no system '{args.system}'{hint}; it has {', '.join(names)}")
        results = results.only(args.system)
    (print_orders if args.orders else print_results)(results, args.digits)
    for warning in [*results.warnings, *results.missing]:
        print(printable(f"warning: {warning}"), file=sys.stderr)
    return 0
