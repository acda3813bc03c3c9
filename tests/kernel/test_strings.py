"""Strings joined to UTF-8, looks at lines, exact sums and chained n-grams: the compiled kernel is as Python's."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.kernel import strings
from pipeline.kernel.common import Encoded
from pipeline.kernel.python.overlap import overlap

native = pytest.importorskip("pipeline.kernel.native.strings", reason="the compiled kernel was not built")
sums = pytest.importorskip("pipeline.kernel.native.exact_sums", reason="the compiled kernel was not built")
compiled = pytest.importorskip("pipeline.kernel.native.overlap", reason="the compiled kernel was not built")

ALPHABETS = ("ab .,1\n", "aé \u0085\u00a0.", "a\u20ac\u3000,\u0800\u07ff\uffff", "a\U0001f600\U00010000\U0010ffff ")
TEXTS = st.sampled_from(ALPHABETS).flatmap(lambda letters: st.text(letters, max_size=40))


class Text(str):
    """A string that prints itself as another."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another"


@given(st.lists(TEXTS | TEXTS.map(Text), max_size=6))
def test_strings_are_joined(texts: list[str]) -> None:
    one, two = strings.joined(texts), native.joined(texts)
    assert (one[0], one[1], one[2].tolist(), one[3]) == (two[0], two[1], two[2].tolist(), two[3])
    assert {type(text) for text in two[0]} <= {str}


@pytest.mark.parametrize("text", ["a\ud800", "\U0001f600\udfff", "x" * 40 + "\udc00é"])
def test_halves_of_surrogate_pairs_are_refused(text: str) -> None:
    for joined in (strings.joined, native.joined):
        with pytest.raises(UnicodeEncodeError):
            joined(["é", text])


@given(st.lists(TEXTS, max_size=5))
def test_stops_are_those_of_the_regular_expression(lines: list[str]) -> None:
    assert native.stops(lines) == strings.stops(lines)


LINES = st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=3, max_size=3)


def encoded(lines: list[list[int]]) -> Encoded:
    ids = [token for line in lines for token in line]
    return Encoded(np.array(ids, np.int32), np.cumsum([0, *map(len, lines)], dtype=np.int64))


@given(LINES, LINES, st.sampled_from([-1, 0, 1]))
def test_lines_are_compared_as_sets(one: list[list[int]], two: list[list[int]], offset: int) -> None:
    texts = encoded(one), encoded(two)
    for module in (strings, native):
        assert module.distinct(texts[0]).tolist() == [len(set(line)) for line in one]
        pairs = [(i, i - offset) for i in range(3)]
        common = [len({*one[i]} & {*two[j]}) if 0 <= j < 3 else 0 for i, j in pairs]
        assert module.shared(*texts, offset).tolist() == common
        assert module.alike(*texts).tolist() == [a == b for a, b in zip(one, two, strict=True)]


def test_unsound_offsets_are_refused() -> None:
    text = Encoded(np.zeros(1, np.int32), np.array([0, 2], np.int64))
    with pytest.raises(ValueError, match="offsets"):
        native.distinct(text)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30))
def test_sums_are_exact(values: list[float]) -> None:
    whole, power = sums.exact_sum(np.array(values))
    assert whole / Fraction(2) ** power == sum(map(Fraction, values))


def test_what_is_not_finite_has_no_sum() -> None:
    for value in (math.inf, -math.inf, math.nan):
        with pytest.raises(ValueError, match="finite"):
            sums.exact_sum(np.array([1.0, value]))


@pytest.mark.parametrize("sizes", [(0, 3), (5, 0), (127, 128), (128, 129), (129, 128), (300, 9), (9, 600)])
def test_chained_and_hashed_n_grams_match_alike(sizes: tuple[int, int]) -> None:
    """References of up to 128 tokens are chained, and single outputs. Few words, so that n-grams come again."""
    rng = random.Random(1)
    reference, output = ([rng.randrange(3) for _ in range(size)] for size in sizes)
    references, systems = [encoded([reference, output])], [encoded([output, output]), encoded([reference, reference])]
    for order in (1, 2, 5):
        expected = overlap(None, references, systems, order, ("match",))["match"]
        assert (compiled.overlap(None, references, systems, order, ("match",))["match"] == expected).all()
        both = [*references, systems[1]], systems[:1]
        merged = overlap(None, *both, order, ("union_match",))["union_match"]
        assert (compiled.overlap(None, *both, order, ("union_match",))["union_match"] == merged).all()
