"""Which sentences a page shows, and what of each: its score with each reference, and the counts that it is made of.

Where there is no room for all, those are shown that tell most. They are chosen by their counts alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...metrics.base.capabilities import by_annotator
from ...scoring.column_blocks import compact, of_annotators, present_blocks
from ...scoring.sentences import sentence_scores
from ..tables import round_half_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ...arrays import Floats, Ints
    from ...metrics.base.columns import Columns
    from ...metrics.base.metric import Counted, Metric
    from ...scoring.scored_columns import ScoredColumns


RULE = (
    "half of them where the sentence scores of the systems (by the first metric) lie furthest apart, a quarter with "
    "the lowest mean of scores, an eighth with the highest, the rest evenly spread"
)
"""How telling() chooses, in words for the readers of a page."""


class Least:
    """The lines with the smallest keys of all that were added. Of lines with equal keys, the first are kept."""

    def __init__(self, size: int) -> None:
        """Keep at most `size` lines."""
        self.size = size
        self.keys: NDArray[np.float64] = np.zeros(0)
        self.lines: NDArray[np.int64] = np.zeros(0, np.int64)

    def add(self, keys: Floats, first: int) -> None:
        """Add the keys of lines, float64 [lines]; `first` is the number of the first line."""
        keys = np.concatenate((self.keys, keys))
        lines = np.concatenate((self.lines, np.arange(first, first + len(keys) - len(self.keys))))
        order = np.lexsort((lines, keys))[: self.size]
        self.keys, self.lines = keys[order], lines[order]


def telling(measured: ScoredColumns, size: int) -> Ints:
    """Return the numbers of `size` lines that tell most (see RULE), from 0 and in rising order: int64 [size].

    If there are fewer lines, all are returned. The columns are read once, block after block.
    """
    if size >= measured.lines or not measured.columns:
        return np.arange(min(size, measured.lines))
    apart, worst, best = Least(size), Least(size), Least(size)
    first = 0
    for blocks in zip(*(present_blocks(measured.metric, columns) for columns in measured.columns), strict=True):
        scores = np.nan_to_num(np.stack([sentence_scores(measured.metric, columns) for columns in blocks]))
        mean = measured.metric.goodness(scores.mean(axis=0))
        apart.add(scores.min(axis=0) - scores.max(axis=0), first)
        worst.add(mean, first)
        best.add(-mean, first)
        first += len(mean)
    spread = np.linspace(0, measured.lines - 1, size).round().astype(np.int64)
    quotas = [(apart.lines[apart.keys < 0], size // 2), (worst.lines, size // 4), (best.lines, size // 8)]
    return _filled([*quotas, (spread, size), (worst.lines, size)], size)


def _filled(quotas: Sequence[tuple[Ints, int]], size: int) -> Ints:
    """Return `size` lines, taken from each list in turn up to its quota, none twice."""
    taken: dict[int, None] = {}
    for lines, quota in quotas:
        new = [line for line in lines.tolist() if line not in taken][: min(quota, size - len(taken))]
        taken |= dict.fromkeys(new)
    return np.array(sorted(taken), np.int64)


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
