"""Scores of outputs in records, joined by system and item, and their correlations. Oracles are
naive, or scipy's.
"""

import json
import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pipeline.errors import InputError
from pipeline.extensions.human.models import CorrelationConfig, RecordsConfig
from pipeline.extensions.human.records import (
    Scores,
    correlated,
    means_of,
    read_records,
    scores_of,
)
from tests.support.in_process import Call, Printed
from tests.support.tables import word_list

CLOSE = 1e-12
SYSTEMS, ITEMS = ["s1", "s2", "s3", "s4"], word_list("i1 i2 i3 i4 i5 i6")
DRAWN = np.random.default_rng(7)
HUMAN = (
    DRAWN.integers(1, 6, (len(SYSTEMS), len(ITEMS)))
    + np.arange(len(SYSTEMS))[:, None] * 1.0
)
METRIC = HUMAN * 0.3 + DRAWN.normal(size=HUMAN.shape)


KEYS = list(product(SYSTEMS, ITEMS))
ROWS: list[dict[str, Any]] = [
    {
        "id": item,
        "who": {"name": system},
        "set": "a",
        "human": {"x": x, "y": x + 1},
        "m": m,
    }
    for (system, item), x, m in zip(KEYS, HUMAN.flat, METRIC.flat, strict=True)
]
DRAWN.shuffle(ROWS)
"""A record for each output, in an order without any order."""


def table(scores: Any) -> Scores:
    """Return scores [systems, items] by system and item."""
    return dict(zip(KEYS, scores.flat, strict=True))


def pearson(one: Any, two: Any) -> Any:
    """Return the correlation as scipy has it, to be compared with."""
    return approx(stats.pearsonr(np.ravel(one), np.ravel(two)).statistic)


def approx(expected: Any) -> Any:
    return pytest.approx(expected, abs=CLOSE)


def read_scores(path: Path, **keys: Any) -> Scores:
    config = RecordsConfig(file=str(path), **keys)
    return scores_of(config, read_records(path))


OUTPUTS = {"system": "who.name", "item": "id"}


def config(*, of: Sequence[str] = ("m",), **more: Any) -> CorrelationConfig:
    return CorrelationConfig.model_validate(
        {"of": list(of), "with": ["h"], **more}
    )


def written(folder: Path, form: str) -> Path:
    """Write the records in a form."""
    path = folder / f"r.{form}"
    if form == "json":
        path.write_text(json.dumps(ROWS))
    elif form == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    else:
        lines = ["\ufeffid,who.name,set,human.x,human.y,m"]
        for row in ROWS:
            cells = [row["id"], row["who"]["name"], row["set"]]
            scores = [*row["human"].values(), row["m"]]
            lines.append(",".join(map(str, cells + scores)))
        path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_records_of_all_forms_are_joined_by_system_and_item(
    tmp_path: Path, form: str
) -> None:
    path = written(tmp_path, form)
    human = read_scores(path, score="human.x", **OUTPUTS)
    metric = read_scores(path, score="m", **OUTPUTS)
    assert human == table(HUMAN)
    both = read_scores(
        path, score=["human.x", "human.y"], where={"set": "a"}, **OUTPUTS
    )
    assert both == table(HUMAN + 0.5)
    each = [
        stats.kendalltau(*columns).statistic
        for columns in zip(METRIC.T, HUMAN.T, strict=True)
    ]
    flat = METRIC.ravel(), HUMAN.ravel()
    expected = {
        "pearson": pearson(METRIC, HUMAN),
        "spearman": approx(stats.spearmanr(*flat).statistic),
        "kendall": approx(stats.kendalltau(*flat).statistic),
        "pearson[level=system]": pearson(
            METRIC.mean(axis=1), HUMAN.mean(axis=1)
        ),
        "kendall[average=item]": approx(np.nanmean(each)),
    }
    found = correlated(metric, human, config(statistics=list(expected)))
    assert found == {**expected, "systems": 4, "scores": 24}


def test_without_systems_and_items_records_are_in_order(tmp_path: Path) -> None:
    path = written(tmp_path, "json")
    human = read_scores(path, score="human.x")
    metric = read_scores(path, score="m")
    assert list(human) == [("", str(number)) for number in range(1, 25)]
    found = correlated(metric, human, config(statistics=["pearson"]))
    assert found["pearson"] == pearson(METRIC, HUMAN)


