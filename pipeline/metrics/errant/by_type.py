"""The columns of ERRANT for each type of edit: hits and misses of each sentence with each annotator."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...edits.errant.edit_keys import is_of
from ..base.columns import Field, Schema
from .columns import COUNTS, hits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...arrays import Ints
    from ..base.metric import Text
    from .columns import ErrantNeeds, Row


@dataclass(frozen=True)
class TypeNeeds:
    """Hits (tp) and misses (fp, fn) of each type. Sums over the types are those of the columns of `whole`."""

    whole: ErrantNeeds
    """The columns that are counted by type: those of the types in `whole.types`, or of all types."""
    categories: tuple[str, ...]
    """The types. Each has an order of its own, and all other types share one more."""
    tokenization: ClassVar[None] = None

    @property
    def source(self) -> bool:
        """Whether texts are annotated, which takes the source."""
        return self.whole.source

    @property
    def view(self) -> str:
        """Edits on both sides."""
        return self.whole.view

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        digest = blake2b(repr(self.categories).encode(), digest_size=6).hexdigest()
        return f"{self.whole.key}-by-type-{digest}"

    @property
    def identity(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"TypeNeeds({self.whole.identity}, categories={self.categories!r})"

    def schema(self, references: int) -> Schema:
        """Return the counts, with an order for each type and one for all others."""
        orders = len(self.categories) + 1
        return Schema(tuple(Field(name, orders=orders, per_reference=True) for name in COUNTS), references)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the edits of a shard."""
        numbers = {name: number for number, name in enumerate(self.categories)}
        result = []
        for lines in hits_of(self.whole.comparison, text):
            shape = (len(lines), len(text.references), len(COUNTS), len(numbers) + 1)
            table: Any = np.zeros(shape, np.int32)  # tables of several systems and many types are large
            cells = list(self._cells(lines, numbers, shape[1:]))
            np.add.at(table.reshape(-1), np.array(cells, np.int64), 1)
            result.append({name: table[:, :, number] for number, name in enumerate(COUNTS)})
        return result

    def _cells(self, lines: Iterable[Row], numbers: dict[str, int], shape: tuple[int, ...]) -> Iterator[int]:
        """Yield for each hit and miss the number of its cell, in a table [lines, annotators, counts, types]."""
        references, counts, width = shape
        only, rest = self.whole.types, width - 1
        for line, row in enumerate(lines):
            for reference, pair in enumerate(row):
                start = (line * references + reference) * counts * width
                for types in pair[2] if pair else ():
                    for name in types:
                        if not only or is_of(name, only):
                            yield start + numbers.get(name, rest)
                    start += width
