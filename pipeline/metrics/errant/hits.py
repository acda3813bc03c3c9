"""The hits and misses of all outputs of a shard at once, as arrays. compare() of `edit_keys.py` says what they are."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...corpus.edits.errant_report import CHERRANT, NOOP, UNJUDGED
from ...corpus.edits.records import annotation_of, outputs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ...arrays import Ints
    from ...corpus.edits.errant_report import Comparison
    from ...corpus.edits.m2_files import Edit
    from ..base.metric import Text

    Key = tuple[int | str, ...]
    Hits = tuple[Ints, Ints]
    """The row of each hit or miss, which is its system times the number of lines plus its line; and its type."""

CACHED = 4096
"""Records whose edits are kept. Most outputs of a sentence are the same edits again, or none."""
TYPE_BITS = 24
TYPES = (1 << TYPE_BITS - 1) - 1
"""Bits of an entry: the lowest says whether it is alive, those of TYPES above are its type, and the others its key."""


class Compared(NamedTuple):
    """Hits and misses of the outputs of a shard with each pair of annotators."""

    orders: Ints
    """The place of each pair among those of the sentence in the official program: [systems, lines, pairs]."""
    edits: Ints
    """How many edits the annotator has, without noops; -1 where one of the pair has no line: the same shape."""
    hits: list[tuple[Hits, Hits, Hits]]
    """For each pair the hits (tp), then the misses of the output (fp) and those of the annotator (fn)."""
    types: list[str]
    """The types by their numbers."""


class Entries(NamedTuple):
    """Edits as they are compared. An edit of which each token counts is several of them."""

    rows: Ints
    """The line of each, or the system times the number of lines plus the line."""
    keys: Ints
    """What has to be equal, as a number."""
    types: Ints
    alive: NDArray[np.bool_]
    """Whether the first edit with this key is no noop."""


class _Reference(NamedTuple):
    """The edits of an annotator for a sentence."""

    order: int
    output: int
    """The annotator of the output with whom they are compared."""
    entries: list[int]

    @property
    def edits(self) -> int:
        """How many there are, without noops."""
        return sum(entry & 1 for entry in self.entries)


def hits_of(comparison: Comparison, text: Text) -> Compared:
    """Return hits and misses of a shard. All needs that compare alike share the result, which nobody may change."""
    shared = text.shared if text.shared is not None else {}
    key = ("errant", comparison)
    if key not in shared:
        shared[key] = _Comparing(comparison, text).all()
    compared: Compared = shared[key]
    return compared


class _Comparing:
    """Numbers keys and types as they come, and compares them."""

    def __init__(self, comparison: Comparison, text: Text) -> None:
        self.comparison = comparison
        self.systems, self.lines = len(text.systems), len(text.references[0].starts)
        self._keys: dict[Key, int] = {}
        self._types: dict[str, int] = {}
        self._known: dict[Edit, list[int]] = {}
        self.references = [[self._reference(record) for record in lines.texts()] for lines in text.references]
        read = lru_cache(CACHED)(self._outputs)
        self.outputs = [read(record) for lines in text.systems for record in lines.texts()]

    def all(self) -> Compared:
        """Return everything."""
        pairs = len(self.references)
        shape = (self.systems, self.lines, pairs)
        orders, edits = np.zeros(shape, np.int64), np.full(shape, -1, np.int64)
        judged, hits = self._judged(), []
        for number, references in enumerate(self.references):
            output = next((own.output for own in references if own), 0)
            has_line = np.array([own is not None for own in references])
            has_output = np.array([len(own) > output for own in self.outputs]).reshape(shape[:2])
            both = has_line & has_output
            order = np.array([output * pairs + own.order if own else 0 for own in references])
            orders[..., number] = np.where(both, order, 0)
            edits[..., number] = np.where(both, np.array([own.edits if own else -1 for own in references]), -1)
            ours = self._entries([own[output] if len(own) > output else () for own in self.outputs])
            theirs = self._entries([own.entries if own else () for own in references])
            hits.append(self._compare(ours, theirs, both & judged))
        return Compared(orders, edits, hits, list(self._types))

    def _compare(self, ours: Entries, theirs: Entries, counts: NDArray[np.bool_]) -> tuple[Hits, Hits, Hits]:
        """Return tp, fp and fn; `counts` says which sentences of which systems are compared: [systems, lines]."""
        several = max(len(self._keys), 1)
        wanted, places = np.unique(theirs.rows * several + theirs.keys, return_inverse=True)
        system, line = np.divmod(ours.rows, self.lines)
        own = line * several + ours.keys
        near = np.minimum(np.searchsorted(wanted, own), max(len(wanted) - 1, 0))
        same = wanted[near] == own if len(wanted) else np.zeros(len(own), bool)
        has, has_alive = (np.zeros((self.systems, len(wanted)), bool) for _ in "12")
        has[system[same], near[same]] = True
        alive = same & ours.alive
        has_alive[system[alive], near[alive]] = True
        counted = counts[:, theirs.rows]
        misses = ours.alive & ~same & counts.reshape(-1)[ours.rows]
        return (
            self._theirs(theirs, has_alive[:, places] & counted),
            (ours.rows[misses], ours.types[misses]),
            self._theirs(theirs, theirs.alive & ~has[:, places] & counted),
        )

    def _theirs(self, entries: Entries, chosen: NDArray[np.bool_]) -> Hits:
        """Return the annotator's entries that are chosen of each system: [systems, entries]."""
        system, number = np.nonzero(chosen)
        return system * self.lines + entries.rows[number], entries.types[number]

    def _judged(self) -> NDArray[np.bool_]:
        """Return which sentences are judged, as ChERRANT's files say it: [lines]."""
        if self.comparison.style != CHERRANT:
            return np.ones(self.lines, bool)
        each = [[own for own in line if own and not own.output] for line in zip(*self.references, strict=True)]
        return np.array([len(own) != 1 or self._names(own[0]) != [UNJUDGED] for own in each], bool)

    def _names(self, own: _Reference) -> list[str]:
        """Return the types of the edits of an annotator."""
        names = list(self._types)
        return [names[entry >> 1 & TYPES] for entry in own.entries]

    def _outputs(self, record: bytes) -> list[list[int]]:
        """Return the entries of each annotator of an output."""
        return [self._numbered(edits) for edits in outputs_of(record)]

    def _reference(self, record: bytes) -> _Reference | None:
        """Return the edits of an annotator, or None where there is no line of theirs."""
        annotation = annotation_of(record)
        if annotation is None:
            return None
        return _Reference(annotation.order, annotation.output, self._numbered(annotation.edits))

    def _numbered(self, edits: Sequence[Edit]) -> list[int]:
        """Return the entries of edits in one number each: the key, the type, and whether it is alive."""
        entries = list[int]()
        for edit in edits:
            own = self._known.get(edit)
            if own is None:
                own = self._known[edit] = [self._entry(key, edit.type) for key in self.comparison.keys_of(edit)]
            entries += own
        if len(entries) > 1 and len({entry >> TYPE_BITS for entry in entries}) < len(entries):
            keys = self.comparison.keys(edits)
            return [self._entry(key, name, types[0]) for key, types in keys.items() for name in types]
        return entries

    def _entry(self, key: Key, type_: str, first: str | None = None) -> int:
        """Return an entry; `first` is the type of the first edit with this key, where that is another edit."""
        number = self._keys.setdefault(key, len(self._keys)) << TYPE_BITS
        alive = (type_ if first is None else first) != NOOP
        return number | self._types.setdefault(type_, len(self._types)) << 1 | alive

    @staticmethod
    def _entries(of_rows: Iterable[Sequence[int]]) -> Entries:
        """Return the entries of each row."""
        packed, sizes = list[int](), list[int]()
        for own in of_rows:
            packed += own
            sizes.append(len(own))
        numbers = np.array(packed, np.int64)
        rows = np.repeat(np.arange(len(sizes)), sizes)
        return Entries(rows, numbers >> TYPE_BITS, numbers >> 1 & TYPES, (numbers & 1).astype(bool))
