"""Say which numbers of your own metrics are kept on this computer (help plugins), or delete them.

examples:
  gec-pipeline cache
  gec-pipeline cache clean --metric kept
  gec-pipeline cache clean
"""

import argparse
import sys

from ...data.content_cache import SCORES, ContentCache
from ...errors import InputError, did_you_mean, printable
from ...report.terminal.printing import print_table


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("list", "clean"), default="list", help="default: list"
    )
    parser.add_argument(
        "--metric", action="append", metavar="NAME", help="only this metric; may be repeated"
    )


def run(args: argparse.Namespace) -> None:
    """Print what is kept, or delete it."""
    cache = ContentCache(SCORES, warn=_warn)
    tables = {name: (numbers, size) for name, numbers, size in cache.tables()}
    for name in args.metric or ():
        if name not in tables:
            hint = did_you_mean(name, tables)
            raise InputError(
                f"no numbers of '{name}' are kept{hint}; there are {len(tables)} metrics"
            )
    names = [name for name in tables if not args.metric or name in args.metric]
    if not names:
        print(printable(f"nothing is kept in {cache.path.parent.parent}"))
        return
    rows = [[name, *map("{:,}".format, tables[name])] for name in names]
    print_table(["metric", "numbers", "bytes"], rows, left=(0,))
    if args.action == "clean":
        for name in names:
            cache.delete(name)
        print(printable(f"deleted from {cache.path}"))
    else:
        print(printable(f"in {cache.path}"))


def _warn(text: str) -> None:
    print(printable(f"note: {text}"), file=sys.stderr)
