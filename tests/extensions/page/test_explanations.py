"""What the titles of columns mean, and short names in drawings."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pipeline.extensions.page.shell import BESIDE, explanation, explanations
from pipeline.extensions.page.svg import MIN_NAME, short_names
from pipeline.report.tables import groups
from tests.report.test_overview import comparison
from tests.support.sample_results import context


def test_the_columns_of_a_run_are_explained() -> None:
    results = context(["A", "B", "C"]).results
    tests = [comparison(results.scores[0].metric, "A", "B", 0.1, 0.01)]
    tested = replace(
        results, tests=tests, statistics={"baseline": "B", "level": 0.9}
    )
    headers = [
        groups(results)[0].ranked_table(2)[0][3:],
        groups(tested)[0].ranked_table(2)[0][3:],
        groups(results)[0].pair_table(2)[0][1:],
    ]
    assert min(map(len, headers)) > 2
    for header in headers:
        assert [
            title for title in header if not explanation(title, header)
        ] == []


def test_explanations_are_sentences() -> None:
    for text in [*explanations().values(), *BESIDE.values()]:
        assert text[0].isupper()
        assert text.endswith(".")
    assert "baseline a.b+c," in explanation("against a.b+c")
    assert explanation("p", ["p", "p adjusted"]) != explanation(
        "p adjusted", ["p", "p adjusted"]
    )
    assert explanation("system-7") == ""


@given(st.lists(st.text("ab-", min_size=1, max_size=50), max_size=30))
def test_short_names_tell_names_apart(names: list[str]) -> None:
    short = short_names(names)
    assert set(short) == set(names)
    assert len(set(short.values())) == len(set(names))
    for name, text in short.items():
        begin, _, end = text.partition("…")
        assert name == text or (
            name.startswith(begin)
            and name.endswith(end)
            and len(text) < len(name)
        )
        assert name == text or len(text) >= MIN_NAME
    assert all(
        name == text for name, text in short.items() if len(name) <= MIN_NAME
    )
