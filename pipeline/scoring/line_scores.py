"""Scores of lines from their counts, for many calls with a few lines each."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..dataclass import dataclass
from ..metrics.base.capabilities import compiled_forms, data_set_columns
from ..metrics.base.columns import PRESENT
from .column_blocks import blocks_of, compact
from .references import POLICIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..arrays import Floats, Ints
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric


@dataclass(frozen=True)
class Block:
    """Counts of a system that are one block."""

    columns: dict[str, Ints]

    def blocks(self) -> Iterator[dict[str, Ints]]:
        """Yield the columns."""
        yield self.columns


@dataclass(frozen=True)
class LineScores:
    """The scores of lines by one metric: those of sentence_scores() in `sentences.py`, bit for bit."""

    metric: Metric

    @cached_property
    def _formula(self) -> Callable[[Columns], Floats]:
        return compiled_forms(self.metric).compiled() or self.metric.sentence_scores

    @cached_property
    def _apart(self) -> list[str]:
        return [field.name for field in self.metric.needs.schema(1).fields if field.per_reference]

    def of(self, columns: dict[str, Ints], *, missing: bool) -> Floats:
        """Return the score of each line over its references, as the policy says: float64 [lines].

        `missing` says that some references may be missing.
        """
        whole: Columns = columns
        if data_set_columns(self.metric).whole_sums:
            (whole,) = blocks_of(self.metric, Block(columns))
        if missing:
            whole = compact(whole, self._apart)
        scores = self._formula(whole)
        return POLICIES[self.metric.policy].of_lines(self.metric, scores, whole.get(PRESENT))
