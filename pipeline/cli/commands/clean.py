"""Delete what runs have left in their run directories.

The command deletes results, counts, unfinished work and the log, and then the folder if it is
empty. Files that this program has not written stay. A folder that is no run directory is refused.
`--unused` keeps the results: it deletes the counts of earlier configs that they are not made of,
and unfinished work.

examples:
  gec-pipeline clean runs/quickstart --dry-run
  gec-pipeline clean runs/quickstart --unused
  gec-pipeline clean runs/*
"""

import argparse
import sys
from pathlib import Path

from ...errors import StoreError
from ...report.terminal import print_line


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help="a run directory"
    )
    parser.add_argument(
        "--unused",
        action="store_true",
        help="only counts that the results are not made of",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="print what would be deleted; delete nothing",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print nothing"
    )


def run(args: argparse.Namespace) -> None:
    """Check every folder first, then clean all of them."""
    from ...execution import RunDirectory
    from ...report.terminal import print_text
    from ...scoring import ScoredRun

    directories = []
    for name in args.runs:
        path = Path(name)
        if not path.is_dir():
            problem = (
                "is no folder" if path.exists() else "there is no such folder"
            )
            raise StoreError(f"{path}: {problem}")
        directory = RunDirectory(path, make=False)
        if not directory.manifest:
            raise StoreError(
                f"{path}: has no run.json that tells what a run has written; nothing is deleted"
            )
        used = None
        if args.unused:
            used = ScoredRun.read(path).used_counts(path)
        directories.append((directory, used))
    for directory, used in directories:
        files = (
            directory.contents() if used is None else directory.unneeded(used)
        )
        size = sum(path.lstat().st_size for path in files)
        if args.dry_run:
            for path in files:
                print_line(path)
        else:
            with directory.held(
                lambda text: print_text(f"note: {text}", sys.stderr)
            ):
                if used is None:
                    directory.clear(everything=True)
                else:
                    directory.remove_unneeded(used)
        if not args.quiet:
            deleted = "would go" if args.dry_run else "deleted"
            summary = f"{directory.path}: {len(files)} files, {size / 1e6:,.1f} MB {deleted}"
            print_line(summary, sys.stderr)
