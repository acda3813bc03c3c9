"""Scores of sentences from files and runs beside those of people: commands, configs, and what is
wrong in them.
"""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trueskill as package

import pipeline
from pipeline.errors import InputError
from pipeline.extensions.human.comparison import USUAL
from pipeline.extensions.human.score_files import means, read_sentence_scores
from pipeline.extensions.human.statistics import statistic_of
from pipeline.extensions.human.trueskill import skills
from tests.config_files import write
from tests.conftest import run, write_run
from tests.extensions.human.test_meta_evaluation import correlate
from tests.support.extensions import with_extension
from tests.support.in_process import Call
from tests.support.tables import table

SYSTEMS = "ABCD"
LINES = 12
RNG = np.random.default_rng(3)
PEOPLE = RNG.integers(0, 5, (4, LINES)).astype(float)
METRICS: dict[str, Any] = {
    "chrF": PEOPLE + RNG.normal(size=(4, LINES)).round(2),
    "COMET": PEOPLE * 2.0 + RNG.integers(0, 3, (4, LINES)).astype(float),
}


def written(name: str, scores: Any, order: str = SYSTEMS) -> None:
    """Write scores of sentences as mt-metrics-eval has them: system, tab, score."""
    rows = ""
    for system in order:
        for value in scores[SYSTEMS.index(system)]:
            rows += f"{system}\t{value}\n"
    write({f"{name}.seg.score": rows.replace("nan", "None")})


FILES = "chrF.seg.score COMET.seg.score --human mqm.seg.score"


@pytest.fixture(autouse=True)
def files(cwd: Path) -> Path:
    """The working directory with FILES."""
    written("mqm", PEOPLE, "CABD")
    for name, scores in METRICS.items():
        written(name, scores)
    return cwd


def test_files_of_sentence_scores(call: Call) -> None:
    human = correlate(call, f"{FILES} --permutations 50")
    usual = {str(statistic_of(text)) for text in USUAL}
    assert {one["statistic"] for one in human["statistics"]} == usual
    for one in human["statistics"]:
        statistic = statistic_of(one["statistic"])
        expected = statistic.value(PEOPLE, METRICS[one["metric"]])
        assert (one["value"], one["epsilon"]) == (
            expected.value,
            expected.epsilon,
        )
        assert (one["human"], one["groups"]) == ("mqm", expected.groups)
    tests = human["permutations"]
    assert [test["resamples"] for test in tests] == [50] * len(USUAL)
    assert all(test["delta"] >= 0 for test in tests)
    _, comet = human["correlations"]
    assert comet["metric"] == "COMET"
    expected = np.corrcoef(PEOPLE.mean(axis=1), METRICS["COMET"].mean(axis=1))
    assert comet["coefficients"]["pearson"]["value"] == pytest.approx(
        expected[0, 1], abs=1e-12
    )


def test_missing_scores_are_left_out_and_named(call: Call) -> None:
    human_data, metric = PEOPLE.copy(), METRICS["chrF"].copy()
    human_data[0, 3] = human_data[2, 5] = metric[1, 1] = np.nan
    written("m", metric)
    written("people", human_data)
    human = correlate(
        call,
        "m.seg.score --human people.seg.score --statistic pearson soft_accuracy",
    )
    pearson, soft = human["statistics"]
    present = ~np.isnan(human_data + metric)
    assert pearson["value"] == pytest.approx(
        np.corrcoef(human_data[present], metric[present])[0, 1], abs=1e-12
    )
    assert (pearson["scores"], soft["scores"]) == (45, 36)
    assert human["notes"] == [
        "2 of 48 outputs have no score by people, and are left out",
        "1 outputs with a score by people have none by m, and are left out for all metrics",
    ]


def test_a_constant_metric_has_a_reason(call: Call) -> None:
    written("same", np.ones((4, LINES)))
    human = correlate(
        call, f"same.seg.score {FILES} --statistic pearson --permutations 10"
    )
    same = human["statistics"][0]
    reason = "all scores of the metric are equal"
    assert (same["value"], same["reason"]) == (None, reason)
    assert human["permutations"][-1]["p"] is None
    note = f"same: pearson|average:none has no value: {reason}"
    assert note in human["notes"]


def test_what_a_file_of_sentence_scores_is(tmp_path: Path) -> None:
    def read(text: str) -> Any:
        (tmp_path / "x.txt").write_text(text)
        return read_sentence_scores(tmp_path / "x.txt")

    scores = read("system mqm da\nA 1 2\nB 3 4\nA 5 none\nB 7 NaN\n")
    assert list(scores) == ["mqm", "da"]
    assert means(scores["mqm"]) == {"A": 3.0, "B": 5.0}
    assert means(scores["da"]) == {"A": 2.0, "B": 4.0}
    assert scores["mqm"]["A"].tolist() == [1, 5]
    assert read("A 1\nB 2\n") is None  # one score each: of systems
    assert read("A 1\nB 2\nA 3\n") is None  # not equally often
    assert read("1\n2\n3\n") is None


