"""The draws of references equal those of the programs they are named after, in blocks of any size."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.data import Corpus
from pipeline.metrics.base.choices import Draws

EDGES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 127, 128, 129, 254, 255]


def stream(draws: Draws) -> list[list[int]]:
    """All draws, a row for each iteration."""
    rows: list[list[int]] = (
        draws.drawer(range(draws.iterations)).take(draws.lines).tolist()
    )
    return rows


# Origin: Python's own generator. Python 2's randint(a, b) was a + int(random() * (b - a + 1)).
@pytest.mark.parametrize("references", EDGES)
def test_python2_and_python3_draw_as_randint_of_these(references: int) -> None:
    def draws(sampler: str) -> Iterator[tuple[random.Random, list[int]]]:
        for iteration, row in enumerate(
            stream(Draws(sampler, 12, 300, references))
        ):
            yield random.Random(101 * iteration), row

    for generator, row in draws("python2"):
        assert row == [int(generator.random() * references) for _ in row]
    for generator, row in draws("python3"):
        assert row == [generator.randint(0, references - 1) for _ in row]


@given(
    references=st.integers(2, Corpus.MAX_REFERENCES),
    lines=st.integers(1, 90),
    iterations=st.integers(1, 7),
    seed=st.integers(0, 2**32 - 1),
)
def test_numpy_is_one_seeded_generator(
    references: int, lines: int, iterations: int, seed: int
) -> None:
    doubles = np.random.default_rng(seed).random((iterations, lines))
    assert (
        stream(Draws("numpy", iterations, lines, references, seed))
        == (doubles * references).astype(int).tolist()
    )


def test_iterations_far_on_have_their_own_seed() -> None:
    """Seeds beyond 2**16 and a long list of them: the last of 3,000 iterations."""
    generator = random.Random(101 * 2999)
    assert stream(Draws("python2", 3000, 5, 3))[-1] == [
        int(generator.random() * 3) for _ in range(5)
    ]


@pytest.mark.parametrize("sampler", ["python2", "python3", "numpy"])
def test_only_numpy_reads_the_seed(sampler: str) -> None:
    one, two = (stream(Draws(sampler, 2, 60, 4, seed)) for seed in (1, 2))
    assert (one != two) == (sampler == "numpy")