def test_a_record_may_have_an_object_for_each_system(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines: dict[str, Any] = {item: {"case": item} for item in ITEMS}
    for (system, item), score in table(METRIC).items():
        lines[item][system] = {"m": score, "n": {"x": 1.0}}
    path.write_text("\n".join(map(json.dumps, lines.values())))
    metric = read_scores(path, system="*", item="case", score="m")
    assert metric == table(METRIC)
    constant = read_scores(path, system="*", score="n.x")
    assert set(constant.values()) == {1.0}


def test_a_missing_score_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    path.write_text(
        "system score id\nA\t-1.0 1\nA\tNone 2\nA\t-3 3\nB\t-2 1\nB\t-2 2\n"
    )
    scores = read_scores(path, system="1", score="2", item="3")
    assert means_of(scores) == {"A": -2.0, "B": -2.0}
    assert math.isnan(scores["A", "2"])


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_partial_correlation_given_the_system(name: str) -> None:
    """As in FRANK: correlations of the residuals of a regression on the systems, one indicator
    each.
    """
    keys = KEYS[:-2]
    indicators = np.array(
        [[float(system == one) for one in SYSTEMS] for system, _ in keys]
    )
    human, metric = (
        {key: table(s)[key] for key in keys} for s in (HUMAN, METRIC)
    )
    residuals = []
    for scores in (metric, human):
        values = np.array([*scores.values()])
        fit = np.linalg.lstsq(indicators, values, rcond=None)[0]
        # rounded, so that ties are ties
        residuals.append(np.round(values - indicators @ fit, 9))
    function = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[name]
    found = correlated(metric, human, config(statistics=[name], given="system"))
    expected = function(*residuals).statistic
    assert found[name] == pytest.approx(expected, abs=1e-8)


def test_halves_by_human_score_and_absolute_values() -> None:
    human = table(DRAWN.random(24))
    metric = {key: DRAWN.random() - value for key, value in human.items()}
    order = sorted(KEYS, key=lambda key: human[key])
    for part, keys in (("lower", order[:12]), ("upper", order[12:])):
        halves = {"statistics": ["pearson"], "part": part}
        found = correlated(metric, human, config(**halves))
        assert found["pearson"] == pearson(
            [metric[key] for key in keys], [human[key] for key in keys]
        )
        assert found["scores"] == 12
        positive = correlated(metric, human, config(**halves, absolute="true"))
        assert positive["pearson"] == abs(found["pearson"])


@pytest.mark.parametrize(
    "more", [{}, {"absolute": "true"}, {"without": ["s2"]}]
)
def test_intervals_are_of_samples_of_the_items(more: dict[str, Any]) -> None:
    """The oracle draws the same items and takes all outputs of each: of 200 values it leaves out 5
    at either end.
    """
    names = ["pearson", "kendall[average=item]"]
    scores = table(-METRIC), table(HUMAN)
    found = correlated(
        *scores, config(statistics=names, resamples="200", seed="3", **more)
    )
    systems = [n for n in range(4) if SYSTEMS[n] not in more.get("without", ())]
    values = []
    for drawn in np.random.default_rng(3).integers(0, 6, (200, 6)):
        one, two = (rows[systems][:, drawn].T for rows in (-METRIC, HUMAN))
        each = [
            stats.kendalltau(*pair).statistic
            for pair in zip(one, two, strict=True)
        ]
        both = stats.pearsonr(one.ravel(), two.ravel()).statistic
        values.append((both, np.mean(each)))
    if more.get("absolute"):
        values = np.abs(values).tolist()
    ordered = np.sort(values, axis=0)
    for name, column in zip(names, ordered.T, strict=True):
        assert found["intervals"][name] == approx([column[5], column[-6]])
    without = correlated(*scores, config(statistics=names, **more))
    assert "intervals" not in without


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"score": "human.z"}, "r.json[0]: has no 'human.z'; there are x, y"),
        ({"score": "who"}, "r.json[0]: 'who': expected a score, a number"),
        ({"item": "set"}, "has two scores of the item 'a'"),
        ({"item": "human"}, "'human': expected a text or a number"),
        ({"where": {"set": "b"}}, "r.json: no line has 'b' in column set"),
    ],
)
def test_records_that_cannot_be_read(
    tmp_path: Path, keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_scores(
            written(tmp_path, "json"), **OUTPUTS | {"score": "m"} | keys
        )
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.json", "{}", "r.json[0]: expected a list of JSON objects"),
        ("r.json", "[1", "r.json: not valid JSON"),
        ("r.jsonl", '{"a": 1}\n2\n', "r.jsonl:2: expected a list of JSON objects, or lines of such"),
        ("r.csv", "a,a\n1,2\n", "r.csv:1: two columns are called 'a'"),
        ("r.csv", "", "r.csv: has no lines"),
    ],
)  # fmt: skip
def test_files_that_are_no_records(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_scores(tmp_path / name, score="a")
    assert message in str(caught.value)


def test_the_command_correlates_records(tmp_path: Path, call: Call) -> None:
    path = written(tmp_path, "csv")
    columns = "system: who.name, item: [id, set], where: {set: a}"
    metric = f"{{file: {path}, score: m, {columns}}}"
    human = f"{{file: {path}, score: [human.x, human.y], {columns}}}"

    def correlate(
        options: str, one: str = metric, two: str = human, code: int = 0
    ) -> Printed:
        words = options.split()
        return call(
            "correlate", one, "--human", two, "--statistic", *words, code=code
        )

    found = json.loads(correlate("pearson kendall[average=item] --json").out)
    assert found[metric]["pearson"] == pearson(METRIC, HUMAN)
    assert len(found[metric]["intervals"]["pearson"]) == 2
    upper = correlate("pearson --absolute --part upper --given system").out
    assert "12" in upper.splitlines()[1]
    header = correlate("pearson kendall --level 0.9 --resamples 50").out
    assert header.splitlines()[0].count("90% interval") == 2
    for wrong, message in (
        ("pearson --window 3", "--window: no effect on records"),
        ("pearson --resamples x", "--resamples x: expected a whole number"),
        ("person", "no statistic is called 'person'"),
    ):
        assert message in correlate(wrong, code=2).err
    err = correlate("pearson", f"{{file: {path}, scores: m}}", code=2).err
    assert "score: Field required; records have file, where" in err
    err = correlate("pearson", two=str(path), code=2).err
    assert "name all scores as {file: FILE, score: COLUMN}" in err