def test_a_run_and_a_config(cwd: Path, call: Call) -> None:
    written("people", RNG.integers(0, 4, (3, 12)), "ABC")
    section = {
        "file": "people.seg.score",
        "statistics": ["acc_eq"],
        "permutations": 20,
        "aggregation": "trueskill",
    }
    config = write_run(cwd, 12, systems="ABC", human=section)
    human = run(config, "run").human
    assert human
    (one,) = human["statistics"]
    signature = "accuracy|average:item|epsilon:best"
    assert (one["statistic"], one["groups"]) == (signature, 12)
    assert human["settings"]["aggregation"] == "trueskill"
    formats = with_extension("page", "html")
    call("report run --output report --format csv", *formats)
    assert signature in Path("report/human.csv").read_text()
    if formats:
        page = Path("report/report.html").read_text(encoding="utf-8")
        assert "acc_eq" in page
    found = correlate(call, "run --human people.seg.score --statistic acc_eq")
    assert found["statistics"] == human["statistics"]
    assert "aggregation" not in found["settings"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    table("""
        chrF.seg.score short.seg.score --human mqm.seg.score     mqm.seg.score: has scores of 12 sentences of each system, the metrics have 3
        chrF.seg.score chrF.seg.score --human mqm.seg.score      two files have scores called
        systems.txt --human mqm.seg.score                        pearson|average:none compares scores of sentences, and systems has none; for
        systems.txt --human systems.txt --aggregation trueskill  aggregation: trueskill: systems has no scores of sentences
        one.seg.score --human mqm.seg.score                      mqm.seg.score: has 1 systems in common with the metrics, at least 3
    """),
)  # fmt: skip
def test_what_is_wrong_on_the_command_line(
    call: Call, arguments: str, message: str
) -> None:
    written("short", PEOPLE[:, :3])
    write(
        {
            "systems.txt": "A 1\nB 2\nC 3\nD 5\n",
            "one.seg.score": "A 1\nA 2\n" * 6,
        }
    )
    err = call(f"correlate {arguments}", code=2).err
    assert err.startswith(f"error: {message}")


def test_scores_in_memory(call: Call) -> None:
    statistics = ["acc_eq", "pearson[average=item]"]
    human = correlate(
        call,
        f"{FILES} --permutations 30 --seed 7 --statistic {' '.join(statistics)}",
    )
    found = pipeline.correlate(
        PEOPLE, METRICS, statistics, permutations=30, seed=7
    )
    for part in ("statistics", "permutations"):
        for one, of_command in zip(found[part], human[part], strict=True):
            names = {"dataset": one["dataset"], "human": one["human"]}
            assert one == of_command | names
    systems = PEOPLE.mean(axis=1, keepdims=True)
    alone = pipeline.correlate(
        systems, {"m": systems * 2}, "kendall[level=system]"
    )
    assert alone["statistics"][0]["value"] == pytest.approx(1.0)
    missing = pipeline.correlate([[1, None, 2]], {"m": [[3, 1, 4]]}, "pearson")
    assert missing["statistics"][0]["scores"] == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"human": [[1, 2], [1]]}, "human: expected rows of numbers, all of the same length"),
        ({"human": [1, 2]}, "human: expected a row of finite scores for each system, found the shape (2,)"),
        ({"metrics": {"m": [[1]]}}, "m: has 1 systems with 1 sentences, human has 1 systems with 2 sentences"),
        ({"metrics": {}}, "metrics: expected a mapping"),
        ({"statistics": "x"}, "statistics: no statistic is called 'x'"),
        ({"statistics": "pearson[level=system]"}, "pearson|level:system compares one score"),
        ({"permutations": -1}, "expected permutations from 0"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_memory(wrong: dict[str, Any], message: str) -> None:
    arguments: Any = {"human": [[1, 2]], "metrics": {"m": [[1, 2]]}, **wrong}
    with pytest.raises(InputError) as raised:
        pipeline.correlate(**arguments)
    assert str(raised.value).startswith(message)


def test_statistics_are_listed(call: Call) -> None:
    out = call("list statistics accuracy").out
    assert out.startswith("accuracy: the share of pairs that both order alike")
    assert "epsilon" in out


# TrueSkill of sentence scores, as gec-metrics has them


def package_skills(scores: Any, backend: str | None) -> Any:
    """Play the matches of gec-metrics' run_trueskill with the package trueskill: its order, its
    settings.
    """
    world = package.TrueSkill(
        mu=0.0,
        sigma=0.5,
        beta=0.25,
        tau=0.0,
        draw_probability=0.25,
        backend=backend,
    )
    players = [world.create_rating() for _ in scores]
    for line in scores.T.tolist():
        for one, two in combinations(range(len(players)), 2):
            ranks = (int(line[one] < line[two]), int(line[one] > line[two]))
            (players[one],), (players[two],) = world.rate(
                [(players[one],), (players[two],)], ranks=ranks
            )
    return np.array([player.mu for player in players])


def test_skills_are_those_of_the_package() -> None:
    scores: Any = RNG.integers(0, 6, (2, 5, 12)) / 5
    for ours, metric in zip(skills(scores), scores, strict=True):
        assert ours == pytest.approx(package_skills(metric, "scipy"), abs=1e-12)
        # its own erfc has seven digits
        assert ours == pytest.approx(package_skills(metric, None), abs=1e-6)
    assert skills(np.ones((1, 3, 9))).tolist() == [[0.0, 0.0, 0.0]]


def test_metrics_by_trueskill(call: Call) -> None:
    human = correlate(
        call, "chrF.seg.score --human mqm.seg.score --aggregation trueskill"
    )
    ours = skills(METRICS["chrF"][None])[0]
    (one,) = human["correlations"]
    expected = np.corrcoef(ours, PEOPLE.mean(axis=1))[0, 1]
    assert one["coefficients"]["pearson"]["value"] == pytest.approx(
        expected, abs=1e-12
    )
