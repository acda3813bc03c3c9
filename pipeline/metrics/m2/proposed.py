"""The proposed edits of outputs, one by one: which edits of annotators they match, and which of these are missed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .gold import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...kernel.gold_edits import ProposedEdits
    from ..base.metric import Text
    from .columns import MaxMatchNeeds
    from .gold import Gold, GoldEdit

NOTHING = "(nothing)"


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


def proposed_edits(needs: MaxMatchNeeds, text: Text) -> list[list[list[Judged]]]:
    """Return for each system and each line the annotators who take part, as m2scorer orders them."""
    gold, matches = needs.matches(text, edits=True)
    listed = matches.edits
    assert listed is not None and text.source is not None  # noqa: S101, PT018 (asked for; source is True)
    sources = [line.decode().split() for line in text.source.texts()]
    result = []
    for number, system in enumerate(text.systems):
        outputs = enumerate(line.decode().split() for line in system.texts())
        first = number * len(sources)
        result.append([_judged(gold, listed, sources[line], words, (first + line, line)) for line, words in outputs])
    return result


def _judged(
    gold: Gold, listed: ProposedEdits, source: list[str], output: list[str], at: tuple[int, int]
) -> list[Judged]:
    """Return the annotators of a line. `at` is the place of the line among those of all systems, and its number."""
    row, line = [], at[1]
    for place in np.argsort(gold.order[line], kind="stable").tolist():
        golds, name = gold.edits[line][place], gold.numbers[line][place]
        if golds is None:
            continue
        low, high = listed.offsets[at[0] * gold.order.shape[1] + place :][:2].tolist()
        spans = zip(listed.spans[low:high].tolist(), listed.compared[low:high].tolist(), strict=True)
        edits = [_edit(source, output, span, compared) for span, compared in spans]
        judged = Judged(place if name == ABSENT else name, place, source, golds, edits)
        _match(judged)
        row.append(judged)
    return row


def _edit(source: Sequence[str], output: Sequence[str], span: Sequence[int], compared: Sequence[int]) -> ProposedEdit:
    low, high, output_low, output_high = span
    original, correction = " ".join(source[low:high]), " ".join(output[output_low:output_high])
    return ProposedEdit(compared[0], compared[1], original, correction, [])


def _match(judged: Judged) -> None:
    """Note which gold edits each edit matches: of those behind the last match, in the order of the file."""
    first = 0
    for edit in judged.edits:
        for place in range(first, len(judged.gold)):
            if is_match(edit, judged.gold[place], judged.tokens):
                edit.matched.append(place)
        first = edit.matched[-1] + 1 if edit.matched else first


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
