"""The columns of CLEME: how many chunks of each kind and length a sentence has.

Weights depend on lengths, and on the mean length of all chunks that references change. So lengths
are counted apart, and weights are applied when the whole data set has been counted.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pipeline.arrays import Ints
from pipeline.extensions.edits.m2_files import DELETED, SPAN, Edit
from pipeline.extensions.edits.records import annotation_of, outputs_of
from pipeline.metrics.base import Field, StatisticsSpec, Text

from ..view_names import EDITS_OF_BOTH

Words = tuple[str, ...]
NO_EDIT = ("noop", "na")
"""The types of lines without an edit, in small letters."""


class Change(NamedTuple):
    """An edit of an annotator, within the sentence."""

    start: int
    """The first token that is replaced, from 0."""
    end: int
    """The token after the last that is replaced."""
    words: Words


class Chunk(NamedTuple):
    """A part of a sentence that is changed in the output or in a reference."""

    source: Words
    """Its words in the sentence; empty if words are inserted."""
    texts: list[Words | None]
    """Its words in each text, the output first; None if the text has no edit there."""

    def length(self, words: Words) -> int:
        """Return the length in a text with these words: the longer one of both sides counts."""
        return max(len(self.source), len(words))


class Chunks(NamedTuple):
    """The chunks of a sentence."""

    changed: list[Chunk]
    """Those with edits."""
    unchanged: int
    """The number of those between them, which nobody changes."""


def changes_of(edits: Iterable[Edit], size: int) -> list[Change]:
    """Return the edits of an annotator in the order of the sentence of `size` tokens.

    Edits beyond the end of the sentence are moved to the end.
    """
    changes = []
    for edit in edits:
        if edit.start >= 0 and edit.type.strip().lower() not in NO_EDIT:
            start = min(edit.start, size)
            end = min(max(edit.end, start), size)
            words: Words = ()
            if edit.correction != DELETED:
                words = tuple(edit.correction.split())
            changes.append(Change(start, end, words))
    return sorted(changes, key=SPAN)


def chunks_of(
    sentence: Sequence[str], texts: Sequence[Sequence[Change]]
) -> Chunks:
    """Cut a sentence into chunks.

    `sentence` is its tokens. `texts` has the changes of the output and then of each reference.
    Edits that overlap or touch are in one chunk, as section 3.1 of Ye et al. 2023 says, and the
    authors' program where the paper leaves a case open.
    """
    # join the spans of changes that overlap or touch
    spans: list[list[int]] = []
    for start, end, _ in sorted(itertools.chain.from_iterable(texts), key=SPAN):
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(end, spans[-1][1])
        else:
            spans.append([start, end])

    # the words of each text in each span, and the parts between spans
    changed = []
    unchanged = 0
    last_end = 0
    for start, end in spans:
        words_of_texts: list[Words | None] = []
        for changes in texts:
            inside = []
            for change in changes:
                if start <= change.start and change.end <= end:
                    inside.append(change)
            words = None
            if inside:
                words = words_of(sentence, inside, start, end)
            words_of_texts.append(words)
        changed.append(Chunk(tuple(sentence[start:end]), words_of_texts))
        if start > last_end:
            unchanged += 1
        last_end = end
    if len(sentence) > last_end:
        unchanged += 1
    return Chunks(changed, unchanged)


def words_of(
    sentence: Sequence[str],
    changes: Iterable[Change],
    start: int,
    end: int,
) -> Words:
    """Return the words into which changes, in their order, turn the tokens from start to end."""
    words: list[str] = []
    last_end = start
    for change in changes:
        words += [*sentence[last_end : change.start], *change.words]
        last_end = max(last_end, change.end)
    return (*words, *sentence[last_end:end])


KINDS = ("tp", "fp_ne", "fp_un", "fn")
"""The kinds of chunks that count.

Hits; misses in chunks that a reference changes, and in those that none changes; chunks that the
output leaves."""
TP, NECESSARY, UNNECESSARY, FN = range(4)
CACHED_RECORDS = 4096
"""Records whose edits are cached."""
CHANGED = ("changed_words", "changed_pieces")
"""The total length and the number of chunks that references change, over all references."""


class Reference(NamedTuple):
    """An annotator who takes part in a sentence."""

    number: int
    """The number of the annotator's column."""
    order: int
    """The rank of the annotator in the sentence, in the order of the file."""
    changes: list[Change]


