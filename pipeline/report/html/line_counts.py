"""What a report shows of a sentence: its score with each reference, and the counts that it is made of, by name."""

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
    """Scores of sentences: as the metric combines references, float64 [lines]; with each, and the best of them.

    apart: float64 [lines, references], NaN where a reference is missing; best: int64 [lines]; both None where the
    metric does not look at one reference at a time.
    """

    whole: Floats
    apart: Floats | None
    best: NDArray[np.int64] | None


def line_scores(metric: Metric, columns: Columns) -> LineScores:
    """Return the scores of each sentence."""
    whole = sentence_scores(metric, columns)
    if not metric.by_reference:
        return LineScores(whole, None, None)
    moved = compact(columns, _apart(metric))
    scores, best = metric.sentence_scores(moved), metric.choose(moved)
    missing = columns["ref_len"] < 0 if "ref_len" in columns else np.zeros(scores.shape, bool)
    order = np.argsort(missing, axis=1, kind="stable")  # as compact() has moved them
    back = np.full(scores.shape, np.nan)
    np.put_along_axis(back, order, scores, axis=1)
    back[missing] = np.nan
    return LineScores(whole, back, np.take_along_axis(order, best[:, None], axis=1)[:, 0])


def line_counts(metric: Metric, columns: Columns) -> list[Counted]:
    """Return the counts of each sentence that are shown; of a missing reference they mean nothing."""
    return metric.shown_counts(columns if metric.by_reference else compact(columns, _apart(metric)))


def _apart(metric: Metric) -> list[str]:
    """Return the names of the columns that a metric has for each reference."""
    return [field.name for field in metric.needs.schema(1).fields if field.per_reference]
