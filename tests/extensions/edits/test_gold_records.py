"""Records of edits to arrays: by hand, and with the edits that are listed for people."""

import random

import numpy as np
import pytest

from pipeline.extensions.edits.gold_records import (
    gold_records,
    listed_edits,
    read_gold,
)
from pipeline.extensions.edits.m2_files import NOOP
from pipeline.extensions.edits.records import record_of
from pipeline.kernel.common import join_lines

WRONG = ["0", "a b", "1 2 3", "", "0 1.5", "0 \u00bd"]


def record(*lines: str, order: int = 0, annotator: int = 0) -> bytes:
    return record_of(order, annotator, 0, lines)


def test_by_hand() -> None:
    """Of annotator 7, of three tokens: an edit beyond the end, a noop, two alternatives of which
    one cannot match.
    """
    lines = [
        "A 0 1|||T|||is||was  so||-NONE-|||REQUIRED|||-NONE-|||7",
        "A 1 4|||T|||x|||REQUIRED|||-NONE-|||7",
        NOOP,
        "A 3 3|||T||| end |||REQUIRED|||-NONE-|||7",
    ]
    source = join_lines([b"a b c", b"d"])
    found = gold_records(
        source,
        [
            join_lines([record(*lines, annotator=7), b""]),
            join_lines([b"", record(NOOP)]),
        ],
    )
    assert found.heads.tolist() == [[[0, 7], [-1, -1]], [[-1, -1], [0, 0]]]
    assert (
        found.edits.firsts.tolist(),
        found.edits.starts.tolist(),
        found.edits.ends.tolist(),
    ) == (
        [0, 2, 2, 2, 2],
        [0, 3],
        [1, 3],
    )
    assert (
        found.edits.alternatives.tolist(),
        [*found.edits.corrections.texts()],
    ) == (
        [0, 2, 3],
        [b"is", b"", b"end"],
    )


@pytest.mark.parametrize("span", WRONG)
def test_what_is_no_record_is_refused(span: str) -> None:
    wrong = record(f"A {span}|||T|||x|||REQUIRED|||-NONE-|||0")
    with pytest.raises(ValueError, match="expected two token offsets"):
        gold_records(join_lines([b"a b"]), [join_lines([wrong])])


def test_there_is_a_record_for_each_sentence() -> None:
    with pytest.raises(ValueError, match="one for each sentence"):
        gold_records(join_lines([b"a"]), [join_lines([])])


@pytest.mark.parametrize("every", [False, True])
def test_the_arrays_are_the_edits_that_are_listed(every: bool) -> None:
    """By another way: edits as people see them, of annotators of whom some are absent."""
    rng = random.Random(1)
    source = [" ".join("abcde"[: rng.randint(0, 5)]) for _ in range(50)]
    kinds = [
        (f"{s} {e}", text)
        for s in range(4)
        for e in range(s, 5)
        for text in ("", "x||y z", " w", "u  v")
    ]
    lines = [
        f"A {span}|||T|||{text}|||REQUIRED|||-NONE-|||0" for span, text in kinds
    ]
    records = [
        [
            record(*rng.choices(lines, k=rng.randint(0, 3)), annotator=a)
            if rng.random() < 0.7
            else b""
            for _ in source
        ]
        for a in (3, 1)
    ]
    texts = (
        join_lines(text.encode() for text in source),
        [join_lines(ours) for ours in records],
    )
    gold, listed = (
        read_gold(*texts, every=every),
        listed_edits(*texts, every=every),
    )
    flat = [edit for row in listed for ours in row for edit in ours or ()]
    possible = [
        [text for text in edit.alternatives if text == " ".join(text.split())]
        for edit in flat
    ]
    assert gold.counts.tolist() == [
        [-1 if ours is None else len(ours) for ours in row] for row in listed
    ]
    assert (
        gold.records.edits.starts.tolist(),
        gold.records.edits.ends.tolist(),
    ) == (
        [edit.start for edit in flat],
        [edit.end for edit in flat],
    )
    assert np.diff(gold.records.edits.alternatives).tolist() == [
        len(texts) for texts in possible
    ]
    assert [
        text.decode() for text in gold.records.edits.corrections.texts()
    ] == [text for ours in possible for text in ours]
