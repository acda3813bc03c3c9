"""Plots among the reports of a run."""

import importlib.util
import json
from pathlib import Path

import pytest

from pipeline import report, stages
from pipeline.errors import ConfigError
from pipeline.report import FORMATS
from tests.conftest import run, tree, write_config, write_run
from tests.support.in_process import Call


def test_reports_in_a_run_directory_are_known_to_it(
    tmp_path: Path, call: Call
) -> None:
    config, run_dir = write_run(tmp_path, 9), tmp_path / "run"
    run(config, run_dir)
    before = set(tree(run_dir))
    plot = "scores.d.gleu.svg"
    call(f"report {run_dir} --format plots --plot scores --type svg")
    manifest = json.loads((run_dir / "run.json").read_text())
    assert (run_dir / plot).exists()
    assert {plot, "results.json"} <= set(manifest["files"])
    assert manifest["state"] == "done"
    run(config, run_dir)
    # it shows what is still so
    assert set(tree(run_dir)) == {*before, plot}
    run(write_config(config, chosen=["gleu[iter=3]"]), run_dir)
    # a run with other results has taken it away
    assert set(tree(run_dir)) == before
    call(f"report {run_dir} --format plots --plot scores")
    call(f"clean {run_dir}")
    assert not run_dir.exists()


@pytest.mark.skipif("parquet" not in FORMATS, reason="needs the format parquet")
def test_a_missing_package_is_an_error_before_work_starts(
    sample: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = {"formats": ["parquet", "plots"], "plots": ["skores"]}
    config = write_config(tmp_path / "c.yaml", output=output)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ConfigError) as caught:
        stages.prepare(config)
    for message in (
        "c.yaml:1:",
        "output.formats: parquet: needs the package pyarrow: pip install 'gec-pipeline[parquet]'",
        "plots: needs the package matplotlib: pip install 'gec-pipeline[plot]'",
        "output.plots[0]: no plot is called 'skores' (did you mean 'scores'?)",
    ):
        assert message in str(caught.value)
    err = call(f"report {sample} --format plots parquet", code=2).err
    assert len(err.splitlines()) == 2
    assert (
        report.unavailable_formats(["csv", "markdown", "latex", "json"]) == []
    )
