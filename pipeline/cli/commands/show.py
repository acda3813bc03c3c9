"""Print the results of a run: systems by metrics, with --boards the ranked tables, or one sentence.

A single metric on a single data set has its ranked table. With --columns the tables have the
outputs that you name. With --line a sentence is printed with its texts and scores, and with
--system its counts too. The texts are printed only if the files have not changed since the run.
Without a run the runs in the working directory and in its folder `runs` are listed.

examples:
  gec-pipeline show
  gec-pipeline show runs/quickstart
  gec-pipeline show runs/conll14 --boards
  gec-pipeline show runs/quickstart --columns 'match_*' 'precision_*'
  gec-pipeline show runs/conll14 --columns gleu errant.precision errant.recall errant.f0.5
  gec-pipeline show runs/quickstart --system careful --line 3
  gec-pipeline show runs/quickstart --json
"""

import argparse
import sys
from contextlib import suppress
from pathlib import Path

from ...errors import InputError, StoreError
from ...report.terminal import (
    print_line,
    print_table,
    print_text,
    print_warnings,
)
from ..arguments import add_shown, selection_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run",
        nargs="?",
        help="a run directory; default: list the runs that are here",
    )
    parser.add_argument("--system", metavar="NAME", help="only this system")
    parser.add_argument(
        "--line",
        type=int,
        metavar="N",
        help="print one sentence, from 1: texts, scores and counts",
    )
    parser.add_argument("--dataset", metavar="NAME", help="only this data set")
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help="only this metric: its name, such as gleu[n=3], or its signature",
    )
    add_shown(parser, "mean", "columns", "boards", "digits")
    parser.add_argument(
        "--json", action="store_true", help="print the whole results.json"
    )


def run(args: argparse.Namespace) -> None:
    """Print results.json as tables, or a sentence; without a run, list the runs that are here."""
    if args.run is None:
        _runs(args)
        return
    from ...execution import folder_of, read_manifest
    from ...report import print_results
    from ...scoring import Results, ScoredRun

    folder = folder_of(args.run)
    results = Results.read(folder / "results.json")
    if args.json:
        sys.stdout.write(results.to_json())
        return
    if args.line is not None:
        _sentence(args, folder)
        return
    if selection_of(args):
        metric_results = selection_of(args).of(
            ScoredRun.read(folder).metric_results
        )
        results = results.narrowed(metric_results)
    if args.system:
        results.check_system(args.run, args.system)
        results = results.only(args.system)
    if args.mean:
        results = results.with_means()
    if read_manifest(folder).get("state") == "running":
        print_warnings(
            [
                "the run was not finished, or still goes on: these are the results of an earlier run"
            ]
        )
    print_warnings([*results.warnings, *results.missing])
    boards = args.boards or (args.system is not None and not args.columns)
    print_results(results, args.digits, args.columns, boards=boards)


def _sentence(args: argparse.Namespace, folder: Path) -> None:
    """Print the texts and the scores of a sentence, and its edits and counts if a system is named."""
    from ...reopen import chosen, revisit
    from ...report import Sentence, print_texts

    context = chosen(revisit(folder), selection_of(args))
    if not context.measured:
        raise StoreError(f"{args.run}: has no scores, and no sentences")
    dataset, *more = context.results.datasets
    if more:
        raise StoreError(
            f"--line: of which data set? Say --dataset: {', '.join([dataset, *more])}"
        )
    systems = context.results.systems
    if args.system:
        context.results.check_system(dataset, args.system)
        systems = [args.system]
    sentence = Sentence(context, dataset, args.line)
    texts = sentence.texts(systems)
    print_line(f"{dataset}, {sentence.name}")
    print_texts(texts)
    if not texts:
        reason, *others = context.unread.splitlines() or ["there are none"]
        if others:
            reason = f"{reason} (and {len(others)} more)"
        print_line(f"no texts: {reason}", sys.stderr)
    print()
    print_table(*sentence.score_table(systems, args.digits), left=(0,))
    if not args.system:
        return
    for label, edits in sentence.edits(args.system):
        effect = (
            f"annotator {edits.chosen} counts for the score of the data set"
        )
        print_line(f"\nedits for {label}: {effect}")
        print_table(*edits.table, left=range(len(edits.table[0])))
    for labels, singles, table in sentence.count_tables(args.system):
        print_line(f"\ncounts for {labels}")
        print_text("\n".join(singles))
        if table[1]:
            print_table(*table, left=())


def _runs(args: argparse.Namespace) -> None:
    """List the runs in the working directory and in its folder `runs`, the newest last."""
    from ...execution import read_manifest
    from ...scoring import Results

    options = (args.system, args.dataset, args.metric, args.columns, args.json)
    if any(options) or args.line is not None:
        raise InputError(
            "show: of which run? Name a run directory; `gec-pipeline show` lists those that are here"
        )
    folders = [Path()]
    for parent in (Path(), Path("runs")):
        with suppress(OSError):
            folders += [
                folder for folder in parent.iterdir() if folder.is_dir()
            ]
    rows = []
    for folder in folders:
        if not (folder / "run.json").is_file():
            continue
        try:
            manifest = read_manifest(folder)
        except StoreError:
            continue
        state = str(manifest.get("state") or "damaged")
        is_running = state == "running"
        if is_running:
            state = "not finished, or running"
        finished = str(manifest.get("finished") or "-")
        datasets = "-"
        systems = "-"
        try:
            results = Results.read(folder / "results.json")
            datasets = ", ".join(results.datasets) or "-"
            systems = str(len({score.system for score in results.scores}))
        except StoreError:
            if not is_running:
                state += ", no results"
        rows.append(
            [
                finished[:16].replace("T", " "),
                str(folder),
                datasets,
                systems,
                state,
            ]
        )
    if rows:
        print_table(
            ["finished", "run", "data sets", "systems", "state"],
            sorted(rows),
            left=(0, 1, 2, 4),
        )
    else:
        print("no runs here or in runs; gec-pipeline run CONFIG makes one")
