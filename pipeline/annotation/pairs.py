"""Pairs of a source and a corrected text, their annotations, and the lines of an M2 file that these become."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Annotation = tuple[str, ...]
"""The edits of a pair: lines of an M2 file without the number of the annotator at the end.

An empty one is that of texts that differ only in blanks, for which errant_parallel writes no line."""
NOOP: Annotation = ("A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||",)
"""The annotation of a corrected text that is the source."""


class Pair(NamedTuple):
    """Two texts, as words with one blank between."""

    source: str
    corrected: str


def trivial(source: str, corrected: str) -> Annotation | None:
    """Return the annotation of two lines that need no parser, or None.

    errant_parallel leaves out an empty source: its annotation, which nobody writes, is empty.
    """
    words = " ".join(source.split())
    if words == corrected.strip():
        return NOOP if words else ()
    return () if not words or words == " ".join(corrected.split()) else None


def pair_of(source: str, corrected: str) -> Pair:
    """Return the words of two lines. Blanks at the ends, and several in a row, make no difference to an edit."""
    return Pair(" ".join(source.split()), " ".join(corrected.split()))


def block(source: str, annotations: Sequence[Annotation]) -> str:
    """Return the lines of a sentence in an M2 file: the annotations of its corrected texts, numbered from 0.

    An empty source has no lines at all, as errant_parallel leaves it out.
    """
    words = source.split()
    if not words:
        return ""
    edits = [f"{edit}{number}\n" for number, annotation in enumerate(annotations) for edit in annotation]
    return "".join([" ".join(["S", *words]), "\n", *edits, "\n"])
