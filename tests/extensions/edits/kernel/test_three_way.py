"""Three-way alignments: of both kernels against a naive one, one against the other, and the
official counts.
"""

import random
from typing import Any

import numpy as np
import pytest

from pipeline.errors import LongTextError
from pipeline.extensions.edits import kernel as edits_kernel
from pipeline.extensions.edits.kernel import alignments
from pipeline.extensions.edits.kernel.alignments import FIELDS, ChangedColumns
from pipeline.kernel.common import Encoded
from tests.oracles.imeasure import (
    firsts_of,
    ids_of,
    naive_alignment,
    naive_columns,
    naive_kind,
)
from tests.support.kernels import Twin

Arguments = tuple[
    Encoded, list[Encoded], Encoded, np.ndarray[Any, np.dtype[np.int64]]
]


PYTHON = Twin("python", edits_kernel)


def edited(
    rng: random.Random, base: list[int], types: int, most: int
) -> list[int]:
    result = list(base)
    for _ in range(rng.randint(0, most)):
        index = rng.randint(0, len(result))
        result[index : index + rng.randint(0, 3)] = rng.choices(
            range(types), k=rng.randint(0, 3)
        )
    return result


def made(seed: int, longest: int = 20) -> Arguments:
    """Lines that resemble each other, or not at all; none to three references for each."""
    rng = random.Random(seed)
    types, most = rng.choice([1, 2, 3, 5, 30]), rng.choice([1, 2, 4, 8])

    def like(base: list[int]) -> list[int]:
        if rng.random() < 0.15:
            return rng.choices(range(types), k=rng.randint(0, longest))
        return edited(rng, base, types, most)

    source = [
        rng.choices(range(types), k=rng.choice([0, 1, 2, 5, 8, longest]))
        for _ in range(4)
    ]
    systems = [[like(base) for base in source] for _ in range(3)]
    references = [
        [like(base) for _ in range(rng.randint(0, 3))] for base in source
    ]
    flat = [line for group in references for line in group]
    return (
        ids_of(source),
        [ids_of(system) for system in systems],
        ids_of(flat),
        firsts_of(references),
    )


def one(
    source: list[int], output: list[int], reference: list[int]
) -> Arguments:
    return (
        ids_of([source]),
        [ids_of([output])],
        ids_of([reference]),
        firsts_of([[0]]),
    )


def listed(result: ChangedColumns) -> tuple[list[int], list[list[int]]]:
    assert [str(array.dtype) for array in result] == ["int64", "int32"]
    assert result.columns.shape[1:] == (len(FIELDS),)
    return result.offsets.tolist(), result.columns.tolist()


def naive_changes(*texts: list[int]) -> list[list[int]]:
    """Return the changed columns of source, output and reference."""
    changes = []
    at = [0, 0, 0]
    for column in naive_alignment(*texts):
        start = at[0]

        indices = []
        for n, token in enumerate(column):
            at[n] += token >= 0
            indices.append(at[n] - 1 if token >= 0 else -1)
        if len(set(column)) > 1:
            kind = naive_kind(column)
            changes.append([start, at[0], *indices[1:], kind])
    return changes


@pytest.mark.parametrize("seed", range(40))
def test_counts_and_changed_columns_are_the_naive_ones(
    twin: Twin, seed: int
) -> None:
    source, systems, references, firsts = arguments = made(seed, longest=8)
    counts = twin.three_way(*arguments)
    offsets, columns = listed(twin.three_way_columns(*arguments))
    assert len(offsets) == counts.shape[0] * counts.shape[1] + 1
    lines = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts)).tolist()
    for reference, line in enumerate(lines):
        for number, system in enumerate(systems):
            texts = [
                text.ids[slice(*text.offsets[at : at + 2])].tolist()
                for text, at in (
                    (source, line),
                    (system, line),
                    (references, reference),
                )
            ]
            at = slice(*offsets[reference * len(systems) + number :][:2])
            assert columns[at] == naive_changes(*texts)
            assert counts[number, reference].tolist() == naive_columns(*texts)


def test_columns_of_a_long_sentence_do_not_depend_on_what_is_cached(
    native: Twin,
) -> None:
    rng = random.Random(5)
    base = rng.choices(range(50), k=150)
    arguments = one(base, edited(rng, base, 50, 12), edited(rng, base, 50, 12))
    expected = listed(native.three_way_columns(*arguments))
    assert len(expected[1]) > 10
    for chosen in (0, 2000):
        found = native.three_way_columns(*arguments, kept=chosen)
        assert listed(found) == expected
    assert listed(PYTHON.three_way_columns(*arguments)) == expected


