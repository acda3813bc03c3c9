"""The edits of TER: of both kernels against sacreBLEU's, and one against the other."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from pipeline.errors import LongTextError
from pipeline.kernel import common
from pipeline.kernel.common import Encoded
from tests.support.kernels import NATIVE, PYTHON, Twin, encoded

Line = list[int]


def moved(rng: random.Random, base: Line, types: int) -> Line:
    """Return a line with words changed, and with blocks that stand elsewhere."""
    result = list(base)
    for _ in range(rng.randint(0, 5)):
        first = rng.randint(0, len(result))
        result[first : first + rng.randint(0, 3)] = rng.choices(
            range(types), k=rng.randint(0, 3)
        )
    for _ in range(rng.randint(0, 3)):
        start = rng.randint(0, len(result))
        block = result[start : start + rng.randint(1, 14)]
        del result[start : start + len(block)]
        first = rng.randint(0, len(result))
        result[first:first] = block
    return result


def generated(
    seed: int, sizes: tuple[int, ...] = (0, 1, 2, 5, 8, 16)
) -> tuple[list[Encoded], list[Encoded]]:
    """Six lines of two references and two outputs, which resemble each other or not at all."""
    rng = random.Random(seed)
    types = rng.choice([1, 2, 3, 5, 30])
    bases = [rng.choices(range(types), k=rng.choice(sizes)) for _ in range(6)]

    def like(base: Line) -> Line:
        return (
            moved(rng, base, types)
            if rng.random() < 0.8
            else rng.choices(range(types), k=rng.choice(sizes))
        )

    texts = [encoded([like(base) for base in bases]) for _ in range(4)]
    return texts[:2], texts[2:]


def edits_of(output: Line, reference: Line) -> int:
    """Return sacreBLEU's number of edits."""
    words = [*map(str, output)], [*map(str, reference)]
    return int(translation_edit_rate(*words)[0])


def edits_by(kernel: Twin, output: Line, reference: Line) -> Any:
    """Return the number of edits of one line by a kernel."""
    return kernel.edit_rate([encoded([reference])], [encoded([output])]).item()


def line_of(text: Encoded, line: int) -> Line:
    start, stop = text.offsets[line : line + 2]
    numbers: Line = text.ids[start:stop].tolist()
    return numbers


@pytest.mark.parametrize("seed", range(6))
def test_the_edits_are_sacrebleus(twin: Twin, seed: int) -> None:
    references, systems = generated(seed)
    found = twin.edit_rate(references, systems)
    assert found.dtype == np.int64
    assert found.shape == (2, 6, 2)
    for system, line, reference in np.ndindex(found.shape):
        assert found[system, line, reference] == edits_of(
            line_of(systems[system], line), line_of(references[reference], line)
        )


@given(
    st.lists(st.integers(0, 3), max_size=8),
    st.lists(st.integers(0, 3), max_size=8),
)
def test_any_two_texts_have_sacrebleus_edits(
    output: Line, reference: Line
) -> None:
    expected = edits_of(output, reference)
    assert edits_by(PYTHON, output, reference) == expected
    assert edits_by(NATIVE, output, reference) == expected


RNG = random.Random(5)


@pytest.mark.parametrize(
    ("output", "reference"),
    [
        # the beam is widened: there are many times as many columns as rows
        ([*range(3)], [*range(200)]),
        ([*range(200)], [*range(3)]),
        # most alignments lie outside of the beam
        (RNG.choices(range(9), k=110), RNG.choices(range(9), k=60)),
        # a block that may not move so far
        ([*range(60, 90), *range(60)], [*range(90)]),
        ([*range(49, 90), *range(49)], [*range(90)]),  # one that may
        ([0, 1] * 30, [1, 0] * 30),  # so many shifts that the search is stopped
        # a block as long as a shift can be
        ([*range(20), *range(30, 50), *range(20, 30)], [*range(50)]),
        # as many words as a row has bits, and one more
        ([*range(2, 64), 1, 0], [*range(64)]),
        ([*range(2, 65), 1, 0], [*range(65)]),
        # the beam has not all cells, and the cost is high
        ([1, 0] * 6 + [*range(50, 64)], [*range(26)]),
    ],
)
@pytest.mark.parametrize(
    "name", ["native", pytest.param("python", marks=pytest.mark.exhaustive)]
)  # the twin is slow here, and held against the compiled kernel below
def test_every_limit_is_sacrebleus(
    name: str, request: pytest.FixtureRequest, output: Line, reference: Line
) -> None:
    twin = PYTHON if name == "python" else request.getfixturevalue("native")
    assert edits_by(twin, output, reference) == edits_of(output, reference)


@pytest.mark.parametrize(
    ("output", "reference", "edits"),
    [
        ([1, 2, 3], [1, 2, 3], 0),
        ([4, 5, 1, 2, 3], [1, 2, 3, 4, 5], 1),  # one shift
        ([1, 2, 9, 3], [1, 2, 3], 1),
        ([1, 3], [1, 2, 3], 1),
        ([1, 9, 3], [1, 2, 3], 1),
        ([1, 2], [], 2),
        ([], [1, 2, 3], 3),
    ],
)
def test_edits_by_hand(
    twin: Twin, output: Line, reference: Line, edits: int
) -> None:
    assert edits_by(twin, output, reference) == edits


def test_there_need_be_no_system_and_no_line(twin: Twin) -> None:
    assert twin.edit_rate([encoded([[1]])], []).shape == (0, 1, 1)
    assert twin.edit_rate([encoded([])] * 2, [encoded([])]).shape == (1, 0, 2)


def test_what_is_wrong_is_refused_by_both(
    twin: Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="at least one is needed"):
        twin.edit_rate([], [encoded([[1]])])
    with pytest.raises(ValueError, match="different numbers of lines"):
        twin.edit_rate([encoded([[1], [2]])], [encoded([[1]])])
    monkeypatch.setattr(common, "MAX_BEAM_CELLS", 200)
    with pytest.raises(
        LongTextError,
        match="of 4 and 1 tokens are too long for the edits of TER",
    ) as error:
        twin.edit_rate([encoded([[1], [1]])], [encoded([[1], [1, 2, 3, 4]])])
    assert (error.value.text, error.value.line) == (1, 1)
