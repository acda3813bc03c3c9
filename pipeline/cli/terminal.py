"""What a terminal cannot show: letters and signs it has no bytes for, and pages that are longer than its screen.

Files are no terminal: they are always UTF-8.
"""

from __future__ import annotations

import codecs
import io
import os
import shutil
import signal
import sys

VISIBLE = "gec-pipeline-visible"
"""The way in which letters are replaced that an encoding does not have; a name of the module codecs."""
SUBSTITUTES = {
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "×": "x",  # noqa: RUF001 (the multiplication sign is meant)
    "·": "|",
    "…": "...",
    "•": "*",
    "²": "^2",
    "λ": "lambda",
    "⍽": "_",
    "↑": "^",
    "↓": "v",
    "†": "+",
    "‡": "++",
}
"""Signs that this program prints, and what stands for them. Letters of texts are escaped: no letter means another."""


def show_every_letter() -> None:
    """Have letters that standard output and standard error cannot write replaced visibly, once for all commands."""
    codecs.register_error(VISIBLE, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=VISIBLE)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for letters that cannot be written, and where to go on.

    In JSON these are the escapes of JSON, so that a program reads the same letters back.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    if error.object.startswith(("{\n", "[\n")):
        import json

        return json.dumps(letters)[1:-1], error.end
    escaped = (SUBSTITUTES.get(c) or c.encode("ascii", "backslashreplace").decode() for c in letters)
    return "".join(escaped), error.end


def locale_note(message: str) -> list[str]:
    """Return a line that says what to do where a message is about a name that this locale has no letters for."""
    encoding = sys.getfilesystemencoding()
    if encoding == "utf-8" or ("codec can't encode" not in message and "\\udc" not in message):
        return []
    return [f"note: names of files have only the letters of {encoding} here; LC_ALL=C.UTF-8 or PYTHONUTF8=1 gives all"]


def as_shown(text: str) -> str:
    """Return text as standard output shows it: layout has to know how wide the substitutes are."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, VISIBLE).decode(encoding)


def pager(page: str) -> list[str]:
    """Return the command of the pager for a page, an empty list where it is better printed.

    Long pages have one on a terminal that can move its cursor: $PAGER, or else less or more.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "") in ("dumb", "emacs"):
        return []
    import shlex

    if page.count("\n") < shutil.get_terminal_size().lines:
        return []
    try:
        commands = [shlex.split(os.environ["PAGER"])] if "PAGER" in os.environ else [["less"], ["more"]]
    except ValueError:  # a quotation mark that is not closed
        return []
    return next((command for command in commands if command and shutil.which(command[0])), [])


def read_in_pager(page: str, command: list[str]) -> None:
    """Show a page in a pager until the reader leaves it; Ctrl-C is the pager's."""
    import subprocess

    environment = {"LESS": "-FRX", **os.environ}  # less shows colours, and leaves the page on the screen
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run(command, input=page, env=environment, check=False, encoding=sys.stdout.encoding, errors=VISIBLE)
    finally:
        signal.signal(signal.SIGINT, before)
