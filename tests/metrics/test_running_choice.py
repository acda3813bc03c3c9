"""The choice of annotators by guesses is the choice that is made one by one, for each metric that can guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.metrics.base import running_choice
from pipeline.metrics.base.running_choice import SequentialAnnotatorChoice
from pipeline.metrics.build import from_text

if TYPE_CHECKING:
    from pipeline.arrays import Ints

METRICS = ["errant", "errant[beta=0]", "errant[beta=1]", "errant[beta=2.3]", "m2", "m2[beta=0]", "m2[beta=1.7]"]


def choice_of(text: str, running: bool) -> SequentialAnnotatorChoice:
    metric: Any = from_text(text)
    key = metric._key if metric.name == "errant" else metric.key
    return SequentialAnnotatorChoice(key, metric._keys, ("a", "b", "c"), running=running)


def one_by_one(text: str, running: bool, blocks: list[dict[str, Ints]]) -> tuple[list[list[int]], list[int]]:
    """Return the choices of each block without guesses, and the totals at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running_choice, "ROUNDS", 0)
        choose = choice_of(text, running)
        return [choose(block).tolist() for block in blocks], choose.totals.tolist()


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
@pytest.mark.parametrize("rounds", [1, 2, 16])
@settings(max_examples=60, deadline=None)
@given(table=tables(), name=st.sampled_from(METRICS), cut=st.integers(0, 40), seed=st.integers(0, 99))
def test_guesses_end_in_the_choice_that_is_made_one_by_one(
    running: bool, rounds: int, table: list[list[tuple[int, int, int]]], name: str, cut: int, seed: int
) -> None:
    columns = columns_of(table, np.random.default_rng(seed))
    blocks = [{key: values[rows] for key, values in columns.items()} for rows in (slice(0, cut), slice(cut, None))]
    blocks = [block for block in blocks if len(block["order"])]  # the totals are carried from block to block
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running_choice, "ROUNDS", rounds)
        choose = choice_of(name, running)
        chosen = [choose(block).tolist() for block in blocks]
    assert (chosen, choose.totals.tolist()) == one_by_one(name, running, blocks)


def test_a_long_text_is_chosen_by_guesses_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    columns = columns_of(generator.integers(0, 4, (1500, 2, 3)).tolist(), generator)
    ((expected,), _) = one_by_one("errant", True, [columns])
    choose = choice_of("errant", True)
    monkeypatch.setattr(choose, "key", None)  # which the choice one by one would call
    monkeypatch.setattr(running_choice, "ROUNDS", 200)
    assert choose(columns).tolist() == expected
