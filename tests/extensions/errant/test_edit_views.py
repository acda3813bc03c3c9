"""Data sets of edits: messages about files that are wrong or do not fit, and what is replaced."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pipeline.data import Corpus, opener
from pipeline.extensions.edits import m2_texts
from tests.config_files import lines, prepare, problems, write
from tests.extensions.edits.test_m2 import END, GOLD


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({"gold.m2": GOLD, "a.m2": GOLD, "s.txt": "a b\nc\n"})


@pytest.mark.parametrize("threaded", [0, 1 << 24])
def test_files_of_edits_and_texts_are_read_once(
    threaded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is made of them, and by whichever thread."""
    known = Counter[str]()
    read = m2_texts.read_m2
    monkeypatch.setattr(
        m2_texts,
        "read_m2",
        lambda path, *rest: known.update([path.name]) or read(path, *rest),
    )
    monkeypatch.setattr(opener, "MIN_THREADED_BYTES", threaded)
    write({"b.m2": GOLD})
    prepare(
        "datasets: {c: {gold: gold.m2}}\nsystems: {a: {m2: a.m2}, b: {m2: b.m2}}\n"
        "metrics: [gleu, errant]\nrun: {n_jobs: 2}\n"
    )
    assert known == Counter(["gold.m2", "a.m2", "b.m2"])


def config(
    gold: str = "gold.m2",
    system: object = "a.m2",
    metrics: tuple[str, ...] = ("errant",),
    **more: object,
) -> str:
    """Return a config of a data set with gold and a system with an M2 file."""
    output = {"m2": system} if isinstance(system, str) else system
    content = {
        "datasets": {"d": {"gold": gold, **more}},
        "systems": {"A": output},
        "metrics": metrics,
    }
    return json.dumps(content)


def of_many(annotators: int) -> str:
    rows = (
        f"A 0 1|||R:X|||{number}|||{END}|||{number}\n"
        for number in range(annotators)
    )
    return f"S a b\n{''.join(rows)}\nS c\n\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"gold.m2": ""},
            [
                "gold.m2: has no sentence: there is no line that begins with 'S '"
            ],
        ),
        (
            {"a.m2": "\n\n"},
            ["a.m2: has no sentence: there is no line that begins with 'S '"],
        ),
        ({"a.m2": "S a b\n\n"}, ["a.m2: has 1 sentences, and gold.m2 has 2"]),
        (
            {"a.m2": "S a x\n\nS c\n\n"},
            [
                "a.m2:1: token 2 is 'x', and in gold.m2:1 it is 'b': the edits are not of the same sentences"
            ],
        ),
        (
            {"gold.m2": of_many(256)},
            [
                "gold.m2:1: has 256 annotators up to this sentence; at most 255 are supported"
            ],
        ),
        (
            {"gold.m2": of_many(2), "a.m2": of_many(200)},
            [
                "a.m2: has 200 annotators in a sentence, and gold.m2 has 2: 400 pairs to compare; at most 255 are "
                "supported"
            ],
        ),
        (
            {"a.m2": "S a b\nA 0 1|||R:X|||x\n\nS c\n"},
            ["a.m2:2: expected 6 fields with ||| between, found 3"],
        ),
    ],
)
def test_files_that_are_wrong(
    files: dict[str, str | bytes], expected: list[str]
) -> None:
    """By hand: one message each, and not also how many lines the texts have."""
    write(files)
    assert problems(config()) == expected


def test_outputs_that_are_no_m2_files() -> None:
    message = (
        "d: system A has no edits: name its M2 file, as in `systems: {A: {m2: FILE}}`, or have texts annotated: "
        "`annotator: auto` as an option of the metric (--annotator auto of `score`)"
    )
    assert problems(config(system=None).replace("null", '"s.txt"')) == [message]


def seen(**more: object) -> Corpus:
    corpus = prepare(config(**more)).corpora[0]  # type: ignore[arg-type]
    return corpus.read_by(prepare(config(**more)).metrics[0].spec)  # type: ignore[arg-type]


def test_brackets_are_replaced_before_sentences_are_compared() -> None:
    """By hand: both sides have the same edit, written with and without the names of brackets."""
    write(
        {
            "gold.m2": f"S a -LRB- b\nA 0 1|||R:X|||-RRB- x|||{END}|||0\n\n",
            "a.m2": f"S a ( b\nA 0 1|||R:X|||) x|||{END}|||0\n\n",
            "s.txt": "a -lrb- b\n",
        }
    )
    assert "token 2 is '('" in problems(config())[0]
    for source in ({}, {"source": "s.txt"}):
        corpus = seen(replace="ptb_brackets", **source)
        assert lines(corpus.source) == ["a ( b"]
        gold = lines(corpus.references[0])[0]
        output = lines(corpus.systems["A"])[0]
        assert gold.split("\n")[1] == output == f"A 0 1|||R:X|||) x|||{END}|||0"


def test_kept_lines_are_those_of_the_edits() -> None:
    corpus = seen(keep="2")
    assert lines(corpus.systems["A"]) == [
        f"A -1 -1|||noop|||-NONE-|||{END}|||0"
    ]
    assert lines(corpus.source) == ["c"]
