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
_interrupted: list[bool] = []
"""It is not empty when the user has been told so."""
STARVED = "what was finished is kept: run the same command again, with more memory, files and processes, to go on"
DEBUG = "GEC_PIPELINE_DEBUG"
"""The variable of the environment with which the error itself is shown, for those who develop the
program."""
RARELY = 100_000
"""How many objects are made before Python looks for those that only refer to each other; its own
number is 700."""


def _core(module: str, summary: str, **flags: Any) -> Command:
    return Command(module=f"pipeline.cli.commands.{module}", summary=summary, **flags)


CORE_COMMANDS = {
    "run": _core(
        "run", "run a config: score systems, rank them, keep the results", takes_plugins=True
    ),
    "validate": _core(
        "validate", "check a config and all its files without scoring", takes_plugins=True
    ),
    "score": _core("score", "score files without a config", takes_plugins=True),
    "gleu": _core("gleu", "score files as the package gleu does: the same options and output"),
    "explain": _core(
        "explain",
        "take one sentence apart: which n-grams match, are penalised, are missing",
        takes_plugins=True,
    ),
    "init": _core("init", "write a config to start from, or the sample to try everything with"),
    "show": _core("show", "print the results of a run", reads_runs=True),
    "report": _core("report", "write the results of a run in other forms", reads_runs=True),
    "cite": _core(
        "cite", "print what to cite for a run, and how it was evaluated", reads_runs=True
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
    "data": _core("data", "fetch published data sets, check them, tell where they are"),
    "cache": _core("cache", "say which numbers of your own metrics are kept, or delete them"),
    "list": _core(
        "list",
        "list metrics with their options, tokenizers, or statistics of agreement",
        takes_plugins=True,
    ),
    "schema": _core("schema", "print the JSON Schema of configs, for editors", takes_plugins=True),
    "doctor": _core("doctor", "tell versions, kernel and optional parts of this installation"),
    "help": _core("help", "read about a topic"),
}
"""The commands of the core. Extensions add others: see commands()."""


@cache
def commands() -> dict[str, Command]:
    """Return all commands by name, in the order of the list in `gec-pipeline --help`."""
    found = dict(CORE_COMMANDS)
    for name, extension, command in contributions("commands"):
        module = f"{extension.package}.{command.module}"
        completions = {
            argument: f"{extension.package}.{reference.replace(':', '.')}"
            for argument, reference in command.completions.items()
        }
        found.setdefault(name, replace(command, module=module, completions=completions))
    return found


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
    """The help of a command, as wide as the terminal: paragraphs are filled, and lines that begin
    with blanks stay."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for stays, block in itertools.groupby(
            text.splitlines(), lambda line: line[:1] in (" ", "")
        ):
            own = list(block)
            lines += own if stays else textwrap.wrap(" ".join(own), width, break_on_hyphens=False)
        return "\n".join(indent + part for line in lines for part in _wrapped(line, width))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return (
            f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"
        )


def _wrapped(line: str, width: int) -> list[str]:
    """Return a line of a list or an example as several; a shell reads those of a command as one."""
    command = "gec-pipeline " in line and line.startswith(" ")
    hanging = 6 if command else len(re.match(r" *(\S+  +)?", line)[0])  # type: ignore[index]  # it always fits
    parts = textwrap.wrap(
        line,
        width - 2 * command,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [*(f"{part} \\" if command else part for part in parts[:-1]), *parts[-1:]] or [""]


class Parser(argparse.ArgumentParser):
    """A parser of arguments whose errors are one message, and exit code 2."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": Help, **settings})

    def error(self, message: str) -> NoReturn:
        """Print the message and leave with exit code 2."""
        self.exit(2, printable(f"error: {message}\nSee `{self.prog} --help`.\n"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code. `arguments` None stands for those that the
    process was given."""
    own = arguments is None
    show_every_letter()
    if arguments is None:
        guard()
        leave_working_directory()
        # Python looks for objects that only refer to each other less often, and not at all when the
        # process ends. There are few of them here, and the search takes a fifth of the time of a
        # short run. Temporary files are still deleted at the end, and output is still written.
        gc.set_threshold(RARELY)
        atexit.register(gc.freeze)
        # joblib's processes would warn of what is left behind if this one is ended at once.
        os.environ.setdefault("PYTHONWARNINGS", "ignore")
        arguments = sys.argv[1:]
        if "_ARGCOMPLETE" in os.environ:  # the shell asks what a line may go on with
            from .completion import complete

            return complete(lambda name: _parser(name, ["--help"]), commands())
    arguments = list(arguments)
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(
            variable, "1"
        )  # matrix products here are small: threads would only wait for each other
    try:
        try:
            with interruptible(last=own):
                return _dispatch(arguments)
        finally:
            sys.stdout.flush()  # here, where a closed pipe is still silent
    except PipelineError as error:
        lines = [f"error: {line}" if line[:1].strip() else line for line in str(error).split("\n")]
        from ..report.terminal.printing import print_text

        print_text("\n".join(lines), sys.stderr)
        return IncompleteError.exit_code if _for_want(error) else error.exit_code
    except KeyboardInterrupt:
        _interrupted.append(True)
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
        if not (
            isinstance(error, OSError) and error.errno == errno.ENOSPC
        ):  # of a file it would be a StoreError
            raise error
        silence(sys.stdout)
        print(f"error: standard output cannot be written: {error.strerror}", file=sys.stderr)
        return InputError.exit_code


def _for_want(error: BaseException) -> bool:
    """Return whether memory, files or processes had run out when an error of ours was raised: the
    input may be good."""
    below = error.__context__
    return below is not None and (bool(starved(below)) or _for_want(below))


@contextlib.contextmanager
def interruptible(*, last: bool = False) -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does. A SIGHUP that nohup ignores stays
    ignored.

    A second signal ends the process at once: what was finished is kept, and later runs delete
    temporary files. With `last`, the process ends after the command, and each later signal ends it
    at once as well."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handlers = {
        number: signal.getsignal(number) for number in (getattr(signal, name) for name in names)
    }
    handled = [
        n
        for n, handler in handlers.items()
        if handler in (signal.SIG_DFL, signal.default_int_handler)
    ]
    struck: list[int] = []

    def interrupt(number: int, _: object) -> NoReturn:
        if struck:
            with contextlib.suppress(OSError):
                os.write(2, b"" if _interrupted else f"{INTERRUPTED}\n".encode())
            os._exit(130)
        struck.append(number)
        raise KeyboardInterrupt

    for number in handled:
        signal.signal(number, interrupt)
    if last:
        atexit.register(_end, handled)
    try:
        yield
    finally:
        struck.append(0)
        for number in () if last else handled:
            signal.signal(number, handlers[number])


def _end(numbers: Sequence[int]) -> None:
    """Ignore signals, as the last function that Python calls: its signal handlers are removed
    afterwards.

    An interrupted process ends here, with our exit code. Python itself would end it by a signal if
    the interruption came while generated code was running, such as the methods of a data class."""
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)
    if _interrupted:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(130)


def _flags(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options of a command and of its actions. argparse has them in private members
    only."""
    flags = list(parser._option_string_actions)  # noqa: SLF001
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            flags += [flag for sub in action.choices.values() for flag in _flags(sub)]
    return flags


def _dispatch(arguments: list[str]) -> int:
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    command = command_named(name) if name else None
    if (
        command and command.takes_plugins
    ):  # before the arguments are read: metrics have options of their own
        for place, argument in enumerate(arguments):
            flag, equals, value = argument.partition("=")
            if flag == "--plugin" and (equals or place + 1 < len(arguments)):
                from ..metrics.functions.loading import (
                    load,  # here, because most commands have no use for it
                )

                load(value if equals else arguments[place + 1])
    parser, named = _parser(name, arguments)
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        flags = _flags(named)
        hints = {
            flag: did_you_mean(flag.partition("=")[0], flags)
            for flag in unknown
            if flag.startswith("-")
        }
        named.error(
            ", ".join(f"no argument '{word}' is known{hints.get(word, '')}" for word in unknown)
        )
    if parsed.version:
        from .. import kernel

        print(f"gec-pipeline {__version__} (kernel: {kernel.name()})")
        return 0
    if name is None:
        parser.print_help()
        return 0
    if getattr(parsed, "download", False):  # after the options are declared, which needs no model
        from ..metrics.functions.models import allow_download

        allow_download()
    try:
        code: int = parsed.call(parsed) or 0  # most commands return None: all is well
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        from .. import kernel

        if isinstance(error, TypeError | AttributeError) and (reason := kernel.stale()):
            raise ConfigError(f"{reason} ({type(error).__name__}: {error})") from error
        # results.json is checked when it is read: its keys, and the types of its values. But its
        # parts may not fit together: a correlation may name a metric that has no score. Nobody
        # needs to foresee each of these ways.
        if not (command and command.reads_runs) or DEBUG in os.environ:
            raise
        named_runs = [getattr(parsed, key, None) or () for key in ("run", "run2", "more")]
        runs = [
            str(run)
            for own in named_runs
            for run in (own if isinstance(own, list | tuple) else [own])
        ]
        what = f"{type(error).__name__}: {str(error)[:200]}"
        raise StoreError(
            f"{' or '.join(dict.fromkeys(runs)) or 'the run directory'}: the parts of results.json do not fit "
            f"together, so it is damaged, or no run wrote it; run its config again ({what}; {DEBUG}=1 shows where)"
        ) from error
    return code


def _parser(
    name: str | None, given: list[str]
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Return the parser of all commands, which knows the arguments of the named one, and its
    parser.

    A command may write what is `given` otherwise, as other programs call its options.
    """
    parser = Parser(
        prog="gec-pipeline",
        description="Exact, fast and comparable evaluation of grammatical error correction, translation and "
        "summarisation.",
        epilog=EPILOG,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print version and kernel")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
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
    named = subparsers.add_parser(name, help=command.summary, description=module.__doc__)
    if configure := getattr(module, "configure", None):  # some commands have no arguments
        configure(named)
    if command.takes_plugins:
        meaning = "metrics of your own (help plugins); may be repeated"
        named.add_argument("--plugin", action="append", metavar="FILE.py|MODULE", help=meaning)
        meaning = "fetch models that are not on this computer (help neural)"
        named.add_argument("--download", action="store_true", help=meaning)
    if configure_rest := getattr(module, "configure_rest", None):
        configure_rest(named, given)
    named.set_defaults(call=module.run)
    return parser, named
