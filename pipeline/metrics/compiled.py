"""The compiled forms of what metrics compute from counts, made once for each metric and kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import kernel
from .base.capabilities import compiled_forms

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..arrays import Floats
    from .base.capabilities import SumsFormula
    from .base.columns import Columns
    from .base.metric import Metric

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
    formula = compiled_forms(metric).compiled_sums()
    nothing = {field.name: np.zeros([field.orders] * (field.orders > 0), np.int64) for field in metric.terms}
    return formula and Sums(tuple(metric.score(nothing)), formula)


@lru_cache(KEPT)
def _lines_formula(metric: Metric, kernel_used: str) -> Callable[[Columns], dict[str, Floats]] | None:
    del kernel_used
    return compiled_forms(metric).compiled_lines()
