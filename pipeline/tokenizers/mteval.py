"""Preparing lines for the tokeniser 13a, as mteval-v13a and sacreBLEU do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kernel.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator


BREAK = b"\xff"
"""What separates lines where a whole shard is changed at once: no UTF-8 has it."""


ENTITIES = ((b"&quot;", b'"'), (b"&amp;", b"&"), (b"&lt;", b"<"), (b"&gt;", b">"))
"""What mteval-v13a replaces, in this order."""


def mteval(lines: Lines) -> Lines:
    """Replace what mteval-v13a does before it splits: <skipped>, hyphens and newlines inside of lines, entities."""
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
    places = np.flatnonzero(np.frombuffer(lines.data, np.uint8) == ord("\n"))
    owners = np.searchsorted(lines.starts, places, side="right") - 1
    return bool(((owners >= 0) & (places < lines.ends[owners])).any())


def _bare(lines: Lines) -> Iterator[bytes]:
    """Yield lines without white space at their ends (a hyphen there is not before a newline)."""
    for line in lines.texts():
        yield line.decode().rstrip().encode() if b"\n" in line else line
