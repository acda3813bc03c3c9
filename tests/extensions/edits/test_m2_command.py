"""`gec-pipeline m2`: texts and M2 files made of M2 files, and what is odd in them."""

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.config_files import write
from tests.conftest import ROOT
from tests.support.in_process import Call
from tests.support.tables import table

DATA = ROOT / "data"
END = "REQUIRED|||-NONE-"


def edit(
    span: str, text: str, annotator: int = 0, kind: str = "R:OTHER"
) -> str:
    return f"A {span}|||{kind}|||{text}|||{END}|||{annotator}\n"


def noop(annotator: int = 0) -> str:
    return edit("-1 -1", "-NONE-", annotator, "noop")


pytestmark = pytest.mark.usefixtures("cwd")
M2 = Callable[..., str]


@pytest.fixture
def m2(call: Call) -> M2:
    """Run an action in an empty folder; return what it prints, if its messages are those expected."""

    def run(
        line: str, *arguments: object, code: int = 0, err: str | None = None
    ) -> str:
        out, messages = call(f"m2 {line}", *arguments, code=code)
        assert messages == err or err is None
        return out

    return run


@pytest.mark.parametrize(
    ("arguments", "text"),
    table("""
        gold.m2 --annotator 0  reference0.txt
        gold.m2 --annotator 1  reference1.txt
        gold.m2 --source       source.txt
        careful.m2             systems/careful.txt
        eager.m2               systems/eager.txt
        broken.m2              systems/broken.txt
        unchanged.m2           systems/unchanged.txt
    """),
)
def test_the_sample_gives_the_texts_it_was_made_of(
    arguments: str, text: str, m2: M2
) -> None:
    """By the texts that were annotated."""
    expected = (DATA / text).read_text(encoding="utf-8")
    assert m2(f"apply {DATA}/m2/{arguments}") == expected
    m2(f"apply {DATA}/m2/{arguments} -o new/text.txt")
    assert Path("new/text.txt").read_bytes() == expected.encode()


def test_apply_of_one_file_without_edits_is_the_source(m2: M2) -> None:
    write({"a.m2": "S a  b\n\nS c\n\n"})
    assert m2("apply a.m2") == "a b\nc\n"
    message = "error: --annotator 2: a.m2 has no line of an annotator\n"
    m2("apply a.m2 --annotator 2", code=2, err=message)


def test_apply_says_what_stands_in_for_an_annotator(m2: M2) -> None:
    """By hand: annotator 1 has no line for the first sentence."""
    second = f"S c d\n{noop()}{edit('0 1', '', 1)}\n"
    write({"a.m2": f"S a b\n{edit('0 1', 'x')}\n{second}"})
    missing = "annotator 1 has no line for 1 sentences that others annotated, the first in line 1"
    note = f"note: a.m2: {missing}; the first annotator's edits stand in\n"
    assert m2("apply a.m2 --annotator 1", err=note) == "x b\nd\n"


def test_apply_asks_which_annotator(m2: M2) -> None:
    gold = DATA / "m2" / "gold.m2"
    for option, message in (
        (
            "",
            f"{gold}: has the annotators 0, 1; say which, as in --annotator 0",
        ),
        (
            "--annotator 7",
            f"--annotator 7: {gold} has no such annotator; it has 0, 1",
        ),
    ):
        m2(f"apply {gold} {option}", code=2, err=f"error: {message}\n")


def test_apply_reads_packed_files_and_standard_input(
    m2: M2, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = (DATA / "m2" / "eager.m2").read_bytes()
    write({"a.m2.gz": gzip.compress(data)})
    expected = (DATA / "systems" / "eager.txt").read_text(encoding="utf-8")
    assert m2("apply a.m2.gz") == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert m2("apply -") == expected


def test_convert_to_errant_needs_a_choice_of_alternatives(m2: M2) -> None:
    """By hand: of "-NONE-||x" the first alternative is a deletion."""
    write({"a.m2": f"S a b\n{edit('0 1', 'x||y')}{edit('1 2', '-NONE-||x')}\n"})
    message = (
        "error: a.m2:2: the correction has alternatives (|| between), as 2 edits of the file; the style of ERRANT has "
        "none: with --alternatives first, the first of each is taken\n"
    )
    m2("convert a.m2 --to errant", code=2, err=message)
    expected = f"S a b\n{edit('0 1', 'x')}{edit('1 2', '')}\n"
    assert m2("convert a.m2 --to errant --alternatives first") == expected
    assert "x||y" in m2("convert a.m2 --to nucle")


@pytest.mark.parametrize(
    ("content", "errors"),
    [
        ("", [": has no sentence: there is no line that begins with 'S '"]),
        (f"S a\n{edit('0 2', 'x')}\nS a b c\n{edit('1 3', 'x')}{edit('0 2', 'y')}", [":2: the edit 0 2 does not fit into a sentence of 1 tokens", ":6: overlaps the edit of line 5"]),
        (f"S a\n{edit('0 1', 'x')}{noop()}", [":3: a noop, but annotator 0 edits the sentence in line 2"]),
        (f"S a\n\n{edit('0 1', 'x')}", [":3: an edit before any sentence"]),
        ("S a\nA 0 1\n", [":2: expected 6 fields with ||| between, found 1"]),
        (b"S a\xff\n", [":1: byte 4 of the line (0xff) is not valid UTF-8"]),
    ],
)  # fmt: skip
def test_check_refuses_what_cannot_be_applied(
    content: str | bytes, errors: list[str], call: Call
) -> None:
    """By hand."""
    write({"a.m2": content})
    out, err = call("m2 check a.m2", code=2)
    assert out == ""
    assert all(f"a.m2{error}" in err for error in errors), err


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        (f"S a b\n{noop()}\n", []),
        (f"S a b c\n{edit('1 3', 'x')}{edit('0 2', 'y', 1)}", []),
        (f"S a\n{edit('0 1', '-NONE-', 0, 'noop')}", ["line 2 is a noop with a span"]),
        ("S a\n \nS b\n", ["line 2 has only blanks"]),
        ("S a\r\n", ["line 1 ends as lines of Windows do"]),
        ("\ufeffS a\n", ["line 1 begins with a byte order mark"]),
        ("S a\u2028b\n", ["character 4 is U+2028, at which m2scorer ends the line"]),
        (f"S a b\n{edit('0 1', '-NONE-')}{edit('1 2', '')}", ["1 deletions are written as -NONE-, and 1 empty; `gec-pipeline m2 convert` makes them alike"]),
        (f"S a\n{edit('0 1', 'x||y')}", ["1 edits have alternatives (a||b), the first in line 2"]),
        (f"S a\n{edit('0 1', 'x')}\nS b\n{noop(1)}{noop()}", ["do not take part there", "1 (1, the first in line 1)"]),
    ],
)  # fmt: skip
def test_check_notes_what_programs_read_in_different_ways(
    content: str, notes: list[str], m2: M2
) -> None:
    """By hand."""
    write({"a.m2": content})
    *lines, last = m2("check a.m2").splitlines()
    assert last.endswith(f", notes: {len(lines)}")
    assert bool(lines) == bool(notes)
    assert all(note in "\n".join(lines) for note in notes), lines


def test_a_file_that_cannot_be_read(m2: M2) -> None:
    write({"gold.m2": "S a\n"})
    for name, message in (
        ("golt.m2", "golt.m2: no such file (did you mean 'gold.m2'?)"),
        (".", ".: is a folder; expected a text file"),
    ):
        m2(f"check {name}", code=2, err=f"error: {message}\n")
