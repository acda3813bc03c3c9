"""The columns of CLEME: how many pieces of each kind and length a sentence has.

Weights depend on lengths, and on the mean length of all pieces that references change. So lengths
are counted apart, and weights are applied when the whole data set has been counted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Ints
from pipeline.metrics.base.statistics_spec import EDITS_OF_BOTH, Field, StatisticsSpec, Text

from ..m2_files import Edit
from ..records import annotation_of, outputs_of

Words = tuple[str, ...]
NO_EDIT, NO_WORDS = ("noop", "na"), "-NONE-"
"""The types of lines that say that nothing is edited, in small letters, and what stands for an
empty correction."""


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
        """Return the length of the piece in a text where it has these words: the longer one of both
        sides counts.
        """
        return max(len(self.source), len(words))


def changes_of(edits: Iterable[Edit], size: int) -> list[Change]:
    """Return the edits of an annotator by their places. Edits beyond the end of the sentence are
    moved to the end.
    """
    changes = []
    for edit in edits:
        if edit.start >= 0 and edit.type.strip().lower() not in NO_EDIT:
            start = min(edit.start, size)
            words = () if edit.correction == NO_WORDS else tuple(edit.correction.split())
            changes.append(Change(start, min(max(edit.end, start), size), words))
    return sorted(changes, key=lambda change: (change.start, change.end))


def pieces(sentence: Sequence[str], texts: Sequence[Sequence[Change]]) -> tuple[list[Piece], int]:
    """Return the pieces with edits of a sentence, and the number of stretches between them, which
    nobody changes.

    Edits that overlap or touch are in one piece, as section 3.1 of Ye et al. 2023 says, and the
    authors' program where the paper leaves a case open. `texts` has the changes of the output and
    then of each reference."""
    places: list[tuple[int, int]] = []
    for start, end, _ in sorted(
        (change for changes in texts for change in changes), key=lambda change: change.start
    ):
        if places and start <= places[-1][1]:
            places[-1] = places[-1][0], max(end, places[-1][1])
        else:
            places.append((start, end))
    changed, stretches, at = [], 0, 0
    for start, end in places:
        own = [
            [change for change in changes if start <= change.start and change.end <= end]
            for changes in texts
        ]
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


KINDS = ("tp", "fp_ne", "fp_un", "fn")
"""Hits; misses in pieces that a reference changes, and in those that none changes; pieces that the
output leaves."""
TP, NECESSARY, UNNECESSARY, FN = range(4)
CACHED = 4096
"""Records whose edits are kept."""
CHANGED = ("changed_words", "changed_pieces")
"""The sum of the lengths of all pieces that references change, and their number, over all
references."""


class Reference(NamedTuple):
    """An annotator who takes part in a sentence."""

    number: int
    """The number of the annotator's column."""
    order: int
    """The annotator's place in the sentence, in the order of the file."""
    changes: list[Change]


