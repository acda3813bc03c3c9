"""The first of two layers from columns to scores: columns in blocks, terms of sentences, and the
score of their sums.

Blocks are of lines, with missing references moved to the end. Terms are whole numbers, so that sums
of them are exact, with weights or without: those of a metric, and those of each category, such as
each type of edit. `aggregation.py` is the second layer: it says which references count, and what
the score of a data set is."""

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
from ..metrics.base.capabilities import category_of, category_spec, chooser, data_set_columns
from ..metrics.base.metric import Metric
from ..metrics.base.statistics_spec import LAST, PRESENT, WHOLE, Columns, Schema
from .results import REST, TIERS

# --- the columns of a system, one block of lines after the other


class HasBlocks(Protocol):
    """Counts of a system, which can be read any number of times."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of one block of lines after the other."""


def present_blocks(
    metric: Metric, system: HasBlocks, more: Sequence[str] = ()
) -> Iterator[Columns]:
    """Yield the blocks of a system, with missing references moved to the end (see compact).

    `more` names columns with numbers for each reference that the system has beside those of the
    metric."""
    apart = (*metric.spec.of_references, *more)
    blocks = (compact(columns, apart) for columns in blocks_of(metric, system))
    if not data_set_columns(metric).reads_last:
        yield from blocks
        return
    ahead = next(blocks, None)
    while ahead is not None:
        columns, ahead = ahead, next(blocks, None)
        last = np.zeros(len(columns["hyp_len"]), np.int64)
        last[-1:] = ahead is None
        yield {**columns, LAST: last}


def chosen_references(metric: Metric, system: HasBlocks) -> Iterator[Ints]:
    """Yield for each block of a system which reference the metric chooses for each line: int64
    [lines].

    The numbers are those of the data set, whatever references a line has.
    """
    choose = chooser(metric)
    for columns, moved in zip(system.blocks(), present_blocks(metric, system), strict=True):
        chosen = choose(moved)
        if PRESENT in moved:
            order = np.argsort(columns["ref_len"] < 0, axis=1, kind="stable")
            chosen = order[np.arange(len(order)), chosen]
        yield chosen


def blocks_of(metric: Metric, system: HasBlocks) -> Iterator[Columns]:
    """Yield the blocks of a system, with the sums over all of them that the metric reads (see
    WHOLE).
    """
    names = data_set_columns(metric).whole_sums
    if not names:
        yield from system.blocks()
        return
    sums = dict.fromkeys(names, 0)
    for columns in system.blocks():
        sums = {name: total + int(columns[name].sum()) for name, total in sums.items()}
    for columns in system.blocks():
        yield {
            **columns,
            **{WHOLE + name: np.full_like(columns[name], total) for name, total in sums.items()},
        }


def compact(columns: Columns, apart: Sequence[str]) -> Columns:
    """Return columns in which the references that a line has come first. A missing reference has
    ref_len -1.

    The numbers of missing references are replaced by those of the first reference that the line
    has, so that the best reference is the same. The column PRESENT, int64 [lines], has the number
    of references that the line has. Columns without missing references are returned unchanged.
    `apart` names the columns with numbers for each reference."""
    if "ref_len" not in columns:  # numbers from a file: no references at all
        return columns
    missing = columns["ref_len"] < 0
    if PRESENT in columns or not missing.any():
        return columns
    present = (~missing).sum(axis=1)
    order = np.argsort(missing, axis=1, kind="stable")
    order = np.where(np.arange(missing.shape[1]) < present[:, None], order, order[:, :1])
    rows = np.arange(len(order))[:, None]
    return {**columns, **{name: columns[name][rows, order] for name in apart}, PRESENT: present}


def of_annotators(metric: Metric, columns: Columns, numbers: Ints | None) -> Columns:
    """Return columns in which each reference is that of an annotator, for by_annotator() of a
    metric.

    `numbers` says for each line which reference of the columns is that of each annotator, and -1
    where there is none: int64 [lines, annotators]. Columns are returned unchanged where this is
    None: their references are annotators."""
    if numbers is None:
        return columns
    rows, own = np.arange(len(numbers))[:, None], np.maximum(numbers, 0)
    moved = {name: columns[name][rows, own] for name in metric.spec.of_references}
    return {**columns, **moved, "ref_len": np.where(numbers < 0, -1, moved["ref_len"])}


def annotators_of(numbers: Ints, chosen: Ints) -> Ints:
    """Return for each line the first annotator whose reference was chosen: int64 [lines]. `numbers`
    is as above.
    """
    first: Ints = (numbers == chosen[:, None]).argmax(axis=1)
    return first


@dataclass(frozen=True)
class ByLine:
    """The numbers of a system by all lines of its data set: NaN for lines that are left out for
    want of a number.
    """

    whole: HasBlocks
    left_out: Sequence[int]
    """These lines of the data set, from 0 and in rising order."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns, one block of lines after the other; a line left out is in the block of
        the line before.
        """
        before, places = 0, np.array(self.left_out, np.int64) - np.arange(len(self.left_out))
        for columns in self.whole.blocks():
            size = len(next(iter(columns.values())))
            here = places[(places > before - (before == 0)) & (places <= before + size)] - before
            yield {
                name: np.insert(values, here, np.nan, axis=0) for name, values in columns.items()
            }
            before += size


