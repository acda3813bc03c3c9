"""Counts of each category, for the references that were chosen for the score, and the scores that they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..metrics.base.capabilities import category_needs, counts_categories
from ..metrics.base.metric import Metric
from ..metrics.base.needs import Columns, Schema
from .column_blocks import HasBlocks, present_blocks
from .results import REST, TIERS
from .terms import Block, ReferenceTerms

PART = "of each category: "
"""What stands before the names of columns of categories, where they are beside those of the whole."""


@dataclass(frozen=True)
class Beside:
    """The columns of a system, and beside them those of its categories with PART before their names."""

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
        needs = category_needs(self.metric, self.categories)
        fields = needs.schema(1).fields if needs else ()
        return Schema(tuple(field._replace(per_reference=False) for field in fields), 1)

    def columns_of(self, system: HasBlocks) -> Iterator[Columns]:
        """Yield the columns of a system, which are Beside each other."""
        return present_blocks(self.metric, system, [PART + field.name for field in self.schema.fields])

    def of_each(self, columns: Columns) -> Block:
        """Return the counts of a block with each reference."""
        apart = [columns[PART + field.name] for field in self.schema.fields]
        return Block(np.zeros((len(apart[0]), 0), np.int64), [array.reshape(*array.shape[:2], -1) for array in apart])

    def outputs(self, totals: Floats) -> dict[str, Floats]:
        """Return the outputs of all categories together."""
        return self.metric.score({name: own.sum(axis=-1) for name, own in self.schema.unpack(totals).items()})


@dataclass(frozen=True)
class Tier:
    """The categories of a tier, each of which is one or more of those of the data set."""

    names: tuple[str, ...]
    """Sorted; REST comes last."""
    groups: NDArray[np.int64]
    """Which of the data set's categories belong to each: 1 or 0 [categories of the data set and one more, names]."""

    def counts(self, terms: CategoryTerms, totals: NDArray[np.number]) -> Mapping[str, Ints]:
        """Return the counts of each category of the tier, from sums [..., width]: int64 [..., names]."""
        return {name: counts @ self.groups for name, counts in terms.schema.unpack(totals).items()}


def tiers(metric: Metric, categories: Sequence[str]) -> dict[int, Tier]:
    """Return the tiers of the categories of a data set: the finest, and those that are coarser."""
    result: dict[int, Tier] = {}
    own = counts_categories(metric)
    assert own is not None  # noqa: S101 (its categories are counted)
    for number in TIERS:
        of_each = [*(own.category(name, number) for name in categories), REST]
        names = (*sorted(set(of_each) - {REST}), REST)
        groups = np.array([[own == name for name in names] for own in of_each], np.int64)
        if number == TIERS[0] or names != result[TIERS[0]].names:
            result[number] = Tier(names, groups)
    return result