@dataclass(frozen=True)
class ClemeSpec(StatisticsSpec):
    """The pieces of each kind and length, with each reference or with all of them together."""

    dependent: bool
    """Whether each reference is compared alone."""
    longest: int
    """Longer pieces count as so long."""
    annotator: str = ""
    """The annotator of texts, as signatures call it; empty: there are only M2 files."""
    input = EDITS_OF_BOTH
    source = True
    added_later: ClassVar[frozenset[str]] = frozenset({"annotator"})

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        annotator = f"-{self.annotator}" if self.annotator else ""
        return f"cleme-{'dependent' if self.dependent else 'independent'}-{self.longest}{annotator}"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The numbers of pieces, those of length 0 first, and what the mean length is made of.

        With several references, ref_len is the number of pieces that the reference changes, -1
        where it is missing. `annotators` says how many annotators the output has; the first one
        counts."""
        names = [("order", 0), ("ref_len", 0)] if self.dependent else []
        names += [*((kind, self.longest + 1) for kind in KINDS), ("tn", 0)]
        fields = [Field(name, orders, per_reference=self.dependent) for name, orders in names]
        return (*fields, *(Field(name) for name in (*CHANGED, "annotators")))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count the pieces of a shard. An output that several systems have for a sentence is
        compared once.
        """
        assert text.source is not None  # noqa: S101 (the source is needed)
        sentences = [tuple(line.decode().split()) for line in text.source.texts()]
        schema, several = self.schema(len(text.references)), len(text.references)
        result = [
            schema.unpack(np.zeros((len(sentences), schema.width), np.int64)) for _ in text.systems
        ]
        parsed = lru_cache(CACHED)(outputs_of)
        gold = zip(*(lines.texts() for lines in text.references), strict=True)
        records = zip(*(lines.texts() for lines in text.systems), strict=True)
        for line, (sentence, own, outputs) in enumerate(zip(sentences, gold, records, strict=True)):
            references = _references(own, sentence)
            rows = {
                record: self._row(sentence, parsed(record), references, several)
                for record in set(outputs)
            }
            for record, columns in zip(outputs, result, strict=True):
                for name, numbers in rows[record].items():
                    columns[name][line] = numbers
        return result

    def _row(
        self,
        sentence: Words,
        outputs: Sequence[Sequence[Edit]],
        references: Sequence[Reference],
        several: int,
    ) -> dict[str, Any]:
        output = changes_of(outputs[0], len(sentence))
        cut, stretches = pieces(
            sentence, [output, *(reference.changes for reference in references)]
        )
        lengths = [
            piece.length(words) for piece in cut for words in piece.changed[1:] if words is not None
        ]
        whole = {
            "changed_words": sum(lengths),
            "changed_pieces": len(lengths),
            "annotators": len(outputs),
        }
        if not self.dependent:
            kinds = self._histograms(cut, range(1, len(references) + 1))
            return {
                **dict(zip(KINDS, kinds, strict=True)),
                "tn": stretches + len(cut) - kinds.sum(),
                **whole,
            }
        kinds = np.zeros((len(KINDS), several, self.longest + 1), np.int64)
        single = {
            name: np.full(several, value)
            for name, value in (("order", 0), ("ref_len", -1), ("tn", 0))
        }
        for place, reference in enumerate(references, 1):
            number = reference.number
            kinds[:, number] = self._histograms(cut, [place])
            single["order"][number] = reference.order
            single["ref_len"][number] = sum(piece.changed[place] is not None for piece in cut)
            single["tn"][number] = stretches + len(cut) - kinds[:, number].sum()
        return {**single, **dict(zip(KINDS, kinds, strict=True)), **whole}

    def _histograms(self, cut: Sequence[Piece], places: Sequence[int]) -> Ints:
        """Return how many pieces of each kind and length there are: int64 [kinds, lengths].

        The references are those at some places of `changed`. Pieces that are rightly left as they
        are do not count."""
        counts = np.zeros((len(KINDS), self.longest + 1), np.int64)
        for piece in cut:
            kind = _kind(
                piece, [piece.changed[place] for place in places], dependent=self.dependent
            )
            if kind is not None:
                counts[kind, min(piece.length(piece.changed[0] or ()), self.longest)] += 1
        return counts


def _references(records: Sequence[bytes], sentence: Words) -> list[Reference]:
    """Return the annotators who take part in a sentence, without empty references unless all are
    empty.

    Pairs with a further annotator of the output are left out.
    """
    references = []
    for number, record in enumerate(records):
        annotation = annotation_of(record)
        if annotation and annotation.output == 0:
            references.append(
                Reference(number, annotation.order, changes_of(annotation.edits, len(sentence)))
            )
    kept = [own for own in references if words_of(sentence, own.changes, 0, len(sentence))]
    return kept or sorted(references, key=lambda own: own.order)[-1:]


def _kind(piece: Piece, references: Sequence[Words | None], *, dependent: bool) -> int | None:
    """Return the number of a piece's kind in KINDS, None for a piece that is rightly left as it is.

    A reference that edits a piece without changing a word asks for nothing where it is compared
    alone. Together with others it counts as a reference that changes the piece. Both are as in the
    authors' program."""
    output = piece.changed[0]
    if output is None:
        asked = all(
            own is not None and not (dependent and own == piece.source) for own in references
        )
        return FN if asked else None
    if any(output == (piece.source if own is None else own) for own in references):
        return TP
    return NECESSARY if any(own is not None for own in references) else UNNECESSARY
