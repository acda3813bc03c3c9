"""Ranges of ranks, clusters and letters: naive definitions, properties, values by hand."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline.scoring.resampling.intervals as rank_ranges_file
from pipeline.scoring.resampling.intervals import clusters, letters, rank_ranges
from pipeline.scoring.results import ranks
from tests.oracles import naive_statistics as oracle

VALUES = st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5])


@st.composite
def samples(draw: st.DrawFn) -> list[list[float]]:
    systems = draw(st.integers(1, 6))
    return draw(st.lists(st.lists(VALUES, min_size=systems, max_size=systems), min_size=1, max_size=60))


@given(rows=samples(), level=st.sampled_from([0.5, 0.9, 0.95]))
def test_ranges_of_ranks_equal_the_naive_ones(rows: list[list[float]], level: float) -> None:
    assert rank_ranges(np.array(rows), level) == oracle.rank_ranges(rows, Fraction(str(level)))


def test_a_score_that_is_no_number_ranks_last() -> None:
    assert rank_ranges(np.array([[math.nan, 0.0, 1.0]] * 3), 0.95) == [(3, 3), (2, 2), (1, 1)]


def test_ranges_of_ranks_by_hand() -> None:
    """A first in 990 of 1,000 samples and third in 10, of which 25 may be left out; B second, in the 10 first."""
    rows = [[3.0, 2.0, 1.0]] * 990 + [[1.0, 3.0, 2.0]] * 10
    assert rank_ranges(np.array(rows), 0.95) == [(1, 1), (2, 2), (3, 3)]
    assert rank_ranges(np.array(rows), 0.999) == [(1, 3), (1, 2), (2, 3)]


# By hand: a cluster ends where all above are better than all below, whatever ranges within overlap.
@pytest.mark.parametrize(
    ("places", "ranges", "expected"),
    [
        ([1], [(1, 1)], [1]),
        ([1, 2], [(1, 1), (2, 2)], [1, 2]),
        ([1, 2], [(1, 2), (1, 2)], [1, 1]),
        ([2, 1, 3], [(2, 3), (1, 1), (2, 3)], [2, 1, 2]),
        ([1, 2, 3, 4], [(1, 3), (2, 2), (3, 3), (4, 4)], [1, 1, 1, 2]),  # 1 may be third: 2 and 3 stay with it
        ([1, 1, 3], [(1, 1), (1, 1), (3, 3)], [1, 1, 2]),
        ([1, 2, 3], [(1, 2), (2, 3), (2, 3)], [1, 1, 1]),  # worst above 2, best below 2: not better
    ],
)
def test_clusters(places: list[int], ranges: list[tuple[int, int]], expected: list[int]) -> None:
    assert clusters(places, ranges) == expected


@given(rows=samples())
def test_clusters_by_their_definition(rows: list[list[float]]) -> None:
    places = ranks(np.mean(rows, axis=0).round(9).tolist())
    ranges = rank_ranges(np.array(rows), 0.9)
    found = clusters(places, ranges)
    for one, two in itertools.permutations(range(len(places)), 2):
        borders = [
            place
            for place in {p for p in places if places[one] < p <= places[two]}
            if max(r[1] for r, p in zip(ranges, places, strict=True) if p < place)
            < min(r[0] for r, p in zip(ranges, places, strict=True) if p >= place)
        ]
        if places[one] <= places[two]:
            assert found[two] - found[one] == len(borders)


# ---- letters


@pytest.mark.parametrize(
    ("places", "different", "expected"),
    [
        ([1], [], ["a"]),
        ([1, 2], [], ["a", "a"]),
        ([2, 1], [(0, 1)], ["b", "a"]),
        ([1, 2, 3], [(0, 2)], ["a", "ab", "b"]),
        ([1, 2, 3, 4], [(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        ([1, 2, 3], [(1, 2)], ["ab", "a", "b"]),
    ],
)
def test_letters_by_hand(places: list[int], different: list[tuple[int, int]], expected: list[str]) -> None:
    assert letters(places, different) == expected


@given(data=st.data(), systems=st.integers(1, 8))
def test_systems_share_a_letter_unless_they_differ(data: st.DataObject, systems: int) -> None:
    every = list(itertools.combinations(range(systems), 2))
    different = data.draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    places = data.draw(st.permutations(range(1, systems + 1)))
    found = letters(places, [pair if random.random() < 0.5 else (pair[1], pair[0]) for pair in different])
    assert oracle.is_letter_display(found, {frozenset(pair) for pair in different})
    assert "a" in found[places.index(1)]


def test_the_check_of_letters_can_fail() -> None:
    pairs = {frozenset((0, 1))}
    assert oracle.is_letter_display(["a", "b"], pairs)
    for wrong in (["a", "a"], ["a", ""], ["ab", "b"], ["ac", "b"]):
        assert not oracle.is_letter_display(wrong, pairs)


def test_more_groups_than_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(itertools.combinations(range(60), 2))
    found = letters(range(1, 61), every)
    assert found[25:28] == ["z", "A", "B"]
    assert found[52:] == [f"({number})" for number in range(53, 61)]
    monkeypatch.setattr(rank_ranges_file, "MAX_GROUPS", 59)
    assert letters(range(1, 61), every) == [""] * 60
