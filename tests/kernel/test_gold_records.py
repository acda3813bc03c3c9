"""Records of edits to arrays: by hand, by comparison of the twins, and with the edits that are listed for people."""

from __future__ import annotations

import random
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.corpus.edits.m2_files import NOOP
from pipeline.corpus.edits.records import record_of
from pipeline.kernel.lines import join_lines
from pipeline.metrics.m2.gold import listed_edits, read_gold

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from pipeline.kernel.gold_edits import GoldRecords
    from pipeline.kernel.lines import Lines

WHITE = [" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\u1680", "\x1c", "\u2028", "\x85"]
TEXTS = ["", "a", "is", "-NONE-", "ü", "\u4e2d\u6587", "\u200b", "a b", "x  y", "|", "a|b", "\U0001f600", "\u2027"]
TYPES = ["noop", "Noop", "R:VERB", "", "noop "]
SPANS = ["0 1", "1 1", "-1 -1", "2 99", "3 2", " 0  1 ", "0\t1", "-0 1", "123456789 1"]
WRONG = ["0", "a b", "1 2 3", "", "0 1.5", "0 \u00bd"]


@pytest.fixture(scope="module")
def native() -> ModuleType:
    pytest.importorskip("pipeline.kernel.native.gold_records", reason="no compiled kernel", exc_type=ImportError)
    return import_module("pipeline.kernel.native")


@pytest.fixture(params=["python", "native"])
def twin(request: pytest.FixtureRequest) -> ModuleType:
    return import_module("pipeline.kernel.python") if request.param == "python" else request.getfixturevalue("native")


def seen(found: GoldRecords) -> list[object]:
    """Return all that is in the arrays, with their types."""
    edits: list[NDArray[Any]] = [found.firsts, found.starts, found.ends, found.alternatives]
    arrays = [found.heads, *edits, found.corrections.starts, found.corrections.ends]
    return [found.corrections.data, *((array.dtype.str, array.shape, array.tolist()) for array in arrays)]


def record(*lines: str, order: int = 0, annotator: int = 0) -> bytes:
    return record_of(order, annotator, 0, lines)


def test_by_hand(twin: ModuleType) -> None:
    """Of annotator 7, of three tokens: an edit beyond the end, a noop, two alternatives of which one cannot match."""
    lines = [
        "A 0 1|||T|||is||was  so||-NONE-|||REQUIRED|||-NONE-|||7",
        "A 1 4|||T|||x|||REQUIRED|||-NONE-|||7",
        NOOP,
        "A 3 3|||T||| end |||REQUIRED|||-NONE-|||7",
    ]
    source = join_lines([b"a b c", b"d"])
    found = twin.gold_records(source, [join_lines([record(*lines, annotator=7), b""]), join_lines([b"", record(NOOP)])])
    assert found.heads.tolist() == [[[0, 7], [-1, -1]], [[-1, -1], [0, 0]]]
    assert (found.firsts.tolist(), found.starts.tolist(), found.ends.tolist()) == ([0, 2, 2, 2, 2], [0, 3], [1, 3])
    assert (found.alternatives.tolist(), [*found.corrections.texts()]) == ([0, 2, 3], [b"is", b"", b"end"])


def random_texts(seed: int) -> tuple[Lines, list[Lines]]:
    """Return sentences and records of annotators: most are right, with odd white space, and some are not."""
    rng = random.Random(seed)
    sentences, annotators = rng.randint(0, 4), rng.randint(1, 3)
    source = ["".join(rng.choices([*TEXTS, *WHITE], k=rng.randint(0, 8))) for _ in range(sentences)]

    def correction() -> str:
        parts = ["".join(rng.choices([*TEXTS, *WHITE, " "], k=rng.randint(0, 4))) for _ in range(rng.choice([1, 1, 2]))]
        return "||".join(parts)

    def line() -> str:
        span = rng.choice(WRONG) if rng.random() < 0.02 else rng.choice(SPANS)
        fields = [span, rng.choice(TYPES), correction(), "REQUIRED", "-NONE-", "0"]
        return "A " + "|||".join(fields if rng.random() > 0.01 else fields[:-1])

    def own() -> bytes:
        lines = [line().replace("\n", " ") for _ in range(rng.choice([0, 1, 1, 3]))]
        return record(*lines, order=rng.randint(0, 2), annotator=rng.randint(0, 9)) if rng.random() < 0.8 else b""

    texts = [join_lines(own() for _ in range(sentences)) for _ in range(annotators)]
    return join_lines(text.encode() for text in source), texts


@given(st.integers(0, 2**40))
@settings(max_examples=1500, deadline=None)
def test_twins_are_equal(native: ModuleType, seed: int) -> None:
    """Whatever is wrong with a record is said in the same words."""
    source, records = random_texts(seed)
    results: list[object] = []
    for kernel in (native, import_module("pipeline.kernel.python")):
        try:
            results.append(seen(kernel.gold_records(source, records)))
        except ValueError as error:
            results.append(str(error))
    assert results[0] == results[1]


def test_there_is_a_record_for_each_sentence(twin: ModuleType) -> None:
    with pytest.raises(ValueError, match="one for each sentence"):
        twin.gold_records(join_lines([b"a"]), [join_lines([])])


@pytest.mark.parametrize("every", [False, True])
def test_the_arrays_are_the_edits_that_are_listed(every: bool) -> None:
    """By another way: edits as people see them, of annotators of whom some are absent."""
    rng = random.Random(1)
    source = [" ".join("abcde"[: rng.randint(0, 5)]) for _ in range(50)]
    kinds = [(f"{s} {e}", text) for s in range(4) for e in range(s, 5) for text in ("", "x||y z", " w", "u  v")]
    lines = [f"A {span}|||T|||{text}|||REQUIRED|||-NONE-|||0" for span, text in kinds]
    records = [
        [record(*rng.choices(lines, k=rng.randint(0, 3)), annotator=a) if rng.random() < 0.7 else b"" for _ in source]
        for a in (3, 1)
    ]
    texts = join_lines(text.encode() for text in source), [join_lines(own) for own in records]
    gold, listed = read_gold(*texts, every=every), listed_edits(*texts, every=every)
    flat = [edit for row in listed for own in row for edit in own or ()]
    possible = [[text for text in edit.alternatives if text == " ".join(text.split())] for edit in flat]
    assert gold.counts.tolist() == [[-1 if own is None else len(own) for own in row] for row in listed]
    assert (gold.records.starts.tolist(), gold.records.ends.tolist()) == (
        [edit.start for edit in flat],
        [edit.end for edit in flat],
    )
    assert np.diff(gold.records.alternatives).tolist() == [len(texts) for texts in possible]
    assert [text.decode() for text in gold.records.corrections.texts()] == [text for own in possible for text in own]
