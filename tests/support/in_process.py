"""Commands of the program that tests run in their own process."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline import stages
from pipeline.cli.dispatch import main
from pipeline.data.config import Node

if TYPE_CHECKING:
    from pipeline.scoring.results import Results


class Printed(NamedTuple):
    """What a command printed to standard output and standard error."""

    out: str
    err: str


Call = Callable[..., Printed]
"""The fixture `call`: runs a command and returns what it printed."""


def run_command(line: str, *arguments: object, code: int = 0) -> None:
    """Run a command that ends with an exit code.

    Its line is split at blanks; arguments with blanks follow as they are.
    """
    words = line.split() + [str(argument) for argument in arguments]
    assert main(words) == code


def run_mapping(config: dict[str, Any]) -> Results:
    """Run a config without a file; its paths are in the working directory."""
    return stages.run(stages.prepare(Node.from_mapping(config)))[1]
