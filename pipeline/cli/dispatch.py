"""The command line: find the command, and turn an error into one message and an exit code.

The exit codes are:
0: all is well.
1: an expected value was missed.
2: the input or the use is wrong.
3: the results are incomplete, and the same command goes on.
130: the command was interrupted.
"""

import argparse
import atexit
import contextlib
import errno
import gc
import itertools
import os
import re
import signal
import sys
import textwrap
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from .._version import __version__
from ..errors import (
    ConfigError,
    IncompleteError,
    InputError,
    PipelineError,
    StoreError,
    did_you_mean,
    printable,
)
from ..extension import Command, contributions, missing_extension
from ..lookup import leave_working_directory
from ..parallel import starved
from .streams import guard, show_every_letter, silence

INTERRUPTED = "interrupted; what was finished is kept: run the same command again to go on"
_interrupted = threading.Event()
"""It is set once the message INTERRUPTED is printed."""
STARVED = (
    "what was finished is kept: run the same command again, with more memory, files and "
    "processes, to go on"
)
DEBUG = "GEC_PIPELINE_DEBUG"
"""The environment variable with which developers see the traceback of an error."""
COLLECTOR_THRESHOLD = 100_000
"""How many new objects start a search for cycles of garbage; Python's default is 700."""
DAMAGED = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""Errors that may come from a results.json whose parts do not fit together.

Its keys and the types of its values are checked when it is read. But a correlation may name a
metric that has no score, and there are too many such ways to check each.
"""


def _core(module: str, summary: str, **flags: Any) -> Command:
    return Command(
        module=f"pipeline.cli.commands.{module}", summary=summary, **flags
    )


CORE_COMMANDS = {
    "run": _core(
        "run",
        "run a config: score systems, rank them, keep the results",
        takes_plugins=True,
    ),
    "validate": _core(
        "validate",
        "check a config and all its files without scoring",
        takes_plugins=True,
    ),
    "score": _core("score", "score files without a config", takes_plugins=True),
    "explain": _core(
        "explain",
        "take one sentence apart: which n-grams match, are penalised, are missing",
        takes_plugins=True,
    ),
    "init": _core(
        "init",
        "write a config to start from, or the sample to try everything with",
    ),
    "show": _core("show", "print the results of a run", reads_runs=True),
    "report": _core(
        "report", "write the results of a run in other forms", reads_runs=True
    ),
    "clean": _core("clean", "delete what a run has left behind"),
    "compare": _core(
        "compare",
        "test which differences between the systems of a run, or of two runs, are real",
        reads_runs=True,
    ),
    "rank": _core(
        "rank",
        "rank the systems of a run: intervals, rank ranges, clusters, groups",
        reads_runs=True,
    ),
    "data": _core(
        "data", "fetch published data sets, check them, tell where they are"
    ),
    "list": _core(
        "list",
        "list metrics with their options, tokenizers, or statistics of agreement",
        takes_plugins=True,
    ),
    "schema": _core(
        "schema",
        "print the JSON Schema of configs, for editors",
        takes_plugins=True,
    ),
    "doctor": _core(
        "doctor",
        "tell versions, kernel and optional parts of this installation",
    ),
    "help": _core("help", "read about a topic"),
}
"""The commands of the core. Extensions add others: see commands()."""


@cache
def commands() -> dict[str, Command]:
    """Return all commands by name, in the order of the list in `gec-pipeline --help`."""
    all_commands = dict(CORE_COMMANDS)
    for name, extension, command in contributions("commands"):
        module = f"{extension.package}.{command.module}"
        completions = {}
        for argument, reference in command.completions.items():
            completions[argument] = (
                f"{extension.package}.{reference.replace(':', '.')}"
            )
        resolved = replace(command, module=module, completions=completions)
        all_commands.setdefault(name, resolved)
    return all_commands


def command_named(name: str) -> Command | None:
    """Return a command, or None if there is none of this name."""
    return CORE_COMMANDS.get(name) or commands().get(name)


EPILOG = """examples:
  gec-pipeline init --sample && cd sample && gec-pipeline run configs/quickstart.yaml
  gec-pipeline COMMAND --help

The Tab key completes commands, options and names in bash and zsh (help completion):
  pip install 'gec-pipeline[completion]' && eval "$(register-python-argcomplete gec-pipeline)"
