"""Expectations in the tables of reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.report import latex
from tests.conftest import called, run, write_run
from tests.extensions.human.test_reports import JUDGED
from tests.report.test_reports import drawn


@pytest.fixture(scope="module")
def expecting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run that misses what it expects, and ranks by judgements."""
    folder = tmp_path_factory.mktemp("expecting")
    (folder / "j.csv").write_text(JUDGED, encoding="utf-8")
    expect = [
        {
            "metric": "gleu",
            "title": "<b>one</b> | \\input{x}",
            "values": {"A": "7.25", "B": "9.5"},
        },
        {"path": "judgments/all/total/items", "values": "3"},
    ]
    config = write_run(folder, 9, judgments={"all": {"file": "j.csv"}}, expect=expect)
    assert run(config, folder / "run").expectations
    return folder / "run"


def test_what_was_expected_is_in_every_table(
    expecting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = {
        name: called(capsys, "report", expecting, "--format", name, "--output", "-")[1]
        for name in ("markdown", "latex", "html")
    }
    shown["show"] = called(capsys, "show", expecting)[1]
    title = r"<b>one</b> | \input{x}"
    markdown_cells = drawn(shown["markdown"])[0]
    assert markdown_cells[markdown_cells.index(title) + 1] == "0 of 2"
    assert (
        rf"2 & {latex.escape('judgments all total items')} & 1 of 1 & 0 & every published digit \\"
        in shown["latex"]
    )
    assert (
        latex.escape(f"missed: 1. {title}: A: expected 7.25, found ") in shown["latex"]
    )
    assert '<a href="#expected">1 of 2 expectations missed</a>' in shown["html"]
    assert "<b>one" not in shown["html"]
    for name, text in shown.items():
        assert "Expected Wins" in text, name
        assert text.count("missed: 1. ") == 2, name
    part = called(
        capsys, "report", expecting, "--format", "markdown", "--metric", "gleu"
    )[1]
    assert "expected and found" not in part  # of the run as a whole
