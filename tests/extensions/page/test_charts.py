"""What figures show, and that the page and matplotlib both draw it: each mark at its place, names
beside their rows.
"""

import math
import random
from dataclasses import replace
from itertools import combinations
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
    Points,
    Rows,
    difference_rows,
    disagreement,
    leaving,
    rank_rows,
    score_rows,
)
from pipeline.report.tables.ranked import groups
from pipeline.scoring.results import Bootstrap
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


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_drawn_where_their_numbers_are(name: str) -> None:
    """Dots and lines lie on a line through the ticks, and in the rows of their names."""
    shown = ROWS[name]
    assert shown is not None
    drawing = one(charts.drawn("x", shown))
    names = {
        words(text): number(text, "y") - 4
        for text in shapes(drawing, "text", "end")
    }
    assert list(names) == list(shown.names)
    dots = {
        (title(shape), number(shape, "cy")): number(shape, "cx")
        for shape in shapes(drawing, "circle")
    }
    lines = {
        (title(s), number(s, "y1")): (number(s, "x1"), number(s, "x2"))
        for s in shapes(drawing, "line", "bar")
    }
    assert len(dots) + len(lines) == len(shown.marks)
    places = []
    for mark in shown.marks:
        key = (mark.title, names[shown.names[mark.row]])
        drawn = (
            lines[key] if mark.kind == "interval" else (dots[key], dots[key])
        )
        places += list(zip((mark.low, mark.high), drawn, strict=True))
    slope, start = np.polyfit(*zip(*places, strict=True), 1)  # type: ignore[call-overload]
    assert slope > 0
    assert all(abs(start + slope * value - x) < 0.2 for value, x in places)
    with styled():
        _, axes = draw_rows(shown)
        found = [
            line.get_xydata().tolist()  # type: ignore[union-attr]
            for line in axes.lines
            if line.get_marker() in ("|", "o")
        ]
    wanted = [
        sorted({(mark.low, mark.row), (mark.high, mark.row)})
        for mark in shown.marks
    ]
    assert [[tuple(point) for point in line] for line in found] == wanted


def test_ranks() -> None:
    """By hand from material(): the cluster of system n is 1 + n // 3; clusters are parted, and
    shaded by turns.
    """
    shown = ROWS["ranks"]
    assert shown is not None
    marks = shown.marks
    assert [(m.low, m.high) for m in marks if m.kind == "interval"] == [
        (max(n, 1), n + 1) for n in range(13)
    ]
    assert marks[8].title == "system-4: rank 5, in samples 4 to 5, cluster 2"
    borders = [
        number(line, "y1") / charts.ROW
        for line in shapes(one(charts.drawn("x", shown)), "line", "rule")
    ]
    assert borders == [3, 6, 9, 12]
    with styled():
        _, axes = draw_rows(shown)
    assert [text.get_text() for text in axes.texts] == [
        f"cluster {number}" for number in range(1, 6)
    ]
    assert len(axes.patches) == 6  # rows of clusters 2 and 4


def test_a_long_figure_of_the_page_comes_in_parts() -> None:
    shown = rank_rows(
        context([f"s{number}" for number in range(90)]).results.scores
    )
    drawings = charts.drawn("Rank ranges", shown)
    assert list(drawings) == [
        f"Rank ranges, systems {low} to {low + 29}" for low in (1, 31, 61)
    ]
    assert (
        next(
            words(text)
            for text in shapes(
                drawings["Rank ranges, systems 31 to 60"], "text", "end"
            )
        )
        == "s30"
    )


def test_scores_and_differences_say_what_is_significant() -> None:
    """p of the pairs with L is 0.010 ... 0.044, 0.050 ... (see test_plots.py), so five of them are
    below 0.05.
    """
    results = context([*"ABCDEFGHIJKL"], "L").results
    scores, differences = (
        score_rows(results, group := groups(results)[0]),
        difference_rows(results, group),
    )
    assert differences is not None
    for shown in (scores, differences):
        kinds = [
            mark.kind for mark in shown.marks if mark.kind in ("value", "open")
        ]
        assert kinds[:11] == ["value"] * 5 + ["open"] * 6
    assert scores.line == pytest.approx(60 - 30 * 11 / 12)
    assert differences.line == 0
    assert [kind for kind, _ in scores.legend] == [
        "interval",
        "draws",
        "line",
        "open",
    ]
    assert differences.notes[0] == "p 0.0100"
    assert difference_rows(RESULTS, group) is None
    assert MARKS["open"]["markerfacecolor"] == "white"


def test_metric_against_people() -> None:
    ((*_, shown),) = point_plots(RESULTS)
    assert shown.points[3].name == "system-3"
    assert shown.points[3][1:3] == pytest.approx((60 - 90 / 13, 21 % 13 / 13))
    drawing = one(charts.drawn("x", shown))
    circles = {title(circle): circle for circle in shapes(drawing, "circle")}
    for axis, values in (
        ("cx", [point.x for point in shown.points]),
        ("cy", [-point.y for point in shown.points]),
    ):
        places = [
            (value, number(circles[p.title], axis))
            for p, value in zip(shown.points, values, strict=True)
        ]
        slope, start = np.polyfit(*zip(*places, strict=True), 1)  # type: ignore[call-overload]
        assert slope > 0
        assert all(
            abs(start + slope * value - place) < 0.2 for value, place in places
        )
    assert {"GLEU+ (percent)", "people"} <= {
        words(text) for text in shapes(drawing, "text", "middle")
    }
    with styled():
        _, axes = draw_points(shown)
    drawn = axes.lines[0].get_xydata().tolist()  # type: ignore[union-attr]
    assert drawn == [[point.x, point.y] for point in shown.points]


