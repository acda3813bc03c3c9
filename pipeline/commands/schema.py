"""Print a JSON Schema: of configs, for editors that check YAML as you type, or of results.json.

That of configs ships with the package; put this first line into a config to have an editor use a copy beside it:
  # yaml-language-server: $schema=schema.json

examples:
  gec-pipeline schema > schema.json
  gec-pipeline schema --results > results.schema.json
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--results", action="store_true", help="that of results.json")


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    from ..schema import json_schema, results_schema

    print(results_schema() if args.results else json_schema(), end="")
    return 0
