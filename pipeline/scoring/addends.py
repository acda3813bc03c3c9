"""What each sentence adds to a score, as whole numbers, so that sums of it are exact, weighted or not.

For a metric and one choice of references: which numbers a block of lines gives, and the outputs of their sums.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..metrics.base.columns import PRESENT, Schema
from .column_blocks import present_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..arrays import Floats, Ints
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric
    from .column_blocks import HasBlocks


class Addends(NamedTuple):
    """Whole numbers of a block of lines, as float64."""

    fixed: Floats
    """What no draw of references changes: [lines, width]."""
    drawn: list[Floats]
    """What one reference gives, for each reference: [lines, width]. Empty where no references are drawn."""
    present: Ints | None = None
    """How many references each line has: int64 [lines]. None: all lines have all."""


class Kind(ABC):
    """One way to make addends of columns, and the score of their sums."""

    metric: Metric

    @abstractmethod
    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield the addends of a system, block of lines after block."""

    @abstractmethod
    def score(self, totals: Floats) -> Floats:
        """Return the ranked score of sums [..., width of fixed and drawn together]."""


@dataclass(frozen=True)
class Chosen(Kind):
    """The terms of each sentence for one reference."""

    metric: Metric
    reference: int | None = None
    """The number of the reference. None: the best of each sentence."""

    @cached_property
    def schema(self) -> Schema:
        """The whole numbers among the terms."""
        return Schema(tuple(f._replace(per_reference=False) for f in self.metric.terms if not f.real), 1)

    def picked(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the terms for the references chosen, block of lines after block, in their order."""
        apart = any(field.per_reference for field in self.metric.terms)
        for columns in present_blocks(self.metric, system):
            chosen = self.metric.choose(columns) if apart and self.reference is None else self.reference or 0
            terms, rows = self.metric.make_terms(columns), np.arange(len(next(iter(columns.values()))))
            yield {f.name: terms[f.name][rows, chosen] if f.per_reference else terms[f.name] for f in self.metric.terms}

    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield the terms; none of them is drawn."""
        for terms in self.picked(system):
            yield Addends(self.schema.pack(terms).astype(np.float64), [])

    def score(self, totals: Floats) -> Floats:
        """Return the metric's score."""
        return first(self.metric.score(self.schema.unpack(totals)))

    def outputs(self, system: HasBlocks) -> dict[str, float]:
        """Return the metric's outputs for all sentences of a system; real terms are summed exactly too."""
        totals = np.zeros(self.schema.width, np.int64)
        real = {field.name: Fraction(0) for field in self.metric.terms if field.real}
        for terms in self.picked(system):
            totals += self.schema.pack(terms).sum(axis=0) if self.schema.fields else 0
            real = {name: total + exact_sum(terms[name].astype(np.float64)) for name, total in real.items()}
        whole: dict[str, Any] = self.schema.unpack(totals) if self.schema.fields else {}
        scores = self.metric.score(whole | {name: np.float64(total) for name, total in real.items()})
        return {name: float(value) for name, value in scores.items()}


@dataclass(frozen=True)
class Drawn(Kind):
    """The terms of each sentence for each reference, one of which is drawn."""

    metric: Metric
    references: int

    @cached_property
    def fixed(self) -> Schema:
        """The terms that no draw changes."""
        return Schema(tuple(field for field in self.metric.terms if not field.per_reference), 1)

    @cached_property
    def drawn(self) -> Schema:
        """The terms that are one reference's."""
        return Schema(tuple(f._replace(per_reference=False) for f in self.metric.terms if f.per_reference), 1)

    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield both kinds of terms."""
        for columns in present_blocks(self.metric, system):
            terms = self.metric.make_terms(columns)
            apart = [self._of(reference, terms) for reference in range(self.references)]
            fixed = self.fixed.pack(terms).astype(np.float64) if self.fixed.fields else np.zeros((len(apart[0]), 0))
            yield Addends(fixed, apart, columns.get(PRESENT))

    def _of(self, reference: int, terms: Columns) -> Floats:
        packed = self.drawn.pack({field.name: terms[field.name][:, reference] for field in self.drawn.fields})
        return packed.astype(np.float64)

    def outputs(self, totals: Floats) -> dict[str, Floats]:
        """Return the metric's outputs of sums [..., width]."""
        width = self.fixed.width
        return self.metric.score(self.fixed.unpack(totals[..., :width]) | self.drawn.unpack(totals[..., width:]))

    def score(self, totals: Floats) -> Floats:
        """Return the metric's score."""
        return first(self.outputs(totals))


def first(outputs: dict[str, Floats]) -> Floats:
    """Return the ranked score of a metric's outputs."""
    return next(iter(outputs.values()))


def exact_sum(values: Floats) -> Fraction:
    """Return the sum of finite numbers without any rounding: float() of it is what math.fsum gives.

    They are cut into pieces of 30 bits, which are summed as integers. Of scores nothing is left after three.
    """
    total, rest = Fraction(0), values
    limit = 2.0 ** (62 - len(values).bit_length())
    for place in (30, 60, 90):
        top = math.ldexp(limit, -place)
        pieces = np.rint(np.ldexp(np.clip(rest, -top, top), place))
        total += Fraction(int(pieces.astype(np.int64).sum()), 1 << place)
        rest = rest - np.ldexp(pieces, -place)
    return total + sum(map(Fraction, rest[rest != 0].tolist()), Fraction(0))
