"""Expectations and judgements in reports."""

from pathlib import Path

import pytest

from pipeline.report import FORMATS, latex
from tests.conftest import called, run, write_run
from tests.report.test_reports import drawn
from tests.support.commands import Call

JUDGED = "system1Id,system2Id,system1rank,system2rank,segmentId,judgeID\nA,B,1,2,1,x\nB,A,2,1,2,x\nA,B,2,1,3,x\n"


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
    config = write_run(
        folder, 9, judgments={"all": {"file": "j.csv"}}, expect=expect
    )
    assert run(config, folder / "run").expectations
    return folder / "run"


def test_what_was_expected_is_in_every_table(
    expecting: Path, call: Call
) -> None:
    shown = {
        name: call(f"report {expecting} --format", name, "--output", "-").out
        for name in ("markdown", "latex", "html")
    }
    shown["show"] = call(f"show {expecting}").out
    title = r"<b>one</b> | \input{x}"
    markdown_cells = drawn(shown["markdown"])[0]
    assert markdown_cells[markdown_cells.index(title) + 1] == "0 of 2"
    assert (
        rf"2 & {latex.escape('judgments all total items')} & 1 of 1 & 0 & every published digit \\"
        in shown["latex"]
    )
    assert (
        latex.escape(f"missed: 1. {title}: A: expected 7.25, found ")
        in shown["latex"]
    )
    assert '<a href="#expected">1 of 2 expectations missed</a>' in shown["html"]
    assert "<b>one" not in shown["html"]
    for name, text in shown.items():
        assert "Expected Wins" in text, name
        assert text.count("missed: 1. ") == 2, name
    part = call(f"report {expecting} --format markdown --metric gleu").out
    assert "expected and found" not in part  # of the run as a whole


def test_a_run_without_scores_has_reports(tmp_path: Path, call: Call) -> None:
    (tmp_path / "j.csv").write_text(JUDGED, encoding="utf-8")
    (tmp_path / "c.yaml").write_text("judgments: {all: {file: j.csv}}\n")
    run(tmp_path / "c.yaml", tmp_path / "run")
    for name in FORMATS:
        assert (
            called(capsys, "report", tmp_path / "run", "--format", name)[0] == 0
        ), name
    assert (
        "Expected Wins, 3 items"
        in call(f"report {tmp_path / 'run'} --format markdown").out
    )
    out = call(f"cite {tmp_path / 'run'}").out
    assert out.startswith(
        "% judgments all: expected wins [bojar-etal-2013-findings, koehn-2012-simulating]\n"
    )
    if "html" in FORMATS:
        page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
        assert "no sentences here" not in page
        assert 'href="#results">Results' not in page
    for arguments in (
        ["show", "--line", "1"],
        ["show", "--metric", "gleu"],
        ["compare"],
    ):
        err = call(
            "", arguments[0], tmp_path / "run", *arguments[1:], code=2
        ).err
        assert "has no scores" in err == True, err
