"""Print the results of a run: the ranked tables, or with --orders the counts of every order, or one sentence.

With --line a sentence is printed with its texts and scores, and with --system its counts too. The texts are printed
only if the files have not changed since the run.

examples:
  gec-pipeline show runs/quickstart
  gec-pipeline show runs/quickstart --orders --system careful
  gec-pipeline show runs/quickstart --system careful --line 3
  gec-pipeline show runs/quickstart --json
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...errors import StoreError, did_you_mean, printable

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("run", help="a run directory")
    parser.add_argument("--system", metavar="NAME", help="only this system")
    parser.add_argument("--line", type=int, metavar="N", help="print one sentence, from 1: texts, scores and counts")
    parser.add_argument("--dataset", metavar="NAME", help="only this data set")
    parser.add_argument("--metric", metavar="NAME", help="only this metric: its name or its signature")
    parser.add_argument("--orders", action="store_true", help="print match, penalty, precision ... of each order")
    parser.add_argument("--digits", type=int, default=2, choices=range(13), metavar="N", help="decimals (default: 2)")
    parser.add_argument("--json", action="store_true", help="print the whole results.json")


def run(args: argparse.Namespace) -> int:
    """Print results.json as tables, or a sentence."""
    from ...execution.store.manifest import read_manifest
    from ...execution.store.remote_copy import folder_of
    from ...report.console import print_orders, print_results
    from ...scoring.results import Results
    from ...scoring.stored_runs import load, narrowed, only

    folder = folder_of(args.run)
    results = Results.read(folder / "results.json")
    if args.json:
        sys.stdout.write(results.to_json())
        return 0
    if args.line is not None:
        return _sentence(args, folder)
    if args.metric or args.dataset:
        results = narrowed(results, only(load(folder)[1], args.metric, args.dataset))
    if args.system:
        names = list(dict.fromkeys(score.system for score in results.scores))
        if args.system not in names:
            hint = did_you_mean(args.system, names)
            raise StoreError(f"{args.run}: has no system '{args.system}'{hint}; it has {', '.join(names)}")
        results = results.only(args.system)
    (print_orders if args.orders else print_results)(results, args.digits)
    unfinished = read_manifest(folder).get("state") == "running"
    older = (
        ["the run was not finished, or still goes on: these are the results of an earlier run"] if unfinished else []
    )
    for warning in [*older, *results.warnings, *results.missing]:
        print(printable(f"warning: {warning}"), file=sys.stderr)
    return 0


def _sentence(args: argparse.Namespace, folder: Path) -> int:
    """Print the texts and the scores of a sentence, and its counts if a system is named."""
    from ...reopen import chosen, revisit
    from ...report.console import print_table
    from ...report.sentence import count_tables, known_system, score_table, sentence

    material = chosen(revisit(folder), args.metric, args.dataset)
    if not material.measured:
        raise StoreError(f"{args.run}: has no scores, and no sentences")
    dataset, *more = material.results.datasets
    if more:
        raise StoreError(f"--line: of which data set? Say --dataset: {', '.join([dataset, *more])}")
    if args.system:
        systems = [known_system(material, dataset, args.system)]
    else:
        systems = list(dict.fromkeys(score.system for score in material.results.scores))
    texts, origin = sentence(material, dataset, args.line, systems)
    print(printable(f"{dataset}, line {args.line:,}" + (f" ({origin})" if origin else "")))
    width = max((len(printable(name)) for name, _ in texts), default=0)
    for name, text in texts:
        print(f"{printable(name).ljust(width)}  {printable(text.replace(chr(10), ' '))}".rstrip())
    if not texts:
        why, *rest = material.unread.splitlines() or ["there are none"]
        print(printable(f"no texts: {why}" + (f" (and {len(rest)} more)" if rest else "")), file=sys.stderr)
    print()
    print_table(*score_table(material, dataset, args.line, systems, args.digits), left=(0,))
    for counts in count_tables(material, dataset, args.line, systems[0]) if args.system else ():
        print(printable(f"\ncounts for {counts.metrics}"))
        print(printable("\n".join(counts.singles)))
        if counts.table[1]:
            print_table(*counts.table, left=())
    return 0
