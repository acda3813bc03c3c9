"""The plots of metrics and people: coefficients with their intervals, and Williams' tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...tables.comparisons import shown_p
from ...tables.people import coefficient
from .legends import add_legend
from .names import short
from .plots import CELL, ROW, short_p
from .svg import Drawing, Scale, width_of

if TYPE_CHECKING:
    from ...tables.plotted import Correlated, Forest, Triangle

PANEL = 130
"""Width of the column of a coefficient in pixels."""
SHARE = "accuracy"
"""The coefficient that is a share of pairs, from 0 to 1. The others are from -1 to 1."""


def forest(shown: Forest) -> Drawing:
    """Draw a row for each metric, and for each coefficient a column: a dot at the value, a line over its interval."""
    left = width_of([short(label) for label, _ in shown.metrics])
    bottom = ROW * len(shown.metrics) + 22
    label = f"coefficients of metrics and {shown.human_name} with {shown.level} intervals"
    drawing = Drawing(left + PANEL * len(shown.names) + 8, bottom + 18, label)
    for column, name in enumerate(shown.names):
        start = left + PANEL * column
        over = Scale(0.0 if name == SHARE else -1.0, 1.0, start + 14, start + PANEL - 14)
        drawing.text(start + PANEL / 2, 13, name, "middle small")
        for tick in (over.low, (over.low + 1) / 2, 1.0):
            drawing.line(over(tick), 20, over(tick), bottom, "rule" if tick == (over.low + 1) / 2 else "grid")
            drawing.text(over(tick), bottom + 14, f"{tick:g}".replace("-", "\u2212"), "middle small")
        for row, (metric, values) in enumerate(shown.metrics):
            _value(drawing, over, ROW * row + 22 + ROW / 2, values[column], f"{metric}: {name}")
    for row, (metric, _) in enumerate(shown.metrics):
        drawing.text(left - 2, ROW * row + 26 + ROW / 2, short(metric), "end small", metric)
    interval = (
        [("bar", "", "its interval")] if any(shape.attributes.get("class") == "bar" for shape in drawing.shapes) else []
    )
    add_legend(drawing, [("dot", "", "coefficient"), *interval, ("rule", "", "middle of the scale")])
    return drawing


def _value(drawing: Drawing, over: Scale, middle: float, found: Correlated, name: str) -> None:
    if not math.isfinite(found.value):
        return
    title = f"{name} {coefficient(found.value)}"
    if math.isfinite(found.low) and math.isfinite(found.high):
        title += f", {coefficient(found.low)} to {coefficient(found.high)}"
        drawing.line(over(found.low), middle, over(found.high), middle, "bar", title)
    drawing.dot(over(found.value), middle, 4.5, "dot", title)


def triangle(shown: Triangle) -> Drawing:
    """Draw whether the row's metric is closer to people than the column's: + where it is, else the p-value."""
    names = shown.metrics
    left = width_of([f"{len(names)} {short(name)}" for name in names])
    label = f"Williams' test of two metrics and {shown.human_name}: p-values"
    drawing = Drawing(left + CELL * len(names) + 4, CELL + CELL * len(names), label)
    for row, metric in enumerate(names):
        top = 22 + CELL * row
        drawing.text(left - 4, top + 16, f"{row + 1} {short(metric)}", "end small", metric)
        drawing.text(left + CELL * row + CELL / 2, 14, str(row + 1), "middle small", metric)
        for column, other in enumerate(names):
            p = shown.tests.get((metric, other))
            if p is None:
                continue
            kind, title = "better" if p < shown.level else "same", f"{metric} and {other}: p {shown_p(p)}"
            drawing.rect(left + CELL * column + 1, top + 1, CELL - 2, CELL - 2, f"cell {kind}", title)
            sign = "+" if kind == "better" else short_p(p)
            drawing.text(left + CELL * column + CELL / 2, top + 16, sign, f"middle small {kind}", title)
    closer = ("cell better", "+", "row significantly closer to people than column")
    add_legend(drawing, [closer, ("cell same", ".06", "not significantly, and p")])
    return drawing
