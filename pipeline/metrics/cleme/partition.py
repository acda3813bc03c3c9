"""The pieces into which CLEME cuts a sentence: wherever the output or a reference has edits, and what is between.

The source is section 3.1 of Ye et al. 2023, and the authors' program where the paper leaves a case open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...corpus.edits.m2_files import Edit

Words: TypeAlias = "tuple[str, ...]"
NO_EDIT, NO_WORDS = ("noop", "na"), "-NONE-"
"""The types of lines that say that nothing is edited, in small letters, and what stands for an empty correction."""


class Change(NamedTuple):
    """An edit of an annotator, within the sentence."""

    start: int
    """The first token that is replaced, from 0."""
    end: int
    """The token after the last that is replaced."""
    words: Words


class Piece(NamedTuple):
    """A piece of a sentence that is changed in the output or in a reference."""

    source: Words
    """Its words in the sentence. It may be empty: a place where words are inserted."""
    changed: list[Words | None]
    """Its words in each text, the output first. None where the text has no edit there."""

    def length(self, words: Words) -> int:
        """Return the length of the piece in a text where it has these words: the longer one of both sides counts."""
        return max(len(self.source), len(words))


def changes_of(edits: Iterable[Edit], size: int) -> list[Change]:
    """Return the edits of an annotator by their places. Edits beyond the end of the sentence are moved to the end."""
    changes = []
    for edit in edits:
        if edit.start >= 0 and edit.type.strip().lower() not in NO_EDIT:
            start = min(edit.start, size)
            words = () if edit.correction == NO_WORDS else tuple(edit.correction.split())
            changes.append(Change(start, min(max(edit.end, start), size), words))
    return sorted(changes, key=lambda change: (change.start, change.end))


def pieces(sentence: Sequence[str], texts: Sequence[Sequence[Change]]) -> tuple[list[Piece], int]:
    """Return the pieces with edits of a sentence, and the number of stretches between them, which nobody changes.

    Edits that overlap or touch are in one piece. `texts` has the changes of the output and then of each reference.
    """
    changed, stretches, at = [], 0, 0
    for start, end in _joined(change for changes in texts for change in changes):
        own = [[change for change in changes if start <= change.start and change.end <= end] for changes in texts]
        words = [words_of(sentence, changes, start, end) if changes else None for changes in own]
        changed.append(Piece(tuple(sentence[start:end]), words))
        stretches += start > at
        at = end
    return changed, stretches + (len(sentence) > at)


def words_of(sentence: Sequence[str], changes: Iterable[Change], start: int, end: int) -> Words:
    """Return the words into which changes turn the tokens from start to end."""
    words: list[str] = []
    at = start
    for change in changes:
        words += [*sentence[at : change.start], *change.words]
        at = max(at, change.end)
    return (*words, *sentence[at:end])


def _joined(changes: Iterable[Change]) -> list[tuple[int, int]]:
    """Return the places of all changes in order, with those that overlap or touch as one."""
    joined: list[tuple[int, int]] = []
    for start, end, _ in sorted(changes, key=lambda change: change.start):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
