"""`compare OLD NEW --fail-if-worse`: verdicts, exit codes, and the direction of metrics."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

import pipeline
from tests.conftest import ROOT, RunLine, refused, write_lines

REFERENCE = (ROOT / "data" / "reference0.txt").read_text("utf-8").splitlines()


def spoilt(lines: list[str], count: int) -> list[str]:
    """Return lines of which the first are reversed, word by word."""
    return [
        " ".join(reversed(line.split())) if number < count else line
        for number, line in enumerate(lines)
    ]


def evaluate(
    folder: str, counts: dict[str, int], metrics: str = "chrf"
) -> None:
    """Run systems that have so many lines of the reference reversed."""
    for system, count in counts.items():
        write_lines(Path(f"{folder}-{system}.txt"), spoilt(REFERENCE, count))
    pipeline.run(
        {
            "datasets": {
                "d": {"references": [str(ROOT / "data" / "reference0.txt")]}
            },
            "systems": {system: f"{folder}-{system}.txt" for system in counts},
            "metrics": metrics.split(),
            "statistics": {"resamples": 100, "trials": 100},
            "output": {"dir": folder},
        }
    )


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two systems: `good` has the reference, `bad` 40 lines reversed, `slip` one line
    reversed.
    """
    folder = tmp_path_factory.mktemp("gate")
    with contextlib.chdir(folder):
        for name, count in {"good": 0, "bad": 40, "slip": 1}.items():
            evaluate(name, {"A": count, "B": 10}, "chrf ter")
    return folder


@pytest.fixture
def runs(evaluated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs in the working directory."""
    monkeypatch.chdir(evaluated)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("old", "new", "more", "code", "verdict"),
    [
        ("good", "bad", "", 1, "worse"),
        ("bad", "good", "", 0, "better"),
        (
            "good",
            "slip",
            "",
            0,
            "same",
        ),  # p is 1 / 101 for one sentence, as in sacreBLEU; the interval has 0
        ("good", "slip", "--margin 0", 1, "worse"),
        ("good", "bad", "--margin 100", 0, "same"),
        ("good", "good", "", 0, "same"),
    ],
)
def test_the_first_run_is_the_old_one(
    old: str,
    new: str,
    more: str,
    code: int,
    verdict: str,
    run_line: RunLine,
) -> None:
    line = f"compare {old} {new} --fail-if-worse --json -q {more}"
    found, out, _ = run_line(line)
    assert found == code
    reported = json.loads(out)
    assert reported["verdict"] == verdict
    # the outputs of B are the same
    assert {item["system"] for item in reported["comparisons"]} <= {"A"}
    for item in reported["comparisons"]:
        better = (
            item["difference"] > 0
            if item["higher_is_better"]
            else item["difference"] < 0
        )
        assert better == (old == "bad")
        assert item["interval"][0] <= item["difference"] <= item["interval"][1]
        assert item["higher_is_better"] == item["metric"].startswith("chrf")


@pytest.mark.usefixtures("runs")
def test_a_sentence_says_it(run_line: RunLine) -> None:
    result = run_line("compare good bad --fail-if-worse -q --metric ter")
    assert result.code == 1
    assert result.out.startswith("d, TER: A is worse: 0.00 -> ")
    message = "no system has other outputs in the two runs, so none is worse\n"
    assert run_line("compare good good --fail-if-worse -q") == (0, message, "")


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    "words", ["good --fail-if-worse", "good bad --margin 1"]
)
def test_what_does_not_fit_is_told(words: str, run_line: RunLine) -> None:
    assert refused(run_line(f"compare {words}")).startswith(
        "error: --fail-if-worse: takes two runs, OLD and NEW"
    )


def test_systems_without_a_common_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_line: RunLine
) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate("g1", {"base": 0, "large": 5})
    evaluate("g2", {"base-v2": 40, "large-v2": 5})
    line = "compare g1 g2 --fail-if-worse -q"
    code, out, err = run_line(f"{line} --json")
    reported = json.loads(out)
    assert (code, reported["verdict"]) == (2, "error")
    assert reported["message"] in err
    assert "g1 has base, large; g2 has base-v2, large-v2" in err
    code, out, _ = run_line(f"{line} --system base base-v2")
    assert code == 1
    assert out.startswith("d, chrF: base-v2 (before: base) is worse: ")


def test_systems_that_the_new_run_lacks_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_line: RunLine
) -> None:
    monkeypatch.chdir(tmp_path)
    evaluate("g1", {"a": 10, "b": 20, "c": 0})
    evaluate("g2", {"a": 50, "b": 60})
    code, out, err = run_line("compare g1 g2 --fail-if-worse --json")
    assert code == 1
    assert "warning: g2: lacks c, which g1 has: not compared\n" in err
    reported = json.loads(out)
    assert reported["warnings"][0] == "g2: lacks c, which g1 has: not compared"
    assert [item["p_adjusted"] for item in reported["comparisons"]] == [
        2 * item["p"] for item in reported["comparisons"]
    ]


@pytest.mark.usefixtures("runs")
def test_a_margin_is_told(run_line: RunLine) -> None:
    line = "compare good bad --fail-if-worse -q"
    result = run_line(f"{line} --margin 90")
    assert result.code == 0
    assert "d, TER: A is not worse by more than 90: 0.00 -> " in result.out
    assert run_line(f"{line} --test none").code == 2
