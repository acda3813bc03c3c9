"""Say what is kept on this computer of your own metrics (help plugins) and of large texts (help
scale), or delete it.

examples:
  gec-pipeline cache
  gec-pipeline cache clean --metric kept
  gec-pipeline cache clean
"""

import argparse
import sys

from ...data.kept_stretches import OPENED
from ...errors import InputError, did_you_mean, printable
from ...files.content_cache import SCORES, ContentCache
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
    warn = lambda text: print(printable(f"note: {text}"), file=sys.stderr)  # noqa: E731 (of both)
    kept = {
        "metric": ContentCache(SCORES, warn=warn),
        "large texts": ContentCache(OPENED, warn=warn),
    }
    rows = [(kind, *row) for kind, cache in kept.items() for row in cache.tables()]
    known = [name for kind, name, _, _ in rows if kind == "metric"]
    for name in args.metric or ():
        if name not in known:
            message = f"no numbers of '{name}' are kept{did_you_mean(name, known)}; there are {len(known)} metrics"
            raise InputError(message)
    chosen = [
        row for row in rows if not args.metric or (row[0] == "metric" and row[1] in args.metric)
    ]
    if not chosen:
        print(printable(f"nothing is kept in {kept['metric'].path.parent.parent}"))
        return
    print_table(
        ["of", "name", "entries", "bytes"],
        [[*row[:2], f"{row[2]:,}", f"{row[3]:,}"] for row in chosen],
        left=(0, 1),
    )
    for kind, name, _, _ in chosen if args.action == "clean" else ():
        kept[kind].delete(name)
    places = dict.fromkeys(str(kept[kind].path) for kind, *_ in chosen)
    print(printable(f"{'deleted from' if args.action == 'clean' else 'in'} {', '.join(places)}"))
