"""What figures show, and that the page and matplotlib both draw it: each mark at its place, names
beside their rows.
"""

import math
import random
from dataclasses import replace
from itertools import combinations
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extensions.human.plot_data import coefficient_plots, point_plots
from pipeline.extensions.page import charts, svg
from pipeline.extensions.page.svg import Drawing
from pipeline.extensions.plots.canvas import (
    MARKS,
    draw_points,
    draw_rows,
    styled,
)
from pipeline.extensions.plots.plot_data import (
    difference_rows,
    disagreement,
    leaving,
    rank_rows,
    score_rows,
)
from pipeline.report.tables.ranked import groups
from pipeline.scoring.rows import Bootstrap
from tests.support.sample_results import context

SYSTEMS = [f"system-{number}" for number in range(13)]
RESULTS = context(SYSTEMS).results
SCORES = RESULTS.scores
ROWS = {
    "ranks": rank_rows(SCORES),
    "correlations": next(coefficient_plots(RESULTS))[-1],
}


def shapes(drawing: Drawing, tag: str, kind: str = "") -> list[ET.Element]:
    """Return the shapes of a tag that have all classes of kind; the document is the one that the
    page has.
    """
    root = ET.fromstring(drawing.__html__())  # noqa: S314
    return [
        shape
        for shape in root.iter(tag)
        if set(kind.split()) <= set(shape.get("class", "").split())
    ]


def title(shape: ET.Element) -> str:
    return shape.findtext("title", "")


def words(shape: ET.Element) -> str:
    """Return the text of a shape, without its title."""
    return (shape.text or "") + "".join(child.tail or "" for child in shape)


def number(shape: ET.Element, name: str) -> float:
    return float(shape.get(name, "nan"))


def one(drawings: dict[str, Drawing]) -> Drawing:
    (drawing,) = drawings.values()
    return drawing


def fitted(pairs: list[tuple[float, float]]) -> None:
    """Hold that values and pixels lie on a line."""
    values, pixels = np.array(pairs).T
    slope, start = np.polyfit(values, pixels, 1)
    assert slope > 0
    np.testing.assert_allclose(start + slope * values, pixels, rtol=0, atol=0.2)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_drawn_where_their_numbers_are(name: str) -> None:
    """Dots and lines lie on a line through the ticks, and in the rows of their names."""
    rows = ROWS[name]
    assert rows is not None
    drawing = one(charts.drawn("x", rows))
    names = {
        words(text): number(text, "y") - 4
        for text in shapes(drawing, "text", "end")
    }
    assert list(names) == list(rows.names)
    drawn = {}
    for shape in shapes(drawing, "circle"):
        x = number(shape, "cx")
        drawn[title(shape), number(shape, "cy"), "dot"] = x, x
    for shape in shapes(drawing, "line", "bar"):
        ends = number(shape, "x1"), number(shape, "x2")
        drawn[title(shape), number(shape, "y1"), "interval"] = ends
    assert len(drawn) == len(rows.marks)
    pairs: list[tuple[float, float]] = []
    for mark in rows.marks:
        kind = "interval" if mark.kind == "interval" else "dot"
        pixels = drawn[mark.title, names[rows.names[mark.row]], kind]
        pairs += zip((mark.low, mark.high), pixels, strict=True)
    fitted(pairs)
    with styled():
        _, axes = draw_rows(rows)
    found = []
    for line in axes.lines:
        if line.get_marker() in ("|", "o"):
            points: Any = line.get_xydata()
            found.append({*map(tuple, points.tolist())})
    expected = [{(m.low, m.row), (m.high, m.row)} for m in rows.marks]
    assert found == expected


def test_ranks() -> None:
    """By hand from context(): the cluster of system n is 1 + n // 3; clusters are parted, and
    shaded by turns.
    """
    rows = ROWS["ranks"]
    assert rows is not None
    ranges = [(m.low, m.high) for m in rows.marks if m.kind == "interval"]
    assert ranges == [(max(n, 1), n + 1) for n in range(13)]
    label = "system-4: rank 5, in samples 4 to 5, cluster 2"
    assert rows.marks[8].title == label
    lines = shapes(one(charts.drawn("x", rows)), "line", "rule")
    borders = [number(line, "y1") / charts.ROW for line in lines]
    assert borders == [3, 6, 9, 12]
    with styled():
        _, axes = draw_rows(rows)
    labels = [text.get_text() for text in axes.texts]
    assert labels == [f"cluster {number}" for number in range(1, 6)]
    assert len(axes.patches) == 6  # rows of clusters 2 and 4


