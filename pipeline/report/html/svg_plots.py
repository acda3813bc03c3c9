"""The plots of a page: ranges of ranks, precision of orders, p-values of pairs, metric against people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..tables.comparisons import is_significant, shown_p, signed, tests_of
from ..tables.digits import percent, round_half_up
from .svg import Drawing, Scale, scale, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import Results, Score

MINUS = "\u2212"
ROW = 22
PANEL = 78
"""Pixels of an order's own column."""
NAME = 18
"""Letters of a name that plots show; the title has all."""


def short(name: str) -> str:
    """Return a name as plots show it."""
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"


def interval_bar(score: Score, where: Scale) -> Drawing | None:
    """Return a score and its interval, by bootstrap or else over draws of references, as a bar of a table's cell."""
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
    """Return the interval that is drawn of a score; the score twice where there is none."""
    found = score.bootstrap or score.samples
    low, high = found.interval if found else (math.nan, math.nan)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (score.score, score.score)


def interval_scale(scores: Sequence[Score]) -> Scale:
    """Return the scale that the bars of a table share."""
    return scale([end for score in scores for end in (*bounds(score), score.score)], 0, 160)


def interval_axis(where: Scale) -> Drawing:
    """Return the numbers of that scale."""
    drawing = Drawing(160, 18, f"scale from {percent(where.low, 1)} to {percent(where.high, 1)}")
    for tick in where.ticks():
        drawing.text(where(tick), 13, f"{100 * tick:.4g}", "middle small")
    return drawing


def rank_ranges(scores: Sequence[Score]) -> Drawing | None:
    """Return the ranges of ranks of systems, the best first, with lines between clusters."""
    known = [(score, score.bootstrap) for score in scores if score.bootstrap]
    if len(known) < 2:
        return None
    left = width_of([short(score.system) for score, _ in known])
    wide = left + 28 + 24 * max(len(known) - 1, 5)
    drawing = Drawing(wide, ROW * len(known) + 26, "ranges of ranks in bootstrap samples; lines part clusters")
    where = Scale(1, len(known), left + 14, wide - 14)
    for rank in range(1, len(known) + 1):
        drawing.line(where(rank), 2, where(rank), ROW * len(known), "grid")
        drawing.text(where(rank), ROW * len(known) + 18, str(rank), "middle small")
    before = known[0][1].cluster
    for row, (score, found) in enumerate(known):
        middle = ROW * row + ROW / 2
        if found.cluster != before:
            drawing.line(0, ROW * row, wide, ROW * row, "rule")
        before = found.cluster
        best, worst = found.ranks
        title = f"{score.system}: rank {score.rank}, in samples {best} to {worst}, cluster {found.cluster}"
        drawing.text(left, middle + 4, short(score.system), "end", title)
        drawing.line(where(best), middle, where(worst), middle, "bar", title)
        drawing.dot(where(score.rank), middle, 4.5, "dot", title)
    return drawing


def order_dots(scores: Sequence[Score], base: str | None) -> Drawing | None:
    """Return the precision of each order: a row for each system, a column with a scale of its own for each order."""
    rows = [(score, _precisions(score)) for score in scores]
    rows = [(score, values) for score, values in rows if len(values) > 1 and all(map(math.isfinite, values))]
    if len(rows) < 2:
        return None
    orders = max(len(values) for _, values in rows)
    left, bottom = width_of([short(score.system) for score, _ in rows]), ROW * len(rows) + 22
    drawing = Drawing(left + PANEL * orders + 8, bottom + 18, "precision of n-grams of each order")
    for order in range(orders):
        start = left + PANEL * order
        over = scale([values[order] for _, values in rows], start + 12, start + PANEL - 12)
        drawing.text(start + PANEL / 2, 13, f"n={order + 1}", "middle small")
        for tick in _labelled(over):
            drawing.line(over(tick), 20, over(tick), bottom, "grid")
            drawing.text(over(tick), bottom + 14, f"{100 * tick:.4g}", "middle small")
        for row, (score, values) in enumerate(rows):
            title = f"{score.system}: precision of n={order + 1} is {percent(values[order], 2)}"
            kind = "dot strong" if score.rank == 1 or score.system == base else "dot"
            drawing.dot(over(values[order]), ROW * row + 22 + ROW / 2, 4.5, kind, title)
    for row, (score, _) in enumerate(rows):
        middle = ROW * row + 22 + ROW / 2
        drawing.line(left, middle, left + PANEL * orders, middle, "thread")
        drawing.text(left - 2, middle + 4, short(score.system), "end small", score.system)
    drawing.shapes.sort(key=lambda shape: shape.tag == "circle")  # dots over lines
    return drawing


