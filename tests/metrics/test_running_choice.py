"""The choice of annotators by guesses is the choice that is made one by one, for each metric that can guess."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.metrics.base import running_choice
from pipeline.metrics.base.arithmetic import round_as_python
from pipeline.metrics.base.running_choice import RunningChoice
from pipeline.metrics.build import from_text

if TYPE_CHECKING:
    from pipeline.arrays import Ints

METRICS = ["errant", "errant[beta=0]", "errant[beta=1]", "errant[beta=2.3]", "m2", "m2[beta=0]", "m2[beta=1.7]"]


def one_by_one(choose: RunningChoice) -> RunningChoice:
    """Return the same choice without guesses."""
    return RunningChoice(choose.key, choose.names, choose.order, running=choose.running)


def choice_of(text: str, running: bool) -> RunningChoice:
    metric: Any = from_text(text)
    key, keys = (metric._key, metric._keys) if metric.name == "errant" else (metric.key, metric._keys)
    return RunningChoice(key, ("a", "b", "c"), "order", keys=keys, running=running)


def columns_of(rows: list[list[tuple[int, int, int]]], generator: np.random.Generator) -> dict[str, Ints]:
    counts = np.array(rows, np.int64)
    orders = np.array([generator.permutation(counts.shape[1]) for _ in rows], np.int64)
    return {"a": counts[..., 0], "b": counts[..., 1], "c": counts[..., 2], "order": orders}


@st.composite
def tables(draw: st.DrawFn) -> list[list[tuple[int, int, int]]]:
    annotators, most = draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 6, 10**6]))
    count = st.integers(0, most)
    line = st.lists(st.tuples(count, count, count), min_size=annotators, max_size=annotators)
    return draw(st.lists(line, min_size=1, max_size=40))


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("rounds", [0, 1, 2, 16])
@settings(max_examples=60, deadline=None)
@given(table=tables(), name=st.sampled_from(METRICS), cut=st.integers(0, 40), seed=st.integers(0, 99))
def test_guesses_end_in_the_choice_that_is_made_one_by_one(
    running: bool, rounds: int, table: list[list[tuple[int, int, int]]], name: str, cut: int, seed: int
) -> None:
    columns = columns_of(table, np.random.default_rng(seed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running_choice, "ROUNDS", rounds)
        choose = choice_of(name, running)
        expected = one_by_one(choose)
        for rows in (slice(0, cut), slice(cut, None)):  # the totals are carried from block to block
            block = {key: values[rows] for key, values in columns.items()}
            if len(block["order"]):
                assert choose(block).tolist() == expected(block).tolist()
        assert choose.totals.tolist() == expected.totals.tolist()


def test_a_long_text_is_chosen_by_guesses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    columns = columns_of(generator.integers(0, 4, (1500, 2, 3)).tolist(), generator)
    choose = choice_of("errant", True)
    expected = one_by_one(choose)(columns).tolist()
    monkeypatch.setattr(choose, "key", None)  # which the choice one by one would call
    monkeypatch.setattr(running_choice, "ROUNDS", 200)
    assert choose(columns).tolist() == expected


@settings(max_examples=300, deadline=None)
@given(part=st.integers(0, 40_000), whole=st.integers(1, 40_000), decimals=st.sampled_from([2, 4]))
def test_fractions_are_rounded_as_python_rounds_them(part: int, whole: int, decimals: int) -> None:
    value = min(part, whole) / max(part, whole)
    expected = Fraction(str(round(value, decimals))) * 10**decimals
    assert round_as_python(np.array([value]), decimals).tolist() == [float(expected)]


def test_numbers_halfway_between_two_decimals_are_rounded_by_their_binary_value() -> None:
    values = np.array([(2 * number + 1) / 20_000 for number in range(10_000)])
    near = np.concatenate([values, np.nextafter(values, 0), np.nextafter(values, 1)])
    expected = [round(round(value, 4) * 10_000) for value in near.tolist()]
    assert round_as_python(near, 4).tolist() == expected
    assert expected != np.rint(near * 10_000).tolist()  # so that the exact way is needed