def test_a_long_figure_of_the_page_comes_in_parts() -> None:
    results = context([f"s{number}" for number in range(90)]).results
    drawings = charts.drawn("Rank ranges", rank_rows(results.scores))
    spans = ("1 to 30", "31 to 60", "61 to 90")
    assert list(drawings) == [f"Rank ranges, systems {span}" for span in spans]
    second = drawings["Rank ranges, systems 31 to 60"]
    assert words(shapes(second, "text", "end")[0]) == "s30"


def test_scores_and_differences_say_what_is_significant() -> None:
    """p of the pairs with L is 0.010 ... 0.044, 0.050 ... (see test_plots.py), so five of them are
    below 0.05.
    """
    results = context([*"ABCDEFGHIJKL"], "L").results
    (group,) = groups(results)
    scores = score_rows(group)
    differences = difference_rows(group)
    assert differences is not None
    for rows in (scores, differences):
        kinds = [mark.kind for mark in rows.marks]
        dots = [kind for kind in kinds if kind in ("value", "open")]
        assert dots[:11] == ["value"] * 5 + ["open"] * 6
    assert scores.line == pytest.approx(60 - 30 * 11 / 12)
    assert differences.line == 0
    legend = [kind for kind, _ in scores.legend]
    assert legend == ["interval", "draws", "line", "open"]
    assert differences.notes[0] == "p 0.0100"
    assert difference_rows(groups(RESULTS)[0]) is None
    assert MARKS["open"]["markerfacecolor"] == "white"


def test_metric_against_people() -> None:
    ((*_, points),) = point_plots(RESULTS)
    third = points.points[3]
    assert third.name == "system-3"
    assert third[1:3] == pytest.approx((60 - 90 / 13, 21 % 13 / 13))
    drawing = one(charts.drawn("x", points))
    circles = {title(circle): circle for circle in shapes(drawing, "circle")}
    marks = [(point, circles[point.title]) for point in points.points]
    fitted([(point.x, number(mark, "cx")) for point, mark in marks])
    fitted([(-point.y, number(mark, "cy")) for point, mark in marks])
    titles = {words(text) for text in shapes(drawing, "text", "middle")}
    assert {"GLEU+ (percent)", "people"} <= titles
    with styled():
        _, axes = draw_points(points)
    drawn: Any = axes.lines[0].get_xydata()
    assert drawn.tolist() == [[point.x, point.y] for point in points.points]


def test_systems_without_a_score_are_in_no_plot_of_people() -> None:
    human = RESULTS.human or {}
    human_scores = {**human["scores"]["people"], "system-1": None}
    scores = [*SCORES]
    scores[2] = replace(scores[2], score=math.nan)
    section = {**human, "scores": {"people": human_scores}}
    results = replace(RESULTS, scores=scores, human=section)
    ((*_, points),) = point_plots(results)
    names = [point.name for point in points.points]
    assert names == [SYSTEMS[0], *SYSTEMS[3:]]


@pytest.mark.parametrize("count", [3, 13, 20, 21, 60])
def test_names_on_the_page_lie_on_no_other(count: int) -> None:
    names = [f"system-{number}" for number in range(count)]
    ((*_, points),) = point_plots(context(names).results)
    drawing = one(charts.drawn("x", points))
    boxes = []
    for shape in shapes(drawing, "text"):
        if title(shape):
            width = 6.6 * len(words(shape))
            kind = shape.get("class", "")
            share = 1.0 if "end" in kind else 0.5 if "middle" in kind else 0.0
            left = number(shape, "x") - width * share
            y = number(shape, "y")
            assert left >= 0
            assert left + width <= drawing.width
            assert y + 2 <= drawing.height
            boxes.append((left, y - 10, left + width, y + 2))
    assert len(boxes) == count
    for a, b in combinations(boxes, 2):
        beside = a[2] <= b[0] or b[2] <= a[0]
        assert beside or a[3] <= b[1] + 0.2 or b[3] <= a[1] + 0.2, (a, b)


def test_drawings_of_many_systems_stay_inside() -> None:
    results = context([f"system-{n}-{'x' * n}" for n in range(40)]).results
    for rows in (rank_rows(results.scores), next(point_plots(results))[-1]):
        drawing = one(charts.drawn("x", rows))
        limits = {"x": drawing.width, "y": drawing.height}
        for tag in ("line", "rect", "circle", "text"):
            for shape in shapes(drawing, tag):
                for name in ("x", "x1", "x2", "cx", "y", "y1", "y2", "cy"):
                    limit = limits[name.strip("c12")]
                    assert 0 <= float(shape.get(name, 0)) <= limit


