"""The changed tokens of outputs, one by one: which are right or wrong for each annotator, and which are missed.

An edit is a column of the alignment that I-measure counts, so it has at most one token of each text. There are as many
right, wrong and missed ones as tp, fp and fn. Where output and annotator change a token differently, correction counts
a wrong and a missed edit; detection counts a right one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ... import kernel
from ...corpus.edits.correction_references import of_annotators, references
from ...corpus.edits.records import annotation_of
from ...kernel.common import THREE_WAY_COUNTS
from ...kernel.lines import join_lines
from ..base.capabilities import MISSED, RIGHT, WRONG, Verdict
from ..base.metric import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...corpus.edits.correction_references import CorrectedSentence, Tokens
    from .columns import ImeasureNeeds

ABSENT = -1
OF_OUTPUT = {"c_tp": RIGHT, "d_fp": WRONG, "fpn": WRONG}
"""What the output's token of a column is."""


class References(NamedTuple):
    """The references of a sentence, and whose they are."""

    texts: Sequence[Tokens]
    """The distinct texts, in the order of the columns."""
    numbers: list[int]
    """For each annotator of the data set the place in `texts`, ABSENT for one who takes no part."""


def as_text(sources: Sequence[str], outputs: Sequence[Sequence[str]], annotations: Sequence[Sequence[str]]) -> Text:
    """Return lines as a shard."""
    source, *others = (join_lines(line.encode() for line in lines) for lines in (sources, *outputs, *annotations))
    return Text(source, others[len(outputs) :], others[: len(outputs)])


def references_of(sentence: CorrectedSentence, annotators: Sequence[int]) -> References:
    """Return the references of a sentence; `annotators` are their numbers in it, ABSENT for those who take no part."""
    texts, corrected = references(sentence, mix=False), of_annotators(sentence)
    places = {" ".join(words): place for place, words in enumerate(texts)}
    own = [places[" ".join(corrected.get(number, sentence.tokens))] for number in annotators if number != ABSENT]
    return References(texts, [ABSENT if number == ABSENT else own.pop(0) for number in annotators])


def references_of_lines(needs: ImeasureNeeds, text: Text) -> list[References]:
    """Return the references of each line of a shard."""
    records = zip(*(lines.texts() for lines in text.references), strict=True)
    return [
        references_of(sentence, [_annotator(record) for record in row])
        for sentence, row in zip(needs.sentences(text), records, strict=True)
    ]


def verdicts(needs: ImeasureNeeds, text: Text, aspect: str) -> list[list[list[list[Verdict] | None]]]:
    """Return for each system and line what each annotator says of the changed tokens, None for those without a line."""
    assert text.source is not None  # noqa: S101 (source is True)
    each = references_of_lines(needs, text)
    aligned = needs.aligned(text, [own.texts for own in each])
    offsets, columns = kernel.three_way_columns(*aligned)
    rows, bounds = columns.tolist(), offsets.tolist()
    sources = [_words(line) for line in text.source.texts()]
    result = []
    for number, system in enumerate(text.systems):
        judged = []
        for line, output in enumerate(map(_words, system.texts())):
            by_reference = []
            for reference, words in enumerate(each[line].texts, int(aligned.firsts[line])):
                at = reference * len(text.systems) + number
                own, texts = rows[bounds[at] : bounds[at + 1]], (sources[line], output, words)
                by_reference.append([verdict for row in own for verdict in _of_column(row, texts, aspect)])
            judged.append([None if place == ABSENT else by_reference[place] for place in each[line].numbers])
        result.append(judged)
    return result


def _of_column(row: Sequence[int], texts: tuple[Tokens, Tokens, Tokens], aspect: str) -> list[Verdict]:
    """Return the verdicts of a changed column, whose fields are those of the kernel's changed columns."""
    start, end, output, reference, place = row
    source_words, output_words, words = texts
    kind, original = THREE_WAY_COUNTS[place], " ".join(source_words[start:end])
    correction = output_words[output] if output >= 0 else ""
    wanted = words[reference] if reference >= 0 else ""
    if kind == "fpn" and aspect == "detection":
        return [Verdict(start, end, original, correction, "", RIGHT)]
    own = [Verdict(start, end, original, correction, "", OF_OUTPUT[kind])] if kind in OF_OUTPUT else []
    missed = [Verdict(start, end, original, wanted, "", MISSED)] if kind in ("d_fn", "fpn") else []
    return own + missed


def _annotator(record: bytes) -> int:
    annotation = annotation_of(record)
    return ABSENT if annotation is None else annotation.annotator


@lru_cache(1 << 14)
def _words(line: bytes) -> Tokens:
    return tuple([token.decode() for token in line.split()])
