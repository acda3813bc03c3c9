"""The draws of references equal those of the programs they are named after, in blocks of any size."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.data import Corpus
from pipeline.metrics.base.choices import Draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

EDGES = [
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    15,
    16,
    17,
    127,
    128,
    129,
    254,
    255,
]


def blocks_of(draws: Draws, size: int) -> list[NDArray[np.uint8]]:
    """All draws, block of lines after block: uint8 [iterations, lines of block] each."""
    drawer = draws.drawer(range(draws.iterations))
    return [
        drawer.take(min(size, draws.lines - low))
        for low in range(0, draws.lines, size)
    ]


def stream(draws: Draws, size: int | None = None) -> list[list[int]]:
    """All draws, a row for each iteration."""
    blocks = blocks_of(draws, size or max(draws.lines, 1))
    if blocks:
        rows: list[list[int]] = np.concatenate(blocks, axis=1).tolist()
        return rows
    return [[] for _ in range(draws.iterations)]


# Origin: Python's own generator. Python 2's randint(a, b) was a + int(random() * (b - a + 1)).
@pytest.mark.parametrize("references", EDGES)
def test_python2_is_int_of_random_times_references(references: int) -> None:
    for iteration, row in enumerate(
        stream(Draws("python2", 12, 300, references))
    ):
        generator = random.Random(101 * iteration)
        assert row == [int(generator.random() * references) for _ in range(300)]


@pytest.mark.parametrize("references", EDGES)
def test_python3_is_randint(references: int) -> None:
    for iteration, row in enumerate(
        stream(Draws("python3", 12, 300, references))
    ):
        generator = random.Random(101 * iteration)
        assert row == [generator.randint(0, references - 1) for _ in range(300)]


@given(
    references=st.integers(2, Corpus.MAX_REFERENCES),
    lines=st.integers(1, 90),
    iterations=st.integers(1, 7),
    seed=st.integers(0, 2**32 - 1),
)
def test_numpy_is_one_seeded_generator(
    references: int,
    lines: int,
    iterations: int,
    seed: int,
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


@pytest.mark.parametrize(
    ("sampler", "moves"),
    [
        ("python2", False),
        ("python3", False),
        ("numpy", True),
    ],
)
def test_only_numpy_reads_the_seed(sampler: str, moves: bool) -> None:
    one, two = (stream(Draws(sampler, 2, 60, 4, seed)) for seed in (1, 2))
    assert (one != two) == moves
