"""Whole numbers packed into a byte each."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.kernel.packed_numbers import LARGEST, Packed


@pytest.mark.parametrize("large", [0, 1, 255, 256, 65_535, 65_536, LARGEST - 1])
def test_numbers_come_back_as_they_were(large: int) -> None:
    """By a byte for each, and 12 bytes for the one in sixteen that is larger."""
    array = np.arange(96, dtype=np.float64).reshape(8, 2, 6)
    array[3, 1, 4] = array[0, 0, 0] = large
    packed = Packed.of(array)
    assert packed is not None
    assert packed.floats().dtype == np.float32
    assert packed.floats().tolist() == array.tolist()
    assert packed.nbytes == 96 + (24 if large > 255 else 0)
    assert packed.floats().tolist() == array.tolist()  # the first array was no view of what is kept


@pytest.mark.parametrize("number", [-1.0, 0.5, float(LARGEST), 1e30, float("nan"), float("inf")])
def test_other_numbers_are_not_packed(number: float) -> None:
    array = np.zeros((40, 1, 1))
    array[7] = number
    assert Packed.of(array) is None


def test_numbers_that_are_often_large_are_not_packed() -> None:
    """Of 32 numbers two may be: one in sixteen."""
    array = np.zeros(32)
    array[:2] = 300
    assert Packed.of(array) is not None
    array[2] = 300
    assert Packed.of(array) is None


def test_none_are_packed() -> None:
    packed = Packed.of(np.zeros((5, 2, 0)))
    assert packed is not None
    assert packed.floats().shape == (5, 2, 0)
