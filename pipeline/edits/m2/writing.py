"""How M2 files are written: as ERRANT writes them, an empty line after each sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..m2_files import BETWEEN
from ..m2_lines import FIELDS, Block

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BAR = "|||"
CORRECTION, ANNOTATOR = 2, 5
"""The places of two fields among the six of an edit."""


def written(sentence: str, lines: Iterable[str]) -> str:
    """Return a sentence with its lines that begin with A, as they stand in a file."""
    return "\n".join([f"S {sentence}", *lines, "", ""])


def with_correction(line: str, correction: str) -> str:
    """Return the line of an edit with another correction."""
    return _with(line, CORRECTION, correction)


def with_annotator(line: str, annotator: int) -> str:
    """Return the line of an edit with another annotator."""
    return _with(line, ANNOTATOR, str(annotator))


def with_texts_changed(block: Block, change: Callable[[str], str]) -> Block:
    """Return a sentence whose text is changed, and the corrections of its edits, each alternative on its own."""
    lines = []
    for number, line in block.lines:
        fields = line.split(BAR)
        if len(fields) == FIELDS:  # others are refused when they are read
            fields[CORRECTION] = BETWEEN.join(map(change, fields[CORRECTION].split(BETWEEN)))
        lines.append((number, BAR.join(fields)))
    return Block(block.line, change(block.sentence), lines)


def _with(line: str, place: int, value: str) -> str:
    fields = line.split(BAR)
    fields[place] = value
    return BAR.join(fields)
