"""Charts of a page as SVG: they draw what `pipeline.extensions.plots.plot_data` describes."""

import math
from collections.abc import Sequence
from itertools import pairwise

from pipeline.extensions.plots.label_positions import Box, label_positions
from pipeline.extensions.plots.plot_data import (
    Curves,
    NamedGroup,
    Orders,
    Points,
    RankedSystem,
    Rows,
    curves_of,
    disagreement,
    leaving,
    rank_rows,
)
from pipeline.report.tables import Group

from .svg import Drawing, Scale, scale, short_names, width_of

ROW = 22
"""Height of a row in pixels."""
LINE = 12
"""Height of a line of small text in pixels."""
MAX_ROWS = 40
"""A chart has at most so many rows, so that it fits a printed page. Further rows are charts of
their own."""
MAX_RANKS_WIDTH = 640
"""Width in pixels of the scale of ranks, if there are many."""
MAX_SMALL_POINTS = 20
"""A chart of a metric against human scores is small with at most so many systems."""
BETWEEN = 26
"""Pixels between two columns of orders, where lines join them."""
HUES = 6
"""How many colours and patterns of lines the style sheet has; further lines begin again."""
CLASSES = dict.fromkeys(("value", "rank", "large"), "dot")
CLASSES |= {"interval": "bar", "open": "dot hollow", "line": "rule"}
"""The classes of the style sheet for the kinds of marks and of a legend."""


def board_charts(group: Group) -> dict[str, Drawing]:
    """Return the charts of a leader board by their titles: scores over steps, such as checkpoints,
    and rank ranges, if there are such systems and bootstrap samples.
    """
    drawings: dict[str, Drawing] = {}
    for curves in curves_of([NamedGroup("", group)]):
        drawings |= drawn(f"Scores by {curves.x_axis}", curves)
    ranges = rank_rows(group.scores)
    if ranges and len(ranges.names) > 1:
        drawings |= drawn("Rank ranges", ranges)
    return drawings


def disagreement_chart(
    titled: Sequence[tuple[str, Group]],
    rankings: Sequence[tuple[str, Sequence[RankedSystem]]],
    subject: str,
) -> dict[str, Drawing]:
    """Return a chart of where rankings disagree, by its title; see disagreement()."""
    return drawn(
        f"Where {subject} disagree", disagreement(titled, rankings, subject)
    )


def drawn(
    title: str, data: Rows | Points | Curves | Orders | None
) -> dict[str, Drawing]:
    """Return the drawings of described data by their titles: one, or several, `TITLE, systems 1 to
    N` and so on, of equal length if there are many rows.

    There is none without data, or for points of fewer than three systems."""
    if data is None:
        return {}
    if isinstance(data, Curves):
        return {title: _curves(data)}
    if isinstance(data, Orders):
        return {title: _orders(data)}
    if isinstance(data, Points):
        return {title: _points(data)} if len(data.points) > 2 else {}
    count = len(data.names)
    parts = math.ceil(count / MAX_ROWS)
    if parts < 2:
        return {title: _rows(data, 0, count)}
    size = math.ceil(count / parts)
    drawings = {}
    for first in range(0, count, size):
        end = min(first + size, count)
        drawings[f"{title}, systems {first + 1} to {end}"] = _rows(
            data, first, end
        )
    return drawings


def _orders(orders: Orders) -> Drawing:
    """Draw a column for each ranking, with the names of the systems from the best on. Borders
    separate clusters, and a line joins a system to itself in the next column if it leaves its
    cluster.
    """
    names = short_names(list(orders.titles))
    headings = short_names([title for title, _ in orders.columns])
    width = width_of(list(names.values()))
    step = max(width + BETWEEN, width_of(list(headings.values())))
    left = 30.0
    top = 24
    total_width = left + step * (len(orders.columns) - 1) + width + 12
    drawing = Drawing(total_width, top + ROW * len(names) + 4, orders.label)
    legend = {"border": "a cluster begins"}
    for row in range(len(names)):
        baseline = top + ROW * row + 15
        drawing.text(left - 10, baseline, str(row + 1), "end small")
    for index, (title, clusters) in enumerate(orders.columns):
        start = left + step * index
        stop = start + width
        centre = start + width / 2
        drawing.text(centre, 13, headings[title], "middle head", title)
        next_clusters: dict[str, int] = {}
        if index + 1 < len(orders.columns):
            _, next_clusters = orders.columns[index + 1]
        next_order = list(next_clusters)
        moves = leaving(clusters, next_clusters)
        begun_clusters = set()
        for row, (system, cluster) in enumerate(clusters.items()):
            upper = top + ROW * row
            middle = upper + ROW / 2
            description = orders.titles[system]
            drawing.text(
                centre, middle + 4, names[system], "middle", description
            )
            if cluster not in begun_clusters:
                begun_clusters.add(cluster)
                drawing.line(start, upper, stop, upper, "border")
            if system in moves:
                direction = "up" if moves[system] < 0 else "down"
                kind = f"move {direction}"
                legend[kind] = f"{direction}, to another cluster"
                next_upper = top + ROW * next_order.index(system)
                next_middle = next_upper + ROW / 2
                drawing.line(
                    stop, middle, start + step, next_middle, kind, description
                )
    drawing.legend(list(legend.items()))
    return drawing


