"""What surveys find in whole data sets, as workers get it (see Survey in `metrics/base/needs.py`)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .store.counts import Location

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ..metrics.base.needs import Survey

KEPT = 4
"""How many surveys a worker process keeps opened."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a survey has found in a data set. A worker process that gets it several times opens it once."""

    survey: Survey
    references: int
    """How many references the data set has."""
    rows: NDArray[np.integer] | Location
    """The packed rows, or the file on this machine that has them."""

    @cached_property
    def whole(self) -> Any:
        """What needs find as Text.whole. Raises StoreError where the file is damaged or gone."""
        rows = self.rows.read() if isinstance(self.rows, Location) else self.rows
        return self.survey.opened(self.survey.schema(self.references).unpack(rows))

    def carried(self) -> Found:
        """Return the same for another machine, which need not have the file."""
        return replace(self, rows=self.rows.read()) if isinstance(self.rows, Location) else self

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_file if isinstance(self.rows, Location) else Found, (self.survey, self.references, self.rows)


@lru_cache(KEPT)
def _of_file(survey: Survey, references: int, rows: Location) -> Found:
    return Found(survey, references, rows)


def joined(survey: Survey, references: int, shards: Iterable[NDArray[np.integer]]) -> NDArray[np.integer]:
    """Return the reduced rows of all shards, which come in the order of lines.

    A few neighbours at a time are reduced, so that memory holds little more than the rows that are left in the end.
    """
    schema = survey.schema(references)
    waiting: list[NDArray[np.integer]] = []

    def reduce(last: int) -> None:
        rows = schema.unpack(np.concatenate(waiting[-last:]))
        waiting[-last:] = [schema.narrowed(survey.reduced(rows))]

    for shard in shards:
        waiting.append(shard)
        while len(waiting) > 1 and len(waiting[-2]) <= 2 * len(waiting[-1]):
            reduce(2)
    reduce(len(waiting))
    return waiting[0]
