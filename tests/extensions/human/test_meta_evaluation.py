"""Metrics against people from end to end: the commands, and the section `human`."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import stages
from pipeline.data.config import Overrides
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
from tests.config_files import write
from tests.conftest import ROOT, run, tree, write_run
from tests.extensions.human.test_human import item
from tests.support.in_process import Call
from tests.support.tables import table


def settings(**given: Any) -> HumanConfig:
    return HumanConfig.model_validate({"file": "x", **given})


def correlate(call: Call, line: str) -> dict[str, Any]:
    """Return what `correlate` prints as JSON."""
    found: dict[str, Any] = json.loads(call(f"correlate {line} --json").out)
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


def test_systems_missing_on_one_side_are_noted() -> None:
    human_data = HumanJudgements(
        "here", "", {"EW": {"A": 1.0, "B": 2.0, "C": 3.0, "X": 0.0}}
    )
    scores = {"A": 0.1, "B": 0.4, "C": 0.2, "Y": 1.0}
    metrics = [MetricScores("d", name, scores) for name in "mn"]
    found = meta_evaluate(metrics, human_data, settings(window=2))
    first = found.correlations[0]
    assert first.systems == ["A", "B", "C"]
    assert first.coefficients["spearman"].value == pytest.approx(0.5)
    assert found.notes == [
        "scored by people, no metric, and left out: X",
        "scored by a metric, no people, and left out: Y",
    ]
    assert (len(found.windows), len(found.tests)) == (4, 1)
    # three systems have no degree of freedom
    assert math.isnan(found.tests[0].p)
    message = "has 2 systems in common with the metrics, at least 3 are needed"
    with pytest.raises(InputError, match=message):
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
    ranked = [("A", 1), ("B", 2), ("C", 3), ("D", 4)]
    judged = build("here", [item("x", str(n), *ranked) for n in range(4)])
    scores = {name: 1.0 / rank for name, rank in ranked}
    of_lines = np.array([*scores.values()])[:, None].repeat(4, axis=1)
    metric = MetricScores("d", "m", scores, 4, lambda: of_lines)
    human_data = HumanJudgements("here", "", {}, judged)
    for without, left, pairs in (([], "ABCD", 24), (["D"], "ABC", 12)):
        (one,) = meta_evaluate(
            [metric], human_data, settings(without=without, numbering="0")
        ).sentences
        assert (one.systems, one.pairs) == ([*left], pairs)
        assert one.coefficients["accuracy"].value == 1.0


def test_two_data_sets_need_a_choice() -> None:
    scores = {"A": 1.0, "B": 2.0, "C": 4.0}
    metrics = [MetricScores(name, "m", scores) for name in ("one", "two")]
    human_data = HumanJudgements("", "", {"h": scores})
    with pytest.raises(InputError, match="which data set was judged"):
        meta_evaluate(metrics, human_data, settings())
    message = r"no data set is called 'tow' \(did you mean 'two'\?\)"
    with pytest.raises(InputError, match=message):
        meta_evaluate(metrics, human_data, settings(dataset="tow"))
    chosen = meta_evaluate(metrics, human_data, settings(dataset="two"))
    assert chosen.correlations[0].dataset == "two"


# The commands and the section


def test_the_sample_works_as_the_help_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(ROOT)
    out = call(
        "human data/judgements.csv --head-to-head --agreement --accuracy 20"
    ).out
    assert "   1  careful            0.942      1        1" in out
    run_dir = tmp_path / "run"
    printed = call(f"run configs/human.yaml --output {run_dir} -q").out
    title = "Williams' test: metric correlates higher than other"
    assert f"agreement with people: {title}" in printed
    found = correlate(call, f"{run_dir} --human data/judgements.csv --window 3")
    stored = Results.read(run_dir / "results.json").human
    assert stored
    for part in ("correlations", "sentences", "tests"):
        assert found[part] == stored[part]
    assert call(f"show {run_dir}").out == printed


def test_the_command_human_as_json(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command = "human data/judgements.csv --json --trueskill 3 --without broken"
    first = call(command).out
    assert call(command).out == first
    found = json.loads(first)
    assert found["systems"] == ["careful", "eager", "unchanged"]
    assert found["expected_wins"]["order"][0] == "careful"
    assert found["trueskill"]["clusters"]["careful"] == 1
    pairs = found["head_to_head"]
    careful = [pairs[key]["unchanged"]["careful"] for key in ("share", "p")]
    assert careful[0] > 0.5 > careful[1]
    assert set(found["judges"]) == {"judge1", "judge2"}


SCORES = "A 3\nB 1\nC 2\n"


def human_config(
    folder: Path,
    text: str = SCORES,
    chosen: Any = ("gleu[iter=20]",),
    **section: Any,
) -> Path:
    """Write a run of A, B and C whose judgements or human scores are a text."""
    (folder / "people.txt").write_text(text)
    human = {"file": "people.txt", **section}
    return write_run(folder, 12, systems="ABC", chosen=chosen, human=human)


def test_a_config_with_scores_of_systems(tmp_path: Path) -> None:
    config = human_config(tmp_path)
    results = run(config, tmp_path / "run")
    assert results.human
    (one,) = results.human["correlations"]
    assert (one["human"], one["systems"]) == ("people", ["A", "B", "C"])
    assert results.human["sentences"] == []
    scores = {score.system: score.score for score in results.scores}
    assert one["coefficients"]["pearson"]["value"] == pytest.approx(
        np.corrcoef([scores[n] for n in "ABC"], [3, 1, 2])[0, 1]
    )
    # only configs that ask for them have these keys
    later = {"statistics", "permutations", "aggregation"}
    assert not later & {*results.human, *results.human["settings"]}
    run(config, tmp_path / "again")
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


JUDGED = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank\nx,{0},A,1,B,2\nx,{1},B,1,C,2\n"
"""Judgements of two sentences."""


def test_references_scored_as_systems_are_no_systems_here(
    tmp_path: Path,
) -> None:
    results = run(
        human_config(
            tmp_path, JUDGED.format(0, 1), ["gleu[refs=leave_one_out,iter=5]"]
        ),
        tmp_path / "run",
    )
    assert "REFERENCE" in {score.system for score in results.scores}
    assert results.human
    for part in ("correlations", "sentences"):
        assert results.human[part][0]["systems"] == ["A", "B", "C"]
    assert results.human["sentences"][0]["pairs"] == 2
    assert not any("left out" in warning for warning in results.warnings)


def test_missing_outputs_of_a_data_set_cost_no_scores(tmp_path: Path) -> None:
    config = human_config(tmp_path, dataset="d")
    content = json.loads(config.read_text())
    content["datasets"]["e"] = content["datasets"]["d"]
    content["systems"] = {"A": "d/A", "B": "d/B", "C": {"e": "d/C"}}
    config.write_text(json.dumps(content))
    results = run(config, tmp_path / "run")
    assert results.human is None
    assert len(results.scores) == 2 + 3
    assert "nothing is correlated with people: " in " ".join(results.warnings)


def test_a_part_of_a_config_is_not_correlated(tmp_path: Path) -> None:
    job = stages.prepare(
        human_config(tmp_path), overrides=Overrides((), ("A",))
    )
    note = "nothing is correlated with people where --only chooses"
    assert note in job.warnings
    assert stages.run(job, tmp_path / "run")[1].human is None


def test_judgements_of_other_sentences_leave_the_systems(
    tmp_path: Path,
) -> None:
    config = human_config(tmp_path, JUDGED.format(99, 99))
    results = run(config, tmp_path / "run")
    assert results.human
    assert len(results.human["correlations"]) == 1
    assert results.human["sentences"] == []
    assert "nothing on sentences" in " ".join(results.warnings)


@pytest.mark.usefixtures("cwd")
@pytest.mark.parametrize(
    ("command", "message"),
    table("""
        human nothing.xml                                   nothing.xml: no such file
        human people.txt                                    people.txt:1: no column is called 'system1id'; found a 3
        human people.txt --level 2                          --level 2: expected a number between 0 and 1, such as 0.95
        human people.txt --trueskill 0                      --trueskill 0: input should be greater than or
        correlate people.txt --human nothing                nothing: no such file
        correlate people.txt --human people.txt --window x  --window x: expected a whole number
        correlate people.txt --human people.txt --metric x  --metric x: there is no such one; there are people
        correlate . --human people.txt                      .: has no results of a run
    """),
)  # fmt: skip
def test_bad_arguments(call: Call, command: str, message: str) -> None:
    write({"people.txt": SCORES})
    assert call(command, code=2).err.startswith(f"error: {message}")


@pytest.mark.usefixtures("cwd")
def test_files_of_scores_on_both_sides(call: Call) -> None:
    write({"metrics.csv": "system,m,n\nA,1,2\nB,2,1\nC,3,4\nD,5,3\n"})
    write({"people.txt": "system EW TS\nA 1 2\nB 2 1\nC 3 4\nD 4 3\n"})
    files = "metrics.csv --human people.txt"
    values = {}
    for one in correlate(call, files)["correlations"]:
        spearman = one["coefficients"]["spearman"]["value"]
        values[one["metric"] + one["human"]] = spearman
    expected = {"mEW": 1.0, "mTS": 0.6, "nEW": 0.6, "nTS": 1.0}
    assert values == pytest.approx(expected)
    assert "\x1b" not in call(f"correlate {files}").out
