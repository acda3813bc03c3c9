"""`gec-pipeline m2`: texts and M2 files made of M2 files, and what is odd in them."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT, called
from tests.files import write

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = ROOT / "data"
END = "REQUIRED|||-NONE-"


def edit(span: str, text: str, annotator: int = 0, kind: str = "R:OTHER") -> str:
    return f"A {span}|||{kind}|||{text}|||{END}|||{annotator}\n"


def noop(annotator: int = 0) -> str:
    return edit("-1 -1", "-NONE-", annotator, "noop")


@pytest.fixture
def m2(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run an action in an empty folder; return what it prints, where it returns the code that is expected."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, code: int = 0, err: str | None = None) -> str:
        returned, out, messages = called(capsys, "m2", *arguments)
        assert (returned, messages if err is not None else "") == (code, err or ""), messages
        return out

    return run


@pytest.mark.parametrize(
    ("file", "arguments", "text"),
    [
        ("gold.m2", ["--annotator", 0], "reference0.txt"),
        ("gold.m2", ["--annotator", 1], "reference1.txt"),
        ("gold.m2", ["--source"], "source.txt"),
        *((f"{name}.m2", [], f"systems/{name}.txt") for name in ("careful", "eager", "broken", "unchanged")),
    ],
)
def test_the_sample_gives_the_texts_it_was_made_of(
    file: str, arguments: list[object], text: str, m2: Callable[..., str]
) -> None:
    """By the texts that were annotated."""
    expected = (DATA / text).read_text(encoding="utf-8")
    assert m2("apply", DATA / "m2" / file, *arguments) == expected
    m2("apply", DATA / "m2" / file, *arguments, "-o", "new/text.txt")
    assert Path("new/text.txt").read_bytes() == expected.encode()


def test_apply_of_one_file_without_edits_is_the_source(m2: Callable[..., str]) -> None:
    write({"a.m2": "S a  b\n\nS c\n\n"})
    assert m2("apply", "a.m2") == "a b\nc\n"
    m2("apply", "a.m2", "--annotator", 2, code=2, err="error: --annotator 2: a.m2 has no line of an annotator\n")


def test_apply_says_what_stands_in_for_an_annotator(m2: Callable[..., str]) -> None:
    """By hand: annotator 1 has no line for the first sentence."""
    write({"a.m2": f"S a b\n{edit('0 1', 'x')}\nS c d\n{noop()}{edit('0 1', '', 1)}\n"})
    lacking = "annotator 1 has no line for 1 sentences that others annotated, the first in line 1"
    note = f"note: a.m2: {lacking}; the first annotator's edits stand in\n"
    assert m2("apply", "a.m2", "--annotator", 1, err=note) == "x b\nd\n"


def test_apply_asks_which_annotator(m2: Callable[..., str]) -> None:
    gold = DATA / "m2" / "gold.m2"
    m2("apply", gold, code=2, err=f"error: {gold}: has the annotators 0, 1; say which, as in --annotator 0\n")
    message = f"error: --annotator 7: {gold} has no such annotator; it has 0, 1\n"
    m2("apply", gold, "--annotator", 7, code=2, err=message)


def test_apply_reads_packed_files_and_standard_input(m2: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = (DATA / "m2" / "eager.m2").read_bytes()
    write({"a.m2.gz": gzip.compress(data)})
    expected = (DATA / "systems" / "eager.txt").read_text(encoding="utf-8")
    assert m2("apply", "a.m2.gz") == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert m2("apply", "-") == expected


def test_convert_to_errant_needs_to_be_told_of_alternatives(m2: Callable[..., str]) -> None:
    """By hand: of "-NONE-||x" the first alternative is a deletion."""
    write({"a.m2": f"S a b\n{edit('0 1', 'x||y')}{edit('1 2', '-NONE-||x')}\n"})
    message = (
        "error: a.m2:2: the correction has alternatives (|| between), as 2 edits of the file; the style of ERRANT has "
        "none: with --alternatives first, the first of each is taken\n"
    )
    m2("convert", "a.m2", "--to", "errant", code=2, err=message)
    expected = f"S a b\n{edit('0 1', 'x')}{edit('1 2', '')}\n"
    assert m2("convert", "a.m2", "--to", "errant", "--alternatives", "first") == expected
    assert "x||y" in m2("convert", "a.m2", "--to", "nucle")


CHECKS: list[tuple[str | bytes, list[str]]] = [
    (f"S a b\n{noop()}\n", []),
    ("", ["1: error: has no sentence: there is no line that begins with 'S '"]),
    (f"S a\n{edit('0 2', 'x')}", ["2: error: the edit 0 2 does not fit into a sentence of 1 tokens"]),
    (
        f"S a b c\n{edit('1 3', 'x')}{edit('0 2', 'y')}",
        ["3: error: overlaps the edit of line 2, of the same annotator"],
    ),
    (f"S a b c\n{edit('1 3', 'x')}{edit('0 2', 'y', 1)}", []),
    (f"S a\n{edit('0 1', 'x') * 2}", ["3: note: stands in line 2 already; ERRANT counts it twice"]),
    (f"S a\n{edit('0 1', 'a')}", ["2: note: the edit changes nothing"]),
    (f"S a\n{edit('0 1', 'x')}{noop()}", ["3: error: a noop, but annotator 0 edits the sentence in line 2"]),
    (f"S a\n{edit('0 1', '-NONE-', 0, 'noop')}", ["2: note: a noop has the offsets -1 -1, found 0 1"]),
    ("A 0 1\n", ["1: error: an edit without a sentence", "1: error: has no sentence"]),
    (f"S a\n\n{edit('0 1', 'x')}", ["3: error: an edit without a sentence before it"]),
    ("S a\nA 0 1\n", ["2: error: expected 6 fields with ||| between, found 1"]),
    ("S a\nT0-A0 x\n", ["2: error: expected a line that begins with 'S ' or 'A ', or an empty line, found 'T0-A0 x'"]),
    ("S a\nS b\n", ["2: note: a sentence without an empty line before it; errant_compare takes it for an edit"]),
    ("S a\n\n\nS b\n", ["4: note: 2 empty lines before the sentence, where errant_compare ends; expected 1"]),
    ("S a\n \nS b\n", ["2: note: a line of blanks alone"]),
    ("S\n", ["1: note: the sentence is empty"]),
    ("S a  b\n", ["1: note: tokens have something else than one blank between them"]),
    ("S a\r\n", ["1: note: ends with CR LF; expected LF alone"]),
    ("\ufeffS a\n", ["1: note: begins with a byte order mark"]),
    ("S a\u2028b\n", ["1: note: has the sign U+2028 in it", "1: note: tokens have something else"]),
    (b"S a\xff\n", ["1: error: is not valid UTF-8"]),
    (
        f"S a b\n{edit('0 1', '-NONE-')}{edit('1 2', '')}",
        ["2: note: 1 deletions are written as -NONE-, the first here, and 1 empty, the first in line 3"],
    ),
    (f"S a\n{edit('0 1', 'x||y')}", ["2: note: 1 corrections have alternatives (a||b), the first here"]),
    (f"S a\n{edit('0 1', ' x')}", ["2: note: blanks around the correction ' x', which ERRANT compares as it stands"]),
    (
        f"S a\n{edit('0 1', 'x')}\nS b\n{noop(1)}{noop()}",
        ["1: note: annotator 1 has no line for 1 sentences that others annotated"],
    ),
]
"""Files, each with what is odd in it: the lines that are printed before the last begin with these texts. By hand."""


@pytest.mark.parametrize(("content", "findings"), CHECKS)
def test_check_finds_what_is_odd(content: str | bytes, findings: list[str], m2: Callable[..., str]) -> None:
    write({"a.m2": content})
    errors = sum(": error: " in finding for finding in findings)
    *lines, last = m2("check", "a.m2", code=2 if errors else 0).splitlines()
    assert last.endswith(f", errors: {errors}, notes: {len(findings) - errors}")
    assert len(lines) == len(findings)
    for line, finding in zip(lines, findings, strict=True):
        assert line.startswith(f"a.m2:{finding}"), line


def test_check_lists_five_of_a_kind(m2: Callable[..., str]) -> None:
    write({"a.m2": "S a\r\n\r\n" * 4})
    few = m2("check", "a.m2").splitlines()
    assert len(few) == 7
    assert few[5] == "a.m2: note: 3 more of this kind, the last in line 8"
    assert len(m2("check", "a.m2", "--all").splitlines()) == 9


def test_a_file_that_cannot_be_read(m2: Callable[..., str]) -> None:
    write({"gold.m2": "S a\n"})
    m2("check", "golt.m2", code=2, err="error: golt.m2: no such file (did you mean 'gold.m2'?)\n")
    m2("check", ".", code=2, err="error: .: is a folder; expected a text file\n")
