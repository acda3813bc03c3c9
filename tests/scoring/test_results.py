"""results.json, CSV, ranks and printed numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError, StoreError
from pipeline.report.csv_files import to_csv
from pipeline.report.tables import percent, round_half_up
from pipeline.scoring.results import Results
from pipeline.scoring.rows import (
    Bootstrap,
    Comparison,
    DatasetInfo,
    Samples,
    Score,
    ranks,
)
from tests.conftest import (
    RunLine,
    read_json,
    refused,
    run,
    tree,
    write_json,
    write_run,
)
from tests.oracles import naive
from tests.support.extensions import with_extension
from tests.support.results_schema import results_schema

NUMBERS = st.floats(allow_nan=True, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COUNTS = st.integers(0, 99)
PAIRS = st.tuples(NUMBERS, NUMBERS)
SCORES = st.builds(
    Score,
    dataset=TEXTS,
    system=TEXTS,
    metric=TEXTS,
    score=NUMBERS,
    outputs=st.dictionaries(TEXTS, NUMBERS, max_size=3),
    samples=st.none()
    | st.builds(
        Samples, st.integers(1, 9), NUMBERS, st.tuples(NUMBERS, NUMBERS)
    ),
    rank=st.integers(1, 99),
    bootstrap=st.none()
    | st.builds(
        Bootstrap, NUMBERS, NUMBERS, PAIRS, st.tuples(COUNTS, COUNTS), COUNTS
    ),
)
TESTS = st.builds(
    Comparison,
    **dict.fromkeys(("dataset", "metric", "system", "other"), TEXTS),
    **dict.fromkeys(
        ("difference", "better", "cohen_d", "p", "p_adjusted"), NUMBERS
    ),
    **dict.fromkeys(("wins", "losses", "ties"), COUNTS),
    interval=PAIRS,
)
RESULTS = st.builds(
    Results,
    datasets=st.dictionaries(
        TEXTS,
        st.builds(
            DatasetInfo,
            lines=st.integers(1, 2**53),
            references=st.integers(1, 255),
            digests=st.just({"source": "00"}),
        ),
        max_size=2,
    ),
    scores=st.lists(SCORES, max_size=3),
    warnings=st.lists(TEXTS, max_size=2),
    statistics=st.none()
    | st.fixed_dictionaries(
        {"level": st.floats(0.1, 0.9), "baseline": st.none() | TEXTS}
    ),
    tests=st.lists(TESTS, max_size=3),
)


def one(score: float, **more: object) -> Results:
    fields = {
        "dataset": "d",
        "system": "A",
        "metric": "gleu|n:4",
        "outputs": {"gleu": score},
        "samples": None,
        "rank": 1,
    }
    found = Score(**{**fields, "score": score, **more})  # type: ignore[arg-type]
    return Results(
        datasets={"d": DatasetInfo(lines=1, references=1, digests={})},
        scores=[found],
        warnings=[],
    )


@given(results=RESULTS)
def test_results_are_read_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, results: Results
) -> None:
    path = tmp_path_factory.getbasetemp() / "results.json"
    # What is on a data set that is not there is refused.
    for name in [
        *(score.dataset for score in results.scores),
        *(test.dataset for test in results.tests),
    ]:
        results.datasets.setdefault(
            name, DatasetInfo(lines=1, references=1, digests={})
        )
    path.write_text(results.to_json(), "utf-8", newline="")
    # repr: nan is equal to nan there
    assert repr(Results.read(path)) == repr(results)
    assert Results.read(path).to_json() == results.to_json()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(value: float) -> None:
    content = json.loads(
        one(value, samples=Samples(1, 0.0, (value, value))).to_json()
    )
    (score,) = content["scores"]
    assert (score["score"], score["outputs"], score["samples"]["interval"]) == (
        None,
        {"gleu": None},
        [None, None],
    )


def test_the_form_of_results_json(tmp_path: Path) -> None:
    run(write_run(tmp_path, 12), tmp_path / "run")
    content = read_json(tmp_path / "run" / "results.json")
    assert content["schema"] == 1
    always = {
        "schema",
        "datasets",
        "scores",
        "warnings",
        "missing",
        "statistics",
        "tests",
    }
    asked_for = {
        "human",
        "judgments",
        "columns",
        "correlations",
        "agreements",
        "expectations",
    }
    assert set(content) == always | asked_for
    assert {content[name] for name in asked_for} == {None}
    assert (content["statistics"], content["tests"]) == (None, [])
    assert set(content["datasets"]["d"]["digests"]) == {
        "source",
        "reference 0",
        "reference 1",
        "system A",
        "system B",
    }
    (first, _) = content["scores"]
    names = {
        "dataset",
        "system",
        "metric",
        "score",
        "outputs",
        "samples",
        "rank",
        "notes",
        "peer_signature",
        "bootstrap",
        "higher_is_better",
    }
    assert set(first) == names
    assert set(first["samples"]) == {"iterations", "std", "interval"}
    assert next(iter(first["outputs"].values())) == first["score"]


EMPTY = '"schema": 1, "datasets": {}, "warnings": []'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"schema": 1}',
        f"{{{EMPTY}}}",
        f'{{{EMPTY}, "scores": [{{}}]}}',
        f'{{{EMPTY}, "scores": 3}}',
        "\xff",
    ],
    ids=lambda text: text[-20:],
)
def test_damaged_results_are_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(
        StoreError, match=r"results\.json: is not the results file of a run"
    ):
        Results.read(path)


def test_files_from_before_there_were_statistics_are_read(
    tmp_path: Path,
) -> None:
    content = json.loads(one(0.25).to_json())
    del (
        content["tests"],
        content["statistics"],
        content["scores"][0]["bootstrap"],
    )
    write_json(tmp_path / "results.json", content)
    assert Results.read(tmp_path / "results.json") == one(0.25)


def test_results_of_another_schema_are_told(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(
        one(1.0).to_json().replace('"schema": 1', '"schema": 2'),
        "utf-8",
    )
    with pytest.raises(
        StoreError, match="is of schema 2; this version reads 1"
    ):
        Results.read(path)


def test_missing_results_are_told(tmp_path: Path) -> None:
    for name in ("today", "yesterday"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "results.json").write_text(
            one(1.0).to_json(), "utf-8"
        )
    with pytest.raises(
        StoreError,
        match=r"runs/nope: has no results of a run; \S+/runs has the runs today, yesterday$",
    ):
        Results.read(tmp_path / "runs" / "nope" / "results.json")


def rows(results: Results) -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_csv(results), newline="")))


def test_csv_is_long() -> None:
    results = one(
        0.25,
        outputs={"gleu": 0.25, "total_1": 3.0},
        samples=Samples(5, 0.5, (math.nan, 1 / 3)),
    )
    header, *lines = rows(results)
    assert header == ["dataset", "system", "metric", "output", "value"]
    assert {tuple(line[:3]) for line in lines} == {("d", "A", "gleu|n:4")}
    assert {line[3]: line[4] for line in lines} == {
        "score": "0.25",
        "rank": "1",
        "samples_iterations": "5",
        "samples_std": "0.5",
        "samples_low": "",
        "samples_high": "0.3333333333333333",
        "gleu": "0.25",
        "total_1": "3.0",
    }


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@x", '=cmd|"/c calc"!A1']
)
def test_no_cell_of_text_is_a_formula(cell: str) -> None:
    for line in rows(
        one(0.5, dataset=cell, system=cell, metric=cell, outputs={cell: 1.0})
    )[1:]:
        assert line[:3] == [f"'{cell}"] * 3
    assert not any(
        field[:1] in tuple("=+-@")
        for line in rows(one(0.5, outputs={cell: 1.0}))
        for field in line
    )


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], []),
        ([0.5], [1]),
        ([0.1, 0.3, 0.2], [3, 1, 2]),
        ([0.3, 0.2, 0.2, 0.1], [1, 2, 2, 4]),
        ([0.2, 0.2, 0.3], [2, 2, 1]),
        ([math.nan, 0.0, math.nan], [2, 1, 2]),
        ([-1.0, math.nan], [1, 2]),
    ],
)
def test_ranks(scores: list[float], expected: list[int]) -> None:
    assert ranks(scores) == expected


# By hand: rounded half up on the decimal form, as the package gleu prints.
@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.125, 2, "0.13"),
        (2.5, 0, "3"),
        (0.285, 2, "0.29"),
        (-0.125, 2, "-0.13"),
        (0.0, 2, "0.00"),
        (1e-9, 2, "0.00"),
        (1e-05, 5, "0.00001"),
        (123456789.5, 0, "123456790"),
        (99.995, 2, "100.00"),
        (math.nan, 2, "-"),
        (math.inf, 2, "inf"),
        (0.0, 12, "0.000000000000"),
        (1e-7, 7, "0.0000001"),
        (2251799813685249.5, 12, "2251799813685249.500000000000"),
    ],
)
def test_rounding_half_up(value: float, digits: int, expected: str) -> None:
    assert round_half_up(value, digits) == expected


@given(value=st.floats(-1e12, 1e12), digits=st.integers(0, 12))
def test_rounding_equals_the_naive_one(value: float, digits: int) -> None:
    assert round_half_up(value, digits).removeprefix(
        "-"
    ) == naive.round_half_up(abs(value), digits)


def test_percent_is_a_fraction_times_100() -> None:
    assert [percent(value, 2) for value in (1.0, 0.5, 0.583256, math.nan)] == [
        "100.00",
        "50.00",
        "58.33",
        "-",
    ]


def test_a_single_system_is_picked_without_changing_the_rest() -> None:
    results = one(0.5)
    assert results.only("A") == results
    assert results.only("B") == Results(
        datasets=results.datasets, scores=[], warnings=[]
    )


# Means over data sets: in results, and in every form of report.


def score(
    dataset: str,
    system: str,
    value: float,
    references: int = 2,
    metric: str = "m|n:4",
) -> Score:
    printed = f"{metric}|nrefs:{references}|v:1"
    return Score(
        dataset=dataset,
        system=system,
        metric=printed,
        score=value,
        outputs={"m": value},
        samples=None,
        rank=1,
    )


def test_means_by_hand() -> None:
    """(0.2 + 0.4) / 2 and (0.9 + 0.5) / 2. A metric with other references is the same metric."""
    scores = [
        *(
            score("d", *values)
            for values in (("A", 0.2), ("B", 0.9), ("C", 0.7))
        ),
        *(
            score("e", *values, 4)
            for values in (("A", 0.4), ("B", 0.5), ("D", math.nan))
        ),
        score("e", "A", 1.0, 4, "other"),
    ]
    means = Results(datasets={}, scores=scores).with_means().means
    assert means
    one, other = means
    assert (one.metric, one.datasets) == ("m|n:4|v:1", ["d", "e"])
    assert list(one.systems) == ["B", "A"]
    assert one.systems == pytest.approx({"B": 0.7, "A": 0.3}, abs=1e-15)
    assert one.lacking == {"C": ["e"], "D": ["d"]}
    assert (other.systems, other.lacking) == ({}, {"A": ["d"]})


def test_one_data_set_has_no_mean() -> None:
    with pytest.raises(
        InputError,
        match="a mean needs scores on two data sets or more; there is d",
    ):
        Results(datasets={}, scores=[score("d", "A", 1.0)]).with_means()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("means")
    config = write_run(
        folder,
        12,
        systems="AB",
        chosen=["gleu[iter=3]", "gleu[refs=max]"],
        datasets=("d", "e"),
    )
    content = read_json(config)
    content["systems"]["C"] = {"d": "d/source"}
    write_json(config, content)
    run(config, folder / "without")
    content["output"] = {"mean": True, "formats": ["json", "csv", "markdown"]}
    write_json(config, content)
    run(config, folder / "run")
    return folder


def test_results_have_means_only_where_they_are_asked_for(folder: Path) -> None:
    requested, plain = (
        read_json(folder / name / "results.json") for name in ("run", "without")
    )
    for content in (requested, plain):
        jsonschema.validate(content, results_schema())
    means = requested.pop("means")
    assert requested == plain
    assert [re.findall("refs:[a-z]+", mean["metric"]) for mean in means] == [
        ["refs:sample"],
        ["refs:max"],
    ]
    for mean in means:
        by_hand: dict[str, list[float]] = {}
        for item in requested["scores"]:
            if item["metric"].replace("|nrefs:2", "") == mean["metric"]:
                by_hand.setdefault(item["system"], []).append(item["score"])
        assert mean["systems"] == pytest.approx(
            {name: sum(by_hand[name]) / 2 for name in "AB"}, abs=1e-12
        )
        assert mean["lacking"] == {"C": ["e"]}
    read = Results.read(folder / "run" / "results.json")
    assert json.loads(read.to_json()) == {**requested, "means": means}
    assert replace(read, means=None).with_means() == read


def test_every_form_has_the_means(folder: Path, run_line: RunLine) -> None:
    mean = read_json(folder / "run" / "results.json")["means"][0]["systems"]
    best = f"{100 * max(mean.values()):.2f}"
    title = "mean over 2 data sets, each counts the same: GLEU+ (refs:sample); C has no score on e"
    for line in ("show {} --mean", "rank {} --mean --test none --resamples 50"):
        code, out, _ = run_line(line.format(folder / "without"))
        table = [
            re.split("  +", line.strip())
            for line in out.split(f"{title}\n")[1].splitlines()[:4]
        ]
        assert code == 0
        assert table[0] == ["rank", "system", "mean", "d", "e"]
        assert (table[1][0], table[1][2], table[3][:3]) == (
            "1",
            best,
            ["-", "C", "-"],
        )
    for form in ("markdown", "latex", *with_extension("page", "html")):
        line = f"report {folder}/without --format {form} --output -"
        result, plain = run_line(f"{line} --mean").out, run_line(line).out
        assert "C has no score on e" in result
        assert best in result
        assert "C has no score on e" not in plain
    rows = list(
        csv.DictReader(
            (folder / "run" / "means.csv").read_text("utf-8").splitlines()
        )
    )
    assert {row["system"]: float(row["mean"]) for row in rows[:2]} == mean
    assert {row["datasets"] for row in rows} == {"2"}
    assert not (folder / "without" / "means.csv").exists()


def test_run_takes_mean_as_an_option(folder: Path, run_line: RunLine) -> None:
    line = f"run {folder}/config.yaml -q --output {folder}/other"
    assert "mean over" not in run_line(f"{line} --set output.mean=false").out
    assert "mean over 2 data sets" in run_line(f"{line} --mean").out


def test_a_part_has_its_own_means(folder: Path, run_line: RunLine) -> None:
    text = run_line(f"report {folder}/run --format json --system A C")[1]
    assert [
        set(mean["systems"]) | set(mean["lacking"])
        for mean in json.loads(text)["means"]
    ] == [{"A", "C"}] * 2
    text = run_line(f"report {folder}/run --format json --dataset d")[1]
    assert "means" not in json.loads(text)


def test_what_cannot_be_averaged_is_told(
    tmp_path: Path, run_line: RunLine
) -> None:
    message = "a mean needs scores on two data sets or more; there is d\n"
    config = write_run(tmp_path, 9)
    said = run_line(f"run {config} --mean --output {tmp_path}/run")
    assert said.code == 0
    assert f"warning: {message}" in said.err
    before = tree(tmp_path / "run")
    for line in (
        "show {}",
        "rank {} --resamples 50 --trials 50",
        "report {} --format markdown",
    ):
        mean = f"{line.format(tmp_path / 'run')} --mean"
        assert f"error: {message}" in refused(run_line(mean))
    assert tree(tmp_path / "run") == before
