"""Columns of counts: their names, shapes and types, and how they are packed into one table."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ... import kernel
from ...dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ...arrays import Ints

    Columns: TypeAlias = "Mapping[str, Ints]"


COUNTING = 1
"""The version of counting. Raise it when any column comes out differently for the same text.

Counts on disk are used by later versions of the program as long as this number stays the same.
"""
PRESENT = "present"
"""The column with the number of references of a sentence, where some are missing (see `scoring/column_blocks.py`)."""
LAST = "last"
"""The column that is 1 for the last sentence of the data set and 0 for others, for metrics that are a ReadsDataSet."""

WHOLE = "whole_"
"""What the names of columns begin with that have, for each sentence, the sum of a column over all sentences.

Only metrics that name the column get them (ReadsDataSet)."""


def last_present(columns: Columns) -> Ints:
    """Return the number of the last reference that each line has: int64 [lines]."""
    last: Ints = columns["ref_len"].shape[1] - 1 - np.argmax(columns["ref_len"][:, ::-1] >= 0, axis=1)
    return columns[PRESENT] - 1 if PRESENT in columns else last


class Field(NamedTuple):
    """A group of columns with one name."""

    name: str
    orders: int = 0
    """How many orders of n-grams it has. With 0 it is one column, without an axis for orders."""
    per_reference: bool = False
    real: bool = False
    """Whether its numbers are float64. A packed table holds their bits as integers."""
    spare: bool = False
    """Whether it is a term that is 0 where somebody gives the sums of the others alone (`metrics/from_counts.py`)."""


@dataclass(frozen=True)
class Schema:
    """The fields of a table of integers, in order, for a number of references.

    The table has two forms. In a mapping, the shape of a field is [...], then [references] if it is per reference, then
    [orders] if it has orders. Packed, the table is one array [..., width], and `names` are the names of its columns.
    """

    fields: tuple[Field, ...]
    references: int

    @classmethod
    @lru_cache(1024)
    def of(cls, fields: tuple[Field, ...], references: int) -> Schema:
        """Return the schema of these fields, the same object each time, so that its layout is made once."""
        return cls(fields, references)

    @cached_property
    def _layout(self) -> tuple[tuple[Field, tuple[int, ...], int, int], ...]:
        """Each field with its shape, and its first packed column and the one after its last."""
        shapes = [
            (self.references,) * field.per_reference + (field.orders,) * (field.orders > 0) for field in self.fields
        ]
        edges = pairwise(accumulate(map(math.prod, shapes), initial=0))
        return tuple((f, shape, *edge) for f, shape, edge in zip(self.fields, shapes, edges, strict=True))

    @property
    def names(self) -> list[str]:
        """The names of the packed columns. For example, match_2@0 has matches of order 2 with the first reference."""
        result = []
        for field, shape, _, _ in self._layout:
            for index in np.ndindex(shape):
                order = f"_{index[-1] + 1}" if field.orders else ""
                result.append(f"{field.name}{order}" + (f"@{index[0]}" if field.per_reference else ""))
        return result

    @property
    def width(self) -> int:
        """How many packed columns there are."""
        return self._layout[-1][3] if self._layout else 0

    @property
    def dtype(self) -> type[np.int64 | np.float64]:
        """The type for all columns: float64 (exact for integers below 2**53) if any field is real, else int64."""
        return np.float64 if any(field.real for field in self.fields) else np.int64

    def pack(self, columns: Columns) -> Ints:
        """Return the mapping as one array [..., width]."""
        return np.concatenate(self._parts(columns), axis=-1)

    def _parts(self, columns: Columns) -> list[Ints]:
        """Return the fields in order as arrays [..., columns]."""
        parts = []
        for field, shape, _, _ in self._layout:
            array = columns[field.name]
            array = array.astype(np.float64).view(np.int64) if field.real else array
            parts.append(array.reshape((*array.shape[: array.ndim - len(shape)], -1)) if shape else array[..., None])
        return parts

    def narrowed(self, columns: Columns) -> NDArray[np.integer]:
        """Return what narrow() makes of pack(), for fields [lines, ...]. Small counts are tried first."""
        beside = kernel.formula("side_by_side", "overlap")
        parts = self._parts(columns)
        plain = beside and all(part.ndim == 2 and part.dtype == np.int64 for part in parts)
        small: NDArray[np.integer] | None = beside(parts) if beside and plain else None
        return narrow(np.concatenate(parts, axis=-1)) if small is None else small

    def unpack(self, packed: NDArray[Any]) -> dict[str, Ints]:
        """Return an array [..., width] as a mapping of arrays, float64 for real fields and int64 for others."""
        columns: dict[str, Any] = {}
        for field, shape, start, stop in self._layout:
            array = packed[..., start:stop].reshape(packed.shape[:-1] + shape).astype(np.int64)
            columns[field.name] = array.view(np.float64) if field.real else array
        return columns

    def named(self, packed: Ints) -> dict[str, NDArray[Any]]:
        """Return the columns of an array [..., width], each [...], by their names."""
        real = {field.name for field in self.fields if field.real}
        columns = {name: np.ascontiguousarray(packed[..., index]) for index, name in enumerate(self.names)}
        return {name: array.view(np.float64) if name in real else array for name, array in columns.items()}


def narrow(array: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return an array of counts in the narrowest of uint16, int32 and int64 that holds them."""
    top = int(array.max(initial=0))
    low = int(array.min(initial=0))
    if low >= 0 and top <= np.iinfo(np.uint16).max:
        return array.astype(np.uint16)
    fits = low >= np.iinfo(np.int32).min and top <= np.iinfo(np.int32).max
    return array.astype(np.int32 if fits else np.int64)
