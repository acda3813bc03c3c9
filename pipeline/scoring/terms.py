"""The first of two layers from columns to scores: columns in blocks, and terms of sentences.

Blocks are of lines, with missing references moved to the end. Terms are whole numbers, so that sums
of them are exact, with weights or without: those of a metric, and those of each category, such as
each type of edit. `aggregation.py` is the second layer: it says which references count, and what
the score of a data set is.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..errors import InputError
from ..metrics.base import Columns, Metric, Schema
from .rows import Breakdown, Category

Outputs = dict[str, Floats]
"""The outputs of a metric by name, the score first: float64 arrays of the same shape."""

MAX_EXACT_SUM = 1 << 53
"""Whole numbers up to this are exact in float64."""

# --- the columns of a system, one block of lines after the other


class HasBlocks(Protocol):
    """Counts of a system, which can be read any number of times."""

    def blocks(self) -> Iterator[Columns]:
        """Yield the columns of one block of lines after the other."""


@dataclass(frozen=True)
class MetricColumns:
    """Reads the columns of systems in the form in which a metric makes scores of them."""

    metric: Metric

    def blocks(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the blocks of a system, with the sums over all of them that the metric reads.

        The names of these columns begin with Schema.CORPUS_SUM.
        """
        names = self.metric.corpus_sums
        if not names:
            yield from system.blocks()
            return
        totals = dict.fromkeys(names, 0)
        for columns in system.blocks():
            for name in names:
                total_of_block = columns[name].sum()
                totals[name] += int(total_of_block)
        for columns in system.blocks():
            with_totals = dict(columns)
            for name, total in totals.items():
                repeated = np.full_like(columns[name], total)
                with_totals[Schema.CORPUS_SUM + name] = repeated
            yield with_totals

    def compact_blocks(
        self, system: HasBlocks, more: Sequence[str] = ()
    ) -> Iterator[Columns]:
        """Yield the blocks of a system, with missing references moved to the end (see compact).

        `more` names columns with numbers for each reference that the system has beside those of
        the metric.
        """
        blocks = self.blocks(system)
        if not self.metric.reads_last:
            for columns in blocks:
                yield self.compact(columns, more)
            return
        following = next(blocks, None)
        while following is not None:
            columns = self.compact(following, more)
            following = next(blocks, None)
            last = np.zeros(len(columns["hyp_len"]), np.int64)
            if following is None:
                last[-1:] = 1
            yield {**columns, Schema.LAST: last}

    def compact(self, columns: Columns, more: Sequence[str] = ()) -> Columns:
        """Return columns in which the references that a line has come first.

        A missing reference has ref_len -1. The numbers of missing references are replaced by those
        of the first reference that the line has, so that the best reference is the same. The column
        Schema.PRESENT, int64 [lines], has the number of references that the line has. Columns without
        missing references are returned unchanged. `more` is as for compact_blocks().
        """
        if "ref_len" not in columns:  # numbers from a file: no references
            return columns
        missing = columns["ref_len"] < 0
        if Schema.PRESENT in columns or not missing.any():
            return columns
        lines, references = missing.shape
        present = (~missing).sum(axis=1)  # [lines]
        order = np.argsort(missing, axis=1, kind="stable")
        is_present = np.arange(references) < present[:, None]
        first_present = order[:, :1]
        order = np.where(is_present, order, first_present)
        rows = np.arange(lines)[:, None]
        completed = dict(columns)
        for name in (*self.metric.spec.of_references, *more):
            completed[name] = columns[name][rows, order]
        completed[Schema.PRESENT] = present
        return completed

    def chosen_references(self, system: HasBlocks) -> Iterator[Ints]:
        """Yield for each block of a system which reference the metric chooses: int64 [lines].

        The numbers are those of the data set, whatever references a line has.
        """
        choose = self.metric.chooser()
        unmoved_blocks = system.blocks()
        moved_blocks = self.compact_blocks(system)
        for columns, moved in zip(unmoved_blocks, moved_blocks, strict=True):
            chosen = choose(moved)
            if Schema.PRESENT in moved:
                missing = columns["ref_len"] < 0  # [lines, references]
                order = np.argsort(missing, axis=1, kind="stable")
                rows = np.arange(len(order))
                chosen = order[rows, chosen]
            yield chosen


