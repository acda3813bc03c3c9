"""Work with M2 files, which hold sentences and the edits of annotators: make them of texts.

examples:
  gec-pipeline m2 annotate -orig data/source.txt -cor data/systems/careful.txt -out careful.m2
  gec-pipeline m2 annotate --help
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..m2_annotate import add_annotate

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions. Each sets the default `act`: the function that does the work."""
    actions = parser.add_subparsers(dest="action", metavar="annotate", required=True)
    add_annotate(actions)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    code: int = args.act(args)
    return code
