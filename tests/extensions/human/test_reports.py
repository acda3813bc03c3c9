"""Reports of a run with human scores or judgements."""

import importlib.util
import json
from pathlib import Path

import jsonschema
import pytest

from pipeline._version import __version__
from pipeline.reopen import chosen, revisit
from pipeline.report import FORMATS
from pipeline.scoring.stored_runs import Selection
from tests.conftest import ROOT, run, write_run
from tests.extensions.human.schema import human_schema
from tests.support.in_process import Call
from tests.support.results_schema import results_schema

GOLDEN = ROOT / "tests" / "extensions" / "human" / "reports"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_of_agreement_are_the_golden_ones(
    sample: Path, form: str
) -> None:
    files = FORMATS[form].files(revisit(sample))
    file = next(iter(files))
    golden = (GOLDEN / f"run{Path(file).suffix}").read_text(encoding="utf-8")
    text = str(files[file]).replace(f"v:{__version__}", "v:VERSION")
    assert text.endswith(golden)
    assert golden.count("agreement with people") == 4


def test_results_fit_their_schema(sample: Path) -> None:
    check = jsonschema.Draft202012Validator(
        results_schema(human=human_schema())
    )
    content = json.loads((sample / "results.json").read_text(encoding="utf-8"))
    check.validate(content)
    content["human"]["correlations"][0]["coefficients"]["pearson"]["value"] = (
        "high"
    )
    assert not check.is_valid(content)


def test_a_choice_keeps_the_agreement_that_belongs_to_it(
    sample: Path, call: Call
) -> None:
    fewer = chosen(revisit(sample), Selection(["bleu"], ["sample"])).results
    assert fewer.human
    for name in ("correlations", "windows", "tests"):
        assert {item["metric"][:4] for item in fewer.human[name]} <= {"bleu"}
    assert fewer.human["correlations"]
    command = ["report", sample, "--format", "csv", "--metric", "bleu"]
    note = call("", *command).err
    assert note.endswith("--output DIR writes it: tests.csv, human.csv\n")


def test_texts_are_read_back_without_what_only_the_work_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people").write_text("A 1\nB 2\nC 3\n")
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
