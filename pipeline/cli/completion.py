"""Completion in the shell with the package argcomplete: what the Tab key proposes for a command line.

The shell starts the program with the environment variable _ARGCOMPLETE at every Tab. Nothing of this is imported else.
"""

from __future__ import annotations

import argparse
import os
import shlex
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..metrics.base.capabilities import reads_files

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ..scoring.results import Results

    Parsers = tuple[argparse.ArgumentParser, argparse.ArgumentParser]
    Completer = Callable[..., Iterable[str]]
    """Takes parsed_args and more as keywords, and returns what may stand in a place."""


def complete(parser_of: Callable[[str | None], Parsers], commands: Collection[str]) -> int:
    """Answer the shell; return the exit code where that cannot be done, because argcomplete is not installed.

    `parser_of` takes the name of one of the commands, and returns the parser of all and that of the command.
    """
    try:
        import argcomplete
    except ImportError:
        return 1
    parser, named = parser_of(_command(commands))
    _attach(named)
    argcomplete.autocomplete(parser)  # ends the process
    return 1


def _command(commands: Collection[str]) -> str | None:
    """Return the command in the line that is being written, if its name is complete."""
    line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT") or 1 << 20)]
    try:
        words = shlex.split(line)
    except ValueError:  # a quotation mark is not closed yet
        words = line.split()
    name = next((word for word in words[1:] if not word.startswith("-")), None)
    return name if name in commands else None


def _attach(parser: argparse.ArgumentParser) -> None:
    """Give the arguments of a command, and of its actions, what completes them. argparse has them in a private list."""
    command = [*parser.prog.split(), ""][1]
    for action in parser._actions:  # noqa: SLF001
        own = COMPLETERS.get((command, action.dest)) or COMPLETERS.get(action.dest)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for sub in action.choices.values():
                _attach(sub)
        elif own and not action.choices:
            action.completer = own  # type: ignore[attr-defined]


def _topics(**_: Any) -> list[str]:
    folder = resources.files("pipeline") / "help"
    return [item.name.removesuffix(".md") for item in folder.iterdir() if item.name.endswith(".md")]


def _metrics(**_: Any) -> list[str]:
    from ..metrics import METRICS

    return [name for name, metric in METRICS.items() if not reads_files(metric)]


def _metrics_of_run(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    results = _results(parsed_args)
    return list(dict.fromkeys(score.metric.partition("|")[0] for score in results.scores)) if results else _metrics()


def _systems(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    results = _results(parsed_args)
    return list(dict.fromkeys(score.system for score in results.scores)) if results else []


def _datasets_of_run(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    results = _results(parsed_args)
    return list(results.datasets) if results else []


def _outputs(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    results = _results(parsed_args)
    outputs = (name for score in results.scores for name in score.outputs) if results else ()
    return list(dict.fromkeys(["interval", "ranks", *outputs]))


def _results(args: argparse.Namespace) -> Results | None:
    """Return the results of the run that the line names, or None where there is none yet."""
    from ..scoring.results import Results

    try:
        return Results.read(Path(args.run) / "results.json")
    except (InputError, TypeError):
        return None


def _listed(parsed_args: argparse.Namespace, **_: Any) -> Iterable[str]:
    from ..tokenizers import TOKENIZERS

    kinds: dict[str, Completer] = {"metrics": _metrics, "datasets": _datasets, "tokenizers": lambda: TOKENIZERS}
    return kinds.get(parsed_args.what, list)()


def _datasets(**_: Any) -> list[str]:
    from ..io.catalogue import catalogue

    return list(catalogue())


def _recipes(**_: Any) -> list[str]:
    from ..reproduction.recipe import recipes

    return list(recipes())


def _configs(prefix: str, **_: Any) -> Iterable[str]:
    from argcomplete.completers import FilesCompleter

    proposed: Iterable[str] = FilesCompleter(("yaml", "yml"))(prefix)
    return proposed


COMPLETERS: dict[str | tuple[str, str], Completer] = {
    "topic": _topics,
    "config": _configs,
    "metrics": _metrics,
    "more_metrics": _metrics,
    "metric": _metrics_of_run,
    ("explain", "metric"): _metrics,
    "system": _systems,
    "baseline": _systems,
    "dataset": _datasets_of_run,
    "columns": _outputs,
    ("list", "names"): _listed,
    ("data", "name"): _datasets,
    ("data", "names"): _datasets,
    ("reproduce", "names"): _recipes,
}
"""What completes an argument, by its name alone or behind that of its command. All others are completed as files."""
