"""Metrics against people from end to end: the commands, and the section `human`."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import stages
from pipeline.cli.dispatch import main
from pipeline.data.config.resolved import Overrides
from pipeline.errors import ConfigError, InputError
from pipeline.extensions.human.human_judgements import HumanJudgements
from pipeline.extensions.human.judgments import build
from pipeline.extensions.human.meta_evaluation import (
    lines_of_segments,
    meta_evaluate,
    sentence_pairs,
)
from pipeline.extensions.human.models import HumanConfig
from pipeline.extensions.human.score_files import MetricScores
from pipeline.scoring.results import Results
from tests.conftest import ROOT, tree, write_run
from tests.extensions.human.test_human import item


def settings(**given: Any) -> HumanConfig:
    return HumanConfig.model_validate({"file": "x", **given})


def correlate(
    capsys: pytest.CaptureFixture[str], *arguments: object
) -> dict[str, Any]:
    capsys.readouterr()
    assert (
        main(
            ["correlate", *(str(argument) for argument in arguments), "--json"]
        )
        == 0
    )
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


# Which line a judged sentence is


def numbered(*segments: str) -> Any:
    return build(
        "here", [item("x", number, ("A B", 1), ("C", 2)) for number in segments]
    )


def scored(lines: int, *same: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return scores of A, B, C: A and B are equal on the lines given."""
    scores = np.random.default_rng(1).random((3, lines))
    scores[1, list(same)] = scores[0, list(same)]
    return scores


@pytest.mark.parametrize(
    ("segments", "same", "numbering", "expected"),
    [
        (["2", "5"], [2, 5], "auto", [2, 5]),
        (["2", "5"], [1, 4], "auto", [1, 4]),
        (["0", "5"], [], "auto", [0, 5]),
        (["10", "2"], [], "auto", [1, 9]),
        (["2", "5"], [], "0", [2, 5]),
        (["2", "5"], [], "1", [1, 4]),
        (["2", "5"], [0, 1], "judged", [0, 1]),
    ],
)
def test_the_numbering_is_found(
    segments: list[str], same: list[int], numbering: str, expected: list[int]
) -> None:
    notes: list[str] = []
    found = lines_of_segments(
        numbered(*segments),
        ["A", "B", "C"],
        scored(10, *same),
        numbering,
        notes,
    )
    assert found.tolist() == expected
    assert bool(notes) == (not same)