def _rows(rows: Rows, first: int, end: int) -> Drawing:
    """Draw the rows from the index `first` to before `end`, with names on the left, marks on a
    common scale, which is that of all rows, and a rule where a cluster begins.
    """
    names = short_names(rows.names)
    left = width_of(list(names.values()))
    bottom = ROW * (end - first)
    # Wide enough for a scale of ranks.
    steps = len(rows.names) - 1
    step_width = min(24.0, MAX_RANKS_WIDTH / max(steps, 1))
    width = 28 + max(step_width * steps, 120)
    drawing = Drawing(left + width, bottom + 26, rows.label)
    start = left + 14
    stop = left + width - 14
    if rows.ends:
        axis = Scale(*rows.ends, start, stop)
    else:
        values = []
        for mark in rows.marks:
            values += [mark.low, mark.high]
        axis = scale(values, start, stop)
    for tick in _ticks(rows, axis):
        x = axis(tick)
        drawing.line(x, 2, x, bottom, "grid")
        drawing.text(x, bottom + 16, f"{tick:.4g}", "middle small")
    if rows.line is not None:
        x = axis(rows.line)
        drawing.line(x, 2, x, bottom, "rule")
    cluster_starts = set()
    for row, (previous, cluster) in enumerate(pairwise(rows.clusters), 1):
        if previous != cluster:
            cluster_starts.add(row)
    for row in range(first, end):
        upper = ROW * (row - first)
        middle = upper + ROW / 2
        name = rows.names[row]
        if row in cluster_starts:
            drawing.line(0, upper, drawing.width, upper, "rule")
        marks = [mark for mark in rows.marks if mark.row == row]
        title = name
        if marks:
            title = marks[0].title
        drawing.text(left - 2, middle + 4, names[name], "end", title)
        for mark in marks:
            kind = CLASSES[mark.kind]
            low = axis(mark.low)
            high = axis(mark.high)
            if kind == "bar":
                drawing.line(low, middle, high, middle, kind, mark.title)
            else:
                drawing.dot(low, middle, 4.5, kind, mark.title)
    legend = [(CLASSES[kind], meaning) for kind, meaning in rows.legend]
    drawing.legend(legend)
    return drawing


def _ticks(rows: Rows, axis: Scale) -> list[float]:
    """Return the numbers to write below a scale, so few that they do not touch: on a scale of ranks
    all or each fifth, else three, two or one.
    """
    if rows.clusters:
        last = int(axis.high)
        step_width = axis(2) - axis(1)
        if last * step_width < MAX_RANKS_WIDTH:
            return list(range(1, last + 1))
        fifths = list(range(5, last - 1, 5))
        return [1, *fifths, last]
    ticks = axis.ticks(2)
    label_width = 0.0
    if rows.ends is None:
        label_width = width_of([f"{tick:.4g}" for tick in ticks])
    first_x = axis(ticks[0])
    if len(ticks) > 2 and axis(ticks[1]) - first_x < label_width:
        ticks = [ticks[0], ticks[-1]]
    if axis(ticks[-1]) - first_x > label_width:
        return ticks
    return ticks[:1]