def _labelled(over: Scale) -> list[float]:
    """Return so few ticks of a narrow scale that their numbers do not touch: the ends of more, or one."""
    ticks = over.ticks(2)
    wide = width_of([f"{100 * tick:.4g}" for tick in ticks])
    if len(ticks) > 2 and over(ticks[1]) - over(ticks[0]) < wide:
        ticks = [ticks[0], ticks[-1]]
    return ticks if over(ticks[-1]) - over(ticks[0]) > wide else ticks[:1]


def _precisions(score: Score) -> list[float]:
    """Return the precision of each order, where the outputs of a score have them."""
    found: list[float] = []
    while f"precision_{len(found) + 1}" in score.outputs:
        found.append(score.outputs[f"precision_{len(found) + 1}"])
    return found


def p_matrix(results: Results, scores: Sequence[Score], digits: int) -> Drawing | None:
    """Return who differs from whom: rows less columns, better or worse or neither, by the adjusted p-value."""
    tests = {(test.system, test.other): test for test in tests_of(results, scores[0])}
    names = [s.system for s in scores if any(s.system in pair for pair in tests)]
    if len(names) < 3 or len(tests) < len(names):
        return None
    left, size = width_of([f"{len(names)} {short(name)}" for name in names]), 24
    drawing = Drawing(left + size * len(names) + 4, 24 + size * len(names), "p-values of all pairs of systems")
    for row, one in enumerate(names):
        top = 22 + size * row
        drawing.text(left - 4, top + 16, f"{row + 1} {short(one)}", "end small", one)
        drawing.text(left + size * row + size / 2, 14, str(row + 1), "middle small", one)
        for column, other in enumerate(names):
            test, turned = tests.get((one, other)), tests.get((other, one))
            found, sign = (test, 1) if test else (turned, -1)
            place = left + size * column
            if found is None:
                drawing.rect(place + 1, top + 1, size - 2, size - 2, "cell none")
                continue
            real = is_significant(found, results)
            difference = sign * found.difference
            kind = "better" if real and difference > 0 else "worse" if real else "same"
            p = shown_p(found.p_adjusted)
            title = f"{one} less {other}: {signed(difference, digits)}, p {p}" + (" *" if real else "")
            drawing.rect(place + 1, top + 1, size - 2, size - 2, f"cell {kind}", title)
            mark = ("+" if difference > 0 else MINUS) if real else short_p(found.p_adjusted)
            drawing.text(place + size / 2, top + 16, mark, f"middle small {kind}", title)
    return drawing


def short_p(p: float) -> str:
    """Return a p-value in three letters: .05."""
    text = round_half_up(p, 2)
    return "1" if text == "1.00" else text.removeprefix("0") if math.isfinite(p) else "-"


def scatter(item: dict[str, Any], people: dict[str, float], scores: dict[str, float], label: str) -> Drawing | None:
    """Return a metric against people: a dot for each system, with its name. item: a correlation of the results."""
    names = [name for name in item["systems"] if name in people and name in scores]
    names = [name for name in names if math.isfinite(scores[name]) and people[name] is not None]
    if len(names) < 3:
        return None
    wide, high, bottom = 360, 300, 260
    drawing = Drawing(wide, high, f"{label} against {item['human']}, a dot for each system")
    over = scale([scores[name] for name in names], 54, wide - 20, margin=0.12)
    up = scale([people[name] for name in names], bottom, 12, margin=0.1)
    for tick in over.ticks():
        drawing.line(over(tick), 8, over(tick), bottom, "grid")
        drawing.text(over(tick), bottom + 16, f"{100 * tick:.4g}", "middle small")
    for tick in up.ticks():
        drawing.line(50, up(tick), wide - 10, up(tick), "grid")
        drawing.text(46, up(tick) + 4, f"{tick:.4g}", "end small")
    drawing.text((54 + wide - 20) / 2, high - 6, label, "middle small")
    drawing.text(
        14,
        bottom / 2 + 6,
        item["human"].replace("_", " "),
        "middle small",
        transform=f"rotate(-90 14 {bottom / 2 + 6:g})",
    )
    taken: list[tuple[float, float, float]] = []
    for name in sorted(names, key=lambda n: (up(people[n]), n)):
        x, y = over(scores[name]), up(people[name])
        title = f"{name}: {percent(scores[name], 2)}, {people[name]:.4g}"
        drawing.dot(x, y, 4, "dot", title)
        size = width_of([short(name)]) - 8
        kind, place = ("end small", x - 8) if x + size + 10 > wide else ("small", x + 8)
        span = (place - size, place) if kind.startswith("end") else (place, place + size)
        top = y + 4
        while any(abs(top - other) < 12 and span[0] < right and left < span[1] for left, right, other in taken):
            top += 2
        taken.append((*span, top))
        drawing.text(place, top, short(name), kind, title)
    return drawing
