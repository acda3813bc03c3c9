"""results.json, CSV, ranks and printed numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import StoreError
from pipeline.report.data_files import to_csv
from pipeline.report.tables import percent, round_half_up
from pipeline.scoring.results import Bootstrap, Comparison, DatasetInfo, Results, Samples, Score, ranks
from tests.conftest import run, write_run
from tests.oracles import naive

if TYPE_CHECKING:
    from pathlib import Path

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
    samples=st.none() | st.builds(Samples, st.integers(1, 9), NUMBERS, st.tuples(NUMBERS, NUMBERS)),
    rank=st.integers(1, 99),
    bootstrap=st.none() | st.builds(Bootstrap, NUMBERS, NUMBERS, PAIRS, st.tuples(COUNTS, COUNTS), COUNTS),
)
TESTS = st.builds(
    Comparison,
    **dict.fromkeys(("dataset", "metric", "system", "other"), TEXTS),
    **dict.fromkeys(("difference", "better", "cohen_d", "p", "p_adjusted"), NUMBERS),
    **dict.fromkeys(("wins", "losses", "ties"), COUNTS),
    interval=PAIRS,
)
RESULTS = st.builds(
    Results,
    datasets=st.dictionaries(
        TEXTS, st.builds(DatasetInfo, st.integers(1, 2**53), st.integers(1, 255), st.just({"source": "00"})), max_size=2
    ),
    scores=st.lists(SCORES, max_size=3),
    warnings=st.lists(TEXTS, max_size=2),
    statistics=st.none() | st.fixed_dictionaries({"level": st.floats(0.1, 0.9), "baseline": st.none() | TEXTS}),
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
    return Results(datasets={"d": DatasetInfo(1, 1, {})}, scores=[found], warnings=[])


@given(results=RESULTS)
def test_results_are_read_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, results: Results) -> None:
    path = tmp_path_factory.getbasetemp() / "results.json"
    # What is on a data set that is not there is refused.
    for name in [*(score.dataset for score in results.scores), *(test.dataset for test in results.tests)]:
        results.datasets.setdefault(name, DatasetInfo(1, 1, {}))
    path.write_text(results.to_json(), encoding="utf-8", newline="")
    assert repr(Results.read(path)) == repr(results)  # repr: nan is equal to nan there
    assert Results.read(path).to_json() == results.to_json()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null(value: float) -> None:
    content = json.loads(one(value, samples=Samples(1, 0.0, (value, value))).to_json())
    (score,) = content["scores"]
    assert (score["score"], score["outputs"], score["samples"]["interval"]) == (None, {"gleu": None}, [None, None])


def test_the_form_of_results_json(tmp_path: Path) -> None:
    run(write_run(tmp_path, 12), tmp_path / "run")
    content = json.loads((tmp_path / "run" / "results.json").read_text(encoding="utf-8"))
    assert content["schema"] == 1
    always = {"schema", "datasets", "scores", "warnings", "missing", "statistics", "tests"}
    asked_for = {"human", "judgments", "columns", "correlations", "agreements", "expectations"}
    assert set(content) == always | asked_for
    assert {content[name] for name in asked_for} == {None}
    assert (content["statistics"], content["tests"]) == (None, [])
    assert set(content["datasets"]["d"]["digests"]) == {"source", "reference 0", "reference 1", "system A", "system B"}
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
    with pytest.raises(StoreError, match=r"results\.json: is not the results file of a run"):
        Results.read(path)


def test_files_from_before_there_were_statistics_are_read(tmp_path: Path) -> None:
    content = json.loads(one(0.25).to_json())
    del content["tests"], content["statistics"], content["scores"][0]["bootstrap"]
    (tmp_path / "results.json").write_text(json.dumps(content), encoding="utf-8")
    assert Results.read(tmp_path / "results.json") == one(0.25)


def test_results_of_another_schema_are_told(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(one(1.0).to_json().replace('"schema": 1', '"schema": 2'), encoding="utf-8")
    with pytest.raises(StoreError, match="is of schema 2; this version reads 1"):
        Results.read(path)


def test_missing_results_are_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"results\.json: cannot be read: No such file"):
        Results.read(tmp_path / "results.json")


def rows(results: Results) -> list[list[str]]:
    return list(csv.reader(io.StringIO(to_csv(results), newline="")))


def test_csv_is_long() -> None:
    results = one(0.25, outputs={"gleu": 0.25, "total_1": 3.0}, samples=Samples(5, 0.5, (math.nan, 1 / 3)))
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


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", '=cmd|"/c calc"!A1'])
def test_no_cell_of_text_is_a_formula(cell: str) -> None:
    for line in rows(one(0.5, dataset=cell, system=cell, metric=cell, outputs={cell: 1.0}))[1:]:
        assert line[:3] == [f"'{cell}"] * 3
    assert not any(field[:1] in tuple("=+-@") for line in rows(one(0.5, outputs={cell: 1.0})) for field in line)


def test_numbers_below_zero_stay_numbers() -> None:
    assert ["d", "A", "gleu|n:4", "samples_low", "-0.5"] in rows(one(0.0, samples=Samples(2, 1.0, (-0.5, 0.5))))


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
    assert round_half_up(value, digits).removeprefix("-") == naive.round_half_up(abs(value), digits)


def test_percent_is_a_fraction_times_100() -> None:
    assert [percent(value, 2) for value in (1.0, 0.5, 0.583256, math.nan)] == ["100.00", "50.00", "58.33", "-"]


def test_a_single_system_is_picked_without_changing_the_rest() -> None:
    results = one(0.5)
    assert results.only("A") == results
    assert results.only("B") == Results(datasets=results.datasets, scores=[], warnings=[])
