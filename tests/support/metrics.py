"""Metrics as tests ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipeline.metrics.base.metric import Metric
from pipeline.scoring.aggregation import SystemCounts
from pipeline.scoring.terms import HasBlocks


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


def values_of(outputs: Mapping[str, float], names: str) -> list[float]:
    """Return some outputs, whose names have blanks between them."""
    return [outputs[name] for name in names.split()]


def counts_of(outputs: Mapping[str, float]) -> list[float]:
    """Return true positives, false positives and false negatives."""
    return values_of(outputs, "tp fp fn")
