"""Print the JSON Schema of configs, for editors that check YAML as you type.

It ships with the package; put this first line into a config to have an editor use a copy beside it:
  # yaml-language-server: $schema=schema.json

examples:
  gec-pipeline schema > schema.json
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def configure(_: argparse.ArgumentParser) -> None:
    """There are no arguments."""


def run(_: argparse.Namespace) -> int:
    """Print the schema."""
    from ..schema import json_schema

    print(json_schema(), end="")
    return 0
