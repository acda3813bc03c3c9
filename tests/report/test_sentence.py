"""show --line: one sentence of a run, with its texts where they have not changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.report.sentence import DELETED, INSERTED, grouped, marked
from tests.conftest import RunLine, run, write_run
from tests.support.terminal import on_terminal


def test_a_sentence_has_texts_scores_and_counts(
    run_line: RunLine, sample: Path
) -> None:
    """Line 3 by hand: careful is reference 1, so its GLEU+ is 1 there. With reference 2 it is 0: of
    11 4-grams the last three of the sentence match, and three about the museum, which the source
    has and reference 2 has not, cost as much."""
    code, out, err = run_line(f"show {sample} --line 3 --system careful")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "sample, line 3"
    assert lines[1].endswith(
        "Yesterday we visit the museum of modern art and see many interesting painting ."
    )
    assert [line.split("  ")[0] for line in lines[1:5]] == [
        "source",
        "reference 1",
        "reference 2",
        "careful",
    ]
    assert lines[7].split() == ["careful", "50.00", "100.00"]
    assert "reference 1: hyp_len 14  ref_len 14" in lines
    first = lines[lines.index("reference  n  total  match  penalty") + 1]
    assert first.split() == ["1", "1", "14", "14", "0"]
    assert "        2  4     11      3        3" in lines


def test_a_sentence_of_all_systems_has_their_outputs(
    run_line: RunLine, sample: Path
) -> None:
    out = run_line(f"show {sample} --line 96 --metric bleu")[1]
    assert [line.split()[0] for line in out.splitlines()[4:8]] == [
        "careful",
        "eager",
        "unchanged",
        "broken",
    ]
    assert "counts" not in out


def test_equal_texts_stand_once_and_edits_are_in_colour(
    run_line: RunLine,
    sample: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = run_line(f"show {sample} --line 4")[1]
    text = "             My brother works in a small bakery near the station ."
    same = f"reference 1, reference 2\n{text}\ncareful, unchanged\n{text}\n"
    assert same in plain
    assert (
        "broken       My brother work in small bakery near the the station .\n"
        in plain
    )
    on_terminal(monkeypatch, 100)
    drawn = run_line(f"show {sample} --line 4")[1]
    assert (
        "reference 1,  My brother works in a small bakery near the station ."
        in drawn
    )
    gone, come, end = "\x1b[9;31m", "\x1b[4;32m", "\x1b[0m"
    assert (
        f"My brother {gone}works{end} {come}work{end} in {gone}a{end} small bakery near "
        in drawn
    )
    assert f"{come}the{end} " in drawn
    monkeypatch.setenv("NO_COLOR", "1")
    assert "inserted" not in run_line(f"show {sample} --line 4")[1]


def test_edits_of_texts_without_blanks_and_of_summaries_are_not_marked() -> (
    None
):
    for source, text in (
        ("彼は走る。", "彼女は走る。"),
        ("a b c d e f", "a b"),
    ):
        assert marked(source, text) == [(word, "") for word in text.split()]
    assert marked("a b", "a c") == [("a", ""), ("b", DELETED), ("c", INSERTED)]
    texts = [
        ("source", "a"),
        ("reference 0", "b"),
        ("reference 1", "b "),
        ("A", "b"),
        ("B", "a"),
        ("C", "b"),
    ]
    assert [names for names, _ in grouped(texts)] == [
        ["source"],
        ["reference 0", "reference 1"],
        ["A", "C"],
        ["B"],
    ]


def test_texts_that_have_changed_are_not_shown(
    run_line: RunLine, tmp_path: Path
) -> None:
    config = write_run(tmp_path, 12)
    run(config, tmp_path / "run")
    (tmp_path / "d" / "A").write_text("x\n" * 12, "utf-8")
    code, out, err = run_line(f"show {tmp_path}/run --line 2 --system A")
    assert code == 0
    assert err == "no texts: d: system A has changed since the run\n"
    assert "source" not in out
    assert "hyp_len" in out
