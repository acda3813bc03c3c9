"""The columns of I-measure: aligned tokens of source, output and reference, by who has changed them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import kernel
from ...corpus.edits.correction_references import (
    CorrectedSentence,
    MixingError,
    corrections_of_m2,
    references,
    split_of,
)
from ...corpus.edits.records import annotation_of
from ...dataclass import dataclass
from ...errors import LongTextError
from ...kernel.common import THREE_WAY_COUNTS
from ...kernel.lines import join_lines
from ...tokenizers.tokenization import Tokenization
from ..base.columns import Field
from ..base.metric import Needs
from ..base.views import GOLD
from .formulas import best_references, reference_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...arrays import Ints
    from ...corpus.edits.correction_references import Tokens
    from ...kernel.common import Encoded
    from ..base.metric import Text

BASELINE = ("base_tn", "base_fn")
COUNTS = (*THREE_WAY_COUNTS, *BASELINE)
TN, FN = THREE_WAY_COUNTS.index("tn"), THREE_WAY_COUNTS.index("d_fn")
ABSENT = -1


class Aligned(NamedTuple):
    """What the kernel takes to align a shard."""

    source: Encoded
    systems: list[Encoded]
    references: Encoded
    """The references of all lines, one line after the other."""
    firsts: Ints
    """Where those of each line begin: int64 [lines + 1]."""


@dataclass(frozen=True)
class ImeasureNeeds(Needs):
    """Counts of aligned tokens with each reference, or with the best of all mixed references."""

    words: str = "whitespace"
    """How a correction becomes words: a key of SPLITS in `corpus/edits/correction_references.py`."""
    mix: tuple[str, ...] = ()
    """Empty: a reference for each annotator. Otherwise the corrections of annotators are mixed in all ways, and this
    says how the best reference of a sentence is found: aspect, measure, w and beta."""
    source = True
    input = GOLD
    tokenization = Tokenization("ascii_whitespace")

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, those of the unchanged source, and the lengths of references (-1: there is none)."""
        return tuple(Field(name, per_reference=not self.mix) for name in ("ref_len", *COUNTS))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Align a shard, with the references made once for all systems."""
        each = [self._references(sentence, line) for line, sentence in enumerate(self.sentences(text))]
        source, systems, encoded, firsts = self.aligned(text, each)
        counts = kernel.three_way(source, [source, *systems], encoded, firsts)
        sizes = np.diff(encoded.offsets)
        return [self._columns(own, counts[0], sizes, firsts, len(text.references)) for own in counts[1:]]

    def aligned(self, text: Text, each: Sequence[Sequence[Tokens]]) -> Aligned:
        """Return the texts of a shard for the kernel; `each` are the references of each line."""
        assert text.source is not None  # noqa: S101 (source is True)
        firsts = np.cumsum([0, *map(len, each)]).astype(np.int64)
        lines = join_lines(" ".join(words).encode() for own in each for words in own)
        source, *systems, encoded = self.tokenization.encode([text.source, *text.systems, lines])
        return Aligned(source, systems, encoded, firsts)

    def sentences(self, text: Text) -> Iterator[CorrectedSentence]:
        """Yield the sentences with their corrections."""
        assert text.source is not None  # noqa: S101
        split = split_of(self.words)
        for line, *records in zip(text.source.texts(), *(lines.texts() for lines in text.references), strict=True):
            own = [annotation for annotation in map(annotation_of, records) if annotation]
            edits = [edit for annotation in sorted(own, key=lambda item: item.order) for edit in annotation.edits]
            yield corrections_of_m2([token.decode() for token in line.split()], edits, split)

    def _references(self, sentence: CorrectedSentence, line: int) -> Sequence[tuple[str, ...]]:
        try:
            return references(sentence, mix=bool(self.mix))
        except MixingError as error:
            raise LongTextError(0, line, str(error)) from None

    def _columns(self, counts: Ints, base: Ints, sizes: Ints, firsts: Ints, references: int) -> dict[str, Ints]:
        """Return the columns of a system; the arrays have a row for each reference of each line."""
        rows = np.concatenate([sizes[:, None], counts, base[:, [TN, FN]]], axis=1)
        names = ["ref_len", *COUNTS]
        if self.mix:
            aspect, measure, w, beta = self.mix
            keys = reference_keys(counts, base, aspect=aspect, measure=measure, w=float(w), beta=float(beta))
            best = rows[best_references(keys, firsts)]
            return {name: best[:, number] for number, name in enumerate(names)}
        table = np.zeros((len(firsts) - 1, references, len(names)), np.int64)
        table[..., 0] = ABSENT
        line = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        table[line, np.arange(len(rows)) - firsts[line]] = rows
        return {name: table[..., number] for number, name in enumerate(names)}
