"""Reports of a run with human scores or judgements."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import jsonschema
import pytest

from pipeline._version import __version__
from pipeline.reopen import chosen, revisit
from pipeline.report import FORMATS
from pipeline.scoring.stored_runs import Selection
from tests.conftest import ROOT, called, run, write_run
from tests.extensions.human.schema import human_schema
from tests.support.results_schema import results_schema

JUDGED = "system1Id,system2Id,system1rank,system2rank,segmentId,judgeID\nA,B,1,2,1,x\nB,A,2,1,2,x\nA,B,2,1,3,x\n"


def test_a_run_without_scores_has_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "j.csv").write_text(JUDGED, encoding="utf-8")
    (tmp_path / "c.yaml").write_text(
        "judgments: {all: {file: j.csv}}\n", encoding="utf-8"
    )
    run(tmp_path / "c.yaml", tmp_path / "run")
    for name in FORMATS:
        assert called(capsys, "report", tmp_path / "run", "--format", name)[0] == 0, (
            name
        )
    assert (
        "Expected Wins, 3 items"
        in called(capsys, "report", tmp_path / "run", "--format", "markdown")[1]
    )
    code, out, _ = called(capsys, "cite", tmp_path / "run")
    assert code == 0
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
        code, _, err = called(capsys, arguments[0], tmp_path / "run", *arguments[1:])
        assert (code, "has no scores" in err) == (2, True), err


GOLDEN = ROOT / "tests" / "extensions" / "human" / "reports"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_of_agreement_are_the_golden_ones(sample: Path, form: str) -> None:
    files = FORMATS[form].files(revisit(sample))
    file = next(iter(files))
    golden = (GOLDEN / f"run{Path(file).suffix}").read_text(encoding="utf-8")
    text = str(files[file]).replace(f"v:{__version__}", "v:VERSION")
    assert text.endswith(golden)
    assert golden.count("agreement with people") == 4


def test_results_fit_their_schema(sample: Path) -> None:
    check = jsonschema.Draft202012Validator(results_schema(human=human_schema()))
    content = json.loads((sample / "results.json").read_text(encoding="utf-8"))
    check.validate(content)
    content["human"]["correlations"][0]["coefficients"]["pearson"]["value"] = "high"
    assert not check.is_valid(content)


def test_a_choice_keeps_the_agreement_that_belongs_to_it(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fewer = chosen(revisit(sample), Selection(["bleu"], ["sample"])).results
    assert fewer.human
    for name in ("correlations", "windows", "tests"):
        assert {item["metric"][:4] for item in fewer.human[name]} <= {"bleu"}
    assert fewer.human["correlations"]
    command = ["report", sample, "--format", "csv", "--metric", "bleu"]
    told = called(capsys, *command)[2]
    assert told.endswith("--output DIR writes it: tests.csv, human.csv\n")


def test_texts_are_read_back_without_what_only_the_work_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people").write_text("A 1\nB 2\nC 3\n", encoding="utf-8")
    formats = ["plots"] if "plots" in FORMATS else ["parquet"]
    config = write_run(
        tmp_path,
        9,
        output={"formats": formats},
        human={"file": "people"},
        systems="ABC",
    )
    run(config, tmp_path / "run")
    (tmp_path / "people").unlink()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    found = revisit(tmp_path / "run")
    assert (found.unread, list(found.corpora)) == ("", ["d"])
