"""The plots of a page: ranges of ranks, precision of each order, p-values of pairs, metrics against people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...tables import percent, round_half_up
from ...tables.comparisons import signed
from ...tables.label_places import label_places
from .legends import add_legend
from .names import short_names
from .svg import Drawing, Scale, scale, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...tables.plotted import AllPairs, Pair, Point, Precisions, RankedSystem, Scatter

MINUS = "\u2212"
ROW = 22
"""Height of a row in pixels."""
PANEL = 78
"""Width of the column of an order in pixels."""
CELL, SMALL = 24, 12
"""Side of a cell of a matrix in pixels, and of one of a matrix of many systems."""
LINE = 12
"""Height of a line of small text in pixels."""
FEW = 20
"""A plot of a metric against people is small with at most so many systems."""
ROWS = 40
"""A plot of ranks has at most so many rows, so that it fits a printed page. Further rows are plots of their own."""
WIDEST = 640
"""Width in pixels of the scale of ranks, if there are many."""
MANY = 24
"""The cells of a matrix of more systems are small and have no p-value in them."""
SIGNIFICANT = (
    ("cell better", "+", "row significantly better than column"),
    ("cell worse", MINUS, "row significantly worse"),
)
"""The cells of a matrix that have a sign, and what it means."""


def rank_parts(systems: Sequence[RankedSystem], title: str = "Ranges of ranks") -> dict[str, Drawing]:
    """Return the plot of ranges of ranks by its title, in parts of equal length where it would be too long."""
    drawn = {f"{title}{which}": rank_ranges(systems, part) for which, part in _parts(systems)}
    return {title: plot for title, plot in drawn.items() if plot}


def order_parts(shown: Precisions) -> dict[str, Drawing]:
    """Return the plot of precisions by its title, in parts of equal length where it would be too long."""
    drawn = {f"Precision of each order{which}": order_dots(shown, part) for which, part in _parts(shown.systems)}
    return {title: plot for title, plot in drawn.items() if plot}


def _parts(rows: Sequence[Any]) -> list[tuple[str, slice]]:
    """Return the parts of rows that are plots of their own, each with words that say which part it is."""
    count = -(-len(rows) // ROWS)
    if count < 2:
        return [("", slice(None))]
    size = -(-len(rows) // count)
    return [
        (f", systems {first + 1} to {min(first + size, len(rows))}", slice(first, first + size))
        for first in range(0, len(rows), size)
    ]


def rank_ranges(ranked: Sequence[RankedSystem], part: slice = slice(None)) -> Drawing | None:
    """Draw the ranges of ranks of systems, or of a part of them, the best first, with lines between clusters."""
    last, systems = len(ranked), ranked[part]
    if last < 2:
        return None
    short = short_names([system.system for system in ranked])
    left, step = width_of(list(short.values())), min(24.0, WIDEST / (last - 1))
    wide = left + 28 + max(step * (last - 1), 120)
    drawing = Drawing(wide, ROW * len(systems) + 26, "ranges of ranks in bootstrap samples; lines part clusters")
    where = Scale(1, last, left + 14, wide - 14)
    for rank in range(1, last + 1):
        if last * step < WIDEST or rank == 1 or (rank % 5 == 0 and rank + 1 < last) or rank == last:
            drawing.line(where(rank), 2, where(rank), ROW * len(systems), "grid")
            drawing.text(where(rank), ROW * len(systems) + 18, str(rank), "middle small")
    for row, (name, rank, best, worst, cluster, parted) in enumerate(systems):
        middle = ROW * row + ROW / 2
        if parted:
            drawing.line(0, ROW * row, wide, ROW * row, "rule")
        title = f"{name}: rank {rank}, in samples {best} to {worst}, cluster {cluster}"
        drawing.text(left, middle + 4, short[name], "end", title)
        drawing.line(where(best), middle, where(worst), middle, "bar", title)
        drawing.dot(where(rank), middle, 4.5, "dot", title)
    border = [("rule", "", "between clusters")] if any(system.parted for system in systems) else []
    add_legend(drawing, [("dot", "", "rank"), ("bar", "", "its range in bootstrap samples"), *border])
    return drawing


def order_dots(shown: Precisions, part: slice = slice(None)) -> Drawing | None:
    """Draw the precision of each order: a row for each system, and for each order a column with its own scale.

    Of a part of the systems the scales are those of all.
    """
    orders, whole = shown.orders, [row for row in shown.systems if all(map(math.isfinite, row.values))]
    rows = [row for row in shown.systems[part] if row in whole]
    if len(whole) < 2 or len(orders) < 2 or not rows:
        return None
    short = short_names([row.system for row in whole])
    left, bottom = width_of(list(short.values())), ROW * len(rows) + 22
    drawing = Drawing(left + PANEL * len(orders) + 8, bottom + 18, "precision of n-grams of each order")
    for column, order in enumerate(orders):
        start = left + PANEL * column
        over = scale([row.values[column] for row in whole], start + 12, start + PANEL - 12)
        drawing.text(start + PANEL / 2, 13, f"n={order}", "middle small")
        for tick in _labelled(over):
            drawing.line(over(tick), 20, over(tick), bottom, "grid")
            drawing.text(over(tick), bottom + 14, f"{100 * tick:.4g}", "middle small")
        for number, (name, values, marked) in enumerate(rows):
            title = f"{name}: precision of n={order} is {percent(values[column], 2)}"
            kind = "dot strong" if marked else "dot"
            drawing.dot(over(values[column]), ROW * number + 22 + ROW / 2, 4.5, kind, title)
    for number, row in enumerate(rows):
        middle = ROW * number + 22 + ROW / 2
        drawing.line(left, middle, left + PANEL * len(orders), middle, "thread")
        drawing.text(left - 2, middle + 4, short[row.system], "end small", row.system)
    drawing.shapes.sort(key=lambda shape: shape.tag == "circle")  # dots over lines
    both = "the best, and the baseline" if sum(row.marked for row in whole) > 1 else "the best"
    ringed = [("dot strong", "", both)] if any(row.marked for row in rows) else []
    add_legend(drawing, [("dot", "", "a system"), *ringed])
    return drawing


def _labelled(over: Scale) -> list[float]:
    """Return ticks whose numbers do not touch each other: two or three, or the ends of more, or a single one."""
    ticks = over.ticks(2)
    wide = width_of([f"{100 * tick:.4g}" for tick in ticks])
    if len(ticks) > 2 and over(ticks[1]) - over(ticks[0]) < wide:
        ticks = [ticks[0], ticks[-1]]
    return ticks if over(ticks[-1]) - over(ticks[0]) > wide else ticks[:1]


def p_matrix(compared: AllPairs | None, digits: int) -> Drawing | None:
    """Draw which systems differ: whether the row's is better or worse than the column's, or the adjusted p-value."""
    if compared is None or len(compared.systems) < 3:
        return None
    names, short = compared.systems, short_names(compared.systems)
    side = CELL if len(names) <= MANY else SMALL
    left = width_of([f"{len(names)} {name}" for name in short.values()])
    drawing = Drawing(left + side * len(names) + 4, 24 + side * len(names), "p-values of all pairs of systems")
    for row, system in enumerate(names):
        top = 22 + side * row
        drawing.text(left - 4, top + side / 2 + 4, f"{row + 1} {short[system]}", "end small", system)
        if side == CELL or row == 0 or row % 5 == 4:
            drawing.text(left + side * row + side / 2, 14, str(row + 1), "middle small", system)
        for column, other in enumerate(names):
            pair = compared.pairs.get((system, other))
            _cell(drawing, (left + side * column, top, side), pair, f"{system} less {other}", digits)
    sign, meaning = (".06", "no significant difference, and p") if side == CELL else ("", "no significant difference")
    add_legend(drawing, [*SIGNIFICANT, ("cell same", sign, meaning)])
    return drawing


def _cell(drawing: Drawing, where: tuple[float, float, float], pair: Pair | None, names: str, digits: int) -> None:
    """Draw a cell of the matrix, given its left and upper end and its side.

    Colour and sign say which system is better; if neither is, a cell that is large enough has the p-value.
    """
    x, top, side = where
    if pair is None:
        drawing.rect(x + 1, top + 1, side - 2, side - 2, "cell none")
        return
    kind = "same" if not pair.significant else "better" if pair.better else "worse"
    sign = {"better": "+", "worse": MINUS, "same": short_p(pair.p) if side == CELL else ""}[kind]
    star = " *" if pair.significant else ""
    title = f"{names}: {signed(pair.difference, digits)}, p {pair.shown}{star}"
    drawing.rect(x + 1, top + 1, side - 2, side - 2, f"cell {kind}", title)
    if sign:
        drawing.text(x + side / 2, top + side / 2 + 4, sign, f"middle small {kind}", title)


def short_p(p: float) -> str:
    """Return a p-value in three letters, such as .05."""
    text = round_half_up(p, 2)
    return "1" if text == "1.00" else text.removeprefix("0") if math.isfinite(p) else "-"


def scatter(shown: Scatter) -> Drawing | None:
    """Draw a metric against people: a dot for each system, with its name."""
    points, label = shown.points, shown.group.label
    if len(points) < 3:
        return None
    wide, bottom = (360, 260) if len(points) <= FEW else (560, 460)
    drawing = Drawing(wide, bottom + 40, f"{label} against {shown.human}: {shown.coefficients}; a dot for each system")
    over = scale([point.score for point in points], 54, wide - 20, margin=0.12)
    up = scale([point.human for point in points], bottom, 12, margin=0.1)
    for tick in over.ticks():
        drawing.line(over(tick), 8, over(tick), bottom, "grid")
        drawing.text(over(tick), bottom + 16, f"{100 * tick:.4g}", "middle small")
    for tick in up.ticks():
        drawing.line(50, up(tick), wide - 10, up(tick), "grid")
        drawing.text(46, up(tick) + 4, f"{tick:.4g}", "end small")
    drawing.text((54 + wide - 20) / 2, bottom + 34, label, "middle small")
    turned = f"rotate(-90 14 {bottom / 2 + 6:g})"
    drawing.text(14, bottom / 2 + 6, shown.human_name, "middle small", transform=turned)
    _points(drawing, points, over, up)
    return drawing


def _points(drawing: Drawing, points: Sequence[Point], over: Scale, up: Scale) -> None:
    """Draw dots with their names, so that names do not cover each other; a line joins a name to a dot far off."""
    centres = [(over(point.score), up(point.human)) for point in points]
    short = short_names([point.system for point in points])
    sizes = [(width_of([short[point.system]]) - 8, LINE) for point in points]
    frame = (50.0, -up.start, drawing.width, -8.0)
    places = label_places([(x, -y) for x, y in centres], sizes, frame)  # pixels of a page count downwards
    for number, place in places.items():
        point, (x, y) = points[number], centres[number]
        left, right = place.x - sizes[number][0] / 2, place.x + sizes[number][0] / 2
        title = f"{point.system}: {percent(point.score, 2)}, {point.human:.4g}"
        if place.far:
            below = -place.y + LINE / 2
            drawing.line(x, y, min(max(x, left), right), min(max(y, below - LINE), below), "leader")
        drawing.dot(x, y, 4, "dot", title)
        # widths are estimates, so a name is anchored at the end that is near its dot
        kind, start = ("small", left) if left > x else ("end small", right) if right < x else ("middle small", place.x)
        drawing.text(start, 4 - place.y, short[point.system], kind, title)
