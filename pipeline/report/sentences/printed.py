"""The texts of a sentence as they are printed: equal ones once, and on a terminal what outputs change in the source."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from ...errors import printable
from ..terminal.layout import shown_width
from ..terminal.text import has_colours, terminal_width, wrapped
from .aligned import SUMMARY
from .word_edits import word_edits, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DELETED, INSERTED, PLAIN = "\x1b[9;31m", "\x1b[4;32m", "\x1b[0m"
"""Codes of terminals: red and struck through, green and underlined, and back."""
CODES = re.compile(r"\x1b\[[0-9;]*m")
NARROW = 20
"""Lines of texts have at least so many columns of letters."""


def grouped(texts: Sequence[tuple[str, str]]) -> list[tuple[list[str], str]]:
    """Return texts with all names that they have, in the order of the first ones.

    References that are the same are one, and so are outputs, but for white space. No output is one with a reference.
    """
    groups: dict[tuple[str, str], tuple[list[str], str]] = {}
    for name, text in texts:
        kind = name.partition(" ")[0] if name == "source" or " " in name else ""
        groups.setdefault((kind, " ".join(text.split())), ([], text))[0].append(name)
    return list(groups.values())


def text_lines(texts: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the texts of a sentence as lines: names and text; on a terminal with edits against the source in colour.

    Where the names are too long for the column of names, the text stands below them. A terminal has lines that break
    between words.
    """
    width = max((len(printable(name)) for name, _ in texts), default=0)
    source = next((text for name, text in texts if name == "source"), None)
    is_marked = source is not None and has_colours(sys.stdout)
    if is_marked:
        yield from _beside(
            "", [f"({INSERTED}inserted{PLAIN},", f"{DELETED}deleted{PLAIN}:", "against the source)"], width
        )
    for names, text in grouped(texts):
        label = printable(", ".join(names))
        if len(label) > width:
            yield wrapped(label, sys.stdout)
            label = ""
        is_own = is_marked and source is not None and names != ["source"]
        yield from _beside(label, marked(source or "", text) if is_own else _words(text), width)


def _words(text: str) -> list[str]:
    return printable(text.replace("\n", " ")).split(" ")


def _beside(label: str, words: Sequence[str], width: int) -> Iterator[str]:
    """Yield words beside a label of so many letters, on a terminal in as many lines as they need."""
    if not sys.stdout.isatty():
        yield f"{label.ljust(width)}  {' '.join(words)}".rstrip()
        return
    room, line, size = max(terminal_width() - width - 2, NARROW), list[str](), 0
    for word in words:
        own = shown_width(CODES.sub("", word))
        if line and size + 1 + own > room:
            yield f"{label.ljust(width)}  {' '.join(line)}"
            label, line, size = "", [], 0
        size += own + bool(line)
        line.append(word)
    yield f"{label.ljust(width)}  {' '.join(line)}".rstrip()


def marked(source: str, text: str) -> list[str]:
    """Return the words of a text with codes around what it inserts, and with what it deletes from the source.

    Texts whose words are not all between white space, and summaries, stay as they are.
    """
    one, two = words_of(source), words_of(text)
    if one != source.split() or two != text.split() or len(one) > SUMMARY * max(len(two), 1):
        return _words(text)
    words, at = list[str](), 0
    for edit in word_edits(source, text):
        words += map(printable, one[at : edit.start])
        for code, part in ((DELETED, edit.original), (INSERTED, edit.correction)):
            words += [f"{code}{printable(word)}{PLAIN}" for word in part.split()]
        at = edit.end
    return [*words, *map(printable, one[at:])]
