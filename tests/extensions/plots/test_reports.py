"""Plots among the reports of a run."""

import importlib.util
import json
from pathlib import Path

import pytest

from pipeline import report, stages
from pipeline.errors import ConfigError
from pipeline.report import FORMATS
from tests.conftest import called, run, tree, write_config, write_run
from tests.support.commands import Call


def test_reports_in_a_run_directory_are_known_to_it(
    tmp_path: Path, call: Call
) -> None:
    config = write_run(tmp_path, 9)
    run(config, tmp_path / "run")
    before = tree(tmp_path / "run")
    assert (
        called(
            capsys,
            "report",
            tmp_path / "run",
            "--format",
            "plots",
            "--plot",
            "scores",
            "--type",
            "svg",
        )[0]
        == 0
    )
    manifest = json.loads(
        (tmp_path / "run" / "run.json").read_text(encoding="utf-8")
    )
    assert (tmp_path / "run" / "scores.d.gleu.svg").exists()
    assert {"scores.d.gleu.svg", "results.json"} <= set(manifest["files"])
    assert manifest["state"] == "done"
    run(config, tmp_path / "run")
    # it shows what is still so
    assert set(tree(tmp_path / "run")) == {*before, "scores.d.gleu.svg"}
    run(write_config(config, chosen=["gleu[iter=3]"]), tmp_path / "run")
    # a run with other results has taken it away
    assert set(tree(tmp_path / "run")) == set(before)
    called(
        capsys,
        "report",
        tmp_path / "run",
        "--format",
        "plots",
        "--plot",
        "scores",
    )
    assert called(capsys, "clean", tmp_path / "run")[0] == 0
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif("parquet" not in FORMATS, reason="needs the format parquet")
def test_a_missing_package_is_told_before_work_starts(
    sample: Path,
    tmp_path: Path,
    call: Call,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = write_config(
        tmp_path / "c.yaml",
        output={"formats": ["parquet", "plots"], "plots": ["skores"]},
    )
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ConfigError) as caught:
        stages.prepare(config)
    said = str(caught.value)
    assert "c.yaml:1:" in said
    assert (
        "output.formats: parquet: needs the package pyarrow: pip install 'gec-pipeline[parquet]'"
        in said
    )
    assert (
        "plots: needs the package matplotlib: pip install 'gec-pipeline[plot]'"
        in said
    )
    assert (
        "output.plots[0]: no plot is called 'skores' (did you mean 'scores'?)"
        in said
    )
    err = call(f"report {sample} --format plots parquet", code=2).err
    assert len(err.splitlines()) == 2
    assert report.unavailable(["csv", "markdown", "latex", "json"]) == []
