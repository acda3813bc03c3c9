"""The texts of a sentence as they are printed: equal ones once, and on a terminal what outputs change in the source."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...errors import printable
from ..terminal.text import has_colours
from .aligned import SUMMARY
from .word_edits import word_edits, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DELETED, INSERTED, PLAIN = "\x1b[9;31m", "\x1b[4;32m", "\x1b[0m"
"""Codes of terminals: red and struck through, green and underlined, and back."""


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

    Where the names are too long for the column of names, the text stands below them.
    """
    width = max((len(printable(name)) for name, _ in texts), default=0)
    source = next((text for name, text in texts if name == "source"), None)
    is_marked = source is not None and has_colours(sys.stdout)
    if is_marked:
        yield f"{' ' * width}  ({INSERTED}inserted{PLAIN}, {DELETED}deleted{PLAIN}: against the source)"
    for names, text in grouped(texts):
        label = printable(", ".join(names))
        if len(label) > width:
            yield label
            label = ""
        line = printable(text.replace("\n", " "))
        shown = marked(source, text) if is_marked and source is not None and names != ["source"] else line
        yield f"{label.ljust(width)}  {shown}".rstrip()


def marked(source: str, text: str) -> str:
    """Return a text with codes around what it inserts, and with what it deletes from the source.

    Texts whose words are not all between white space, and summaries, stay as they are.
    """
    one, two = words_of(source), words_of(text)
    if one != source.split() or two != text.split() or len(one) > SUMMARY * max(len(two), 1):
        return printable(text.replace("\n", " "))
    pieces, at = list[str](), 0
    for edit in word_edits(source, text):
        pieces += [*map(printable, one[at : edit.start])]
        pieces += [f"{DELETED}{printable(edit.original)}{PLAIN}"] if edit.original else []
        pieces += [f"{INSERTED}{printable(edit.correction)}{PLAIN}"] if edit.correction else []
        at = edit.end
    return " ".join([*pieces, *map(printable, one[at:])])
