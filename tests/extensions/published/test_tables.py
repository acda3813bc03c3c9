"""Expectations and judgements in reports."""

from pathlib import Path

import pytest

from pipeline.report import FORMATS, latex
from tests.config_files import write
from tests.conftest import run, write_run
from tests.report.test_reports import drawn
from tests.support.in_process import Call

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
    reports = {"show": call(f"show {expecting}").out}
    for name in ("markdown", "latex", "html"):
        command = f"report {expecting} --format {name} --output -"
        reports[name] = call(command).out
    title = r"<b>one</b> | \input{x}"
    cells = drawn(reports["markdown"])[0]
    assert cells[cells.index(title) + 1] == "0 of 2"
    items = latex.escape("judgments all total items")
    row = rf"2 & {items} & 1 of 1 & 0 & every published digit \\"
    assert row in reports["latex"]
    missed = latex.escape(f"missed: 1. {title}: A: expected 7.25, found ")
    assert missed in reports["latex"]
    link = '<a href="#expected">1 of 2 expectations missed</a>'
    assert link in reports["html"]
    assert "<b>one" not in reports["html"]
    for name, text in reports.items():
        assert "Expected Wins" in text, name
        assert text.count("missed: 1. ") == 2, name
    part = call(f"report {expecting} --format markdown --metric gleu").out
    assert "expected and found" not in part  # of the run as a whole


def test_a_run_without_scores_has_reports(cwd: Path, call: Call) -> None:
    write({"j.csv": JUDGED, "c.yaml": "judgments: {all: {file: j.csv}}\n"})
    run(cwd / "c.yaml", "run")
    for name in FORMATS:
        call(f"report run --format {name}")
    summary = "Expected Wins, 3 items"
    assert summary in call("report run --format markdown").out
    citation = "expected wins [bojar-etal-2013-findings, koehn-2012-simulating]"
    assert call("cite run").out.startswith(f"% judgments all: {citation}\n")
    if "html" in FORMATS:
        page = Path("run/report.html").read_text(encoding="utf-8")
        assert "no sentences here" not in page
        assert 'href="#results">Results' not in page
    for command in (
        "show run --line 1",
        "show run --metric gleu",
        "compare run",
    ):
        assert "has no scores" in call(command, code=2).err
