"""Lengths of outputs."""

from __future__ import annotations

import pytest

import pipeline
from pipeline.errors import ConfigError
from tests.support.numbers import near


def test_length() -> None:
    """Words 2 + 1 + 1; characters 6 + 1 + 1, without the blanks at both ends 4 + 1 + 1, at the end
    5 + 1 + 1."""
    texts = [" ab c ", "e", "d"]
    others = ["a", "b", "c"]
    for options, expected in (
        ("", 4 / 3),
        ("unit=char", 8 / 3),
        ("unit=char,strip=both", 2.0),
    ):
        metric = f"length[{','.join(filter(None, [options, 'scale=1']))}]"
        assert pipeline.evaluate(
            texts, [others], metrics=[metric]
        ).score == near(expected)
    found = pipeline.evaluate(
        texts,
        [others],
        metrics=["length[unit=char,strip=end,level=sum,scale=1]"],
    )
    assert (found.score, found.sentences.tolist()) == (7.0, [5.0, 1.0, 1.0])
    with pytest.raises(ConfigError, match="expected a number above 0"):
        pipeline.evaluate(texts, [others], metrics=["length[scale=0]"])
