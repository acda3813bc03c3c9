"""The compiled kernel of SARI, NIST and CIDEr does what its Python twin does, errors too."""

from __future__ import annotations

import random
from itertools import chain, cycle, islice
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from pipeline.extensions.nlg import kernel as nlg_kernel
from tests.kernel.test_twins import Call, by_seed, check_twins, ids_of_lines
from tests.support.kernels import SYSTEMS, Twin, encoded


@st.composite
def sari_calls(draw: st.DrawFn) -> tuple[Any, ...]:
    lines = draw(st.integers(0, 2))
    references = draw(st.integers(0, 6))
    systems = draw(st.sampled_from(SYSTEMS))
    distinct = draw(st.lists(ids_of_lines(lines), min_size=1, max_size=4))
    source, *texts = [
        encoded(ids)
        for ids in islice(cycle(distinct), 1 + references + systems)
    ]
    rows = draw(st.sampled_from([lines, lines, lines, lines + 1]))
    missing = draw(
        st.none()
        | st.lists(
            st.booleans(),
            min_size=rows * references,
            max_size=rows * references,
        )
    )
    arguments = (
        None
        if missing is None
        else np.array(missing, bool).reshape(rows, references)
    )
    return source, texts[:references], texts[references:], arguments


def ngram_call(rng: random.Random, seed: int) -> Call:
    """Rows of texts of some lines; now and then what does not fit them."""
    del seed
    lines = rng.choice([0, 1, 3, 40])
    references = rng.randint(0, 3)
    outputs = rng.randint(0, 2)
    sizes = [
        rng.choice([0, 1, 2, 5, 70])
        for _ in range(lines * (references + outputs))
    ]
    text = encoded(
        [
            [rng.randrange(rng.choice([1, 4, 999])) for _ in range(size)]
            for size in sizes
        ]
    )
    wrong = rng.choice([0, 0, 0, 0, 1])
    orders = [1, 2, 5, 0]
    return (
        text,
        lines + wrong,
        references + rng.choice([0, 0, 0, 5]),
        rng.choice(orders),
    ), {}


CALLS = {
    "sari": st.tuples(sari_calls(), st.just({})),
    "shared_ngrams": by_seed(ngram_call),
}
PYTHON = Twin("python", nlg_kernel)


def test_every_function_has_calls() -> None:
    assert sorted(CALLS) == sorted(chain(*nlg_kernel.MODULES.values()))


@pytest.mark.parametrize("function", CALLS)
def test_twins_agree(native: Twin, function: str) -> None:
    check_twins(native, PYTHON, function, CALLS[function])


def test_extensions_that_were_built_load(native: Twin) -> None:
    """Fails, and does not skip, where the compiled kernel of the program was built."""
    for function in CALLS:
        assert getattr(native, function) is not getattr(PYTHON, function)
