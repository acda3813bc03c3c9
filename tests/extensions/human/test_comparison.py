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
from pipeline import stages
from pipeline.cli.dispatch import main
from pipeline.errors import InputError
from pipeline.extensions.human.comparison import USUAL
from pipeline.extensions.human.score_files import means, read_sentence_scores
from pipeline.extensions.human.statistics import statistic_of
from pipeline.extensions.human.trueskill import skills
from tests.conftest import write_run
from tests.extensions.human.test_meta_evaluation import correlate
from tests.support.extensions import with_extension

SYSTEMS = ("A", "B", "C", "D")
LINES = 12
RNG = np.random.default_rng(3)
PEOPLE = RNG.integers(0, 5, (4, LINES)).astype(float)
METRICS: dict[str, np.ndarray[Any, np.dtype[np.float64]]] = {
    "chrF": PEOPLE + RNG.normal(size=(4, LINES)).round(2),
    "COMET": PEOPLE * 2.0 + RNG.integers(0, 3, (4, LINES)).astype(float),
}


def written(path: Path, scores: Any, order: str = "ABCD") -> Path:
    """Write scores of sentences as mt-metrics-eval has them: system, tab, score."""
    rows = [
        f"{name}\t{value}\n"
        for name in order
        for value in scores[SYSTEMS.index(name)]
    ]
    path.write_text("".join(rows).replace("nan", "None"), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    human_data = written(tmp_path / "mqm.seg.score", PEOPLE, "CABD")
    return [
        human_data,
        *(
            written(tmp_path / f"{name}.seg.score", own)
            for name, own in METRICS.items()
        ),
    ]


def test_files_of_sentence_scores(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    human_data, *metrics = files
    human = correlate(
        capsys, *metrics, "--human", human_data, "--permutations", 50
    )
    assert {one["statistic"] for one in human["statistics"]} == {
        str(statistic_of(text)) for text in USUAL
    }
    for one in human["statistics"]:
        expected = statistic_of(one["statistic"]).value(
            PEOPLE, METRICS[one["metric"]]
        )
        assert (one["value"], one["epsilon"]) == (
            expected.value,
            expected.epsilon,
        )
        assert (one["human"], one["groups"]) == ("mqm", expected.groups)
    assert [test["resamples"] for test in human["permutations"]] == [50] * len(
        USUAL
    )
    assert all(test["delta"] >= 0 for test in human["permutations"])
    (of_systems,) = [
        one for one in human["correlations"] if one["metric"] == "COMET"
    ]
    expected = np.corrcoef(PEOPLE.mean(axis=1), METRICS["COMET"].mean(axis=1))[
        0, 1
    ]
    assert of_systems["coefficients"]["pearson"]["value"] == pytest.approx(
        expected, abs=1e-12
    )


def test_lacking_scores_are_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    human_data, metric = PEOPLE.copy(), METRICS["chrF"].copy()
    human_data[0, 3] = human_data[2, 5] = metric[1, 1] = np.nan
    paths = (
        written(tmp_path / "m.seg.score", metric),
        written(tmp_path / "people.seg.score", human_data),
    )
    human = correlate(
        capsys,
        paths[0],
        "--human",
        paths[1],
        "--statistic",
        "pearson",
        "soft_accuracy",
    )
    values = {
        one["statistic"].partition("|")[0]: one for one in human["statistics"]
    }
    kept = ~np.isnan(human_data + metric)
    assert values["pearson"]["value"] == pytest.approx(
        np.corrcoef(human_data[kept], metric[kept])[0, 1], abs=1e-12
    )
    assert (values["pearson"]["scores"], values["soft_accuracy"]["scores"]) == (
        45,
        36,
    )
    assert human["notes"] == [
        "2 of 48 outputs have no score by people, and are left out",
        "1 outputs with a score by people have none by m, and are left out for all metrics",
    ]


def test_a_constant_metric_has_a_reason(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    constant = written(files[0].parent / "same.seg.score", np.ones((4, LINES)))
    human = correlate(
        capsys,
        constant,
        files[1],
        "--human",
        files[0],
        "--statistic",
        "pearson",
        "--permutations",
        10,
    )
    same = next(one for one in human["statistics"] if one["metric"] == "same")
    assert (same["value"], same["reason"]) == (
        None,
        "all scores of the metric are equal",
    )
    assert human["permutations"][0]["p"] is None
    assert (
        "same: pearson|average:none has no value: all scores of the metric are equal"
        in human["notes"]
    )


def test_what_a_file_of_sentence_scores_is(tmp_path: Path) -> None:
    def read(text: str) -> Any:
        (tmp_path / "x.txt").write_text(text, encoding="utf-8")
        return read_sentence_scores(tmp_path / "x.txt")

    scores = read("system mqm da\nA 1 2\nB 3 4\nA 5 none\nB 7 NaN\n")
    assert {title: sorted(own) for title, own in scores.items()} == {
        "mqm": ["A", "B"],
        "da": ["A", "B"],
    }
    assert scores["mqm"]["A"].tolist() == [1, 5]
    assert means(scores["da"]) == {"A": 2.0, "B": 4.0}
    assert read("A 1\nB 2\n") is None  # one score each: of systems
    assert read("A 1\nB 2\nA 3\n") is None  # not equally often
    assert read("1\n2\n3\n") is None


def test_a_run_and_a_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"{name} {value}\n"
        for name in "ABC"
        for value in RNG.integers(0, 4, 12)
    ]
    (tmp_path / "people.seg.score").write_text("".join(rows), encoding="utf-8")
    section = {
        "file": "people.seg.score",
        "statistics": ["acc_eq"],
        "permutations": 20,
        "aggregation": "trueskill",
    }
    config = write_run(tmp_path, 12, systems=("A", "B", "C"), human=section)
    results = stages.run(stages.prepare(config), tmp_path / "run")[1]
    assert results.human
    (one,) = results.human["statistics"]
    assert (one["statistic"], one["groups"]) == (
        "accuracy|average:item|epsilon:best",
        12,
    )
    assert results.human["settings"]["aggregation"] == "trueskill"
    formats = ["csv", *with_extension("page", "html")]
    output = ["--output", str(tmp_path / "report")]
    main(["report", str(tmp_path / "run"), "--format", *formats, *output])
    assert "accuracy|average:item|epsilon:best" in (
        tmp_path / "report" / "human.csv"
    ).read_text(encoding="utf-8")
    if "html" in formats:
        page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
        assert "acc_eq" in page
    found = correlate(
        capsys,
        tmp_path / "run",
        "--human",
        tmp_path / "people.seg.score",
        "--statistic",
        "acc_eq",
    )
    assert found["statistics"] == results.human["statistics"]
    assert "aggregation" not in found["settings"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chrF.seg.score", "short.seg.score", "--human", "mqm.seg.score"], "error: mqm.seg.score: has scores of 12 sentences of each system, the metrics have 3"),
        (["chrF.seg.score", "chrF.seg.score", "--human", "mqm.seg.score"], "error: two files have scores called"),
        (["systems.txt", "--human", "mqm.seg.score"], "error: pearson|average:none compares scores of sentences, and systems has none; for"),
        (["systems.txt", "--human", "systems.txt", "--aggregation", "trueskill"], "error: aggregation: trueskill: systems has no scores of sentences"),
        (["one.seg.score", "--human", "mqm.seg.score"], "error: mqm.seg.score: has 1 systems in common with the metrics, at least 3"),
    ],
)  # fmt: skip
def test_what_is_wrong_on_the_command_line(
    files: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    folder = files[0].parent
    monkeypatch.chdir(folder)
    written(Path("short.seg.score"), PEOPLE[:, :3])
    Path("systems.txt").write_text("A 1\nB 2\nC 3\nD 5\n", encoding="utf-8")
    Path("one.seg.score").write_text("A 1\nA 2\n" * 6, encoding="utf-8")
    assert main(["correlate", *arguments]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_scores_in_memory(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    human_data, *metrics = files
    statistics = ["acc_eq", "pearson[average=item]"]
    arguments = ["--statistic", *statistics, "--permutations", 30, "--seed", 7]
    human = correlate(capsys, *metrics, "--human", human_data, *arguments)
    found = pipeline.correlate(
        PEOPLE, METRICS, statistics, permutations=30, seed=7
    )
    names = ("dataset", "human")
    for part in ("statistics", "permutations"):
        expected = [
            {key: own for key, own in one.items() if key not in names}
            for one in human[part]
        ]
        assert [
            {key: own for key, own in one.items() if key not in names}
            for one in found[part]
        ] == expected
    systems = PEOPLE.mean(axis=1, keepdims=True)
    alone = pipeline.correlate(
        systems, {"m": systems * 2}, "kendall[level=system]"
    )
    assert alone["statistics"][0]["value"] == pytest.approx(1.0)
    lacking = pipeline.correlate([[1, None, 2]], {"m": [[3, 1, 4]]}, "pearson")
    assert lacking["statistics"][0]["scores"] == 2


@pytest.mark.parametrize(
    ("human", "metrics", "more", "message"),
    [
        (
            [[1, 2], [1]],
            {"m": [[1, 2]]},
            {},
            "human: expected rows of numbers, all of the same length",
        ),
        (
            [1, 2],
            {"m": [[1, 2]]},
            {},
            "human: expected a row of finite scores for each system, found the shape (2,)",
        ),
        (
            [[1, 2]],
            {"m": [[1]]},
            {},
            "m: has 1 systems with 1 sentences, human has 1 systems with 2 sentences",
        ),
        ([[1, 2]], {}, {}, "metrics: expected a mapping"),
        (
            [[1, 2]],
            {"m": [[1, 2]]},
            {"statistics": "x"},
            "statistics: no statistic is called 'x'",
        ),
        (
            [[1, 2]],
            {"m": [[1, 2]]},
            {"statistics": "pearson[level=system]"},
            "pearson|level:system compares one score",
        ),
        (
            [[1, 2]],
            {"m": [[1, 2]]},
            {"permutations": -1},
            "expected permutations from 0",
        ),
    ],
)
def test_what_is_wrong_in_memory(
    human: Any, metrics: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as raised:
        pipeline.correlate(human, metrics, **more)
    assert str(raised.value).startswith(message)


def test_statistics_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "statistics", "accuracy"]) == 0
    out = capsys.readouterr().out
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
    scores: Any = RNG.integers(0, 6, (2, 7, 30)) / 5
    for own, metric in zip(skills(scores), scores, strict=True):
        assert own == pytest.approx(package_skills(metric, "scipy"), abs=1e-12)
        # its own erfc has seven digits
        assert own == pytest.approx(package_skills(metric, None), abs=1e-6)
    assert skills(np.ones((1, 3, 9))).tolist() == [[0.0, 0.0, 0.0]]


def test_metrics_by_trueskill(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    human = correlate(
        capsys, files[1], "--human", files[0], "--aggregation", "trueskill"
    )
    own = skills(METRICS["chrF"][None])[0]
    (one,) = human["correlations"]
    expected = np.corrcoef(own, PEOPLE.mean(axis=1))[0, 1]
    assert one["coefficients"]["pearson"]["value"] == pytest.approx(
        expected, abs=1e-12
    )
