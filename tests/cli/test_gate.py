"""`compare OLD NEW --fail-if-worse`: verdicts, exit codes, and the direction of metrics."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import pipeline
from pipeline.cli import main
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

REFERENCE = (ROOT / "data" / "reference0.txt").read_text(encoding="utf-8").splitlines()


def spoilt(lines: list[str], count: int) -> list[str]:
    """Return lines of which the first are reversed, word by word."""
    return [" ".join(reversed(line.split())) if number < count else line for number, line in enumerate(lines)]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of two systems: `good` has the reference, `bad` 40 lines reversed, `slip` one line reversed."""
    monkeypatch.chdir(tmp_path)
    for run, count in {"good": 0, "bad": 40, "slip": 1}.items():
        for system, own in {"A": spoilt(REFERENCE, count), "B": spoilt(REFERENCE, 10)}.items():
            (tmp_path / f"{run}-{system}.txt").write_text("\n".join(own) + "\n", encoding="utf-8")
        config = {
            "datasets": {"d": {"references": [str(ROOT / "data" / "reference0.txt")]}},
            "systems": {system: f"{run}-{system}.txt" for system in "AB"},
            "metrics": ["chrf", "ter"],
            "statistics": {"resamples": 100, "trials": 100},
            "output": {"dir": run},
        }
        pipeline.run(config)
    return tmp_path


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("old", "new", "more", "code", "verdict"),
    [
        ("good", "bad", [], 1, "worse"),
        ("bad", "good", [], 0, "better"),
        ("good", "slip", [], 0, "same"),  # p is 1 / 101 for one sentence, as in sacreBLEU; the interval has 0
        ("good", "slip", ["--margin", "0"], 1, "worse"),
        ("good", "bad", ["--margin", "100"], 0, "same"),
        ("good", "good", [], 0, "same"),
    ],
)
def test_the_first_run_is_the_old_one(
    old: str, new: str, more: list[str], code: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", old, new, "--fail-if-worse", "--json", "-q", *more]) == code
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == verdict
    assert {item["system"] for item in told["comparisons"]} <= {"A"}  # the outputs of B are the same
    for item in told["comparisons"]:
        better = item["difference"] > 0 if item["higher_is_better"] else item["difference"] < 0
        assert better == (old == "bad")
        assert item["interval"][0] <= item["difference"] <= item["interval"][1]
        assert item["higher_is_better"] == item["metric"].startswith("chrf")


@pytest.mark.usefixtures("runs")
def test_a_sentence_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "good", "bad", "--fail-if-worse", "-q", "--metric", "ter"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("d, ter: A is worse: 0.00 -> ")
    assert main(["compare", "good", "good", "--fail-if-worse", "-q"]) == 0
    assert capsys.readouterr().out == "no system has other outputs in the two runs, so none is worse\n"


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("words", [["good", "--fail-if-worse"], ["good", "bad", "--margin", "1"]])
def test_what_does_not_fit_is_told(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *words]) == 2
    assert capsys.readouterr().err.startswith("error: --fail-if-worse: takes two runs, OLD and NEW")
