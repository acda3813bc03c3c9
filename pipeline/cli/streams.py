"""Standard output and standard error: texts cannot control a terminal, and closed ones do no harm."""

import codecs
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal, or change the order of letters."""


class Guarded:
    """A stream that may escape the CONTROLS of texts.

    The program's drawings, with colours, go to `unescaped`. If `needed` is false, as for messages,
    the stream is silenced once it cannot be written.
    """

    def __init__(self, stream: TextIO, *, needed: bool, escapes: bool) -> None:
        self._stream = stream
        self._needed = needed
        self._escapes = escapes
        self.unescaped = (
            Guarded(stream, needed=needed, escapes=False) if escapes else self
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text; raises OSError if that fails and the stream is needed."""
        escaped = text
        if self._escapes:
            escaped = CONTROLS.sub(
                lambda control: f"\\x{ord(control[0]):02x}", text
            )
        self._do(self._stream.write, escaped)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts as write() does."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what is buffered as write() does."""
        self._do(self._stream.flush)

    def _do(self, method: Callable[..., object], *arguments: str) -> None:
        try:
            method(*arguments)
        except OSError:
            if self._needed:
                raise
            silence(self._stream)


def silence(stream: TextIO) -> None:
    """Discard all further output of a stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def guard() -> None:
    """Guard the streams of this process.

    A closed one is opened to nowhere, before a file takes its number.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_RDWR)
            mode = "w" if number else "r"
            stream = open(handle, mode, encoding="utf-8")  # noqa: PTH123, SIM115
            setattr(sys, name, stream)
    if sys.stdout.isatty():
        sys.stdout = cast(
            "TextIO", Guarded(sys.stdout, needed=True, escapes=True)
        )
    sys.stderr = cast(
        "TextIO", Guarded(sys.stderr, needed=False, escapes=sys.stderr.isatty())
    )


def show_every_letter() -> None:
    """Escape letters that standard output and standard error cannot encode, as in JSON.

    A program that reads JSON from the output gets the same letters again.
    """

    def escaped(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return json.dumps(error.object[error.start : error.end])[
            1:-1
        ], error.end

    codecs.register_error("gec-pipeline-visible", escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="gec-pipeline-visible")
