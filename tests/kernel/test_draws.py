"""Draws of references and their sums: of both kernels, in every width of vectors, against Python's
own generator.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipeline.kernel import native_function
from pipeline.kernel.common import BALANCED, SAMPLERS
from tests.support.kernels import NATIVE, PYTHON, Twin

Ints = NDArray[np.int64]

WIDTHS: Any = native_function("WIDTHS", "draws") or ()
ALL = sorted(SAMPLERS + BALANCED)
EDGES = [1, 2, 3, 4, 5, 8, 15, 16, 17, 128, 129, 255]
"""Numbers of references around those where a draw takes more bits."""


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def terms_of(
    seed: int,
    lines: int,
    references: int,
    widths: Sequence[int] = (1, 4, 13),
    top: int = 50,
) -> list[Ints]:
    """Numbers of either sign; with the widths as they are, more columns than are summed together."""
    return [
        generator(seed).integers(-top, top + 1, (lines, references, width))
        for width in widths
    ]


def present_of(seed: int, lines: int, references: int) -> Ints:
    return generator(seed).integers(1, references + 1, lines)


def naive(drawn: NDArray[np.uint8], terms: Sequence[Ints]) -> list[list[int]]:
    """The sums line by line."""
    full = np.concatenate(terms, axis=2)
    lines = np.arange(len(full))
    return [full[lines, row].sum(axis=0).tolist() for row in drawn]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("references", EDGES)
@pytest.mark.parametrize("sampler", ALL)
def test_all_widths_draw_and_sum_as_the_python_kernel(
    native: Twin, sampler: str, references: int, missing: bool
) -> None:
    """With more lines than a state has words, and streams that do not fill the vectors."""
    lines = 700
    iterations = [0, 1, 7, *range(20, 35)]
    seed = references
    terms = terms_of(seed, lines, references)
    present = present_of(seed, lines, references) if missing else None
    arguments = sampler, iterations, lines, references, seed
    drawn = PYTHON.Drawer(*arguments).take(lines, present)
    expected = PYTHON.Drawer(*arguments).sums(terms, present).tolist()
    assert expected == naive(drawn, terms)
    for bits in WIDTHS:
        make = [native.Drawer(*arguments, bits) for _ in range(2)]
        assert make[0].take(lines, present).tolist() == drawn.tolist(), bits
        assert make[1].sums(terms, present).tolist() == expected, bits


@given(
    sampler=st.sampled_from(ALL),
    references=st.sampled_from(EDGES),
    cuts=st.lists(st.integers(0, 400), max_size=4),
    iterations=st.lists(st.integers(0, 10**6), max_size=9),
    missing=st.booleans(),
    data=st.data(),
)
def test_neither_cuts_nor_widths_can_be_seen(
    sampler: str,
    references: int,
    cuts: list[int],
    iterations: list[int],
    missing: bool,
    data: st.DataObject,
) -> None:
    bits = data.draw(st.sampled_from(WIDTHS))
    borders = [0, *sorted(cuts), 400]
    terms = terms_of(1, 400, references, (3,))
    present = present_of(2, 400, references)
    full = NATIVE.Drawer(sampler, iterations, 400, references, 3).sums(
        terms, present if missing else None
    )
    cut = NATIVE.Drawer(sampler, iterations, 400, references, 3, bits)
    total = np.zeros_like(full)
    for low, high in itertools.pairwise(borders):
        total += cut.sums(
            [term[low:high] for term in terms],
            present[low:high] if missing else None,
        )
    assert total.tolist() == full.tolist()


@pytest.mark.parametrize("references", [2, 3, 4, 100])
def test_ten_thousand_lines_are_those_of_pythons_generator(
    native: Twin, references: int
) -> None:
    """So many that the highest 16 bits of a word leave draws open, for 3 and 100 references."""
    lines = 10_000
    iterations = range(60, 64)
    for bits in WIDTHS:
        drawn = native.Drawer(
            "python2", iterations, lines, references, 0, bits
        ).take(lines)
        for iteration, row in zip(iterations, drawn.tolist(), strict=True):
            item = random.Random(101 * iteration)
            assert row == [
                int(item.random() * references) for _ in range(lines)
            ], bits


def test_more_streams_than_are_drawn_at_once(native: Twin) -> None:
    lines = 130
    count = 1100
    terms = terms_of(5, lines, 3, (2,))
    expected = (
        PYTHON.Drawer("python2", range(count), lines, 3).sums(terms).tolist()
    )
    for bits in WIDTHS:
        drawer = native.Drawer("python2", range(count), lines, 3, 0, bits)
        parts = [[term[low : low + 65] for term in terms] for low in (0, 65)]
        assert (
            drawer.sums(parts[0]) + drawer.sums(parts[1])
        ).tolist() == expected, bits


def test_more_lines_and_columns_than_are_summed_at_once(native: Twin) -> None:
    """5,000 lines of 40 columns, and so many references that few lines are summed at once."""
    for references, lines in ((2, 5000), (200, 300)):
        terms = terms_of(6, lines, references, (40,))
        found, expected = (
            kernel.Drawer("python2", range(70), lines, references).sums(terms)
            for kernel in (native, PYTHON)
        )
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "top", [1 << 10, (1 << 19) - 2, 1 << 19, 1 << 20, 1 << 31, 1 << 40, 1 << 62]
)
@pytest.mark.parametrize("references", [2, 5])
def test_sums_beyond_32_bits(native: Twin, references: int, top: int) -> None:
    """Around the size from which the compiled kernel sums in 64 bits. The largest sums are modulo
    2**64.
    """
    terms = [
        np.where(np.arange(references)[:, None] > 0, top, -top)
        + terms_of(7, 2100, references, (2,), 1)[0]
    ]
    found, expected = (
        kernel.Drawer("python2", range(80), 2100, references).sums(terms)
        for kernel in (native, PYTHON)
    )
    assert found.tolist() == expected.tolist()
    drawn = PYTHON.Drawer("python2", range(2), 2100, references).take(2100)
    for row, total in zip(drawn, expected[:2, 1].tolist(), strict=True):
        exact = sum(map(int, terms[0][np.arange(2100), row, 1]))
        assert (exact - total) % 2**64 == 0


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_lines_with_missing_references_take_their_part_of_the_same_stream(
    twin: Twin, sampler: str
) -> None:
    """A block of lines in which none is missing draws on where the block before ended."""
    present = np.array([3, 1, 2, 3, 3, 2, 1, 3, 3, 3, 3, 3])
    full = twin.Drawer(sampler, range(5), 12, 3).take(12, present)
    drawer = twin.Drawer(sampler, range(5), 12, 3)
    parts = [drawer.take(8, present[:8]), drawer.take(4)]
    assert np.concatenate(parts, axis=1).tolist() == full.tolist()
    assert (full < present).all()


def test_python3_draws_with_missing_references_as_randint(twin: Twin) -> None:
    present = present_of(8, 3000, 9)
    for iteration, row in enumerate(
        twin.Drawer("python3", range(3), 3000, 9).take(3000, present).tolist()
    ):
        item = random.Random(101 * iteration)
        assert row == [item.randint(0, limit - 1) for limit in present.tolist()]


def check_passed(before: Any, after: Any, rows: int, things: int) -> None:
    """Draws that are passed over, in every width of vectors, leave the generator as those that are
    counted.
    """
    for twin in (NATIVE, PYTHON):
        item = generator(0)
        item.bit_generator.state = before
        twin.pass_draws(item, rows, things)
        assert item.bit_generator.state == after


@given(
    things=st.sampled_from([1, 2, 3, 64, 65, 255, 256, 257, 1000, 4097]),
    rows=st.lists(st.integers(0, 5), max_size=4),
    kind=st.sampled_from(["uint8", "uint64"]),
)
def test_draws_with_replacement_are_counted_alike(
    things: int, rows: list[int], kind: str
) -> None:
    """The generators end in the same state, with the half of a word that was not used."""
    generators = [generator(things), generator(things), generator(things)]
    for count in rows:
        counts = [np.full((count, things), 3, kind) for _ in range(2)]
        before = generators[0].bit_generator.state
        NATIVE.add_draws(generators[0], counts[0])
        check_passed(before, generators[0].bit_generator.state, count, things)
        PYTHON.add_draws(generators[1], counts[1])
        drawn = generators[2].integers(0, things, (count, things))
        assert counts[0].tolist() == counts[1].tolist()
        assert counts[0].tolist() == [
            (3 + np.bincount(row, minlength=things)).tolist() for row in drawn
        ]
    states = [item.bit_generator.state for item in generators]
    assert states[0] == states[1] == states[2]


@pytest.mark.parametrize("most", [1, 3 * 999, 1 << 20])
@pytest.mark.parametrize("things", [2, 65_536, 65_537, 140_000])
def test_draws_that_wait_to_be_counted_are_the_same(
    things: int, most: int
) -> None:
    """Counts made part after part, whose room fills seldom, often, or with every draw."""
    generators = generator(5), generator(5)
    counts = [np.full((2, things), 250, np.uint8) for _ in generators]
    NATIVE.add_draws(generators[0], counts[0], 1, most)
    NATIVE.add_draws(generators[1], counts[1], 1 << 40)
    assert counts[0].tobytes() == counts[1].tobytes()
    assert (
        generators[0].bit_generator.state == generators[1].bit_generator.state
    )


def test_draws_of_rare_words_are_made_again(native: Twin) -> None:
    """Of so many things that one word in 4,096 is passed over, and by a generator that the kernel
    does not know.
    """
    things = 3 << 20  # 2**32 % things is 2**20
    for make in (np.random.PCG64, np.random.MT19937):
        counts = [np.zeros((1, things), np.uint8) for _ in range(2)]
        item = [np.random.Generator(make(5)) for _ in range(2)]
        native.add_draws(item[0], counts[0])
        PYTHON.add_draws(item[1], counts[1])
        assert (counts[0] == counts[1]).all()
        native.pass_draws(item[0], 1, 9)
        PYTHON.pass_draws(item[1], 1, 9)
        assert item[0].random() == item[1].random()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dice", [0], 1, 2), "sampler: expected one of python2, python3"),
        (("python2", [0], 1, 0), "references: expected 1 to 255, found 0"),
        (("python2", [0], 1, 256), "references: expected 1 to 255, found 256"),
        (("python2", [-1], 1, 2), "iterations: expected numbers"),
        (("python2", [2**32 // 101], 1, 2), "iterations: expected numbers"),
    ],
)
def test_drawers_that_cannot_be_are_refused(
    twin: Twin, arguments: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        twin.Drawer(*arguments)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("take", (-1,), "lines: expected 0 or more"),
        ("take", (2, np.array([1])), "present: expected a number for each"),
        ("take", (1, np.array([0])), "present: expected 1 to 2 references"),
        ("take", (1, np.array([3])), "present: expected 1 to 2 references"),
        ("sums", ([],), "terms: expected the shape"),
        ("sums", (terms_of(0, 1, 3),), "terms: expected the shape"),
        ("sums", ([np.zeros((1, 2, 1))],), "terms: expected int64"),
        ("sums", ([np.zeros((2, 2, 4), int)[:, :, ::2]],), "terms: expected"),
    ],
)
def test_wrong_arguments_are_refused_alike(
    twin: Twin, function: str, arguments: Any, message: str
) -> None:
    drawer = twin.Drawer("python2", [0], 1, 2)
    with pytest.raises(ValueError, match=message):
        getattr(drawer, function)(*arguments)


def test_a_width_that_the_processor_lacks_is_refused(native: Twin) -> None:
    with pytest.raises(ValueError, match="vectors of 7 bits"):
        native.Drawer("python2", [0], 1, 2, 0, 7)


@pytest.mark.parametrize("sampler", ALL)
def test_nothing_to_draw(twin: Twin, sampler: str) -> None:
    assert twin.Drawer(sampler, [], 5, 3).take(5).shape == (0, 5)
    assert twin.Drawer(sampler, [1, 2], 5, 3).take(0).shape == (2, 0)

    def sums(iterations: list[int], lines: int, *widths: int) -> Any:
        terms = terms_of(0, lines, 3, widths)
        return twin.Drawer(sampler, iterations, 5, 3).sums(terms)

    assert sums([], 5, 2, 1).shape == (0, 3)
    assert sums([1], 0, 2).tolist() == [[0, 0]]
    assert sums([1], 5, 0).shape == (1, 0)


def test_several_threads_draw_at_once(native: Twin) -> None:
    terms = terms_of(9, 2000, 2)
    drawers = [
        native.Drawer("python2", range(low, low + 30), 2000, 2)
        for low in range(0, 120, 30)
    ]
    with ThreadPoolExecutor(4) as pool:
        parts = pool.map(lambda drawer: drawer.sums(terms), drawers)
        sums = np.concatenate(list(parts))
    assert (
        sums.tolist()
        == native.Drawer("python2", range(120), 2000, 2).sums(terms).tolist()
    )
