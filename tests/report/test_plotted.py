"""The plots of a page and the figures show the same: names, values, ranges and marks, as they were computed once."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from pipeline.report.html.figures import plots as svg_plots
from pipeline.report.plots import PLOTS
from pipeline.report.plots.canvas import GREY, styled
from pipeline.report.tables.comparisons import shown_p, signed
from pipeline.report.tables.digits import percent
from pipeline.report.tables.plot_data import all_pairs, precisions, ranked_systems, scatters
from tests.report.test_page import html
from tests.report.test_plots import material

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from pipeline.report.material import Material

SYSTEMS = [f"system-{number}" for number in range(13)]
LABELS = {
    "ranks": "ranges of ranks",
    "precision": "precision of n-grams",
    "p_values": "p-values of all pairs",
    "human": "gleu against people",
}
"""How the description of a plot begins on the page."""


@pytest.fixture(scope="module")
def made() -> Material:
    return material(SYSTEMS)


@pytest.fixture(scope="module")
def page(made: Material) -> dict[str, ET.Element]:
    """The plots of the page."""
    drawings = [ET.fromstring(text) for text in re.findall(r"<svg.*?</svg>", html(made), re.DOTALL)]  # noqa: S314
    plots = {}
    for name, label in LABELS.items():
        (plots[name],) = [drawing for drawing in drawings if drawing.attrib["aria-label"].startswith(label)]
    return plots


def axes_of(made: Material, name: str) -> Axes:
    with styled():
        ((_, _, figure),) = PLOTS[name].figures(made)
    return figure.axes[0]


def row_names(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def drawn(line: Line2D) -> list[list[float]]:
    """Return the points of a line."""
    points: list[list[float]] = np.asarray(line.get_xydata()).tolist()
    return points


def shapes(drawing: ET.Element, tag: str, kind: str = "") -> list[ET.Element]:
    """Return the shapes of a tag that have all classes of kind."""
    return [shape for shape in drawing.iter(tag) if set(kind.split()) <= set(shape.attrib.get("class", "").split())]


def title(shape: ET.Element) -> str:
    return shape.findtext("title", "")


def words(shape: ET.Element) -> str:
    """Return the text of a shape, without its title."""
    return (shape.text or "") + "".join(child.tail or "" for child in shape)


def numbers(shape: ET.Element, *names: str) -> list[float]:
    return [float(shape.attrib[name]) for name in names]


def test_ranks(made: Material, page: dict[str, ET.Element]) -> None:
    systems, axes, drawing = ranked_systems(made.results.scores), axes_of(made, "ranks"), page["ranks"]
    assert sum(system.parted for system in systems) == 4
    assert row_names(axes) == [words(text) for text in shapes(drawing, "text", "end")] == SYSTEMS
    spans, dots = ([drawn(line) for line in axes.lines if line.get_marker() == marker] for marker in ("|", "o"))
    assert spans == [[[system.best, row], [system.worst, row]] for row, system in enumerate(systems)]
    assert dots == [[[system.rank, row]] for row, system in enumerate(systems)]
    borders = [row for row, system in enumerate(systems) if system.parted]
    assert [drawn(line)[0][1] + 0.5 for line in axes.lines if line.get_color() == GREY] == borders
    assert [numbers(line, "y1")[0] / svg_plots.ROW for line in shapes(drawing, "line", "rule")] == borders

    place = {words(text): numbers(text, "x")[0] for text in shapes(drawing, "text", "middle")}
    circles, bars = shapes(drawing, "circle"), shapes(drawing, "line", "bar")
    for system, circle, bar in zip(systems, circles, bars, strict=True):
        name, rank, best, worst, cluster, _ = system
        assert title(circle) == f"{name}: rank {rank}, in samples {best} to {worst}, cluster {cluster}"
        assert numbers(circle, "cx") == [place[str(rank)]]
        assert numbers(bar, "x1", "x2") == [place[str(best)], place[str(worst)]]


def test_precisions(made: Material, page: dict[str, ET.Element]) -> None:
    shown, axes, drawing = precisions(made.results, made.results.scores), axes_of(made, "precision"), page["precision"]
    assert shown.orders == [1, 2]
    assert row_names(axes) == [words(text) for text in shapes(drawing, "text", "end")] == SYSTEMS
    assert [words(t) for t in shapes(drawing, "text") if words(t).startswith("n=")] == ["n=1", "n=2"]
    assert [line.get_label() for line in axes.lines] == ["n = 1", "n = 2"]
    for number, line in enumerate(axes.lines):
        assert drawn(line) == [[100 * system.values[number], row] for row, system in enumerate(shown.systems)]
    titles = [title(circle) for circle in shapes(drawing, "circle")]
    assert titles == [
        f"{system.system}: precision of n={order} is {percent(value, 2)}"
        for number, order in enumerate(shown.orders)
        for system in shown.systems
        for value in [system.values[number]]
    ]
    marked = {title(circle).partition(":")[0] for circle in shapes(drawing, "circle", "strong")}
    assert marked == {system.system for system in shown.systems if system.marked} == {"system-0"}


def test_pairs(made: Material, page: dict[str, ET.Element]) -> None:
    compared = all_pairs(made.results, made.results.scores)
    assert compared is not None
    axes, drawing = axes_of(made, "p_values"), page["p_values"]
    assert row_names(axes) == [title(text) for text in shapes(drawing, "text", "end")] == compared.systems == SYSTEMS
    cells = [patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle)]
    names = {(compared.systems[int(y + 0.5)], compared.systems[int(x + 0.5)]) for x, y in cells}
    assert names == set(compared.pairs) == {(a, b) for a in SYSTEMS for b in SYSTEMS if a != b}
    for text in axes.texts:
        column, row = text.get_position()
        p = compared.pairs[compared.systems[int(row)], compared.systems[int(column)]].p
        assert text.get_text() == "<.001" if p < 0.001 else float(text.get_text()) == pytest.approx(p, abs=5e-4)
    colours = {title(rect): rect.attrib["class"].split()[1] for rect in shapes(drawing, "rect", "cell") if title(rect)}
    expected = {}
    for (one, other), pair in compared.pairs.items():
        star = " *" if pair.significant else ""
        name = f"{one} less {other}: {signed(pair.difference, 2)}, p {shown_p(pair.p)}{star}"
        expected[name] = "same" if not pair.significant else "better" if pair.difference > 0 else "worse"
    assert colours == expected
    assert set(expected.values()) == {"better", "worse", "same"}


def test_metric_against_people(made: Material, page: dict[str, ET.Element]) -> None:
    (shown,) = scatters(made.results)
    axes, drawing = axes_of(made, "human"), page["human"]
    expected = {point.system: (100 * point.score, point.human) for point in shown.points}
    assert list(expected) == SYSTEMS
    assert drawn(axes.lines[0]) == [list(point) for point in expected.values()]
    assert {text.get_text(): tuple(text.xy) for text in axes.texts} == expected  # type: ignore[attr-defined]
    assert axes.get_ylabel() == shown.human_name == "people"
    assert {"gleu", "people"} <= {words(text) for text in shapes(drawing, "text", "middle")}

    circles = {title(circle).partition(":")[0]: circle for circle in shapes(drawing, "circle")}
    for point in shown.points:
        said = f"{point.system}: {percent(point.score, 2)}, {point.human:.4g}"
        assert title(circles[point.system]) == said
        assert [words(text) for text in shapes(drawing, "text") if title(text) == said] == [point.system]
    ticks = [text for text in shapes(drawing, "text") if re.fullmatch("[0-9.]+", words(text))]
    for axis, kind, drop in (("x", "middle", 0), ("y", "end", 4)):  # the text of a tick stands below its line
        own = [text for text in ticks if kind in text.attrib["class"].split()]
        slope, start = np.polyfit([float(words(text)) for text in own], [numbers(text, axis)[0] for text in own], 1)
        for name, (score, human) in expected.items():
            place = start + slope * (score if axis == "x" else human) - drop
            assert numbers(circles[name], f"c{axis}")[0] == pytest.approx(place, abs=0.2)


def test_systems_without_a_score_are_in_no_plot_of_people(made: Material) -> None:
    human = made.results.human or {}
    people = {**human["scores"]["people"], "system-1": None}
    scores = [replace(score, score=float("nan")) if score.rank == 3 else score for score in made.results.scores]
    (shown,) = scatters(replace(made.results, scores=scores, human={**human, "scores": {"people": people}}))
    assert [point.system for point in shown.points] == [SYSTEMS[0], *SYSTEMS[3:]]


@pytest.mark.parametrize("count", [3, 13, 20, 21, 60])
def test_names_on_the_page_lie_on_no_other(count: int) -> None:
    (shown,) = scatters(material([f"system-{number}" for number in range(count)]).results)
    drawing = svg_plots.scatter(shown)
    assert drawing is not None
    boxes = []
    for shape in drawing.shapes:
        if shape.tag == "text" and shape.title:
            width, x, y = 6.6 * len(shape.text), float(shape.attributes["x"]), float(shape.attributes["y"])
            kind = shape.attributes["class"]
            left = x - width if "end" in kind else x - width / 2 if "middle" in kind else x
            boxes.append((left, y - 10, left + width, y + 2))
    assert len(boxes) == count
    for one, two in combinations(boxes, 2):
        assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] + 0.2 or two[3] <= one[1] + 0.2, (one, two)
    assert all(left >= 0 and right <= drawing.width and bottom <= drawing.height for left, _, right, bottom in boxes)
