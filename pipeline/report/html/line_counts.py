"""What a page shows of a sentence: its score with each reference, and the counts that the score is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...scoring.column_blocks import compact
from ...scoring.sentences import sentence_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...arrays import Floats
    from ...metrics.base.columns import Columns
    from ...metrics.base.description import Counted
    from ...metrics.base.metric import Metric


class LineScores(NamedTuple):
    """Scores of sentences."""

    whole: Floats
    """Scores in which the metric combines the references: float64 [lines]."""
    apart: Floats | None
    """Scores with each reference, NaN where it is missing: float64 [lines, references].

    None if the metric does not look at one reference at a time.
    """
    best: NDArray[np.int64] | None
    """Numbers of the references with the best scores: int64 [lines]; None where `apart` is None."""


def line_scores(metric: Metric, columns: Columns) -> LineScores:
    """Return the scores of each sentence."""
    whole = sentence_scores(metric, columns)
    if not metric.by_reference:
        return LineScores(whole, None, None)
    moved = compact(columns, _apart(metric))
    scores, best = metric.sentence_scores(moved), metric.choose(moved)
    missing = columns["ref_len"] < 0 if "ref_len" in columns else np.zeros(scores.shape, bool)
    order = np.argsort(missing, axis=1, kind="stable")  # the order into which compact() moves them
    back = np.full(scores.shape, np.nan)
    np.put_along_axis(back, order, scores, axis=1)
    back[missing] = np.nan
    return LineScores(whole, back, np.take_along_axis(order, best[:, None], axis=1)[:, 0])


def line_counts(metric: Metric, columns: Columns) -> list[Counted]:
    """Return the counts that are shown of each sentence. Those with a missing reference have no meaning."""
    return metric.shown_counts(columns if metric.by_reference else compact(columns, _apart(metric)))


def _apart(metric: Metric) -> list[str]:
    """Return the names of the columns that a metric has for each reference."""
    return [field.name for field in metric.needs.schema(1).fields if field.per_reference]
