"""Regular expressions of configs: none takes long, whatever it is, and each is refused with its
place.
"""

from __future__ import annotations

import sys

import pytest

import pipeline
from pipeline.data.config import models
from pipeline.errors import ConfigError, InputError
from pipeline.metrics.build import from_text
from pipeline.metrics.rouge import texts


def test_an_expression_that_can_match_in_many_ways_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python's own engine would try 2**40 ways. The position is that of the text, also where it is
    a reference."""
    monkeypatch.setattr(texts, "MAX_MATCH_SECONDS", 0.05)
    metric = {
        "name": "rouge",
        "types": "Lsum",
        "split": "regex",
        "boundary": "(a|a)+$",
    }
    for outputs, references in (
        (["a", "a" * 40 + "b"], ["a", "a"]),
        (["a", "a"], ["a", "a" * 40 + "b"]),
    ):
        with pytest.raises(
            InputError,
            match=r":2: takes more than 0.05 seconds to be split by boundary: \(a\|a\)\+\$",
        ):
            pipeline.evaluate(outputs, [references], metrics=[metric])


@pytest.mark.parametrize(
    "boundary",
    ["(a{60000}){60000}", "(a{,60000}){2,60000}", "(" * 500, "a" * 1001],
)
def test_an_expression_that_is_large_is_refused(boundary: str) -> None:
    with pytest.raises(ConfigError, match="boundary: is no regular expression"):
        from_text("rouge", {"split": "regex", "boundary": boundary})


def test_an_expression_needs_the_package_that_gives_it_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The usual one needs no package: it takes a time that grows with the text."""
    monkeypatch.setitem(sys.modules, "regex", None)
    texts.expression.cache_clear()
    usual = pipeline.evaluate(
        ["a. b"], [["b. a"]], metrics=["rouge[types=Lsum,split=regex]"]
    )
    assert usual.score == 1
    with pytest.raises(
        InputError,
        match=r"split: regex needs the package regex: pip install 'gec-pipeline\[rouge\]'",
    ):
        pipeline.evaluate(
            ["a"],
            [["b"]],
            metrics=[{"name": "rouge", "split": "regex", "boundary": "x"}],
        )
    texts.expression.cache_clear()


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "a*a*a*a*(b)", "((a?){9}){9}", "(" * 2000]
)
def test_a_pattern_of_names_is_simple(pattern: str) -> None:
    with pytest.raises(
        ValueError, match="at most three repeats, and none of a group"
    ):
        models._order(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"step-(\d+)",
        r"(?i:steps?)[-_.]?([0-9]+)",
        r"(?:a|b)-([0-9]+(?:\.[0-9])?)k",
    ],
)
def test_usual_patterns_of_names_stay(pattern: str) -> None:
    assert models._order(pattern) == pattern