@dataclass(frozen=True)
class Subset:
    """The counts of a system with only some of the references."""

    whole: HasBlocks
    kept: list[int]
    """The numbers of the references."""
    apart: Sequence[str]
    """The names of the columns with numbers for each reference."""

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns with these references, one block of lines after the other."""
        for columns in self.whole.blocks():
            yield columns | {name: columns[name][:, self.kept] for name in self.apart}


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
        return Block(
            np.concatenate([self.fixed, *(array[rows, chosen] for array in self.apart)], axis=1)
        )

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
    """The number of the reference that counts for every line. None: the one that the metric chooses
    for it."""
    each: bool = False
    """Whether the terms with each reference are apart, so that references can be drawn or chosen
    later."""

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
                chosen = (
                    choose(columns)
                    if self.reference is None and block.apart
                    else self.reference or 0
                )
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
        fields = sorted(
            (field for field in self.metric.terms if not field.real),
            key=lambda field: field.per_reference,
        )
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
        """Return the metric's outputs for all sentences of a system. Real terms are summed exactly
        too.
        """
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
                    values = (
                        values[np.arange(len(values)), chosen] if field.per_reference else values
                    )
                    real[field.name] += exact_parts(values.astype(np.float64))
        whole: dict[str, Any] = self.schema.unpack(totals) if self.schema.fields else {}
        scores = self.metric.score(
            whole | {name: np.float64(math.fsum(parts)) for name, parts in real.items()}
        )
        return {name: float(value) for name, value in scores.items()}


def first(outputs: dict[str, Floats]) -> Floats:
    """Return the score: the first of a metric's outputs."""
    return next(iter(outputs.values()))


def check_sums(metric: Metric, arrays: Iterable[Floats | Ints], lines: int) -> None:
    """Raise InputError where a sum could be above 2**53. Differences of references are up to twice
    a term.
    """
    top = max(max(float(array.max(initial=0)), -float(array.min(initial=0))) for array in arrays)
    if 2 * top * lines > 1 << 53:
        raise InputError(
            f"{metric.name}: numbers up to {top:.0f} in {lines:,} lines cannot be summed"
        )


def exact_parts(values: Floats) -> list[float]:
    """Return few numbers with the same sum as finite numbers, so that math.fsum() of several
    blocks' parts is exact.
    """
    numbers: list[float] = values.tolist()
    parts = list[float]()
    while nearest := math.fsum(numbers):
        parts.append(nearest)
        numbers.append(-nearest)
    return parts


# --- the counts of each category, for the references that were chosen for the score


PART = "of each category: "
"""What stands before the names of columns of categories, where they are beside those of the whole.
"""


@dataclass(frozen=True)
class Beside:
    """The columns of a system, and beside them those of its categories with PART before their
    names.
    """

    whole: HasBlocks
    parts: HasBlocks

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns of one block of lines after the other."""
        for columns, parts in zip(self.whole.blocks(), self.parts.blocks(), strict=True):
            yield columns | {PART + name: array for name, array in parts.items()}


@dataclass(frozen=True)
class CategoryTerms(ReferenceTerms):
    """The counts of each category with the reference that the metric chooses by its own counts."""

    metric: Metric
    categories: tuple[str, ...]
    """Those of the data set. The counts have one order more, for what is of none of them."""

    @cached_property
    def schema(self) -> Schema:
        """The counts of each category with the chosen reference."""
        spec = category_spec(self.metric, self.categories)
        fields = spec.schema(1).fields if spec else ()
        return Schema(tuple(field._replace(per_reference=False) for field in fields), 1)

    def columns_of(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the columns of a system, which are Beside each other."""
        return present_blocks(
            self.metric, system, [PART + field.name for field in self.schema.fields]
        )

    def of_each(self, columns: Columns) -> Block:
        """Return the counts of a block with each reference."""
        apart = [columns[PART + field.name] for field in self.schema.fields]
        return Block(
            np.zeros((len(apart[0]), 0), np.int64),
            [array.reshape(*array.shape[:2], -1) for array in apart],
        )

    def outputs(self, totals: Floats) -> dict[str, Floats]:
        """Return the outputs of all categories together."""
        return self.metric.score(
            {name: own.sum(axis=-1) for name, own in self.schema.unpack(totals).items()}
        )


@dataclass(frozen=True)
class Tier:
    """The categories of a tier, each of which is one or more of those of the data set."""

    names: tuple[str, ...]
    """Sorted; REST comes last."""
    groups: NDArray[np.int64]
    """Which of the data set's categories belong to each: 1 or 0 [categories of the data set and one
    more, names]."""

    def counts(self, terms: CategoryTerms, totals: NDArray[np.number]) -> Mapping[str, Ints]:
        """Return the counts of each category of the tier, from sums [..., width]: int64 [...,
        names].
        """
        return {name: counts @ self.groups for name, counts in terms.schema.unpack(totals).items()}


def tiers(metric: Metric, categories: Sequence[str]) -> dict[int, Tier]:
    """Return the tiers of the categories of a data set: the finest, and those that are coarser."""
    result = dict[int, Tier]()
    for number in TIERS:
        of_each = [*(category_of(metric, name, number) for name in categories), REST]
        names = (*sorted(set(of_each) - {REST}), REST)
        groups = np.array([[own == name for name in names] for own in of_each], np.int64)
        if number == TIERS[0] or names != result[TIERS[0]].names:
            result[number] = Tier(names, groups)
    return result
