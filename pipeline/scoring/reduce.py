"""Counts to scores: sums of whole numbers, then one formula.

Several systems of a data set are reduced together, so that they share the draws of references. Counts come in blocks
of lines; sums are exact, so neither blocks nor order can be seen in the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .references import POLICIES
from .references.base import SENTENCES, SystemCounts
from .sentences import SentenceLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats
    from ..metrics.base.metric import Metric
    from .column_blocks import HasBlocks
    from .references.base import Reduced, Reducer


def reducer_of(metric: Metric) -> Reducer:
    """Return how a metric's scores are made of its columns: by its level, and its policy of references."""
    return SentenceLevel() if metric.level in SENTENCES else POLICIES[metric.policy]


def reduce(
    metric: Metric,
    systems: Sequence[HasBlocks],
    lines: int,
    references: int,
    threads: int = 1,
    own: Sequence[int | None] = (),
) -> list[Reduced]:
    """Return the score of each system from its columns.

    threads share the iterations of a sampled score. own: which reference each system is itself (None: none), for
    policies that score references too.
    """
    if not systems:  # of none could every line be counted
        return []
    return reducer_of(metric).scores(SystemCounts(metric, systems, lines, references, own, threads))


def drawn_scores(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, threads: int = 1
) -> list[Floats] | None:
    """Return the score of each system in every draw of references: float64 [iterations] each, by which Samples is made.

    None where no reference is drawn for the score: another policy or level, or one reference.
    """
    counts = SystemCounts(metric, systems, lines, references, threads=threads)
    return reducer_of(metric).drawn_scores(counts)
