"""The compiled forms of what metrics compute from counts, made once for each metric and kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .. import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..arrays import Floats
    from .base.columns import Columns
    from .base.metric import Metric, SumsFormula

KEPT = 256
"""Of how many metrics, at most, the compiled forms are kept."""


class Sums(NamedTuple):
    """The compiled form of Metric.score()."""

    names: tuple[str, ...]
    """The names of the outputs."""
    outputs: SumsFormula
    """Metric.compiled_sums()."""


def sums_of(metric: Metric) -> Sums | None:
    """Return the compiled form of the score of sums, or None where there is none."""
    return _sums(metric, kernel.name())


def lines_formula(metric: Metric) -> Callable[[Columns], dict[str, Floats]] | None:
    """Return Metric.compiled_lines()."""
    return _lines_formula(metric, kernel.name())


@lru_cache(KEPT)
def _sums(metric: Metric, kernel_used: str) -> Sums | None:
    del kernel_used
    formula = metric.compiled_sums()
    return formula and Sums(metric.output_names(), formula)


@lru_cache(KEPT)
def _lines_formula(metric: Metric, kernel_used: str) -> Callable[[Columns], dict[str, Floats]] | None:
    del kernel_used
    return metric.compiled_lines()
