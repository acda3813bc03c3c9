"""Metrics of a run as judges: `gec-pipeline human RUN` ranks systems by the pairs of sentence
scores.
"""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import pipeline
from pipeline.extensions.human.judgments import is_judgments, read_judgments
from tests.config_files import write
from tests.extensions.functions.plugin_page import forgotten  # noqa: F401 (a fixture: one test brings a metric)
from tests.support.in_process import Call, run_command

CONFIG = """\
datasets: {d: {source: s, references: [r]}}
systems: {A: a, B: b, C: c}
metrics: [chrf, ter, {name: external, title: own, files: "{system}.num"}]
output: {dir: out}
"""
FILES: dict[str, str | bytes] = {
    "s": "a b c\nd e f\ng h i\nk l m\n",
    "r": "a b c\nd e x\ng h y\nk k m\n",
    "a": "a b c\nd e x\ng h i\nk l m\n",
    "b": "a b d\nd e x\ng h y\nk l m\n",
    "c": "a c d\nd e f\ng h y\nk k k\n",
    "A.num": "1\n2\n3\n4\n",
    "B.num": "1\n1\n3\n5\n",
    "C.num": "0\n3\n3\n1\n",
    "c.yaml": CONFIG,
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(FILES)
    run_command("run c.yaml -q")
    return tmp_path / "out"


def wins_of(
    run: Path, metric: str, sign: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Return how often each system has a better score than each other one, straight from the scores
    of sentences.
    """
    scores = {
        r.system: sign * r.sentences
        for r in pipeline.load(run)
        if r.signature.startswith(f"{metric}|")
    }
    wins = np.zeros((3, 3), np.int64)
    for (one, first), (two, second) in combinations(
        enumerate(scores[name] for name in "ABC"), 2
    ):
        wins[one, two], wins[two, one] = (
            (first > second).sum(),
            (second > first).sum(),
        )
    return wins


@pytest.mark.parametrize(
    ("metric", "sign"), [("chrf", 1), ("ter", -1), ("external", 1)]
)
def test_each_metric_judges_by_its_scores(
    run: Path, metric: str, sign: int
) -> None:
    """Of TER the lowest score is the best."""
    judged = read_judgments(run, judges=[metric])
    assert is_judgments(run)
    assert judged.systems == ("A", "B", "C")
    assert judged.segments == ("1", "2", "3", "4")
    assert (judged.wins() == wins_of(run, metric, sign)).all()
    assert judged.wins().sum() > 0


@pytest.mark.usefixtures("run")
def test_expected_wins_of_a_run(call: Call) -> None:
    """By hand, of the numbers: A beats B in one of two lines that are no ties, and C in two of
    three; so does B.
    """
    printed = call("human out --judge external --json").out
    scores = json.loads(printed)["expected_wins"]["scores"]
    assert scores == pytest.approx(
        {"A": (1 / 2 + 2 / 3) / 2, "B": (1 / 2 + 2 / 3) / 2, "C": 1 / 3},
        abs=1e-12,
    )


@pytest.mark.usefixtures("run")
def test_a_metric_agrees_with_itself_and_with_a_run_as_people(
    call: Call,
) -> None:
    config = CONFIG.replace("[chrf, ter, ", "[chrf] # ").replace(
        "{dir: out}", "{dir: two}"
    )
    write({"two.yaml": config})
    call("run two.yaml -q")
    printed = call("correlate two --human two --numbering 1 --json").out
    (row,) = json.loads(printed)["sentences"]
    assert row["coefficients"]["accuracy"]["value"] == 1


def test_sentences_without_a_score_are_judged_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        FILES
        | {
            "p.py": PLUGIN,
            "c.yaml": CONFIG.split("metrics:", maxsplit=1)[0]
            + "metrics: [some_lines]\noutput: {dir: out}\n",
        }
    )
    run_command("run c.yaml --plugin p.py -q")
    assert read_judgments(tmp_path / "out").segments == ("1", "2", "4")


PLUGIN = """\
import pipeline

@pipeline.metric(version="1", none="skip")
def some_lines(outputs):
    return [None if text == "g h i" else len(set(text)) / 10 for text in outputs]
"""
