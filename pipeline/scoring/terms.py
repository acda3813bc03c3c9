"""The first of two layers from columns to scores: the terms of sentences, and the score of sums of them.

Terms are whole numbers, so that sums of them are exact, with weights or without. `aggregation.py` is the second layer:
it says which references count, and what the score of a data set is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..errors import InputError
from ..metrics.base.capabilities import chooser
from ..metrics.base.metric import Metric
from ..metrics.base.needs import PRESENT, Columns, Schema
from .column_blocks import HasBlocks, present_blocks


class Block(NamedTuple):
    """The terms of a block of lines of one system."""

    fixed: Ints
    """The numbers that do not depend on the reference: int64 [lines, width]."""
    apart: Sequence[Ints] = ()
    """Numbers with each reference: int64 [lines, references, width] for each field."""
    present: Ints | None = None
    """How many references each line has: int64 [lines]. None: every line has all references."""

    def with_reference(self, chosen: Ints | int) -> Block:
        """Return the terms with one reference of each line, all in `fixed`."""
        rows = np.arange(len(self.fixed))
        return Block(np.concatenate([self.fixed, *(array[rows, chosen] for array in self.apart)], axis=1))

    def with_each(self) -> Ints:
        """Return the terms with each reference: [lines, references, width]."""
        lines, references = self.apart[0].shape[:2]
        fixed = np.broadcast_to(self.fixed[:, None], (lines, references, self.fixed.shape[1]))
        return np.concatenate([fixed, *self.apart], axis=2)


class SentenceTerms(ABC):
    """Terms of sentences by a metric."""

    metric: Metric

    @abstractmethod
    def blocks(self, system: HasBlocks) -> Iterator[Block]:
        """Yield the terms of a system, one block of lines after the other."""

    @abstractmethod
    def outputs(self, totals: Floats) -> dict[str, Floats]:
        """Return the outputs of sums [..., width], the score first: float64 [...] each."""

    def score(self, totals: Floats) -> Floats:
        """Return the scores of sums [..., width]: float64 [...]."""
        return first(self.outputs(totals))


class ReferenceTerms(SentenceTerms):
    """Terms that depend on the reference."""

    reference: int | None = None
    """The number of the reference that counts for every line. None: the one that the metric chooses for it."""
    each: bool = False
    """Whether the terms with each reference are apart, so that references can be drawn or chosen later."""

    def columns_of(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the columns of a system, one block of lines after the other."""
        return present_blocks(self.metric, system)

    @abstractmethod
    def of_each(self, columns: Columns) -> Block:
        """Return the terms of a block with each reference."""

    def blocks(self, system: HasBlocks) -> Iterator[Block]:
        """Yield the terms, with each reference or with the one that counts."""
        choose = chooser(self.metric)
        for columns in self.columns_of(system):
            block = self.of_each(columns)
            if not self.each:
                chosen = choose(columns) if self.reference is None and block.apart else self.reference or 0
                block = block.with_reference(chosen)
            yield block


@dataclass(frozen=True)
class MetricTerms(ReferenceTerms):
    """The terms that the metric makes of columns."""

    metric: Metric
    reference: int | None = None
    each: bool = False

    @cached_property
    def schema(self) -> Schema:
        """The terms that are whole numbers, with one reference; those that depend on it come last."""
        fields = sorted((field for field in self.metric.terms if not field.real), key=lambda field: field.per_reference)
        return Schema.of(tuple(field._replace(per_reference=False) for field in fields), 1)

    def of_each(self, columns: Columns) -> Block:
        """Return the terms of a block with each reference."""
        return self._block(self.metric.make_terms(columns), columns.get(PRESENT))

    def _block(self, terms: Mapping[str, Ints], present: Ints | None) -> Block:
        lines = len(next(iter(terms.values())))
        fixed, apart = [np.zeros((lines, 0), np.int64)], []
        for field in self.metric.terms:
            if field.per_reference and not field.real:
                array = np.ascontiguousarray(terms[field.name])
                apart.append(array.reshape(*array.shape[:2], -1))
            elif not field.real:
                fixed.append(terms[field.name].reshape(lines, -1))
        return Block(np.concatenate(fixed, axis=1) if len(fixed) > 1 else fixed[0], apart, present)

    def outputs(self, totals: Floats) -> dict[str, Floats]:
        """Return the metric's outputs."""
        return self.metric.score(self.schema.unpack(totals))

    def of_system(self, system: HasBlocks) -> dict[str, float]:
        """Return the metric's outputs for all sentences of a system. Real terms are summed exactly too."""
        fields, choose = self.metric.terms, chooser(self.metric)
        apart = any(field.per_reference for field in fields)
        totals = np.zeros(self.schema.width, np.int64)
        real: dict[str, list[float]] = {field.name: [] for field in fields if field.real}
        for columns in present_blocks(self.metric, system):
            terms = self.metric.make_terms(columns)
            chosen = choose(columns) if apart and self.reference is None else self.reference or 0
            totals += self._block(terms, None).with_reference(chosen).fixed.sum(axis=0)
            for field in fields:
                if field.real:
                    values = terms[field.name]
                    values = values[np.arange(len(values)), chosen] if field.per_reference else values
                    real[field.name] += exact_parts(values.astype(np.float64))
        whole: dict[str, Any] = self.schema.unpack(totals) if self.schema.fields else {}
        scores = self.metric.score(whole | {name: np.float64(math.fsum(parts)) for name, parts in real.items()})
        return {name: float(value) for name, value in scores.items()}


def first(outputs: dict[str, Floats]) -> Floats:
    """Return the score: the first of a metric's outputs."""
    return next(iter(outputs.values()))


def check_sums(metric: Metric, arrays: Iterable[Floats | Ints], lines: int) -> None:
    """Raise InputError where a sum could be above 2**53. Differences of references are up to twice a term."""
    top = max(max(float(array.max(initial=0)), -float(array.min(initial=0))) for array in arrays)
    if 2 * top * lines > 1 << 53:
        raise InputError(f"{metric.name}: numbers up to {top:.0f} in {lines:,} lines cannot be summed")


def exact_parts(values: Floats) -> list[float]:
    """Return few numbers with the same sum as finite numbers, so that math.fsum() of several blocks' parts is exact."""
    numbers: list[float] = values.tolist()
    parts: list[float] = []
    while nearest := math.fsum(numbers):
        parts.append(nearest)
        numbers.append(-nearest)
    return parts
