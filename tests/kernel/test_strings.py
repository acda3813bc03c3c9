"""Strings joined to UTF-8: the compiled kernel is as Python's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.kernel.python import encode

native = pytest.importorskip(
    "pipeline.kernel.native.strings", reason="the compiled kernel was not built"
)

ALPHABETS = (
    "ab .,1\n",
    "aé \u0085\u00a0.",
    "a\u20ac\u3000,\u0800\u07ff\uffff",
    "a\U0001f600\U00010000\U0010ffff ",
)
TEXTS = st.sampled_from(ALPHABETS).flatmap(
    lambda letters: st.text(letters, max_size=40)
)


class Text(str):
    """A string that prints itself as another."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another"


@given(st.lists(TEXTS | TEXTS.map(Text), max_size=6))
def test_strings_are_joined(texts: list[str]) -> None:
    one = encode.joined(texts)
    two = native.joined(texts)
    assert (one[0], one[1], one[2].tolist(), one[3]) == (
        two[0],
        two[1],
        two[2].tolist(),
        two[3],
    )
    assert {type(text) for text in two[0]} <= {str}


@pytest.mark.parametrize(
    "text", ["a\ud800", "\U0001f600\udfff", "x" * 40 + "\udc00é"]
)
def test_halves_of_surrogate_pairs_are_refused(text: str) -> None:
    for joined in (encode.joined, native.joined):
        with pytest.raises(UnicodeEncodeError):
            joined(["é", text])
