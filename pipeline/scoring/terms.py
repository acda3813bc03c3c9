"""What each sentence adds to a score: whole numbers, so that sums of them are exact, with weights or without.

There is a class for each way to choose the references. It makes the addends of a block of lines, and the score of sums.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import kernel
from ..dataclass import dataclass
from ..errors import InputError
from ..kernel.packed_numbers import Packed
from ..metrics.base.capabilities import chooser
from ..metrics.base.columns import PRESENT, Schema
from ..metrics.compiled import sums_of
from .column_blocks import present_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..arrays import Floats, Ints
    from ..metrics.base.columns import Columns, Field
    from ..metrics.base.metric import Metric
    from .column_blocks import HasBlocks


class Addends(NamedTuple):
    """The whole numbers that the lines of a block add to sums, as float64."""

    fixed: Floats
    """The numbers that do not depend on the draw of references: [lines, width]."""
    drawn: list[Floats]
    """For each reference the numbers that a line adds when that one is drawn: [lines, width]. Empty: none is drawn."""
    present: Ints | None = None
    """How many references each line has: int64 [lines]. None: every line has all references."""


class PackedAddends(NamedTuple):
    """The addends of a block of lines, packed."""

    fixed: Packed
    drawn: list[Packed]
    present: Ints | None

    @classmethod
    def of(cls, addends: Addends) -> PackedAddends | None:
        """Return the addends packed, or None where they cannot be."""
        fixed, drawn = Packed.of(addends.fixed), [Packed.of(array) for array in addends.drawn]
        packed = [array for array in drawn if array is not None]
        return None if fixed is None or len(packed) < len(drawn) else cls(fixed, packed, addends.present)

    @property
    def nbytes(self) -> int:
        """How many bytes the numbers take."""
        return sum(array.nbytes for array in (self.fixed, *self.drawn))


class Terms(NamedTuple):
    """The whole numbers of the lines of a block, of which some depend on the reference."""

    fixed: Ints
    """The numbers that do not depend on the reference: int64 [lines, width]."""
    apart: list[Ints]
    """Numbers with each reference: int64 [lines, references, width] for each field."""
    present: Ints | None
    """How many references each line has: int64 [lines]. None: every line has all references."""


class Kind(ABC):
    """A way to make addends from columns, and a score from sums of addends."""

    metric: Metric

    @abstractmethod
    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield the addends of a system, one block of lines after the other."""

    @abstractmethod
    def score(self, totals: Floats) -> Floats:
        """Return the scores of sums [..., width of fixed and drawn together]: float64 [...]."""

    def outputs_of(self, totals: Floats) -> dict[str, Floats]:
        """Return the outputs of the same sums, the score first: float64 [...] each."""
        return {self.metric.output: self.score(totals)}


