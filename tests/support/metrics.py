"""Metrics as tests ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.metrics.base.capabilities import edit_judge

if TYPE_CHECKING:
    from pipeline.metrics.base.capabilities import JudgesEdits
    from pipeline.metrics.base.metric import Metric


def judge_of(metric: Metric) -> JudgesEdits:
    """Return a metric that says which edits of an output are right."""
    judge = edit_judge(metric)
    assert judge is not None
    return judge
