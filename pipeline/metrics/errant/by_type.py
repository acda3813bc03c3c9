"""The columns of ERRANT for each type of edit: hits and misses of each sentence with each annotator."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from ...corpus.edits.errant_report import is_of
from ...dataclass import dataclass
from ..base.columns import Field
from ..base.metric import Needs
from .columns import COUNTS
from .hits import hits_of

if TYPE_CHECKING:
    from ...arrays import Ints
    from ..base.metric import Text
    from .columns import ErrantNeeds


@dataclass(frozen=True)
class TypeNeeds(Needs):
    """Hits (tp) and misses (fp, fn) of each type. Sums over the types are those of the columns of `whole`."""

    whole: ErrantNeeds
    """The columns that are counted by type: those of the types in `whole.types`, or of all types."""
    categories: tuple[str, ...]
    """The types. Each has an order of its own, and all other types share one more."""

    @property
    def source(self) -> bool:  # type: ignore[override]
        """Whether texts are annotated, which takes the source."""
        return self.whole.source

    @property
    def input(self) -> str:  # type: ignore[override]
        """Edits on both sides."""
        return self.whole.input

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        digest = blake2b(repr(self.categories).encode(), digest_size=6).hexdigest()
        return f"{self.whole.key}-by-type-{digest}"

    @property
    def cache_key(self) -> str:
        """The text that stands for these columns in the keys of stored counts."""
        return f"TypeNeeds({self.whole.cache_key}, categories={self.categories!r})"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, with an order for each type and one for all others."""
        return tuple(Field(name, orders=len(self.categories) + 1, per_reference=True) for name in COUNTS)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the edits of a shard."""
        compared, width = hits_of(self.whole.comparison, text), len(self.categories) + 1
        systems, lines, pairs = compared.edits.shape
        numbers = {name: number for number, name in enumerate(self.categories)}
        of_type = np.array([numbers.get(name, width - 1) for name in compared.types], np.int64)
        only = self.whole.types
        wanted = np.array([not only or is_of(name, only) for name in compared.types], bool)
        columns = {name: np.zeros((systems, lines, pairs, width), np.int32) for name in COUNTS}
        for pair, hits in enumerate(compared.hits):
            for name, (rows, types) in zip(COUNTS, hits, strict=True):
                cells = (rows * width + of_type[types])[wanted[types]]
                counts = np.bincount(cells, minlength=systems * lines * width)
                columns[name][:, :, pair] = counts.reshape(systems, lines, width)
        return [{name: values[system] for name, values in columns.items()} for system in range(systems)]
