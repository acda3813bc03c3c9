"""The proposed edits of an output beside the edits of an annotator, as M² judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING = "(nothing)"


class GoldEdit(NamedTuple):
    """An edit of an annotator, which counts even where it can never match."""

    start: int
    end: int
    alternatives: list[str]
    """The corrections, of which any may match."""
    written: str
    """The corrections as the file has them."""
    type: str


class ProposedEdit(NamedTuple):
    """An edit that an output made."""

    start: int
    """The first token of the source that is replaced, from 0, as it is compared with gold edits."""
    end: int
    """The token behind the last."""
    original: str
    """What is replaced, with a blank between tokens."""
    correction: str
    """What it is replaced by."""
    matched: list[int]
    """The places of the gold edits that it matches. There are several where a gold edit is given twice."""

    def __str__(self) -> str:
        return f"{self.start} {self.end}: {self.original or NOTHING} → {self.correction or NOTHING}"


class Judged(NamedTuple):
    """The edits of an output for a sentence beside those of an annotator."""

    annotator: int
    """The number of the annotator; for one without a line for the sentence, the place among all annotators."""
    place: int
    """The place of the annotator among the references of the data set."""
    tokens: list[str]
    """The tokens of the source."""
    gold: list[GoldEdit]
    """The annotator's edits, in the order of the file."""
    edits: list[ProposedEdit]
    """The proposed edits, from left to right, divided as suits this annotator best."""

    def original(self, gold: GoldEdit) -> str:
        """Return what a gold edit replaces."""
        return " ".join(self.tokens[gold.start : gold.end])

    def written(self, gold: GoldEdit) -> str:
        """Return a gold edit for people."""
        corrections = " or ".join(text or NOTHING for text in gold.alternatives)
        return f"{gold.start} {gold.end}: {self.original(gold) or NOTHING} → {corrections}"

    @property
    def counts(self) -> tuple[int, int, int]:
        """The right, the proposed and the annotated edits."""
        return sum(len(edit.matched) for edit in self.edits), len(self.edits), len(self.gold)

    @property
    def missed(self) -> list[GoldEdit]:
        """The gold edits that no proposed edit matches."""
        matched = {place for edit in self.edits for place in edit.matched}
        return [gold for place, gold in enumerate(self.gold) if place not in matched]


def is_match(edit: ProposedEdit, gold: GoldEdit, tokens: Sequence[str]) -> bool:
    """Return whether an edit equals a gold edit: in its span, in what it replaces, and in a correction."""
    same_span = (edit.start, edit.end) == (gold.start, gold.end)
    return (
        same_span and edit.original == " ".join(tokens[gold.start : gold.end]) and edit.correction in gold.alternatives
    )


def shrunk(edit: ProposedEdit) -> ProposedEdit:
    """Return an edit without the words that are the same at its start, and then at its end."""
    before, after = edit.original.split(), edit.correction.split()
    shorter = min(len(before), len(after))
    first = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    last = next((n for n in range(shorter - first) if before[-1 - n] != after[-1 - n]), shorter - first)
    original, correction = (" ".join(words[first : len(words) - last]) for words in (before, after))
    return ProposedEdit(edit.start + first, edit.end - last, original, correction, edit.matched)


def unchanged_words(edit: ProposedEdit) -> list[str]:
    """Return the words that an edit leaves as they are: a longest sequence of words that both of its texts have."""
    before, after = edit.original.split(), edit.correction.split()
    best: list[list[list[str]]] = [[[] for _ in range(len(after) + 1)] for _ in range(len(before) + 1)]
    for i, word in enumerate(before, 1):
        for j, other in enumerate(after, 1):
            longer = [*best[i - 1][j - 1], word] if word == other else []
            best[i][j] = max(longer, best[i - 1][j], best[i][j - 1], key=len)
    return best[-1][-1]
