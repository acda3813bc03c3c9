"""Sentences as they are printed: on a terminal they break between words."""

from __future__ import annotations

import shutil
import sys
from typing import TextIO

from ...errors import printable


def print_text(text: str, stream: TextIO | None = None) -> None:
    """Print text that is wrapped between words on a terminal, so that a line which goes on is indented."""
    print(wrapped(printable(text), stream or sys.stdout), file=stream or sys.stdout)


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
