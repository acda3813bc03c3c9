"""How M2 files are written: as ERRANT writes them, an empty line after each sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def _with(line: str, place: int, value: str) -> str:
    fields = line.split(BAR)
    fields[place] = value
    return BAR.join(fields)
