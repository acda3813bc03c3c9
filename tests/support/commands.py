"""The command line as tests call it: a line as users type it, and what it prints."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pytest


def typed(line: str, *more: object) -> int:
    """Run a command line in this process; return its exit code."""
    from pipeline.cli.dispatch import main

    return main([*shlex.split(line), *map(str, more)])


class Printed(NamedTuple):
    """What a command wrote to standard output and standard error."""

    out: str
    err: str


class Command:
    """Command lines, run in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, line: str, *more: object) -> Printed:
        """Run a command that must succeed."""
        return self._ended(0, line, *more)

    def refused(self, line: str, *more: object) -> Printed:
        """Run a command that must end as a mistake of the user."""
        return self._ended(2, line, *more)

    def json(self, line: str, *more: object) -> Any:
        """Return what a command prints with --json."""
        return json.loads(self(line, *more, "--json").out)

    def _ended(self, code: int, line: str, *more: object) -> Printed:
        self.capsys.readouterr()
        found = typed(line, *more)
        printed = Printed(*self.capsys.readouterr())
        assert found == code, printed
        return printed
