"""Completion in the shell with the package argcomplete: what the Tab key proposes.

The shell starts the program with the environment variable _ARGCOMPLETE at every Tab. Otherwise this
file is not imported.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any

from ..extension import Command

Parsers = tuple[argparse.ArgumentParser, argparse.ArgumentParser]

NAMES = {
    "metrics": "pipeline.metrics.METRICS",
    "more_metrics": "pipeline.metrics.METRICS",
    "metric": "pipeline.metrics.METRICS",
    "list names": "pipeline.metrics.METRICS",
    "data name": "pipeline.data.Catalogue.known",
    "data names": "pipeline.data.Catalogue.known",
    "help topic": "pipeline.cli.commands.help.help_pages",
}
"""Tables of names for arguments, by "argument" or "command argument".

Commands of extensions name theirs in Command.completions.
"""


def complete(
    parser_of: Callable[[str | None], Parsers], commands: Mapping[str, Command]
) -> int:
    """Answer the shell, which ends the process.

    `parser_of` takes the name of one of the commands, and returns the parser of all and that of the
    command. Returns an exit code if argcomplete is not installed.
    """
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
    completions = (
        commands[name].completions if name and name in commands else {}
    )
    parsers = [command]
    for sub_parser in parsers:
        for action in sub_parser._actions:  # noqa: SLF001 (argparse has no other way to them)
            argument = action.dest
            table = completions.get(argument)
            table = (
                table or NAMES.get(f"{name} {argument}") or NAMES.get(argument)
            )
            completer: Any = None
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
                parsers += action.choices.values()
            elif argument == "config":
                completer = FilesCompleter(("yaml", "yml"))
            elif table and not action.choices:
                completer = partial(_names, table)
            if completer:
                action.completer = completer  # type: ignore[attr-defined]
    autocomplete(parser)  # ends the process
    return 1


def _names(reference: str, **_context: object) -> list[str]:
    """Return the names in a table "module.name", which may be a function returning them."""
    table = resolve_name(reference)
    return list(table() if callable(table) else table)
