"""Rank the systems of a run: intervals, rank ranges, clusters, and groups that do not differ.

The command reads the counts that the run has stored, never the texts. Systems that share a letter
under `groups` do not differ significantly. `--test none` leaves the letters out. `gec-pipeline help
statistics` explains the columns.

examples:
  gec-pipeline rank runs/conll14
  gec-pipeline rank runs/conll14 --metric gleu --level 0.99 --test none
  gec-pipeline rank runs/conll14 --system AMU 'C*' --metric GLEU+ BLEU --columns interval ranks 'precision_*'
"""

import argparse
import sys

from ...report import print_results
from ..arguments import add_shown
from .compare import add_statistics, compared


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run directory")
    parser.add_argument(
        "--baseline",
        metavar="SYSTEM",
        help="print the difference from this system, instead of groups",
    )
    add_statistics(parser)
    add_shown(parser, "mean")


def run(args: argparse.Namespace) -> None:
    results = compared(args)
    if args.mean:
        results = results.with_means()
    if args.json:
        sys.stdout.write(results.to_json())
    else:
        print_results(results, args.digits, args.columns)
