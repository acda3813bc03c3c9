"""Makes the scores of a metric from counts.

Several systems of a data set are scored together, so that they share the draws of references. Counts come in blocks of
lines. Sums of them are exact, so the result depends neither on the blocks nor on their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .references import POLICIES
from .references.base import DRAWN_MEANS, SENTENCES, SystemCounts
from .sentences import DrawnMeans, SentenceLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats
    from ..metrics.base.metric import Metric
    from .column_blocks import HasBlocks
    from .references.base import Reduced, Reducer


def reducer_of(metric: Metric) -> Reducer:
    """Return the way from columns to scores that belongs to a metric's level and policy of references."""
    if metric.level == DRAWN_MEANS:
        return DrawnMeans()
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

    The threads share the iterations of a score for which references are drawn. `own` says which reference each system
    is (None: it is none of them), for policies that score references too.
    """
    if not systems:  # all of them were lost
        return []
    return reducer_of(metric).scores(
        SystemCounts(metric=metric, systems=systems, lines=lines, references=references, own=own, threads=threads)
    )


def drawn_scores(
    metric: Metric, systems: Sequence[HasBlocks], lines: int, references: int, threads: int = 1
) -> list[Floats] | None:
    """Return the score of each system in every draw of references: float64 [iterations] each.

    Return None where no reference is drawn: with another policy or level, or where there is only one reference.
    """
    counts = SystemCounts(metric=metric, systems=systems, lines=lines, references=references, threads=threads)
    return reducer_of(metric).drawn_scores(counts)