def test_ticks_are_round_and_inside() -> None:
    assert svg.Scale(0.532, 0.604, 0, 100).ticks(4) == pytest.approx(
        [0.54, 0.56, 0.58, 0.60]
    )
    assert svg.Scale(0.0, 1.0, 0, 100).ticks(4) == pytest.approx(
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    )
    assert svg.Scale(0.5, 0.5, 0, 100)(0.5) == 50
    assert svg.scale([math.nan], 0, 10).ticks()


def test_a_bar_shows_score_and_interval() -> None:
    """By hand: of a scale from 0 to 100 over 160 pixels."""
    score, where = context(["A"]).results.scores[0], svg.Scale(0, 100, 0, 160)
    bootstrap = Bootstrap(0.5, 0.1, (0.25, 0.75), (1, 1), 1)
    bar = svg.interval_bar(
        replace(score, score=0.5, bootstrap=bootstrap), where
    )
    assert bar is not None
    span, mark = shapes(bar, "rect")
    assert (number(span, "x"), number(span, "width")) == (40, 80)
    assert number(mark, "x") + number(mark, "width") / 2 == pytest.approx(80)
    assert svg.interval_bar(replace(score, score=math.nan), where) is None


# --- where metrics disagree


def lines_of(drawing: Drawing, kind: str) -> list[str]:
    """Return the titles of the lines between two orders."""
    return [title(line) for line in shapes(drawing, "line", f"move {kind}")]


def test_orders_join_a_system_where_it_leaves_its_cluster() -> None:
    """The formula's clusters are of three systems each; the second metric has the last system
    first.
    """
    (group,) = groups(RESULTS)
    turned = [group.scores[-1], *group.scores[:-1]]
    again = []
    for number, (score, at) in enumerate(
        zip(turned, group.scores, strict=True)
    ):
        assert at.bootstrap
        spread = replace(at.bootstrap, cluster=1 + number // 3)
        again.append(replace(score, rank=number + 1, bootstrap=spread))
    orders = disagreement(
        [("M²", group), ("GLEU", replace(group, scores=again))]
    )
    assert orders
    for (_, ranks), scores in zip(
        orders.columns, (group.scores, turned), strict=True
    ):
        assert list(ranks) == [score.system for score in scores]
    drawing = charts.drawn("x", orders)["x"]
    assert lines_of(drawing, "up") == ["system-12: 13 by M², 1 by GLEU"]
    down = [line.partition(":")[0] for line in lines_of(drawing, "down")]
    assert sorted(down) == [f"system-{n}" for n in (11, 2, 5, 8)]
    assert len(shapes(drawing, "line", "border")) == 2 * 5
    named = [t for t in shapes(drawing, "text") if "system-3" in t.itertext()]
    assert len(named) == 2


def test_orders_without_samples_join_equal_scores_and_skip_what_has_no_score() -> (
    None
):
    (group,) = groups(RESULTS)
    first, second, third = (
        replace(score, bootstrap=None) for score in group.scores[:3]
    )
    equal = [replace(second, rank=1), replace(third, rank=1)]

    def drawn(last: Any) -> tuple[Any, Drawing]:
        found = disagreement(
            [
                ("a", replace(group, scores=[first, second, third])),
                ("b", replace(group, scores=[*equal, last])),
            ]
        )
        assert found
        return found, charts.drawn("x", found)["x"]

    orders, drawing = drawn(replace(first, rank=3, score=math.nan))
    assert orders.columns[1][1] == {"system-1": 1, "system-2": 1}
    assert lines_of(drawing, "up") == []  # of the two that both rank
    drawing = drawn(replace(first, rank=3))[1]
    assert lines_of(drawing, "up") == ["system-2: 3 by a, 1 by b"]
    assert lines_of(drawing, "down") == ["system-0: 1 by a, 3 by b"]
    assert disagreement([("a", group)]) is None


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=8),
    st.lists(st.integers(0, 3), min_size=2, max_size=8),
    st.randoms(),
)
def test_a_system_leaves_its_cluster_where_no_rank_is_in_both(
    one: list[int], other: list[int], chance: random.Random
) -> None:
    """Clusters of rankings by chance: each system of the one stands wholly before or behind, among
    those in both.
    """
    names = [f"s{n}" for n in range(9)]
    rankings = []
    for clusters in (one, other):
        chance.shuffle(names)
        rankings.append(dict(zip(names, sorted(clusters), strict=False)))
    shared = rankings[0].keys() & rankings[1].keys()
    orders = [[name for name in ranks if name in shared] for ranks in rankings]
    expected = {}
    for name in shared:
        before, after = (
            [
                at
                for at, rival in enumerate(order)
                if ranks[rival] == ranks[name]
            ]
            for ranks, order in zip(rankings, orders, strict=True)
        )
        if max(before) < min(after):
            expected[name] = 1
        elif min(before) > max(after):
            expected[name] = -1
    assert leaving(*rankings) == expected
