"""The proposed edits of outputs, one by one: which edits of annotators they match, and which of these are missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...corpus.edits.records import NOTHING, Judged, ProposedEdit, is_match
from ..base.capabilities import MISSED, RIGHT, WRONG, Verdict
from .gold import ABSENT, listed_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...kernel.gold_edits import ProposedEdits
    from ..base.metric import Text
    from .columns import MaxMatchNeeds
    from .gold import Gold


def proposed_edits(needs: MaxMatchNeeds, text: Text) -> list[list[list[Judged]]]:
    """Return for each system and each line the annotators who take part, as m2scorer orders them."""
    gold, matches = needs.matches(text, edits=True)
    listed = matches.edits
    assert listed is not None and text.source is not None  # noqa: S101, PT018 (asked for; source is True)
    golds = listed_edits(text.source, text.references, every=needs.annotators == "all")
    gold = gold._replace(listed=golds)
    sources = [line.decode().split() for line in text.source.texts()]
    result = []
    for number, system in enumerate(text.systems):
        outputs = enumerate(line.decode().split() for line in system.texts())
        first = number * len(sources)
        result.append([_judged(gold, listed, sources[line], words, (first + line, line)) for line, words in outputs])
    return result


def verdicts(row: Sequence[Judged], annotators: int) -> list[list[Verdict] | None]:
    """Return what each annotator of the data set says of the edits of a line, None for those who take no part.

    A proposed edit is right once for each edit of the annotator that it matches. A right or a missed edit has the type
    that the annotator gave it; a wrong one has none.
    """
    by_place: list[list[Verdict] | None] = [None] * annotators
    for judged in row:
        own = [verdict for edit in judged.edits for verdict in _of_edit(judged, edit)]
        for gold in judged.missed:
            corrections = " | ".join(text or NOTHING for text in gold.alternatives) if any(gold.alternatives) else ""
            own.append(Verdict(gold.start, gold.end, judged.original(gold), corrections, gold.type, MISSED))
        by_place[judged.place] = sorted(own, key=lambda item: (item.start, item.end, item.verdict == MISSED))
    return by_place


def _of_edit(judged: Judged, edit: ProposedEdit) -> list[Verdict]:
    types = [judged.gold[place].type for place in edit.matched]
    each = [(type_, RIGHT) for type_ in types] or [("", WRONG)]
    return [Verdict(edit.start, edit.end, edit.original, edit.correction, *said) for said in each]


def _judged(
    gold: Gold, listed: ProposedEdits, source: list[str], output: list[str], at: tuple[int, int]
) -> list[Judged]:
    """Return the annotators of a line. `at` is the place of the line among those of all systems, and its number."""
    row, line = [], at[1]
    for place in np.argsort(gold.order[line], kind="stable").tolist():
        golds, name = gold.listed[line][place], int(gold.numbers[line, place])
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
