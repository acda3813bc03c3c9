"""What the tokeniser 13a does to lines before it splits them, as in mteval-v13a and sacreBLEU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kernel.common import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator

BREAK = b"\xff"
"""The byte between lines while all lines are changed at once. It is never part of UTF-8."""

ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
"""What mteval-v13a replaces and by what, in this order."""


def mteval(lines: Lines) -> Lines:
    """Remove <skipped>, join words that a hyphen divides at a newline inside a line, and replace entities."""
    data = lines.data
    inside = _newlines_inside(lines)
    entities = b"&" in data and any(entity in data for entity, _ in ENTITIES)
    if not inside and not entities and not (b"<" in data and b"<skipped>" in data):
        return lines
    text = BREAK.join(_bare(lines) if inside else lines.texts()) + BREAK
    for old, new in ((b"<skipped>", b""), (b"-\n", b""), (b"\n", b" "), *ENTITIES):
        text = text.replace(old, new)
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == BREAK[0])[: len(lines.starts)]
    return Lines(text, np.concatenate((np.zeros(1, np.int64), ends + 1))[:-1], ends)


def _newlines_inside(lines: Lines) -> bool:
    """Return whether a line has a newline inside."""
    if not len(lines.starts) or b"\n" not in lines.data:
        return False
    newlines = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord("\n"))
    owners = np.searchsorted(lines.starts, newlines, side="right") - 1
    return bool(((owners >= 0) & (newlines < lines.ends[owners])).any())


def _bare(lines: Lines) -> Iterator[bytes]:
    """Yield lines without white space at their ends, where a newline would not follow a hyphen inside the line."""
    for line in lines.texts():
        yield line.decode().rstrip().encode() if b"\n" in line else line
