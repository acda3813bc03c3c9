"""What of each sentence is added up for a score, as whole numbers, so that weighted sums of it are exact.

For a metric and one choice of references: which numbers a block of lines gives, and the score of their sums.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from ...metrics.base.columns import PRESENT, Schema
from ..column_blocks import present_blocks
from ..reduce import packed_reference, picked_schema, picked_terms
from ..sentences import sentence_scores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...arrays import Floats, Ints
    from ...metrics.base.columns import Columns
    from ...metrics.base.metric import Metric
    from ..column_blocks import HasBlocks

BITS = 26
"""Bits in each half of a sentence score: sums stay below 2**53 for 2**26 sentences; where there are more, fewer."""


class Addends(NamedTuple):
    """Whole numbers of a block of lines, float64.

    fixed: [lines, width]; drawn: the same for each reference, where references are drawn, else empty; present: how
    many references each line has, int64 [lines] (None: all).
    """

    fixed: Floats
    drawn: list[Floats]
    present: Ints | None = None


class Kind(Protocol):
    """One way to make addends of columns, and the score of their sums."""

    def make(self, columns: Columns) -> Addends:
        """Return the addends of a block of lines."""

    def score(self, sums: Floats) -> Floats:
        """Return the ranked score of sums [..., width of fixed and drawn together]."""


@dataclass(frozen=True)
class Chosen:
    """Terms for one reference: number `reference` of all sentences, or of each the best (None)."""

    metric: Metric
    reference: int | None = None

    def make(self, columns: Columns) -> Addends:
        """Return the terms, nothing drawn."""
        reference = self.reference
        choose = self.metric.choose if reference is None else lambda _: reference
        packed = picked_schema(self.metric).pack(picked_terms(self.metric, columns, choose))
        return Addends(packed.astype(np.float64), [])

    def score(self, sums: Floats) -> Floats:
        """Return the metric's score."""
        return first(self.metric.score(picked_schema(self.metric).unpack(sums)))


@dataclass(frozen=True)
class Drawn:
    """Terms for references that are drawn."""

    metric: Metric
    references: int

    def schemas(self) -> tuple[Schema, Schema]:
        """Return the terms that no draw changes, and those that are one reference's."""
        fields = self.metric.terms
        fixed = tuple(field for field in fields if not field.per_reference)
        return Schema(fixed, 1), Schema(tuple(f._replace(per_reference=False) for f in fields if f.per_reference), 1)

    def make(self, columns: Columns) -> Addends:
        """Return both kinds of terms."""
        fixed, drawn = self.schemas()
        terms = self.metric.make_terms(columns)
        apart = [packed_reference(drawn, terms, reference) for reference in range(self.references)]
        unchanged = fixed.pack(terms).astype(np.float64) if fixed.fields else np.zeros((len(apart[0]), 0))
        return Addends(unchanged, apart, columns.get(PRESENT))

    def score(self, sums: Floats) -> Floats:
        """Return the metric's score."""
        fixed, drawn = self.schemas()
        return first(self.metric.score(fixed.unpack(sums[..., : fixed.width]) | drawn.unpack(sums[..., fixed.width :])))


@dataclass(frozen=True)
class Sentences:
    """Sentence scores as two whole numbers, the high and the low half of 53 bits, so that they too add up exactly.

    The unit is 2**(exponent - 2 * bits - 1), where 2**exponent is above every score in question: as fine as float64
    is for the largest of them. Scores of several systems must have the same exponent.
    """

    metric: Metric
    exponent: int
    divisor: int
    bits: int = BITS

    @staticmethod
    def of(metric: Metric, systems: Iterable[HasBlocks], lines: int) -> Sentences:
        """Return the kind for some systems; reads their sentence scores once."""
        blocks = (columns for system in systems for columns in present_blocks(metric, system))
        top = max((float(np.abs(sentence_scores(metric, columns)).max()) for columns in blocks), default=0.0)
        bits = min(BITS, 52 - (lines - 1).bit_length())
        return Sentences(metric, math.frexp(top)[1], lines if metric.level == "mean" else 1, bits)

    def make(self, columns: Columns) -> Addends:
        """Return [lines, 2]: high and low half."""
        scores = sentence_scores(self.metric, columns)
        high = np.rint(np.ldexp(scores, self.bits - self.exponent))
        rest = scores - np.ldexp(high, self.exponent - self.bits)
        return Addends(np.stack([high, np.rint(np.ldexp(rest, 2 * self.bits + 1 - self.exponent))], axis=-1), [])

    def score(self, sums: Floats) -> Floats:
        """Return the mean, or the sum."""
        high = np.ldexp(sums[..., 0], self.exponent - self.bits)
        low = np.ldexp(sums[..., 1], self.exponent - 2 * self.bits - 1)
        total: Floats = (high + low) / self.divisor
        return total


def first(outputs: dict[str, Floats]) -> Floats:
    """Return the ranked score of a metric's outputs."""
    return next(iter(outputs.values()))