def test_each_kind_of_column(twin: Twin) -> None:
    # by hand: all equal; changed rightly; output alone changed; reference alone changed; both
    # changed, differently
    texts = (
        [1, 2, 3, 4, 5, 6],
        [1, 12, 13, 4, 5, 16],
        [1, 12, 3, 4, 15, 26],
    )
    assert twin.three_way(*one(*texts))[0, 0].tolist() == [1, 2, 1, 1, 1]


@pytest.mark.parametrize("seed", range(20))
def test_the_shortcuts_count_what_the_full_alignment_does(
    twin: Twin, seed: int
) -> None:
    """Their order of moves matters in rare ties, for which the golden cases stand."""
    rng = random.Random(seed)
    source, other = (
        rng.choices(range(3), k=rng.randint(3, 7)) for _ in range(2)
    )
    for texts in (
        (source, source, other),
        (source, other, source),
        (source, other, other),
        (source, source, source),
    ):
        assert twin.three_way(*one(*texts))[0, 0].tolist() == naive_columns(
            *texts
        )


def test_the_source_as_an_output_is_the_baseline(twin: Twin) -> None:
    source = ids_of([[1, 2, 3]])
    counts = twin.three_way(
        source, [source], ids_of([[1, 5, 3, 4], [1, 2, 3]]), firsts_of([[0, 0]])
    )
    assert counts.tolist() == [[[0, 2, 0, 2, 0], [0, 3, 0, 0, 0]]]


def test_lines_need_no_reference_and_no_system(twin: Twin) -> None:
    source, nothing = ids_of([[1], []]), ids_of([])
    for systems, references, firsts, shape in (
        ([source], nothing, firsts_of([[], []]), (1, 0, 5)),
        ([], ids_of([[1]]), firsts_of([[], [0]]), (0, 1, 5)),
    ):
        arguments = source, systems, references, firsts
        assert twin.three_way(*arguments).shape == shape
        assert listed(twin.three_way_columns(*arguments)) == ([0], [])
    empty, inserted = one([], [], []), one([], [1], [1])
    assert twin.three_way(*empty).tolist() == [[[0] * 5]]
    assert twin.three_way(*inserted).tolist() == [[[1, 0, 0, 0, 0]]]
    assert listed(twin.three_way_columns(*empty)) == ([0, 0], [])
    changed = listed(twin.three_way_columns(*inserted))
    assert changed == ([0, 1], [[0, 0, 0, 0, 0]])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"firsts": [0, 1]}, "firsts: expected one for each line"),
        ({"firsts": [0, 1, 1]}, "belong to no line"),
        ({"firsts": [0, 3, 2]}, "do not rise"),
        ({"systems": [ids_of([[1]])]}, "different numbers of lines"),
        ({"references": ids_of([[1], [-1]])}, "below 0"),
    ],
)
def test_unsound_arguments_are_refused(
    twin: Twin, changed: dict[str, Any], message: str
) -> None:
    two = ids_of([[1], [2]])
    sound = {"source": two, "systems": [two], "references": two}
    arguments: Any = {**sound, "firsts": [0, 1, 2], **changed}
    arguments["firsts"] = np.array(arguments["firsts"], np.int64)
    for function in (twin.three_way, twin.three_way_columns):
        with pytest.raises(ValueError, match=message):
            function(**arguments)


@pytest.mark.parametrize(
    ("limit", "needed"), [("MAX_PAIRS", 16), ("MAX_TRIPLES", 48)]
)
def test_too_long_lines_are_refused(
    twin: Twin, limit: str, needed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, short = ids_of([[1], [1, 2, 3]]), ids_of([[1], [1, 2]])
    arguments = (short, [short, text], text, firsts_of([[0], [0]]))
    monkeypatch.setattr(alignments, limit, needed - 1)
    message = "2, 3 and 3 tokens are too long"
    with pytest.raises(LongTextError, match=message) as caught:
        twin.three_way(*arguments)
    assert (caught.value.text, caught.value.line) == (2, 1)
    monkeypatch.setattr(alignments, limit, needed)
    assert twin.three_way(*arguments).shape == (2, 2, 5)


def test_long_sentences_do_not_depend_on_what_is_cached(native: Twin) -> None:
    rng = random.Random(1)
    base, *others = (rng.choices(range(200), k=680) for _ in range(3))
    near = [edited(rng, base, 200, 60) for _ in range(2)]
    for (output, reference), chosen in ((others, 1 << 16), (near, 100)):
        arguments = one(base, output, reference)
        counts = native.three_way(*arguments)
        again = native.three_way(*arguments, kept=chosen)
        assert again.tolist() == counts.tolist()
        assert counts.sum() >= 680


def test_a_long_degenerate_output(native: Twin) -> None:
    source = list(range(40))
    counts = native.three_way(
        *one(source, [3] * 10_000, [*source[:20], 77, *source[21:]])
    )[0, 0]
    assert counts.sum() >= 10_000
    assert counts[alignments.THREE_WAY_COUNTS.index("d_fp")] > 9_900
