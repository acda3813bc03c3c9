"""The compiled forms of what metrics compute from counts, made once for each metric and kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from .. import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..arrays import Floats
    from .base.columns import Columns
    from .base.metric import Metric

KEPT = 256
"""Of how many metrics, at most, the compiled forms are kept."""


def sums_formula(metric: Metric) -> Callable[[Columns, int | None], dict[str, float]] | None:
    """Return Metric.compiled_sums()."""
    return _sums_formula(metric, kernel.name())


def lines_formula(metric: Metric) -> Callable[[Columns], dict[str, Floats]] | None:
    """Return Metric.compiled_lines()."""
    return _lines_formula(metric, kernel.name())


@lru_cache(KEPT)
def _sums_formula(metric: Metric, kernel_used: str) -> Callable[[Columns, int | None], dict[str, float]] | None:
    del kernel_used
    return metric.compiled_sums()


@lru_cache(KEPT)
def _lines_formula(metric: Metric, kernel_used: str) -> Callable[[Columns], dict[str, Floats]] | None:
    del kernel_used
    return metric.compiled_lines()