class _Axes:
    """A drawing of `width` pixels with titled axes at the left and below `bottom`, for points at
    `xs` and `ys`. `x` and `y` are the scales, from numbers to pixels.
    """

    def __init__(
        self,
        data: Points | Curves,
        width: int,
        bottom: int,
        xs: Sequence[float],
        ys: Sequence[float],
    ) -> None:
        self.drawing = Drawing(width, bottom + 40, data.label)
        self.x = scale(xs, 54, width - 20, margin=0.12)
        self.y = scale(ys, bottom, 12, margin=0.1)
        drawing = self.drawing
        for tick in self.x.ticks():
            x = self.x(tick)
            label = f"{tick:.4g}" if abs(tick) < 10_000 else f"{tick:.0f}"
            drawing.line(x, 8, x, bottom, "grid")
            drawing.text(x, bottom + 16, label, "middle small")
        for tick in self.y.ticks():
            y = self.y(tick)
            drawing.line(50, y, width - 10, y, "grid")
            drawing.text(46, y + 4, f"{tick:.4g}", "end small")
        centre = (54 + width - 20) / 2
        drawing.text(centre, bottom + 34, data.x_axis, "middle small")
        middle = bottom / 2 + 6
        turned = f"rotate(-90 14 {middle:g})"
        drawing.text(14, middle, data.y_axis, "middle small", transform=turned)


def _curves(curves: Curves) -> Drawing:
    """Draw curves with shaded intervals, and a horizontal rule for each level, a score without a
    position on the axis of x. The best points are large.
    """
    xs: list[float] = []
    ys = [level for _, level in curves.levels]
    for _, dots in curves.lines:
        for dot in dots:
            xs.append(dot.x)
            ys += [dot.low, dot.high]
    axes = _Axes(curves, 520, 280, xs, ys)
    drawing = axes.drawing
    for name, level in curves.levels:
        y = axes.y(level)
        drawing.line(
            50, y, drawing.width - 10, y, "rule", f"{name}: {level:.2f}"
        )
        drawing.text(drawing.width - 12, y - 4, name, "end small")

    def pixels(points: Sequence[tuple[float, float]]) -> str:
        return " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in points)

    legend = []
    for index, (name, dots) in enumerate(curves.lines):
        hue = f"hue{index % HUES}"
        if any(dot.low < dot.high for dot in dots):
            # Along the lower ends, and back along the upper ones.
            outline = [(dot.x, dot.low) for dot in dots]
            outline += [(dot.x, dot.high) for dot in reversed(dots)]
            drawing.shape("polygon", f"shade {hue}", points=pixels(outline))
        if dots:
            points = pixels([(dot.x, dot.y) for dot in dots])
            drawing.shape("polyline", f"curve {hue}", points=points)
        legend.append((f"curve {hue}", name))
    # Dots are above all curves.
    for index, (_, dots) in enumerate(curves.lines):
        for dot in dots:
            x = axes.x(dot.x)
            y = axes.y(dot.y)
            kind = f"{CLASSES[dot.kind]} hue{index % HUES}"
            radius = 7 if dot.kind == "large" else 4
            drawing.dot(x, y, radius, kind, dot.title)
    legend += [(CLASSES[kind], meaning) for kind, meaning in curves.legend]
    drawing.legend(legend)
    return drawing


def _points(data: Points) -> Drawing:
    """Draw a dot for each point, with its name where it covers least of other names and dots. A line
    joins a name to a distant dot.
    """
    points = data.points
    width = 360
    bottom = 260
    if len(points) > MAX_SMALL_POINTS:
        width = 560
        bottom = 460
    xs = [point.x for point in points]
    ys = [point.y for point in points]
    axes = _Axes(data, width, bottom, xs, ys)
    drawing = axes.drawing
    names = short_names([point.name for point in points])
    # Pixels of a page count downwards, those of label_positions() upwards.
    centres = []
    sizes = []
    for point in points:
        centres.append((axes.x(point.x), -axes.y(point.y)))
        name_width = width_of([names[point.name]]) - 8
        sizes.append((name_width, LINE))
    frame = Box(50.0, -axes.y.start, drawing.width, -8.0)
    for index, position in label_positions(centres, sizes, frame).items():
        point = points[index]
        x = axes.x(point.x)
        y = axes.y(point.y)
        name_width, _ = sizes[index]
        left = position.x - name_width / 2
        right = position.x + name_width / 2
        if position.needs_line:
            below = -position.y + LINE / 2
            near_x = min(max(x, left), right)
            near_y = min(max(y, below - LINE), below)
            drawing.line(x, y, near_x, near_y, "leader")
        drawing.dot(x, y, 4, "dot", point.title)
        # Widths are estimates, so a name is anchored at the end near its dot.
        kind = "middle small"
        start = position.x
        if left > x:
            kind = "small"
            start = left
        elif right < x:
            kind = "end small"
            start = right
        drawing.text(
            start, 4 - position.y, names[point.name], kind, point.title
        )
    return drawing
