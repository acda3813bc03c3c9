"""Scores of single sentences, and their mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..metrics.base.columns import PRESENT
from .column_blocks import compact

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..metrics.base.columns import Columns
    from ..metrics.base.metric import Metric


SENTENCES = frozenset({"mean", "sum"})
"""Levels that are made of sentence scores."""


def _mean_and_std(values: Floats) -> tuple[Floats, Floats]:
    """Return mean and population deviation over the last axis; of equal values exactly the value and 0."""
    equal = values.max(axis=-1) == values.min(axis=-1)
    mean = np.where(equal, values[..., 0], values.mean(axis=-1))
    return mean, np.where(equal, 0.0, values.std(axis=-1))


def sentence_outputs(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return what level mean averages, the score first: float64 [lines] each."""
    apart = [field.name for field in metric.needs.schema(1).fields if field.per_reference]
    outputs = metric.line_outputs(compact(columns, apart))
    return outputs or {metric.output: sentence_scores(metric, columns)}


def sentence_scores(metric: Metric, columns: Columns) -> Floats:
    """Return the score of each sentence: float64 [lines]; the best, or the mean, over references."""
    return sentence_spread(metric, columns)["score"]


def sentence_spread(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return score, std, low and high of each sentence over references: float64 [lines] each.

    std is the population deviation, low and high are score ± 1.959964 std (NaN where std is 0), as in the
    original program's -d. Where the best reference counts there is no spread.
    """
    columns = compact(columns, [field.name for field in metric.needs.schema(1).fields if field.per_reference])
    scores = metric.sentence_scores(columns)
    if metric.policy == "max":
        scores = scores.max(axis=-1, keepdims=True)
    mean, std = _mean_and_std(scores)
    if PRESENT in columns and scores.shape[1] > 1:
        counted = np.arange(scores.shape[1]) < columns[PRESENT][:, None]
        mean = scores.mean(axis=-1, where=counted)
        std = scores.std(axis=-1, where=counted)
    if metric.policy == "weighted":
        mean = scores @ np.array(metric.shares)
    half = np.where(std > 0, Z95 * std, math.nan)
    return {"score": mean, "std": std, "low": mean - half, "high": mean + half}


Z95 = 1.959963984540054
"""Quantile 0.975 of the normal distribution, as in the original program's interval."""
