"""What a page shows of a sentence: its score with each reference, and the counts that the score is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....metrics.base.capabilities import by_annotator
from ....scoring.column_blocks import compact, of_annotators
from ....scoring.sentences import sentence_scores
from ...tables.digits import round_half_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ....arrays import Floats, Ints
    from ....metrics.base.columns import Columns
    from ....metrics.base.metric import Counted, Metric


def table(
    metric: Metric, columns: Columns, digits: int, references: Ints | None = None
) -> tuple[Floats, list[list[Any]]]:
    """Return the numbers of lines, float64 [lines, width], and the fields of the counts.

    The first numbers are scores, as scaled() returns them: that of the metric and, if it looks at one reference at a
    time, one with each reference and the number of the best reference. The counts follow. What is missing is NaN. A
    field has a name, the first column, whether it is there for each reference, and the number of orders. `references`
    is as for of_annotators().
    """
    scores = line_scores(metric, columns, references)
    parts = [scaled(scores.whole, digits)[:, None]]
    if scores.apart is not None and scores.best is not None:
        parts += [scaled(scores.apart, digits), scores.best[:, None].astype(np.float64)]
    fields: list[list[Any]] = []
    for count in line_counts(metric, columns, references):
        values = count.values.reshape(len(count.values), -1).astype(np.float64)
        orders = count.values.shape[-1] if count.orders else 0
        fields.append([count.name, sum(part.shape[1] for part in parts), count.per_reference, orders])
        parts.append(values)
    return np.concatenate(parts, axis=1), fields


def scaled(values: Floats, digits: int) -> Floats:
    """Return fractions as whole numbers of 10**-digits percent, rounded half up like percent(); NaN if not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        exact = values * 10.0 ** (digits + 2)
        rounded = np.floor(exact + 0.5)
        near = np.abs(exact - np.floor(exact) - 0.5) < 1e-3 + 1e-15 * np.abs(exact)
    for index in zip(*np.nonzero(near), strict=True):  # the decimal form decides which way a half goes
        rounded[index] = float(round_half_up(100 * float(values[index]), digits).replace(".", ""))
    return np.where(np.isfinite(rounded), rounded, np.nan)


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


def line_scores(metric: Metric, columns: Columns, references: Ints | None = None) -> LineScores:
    """Return the scores of each sentence. `references` is as for of_annotators(): with it, annotators are scored."""
    whole = sentence_scores(metric, columns)
    metric, columns = _by_annotator(metric, columns, references)
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


def line_counts(metric: Metric, columns: Columns, references: Ints | None = None) -> list[Counted]:
    """Return the counts that are shown of each sentence. Those with a missing reference have no meaning."""
    metric, columns = _by_annotator(metric, columns, references)
    return metric.shown_counts(columns if metric.by_reference else compact(columns, _apart(metric)))


def _by_annotator(metric: Metric, columns: Columns, references: Ints | None) -> tuple[Metric, Columns]:
    """Return the metric and its columns, of annotators where `references` says which references are theirs."""
    return metric if references is None else by_annotator(metric), of_annotators(metric, columns, references)


def _apart(metric: Metric) -> list[str]:
    """Return the names of the columns that a metric has for each reference."""
    return [field.name for field in metric.needs.schema(1).fields if field.per_reference]
