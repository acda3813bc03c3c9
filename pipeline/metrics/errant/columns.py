"""The columns of ERRANT: hits and misses of each sentence with each annotator, in total and by type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ...edits.errant.edit_keys import CHERRANT, UNJUDGED, Comparison, Hits, compare, is_of
from ...edits.records import annotation_of, outputs_of
from ..base.columns import Field, Schema
from ..base.views import annotated_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...arrays import Ints
    from ...edits.errant.edit_keys import Keys
    from ..base.metric import Text

    Row: TypeAlias = "list[tuple[int, int, Hits] | None]"
    """Of each pair of annotators, for a sentence: the order, the number of the annotator's edits, and the hits."""

COUNTS = ("tp", "fp", "fn")
CACHED = 4096
"""Records whose edits are kept. Most outputs of a sentence are the same edits again, or none."""


class Reference(NamedTuple):
    """The edits of an annotator for a sentence, to be compared with those of one annotator of the output."""

    order: int
    output: int
    keys: Keys
    edits: int
    """How many edits there are, without noops."""


@dataclass(frozen=True)
class ErrantNeeds:
    """Hits (tp) and misses (fp, fn) of all edits, and of the types that are asked for."""

    comparison: Comparison
    types: tuple[str, ...] = ()
    """The types, categories or patterns that are counted apart; empty: none."""
    annotator: str = ""
    """The annotator of texts, as signatures call it; empty: there are only M2 files."""
    tokenization: ClassVar[None] = None

    @property
    def source(self) -> bool:
        """Whether texts are annotated, which takes the source."""
        return bool(self.annotator)

    @property
    def view(self) -> str:
        """Edits on both sides."""
        return annotated_by(self.annotator)

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        more = [repr(self.comparison.left_out)] * bool(self.comparison.left_out) + [repr(self.types)] * bool(self.types)
        digests = [blake2b(text.encode(), digest_size=6).hexdigest() for text in more]
        words = ["single"] * self.comparison.single + ["multi"] * self.comparison.multi
        words += [CHERRANT] * (self.comparison.style == CHERRANT)
        return "-".join(["errant", self.comparison.mode, *words, *digests, *[self.annotator] * bool(self.annotator)])

    @property
    def identity(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        compared = self.comparison
        flags = f"mode={compared.mode!r}, single={compared.single}, multi={compared.multi}"
        flags += f", style={compared.style!r}" if compared.style == CHERRANT else ""
        more = f", annotator={self.annotator!r}" if self.annotator else ""
        return f"ErrantNeeds({flags}, left_out={compared.left_out!r}, types={self.types!r}{more})"

    def schema(self, references: int) -> Schema:
        """Return the order of the annotators, their numbers of edits, and the counts."""
        names = ["order", "ref_len", *COUNTS, *(f"type_{name}" for name in COUNTS if self.types)]
        return Schema(tuple(Field(name, per_reference=True) for name in names), references)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the edits of a shard."""
        names = [field.name for field in self.schema(1).fields]
        result = []
        for hits_of_lines in hits_of(self.comparison, text):
            rows = [[self._row(item) for item in line] for line in hits_of_lines]
            table = np.array(rows, np.int64).reshape(len(rows), len(text.references), len(names))
            result.append({name: table[..., number] for number, name in enumerate(names)})
        return result

    def _row(self, item: tuple[int, int, Hits] | None) -> list[int]:
        """Return the numbers of a sentence with an annotator; ref_len is -1 where there is none."""
        if item is None:
            return [0, -1, *[0] * (6 if self.types else 3)]
        order, edits, hits = item
        apart = [sum(is_of(type_, self.types) for type_ in types) for types in hits] if self.types else []
        return [order, edits, *map(len, hits), *apart]


def hits_of(comparison: Comparison, text: Text) -> list[list[Row]]:
    """Return for each system, and for each line, what each pair of annotators gives: order, edits, hits and misses.

    The order of a pair is its place among those of the sentence in the official program. None stands for a pair of
    which one annotator has no line for the sentence. All needs of a shard that compare alike share the result.
    """
    shared = text.shared if text.shared is not None else {}
    key = ("errant", comparison)
    if key not in shared:
        shared[key] = [list(rows) for rows in _compared(comparison, text)]
    hits: list[list[Row]] = shared[key]
    return hits


def _compared(comparison: Comparison, text: Text) -> Iterator[Iterator[Row]]:
    """Yield for each system an iterator over the rows of its lines."""
    parsed = lru_cache(CACHED)(lambda record: [comparison.keys(edits) for edits in outputs_of(record)])
    references = [[_reference(comparison, record) for record in lines.texts()] for lines in text.references]
    several = len(text.references)

    @lru_cache(CACHED)  # systems often have the same edits of a sentence, or none
    def with_each(record: bytes, line: int) -> Row:
        outputs, row = parsed(record), list[tuple[int, int, Hits] | None]()
        own = [lines[line] for lines in references]
        judged = comparison.style != CHERRANT or not _is_unjudged([item for item in own if item and not item.output])
        for reference in own:
            if reference is None or reference.output >= len(outputs):
                row.append(None)
                continue
            order = reference.output * several + reference.order
            hits = compare(outputs[reference.output], reference.keys) if judged else Hits([], [], [])
            row.append((order, reference.edits, hits))
        return row

    for lines in text.systems:
        yield (with_each(record, line) for line, record in enumerate(lines.texts()))


def _is_unjudged(references: Sequence[Reference]) -> bool:
    """Return whether the only annotator of a sentence did not judge it, as ChERRANT's files say it."""
    return len(references) == 1 and [*references[0].keys.values()] == [[UNJUDGED]]


def _reference(comparison: Comparison, record: bytes) -> Reference | None:
    annotation = annotation_of(record)
    if annotation is None:
        return None
    keys = comparison.keys(annotation.edits)
    edits = sum(len(types) for types in keys.values() if types[0] != "noop")
    return Reference(annotation.order, annotation.output, keys, edits)