@dataclass(frozen=True)
class ByLine:
    """The numbers of a system for all lines of its data set: NaN for lines that are left out."""

    counts: HasBlocks
    left_out: Sequence[int]
    """These lines of the data set, from 0 and in rising order."""

    def blocks(self) -> Iterator[Columns]:
        """Yield the columns, one block of lines after the other.

        A line left out is in the block of the line before.
        """
        # how many lines with numbers come before each line left out
        left_out = np.array(self.left_out, np.int64)
        positions = left_out - np.arange(len(left_out))
        before = 0
        for columns in self.counts.blocks():
            any_column = next(iter(columns.values()))
            end = before + len(any_column)
            is_here = positions <= end
            if before > 0:  # a line before all others is in the first block
                is_here &= positions > before
            inserted = positions[is_here] - before
            filled = {}
            for name, values in columns.items():
                filled[name] = np.insert(values, inserted, np.nan, axis=0)
            yield filled
            before = end


@dataclass(frozen=True)
class Subset:
    """The counts of a system with only some of the references."""

    counts: HasBlocks
    references: list[int]
    """The numbers of the references."""
    reference_columns: Sequence[str]
    """The names of the columns with numbers for each reference."""

    def blocks(self) -> Iterator[Columns]:
        """Yield the columns with these references, one block of lines after the other."""
        for columns in self.counts.blocks():
            selected = dict(columns)
            for name in self.reference_columns:
                selected[name] = columns[name][:, self.references]
            yield selected


# --- the terms of sentences


class Block(NamedTuple):
    """The terms of a block of lines of one system."""

    fixed: Ints
    """The numbers that do not depend on the reference: int64 [lines, width]."""
    apart: Sequence[Ints] = ()
    """Numbers with each reference: int64 [lines, references, width] for each field."""
    present: Ints | None = None
    """How many references each line has: int64 [lines]. None: every line has all references."""

    def with_reference(self, chosen: Ints | int) -> "Block":
        """Return the terms with one reference of each line, all in `fixed`."""
        rows = np.arange(len(self.fixed))
        terms = [self.fixed]
        for array in self.apart:
            terms.append(array[rows, chosen])
        return Block(np.concatenate(terms, axis=1))

    def with_each(self) -> Ints:
        """Return the terms with each reference: [lines, references, width]."""
        lines, references = self.apart[0].shape[:2]
        shape = (lines, references, self.fixed.shape[1])
        fixed = np.broadcast_to(self.fixed[:, None], shape)
        return np.concatenate([fixed, *self.apart], axis=2)


class SentenceTerms(ABC):
    """Terms of sentences by a metric."""

    metric: Metric

    @abstractmethod
    def blocks(self, system: HasBlocks) -> Iterator[Block]:
        """Yield the terms of a system, one block of lines after the other."""

    @abstractmethod
    def outputs(self, totals: Floats) -> Outputs:
        """Return the outputs of sums [..., width], the score first: float64 [...] each."""

    def score(self, totals: Floats) -> Floats:
        """Return the scores of sums [..., width]: float64 [...]."""
        return first(self.outputs(totals))


