"""Standard output and standard error: no text gives commands to a terminal, and no work is lost
where one is closed.
"""

import codecs
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Signs that a terminal takes for commands, or that turn the order of letters."""


class Guarded:
    """A stream that escapes the COMMANDS of texts, where it is told to. What is drawn itself goes
    to `unescaped`.

    Where `needed` is false, as for messages, all else is thrown away once the stream cannot be
    written."""

    def __init__(self, stream: TextIO, *, needed: bool, escapes: bool) -> None:
        self._stream, self._needed, self._escapes = stream, needed, escapes
        self.unescaped = Guarded(stream, needed=needed, escapes=False) if escapes else self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text; raises OSError where that fails and the stream is needed."""
        self._do(
            self._stream.write,
            COMMANDS.sub(lambda s: f"\\x{ord(s[0]):02x}", text) if self._escapes else text,
        )
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts as write() does."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what is buffered as write() does."""
        self._do(self._stream.flush)

    def _do(self, work: Callable[..., object], *given: str) -> None:
        try:
            work(*given)
        except OSError:
            if self._needed:
                raise
            silence(self._stream)


def silence(stream: TextIO) -> None:
    """Throw away what is still to be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def guard() -> None:
    """Guard the streams of this process. One that was closed is opened to nowhere, before a file
    takes its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(handle, "w" if number else "r", encoding="utf-8"))  # noqa: PTH123, SIM115
    if sys.stdout.isatty():
        sys.stdout = cast("TextIO", Guarded(sys.stdout, needed=True, escapes=True))
    sys.stderr = cast("TextIO", Guarded(sys.stderr, needed=False, escapes=sys.stderr.isatty()))


def show_every_letter() -> None:
    """Have letters that standard output and standard error have no bytes for escaped as in JSON,
    for all commands.

    So a program that reads JSON from the output has the same letters again.
    """

    def escaped(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return json.dumps(error.object[error.start : error.end])[1:-1], error.end

    codecs.register_error("gec-pipeline-visible", escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="gec-pipeline-visible")
