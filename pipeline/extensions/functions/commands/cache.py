"""Say which numbers of your own metrics are kept on this computer (help plugins), or delete them.

examples:
  gec-pipeline cache
  gec-pipeline cache clean --metric kept
  gec-pipeline cache clean
"""

import argparse
import sys

from pipeline.errors import InputError, did_you_mean
from pipeline.report.terminal import print_line, print_table

from ..content_cache import ContentCache


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "clean"),
        default="list",
        help="default: list",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="only this metric; may be repeated",
    )


def run(args: argparse.Namespace) -> None:
    """Print a table of the cached numbers, or delete them."""
    cache = ContentCache(ContentCache.SCORES, warn=_warn)
    tables = {}
    for name, numbers, size in cache.tables():
        tables[name] = [name, f"{numbers:,}", f"{size:,}"]
    names = args.metric or list(tables)
    for name in names:
        if name not in tables:
            hint = did_you_mean(name, tables)
            raise InputError(
                f"no numbers of '{name}' are kept{hint}; there are {len(tables)} metrics"
            )
    if not names:
        print_line(f"nothing is kept in {cache.path.parent.parent}")
        return
    rows = [row for name, row in tables.items() if name in names]
    print_table(["metric", "numbers", "bytes"], rows, left=(0,))
    if args.action == "clean":
        for name in names:
            cache.delete(name)
        print_line(f"deleted from {cache.path}")
    else:
        print_line(f"in {cache.path}")


def _warn(text: str) -> None:
    print_line(f"note: {text}", sys.stderr)
