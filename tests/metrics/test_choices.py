"""The arithmetic of choosing references: the first of the best, and Python's rounding."""

from __future__ import annotations

import numpy as np

from pipeline.metrics.base.choices import best_by, rounded


def test_the_first_of_the_best() -> None:
    keys = [
        np.array([[0.5, 1.0, 2.0], [0.5, 1.0, 1.0], [0.5, 3.0, 2.0]]),
        np.array([[1.0], [2.0], [2.0]]),
    ]
    assert best_by([key.T for key in keys]).tolist() == [1, 2, 2]


def test_rounding_is_that_of_python() -> None:
    rng = np.random.default_rng(0)
    tp, fp = rng.integers(0, 5000, (2, 20_000))
    values = np.concatenate(
        [tp / np.maximum(tp + fp, 1), np.arange(20_001) / 20_000]
    )
    assert rounded(values, 4).tolist() == [
        round(value, 4) for value in values.tolist()
    ]