@pytest.mark.parametrize(
    ("segments", "same", "message"),
    [
        (
            ["2", "5"],
            range(10),
            "does the first sentence have the number 0 or 1",
        ),
        (
            ["0", "10"],
            [],
            "has judgements of sentences 0 to 10, 2 of them; the data set has 10 lines",
        ),
        (["2", "d5"], [], "'d5' is no number of a sentence"),
        (["2", "٣"], [], "'٣' is no number of a sentence"),
    ],
)
def test_the_numbering_is_not_guessed(
    segments: list[str], same: list[int], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        lines_of_segments(
            numbered(*segments), ["A", "B", "C"], scored(10, *same), "auto", []
        )


def test_pairs_of_the_systems_that_are_left() -> None:
    judgments = build(
        "here",
        [
            item("x", "1", ("A", 2), ("B", 1), ("C", 2)),
            item("x", "2", ("C", 1), ("A", 2)),
        ],
    )
    untied, tied = sentence_pairs(judgments, ["A", "C"], np.array([4, 6]))
    assert [values.tolist() for values in untied] == [[1], [0], [6]]
    assert [values.tolist() for values in tied] == [[0], [1], [4]]


# Scores brought together


def test_systems_that_one_side_lacks_are_told() -> None:
    human_data = HumanJudgements(
        "here", "", {"EW": {"A": 1.0, "B": 2.0, "C": 3.0, "X": 0.0}}
    )
    metrics = [
        MetricScores("d", name, {"A": 0.1, "B": 0.4, "C": 0.2, "Y": 1.0})
        for name in ("m", "n")
    ]
    found = meta_evaluate(metrics, human_data, settings(window=2))
    assert found.correlations[0].systems == ["A", "B", "C"]
    assert found.correlations[0].coefficients[
        "spearman"
    ].value == pytest.approx(0.5)
    assert found.notes == [
        "scored by people, no metric, and left out: X",
        "scored by a metric, no people, and left out: Y",
    ]
    assert (len(found.windows), len(found.tests)) == (4, 1)
    # three systems have no degree of freedom
    assert math.isnan(found.tests[0].p)
    with pytest.raises(
        InputError,
        match="has 2 systems in common with the metrics, at least 3 are needed",
    ):
        meta_evaluate(metrics, human_data, settings(without=["A"]))


def test_the_better_metric_comes_first_in_tests() -> None:
    human = {name: float(number) for number, name in enumerate("ABCDEF")}
    good = dict(zip("ABCDEF", [0.1, 1.3, 1.9, 3.2, 3.9, 5.1], strict=True))
    bad = dict(zip("ABCDEF", [3.0, 0.0, 2.0, 1.0, 5.0, 2.5], strict=True))
    found = meta_evaluate(
        [MetricScores("d", "bad", bad), MetricScores("d", "good", good)],
        HumanJudgements("", "", {"h": human}),
        settings(),
    )
    (test,) = found.tests
    assert (test.metric, test.other) == ("good", "bad")
    assert test.t > 0
    assert test.p < 0.05


def test_systems_that_are_left_out_count_for_no_sentence() -> None:
    judged = build(
        "here",
        [
            item("x", str(n), ("A", 1), ("B", 2), ("C", 3), ("D", 4))
            for n in range(4)
        ],
    )
    scores = dict(zip("ABCD", (0.4, 0.3, 0.2, 0.1), strict=True))
    metric = MetricScores(
        "d",
        "m",
        scores,
        4,
        lambda: np.array(list(scores.values()))[:, None].repeat(4, axis=1),
    )
    human_data = HumanJudgements("here", "", {}, judged)
    for without, pairs in (([], 24), (["D"], 12)):
        (one,) = meta_evaluate(
            [metric], human_data, settings(without=without, numbering="0")
        ).sentences
        assert (one.systems, one.pairs) == (
            [name for name in "ABCD" if name not in without],
            pairs,
        )
        assert one.coefficients["accuracy"].value == 1.0


def test_two_data_sets_need_a_choice() -> None:
    metrics = [
        MetricScores(name, "m", {"A": 1.0, "B": 2.0, "C": 4.0})
        for name in ("one", "two")
    ]
    human_data = HumanJudgements("", "", {"h": {"A": 1.0, "B": 2.0, "C": 3.0}})
    with pytest.raises(InputError, match="which data set was judged"):
        meta_evaluate(metrics, human_data, settings())
    with pytest.raises(
        InputError,
        match=r"no data set is called 'tow' \(did you mean 'two'\?\)",
    ):
        meta_evaluate(metrics, human_data, settings(dataset="tow"))
    assert (
        meta_evaluate(metrics, human_data, settings(dataset="two"))
        .correlations[0]
        .dataset
        == "two"
    )


# The commands and the section


def test_the_sample_works_as_the_help_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    assert (
        main(
            [
                "human",
                "data/judgements.csv",
                "--head-to-head",
                "--agreement",
                "--accuracy",
                "20",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "   1  careful            0.942      1        1" in out
    assert (
        main(
            [
                "run",
                "configs/human.yaml",
                "--output",
                str(tmp_path / "run"),
                "-q",
            ]
        )
        == 0
    )
    printed = capsys.readouterr().out
    assert (
        "agreement with people: Williams' test: metric correlates higher than other"
        in printed
    )
    found = correlate(
        capsys,
        tmp_path / "run",
        "--human",
        "data/judgements.csv",
        "--window",
        "3",
    )
    stored = Results.read(tmp_path / "run" / "results.json").human
    assert stored
    assert found["correlations"] == stored["correlations"]
    assert found["sentences"] == stored["sentences"]
    assert found["tests"] == stored["tests"]
    assert main(["show", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out == printed


def test_the_command_human_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    arguments = [
        "human",
        "data/judgements.csv",
        "--json",
        "--trueskill",
        "3",
        "--without",
        "broken",
    ]
    assert main(arguments) == 0
    first = capsys.readouterr().out
    assert main(arguments) == 0
    assert capsys.readouterr().out == first
    found = json.loads(first)
    assert found["systems"] == ["careful", "eager", "unchanged"]
    assert found["expected_wins"]["order"][0] == "careful"
    assert found["trueskill"]["clusters"]["careful"] == 1
    careful = {
        key: found["head_to_head"][key]["unchanged"]["careful"]
        for key in ("share", "p")
    }
    assert careful["share"] > 0.5 > careful["p"]
    assert set(found["judges"]) == {"judge1", "judge2"}


SCORES = "A 3\nB 1\nC 2\n"


def human_config(folder: Path, text: str = SCORES, **section: Any) -> Path:
    (folder / "people.txt").write_text(text, encoding="utf-8")
    return write_run(
        folder,
        12,
        systems=("A", "B", "C"),
        human={"file": "people.txt", **section},
    )


def test_a_config_with_scores_of_systems(tmp_path: Path) -> None:
    config = human_config(tmp_path)
    results = stages.run(stages.prepare(config), tmp_path / "run")[1]
    assert results.human
    (one,) = results.human["correlations"]
    assert (one["human"], one["systems"], results.human["sentences"]) == (
        "people",
        ["A", "B", "C"],
        [],
    )
    scores = {score.system: score.score for score in results.scores}
    assert one["coefficients"]["pearson"]["value"] == pytest.approx(
        np.corrcoef([scores[n] for n in "ABC"], [3, 1, 2])[0, 1]
    )
    later = {"statistics", "permutations", "aggregation"}
    # only configs that ask have these keys
    assert not later & {*results.human, *results.human["settings"]}
    stages.run(stages.prepare(config), tmp_path / "again")
    assert tree(tmp_path / "run") == tree(tmp_path / "again")
    assert Results.read(tmp_path / "run" / "results.json") == replace(
        results, human=json.loads(results.to_json())["human"]
    )


@pytest.mark.parametrize(
    ("text", "section", "message"),
    [
        ("A 3\nB 1\n", {}, "human: PEOPLE: has 2 systems in common with the metrics, at least 3 are needed"),
        ("A 3\nB x\n", {}, "PEOPLE:2: expected a score, a number, found 'x'"),
        (SCORES, {"scores": ["trueskill"]}, "PEOPLE: holds scores, no judgements: scores would have no effect"),
        (SCORES, {"without": ["a"]}, "PEOPLE: without: has no system 'a' (did you mean 'A'?); it has A, B, C"),
        (SCORES, {"dataset": "e"}, "human: human: no data set is called 'e'; there are d"),
        (SCORES, {"file": "nothing.xml"}, "nothing.xml: no such file"),
        (SCORES, {"statistics": ["kendal"]}, "statistics: no statistic is called 'kendal' (did you mean 'kendall'?)"),
        (SCORES, {"statistics": ["pearson"]}, "pearson|average:none compares scores of sentences, and PEOPLE has none; for scores of systems say pearson[level=system]"),
        (SCORES, {"statistics": ["kendall[level=system]"] * 2}, "statistics: kendall|level:system is asked for twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_before_anything_is_counted(
    tmp_path: Path, text: str, section: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        stages.prepare(human_config(tmp_path, text, **section))
    assert message in str(caught.value).replace(
        str(tmp_path / "people.txt"), "PEOPLE"
    )


def test_references_scored_as_systems_are_no_systems_here(
    tmp_path: Path,
) -> None:
    text = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank\nx,0,A,1,B,2\nx,1,B,1,C,2\n"
    (tmp_path / "people.txt").write_text(text, encoding="utf-8")
    human, metric = {"file": "people.txt"}, "gleu[refs=leave_one_out,iter=5]"
    config = write_run(
        tmp_path, 12, systems=("A", "B", "C"), chosen=(metric,), human=human
    )
    results = stages.run(stages.prepare(config), tmp_path / "run")[1]
    assert "REFERENCE" in {score.system for score in results.scores}
    assert results.human
    assert results.human["correlations"][0]["systems"] == ["A", "B", "C"]
    assert (
        results.human["sentences"][0]["systems"],
        results.human["sentences"][0]["pairs"],
    ) == (
        ["A", "B", "C"],
        2,
    )
    assert not [
        warning for warning in results.warnings if "left out" in warning
    ]


def test_outputs_that_a_data_set_lacks_cost_no_scores(tmp_path: Path) -> None:
    config = human_config(tmp_path, dataset="d")
    content = json.loads(config.read_text(encoding="utf-8"))
    content["datasets"]["e"] = content["datasets"]["d"]
    content["systems"] = {"A": "d/A", "B": "d/B", "C": {"e": "d/C"}}
    config.write_text(json.dumps(content), encoding="utf-8")
    results = stages.run(stages.prepare(config), tmp_path / "run")[1]
    assert results.human is None
    assert len(results.scores) == 2 + 3
    assert any(
        "nothing is correlated with people: " in warning
        for warning in results.warnings
    )


def test_a_part_of_a_config_is_not_correlated(tmp_path: Path) -> None:
    job = stages.prepare(
        human_config(tmp_path), overrides=Overrides((), ("A",))
    )
    assert (
        "nothing is correlated with people where --only chooses" in job.warnings
    )
    assert stages.run(job, tmp_path / "run")[1].human is None


def test_judgements_of_other_sentences_leave_the_systems(
    tmp_path: Path,
) -> None:
    text = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank\nx,99,A,1,B,2\nx,99,B,1,C,2\n"
    results = stages.run(
        stages.prepare(human_config(tmp_path, text)), tmp_path / "run"
    )[1]
    assert results.human
    assert (len(results.human["correlations"]), results.human["sentences"]) == (
        1,
        [],
    )
    assert any(
        "nothing on sentences" in warning for warning in results.warnings
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["human", "nothing.xml"], "error: nothing.xml: no such file"),
        (["human", "people.txt"], "error: people.txt:1: no column is called 'system1id'; found a 3"),
        (["human", "people.txt", "--level", "2"], "error: --level 2: expected a number between 0 and 1, such as 0.95"),
        (["human", "people.txt", "--trueskill", "0"], "error: --trueskill 0: input should be greater than or"),
        (["correlate", "people.txt", "--human", "nothing"], "error: nothing: no such file"),
        (["correlate", "people.txt", "--human", "people.txt", "--window", "x"], "error: --window x: expected a whole number"),
        (["correlate", "people.txt", "--human", "people.txt", "--metric", "x"], "error: --metric x: there is no such one; there are people"),
        (["correlate", ".", "--human", "people.txt"], "error: .: has no results of a run"),
    ],
)  # fmt: skip
def test_bad_arguments(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.txt").write_text(SCORES, encoding="utf-8")
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(message)


def test_files_of_scores_on_both_sides(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("metrics.csv").write_text(
        "system,m,n\nA,1,2\nB,2,1\nC,3,4\nD,5,3\n", encoding="utf-8"
    )
    Path("people.txt").write_text(
        "system EW TS\nA 1 2\nB 2 1\nC 3 4\nD 4 3\n", encoding="utf-8"
    )
    found = correlate(capsys, "metrics.csv", "--human", "people.txt")
    values = {
        (one["metric"], one["human"]): one["coefficients"]["spearman"]["value"]
        for one in found["correlations"]
    }
    assert values == pytest.approx(
        {("m", "EW"): 1.0, ("m", "TS"): 0.6, ("n", "EW"): 0.6, ("n", "TS"): 1.0}
    )
    assert main(["correlate", "metrics.csv", "--human", "people.txt"]) == 0
    assert "\x1b" not in capsys.readouterr().out
