"""Work with M2 files, which hold sentences and the edits of annotators. `gec-pipeline help m2` explains them.

examples:
  gec-pipeline m2 check data/m2/careful.m2 data/m2/gold.m2
  gec-pipeline m2 apply data/m2/gold.m2 --annotator 0
  gec-pipeline m2 convert data/m2/gold.m2 --to nucle -o gold.nucle.m2
  gec-pipeline m2 annotate -orig data/source.txt -cor data/systems/careful.txt -out careful.m2
  gec-pipeline m2 annotate --help
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..m2_tools import add_annotate, add_changes, add_check

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions. Each sets the default `act`: the function that does the work."""
    actions = parser.add_subparsers(dest="action", metavar="annotate|check|apply|convert|merge|split", required=True)
    add_annotate(actions)
    add_check(actions)
    add_changes(actions)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    code: int = args.act(args)
    return code
