"""The n-grams that lines share with their references, numbered and counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernels import Twin, encoded


def test_two_references_and_an_output_of_two_lines(twin: Twin) -> None:
    """Rows are a a b, -; a b b b, c; and the output b b d, c. Tokens: a 0, b 1, c 2, d 3."""
    rows = [[0, 0, 1], [], [0, 1, 1, 1], [2], [1, 1, 3], [2]]
    ones, twos = twin.shared_ngrams(encoded(rows), 2, 2, 2)
    assert (ones.shorter.tolist(), ones.last.tolist()) == (
        [0, 0, 0, 0],
        [0, 1, 2, 3],
    )
    assert ones.rows.tolist() == [0, 0, 2, 2, 3, 4, 4, 5]
    assert ones.numbers.tolist() == [0, 1, 0, 1, 2, 1, 3, 2]
    assert ones.times.tolist() == [2, 1, 1, 3, 1, 2, 1, 1]
    assert ones.slots.tolist() == [0, 1, 0, 1, 2, 1, -1, 2]
    assert ones.most.tolist() == [2, 3, 1]
    # a a, a b, b b, b d
    assert (twos.shorter.tolist(), twos.last.tolist()) == (
        [0, 0, 1, 1],
        [0, 1, 1, 3],
    )
    assert twos.rows.tolist() == [0, 0, 2, 2, 4, 4]
    assert twos.numbers.tolist() == [0, 1, 1, 2, 2, 3]
    assert twos.times.tolist() == [1, 1, 1, 2, 1, 1]
    assert twos.slots.tolist() == [0, 1, 1, 2, 2, -1]
    assert twos.most.tolist() == [1, 1, 2]


def test_more_ngrams_than_the_table_has_room_for_at_first(twin: Twin) -> None:
    (ones, twos) = twin.shared_ngrams(encoded([list(range(9000))]), 1, 1, 2)
    assert np.array_equal(ones.last, np.arange(9000))
    assert np.array_equal(twos.shorter, np.arange(8999))
    assert np.array_equal(twos.last, np.arange(1, 9000))


@pytest.mark.parametrize(
    ("lines", "references", "order", "message"),
    [
        (2, 1, 1, "rows"),
        (3, 2, 1, "rows"),
        (3, 1, 0, "order"),
        (0, 0, 1, "rows"),
    ],
)
def test_what_does_not_fit_is_refused(
    twin: Twin, lines: int, references: int, order: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        twin.shared_ngrams(encoded([[1], [], [2]]), lines, references, order)


def test_missing_references_of_another_shape_are_refused(twin: Twin) -> None:
    text = encoded([[1]])
    with pytest.raises(ValueError, match="missing: expected a row"):
        twin.sari(text, [text], [text], np.zeros((2, 1), bool))
