"""`compare OLD NEW --fail-if-worse`: verdicts, exit codes, and the direction of metrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pipeline
from pipeline.cli import main
from tests.conftest import ROOT

REFERENCE = (
    (ROOT / "data" / "reference0.txt").read_text(encoding="utf-8").splitlines()
)


def spoilt(lines: list[str], count: int) -> list[str]:
    """Return lines of which the first are reversed, word by word."""
    return [
        " ".join(reversed(line.split())) if number < count else line
        for number, line in enumerate(lines)
    ]


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of two systems: `good` has the reference, `bad` 40 lines reversed, `slip` one line
    reversed.
    """
    monkeypatch.chdir(tmp_path)
    for run, count in {"good": 0, "bad": 40, "slip": 1}.items():
        for system, own in {
            "A": spoilt(REFERENCE, count),
            "B": spoilt(REFERENCE, 10),
        }.items():
            (tmp_path / f"{run}-{system}.txt").write_text(
                "\n".join(own) + "\n", encoding="utf-8"
            )
        config = {
            "datasets": {
                "d": {"references": [str(ROOT / "data" / "reference0.txt")]}
            },
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
        (
            "good",
            "slip",
            [],
            0,
            "same",
        ),  # p is 1 / 101 for one sentence, as in sacreBLEU; the interval has 0
        ("good", "slip", ["--margin", "0"], 1, "worse"),
        ("good", "bad", ["--margin", "100"], 0, "same"),
        ("good", "good", [], 0, "same"),
    ],
)
def test_the_first_run_is_the_old_one(
    old: str,
    new: str,
    more: list[str],
    code: int,
    verdict: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert (
        main(["compare", old, new, "--fail-if-worse", "--json", "-q", *more])
        == code
    )
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == verdict
    # the outputs of B are the same
    assert {item["system"] for item in told["comparisons"]} <= {"A"}
    for item in told["comparisons"]:
        better = (
            item["difference"] > 0
            if item["higher_is_better"]
            else item["difference"] < 0
        )
        assert better == (old == "bad")
        assert item["interval"][0] <= item["difference"] <= item["interval"][1]
        assert item["higher_is_better"] == item["metric"].startswith("chrf")


@pytest.mark.usefixtures("runs")
def test_a_sentence_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "compare",
                "good",
                "bad",
                "--fail-if-worse",
                "-q",
                "--metric",
                "ter",
            ]
        )
        == 1
    )
    printed = capsys.readouterr().out
    assert printed.startswith("d, TER: A is worse: 0.00 -> ")
    assert main(["compare", "good", "good", "--fail-if-worse", "-q"]) == 0
    assert (
        capsys.readouterr().out
        == "no system has other outputs in the two runs, so none is worse\n"
    )


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    "words", [["good", "--fail-if-worse"], ["good", "bad", "--margin", "1"]]
)
def test_what_does_not_fit_is_told(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *words]) == 2
    assert capsys.readouterr().err.startswith(
        "error: --fail-if-worse: takes two runs, OLD and NEW"
    )


def evaluate(folder: str, counts: dict[str, int]) -> None:
    """Run chrF of systems that have so many lines reversed."""
    for system, count in counts.items():
        Path(f"{folder}-{system}.txt").write_text(
            "\n".join(spoilt(REFERENCE, count)) + "\n", encoding="utf-8"
        )
    config = {
        "datasets": {
            "d": {"references": [str(ROOT / "data" / "reference0.txt")]}
        },
        "systems": {system: f"{folder}-{system}.txt" for system in counts},
        "metrics": ["chrf"],
        "statistics": {"resamples": 100, "trials": 200},
        "output": {"dir": folder},
    }
    pipeline.run(config)


def test_systems_without_a_common_name_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate("g1", {"base": 0, "large": 5})
    evaluate("g2", {"base-v2": 40, "large-v2": 5})
    capsys.readouterr()
    assert main(["compare", "g1", "g2", "--fail-if-worse", "-q", "--json"]) == 2
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert told["verdict"] == "error"
    assert told["message"] in err
    assert "g1 has base, large; g2 has base-v2, large-v2" in err
    assert (
        main(
            [
                "compare",
                "g1",
                "g2",
                "--fail-if-worse",
                "-q",
                "--system",
                "base",
                "base-v2",
            ]
        )
        == 1
    )
    assert capsys.readouterr().out.startswith(
        "d, chrF: base-v2 (before: base) is worse: "
    )


def test_systems_that_the_new_run_lacks_are_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate("g1", {"a": 10, "b": 20, "c": 0})
    evaluate("g2", {"a": 50, "b": 60})
    capsys.readouterr()
    assert main(["compare", "g1", "g2", "--fail-if-worse", "--json"]) == 1
    out, err = capsys.readouterr()
    assert "warning: g2: lacks c, which g1 has: not compared\n" in err
    told = json.loads(out)
    assert told["warnings"][0] == "g2: lacks c, which g1 has: not compared"
    assert [item["p_adjusted"] for item in told["comparisons"]] == [
        2 * item["p"] for item in told["comparisons"]
    ]


@pytest.mark.usefixtures("runs")
def test_a_margin_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "compare",
                "good",
                "bad",
                "--fail-if-worse",
                "-q",
                "--margin",
                "90",
            ]
        )
        == 0
    )
    assert (
        "d, TER: A is not worse by more than 90: 0.00 -> "
        in capsys.readouterr().out
    )
    assert (
        main(
            [
                "compare",
                "good",
                "bad",
                "--fail-if-worse",
                "-q",
                "--test",
                "none",
            ]
        )
        == 2
    )