@dataclass(frozen=True)
class Chosen(Kind):
    """The terms of each sentence with a certain reference."""

    metric: Metric
    reference: int | None = None
    """The number of the reference. None: the reference that the metric chooses for each sentence."""

    @cached_property
    def schema(self) -> Schema:
        """The terms that are whole numbers."""
        return _whole(self.metric.terms)

    def picked(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the terms with the reference of each sentence, one block of lines after the other."""
        return self._picked(present_blocks(self.metric, system))

    def _picked(self, blocks: Iterable[Columns]) -> Iterator[Columns]:
        apart = any(field.per_reference for field in self.metric.terms)
        choose = chooser(self.metric)
        for columns in blocks:
            chosen = choose(columns) if apart and self.reference is None else self.reference or 0
            terms, rows = self.metric.make_terms(columns), np.arange(len(next(iter(columns.values()))))
            yield {f.name: terms[f.name][rows, chosen] if f.per_reference else terms[f.name] for f in self.metric.terms}

    def with_each(self, system: HasBlocks) -> Iterator[tuple[Columns, Floats]]:
        """Yield the columns of each block of lines, and the terms with each reference: [lines, references, width]."""
        for columns in present_blocks(self.metric, system):
            terms = self.metric.make_terms(columns)
            several = range(next(terms[f.name].shape[1] for f in self.metric.terms if f.per_reference))
            each = (
                {f.name: terms[f.name][:, n] if f.per_reference else terms[f.name] for f in self.metric.terms}
                for n in several
            )
            yield columns, np.stack([self.schema.pack(own) for own in each], axis=1).astype(np.float64)

    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield the terms."""
        for terms in self.picked(system):
            yield Addends(self.schema.pack(terms).astype(np.float64), [])

    def score(self, totals: Floats) -> Floats:
        """Return the metric's score."""
        return first(self.outputs_of(totals))

    def outputs_of(self, totals: Floats) -> dict[str, Floats]:
        """Return the metric's outputs."""
        return self.metric.score(self.schema.unpack(totals))

    def outputs(self, system: HasBlocks) -> dict[str, float]:
        """Return the metric's outputs for all sentences of a system. Real terms are summed exactly too."""
        blocks, compiled = present_blocks(self.metric, system), sums_of(self.metric)
        begun = [*islice(blocks, 2)]
        if compiled and len(begun) == 1:
            outputs = compiled.outputs(begun[0], None if self.reference is None else [self.reference])
            return dict(zip(compiled.names, outputs[:, 0].tolist(), strict=True))
        totals = np.zeros(self.schema.width, np.int64)
        real = {field.name: Fraction(0) for field in self.metric.terms if field.real}
        for terms in self._picked(chain(begun, blocks)):
            totals += self.schema.pack(terms).sum(axis=0) if self.schema.fields else 0
            real = {name: total + exact_sum(terms[name].astype(np.float64)) for name, total in real.items()}
        whole: dict[str, Any] = self.schema.unpack(totals) if self.schema.fields else {}
        scores = self.metric.score(whole | {name: np.float64(total) for name, total in real.items()})
        return {name: float(value) for name, value in scores.items()}


@dataclass(frozen=True)
class Drawn(Kind):
    """The terms of each sentence with each reference. One reference is drawn for each sentence."""

    metric: Metric
    references: int

    @cached_property
    def fixed(self) -> Schema:
        """The terms that do not depend on the reference."""
        return Schema.of(tuple(field for field in self.metric.terms if not field.per_reference), 1)

    @cached_property
    def drawn(self) -> Schema:
        """The terms that depend on the reference."""
        return _whole(tuple(field for field in self.metric.terms if field.per_reference), real=True)

    def terms(self, system: HasBlocks) -> Iterator[Terms]:
        """Yield the terms that are fixed, and those with each reference."""
        for columns in present_blocks(self.metric, system):
            terms = self.metric.make_terms(columns)
            apart = [terms[field.name] for field in self.drawn.fields]
            whole = [np.ascontiguousarray(term).reshape(len(term), self.references, -1) for term in apart]
            fixed = self.fixed.pack(terms) if self.fixed.fields else np.zeros((len(whole[0]), 0), np.int64)
            yield Terms(fixed, whole, columns.get(PRESENT))

    def addends(self, system: HasBlocks) -> Iterator[Addends]:
        """Yield the terms that are fixed, and those with each reference."""
        for fixed, apart, present in self.terms(system):
            numbers = np.concatenate(apart, axis=2).astype(np.float64)
            drawn = [np.ascontiguousarray(numbers[:, reference]) for reference in range(self.references)]
            yield Addends(fixed.astype(np.float64), drawn, present)

    def outputs_of(self, totals: Floats) -> dict[str, Floats]:
        """Return the metric's outputs for sums [..., width]: float64 [...] each."""
        width = self.fixed.width
        return self.metric.score(self.fixed.unpack(totals[..., :width]) | self.drawn.unpack(totals[..., width:]))

    def score(self, totals: Floats) -> Floats:
        """Return the metric's score."""
        return first(self.outputs_of(totals))


@lru_cache(256)
def _whole(terms: tuple[Field, ...], *, real: bool = False) -> Schema:
    """Return the schema of terms with one reference. `real` says whether it also has those that are real."""
    return Schema.of(tuple(field._replace(per_reference=False) for field in terms if real or not field.real), 1)


def first(outputs: dict[str, Floats]) -> Floats:
    """Return the score: the first of a metric's outputs."""
    return next(iter(outputs.values()))


def check_sums(metric: Metric, arrays: Iterable[Floats | Ints], lines: int) -> None:
    """Raise InputError where a sum could be above 2**53. Differences of references are up to twice a term."""
    top = max(max(float(array.max(initial=0)), -float(array.min(initial=0))) for array in arrays)
    if 2 * top * lines > 1 << 53:
        raise InputError(f"{metric.name}: numbers up to {top:.0f} in {lines:,} lines cannot be summed")


FEW = 4
"""Up to so many numbers are summed one by one, which then takes less time than to cut them into pieces."""


SHORT = 128
"""Up to so many numbers, math.fsum() takes less time than exact_sum()."""


def nearest_sum(values: Floats) -> float:
    """Return the float nearest to the sum of finite numbers, which is float(exact_sum(values))."""
    if len(values) <= SHORT:
        return math.fsum(values.tolist()) + 0.0  # the sum of no numbers, or of -0.0, is 0.0
    return float(exact_sum(values))


def exact_sum(values: Floats) -> Fraction:
    """Return the sum of finite numbers without rounding. The float nearest to it is the result of math.fsum.

    The numbers are cut into pieces of 30 bits, which are summed as integers. Three pieces hold all bits of a score.
    """
    if len(values) <= FEW:
        return sum(map(Fraction, values.tolist()), Fraction(0))
    compiled = kernel.formula("exact_sum", "exact_sums")
    if compiled:
        whole, power = compiled(np.ascontiguousarray(values))
        return Fraction(whole, 1 << power) if power > 0 else Fraction(whole << -power)
    total, rest = Fraction(0), values
    limit = 2.0 ** (62 - len(values).bit_length())
    for bits in (30, 60, 90):
        top = math.ldexp(limit, -bits)
        pieces = np.rint(np.ldexp(np.clip(rest, -top, top), bits))
        total += Fraction(int(pieces.astype(np.int64).sum()), 1 << bits)
        rest = rest - np.ldexp(pieces, -bits)
    return total + sum(map(Fraction, rest[rest != 0].tolist()), Fraction(0))
