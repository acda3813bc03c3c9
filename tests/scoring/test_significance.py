"""The section `statistics`, and the commands compare and rank: what they compute, keep, print and
refuse.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline import stages
from pipeline.cli.commands.schema import json_schema
from pipeline.cli.dispatch import main
from pipeline.data.config import StatisticsConfig
from pipeline.errors import ConfigError, InputError, StoreError
from pipeline.report.tables import shown_p
from pipeline.report.tables.comparisons import signed
from pipeline.scoring import stored_runs
from pipeline.scoring.resampling import significance
from pipeline.scoring.resampling.significance import analyse
from pipeline.scoring.results import Results
from pipeline.scoring.significance_tests import (
    SIGNIFICANCE_TESTS,
    PairedScores,
    SignificanceTest,
)
from tests.conftest import (
    Hears,
    RunLine,
    read_json,
    refused,
    run,
    write_config,
    write_json,
    write_run,
)
from tests.oracles import naive_statistics as oracle

LINES = 30
FEW = {"resamples": "50", "trials": "60"}


def made(
    folder: Path,
    chosen: Sequence[Any] = ("google_gleu",),
    systems: str = "ABC",
    **statistics: str,
) -> Results:
    """Run a random corpus with statistics into folder/run."""
    config = write_run(
        folder,
        LINES,
        systems=systems,
        chosen=chosen,
        statistics={**FEW, **statistics},
    )
    return run(config, folder / "run")


def said(
    capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    capsys.readouterr()
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else -1
    return code, *capsys.readouterr()


def test_the_progress_of_all_metrics_is_one_whole(tmp_path: Path) -> None:
    """50 samples and 60 trials for each of two metrics and two data sets."""
    reported: list[tuple[int, int]] = []
    config = write_run(
        tmp_path,
        9,
        datasets=("d", "e"),
        chosen=["google_gleu", "bleu"],
        statistics=FEW,
    )
    run(
        config,
        tmp_path / "run",
        listener=Hears(
            testing=lambda done, complete: reported.append((done, complete))
        ),
    )
    assert {complete for _, complete in reported} == {4 * (50 + 60)}
    assert [done for done, _ in reported] == sorted(
        {done for done, _ in reported}
    )
    assert reported[-1] == (440, 440)


# ---- a run with statistics


def test_without_the_section_nothing_more_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(significance, "with_statistics", None)
    results = run(write_run(tmp_path, LINES), tmp_path / "run")
    assert (results.statistics, results.tests) == (None, [])
    assert {score.bootstrap for score in results.scores} == {None}
    assert not (tmp_path / "run" / "tests.csv").exists()


def test_an_empty_section_takes_the_defaults(tmp_path: Path) -> None:
    job = stages.prepare(write_run(tmp_path, LINES, statistics={}))
    assert job.config.parsed.statistics == StatisticsConfig()
    assert StatisticsConfig().model_dump() == {
        "baseline": None,
        "test": "approximate_randomization",
        "correction": "holm",
        "level": 0.95,
        "resamples": 1000,
        "trials": 10_000,
        "seed": 12345,
        "outputs": "score",  # which results.json leaves out
    }


def test_a_run_of_an_earlier_version_with_reselected_annotators_can_be_compared(
    tmp_path: Path, run_line: RunLine
) -> None:
    made(tmp_path)
    path = tmp_path / "run" / "results.json"
    content = read_json(path)
    content["statistics"]["annotators"] = "reselected"
    write_json(path, content)
    code, out, _ = run_line(f"show {tmp_path}/run")
    assert (code, "annotators chosen anew in each" in out) == (0, True)
    code, out, _ = run_line(f"compare {tmp_path}/run")
    assert (code, "anew" in out) == (0, False)
    assert pipeline.compare(tmp_path / "run")


@pytest.mark.parametrize("test", SIGNIFICANCE_TESTS)
def test_all_pairs_are_compared_and_corrected_together(
    tmp_path: Path, test: str
) -> None:
    more = (
        {} if SIGNIFICANCE_TESTS[test].samples == "trials" else {"trials": ""}
    )
    config = {**FEW, "test": test} | more
    path = write_run(
        tmp_path,
        LINES,
        systems="ABC",
        chosen=["google_gleu", "green"],
        statistics={k: v for k, v in config.items() if v},
    )
    results = run(path, tmp_path / "run")
    names = [(t.system, t.other) for t in results.tests]
    assert names == list(combinations("ABC", 2)) * 2
    for metric in {t.metric for t in results.tests}:
        values = [t for t in results.tests if t.metric == metric]
        assert [t.p_adjusted for t in values] == pytest.approx(
            oracle.holm([t.p for t in values])
        )
        scores = {s.system: s for s in results.scores if s.metric == metric}
        for t in values:
            assert (
                t.difference == scores[t.system].score - scores[t.other].score
            )
            assert t.wins + t.losses + t.ties == LINES
            assert 0 <= t.better <= 1
            assert t.interval[0] <= t.interval[1]
            assert 0 < t.p <= t.p_adjusted <= 1


def test_with_a_baseline_each_system_is_compared_with_it(
    tmp_path: Path,
) -> None:
    results = made(tmp_path, baseline="B", correction="bonferroni")
    assert [(t.system, t.other) for t in results.tests] == [
        ("A", "B"),
        ("C", "B"),
    ]
    assert [t.p_adjusted for t in results.tests] == [
        min(1, 2 * t.p) for t in results.tests
    ]


def test_turning_a_pair_turns_the_signs(tmp_path: Path) -> None:
    one, two = (made(tmp_path / name, baseline=name).tests for name in "AB")
    (first,) = [t for t in one if t.system == "B"]
    (second,) = [t for t in two if t.system == "A"]
    assert second.difference == -first.difference
    assert second.interval == (-first.interval[1], -first.interval[0])
    assert (second.wins, second.losses, second.ties) == (
        first.losses,
        first.wins,
        first.ties,
    )
    assert second.better == 1 - first.better
    assert second.cohen_d == -first.cohen_d
    assert second.p == first.p


@pytest.mark.parametrize("test", SIGNIFICANCE_TESTS)
@pytest.mark.parametrize(
    "metric",
    [
        "gleu[iter=20]",
        "gleu[level=mean]",
        "green",
        "gleu[refs=leave_one_out,iter=5]",
    ],
)
def test_systems_equal_on_every_sentence_have_p_1(
    tmp_path: Path, metric: str, test: str
) -> None:
    """Where sacreBLEU has 1 / (trials + 1); and they share rank range and cluster."""
    write_run(tmp_path, LINES, systems="AB", references=3)
    shutil.copy(tmp_path / "d" / "A", tmp_path / "d" / "C")
    config = write_config(
        tmp_path / "c.yaml",
        references=3,
        systems="ABC",
        chosen=[metric],
        statistics={"resamples": "50", "test": test},
    )
    results = run(config, tmp_path / "run")
    found = {(t.system, t.other): t for t in results.tests}
    assert (
        found["A", "C"].p,
        found["A", "C"].difference,
        found["A", "C"].better,
    ) == (
        1,
        0,
        0.5,
    )
    assert (found["A", "C"].cohen_d, found["A", "C"].ties) == (0, LINES)
    assert found["A", "B"].p < 1 or not SIGNIFICANCE_TESTS[test].compares_scores
    scores = {score.system: score.bootstrap for score in results.scores}
    assert scores["A"] == scores["C"]


def test_the_seed_is_told_and_another_gives_other_samples(
    tmp_path: Path,
) -> None:
    one, two, three = (
        made(tmp_path / str(n), seed=seed)
        for n, seed in enumerate(("1", "1", "2"))
    )
    assert one.to_json() == two.to_json()
    assert one.statistics
    assert one.statistics["seed"] == 1
    assert one.scores[0].bootstrap != three.scores[0].bootstrap


def test_references_as_systems_have_intervals_and_ranks_but_no_tests(
    tmp_path: Path,
) -> None:
    config = write_run(
        tmp_path,
        LINES,
        references=3,
        chosen=["gleu[refs=leave_one_out,iter=5]", "gleu[iter=5]"],
        statistics=FEW,
    )
    results = run(config, tmp_path / "run")
    names = ["A", "B", "reference0", "reference1", "reference2", "REFERENCE"]
    assert [s.system for s in results.scores] == [*names, "A", "B"]
    assert all(s.bootstrap for s in results.scores)
    assert [(t.system, t.other) for t in results.tests] == [("A", "B")] * 2
    human = next(s for s in results.scores if s.system == "REFERENCE")
    values = [s.bootstrap for s in results.scores if s.system in names[2:5]]
    assert human.bootstrap
    assert human.bootstrap.mean == pytest.approx(
        sum(b.mean for b in values if b) / 3
    )


def test_one_system_and_one_line(tmp_path: Path) -> None:
    results = run(
        write_run(tmp_path, 1, systems="A", statistics=FEW), tmp_path / "run"
    )
    assert results.tests == []
    (score,) = results.scores
    assert score.bootstrap
    assert score.bootstrap.ranks == (1, 1)
    config = write_run(
        tmp_path / "2",
        1,
        systems="AB",
        chosen=["gleu", "green", "gleu[level=mean]"],
        statistics=FEW,
    )
    assert all(0 < t.p <= 1 for t in run(config, tmp_path / "run2").tests)


def test_one_sample(tmp_path: Path) -> None:
    results = made(tmp_path, resamples="1", trials="1")
    assert all(s.bootstrap and s.bootstrap.std == 0 for s in results.scores)
    assert {t.p for t in results.tests} <= {0.5, 1.0}


def test_a_data_set_without_the_baseline_is_told(tmp_path: Path) -> None:
    config = write_run(
        tmp_path,
        LINES,
        datasets=("d", "e"),
        systems="AB",
        statistics={**FEW, "baseline": "B"},
    )
    content = read_json(config)
    content["systems"]["B"] = {"d": "d/B"}
    write_json(config, content)
    results = run(config, tmp_path / "run")
    assert (
        "e: has no output of the baseline, B: nothing is compared there"
        in results.warnings
    )
    assert [t.dataset for t in results.tests] == ["d"]


@pytest.mark.parametrize(
    ("section", "said_"),
    [
        (
            {"baseline": "a"},
            "statistics.baseline: no system is called 'a' (did you mean 'A'?)",
        ),
        (
            {"test": "t"},
            "statistics.test: expected one of approximate_randomization, paired_bootstrap, sign, none",
        ),
        (
            {"level": "95"},
            "statistics.level: expected a number between 0 and 1, such as 0.95",
        ),
        (
            {"level": "0.0"},
            "statistics.level: expected a number between 0 and 1",
        ),
        (
            {"resamples": "0"},
            "statistics.resamples: input should be greater than or equal to 1, found '0'",
        ),
        (
            {"resample": "9"},
            "statistics.resample: unknown key (did you mean 'resamples'?)",
        ),
        (
            {"test": "sign", "trials": "9"},
            "statistics.trials: has no effect with `test: sign`",
        ),
        (
            {"test": "none", "baseline": "A"},
            "statistics.baseline: has no effect with `test: none`",
        ),
        (
            {"seed": "-1"},
            "statistics.seed: input should be greater than or equal to 0",
        ),
    ],
)
def test_wrong_settings_are_told(
    tmp_path: Path, section: dict[str, str], said_: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        stages.prepare(write_run(tmp_path, 3, statistics=section))
    assert said_ in str(caught.value)


# ---- the table of tests


@pytest.mark.parametrize("name", SIGNIFICANCE_TESTS)
def test_a_significance_test_names_itself(name: str) -> None:
    test = SIGNIFICANCE_TESTS[name]
    settings = StatisticsConfig().model_dump()
    assert test.summary == test.summary.strip(" .")
    assert (test.label or name.replace("_", " ")) in test.printed_settings(
        name, settings
    )
    assert bool(test.printed_samples(settings)) == bool(test.samples)


def test_a_test_in_the_table_is_in_the_config_the_tables_and_the_commands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_line: RunLine,
) -> None:
    def p_values(systems: PairedScores) -> list[float]:
        return [0.001 for _ in systems.pairs]

    test = SignificanceTest(
        summary="always significant",
        p_values=p_values,
        samples="trials",
    )
    monkeypatch.setitem(SIGNIFICANCE_TESTS, "always", test)
    results = made(tmp_path, test="always", correction="none")
    assert {comparison.p for comparison in results.tests} == {0.001}
    run_directory = tmp_path / "run"
    code, out, _ = run_line(f"show {run_directory}")
    assert (code, "always (60 trials)" in out) == (0, True)
    code, out, _ = run_line(f"compare {run_directory} --test always")
    assert (code, "always (60 trials)" in out) == (0, True)
    assert SIGNIFICANCE_TESTS.values_of_setting()[-2:] == ["always", "none"]
    enum = json.loads(json_schema())["$defs"]["StatisticsConfig"]["properties"][
        "test"
    ]["enum"]
    assert enum == SIGNIFICANCE_TESTS.values_of_setting()


def test_an_unknown_test_is_a_problem_with_the_nearest_name(
    tmp_path: Path,
) -> None:
    with pytest.raises(
        ConfigError, match="'sing' \\(did you mean 'sign'\\?\\)"
    ):
        stages.prepare(write_run(tmp_path, 3, statistics={"test": "sing"}))
    run(write_run(tmp_path, 3, systems="AB"), tmp_path / "run")
    with pytest.raises(
        InputError, match=r"test: expected one of .*, found 'sing'"
    ):
        pipeline.compare(tmp_path / "run", test="sing")


# ---- tables and CSV


def test_csv_has_intervals_and_tests(tmp_path: Path) -> None:
    results = made(tmp_path)
    with (tmp_path / "run" / "scores.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        rows = list(csv.reader(file))
    values = {row[3]: row[4] for row in rows if row[1] == "A"}
    found = results.scores[0].bootstrap
    assert found
    assert [
        float(values[name]) for name in ("interval_low", "interval_high")
    ] == list(found.interval)
    assert [
        int(values[name]) for name in ("rank_best", "rank_worst", "cluster")
    ] == [
        *found.ranks,
        found.cluster,
    ]
    assert [
        float(values[name]) for name in ("bootstrap_mean", "bootstrap_std")
    ] == [
        found.mean,
        found.std,
    ]
    with (tmp_path / "run" / "tests.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        tests = list(csv.DictReader(file))
    assert [(row["system"], row["other"]) for row in tests] == list(
        combinations("ABC", 2)
    )
    assert [float(row["p_adjusted"]) for row in tests] == [
        t.p_adjusted for t in results.tests
    ]


def test_tests_that_are_asked_for_no_more_are_deleted(tmp_path: Path) -> None:
    made(tmp_path)
    assert (tmp_path / "run" / "tests.csv").exists()
    run(
        write_run(tmp_path, LINES, systems="ABC", chosen=["google_gleu"]),
        tmp_path / "run",
    )
    assert not (tmp_path / "run" / "tests.csv").exists()


def test_the_ranked_table_with_a_baseline(
    tmp_path: Path, run_line: RunLine
) -> None:
    write_run(tmp_path, LINES)
    (tmp_path / "d" / "bad").write_text("x\n" * LINES, "utf-8")
    shutil.copy(tmp_path / "d" / "ref0", tmp_path / "d" / "good")
    config = write_config(
        tmp_path / "c.yaml",
        systems=["bad", "good", "A"],
        chosen=["google_gleu"],
        statistics={"baseline": "A"},
    )
    code, out, _ = run_line(f"run {config} -q --output {tmp_path}/run")
    assert code == 0
    header, *rows = (line.split() for line in out.splitlines()[1:5])
    assert (
        " ".join(header)
        == "rank system Google's GLEU 95% interval against A p adjusted ranks cluster"
    )
    assert [row[1] for row in rows] == ["good", "A", "bad"]
    assert [row[-1] for row in rows] == ["1", "2", "3"]  # clusters
    assert rows[0][-4].startswith("+")
    assert rows[0][-4].endswith("↑")
    assert rows[1][-4:-2] == ["-", "-"]
    assert rows[2][-4].startswith("-")
    assert rows[2][-3] == "≤0.0002"
    assert (
        "approximate randomization (10,000 trials), p adjusted by Holm, below 0.05: ↑ better, ↓ worse; seed 12345"
        in out
    )


def test_the_ranked_table_of_all_pairs_has_letters(
    tmp_path: Path, run_line: RunLine
) -> None:
    write_run(tmp_path, LINES)
    (tmp_path / "d" / "bad").write_text("x\n" * LINES, "utf-8")
    shutil.copy(tmp_path / "d" / "ref0", tmp_path / "d" / "good")
    config = write_config(
        tmp_path / "c.yaml",
        systems=["bad", "good", "A"],
        chosen=["google_gleu"],
        statistics={"correction": "none"},
    )
    _, out, _ = run_line(f"run {config} -q --output {tmp_path}/run")
    header, *rows = (line.split() for line in out.splitlines()[1:5])
    assert header[-3:] == ["groups", "ranks", "cluster"]
    assert [row[-3] for row in rows] == ["a", "b", "c"]
    code, again, _ = run_line(f"show {tmp_path}/run")
    assert (code, again) == (0, out)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 10001, "<0.0001"),
        (0.0001, "0.0001"),
        (0.00015, "0.0002"),
        (1.0, "1.0000"),
        (0.05, "0.0500"),
        (math.nan, "-"),
    ],
)
def test_p_values_as_shown(value: float, text: str) -> None:
    assert shown_p(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.01234, "+1.23"),
        (-0.0124, "-1.24"),
        (0.0, "0.00"),
        (-0.00001, "0.00"),
        (math.nan, "-"),
    ],
)
def test_differences_as_shown(value: float, text: str) -> None:
    assert signed(value, 2) == text


# ---- compare and rank read what a run has kept


def test_compare_gives_what_the_run_gives_without_its_texts(
    tmp_path: Path, run_line: RunLine
) -> None:
    results = made(
        tmp_path, chosen=["gleu[iter=7]", "green", "gleu[level=mean]"]
    )
    shutil.rmtree(tmp_path / "d")
    code, out, err = run_line(f"compare {tmp_path}/run --json -q")
    assert (code, err) == (0, "")
    assert out == results.to_json()
    plain = run(
        write_run(tmp_path, LINES, systems="ABC", chosen=["green"]),
        tmp_path / "plain",
    )
    assert plain.tests == []
    _, out, _ = run_line(
        f"rank {tmp_path}/plain --resamples 50 --trials 60 --json"
    )
    green = [t for t in results.tests if t.metric.startswith("green")]
    assert [t["p"] for t in json.loads(out)["tests"]] == [t.p for t in green]


def test_compare_prints_a_row_for_each_pair_in_the_order_of_ranks(
    tmp_path: Path, run_line: RunLine
) -> None:
    results = made(tmp_path)
    code, out, _ = run_line(f"compare {tmp_path}/run --digits 4")
    assert code == 0
    order = [s.system for s in sorted(results.scores, key=lambda s: s.rank)]
    rows = [line.split() for line in out.splitlines()[2:5]]
    assert [tuple(row[:2]) for row in rows] == sorted(
        ((t.system, t.other) for t in results.tests),
        key=lambda pair: tuple(map(order.index, pair)),
    )
    scores = {s.system: s.score for s in results.scores}
    assert [row[2].strip("↑↓") for row in rows] == [
        signed(scores[row[0]] - scores[row[1]], 4) for row in rows
    ]


def test_compare_with_a_baseline_prints_a_row_a_pair(
    tmp_path: Path, run_line: RunLine
) -> None:
    results = made(tmp_path, baseline="A")
    _, out, _ = run_line(f"compare {tmp_path}/run")
    title, header, *rows = out.splitlines()
    assert title.startswith("d  google_gleu|")
    assert header.split()[:5] == [
        "system",
        "other",
        "difference",
        "95%",
        "interval",
    ]
    best = min((t for t in results.tests), key=lambda t: -t.difference)
    assert rows[0].split()[:2] == [best.system, "A"]
    assert len([row for row in rows if row.split()[1:2] == ["A"]]) == 2
    _, out, _ = run_line(f"compare {tmp_path}/run --all")
    assert (
        len([line for line in out.splitlines() if line[:1] in "ABC" and line])
        == 3
    )
    _, out, _ = run_line(f"rank {tmp_path}/run")
    assert "groups" in out  # the baseline is compare's
    _, out, _ = run_line(f"rank {tmp_path}/run --baseline C")
    assert "against C" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            "--baseline X",
            "error: --baseline X: no system is called so; there are A, B, C",
        ),
        (
            "--metric gren",
            "error: --metric gren: there is no such one (did you mean 'green'?); there are green\n",
        ),
        (
            "--dataset x",
            "error: --dataset x: there is no such one; there are d",
        ),
        (
            "--level 1.5",
            "error: --level 1.5: expected a number between 0 and 1, such as 0.95",
        ),
        (
            "--trials 0",
            "error: --trials 0: input should be greater than or equal to 1",
        ),
        ("--test t", "error: argument --test: invalid choice: 't'"),
    ],
)
def test_what_compare_refuses(
    tmp_path: Path,
    run_line: RunLine,
    arguments: str,
    expected: str,
) -> None:
    made(tmp_path, chosen=["green"])
    assert refused(
        run_line(f"compare {tmp_path}/run -q {arguments}")
    ).startswith(expected)


def test_one_system_cannot_be_compared(
    tmp_path: Path, run_line: RunLine
) -> None:
    made(tmp_path, systems="A")
    code, _, err = run_line(f"compare {tmp_path}/run -q")
    assert (code, err) == (
        2,
        f"error: {tmp_path / 'run'}: there is one system only, so there is nothing to compare\n",
    )
    assert run_line(f"rank {tmp_path}/run")[0] == 0


def test_short_names_of_tests(tmp_path: Path, run_line: RunLine) -> None:
    made(tmp_path)
    for short, name in {
        "ar": "approximate_randomization",
        "bs": "paired_bootstrap",
    }.items():
        one, two = (
            run_line(f"compare {tmp_path}/run --test {test} --json")[1]
            for test in (short, name)
        )
        assert one == two
        assert json.loads(one)["statistics"]["test"] == name


def test_a_run_that_is_not_finished_is_refused(tmp_path: Path) -> None:
    made(tmp_path)
    manifest = read_json(tmp_path / "run" / "run.json")
    write_json(tmp_path / "run" / "run.json", {**manifest, "state": "running"})
    with pytest.raises(StoreError, match="was not finished"):
        stored_runs.ScoredRun.read(tmp_path / "run")


def test_counts_that_are_gone_are_told(tmp_path: Path) -> None:
    made(tmp_path)
    next((tmp_path / "run" / "statistics" / "d").glob("B.*")).unlink()
    with pytest.raises(
        StoreError,
        match="the counts of B on d are missing; run its config again",
    ):
        stored_runs.ScoredRun.read(tmp_path / "run")


# ---- two runs


def two_runs(folder: Path) -> tuple[Path, Path]:
    """Runs on the same data: A the same in both, B another text, C and D in one each."""
    write_run(folder / "old", LINES, systems="ABC", seed=1)
    shutil.copytree(folder / "old", folder / "new")
    shutil.copy(folder / "old" / "d" / "C", folder / "new" / "d" / "B")
    shutil.copy(folder / "old" / "d" / "B", folder / "new" / "d" / "D")
    for name, systems in (("old", "ABC"), ("new", "ABD")):
        config = write_config(
            folder / name / "c.yaml",
            systems=systems,
            chosen=["green", f"gleu[n={len(name)},iter=5]"],
        )
        run(config, folder / name / "run")
    shutil.move(folder / "old" / "run", folder / "run1")
    shutil.move(folder / "new" / "run", folder / "run2")
    return folder / "run1", folder / "run2"


def test_two_runs_are_joined(tmp_path: Path, run_line: RunLine) -> None:
    one, two = two_runs(tmp_path)
    results, measured = stored_runs.load_two(one, two)
    assert [m.names for m in measured] == [
        ["A", "B@run1", "C", "B@run2", "D"]
    ] * 2
    assert {score.metric.partition("|")[0] for score in results.scores} == {
        "green",
        "gleu",
    }
    positions = [score.rank for score in measured[0].scores]
    assert positions == oracle.ranks(
        [score.score for score in measured[0].scores]
    )
    settings = StatisticsConfig(resamples=50, trials=50)
    analysed = analyse(measured[0], settings)
    found = {(t.system, t.other): t for t in analysed.tests}
    # the same texts under other names
    assert found["C", "B@run2"].p == found["B@run1", "D"].p == 1
    assert analysed.scores[2].bootstrap
    code, out, _ = run_line(
        f"compare {one} {two} --baseline B@run2 --trials 50 --metric green"
    )
    assert code == 0
    assert sum("B@run2" in line.split()[1:2] for line in out.splitlines()) == 4


def test_runs_on_other_data_are_refused(tmp_path: Path) -> None:
    one, _ = two_runs(tmp_path)
    write_run(tmp_path / "3", LINES, systems="ABC", seed=9, chosen=["green"])
    run(tmp_path / "3" / "config.yaml", tmp_path / "run3")
    with pytest.raises(StoreError, match="d: source is not the same text in"):
        stored_runs.load_two(one, tmp_path / "run3")
    run(
        write_run(tmp_path / "4", LINES + 1, systems="ABC", chosen=["green"]),
        tmp_path / "run4",
    )
    with pytest.raises(
        StoreError,
        match=r"d: is another data set in .* \(31 lines and 2 references\) than in",
    ):
        stored_runs.load_two(one, tmp_path / "run4")
    run(
        write_run(
            tmp_path / "5",
            LINES,
            systems="ABC",
            datasets=("e",),
            chosen=["green"],
        ),
        tmp_path / "run5",
    )
    with pytest.raises(
        StoreError, match="have no metric on the same data set in common"
    ):
        stored_runs.load_two(one, tmp_path / "run5")
    config = write_config(
        tmp_path / "old" / "g.yaml", systems="AB", chosen=["google_gleu"]
    )
    run(config, tmp_path / "run6")
    with pytest.raises(
        StoreError, match="have no metric on the same data set in common"
    ) as caught:
        stored_runs.load_two(one, tmp_path / "run6")
    assert "2: d google_gleu|" in str(caught.value)


def test_runs_whose_folders_have_the_same_name(tmp_path: Path) -> None:
    one, two = two_runs(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    shutil.move(one, tmp_path / "x" / "run")
    shutil.move(two, tmp_path / "y" / "run")
    _, measured = stored_runs.load_two(
        tmp_path / "x" / "run", tmp_path / "y" / "run"
    )
    assert measured[0].names == ["A", "B@1", "C", "B@2", "D"]


def test_compare_from_python(tmp_path: Path) -> None:
    settings = {
        "baseline": "B",
        "test": "paired_bootstrap",
        "level": "0.9",
        "resamples": "50",
    }
    results = run(
        write_run(tmp_path, LINES, systems="ABC", statistics=settings),
        tmp_path / "run",
    )
    found = pipeline.compare(
        tmp_path / "run",
        baseline="B",
        test="paired_bootstrap",
        level=0.9,
        resamples=50,
    )
    assert found.report("json") == results.to_json()
    one, two = two_runs(tmp_path / "two")
    assert len(pipeline.compare(one, two, resamples=9, trials=9).tests) == 20
    assert (
        pipeline.load(tmp_path / "run")["A"].bootstrap
        == results.scores[0].bootstrap
    )
    with pytest.raises(
        InputError,
        match=r"resample 9: is no setting \(did you mean 'resamples'\?\)",
    ):
        pipeline.compare(tmp_path / "run", resample=9)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"trials": 59},
            "with 59 trials no p of 3 comparisons, adjusted by Holm, can be below 0.05",
        ),  # 3 / 60 = 0.05
        ({"trials": 60}, ""),
        ({"trials": 58, "correction": "none"}, ""),
        (
            {"trials": 19, "correction": "none"},
            "with 19 trials no p of a comparison can be below 0.05",
        ),
        (
            {"trials": 19, "baseline": "A"},
            "with 19 trials no p of 2 comparisons, adjusted by Holm, can be below 0.05",
        ),
        (
            {"test": "paired_bootstrap", "resamples": 29, "level": 0.9},
            "set resamples to 30 or more",
        ),
        ({"test": "paired_bootstrap", "resamples": 30, "level": 0.9}, ""),
        ({"test": "sign"}, ""),
        ({"test": "none"}, ""),
    ],
)
def test_too_few_samples_for_anything_significant_are_told(
    tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    config = write_run(
        tmp_path, 9, systems="ABC", statistics={"resamples": 20} | more
    )
    found = [
        text
        for text in run(config, tmp_path / "run").warnings
        if "significant" in text
    ]
    assert len(found) == bool(message)
    assert message in "".join(found)
