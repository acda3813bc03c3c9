"""Whole numbers packed in planes of a few bits, and their weighted sums: both kernels, in every
width of vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.kernel import native_function
from pipeline.kernel.python import packed_numbers
from pipeline.kernel.python.packed_numbers import LARGEST, Packed
from tests.support.kernels import Twin


def packed_of(array: Any) -> Packed:
    packed = Packed.of(np.array(array, np.float64))
    assert packed is not None
    return packed


@pytest.mark.parametrize(
    ("top", "bits"),
    # By hand: eight bits in each plane, and in the last as many of 1, 2, 4, 8 as hold the rest. Six
    # planes of the largest number are equal.
    [
        (0, []),
        (1, [1]),
        (3, [2]),
        (4, [4]),
        (255, [8]),
        (256, [8, 1]),
        (2048, [8, 4]),
        (LARGEST - 1, [8, 8]),
    ],
)
@pytest.mark.parametrize("least", [0, -7])
def test_numbers_come_back_as_they_were(
    top: int, bits: list[int], least: int
) -> None:
    array = np.full((13, 2, 1), least, np.float64)
    array[3, 1] = least + top
    packed = packed_of(array)
    assert packed.bits.tolist() == bits
    assert packed.floats().tolist() == array.tolist()
    assert len(packed.data) == 2 * sum(bits)  # 13 lines are filled up to 16


def test_equal_columns_are_kept_once() -> None:
    """Also where one is the other plus a number."""
    column = np.arange(20.0) % 7
    packed = packed_of(
        np.stack([column, column + 5, column, 6 - column], axis=1)
    )
    assert packed.bits.tolist() == [4, 4]
    assert packed.floats()[:, 1].tolist() == (column + 5).tolist()


@pytest.mark.parametrize(
    "number",
    [0.5, 2.0 * LARGEST, -2.0 * LARGEST, 1e30, float("nan"), float("inf")],
)
def test_other_numbers_are_not_packed(number: float) -> None:
    array = np.zeros((40, 1, 1))
    array[7] = number
    assert Packed.of(array) is None


@pytest.mark.parametrize("shape", [(5, 2, 0), (0, 2, 3)])
def test_nothing_is_packed(native: Twin, shape: tuple[int, ...]) -> None:
    packed = packed_of(np.zeros(shape))
    assert packed.floats().shape == shape
    for kernel in (packed_numbers, native):
        sums = kernel.plane_sums(
            packed.data, packed.bits, shape[0], np.ones((3, shape[0]), np.uint8)
        )
        assert (
            packed.of_sums(sums).tolist() == np.zeros((3, *shape[1:])).tolist()
        )


@pytest.mark.parametrize("top", [2, 64, 65, 127, 128, 255])
@pytest.mark.parametrize("samples", [1, 5, 37])
@pytest.mark.parametrize("lines", [1, 70, 4096, 4100])
def test_sums_are_those_of_the_numbers(
    native: Twin, lines: int, samples: int, top: int
) -> None:
    """With weights around the largest that each width takes, in rows that are not side by side in
    memory.
    """
    generator = np.random.default_rng(lines)
    ranges = np.array([1, 2, 3, 7, 100, 256, 1000, 70_000])
    array = generator.integers(-5, ranges - 5, (lines, 2, 8)).astype(float)
    array[0] = ranges - 6  # the largest numbers and weights meet
    weights = generator.integers(0, top + 1, (samples, lines + 9)).astype(
        np.uint8
    )[:, 4 : lines + 4]
    weights[0, :] = top
    expected = np.einsum(
        "sl,l...->s...", weights.astype(int), array.astype(int)
    ).tolist()
    packed = packed_of(array)
    inputs = packed.data, packed.bits, lines, weights
    assert (
        packed.of_sums(packed_numbers.plane_sums(*inputs)).tolist() == expected
    )
    widths: Any = native_function("WIDTHS", "packed_numbers")
    for width in widths:
        sums = native.plane_sums(*inputs, width)
        assert sums[:, -1].tolist() == weights.sum(axis=1, dtype=int).tolist()
        assert packed.of_sums(sums).tolist() == expected, width


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"bits": np.array([3], np.uint8)},
            "planes: expected bytes for 8 lines and 1 planes",
        ),
        ({"lines": 9}, "planes: expected bytes for 9 lines"),
        (
            {"data": np.zeros(7, np.uint8)},
            "planes: expected bytes for 8 lines and 1 planes, found 7",
        ),
        ({"weights": np.ones((2, 8), np.int64)}, "weights: expected uint8"),
        ({"weights": np.ones((2, 7), np.uint8)}, "weights: expected uint8"),
        ({"weights": np.ones((8, 2), np.uint8).T}, "weights: expected uint8"),
    ],
)
def test_wrong_arguments_are_refused_alike(
    twin: Twin, change: Any, message: str
) -> None:
    arguments = {
        "data": np.zeros(8, np.uint8),
        "bits": np.array([8], np.uint8),
        "lines": 8,
        "weights": np.ones((2, 8), np.uint8),
    }
    with pytest.raises(ValueError, match=message):
        twin.plane_sums(**(arguments | change))


def test_a_width_that_the_processor_lacks_is_refused(native: Twin) -> None:
    with pytest.raises(ValueError, match="vectors of 7 bits"):
        native.plane_sums(
            np.zeros(0, np.uint8),
            np.zeros(0, np.uint8),
            1,
            np.ones((1, 1), np.uint8),
            7,
        )
