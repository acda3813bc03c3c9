"""Say which numbers of your own metrics are kept on this computer, or delete them (help plugins).

examples:
  gec-pipeline cache
  gec-pipeline cache clean --metric kept
  gec-pipeline cache clean
"""

import argparse
import sys

from ...errors import InputError, did_you_mean, printable
from ...io.content_cache import SCORES, ContentCache
from ...report.terminal.printing import print_table


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("list", "clean"), default="list", help="default: list")
    parser.add_argument("--metric", action="append", metavar="NAME", help="only this metric; may be repeated")


def run(args: argparse.Namespace) -> None:
    """Print what is kept, or delete it."""
    kept = ContentCache(SCORES, tell=lambda text: print(printable(f"note: {text}"), file=sys.stderr))
    tables = {name: (rows, size) for name, rows, size in kept.tables()}
    for name in args.metric or ():
        if name not in tables:
            message = f"no numbers of '{name}' are kept{did_you_mean(name, tables)}; there are {len(tables)} metrics"
            raise InputError(message)
    chosen = {name: sizes for name, sizes in tables.items() if name in (args.metric or tables)}
    if not chosen:
        print(printable(f"nothing is kept in {kept.path}"))
        return
    rows = [[name, f"{count:,}", f"{size:,}"] for name, (count, size) in chosen.items()]
    print_table(["metric", "numbers", "bytes"], rows, left=(0,))
    for name in chosen if args.action == "clean" else ():
        kept.delete(name)
    print(printable(f"{'deleted from' if args.action == 'clean' else 'in'} {kept.path}"))
