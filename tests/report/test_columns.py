"""What titles of columns mean, marks of directions, and short names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.html.svg import NAME, short_names
from pipeline.report.tables.columns.directions import Directions
from pipeline.report.tables.columns.explanations import BESIDE, EXPLANATIONS, explanation
from pipeline.report.tables.comparisons import pair_table
from pipeline.report.tables.human import correlation_table
from pipeline.report.tables.ranked import ranked_table
from pipeline.scoring.results import Comparison
from tests.report.test_plots import material


def compared(metric: str, difference: float) -> Comparison:
    return Comparison(
        dataset="d",
        metric=metric,
        system="A",
        other="B",
        difference=difference,
        interval=(0.0, 0.1),
        better=0.5,
        wins=1,
        losses=1,
        ties=0,
        cohen_d=0.1,
        p=0.01,
        p_adjusted=0.01,
    )


def test_the_columns_of_a_run_are_explained() -> None:
    results = material(["A", "B", "C"]).results
    tests = [compared(results.scores[0].metric, 0.1)]
    headers = [
        ranked_table(results, results.scores, 2)[0][3:],
        ranked_table(replace(results, tests=tests, statistics={"baseline": "B", "level": 0.9}), results.scores, 2)[0][
            3:
        ],
        pair_table(results, tests, 2)[0][1:],
        correlation_table(results.human or {})[0],
    ]
    assert min(map(len, headers)) > 2
    for header in headers:
        assert [title for title in header if not explanation(title, header)] == []


def test_explanations_are_sentences() -> None:
    for text in [*EXPLANATIONS.values(), *BESIDE.values()]:
        assert text[0].isupper()
        assert text.endswith(".")
    assert "baseline a.b+c," in explanation("against a.b+c")
    assert explanation("p", ["p", "p adjusted"]) != explanation("p", ["against INPUT", "p"])
    assert explanation("system-7") == ""


@pytest.mark.parametrize(
    ("metric", "difference", "mark"),
    [("gleu|n:4", 0.1, "↑"), ("gleu|n:4", -0.1, "↓"), ("ter|norm:false", 0.1, "↓"), ("ter|norm:false", -0.1, "↑")],
)
def test_a_mark_says_which_is_better(metric: str, difference: float, mark: str) -> None:
    """By ter the lowest score is the best."""
    marks = Directions([compared(metric, difference)])
    assert marks.marked(["+1.00*", "0.5", "-"], "A", "B") == [f"+1.00{mark}", "0.5", "-"]
    assert marks.pairs([["A", "B", "+1.00*"], ["B", "C", "+1.00*"]]) == [
        ["A", "B", f"+1.00{mark}"],
        ["B", "C", "+1.00*"],
    ]
    assert marks.marked(["+1.00*"], "A", None) == ["+1.00*"]


@given(st.lists(st.text("ab-", min_size=1, max_size=50), max_size=30))
def test_short_names_tell_names_apart(names: list[str]) -> None:
    short = short_names(names)
    assert set(short) == set(names)
    assert len(set(short.values())) == len(set(names))
    for name, text in short.items():
        begin, _, end = text.partition("…")
        assert name == text or (name.startswith(begin) and name.endswith(end) and len(text) < len(name))
        assert name == text or len(text) >= NAME
    assert all(name == text for name, text in short.items() if len(name) <= NAME)
