"""Metrics as tests ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.metrics.base.capabilities import JudgesEdits, edit_judge
from pipeline.metrics.base.metric import Metric
from pipeline.scoring.aggregation import SystemCounts
from pipeline.scoring.terms import HasBlocks


def judge_of(metric: Metric) -> JudgesEdits:
    """Return a metric that says which edits of an output are right."""
    judge = edit_judge(metric)
    assert judge is not None
    return judge


def system_counts(
    metric: Metric,
    systems: Sequence[HasBlocks],
    lines: int,
    references: int,
    reference_of_system: Sequence[int | None] = (),
) -> SystemCounts:
    """Return the columns of some systems, to be scored or sampled."""
    return SystemCounts(
        metric=metric,
        systems=systems,
        lines=lines,
        references=references,
        reference_of_system=reference_of_system,
    )
