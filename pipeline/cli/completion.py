"""Completion in the shell with the package argcomplete: what the Tab key proposes for a command
line.

The shell starts the program with the environment variable _ARGCOMPLETE at every Tab. Nothing of
this is imported else."""

import argparse
import os
from collections.abc import Callable, Mapping
from importlib import import_module

from ..extension import Command
from .commands.help import help_pages

Parsers = tuple[argparse.ArgumentParser, argparse.ArgumentParser]

NAMES = {
    "metrics": "pipeline.metrics.METRICS",
    "more_metrics": "pipeline.metrics.METRICS",
    "metric": "pipeline.metrics.METRICS",
    "list names": "pipeline.metrics.METRICS",
    "data name": "pipeline.data.catalogue.catalogue",
    "data names": "pipeline.data.catalogue.catalogue",
}
"""Where the names are that may stand for an argument, by its own name or behind that of its
command. Commands of extensions name theirs in Command.completions."""


def complete(parser_of: Callable[[str | None], Parsers], commands: Mapping[str, Command]) -> int:
    """Answer the shell; return the exit code where that cannot be done, because argcomplete is not
    installed.

    `parser_of` takes the name of one of the commands, and returns the parser of all and that of the
    command."""
    try:
        from argcomplete import autocomplete
        from argcomplete.completers import FilesCompleter
        from argcomplete.lexers import split_line
    except ImportError:
        return 1
    line = os.environ.get("COMP_LINE", "")
    words = split_line(line, int(os.environ.get("COMP_POINT") or len(line)))[3]
    name = next((word for word in words[1:] if not word.startswith("-")), None)
    parser, command = parser_of(name if name in commands else None)
    completions = commands[name].completions if name and name in commands else {}
    waiting = [command]
    for part in waiting:
        for action in part._actions:  # noqa: SLF001 (argparse names them nowhere else)
            place = completions.get(action.dest)
            place = place or NAMES.get(f"{name} {action.dest}") or NAMES.get(action.dest)
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
                waiting += action.choices.values()
            elif action.dest == "config":
                action.completer = FilesCompleter(("yaml", "yml"))  # type: ignore[attr-defined]
            elif action.dest == "topic":
                action.completer = lambda **_: sorted(help_pages())  # type: ignore[attr-defined]
            elif place and not action.choices:
                action.completer = lambda place=place, **_: _names(place)  # type: ignore[attr-defined]
    autocomplete(parser)  # ends the process
    return 1


def _names(place: str) -> list[str]:
    module, _, name = place.rpartition(".")
    table = getattr(import_module(module), name)
    return list(table() if callable(table) else table)
