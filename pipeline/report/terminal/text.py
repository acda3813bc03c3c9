"""Sentences as they are printed: on a terminal they break between words."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from ...errors import printable

LOUD = {"warning:": "\x1b[1;33m", "missed:": "\x1b[1;31m"}
"""Words at which a terminal's line begins that nobody should miss, with the codes of their colours."""


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print text that is wrapped between words on a terminal, so that a line which goes on is indented."""
    stream = stream or sys.stdout
    print(coloured(wrapped(printable(text), stream), stream), file=stream)


def coloured(text: str, stream: TextIO) -> str:
    """Return text whose first word is in colour if it is one of LOUD, where the stream is a terminal with colours."""
    word = next((word for word in LOUD if text.startswith(word)), "") if has_colours(stream) else ""
    return f"{LOUD[word]}{word}\x1b[0m{text[len(word) :]}" if word else text


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal with colours, and nobody asks for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", "unknown")


def wrapped(text: str, stream: TextIO) -> str:
    """Return text with line breaks between words where the stream is a terminal, else the same text."""
    if not stream.isatty():
        return text
    import textwrap

    width = terminal_width()
    return "\n".join(
        textwrap.fill(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def terminal_width() -> int:
    """Return how many columns of letters the terminal has, at least 40."""
    return max(shutil.get_terminal_size().columns, 40)
