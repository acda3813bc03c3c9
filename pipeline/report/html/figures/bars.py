"""The bars in the cells of a leader board: scores with their intervals, on a scale that all its rows share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...tables import percent
from .svg import Drawing, Scale, scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....scoring.results import Score


def interval_bar(score: Score, where: Scale) -> Drawing | None:
    """Return a bar that shows a score and its interval; None for a score that is not finite."""
    if not math.isfinite(score.score):
        return None
    low, high = bounds(score)
    shown = f"{percent(score.score, 2)}"
    drawing = Drawing(160, 18, shown if low == high else f"{shown}, interval {percent(low, 2)} to {percent(high, 2)}")
    drawing.stretched = True
    for tick in where.ticks():
        drawing.line(where(tick), 0, where(tick), 18, "grid")
    drawing.rect(where(low), 6, where(high) - where(low), 6, "range")
    drawing.rect(where(score.score) - 1.2, 2, 2.4, 14, "mark")
    return drawing


def bounds(score: Score) -> tuple[float, float]:
    """Return the interval of a score: by bootstrap, else over draws of references, else the score itself twice."""
    if score.bootstrap:
        low, high = score.bootstrap.interval
    else:
        low, high = score.samples.shown if score.samples else (math.nan, math.nan)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (score.score, score.score)


def interval_scale(scores: Sequence[Score]) -> Scale:
    """Return the scale that the bars of a leader board share."""
    return scale([end for score in scores for end in (*bounds(score), score.score)], 0, 160)


def interval_axis(where: Scale) -> Drawing:
    """Return a drawing of the numbers on this scale."""
    drawing = Drawing(160, 18, f"scale from {percent(where.low, 1)} to {percent(where.high, 1)}")
    for tick in where.ticks():
        drawing.text(where(tick), 13, f"{100 * tick:.4g}", "middle small")
    return drawing