class ReferenceTerms(SentenceTerms):
    """Terms that depend on the reference."""

    reference: int | None = None
    """The reference that counts for every line. None: the one that the metric chooses for it."""
    each: bool = False
    """Whether the terms with each reference are apart, so that references can be drawn or chosen
    later."""

    def columns_of(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the columns of a system, one block of lines after the other."""
        return MetricColumns(self.metric).compact_blocks(system)

    @abstractmethod
    def of_each(self, columns: Columns) -> Block:
        """Return the terms of a block with each reference."""

    def blocks(self, system: HasBlocks) -> Iterator[Block]:
        """Yield the terms, with each reference or with the one that counts."""
        choose = self.metric.chooser()
        for columns in self.columns_of(system):
            block = self.of_each(columns)
            if self.each:
                yield block
            elif self.reference is None and block.apart:
                yield block.with_reference(choose(columns))
            else:
                yield block.with_reference(self.reference or 0)


@dataclass(frozen=True)
class MetricTerms(ReferenceTerms):
    """The terms that the metric makes of columns."""

    metric: Metric
    reference: int | None = None
    each: bool = False

    @cached_property
    def schema(self) -> Schema:
        """The whole-number terms with one reference; those that depend on it come last."""
        integers = [field for field in self.metric.terms if not field.real]
        integers.sort(key=lambda field: field.per_reference)
        fields = [field._replace(per_reference=False) for field in integers]
        return Schema.of(tuple(fields), 1)

    def of_each(self, columns: Columns) -> Block:
        """Return the terms of a block with each reference."""
        terms = self.metric.make_terms(columns)
        return self._block(terms, columns.get(Schema.PRESENT))

    def _block(self, terms: Mapping[str, Ints], present: Ints | None) -> Block:
        """Return the terms that are whole numbers as a block."""
        any_term = next(iter(terms.values()))
        lines = len(any_term)
        fixed = [np.zeros((lines, 0), np.int64)]
        apart: list[Ints] = []
        for field in self.metric.terms:
            if field.real:
                continue
            values = terms[field.name]
            if field.per_reference:
                references = values.shape[1]
                values = np.ascontiguousarray(values)
                apart.append(values.reshape(lines, references, -1))
            else:
                fixed.append(values.reshape(lines, -1))
        return Block(np.concatenate(fixed, axis=1), apart, present)

    def outputs(self, totals: Floats) -> Outputs:
        """Return the metric's outputs."""
        return self.metric.score(self.schema.unpack(totals))

    def of_system(self, system: HasBlocks) -> dict[str, float]:
        """Return the metric's outputs for all sentences of a system.

        Real terms are summed exactly too.
        """
        choose = self.metric.chooser()
        fields = self.metric.terms
        has_reference_terms = any(field.per_reference for field in fields)
        real_fields = [field for field in fields if field.real]
        totals = np.zeros(self.schema.width, np.int64)
        parts: dict[str, list[float]] = {}
        for field in real_fields:
            parts[field.name] = []
        for columns in MetricColumns(self.metric).compact_blocks(system):
            terms = self.metric.make_terms(columns)
            chosen: Ints | int = self.reference or 0
            if has_reference_terms and self.reference is None:
                chosen = choose(columns)
            block = self._block(terms, None).with_reference(chosen)
            totals += block.fixed.sum(axis=0)
            for field in real_fields:
                values = terms[field.name]
                if field.per_reference:
                    rows = np.arange(len(values))
                    values = values[rows, chosen]
                numbers = values.astype(np.float64)
                parts[field.name] += exact_parts(numbers)

        sums: dict[str, Any] = {}
        if self.schema.fields:
            sums.update(self.schema.unpack(totals))
        for name, parts_of_term in parts.items():
            total = math.fsum(parts_of_term)
            sums[name] = np.float64(total)
        outputs = self.metric.score(sums)
        return {name: float(value) for name, value in outputs.items()}


def first(outputs: Outputs) -> Floats:
    """Return the score: the first of a metric's outputs."""
    return next(iter(outputs.values()))


def check_sums(
    metric: Metric, arrays: Iterable[Floats | Ints], lines: int
) -> None:
    """Raise InputError if a sum could be above 2**53.

    Differences of references are up to twice a term.
    """
    largest = 0.0
    for array in arrays:
        highest = float(array.max(initial=0))
        lowest = float(array.min(initial=0))
        largest = max(largest, highest, -lowest)
    if 2 * largest * lines > MAX_EXACT_SUM:
        raise InputError(
            f"{metric.name}: numbers up to {largest:.0f} in {lines:,} lines cannot be summed"
        )


def exact_parts(values: Floats) -> list[float]:
    """Return a few numbers whose exact sum is that of all values, which must be finite.

    So math.fsum() of the parts of several blocks is the sum of all values, rounded once.
    """
    numbers: list[float] = values.tolist()
    parts: list[float] = []
    nearest = math.fsum(numbers)
    while nearest:
        parts.append(nearest)
        numbers.append(-nearest)
        nearest = math.fsum(numbers)
    return parts


# --- the counts of each category, for the references that were chosen for the score


CATEGORY_PREFIX = "of each category: "
"""The prefix of the names of columns of categories beside those of the metric."""


@dataclass(frozen=True)
class Beside:
    """The columns of a system, and beside them those of its categories.

    The names of the latter begin with CATEGORY_PREFIX.
    """

    counts: HasBlocks
    category_counts: HasBlocks

    def blocks(self) -> Iterator[Columns]:
        """Yield the columns of one block of lines after the other."""
        blocks = self.counts.blocks()
        category_blocks = self.category_counts.blocks()
        for columns, of_categories in zip(blocks, category_blocks, strict=True):
            joined = dict(columns)
            for name, array in of_categories.items():
                joined[CATEGORY_PREFIX + name] = array
            yield joined


@dataclass(frozen=True)
class CategoryTerms(ReferenceTerms):
    """The counts of each category with the reference that the metric chooses by its own counts."""

    metric: Metric
    categories: tuple[str, ...]
    """Those of the data set. The counts have one category more, for all others (Category.REST)."""

    @cached_property
    def schema(self) -> Schema:
        """The counts of each category with the chosen reference."""
        spec = self.metric.category_spec(self.categories)
        if spec is None:
            return Schema((), 1)
        counted = spec.schema(1).fields
        fields = [field._replace(per_reference=False) for field in counted]
        return Schema(tuple(fields), 1)

    def columns_of(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the columns of a system, which are Beside each other."""
        names = [CATEGORY_PREFIX + field.name for field in self.schema.fields]
        return MetricColumns(self.metric).compact_blocks(system, names)

    def of_each(self, columns: Columns) -> Block:
        """Return the counts of a block with each reference."""
        apart = []
        for field in self.schema.fields:
            array = columns[CATEGORY_PREFIX + field.name]
            lines, references = array.shape[:2]
            apart.append(array.reshape(lines, references, -1))
        nothing_fixed = np.zeros((len(apart[0]), 0), np.int64)
        return Block(nothing_fixed, apart)

    def outputs(self, totals: Floats) -> Outputs:
        """Return the outputs of all categories together."""
        summed = {}
        for name, counts in self.schema.unpack(totals).items():
            summed[name] = counts.sum(axis=-1)
        return self.metric.score(summed)


@dataclass(frozen=True)
class Tier:
    """The categories of a tier, each of which is one or more of those of the data set."""

    names: tuple[str, ...]
    """Sorted; Category.REST comes last."""
    groups: NDArray[np.int64]
    """Which of the data set's categories belong to each: 1 or 0 [categories of the data set and one
    more, names]."""

    def counts(
        self, terms: CategoryTerms, totals: NDArray[np.number]
    ) -> Mapping[str, Ints]:
        """Return the counts of each category of the tier, from sums [..., width].

        They are int64 [..., names].
        """
        counts = {}
        counts_of_data_set = terms.schema.unpack(totals)
        for name, by_category in counts_of_data_set.items():
            counts[name] = by_category @ self.groups
        return counts


def tiers(metric: Metric, categories: Sequence[str]) -> dict[int, Tier]:
    """Return the tiers of the categories of a data set: the finest, and those that are coarser."""
    result: dict[int, Tier] = {}
    finest = Breakdown.TIERS[0]
    rest = Category.REST
    for number in Breakdown.TIERS:
        of_data_set = [metric.category(name, number) for name in categories]
        of_data_set.append(rest)
        names = sorted({*of_data_set} - {rest})
        names.append(rest)
        if number != finest and tuple(names) == result[finest].names:
            continue
        shape = (len(of_data_set), len(names))
        groups = np.zeros(shape, np.int64)
        for row, category in enumerate(of_data_set):
            column = names.index(category)
            groups[row, column] = 1
        result[number] = Tier(tuple(names), groups)
    return result