def test_systems_without_a_score_are_in_no_plot_of_people() -> None:
    human = RESULTS.human or {}
    human_data = {**human["scores"]["people"], "system-1": None}
    scores = [
        replace(score, score=math.nan) if score.rank == 3 else score
        for score in SCORES
    ]
    ((*_, shown),) = point_plots(
        replace(
            RESULTS,
            scores=scores,
            human={**human, "scores": {"people": human_data}},
        )
    )
    assert [point.name for point in shown.points] == [SYSTEMS[0], *SYSTEMS[3:]]


@pytest.mark.parametrize("count", [3, 13, 20, 21, 60])
def test_names_on_the_page_lie_on_no_other(count: int) -> None:
    ((*_, shown),) = point_plots(
        context([f"system-{number}" for number in range(count)]).results
    )
    drawing = one(charts.drawn("x", shown))
    boxes = []
    for shape in shapes(drawing, "text"):
        if title(shape):
            width, x, y = (
                6.6 * len(words(shape)),
                number(shape, "x"),
                number(shape, "y"),
            )
            kind = shape.get("class", "")
            left = (
                x - width
                if "end" in kind
                else x - width / 2
                if "middle" in kind
                else x
            )
            boxes.append((left, y - 10, left + width, y + 2))
    assert len(boxes) == count
    for a, b in combinations(boxes, 2):
        assert (
            a[2] <= b[0]
            or b[2] <= a[0]
            or a[3] <= b[1] + 0.2
            or b[3] <= a[1] + 0.2
        ), (a, b)
    assert all(
        left >= 0 and right <= drawing.width and bottom <= drawing.height
        for left, _, right, bottom in boxes
    )


def test_drawings_of_many_systems_stay_inside() -> None:
    results = context([f"system-{n}-{'x' * n}" for n in range(40)]).results
    described: list[Rows | Points | None] = [
        rank_rows(results.scores),
        next(point_plots(results))[-1],
    ]
    for drawing in (one(charts.drawn("x", shown)) for shown in described):
        for tag in ("line", "rect", "circle", "text"):
            for shape in shapes(drawing, tag):
                for name in ("x", "x1", "x2", "cx", "y", "y1", "y2", "cy"):
                    assert (
                        0
                        <= float(shape.get(name, 0))
                        <= (drawing.width if "x" in name else drawing.height)
                    )


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


def test_orders_join_a_system_where_it_leaves_its_cluster() -> None:
    """The formula's clusters are of three systems each; the second metric has the last system
    first.
    """
    (group,) = groups(RESULTS)
    turned = [group.scores[-1], *group.scores[:-1]]
    again = [
        replace(
            score,
            rank=number + 1,
            bootstrap=replace(one.bootstrap, cluster=1 + number // 3),
        )
        for number, (score, one) in enumerate(
            zip(turned, group.scores, strict=True)
        )
        if one.bootstrap
    ]
    shown = disagreement(
        [("M²", group), ("GLEU", group._replace(scores=again))]
    )
    assert shown
    assert [list(places) for _, places in shown.columns] == [
        [s.system for s in group.scores],
        [s.system for s in turned],
    ]
    drawing = charts.drawn("x", shown)["x"]
    moves = {
        kind: shapes(drawing, "line", f"move {kind}") for kind in ("up", "down")
    }
    assert {title(line) for line in moves["up"]} == {
        "system-12: 13 by M², 1 by GLEU"
    }
    assert {title(line).partition(":")[0] for line in moves["down"]} == {
        f"system-{n}" for n in (2, 5, 8, 11)
    }
    assert len(shapes(drawing, "line", "border")) == 2 * 5
    assert (
        sum("system-3" in text.itertext() for text in shapes(drawing, "text"))
        == 2
    )


def test_orders_without_samples_join_equal_scores_and_skip_what_has_no_score() -> (
    None
):
    (group,) = groups(RESULTS)
    plain = [replace(score, bootstrap=None) for score in group.scores[:3]]
    other = [
        replace(plain[1], rank=1),
        replace(plain[2], rank=1),
        replace(plain[0], rank=3, score=math.nan),
    ]
    shown = disagreement(
        [
            ("a", group._replace(scores=plain)),
            ("b", group._replace(scores=other)),
        ],
    )
    assert shown
    assert shown.columns[1][1] == {"system-1": 1, "system-2": 1}
    drawing = charts.drawn("x", shown)["x"]
    assert shapes(drawing, "line", "move up") == []  # of the two that both rank
    third = [*other[:2], replace(plain[0], rank=3)]
    shown = disagreement(
        [
            ("a", group._replace(scores=plain)),
            ("b", group._replace(scores=third)),
        ],
    )
    assert shown
    drawing = charts.drawn("x", shown)["x"]
    assert [title(line) for line in shapes(drawing, "line", "move up")] == [
        "system-2: 3 by a, 1 by b"
    ]
    assert [title(line) for line in shapes(drawing, "line", "move down")] == [
        "system-0: 1 by a, 3 by b"
    ]
    assert disagreement([("a", group)]) is None


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=8),
    st.lists(st.integers(0, 3), min_size=2, max_size=8),
    st.randoms(),
)
def test_a_system_leaves_its_cluster_where_no_place_is_in_both(
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
    both = [
        [name for name in own if name in rankings[0] and name in rankings[1]]
        for own in rankings
    ]
    expected = {}
    for name in both[0]:
        places = [
            {at for at, rival in enumerate(order) if own[rival] == own[name]}
            for own, order in zip(rankings, both, strict=True)
        ]
        if max(places[0]) < min(places[1]):
            expected[name] = 1
        elif min(places[0]) > max(places[1]):
            expected[name] = -1
    assert leaving(*rankings) == expected
