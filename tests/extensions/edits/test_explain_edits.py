"""The command explain with metrics of edits."""

from pathlib import Path

import pytest

from tests.cli.test_explain import FILES
from tests.config_files import write
from tests.support.in_process import Call

GOLD = """\
S This are a sentence
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||was|||REQUIRED|||-NONE-|||1

S Fine
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""
OUTPUT = """\
S This are a sentence
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

S Fine
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
"""

EDITS = ("errant", "-r", "gold.errant", "-o", "A.errant")
"""The metric and its files, whose names need not end in .m2."""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({**FILES, "gold.errant": GOLD, "A.errant": OUTPUT})


def test_a_line_behind_the_last_is_told(
    call: Call,
) -> None:
    files = ("-r", "gold.errant", "-o", "A.errant")
    out, err = call("explain errant", *files, "--line", "3", code=2)
    assert out == ""
    assert "--line: expected 1 to 2, found 3" in err


def test_edits_are_explained(call: Call) -> None:
    """By hand: with annotator 0 the output has 1 of 2 edits, so F0.5 is 1.25 * 0.5 / (0.25 + 0.5),
    or 5 / 6.
    """
    out, err = call("explain", *EDITS, "--line", 1)
    assert err == ""
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[1:] == [
        "source  This are a sentence",
        "output  This is a sentence",
        "annotator 0  counts  errant 83.33  tp 1  fp 0  fn 1",
        "annotator 1          errant 0.00  tp 0  fp 1  fn 1",
        "tokens  edit       type          annotator 0  annotator 1",
        "1-2     are → is   R:VERB:SVA    right        wrong",
        "1-2     are → was  R:VERB:TENSE               missed",
        "2-3     a → ∅      U:DET         missed",
        "",
    ]


def test_a_sentence_without_edits_and_without_an_annotator(
    call: Call,
) -> None:
    out = call("explain", *EDITS, "--line", 2).out
    assert [line.rstrip() for line in out.splitlines()[3:]] == [
        "annotator 0  counts  errant 100.00  tp 0  fp 0  fn 0",
        "annotator 1          has no line here",
        "no edits are compared",
        "",
    ]


def test_two_modes_are_compared(call: Call) -> None:
    out = call(
        "explain", *EDITS, "--compare", "errant[mode=ds]", "--line", 1
    ).out
    one = call("explain", *EDITS, "--line", 1).out
    other = call("explain errant[mode=ds]", *EDITS[1:], "--line", 1).out
    assert out == one + other
    assert one != other


def test_texts_are_no_edits(call: Call) -> None:
    write({"A.errant": "This is a sentence\nFine\n"})
    err = call("explain", *EDITS, "--line", 1, code=2).err
    assert "A.errant:1: expected a line that begins with 'S '" in err
