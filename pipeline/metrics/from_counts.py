"""A score from sums that somebody has already, such as matches and totals of n-grams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, did_you_mean
from .base.columns import Schema
from .build import from_values

if TYPE_CHECKING:
    from .base.columns import Field
    from .base.metric import Metric
    from .build import Asked

LEVELS = ("mean", "sum")
"""The levels whose scores are not made of sums of counts."""


def score_counts(metric: Asked, totals: Mapping[str, float | Sequence[float]]) -> dict[str, float]:
    """Return the outputs of a metric, the score first, from the sums of its counts over a corpus.

    `metric` is a name, a signature, a mapping or a metric, as `evaluate` takes it. `totals` has a number for each term
    of the metric: {"match_1": 8, "match_2": 5, ...}, or all orders of a term at once: {"match": [8, 5, 3, 2]}. Scores
    are fractions. `metric` at the level mean has no score of sums.

    Raises InputError for unknown metrics, and for names that are wrong, lacking or given twice, and what is no number.
    """
    (measure,) = from_values([metric])
    if measure.level in LEVELS:
        raise InputError(_of_sentences(measure))
    if not isinstance(totals, Mapping):
        raise InputError(f"totals: expected a mapping of names to numbers, found {type(totals).__name__}")
    fields = [field._replace(per_reference=False) for field in measure.terms]
    schema = Schema(tuple(fields), 1)
    numbers = _by_name(measure, fields, schema.names, totals)
    arrays: dict[str, Any] = {}
    for field in fields:
        values = [numbers[name] for name in _names(field)]
        whole = all(float(value).is_integer() for value in values) and not field.real
        arrays[field.name] = np.array(values if field.orders else values[0], np.int64 if whole else np.float64)
    return {name: float(value) for name, value in measure.score(arrays).items()}


def _of_sentences(metric: Metric) -> str:
    """Return that a metric has no score of sums, and which level has one."""
    levels = next((option.choices or () for option in metric.options if option.name == "level"), ())
    other = next((level for level in levels if level not in LEVELS), "")
    hint = f"; ask for {metric.name}[level={other}]" if other else ""
    return f"{metric.name}: level: {metric.level} is made of sentence scores, not of sums of counts{hint}"


def _names(field: Field) -> list[str]:
    """Return the names of the numbers of a term."""
    return [f"{field.name}_{n}" for n in range(1, field.orders + 1)] if field.orders else [field.name]


def _by_name(
    metric: Metric, fields: Sequence[Field], names: Sequence[str], totals: Mapping[str, Any]
) -> dict[str, float]:
    """Return the number of each name; raises InputError as score_counts() does."""
    orders = {field.name: _names(field) for field in fields if field.orders}
    numbers: dict[str, float] = {}
    for key, value in totals.items():
        if key not in names and key not in orders:
            known = [*names, *orders]
            hint = did_you_mean(str(key), known) or f"; {metric.name} has {', '.join(names)}"
            raise InputError(f"totals: {metric.name} has no sum called '{key}'{hint}")
        given = _list(key, value, orders[key]) if key in orders else {key: value}
        if twice := sorted(given.keys() & numbers.keys()):
            raise InputError(f"totals: '{twice[0]}' is given twice")
        numbers |= {name: _number(name, one) for name, one in given.items()}
    numbers = {field.name: 0 for field in fields if field.spare} | numbers
    if lacking := [name for name in names if name not in numbers]:
        raise InputError(f"totals: {lacking[0]} is missing; {metric.name} needs {', '.join(names)}")
    return numbers


def _list(key: str, value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the numbers of all orders by their names."""
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence | np.ndarray) or len(value) != len(names):
        raise InputError(f"totals: {key}: expected a list of {len(names)} numbers, one for each order, found {value!r}")
    return dict(zip(names, value, strict=True))


def _number(name: str, value: Any) -> float:
    """Return a finite number; raises InputError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"totals: {name}: expected a number, found {value!r}")
    if not math.isfinite(value):
        raise InputError(f"totals: {name}: expected a number, found {value}")
    return value if isinstance(value, int) else float(value)
