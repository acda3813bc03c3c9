"""Write the results of a run in other forms.

Tables are printed, unless --output names a folder; other forms go to the run directory, or to that folder. A config
asks for the same with `output: {formats: [...]}`.

examples:
  gec-pipeline report runs/quickstart --format csv > scores.csv
  gec-pipeline report runs/quickstart --format csv --output paper/tables
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError, printable

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    from ..report import FORMATS

    parser.add_argument("run", help="a run directory")
    told = "; ".join(f"{name}: {form.told}" for name, form in FORMATS.items())
    parser.add_argument(
        "--format", nargs="+", action="extend", choices=FORMATS, required=True, metavar="NAME", help=told
    )
    parser.add_argument("--output", metavar="DIR", help="the folder to write to, made where it is missing")
    parser.add_argument("--digits", type=int, choices=range(13), metavar="N", help="decimals of percentages")


def run(args: argparse.Namespace) -> int:
    """Read the run back, and print or write."""
    from ..files import write_atomic
    from ..mirror import folder_of
    from ..remote import is_remote
    from ..report import FORMATS
    from ..revisit import revisit

    material = revisit(folder_of(args.run), args.digits)
    for name in dict.fromkeys(args.format):
        for file, content in FORMATS[name].files(material).items():
            if FORMATS[name].printed and args.output is None and isinstance(content, str):
                sys.stdout.write(content)
                continue
            if args.output is None and is_remote(args.run):
                raise InputError(f"{file}: say with --output where it is to be written, for {args.run} is an address")
            path = Path(args.output or args.run) / file
            write_atomic(path, content)
            print(printable(f"written: {path}"), file=sys.stderr)
    return 0
