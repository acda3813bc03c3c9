"""Means over data sets: in results, and in every form of report."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import jsonschema
import pytest

from pipeline.cli.commands.schema import results_schema
from pipeline.errors import InputError
from pipeline.scoring.board import with_means
from pipeline.scoring.results import Results, Score
from tests.conftest import called, run, tree, write_run

if TYPE_CHECKING:
    from pathlib import Path


def score(dataset: str, system: str, value: float, references: int = 2, metric: str = "m|n:4") -> Score:
    printed = f"{metric}|nrefs:{references}|v:1"
    return Score(
        dataset=dataset, system=system, metric=printed, score=value, outputs={"m": value}, samples=None, rank=1
    )


def test_means_by_hand() -> None:
    """(0.2 + 0.4) / 2 and (0.9 + 0.5) / 2. A metric with other references is the same metric."""
    scores = [
        *(score("d", *own) for own in (("A", 0.2), ("B", 0.9), ("C", 0.7))),
        *(score("e", *own, 4) for own in (("A", 0.4), ("B", 0.5), ("D", math.nan))),
        score("e", "A", 1.0, 4, "other"),
    ]
    means = with_means(Results(datasets={}, scores=scores)).means
    assert means
    one, other = means
    assert (one.metric, one.datasets) == ("m|n:4|v:1", ["d", "e"])
    assert list(one.systems) == ["B", "A"]
    assert one.systems == pytest.approx({"B": 0.7, "A": 0.3}, abs=1e-15)
    assert one.lacking == {"C": ["e"], "D": ["d"]}
    assert (other.systems, other.lacking) == ({}, {"A": ["d"]})


def test_one_data_set_has_no_mean() -> None:
    with pytest.raises(InputError, match="a mean needs scores on two data sets or more; there is d"):
        with_means(Results(datasets={}, scores=[score("d", "A", 1.0)]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("means")
    config = write_run(folder, 12, systems="AB", chosen=["gleu[iter=3]", "gleu[refs=max]"], datasets=("d", "e"))
    content = json.loads(config.read_text(encoding="utf-8"))
    content["systems"]["C"] = {"d": "d/source"}
    config.write_text(json.dumps(content), encoding="utf-8")
    run(config, folder / "without")
    content["output"] = {"mean": True, "formats": ["json", "csv", "markdown"]}
    config.write_text(json.dumps(content), encoding="utf-8")
    run(config, folder / "run")
    return folder


def test_results_have_means_only_where_they_are_asked_for(folder: Path) -> None:
    asked, plain = (json.loads((folder / name / "results.json").read_text("utf-8")) for name in ("run", "without"))
    for content in (asked, plain):
        jsonschema.validate(content, json.loads(results_schema()))
    means = asked.pop("means")
    assert asked == plain
    assert [re.findall("refs:[a-z]+", mean["metric"]) for mean in means] == [["refs:sample"], ["refs:max"]]
    for mean in means:
        by_hand: dict[str, list[float]] = {}
        for item in asked["scores"]:
            if item["metric"].replace("|nrefs:2", "") == mean["metric"]:
                by_hand.setdefault(item["system"], []).append(item["score"])
        assert mean["systems"] == pytest.approx({name: sum(by_hand[name]) / 2 for name in "AB"}, abs=1e-12)
        assert mean["lacking"] == {"C": ["e"]}
    read = Results.read(folder / "run" / "results.json")
    assert json.loads(read.to_json()) == {**asked, "means": means}
    assert with_means(replace(read, means=None)) == read


def test_every_form_has_the_means(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mean = json.loads((folder / "run" / "results.json").read_text("utf-8"))["means"][0]["systems"]
    best = f"{100 * max(mean.values()):.2f}"
    title = "mean over 2 data sets, each counts the same: gleu (refs:sample); C has no score on e"
    for command in (["show", "--mean"], ["rank", "--mean", "--test", "none", "--resamples", "50"]):
        code, out, _ = called(capsys, command[0], folder / "without", *command[1:])
        table = [re.split("  +", line.strip()) for line in out.split(f"{title}\n")[1].splitlines()[:4]]
        assert code == 0
        assert table[0] == ["rank", "system", "mean", "d", "e"]
        assert (table[1][0], table[1][2], table[3][:3]) == ("1", best, ["-", "C", "-"])
    for form in ("markdown", "latex", "html"):
        arguments = ("report", folder / "without", "--format", form, "--output", "-")
        said, plain = called(capsys, *arguments, "--mean")[1], called(capsys, *arguments)[1]
        assert "C has no score on e" in said
        assert best in said
        assert "C has no score on e" not in plain
    rows = list(csv.DictReader((folder / "run" / "means.csv").read_text("utf-8").splitlines()))
    assert {row["system"]: float(row["mean"]) for row in rows[:2]} == mean
    assert {row["datasets"] for row in rows} == {"2"}
    assert not (folder / "without" / "means.csv").exists()


def test_run_takes_mean_as_an_option(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = ("run", folder / "config.yaml", "--set", "output.mean=false", "-q", "--output", folder / "other")
    assert "mean over" not in called(capsys, *plain)[1]
    assert "mean over 2 data sets" in called(capsys, *plain[:2], "-q", "--output", folder / "other", "--mean")[1]


def test_a_part_has_its_own_means(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = called(capsys, "report", folder / "run", "--format", "json", "--system", "A", "C")[1]
    assert [set(mean["systems"]) | set(mean["lacking"]) for mean in json.loads(text)["means"]] == [{"A", "C"}] * 2
    text = called(capsys, "report", folder / "run", "--format", "json", "--dataset", "d")[1]
    assert "means" not in json.loads(text)


def test_what_cannot_be_averaged_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = called(capsys, "run", write_run(tmp_path, 9), "--mean", "--output", tmp_path / "run")
    assert (code, "warning: a mean needs scores on two data sets or more; there is d\n" in err) == (0, True)
    before = tree(tmp_path / "run")
    for command in (["show"], ["rank", "--resamples", "50", "--trials", "50"], ["report", "--format", "markdown"]):
        code, out, err = called(capsys, command[0], tmp_path / "run", *command[1:], "--mean")
        assert (code, out) == (2, "")
        assert "error: a mean needs scores on two data sets or more; there is d\n" in err
    assert tree(tmp_path / "run") == before
