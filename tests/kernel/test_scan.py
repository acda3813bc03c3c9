"""What is read of files by the compiled kernel: line ends as numpy has them."""

from __future__ import annotations

import random

import pytest

from pipeline.data.texts import line_ends

scan = pytest.importorskip(
    "pipeline.kernel.native.scan", reason="the compiled kernel was not built"
)


@pytest.mark.parametrize("separator", [b"\n", b"\xff"])
def test_line_ends_are_those_of_numpy(separator: bytes) -> None:
    rng = random.Random(1)
    for size in [*range(6), 62, 63, 64, 65, 127, 128, 129, 500]:
        for often in (1, 9):
            data = b"".join(
                rng.choice([separator, *[b"x"] * often]) for _ in range(size)
            )
            assert (
                scan.line_ends(data, separator[0]).tolist()
                == line_ends(data, separator[0]).tolist()
            )


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="survey: expected bytes"):
        scan.survey(b"", 10, 0, 0, 1)
