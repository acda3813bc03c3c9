"""Outputs counted against prepared texts by the compiled kernel: as if all were encoded and counted
together.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.kernel import common, function_of
from pipeline.kernel.common import join_lines
from pipeline.kernel.python.encode import encode, words
from pipeline.kernel.python.lcs import lcs
from pipeline.kernel.python.overlap import overlap
from pipeline.tokenizers import Tokenization
from tests.conftest import forced_kernel
from tests.kernel.test_kernels import lines_of
from tests.support.words import wordlist

TOKENS = [
    *wordlist("a b A aa . , a. 1.5 dog's naïve 日本 😀 - İ longer-than-8"),
    "\u212a",
    "\n",
]
LINE = st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join) | st.text(
    max_size=6
).filter(
    lambda text: (
        not any("\ud800" <= character <= "\udfff" for character in text)
    )
)
ALL_KINDS = (*common.KINDS, *common.MERGED_KINDS)


def prepared(
    source: Sequence[str] | None,
    references: Sequence[Sequence[str]],
    split: str,
) -> Any:
    texts = [lines_of(*reference) for reference in references]
    return function_of("native", "Prepared", "prepared")(
        None if source is None else lines_of(*source),
        texts,
        split,
    )


def together(
    source: Sequence[str] | None,
    references: Sequence[Sequence[str]],
    outputs: Sequence[str],
    split: str,
    order: int,
) -> dict[str, Any]:
    """What the specification counts where all texts are encoded in one call."""
    texts = [*([source] if source is not None else []), *references, outputs]
    lines = [lines_of(*text) for text in texts]
    encoded = (
        words(lines, split).texts
        if split in common.FOLDS
        else encode(lines, split)
    )
    first = encoded.pop(0) if source is not None else None
    counts = overlap(first, encoded[:-1], encoded[-1:], order, ALL_KINDS)
    return {kind: array[0] for kind, array in counts.items()} | {
        "lcs": lcs(encoded[:-1], encoded[-1:])[0]
    }


@pytest.mark.usefixtures("native")
@given(data=st.data())
def test_counts_are_those_of_texts_that_are_encoded_together(
    data: st.DataObject,
) -> None:
    split = data.draw(st.sampled_from([*common.SPLITS, *common.FOLDS]))
    order = data.draw(st.integers(1, 6))
    sets = data.draw(st.integers(1, 6))
    lines = data.draw(
        st.lists(
            st.lists(LINE, min_size=1 + sets, max_size=1 + sets),
            min_size=1,
            max_size=4,
        )
    )
    source = [line[0] for line in lines] if data.draw(st.booleans()) else None
    references = [
        [line[1 + number] for line in lines] for number in range(sets)
    ]
    rows = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=5))
    outputs = [data.draw(LINE) for _ in rows]
    frozen = prepared(source, references, split)
    columns = frozen.count(
        outputs, np.array(rows, np.int64), order, ALL_KINDS, True
    )
    taken = [[reference[row] for row in rows] for reference in references]
    expected = together(
        source and [source[row] for row in rows], taken, outputs, split, order
    )
    for kind, array in expected.items():
        assert columns[kind].dtype == np.int64
        np.testing.assert_array_equal(columns[kind], array, err_msg=kind)
    if source is None:
        alone = frozen.count(
            outputs, np.array(rows, np.int64), order, ("match",)
        )
        np.testing.assert_array_equal(alone["match"], expected["match"])
        assert (
            alone["total"].tolist()
            == np.maximum(
                alone["hyp_len"][:, None] - np.arange(order), 0
            ).tolist()
        )


@pytest.mark.usefixtures("native")
def test_long_lines_have_the_subsequences_of_the_other_kernel() -> None:
    """Lengths around the words of 64 bits and the blocks of 256."""
    rng = np.random.default_rng(3)
    for size in (63, 64, 65, 127, 128, 129, 256, 257, 700):
        one, two = (
            " ".join(map(str, rng.integers(0, 9, size))) for _ in range(2)
        )
        frozen = prepared(None, [[one, two]], "whitespace")
        columns = frozen.count(
            [f"{two} new", one], np.array([0, 1]), 1, (), True
        )
        np.testing.assert_array_equal(
            columns["lcs"],
            together(None, [[one, two]], [f"{two} new", one], "blank", 1)[
                "lcs"
            ],
        )


@pytest.mark.usefixtures("native")
def test_wrong_arguments_are_refused() -> None:
    frozen = prepared(None, [["a b"]], "whitespace")
    row = np.zeros(1, np.int64)
    outputs: list[tuple[type[Exception], Any]] = [
        (TypeError, ([None], row, 2, ("match",))),
        (IndexError, (["a"], row + 1, 2, ("match",))),
        (IndexError, (["a"], row - 1, 2, ("match",))),
        (ValueError, (["a", "b"], row, 2, ("match",))),
        (ValueError, (["a"], row, 17, ("match",))),
        (KeyError, (["a"], row, 2, ("matches",))),
        (UnicodeEncodeError, (["\ud800"], row, 2, ("match",))),
        (UnicodeDecodeError, ([b"\xff"], row, 2, ("match",))),
    ]
    for error, arguments in outputs:
        with pytest.raises(error):
            frozen.count(*arguments)
    references: list[tuple[type[Exception], Any, str]] = [
        (KeyError, [["a"]], "words"),
        (ValueError, [["a"], ["a", "b"]], "blank"),
        (ValueError, [], "blank"),
    ]
    for error, texts, split in references:
        with pytest.raises(error):
            prepared(None, texts, split)
    assert frozen.count(["a a"], row, 1, ("match",))["match"].tolist() == [
        [[1]]
    ]


@pytest.mark.usefixtures("native")
def test_prepared_texts_are_pickled_and_shared_by_threads() -> None:
    lines = [
        f"the {number} cat sat {number % 7} on the mat" for number in range(50)
    ]
    remaining = pickle.dumps(
        prepared(lines, [lines, lines[::-1]], "whitespace")
    )
    frozen = pickle.loads(remaining)  # noqa: S301 (made here)
    rows = np.arange(50)
    expected = frozen.count(lines, rows, 4, ("match", "penalty"), True)

    def again(_: int) -> bool:
        columns = frozen.count(lines, rows, 4, ("match", "penalty"), True)
        return all(
            np.array_equal(columns[kind], array)
            for kind, array in expected.items()
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(again, range(40)))


def test_the_python_kernel_has_no_prepared_form() -> None:
    """What is prepared is then lines, which are counted anew with each output (Gathered in `metrics/base/statistics_spec.py`)."""
    with forced_kernel("python"):
        assert Tokenization().prepared(None, [join_lines([b"a b"])]) is None
