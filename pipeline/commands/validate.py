"""Check a config and every file it names, without scoring; tell all problems at once.

examples:
  gec-pipeline validate configs/quickstart.yaml
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..errors import printable

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("config", help="a YAML file; `gec-pipeline help config` explains it")


def run(args: argparse.Namespace) -> int:
    """Print a table of the files, the metrics' signatures, and the warnings."""
    from ..report.console import print_table
    from ..stages import prepare, signed

    job = prepare(args.config)
    rows = []
    for corpus in job.corpora:
        roles = [("source", corpus.source)] if corpus.source else []
        roles += [(f"reference {number}", file) for number, file in enumerate(corpus.references)]
        roles += [(f"system {name}", file) for name, file in corpus.systems.items()]
        for role, file in roles:
            rows.append([corpus.name, role, f"{file.lines:,}", f"{file.blank:,}", file.place])
    print_table(["dataset", "role", "lines", "empty", "file"], rows, left=(0, 1, 4))
    counts = sorted({len(corpus.references) for corpus in job.corpora})
    for metric in job.metrics:
        for count in counts:
            print(signed(metric, count))
    for warning in job.warnings:
        print(printable(f"warning: {warning}"), file=sys.stderr)
    return 0