@dataclass(frozen=True)
class ClemeSpec(StatisticsSpec):
    """The chunks of each kind and length, with each reference or with all of them together."""

    dependent: bool
    """Whether each reference is compared alone."""
    longest: int
    """The length as which longer chunks count."""
    annotator: str = ""
    """The annotator of texts, as in signatures; empty: there are only M2 files."""
    input = EDITS_OF_BOTH
    source = True
    added_later: ClassVar[frozenset[str]] = frozenset({"annotator"})

    @property
    def key(self) -> str:
        """A name, safe in file names, that is different if columns can differ."""
        assumption = "dependent" if self.dependent else "independent"
        annotator = f"-{self.annotator}" if self.annotator else ""
        return f"cleme-{assumption}-{self.longest}{annotator}"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The numbers of chunks by length from 0 on, and what the mean length is made of.

        With several references, ref_len is the number of chunks that the reference changes, -1 if
        it is missing. `annotators` says how many annotators the output has; the first one counts.
        """
        fields = []
        if self.dependent:
            fields = [
                Field(name, per_reference=True) for name in ("order", "ref_len")
            ]
        for kind in KINDS:
            orders = self.longest + 1
            fields.append(Field(kind, orders, per_reference=self.dependent))
        fields.append(Field("tn", per_reference=self.dependent))
        fields += [Field(name) for name in (*CHANGED, "annotators")]
        return tuple(fields)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system (see columns), an array whose first axis is lines.

        References and systems of `text` are records of edits. Equal outputs of several systems are
        compared once.
        """
        assert text.source is not None  # noqa: S101 (the source is needed)
        annotators = len(text.references)
        sentences = [
            tuple(line.decode().split()) for line in text.source.texts()
        ]
        schema = self.schema(annotators)
        shape = (len(sentences), schema.width)
        columns_of_systems = [
            schema.unpack(np.zeros(shape, np.int64)) for _ in text.systems
        ]
        cached_outputs_of = lru_cache(CACHED_RECORDS)(outputs_of)
        gold = zip(*(lines.texts() for lines in text.references), strict=True)
        outputs = zip(*(lines.texts() for lines in text.systems), strict=True)
        lines = zip(sentences, gold, outputs, strict=True)
        for line, (sentence, gold_records, output_records) in enumerate(lines):
            references = _references(gold_records, sentence)
            row_of = {}
            for record in set(output_records):
                edits = cached_outputs_of(record)
                row_of[record] = self._row(
                    sentence, edits, references, annotators
                )
            for record, columns in zip(
                output_records, columns_of_systems, strict=True
            ):
                for name, counts in row_of[record].items():
                    columns[name][line] = counts
        return columns_of_systems

    def _row(
        self,
        sentence: Words,
        outputs: Sequence[Sequence[Edit]],
        references: Sequence[Reference],
        annotators: int,
    ) -> dict[str, Any]:
        """Return the columns of one sentence.

        `outputs` has the edits of each annotator of the output, of which the first counts.
        `references` are the annotators who take part, of so many `annotators` of the data set.
        """
        output = changes_of(outputs[0], len(sentence))
        changes = [reference.changes for reference in references]
        chunks = chunks_of(sentence, [output, *changes])
        all_chunks = chunks.unchanged + len(chunks.changed)

        # the lengths of what references change
        lengths = []
        for chunk in chunks.changed:
            for words in chunk.texts[1:]:
                if words is not None:
                    lengths.append(chunk.length(words))
        columns: dict[str, Any] = {
            "changed_words": sum(lengths),
            "changed_pieces": len(lengths),
            "annotators": len(outputs),
        }

        # with all references together
        if not self.dependent:
            kinds = self._histograms(
                chunks.changed, range(1, len(references) + 1)
            )
            columns.update(zip(KINDS, kinds, strict=True))
            columns["tn"] = all_chunks - kinds.sum()
            return columns

        # or with each
        columns["order"] = np.zeros(annotators, np.int64)
        columns["ref_len"] = np.full(annotators, -1)
        columns["tn"] = np.zeros(annotators, np.int64)
        kinds = np.zeros((len(KINDS), annotators, self.longest + 1), np.int64)
        for text_index, reference in enumerate(references, 1):
            annotator = reference.number
            histograms = self._histograms(chunks.changed, [text_index])
            texts = [chunk.texts[text_index] for chunk in chunks.changed]
            kinds[:, annotator] = histograms
            columns["order"][annotator] = reference.order
            columns["ref_len"][annotator] = len(texts) - texts.count(None)
            columns["tn"][annotator] = all_chunks - histograms.sum()
        columns.update(zip(KINDS, kinds, strict=True))
        return columns

    def _histograms(
        self, chunks: Sequence[Chunk], references: Sequence[int]
    ) -> Ints:
        """Return how many chunks of each kind and length there are: int64 [kinds, lengths].

        The references have these indices among the texts of a chunk. Chunks that are rightly left
        as they are do not count.
        """
        counts = np.zeros((len(KINDS), self.longest + 1), np.int64)
        for chunk in chunks:
            texts = [chunk.texts[index] for index in references]
            kind = _kind(chunk, texts, dependent=self.dependent)
            if kind is not None:
                length = chunk.length(chunk.texts[0] or ())
                counts[kind, min(length, self.longest)] += 1
        return counts


def _references(records: Sequence[bytes], sentence: Words) -> list[Reference]:
    """Return the annotators who take part in a sentence.

    `records` has the record of each annotator, empty for one without a line. Annotators whose text
    has no word are left out; if all are such, the last in the file takes part. Pairs with a further
    annotator of the output are left out too.
    """
    references = []
    for column, record in enumerate(records):
        annotation = annotation_of(record)
        if annotation and annotation.output == 0:
            changes = changes_of(annotation.edits, len(sentence))
            references.append(Reference(column, annotation.order, changes))
    with_words = []
    for reference in references:
        if words_of(sentence, reference.changes, 0, len(sentence)):
            with_words.append(reference)
    if not with_words:
        references.sort(key=lambda reference: reference.order)
        return references[-1:]
    return with_words


def _kind(
    chunk: Chunk,
    references: Sequence[Words | None],
    *,
    dependent: bool,
) -> int | None:
    """Return the index in KINDS of a chunk's kind, None for one that is rightly left as it is.

    `references` has the words of each reference there, None for one without an edit. A reference
    that edits a chunk without changing a word requires nothing if it is compared alone
    (`dependent`). Together with others it counts as a reference that changes the chunk. Both are as
    in the authors' program.
    """
    output = chunk.texts[0]
    if output is None:
        for words in references:
            if words is None or (dependent and words == chunk.source):
                return None
        return FN
    for words in references:
        if output == words or (words is None and output == chunk.source):
            return TP
    if any(words is not None for words in references):
        return NECESSARY
    return UNNECESSARY