"""


class Help(argparse.HelpFormatter):
    """The help of a command, as wide as the terminal.

    Paragraphs are filled, and lines that begin with blanks stay.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for is_fixed, block in itertools.groupby(
            text.splitlines(), lambda line: line[:1] in (" ", "")
        ):
            if is_fixed:
                for line in block:
                    lines += _wrapped(line, width)
            else:
                lines += textwrap.wrap(
                    " ".join(block), width, break_on_hyphens=False
                )
        return "\n".join(indent + line for line in lines)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(
            " ".join(text.split()), width, break_on_hyphens=False
        )

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        arguments = self._format_args(action, action.dest.upper())
        return f"{', '.join(action.option_strings)} {arguments}"


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line of a list or an example as several; a shell reads those of a command as one."""
    is_command = "gec-pipeline " in line and line.startswith(" ")
    if is_command:
        width -= len(" \\")
        hanging = 6
    else:
        hanging = len(re.match(r" *(\S+  +)?", line)[0])  # type: ignore[index]  # it always fits
    parts = textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if is_command:
        return [*(f"{part} \\" for part in parts[:-1]), parts[-1]]
    return parts or [""]


class Parser(argparse.ArgumentParser):
    """A parser of arguments whose errors are one message, and exit code 2."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": Help, **settings})

    def error(self, message: str) -> NoReturn:
        """Print the message and leave with exit code 2."""
        self.exit(
            2, printable(f"error: {message}\nSee `{self.prog} --help`.\n")
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    `arguments` None stands for those of the process, which ends after the command.
    """
    is_process = arguments is None
    show_every_letter()
    if arguments is None:
        guard()
        leave_working_directory()
        # Search less often for cycles of garbage, and not at all at the end of the process. There
        # are few of them here, and the search takes a fifth of the time of a short run. Temporary
        # files are still deleted at the end, and output is still written.
        gc.set_threshold(COLLECTOR_THRESHOLD)
        atexit.register(gc.freeze)
        # joblib's processes would warn of leaked resources if this one is killed.
        os.environ.setdefault("PYTHONWARNINGS", "ignore")
        arguments = sys.argv[1:]
        if "_ARGCOMPLETE" in os.environ:
            from .completion import complete

            return complete(lambda name: _parser(name, ["--help"]), commands())
    # Matrix products here are small: threads would only wait for each other.
    for variable in (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
    ):
        os.environ.setdefault(variable, "1")
    try:
        try:
            with interruptible(until_exit=is_process):
                return _dispatch(list(arguments))
        finally:
            sys.stdout.flush()  # here, where a closed pipe is still silent
    except PipelineError as error:
        from ..report.terminal import print_text

        lines = []
        for line in str(error).split("\n"):
            lines.append(f"error: {line}" if line[:1].strip() else line)
        print_text("\n".join(lines), sys.stderr)
        return (
            IncompleteError.exit_code if _is_starved(error) else error.exit_code
        )
    except KeyboardInterrupt:
        _interrupted.set()
        print(INTERRUPTED, file=sys.stderr)
        return 130
    except BrokenPipeError:
        silence(sys.stdout)
        return 0
    except (OSError, MemoryError, RuntimeError) as error:
        reason = starved(error)
        if reason:
            print(f"error: {reason}; {STARVED}", file=sys.stderr)
            return IncompleteError.exit_code
        # A full disk under a file is a StoreError, so this one is under standard output.
        if not isinstance(error, OSError) or error.errno != errno.ENOSPC:
            raise error
        silence(sys.stdout)
        print(
            f"error: standard output cannot be written: {error.strerror}",
            file=sys.stderr,
        )
        return InputError.exit_code


def _is_starved(error: BaseException) -> bool:
    """Return whether an error was raised because memory, files or processes ran out.

    Its input may be good then.
    """
    cause = error.__context__
    return cause is not None and (bool(starved(cause)) or _is_starved(cause))


@contextlib.contextmanager
def interruptible(*, until_exit: bool = False) -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does. A SIGHUP that nohup ignores stays ignored.

    A second signal ends the process at once: finished work is stored, and later runs delete
    temporary files. With `until_exit`, the process ends after the command, and each later signal
    ends it at once as well.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous: dict[int, Any] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None:
            handler = signal.getsignal(number)
            if handler in (signal.SIG_DFL, signal.default_int_handler):
                previous[number] = handler
    ends_at_once = False

    def interrupt(_number: int, _frame: object) -> NoReturn:
        nonlocal ends_at_once
        if ends_at_once:
            if not _interrupted.is_set():
                with contextlib.suppress(OSError):
                    os.write(2, f"{INTERRUPTED}\n".encode())
            os._exit(130)
        ends_at_once = True
        raise KeyboardInterrupt

    for number in previous:
        signal.signal(number, interrupt)
    if until_exit:
        atexit.register(_end, list(previous))
    try:
        yield
    finally:
        ends_at_once = True
        if not until_exit:
            for number, handler in previous.items():
                signal.signal(number, handler)


def _end(numbers: Sequence[int]) -> None:
    """Ignore signals, as the last function that Python calls before it removes signal handlers.

    An interrupted process ends here, with the exit code 130. Python itself would end it by a signal
    if the interruption came while generated code was running, such as the methods of a data class.
    """
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)
    if _interrupted.is_set():
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(130)


def _flags(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options of a command and of its actions.

    argparse has them in private members only.
    """
    flags = list(parser._option_string_actions)  # noqa: SLF001
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for sub_parser in action.choices.values():
                flags += _flags(sub_parser)
    return flags


def _take_metric_options(arguments: Sequence[str]) -> None:
    """Take --plugin FILE, --plugin=FILE and --download."""
    plugins = []
    for argument, following in itertools.zip_longest(arguments, arguments[1:]):
        flag, equals, value = argument.partition("=")
        if not equals:
            value = following
        if flag == "--plugin" and value is not None:
            plugins.append(value)
    download = "--download" in arguments
    if plugins or download:
        from ..metrics import metric_source

        metric_source().take_options(plugins, download=download)


def _dispatch(arguments: list[str]) -> int:
    name = next(
        (argument for argument in arguments if not argument.startswith("-")),
        None,
    )
    command = command_named(name) if name else None
    if command and command.takes_plugins:
        # Before the arguments are parsed, because the metrics of plugins add options.
        _take_metric_options(arguments)
    parser, command_parser = _parser(name, arguments)
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        flags = _flags(command_parser)
        messages = []
        for word in unknown:
            hint = ""
            if word.startswith("-"):
                hint = did_you_mean(word.partition("=")[0], flags)
            messages.append(f"no argument '{word}' is known{hint}")
        command_parser.error(", ".join(messages))
    if parsed.version:
        from .. import kernel

        print(f"gec-pipeline {__version__} (kernel: {kernel.name()})")
        return 0
    if name is None:
        parser.print_help()
        return 0
    try:
        code: int = parsed.call(parsed) or 0  # most commands return None
    except DAMAGED as error:
        from .. import kernel

        if isinstance(error, TypeError | AttributeError):
            reason = kernel.stale()
            if reason:
                raise ConfigError(
                    f"{reason} ({type(error).__name__}: {error})"
                ) from error
        if not (command and command.reads_runs) or DEBUG in os.environ:
            raise
        runs: list[str] = []
        for argument in ("run", "run2", "more"):
            value = getattr(parsed, argument, None) or ()
            runs += map(
                str, value if isinstance(value, list | tuple) else [value]
            )
        position = " or ".join(dict.fromkeys(runs)) or "the run directory"
        raise StoreError(
            f"{position}: the parts of results.json do not fit together, so it is damaged, or no "
            f"run wrote it; run its config again ({type(error).__name__}: {str(error)[:200]}; "
            f"{DEBUG}=1 shows where)"
        ) from error
    return code


def _parser(
    name: str | None, arguments: list[str]
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Return the parser of all commands, and that of the named one, whose arguments it knows.

    A command may change the arguments in place, to take options of other programs.
    """
    parser = Parser(
        prog="gec-pipeline",
        description="Exact, fast and comparable evaluation of grammatical error correction, "
        "translation and summarisation.",
        epilog=EPILOG,
    )
    parser.add_argument(
        "-V", "--version", action="store_true", help="print version and kernel"
    )
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", parser_class=Parser
    )
    if name is None:
        for other, described in commands().items():
            subparsers.add_parser(other, help=described.summary, add_help=False)
        return parser, parser
    command = command_named(name)
    if command is None:
        reason = missing_extension("commands", name)
        known = commands()
        hint = f": {reason}" if reason else did_you_mean(name, known)
        parser.error(f"no command '{name}'{hint}; known: {', '.join(known)}")
    module = import_module(command.module)
    command_parser = subparsers.add_parser(
        name, help=command.summary, description=module.__doc__
    )
    if hasattr(module, "configure"):
        module.configure(command_parser)
    if command.takes_plugins:
        command_parser.add_argument(
            "--plugin",
            action="append",
            metavar="FILE.py|MODULE",
            help="metrics of your own (help plugins); may be repeated",
        )
        command_parser.add_argument(
            "--download",
            action="store_true",
            help="fetch models that are not on this computer (help neural)",
        )
    if hasattr(module, "configure_rest"):
        module.configure_rest(command_parser, arguments)
    command_parser.set_defaults(call=module.run)
    return parser, command_parser
