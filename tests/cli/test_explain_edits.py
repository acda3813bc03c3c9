"""explain of metrics of edits: files of M2 on the command line, and each edit with what each annotator says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import called

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The arguments that name the files. The names need not end in .m2."""
    (tmp_path / "gold.errant").write_text(GOLD, encoding="utf-8")
    (tmp_path / "A.errant").write_text(OUTPUT, encoding="utf-8")
    return ["-r", str(tmp_path / "gold.errant"), "-o", str(tmp_path / "A.errant")]


def test_edits_are_explained(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """By hand: with annotator 0 the output has 1 of 2 edits, so F0.5 is 1.25 * 0.5 / (0.25 + 0.5), or 5 / 6."""
    code, out, err = called(capsys, "explain", "errant", *files, "--line", 1)
    assert (code, err) == (0, "")
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
        "edits of the output: 1; all annotators make 0, some 1, none 0",
        "",
    ]


def test_a_sentence_without_edits_and_without_an_annotator(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = called(capsys, "explain", "errant", *files, "--line", 2)
    assert code == 0
    assert [line.rstrip() for line in out.splitlines()[3:]] == [
        "annotator 0  counts  errant 100.00  tp 0  fp 0  fn 0",
        "annotator 1          has no line here",
        "no edits are compared",
        "",
    ]


def test_two_modes_are_compared(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "explain", "errant", *files, "--compare", "errant[mode=ds]")
    assert code == 0
    assert "0 of 2 sentences differ" not in out
    assert "of 2 sentences differ" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--line", "3"], "--line: expected 1 to 2, found 3"),
    ],
)
def test_what_does_not_fit_is_said(
    files: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    code, out, err = called(capsys, "explain", "errant", *files, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_texts_are_no_edits(files: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "A.errant").write_text("This is a sentence\nFine\n", encoding="utf-8")
    code, _, err = called(capsys, "explain", "errant", *files, "--line", 1)
    assert code == 2
    assert "A.errant:1: expected a line that begins with 'S '" in err
