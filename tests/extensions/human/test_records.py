"""Scores of outputs in records, joined by system and item, and their correlations. Oracles are
naive, or scipy's.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pipeline.cli.dispatch import main
from pipeline.errors import InputError
from pipeline.extensions.human.models import CorrelationConfig, RecordsConfig
from pipeline.extensions.human.records import (
    Scores,
    correlated,
    means_of,
    read_records,
    scores_of,
)

CLOSE = 1e-12
SYSTEMS, ITEMS = ["s1", "s2", "s3", "s4"], ["i1", "i2", "i3", "i4", "i5", "i6"]
DRAWN = np.random.default_rng(7)
HUMAN = (
    DRAWN.integers(1, 6, (len(SYSTEMS), len(ITEMS)))
    + np.arange(len(SYSTEMS))[:, None] * 1.0
)
METRIC = HUMAN * 0.3 + DRAWN.normal(size=HUMAN.shape)


def rows() -> list[dict[str, Any]]:
    """Return a record for each output, in an order without any order."""
    every = [
        {
            "id": item,
            "who": {"name": system},
            "set": "a",
            "human": {"x": HUMAN[s, i], "y": HUMAN[s, i] + 1},
            "m": METRIC[s, i],
        }
        for s, system in enumerate(SYSTEMS)
        for i, item in enumerate(ITEMS)
    ]
    return [every[number] for number in DRAWN.permutation(len(every))]


ROWS = rows()


def read_scores(asked: RecordsConfig) -> Scores:
    return scores_of(asked, read_records(Path(asked.file)))


def config(*, of: Sequence[str] = ("m",), **more: Any) -> CorrelationConfig:
    return CorrelationConfig.model_validate(
        {"of": list(of), "with": ["h"], **more}
    )


def written(folder: Path, form: str) -> Path:
    """Write the records in a form."""
    path = folder / f"r.{form}"
    if form == "json":
        path.write_text(json.dumps(ROWS), encoding="utf-8")
    elif form == "jsonl":
        path.write_text(
            "".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8"
        )
    else:
        lines = [
            f"{r['id']},{r['who']['name']},{r['set']},{float(r['human']['x'])!r},{float(r['human']['y'])!r},{float(r['m'])!r}"
            for r in ROWS
        ]
        path.write_text(
            "\n".join(["\ufeffid,who.name,set,human.x,human.y,m", *lines]),
            encoding="utf-8",
        )
    return path


def records(path: Path, **keys: Any) -> RecordsConfig:
    return RecordsConfig.model_validate(
        {"file": str(path), "system": "who.name", "item": "id", **keys}
    )


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_records_of_all_forms_are_joined_by_system_and_item(
    tmp_path: Path, form: str
) -> None:
    path = written(tmp_path, form)
    human, metric = (
        read_scores(records(path, score=name)) for name in ("human.x", "m")
    )
    assert human == {
        (s, i): HUMAN[a, b]
        for a, s in enumerate(SYSTEMS)
        for b, i in enumerate(ITEMS)
    }
    both = read_scores(
        records(path, score=["human.x", "human.y"], where={"set": "a"})
    )
    assert both == {key: value + 0.5 for key, value in human.items()}
    asked = [
        "pearson",
        "spearman",
        "kendall",
        "pearson[level=system]",
        "kendall[average=item]",
    ]
    found = correlated(metric, human, config(statistics=asked))
    flat = METRIC.ravel(), HUMAN.ravel()
    assert found["pearson"] == pytest.approx(
        stats.pearsonr(*flat).statistic, abs=CLOSE
    )
    assert found["spearman"] == pytest.approx(
        stats.spearmanr(*flat).statistic, abs=CLOSE
    )
    assert found["kendall"] == pytest.approx(
        stats.kendalltau(*flat).statistic, abs=CLOSE
    )
    means = stats.pearsonr(METRIC.mean(axis=1), HUMAN.mean(axis=1)).statistic
    assert found["pearson[level=system]"] == pytest.approx(means, abs=CLOSE)
    each = [
        stats.kendalltau(METRIC[:, i], HUMAN[:, i]).statistic
        for i in range(len(ITEMS))
    ]
    assert found["kendall[average=item]"] == pytest.approx(
        np.nanmean(each), abs=CLOSE
    )
    assert (found["systems"], found["scores"]) == (4, 24)


def test_without_systems_and_items_records_are_in_order(tmp_path: Path) -> None:
    path = written(tmp_path, "json")
    human, metric = (
        read_scores(RecordsConfig(file=str(path), score=name))
        for name in ("human.x", "m")
    )
    assert list(human) == [("", str(number)) for number in range(1, 25)]
    found = correlated(metric, human, config(statistics=["pearson"]))
    assert found["pearson"] == pytest.approx(
        stats.pearsonr(METRIC.ravel(), HUMAN.ravel()).statistic, abs=CLOSE
    )


def test_a_record_may_have_an_object_for_each_system(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = [
        {
            "case": i,
            **{
                s: {"m": METRIC[a, b], "n": {"x": 1.0}}
                for a, s in enumerate(SYSTEMS)
            },
        }
        for b, i in enumerate(ITEMS)
    ]
    path.write_text(
        "".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8"
    )
    metric = read_scores(
        RecordsConfig(file=str(path), system="*", item="case", score="m")
    )
    assert metric == {
        (s, i): METRIC[a, b]
        for a, s in enumerate(SYSTEMS)
        for b, i in enumerate(ITEMS)
    }
    assert set(
        read_scores(
            RecordsConfig(file=str(path), system="*", score="n.x")
        ).values()
    ) == {1.0}


def test_what_is_lacking_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.tsv"
    text = "system score id\nA\t-1.0 1\nA\tNone 2\nA\t-3 3\nB\t-2 1\nB\t-2 2\n"
    path.write_text(text, encoding="utf-8")
    scores = read_scores(
        RecordsConfig(file=str(path), system="1", score="2", item="3")
    )
    assert means_of(scores) == {"A": -2.0, "B": -2.0}
    assert math.isnan(scores["A", "2"])


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_partial_correlation_given_the_system(name: str) -> None:
    """As in FRANK: correlations of the residuals of a regression on the systems, one indicator
    each.
    """
    keys = [(s, i) for s in SYSTEMS for i in ITEMS][:-2]
    human, metric = (
        {key: table[SYSTEMS.index(key[0]), ITEMS.index(key[1])] for key in keys}
        for table in (HUMAN, METRIC)
    )
    indicators = np.array(
        [[float(system == one) for one in SYSTEMS] for system, _ in keys]
    )
    residuals = []
    for scores in (metric, human):
        values = np.array([scores[key] for key in keys])
        residuals.append(
            values
            - indicators @ np.linalg.lstsq(indicators, values, rcond=None)[0]
        )
    expected = {"pearson": stats.pearsonr, "spearman": stats.spearmanr}[name](
        *np.round(residuals, 9)
    ).statistic
    found = correlated(metric, human, config(statistics=[name], given="system"))
    # the oracle's residuals are rounded, so that ties are ties
    assert found[name] == pytest.approx(expected, abs=1e-8)


def test_halves_by_human_score_and_absolute_values() -> None:
    keys = [(s, i) for s in SYSTEMS for i in ITEMS]
    human = {key: float(DRAWN.random()) for key in keys}
    metric = {
        key: -value + float(DRAWN.random()) for key, value in human.items()
    }
    order = sorted(keys, key=lambda key: human[key])
    for part, kept in (("lower", order[:12]), ("upper", order[12:])):
        expected = stats.pearsonr(
            [metric[key] for key in kept], [human[key] for key in kept]
        ).statistic
        found = correlated(
            metric, human, config(statistics=["pearson"], part=part)
        )
        assert found["pearson"] == pytest.approx(expected, abs=CLOSE)
        assert found["scores"] == 12
        positive = correlated(
            metric,
            human,
            config(statistics=["pearson"], part=part, absolute="true"),
        )
        assert positive["pearson"] == abs(found["pearson"])


@pytest.mark.parametrize(
    "more", [{}, {"absolute": "true"}, {"without": ["s2"]}]
)
def test_intervals_are_of_samples_of_the_items(more: dict[str, Any]) -> None:
    """The oracle draws the same items and takes all outputs of each: of 200 values it leaves out 5
    at either end.
    """
    human = {
        (s, i): float(HUMAN[a, b])
        for a, s in enumerate(SYSTEMS)
        for b, i in enumerate(ITEMS)
    }
    metric = {
        (s, i): -float(METRIC[a, b])
        for a, s in enumerate(SYSTEMS)
        for b, i in enumerate(ITEMS)
    }
    names = ["pearson", "kendall[average=item]"]
    found = correlated(
        metric,
        human,
        config(statistics=names, resamples="200", seed="3", **more),
    )
    kept = [s for s in SYSTEMS if s not in more.get("without", ())]
    pearson, kendall = [], []
    for drawn in np.random.default_rng(3).integers(
        0, len(ITEMS), (200, len(ITEMS))
    ):
        items = [ITEMS[number] for number in drawn]
        one, two = (
            [[table[s, i] for s in kept] for i in items]
            for table in (metric, human)
        )
        pearson.append(stats.pearsonr(np.ravel(one), np.ravel(two)).statistic)
        kendall.append(
            np.mean(
                [
                    stats.kendalltau(*pair).statistic
                    for pair in zip(one, two, strict=True)
                ]
            )
        )
    for name, values in zip(names, (pearson, kendall), strict=True):
        ordered = sorted(map(abs, values) if more.get("absolute") else values)
        assert found["intervals"][name] == pytest.approx(
            [ordered[5], ordered[-6]], abs=CLOSE
        )
    assert "intervals" not in correlated(
        metric, human, config(statistics=names, **more)
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"score": "human.z"}, "r.json[0]: has no 'human.z'; there are x, y"),
        ({"score": "who"}, "r.json[0]: 'who': expected a score, a number"),
        ({"score": "m", "item": "set"}, "has two scores of the item 'a'"),
        (
            {"score": "m", "item": "human"},
            "'human': expected a text or a number",
        ),
        (
            {"score": "m", "where": {"set": "b"}},
            "r.json: no line has 'b' in column set",
        ),
    ],
)
def test_records_that_cannot_be_read(
    tmp_path: Path, keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_scores(records(written(tmp_path, "json"), **keys))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.json", "{}", "r.json[0]: expected a list of JSON objects"),
        ("r.json", "[1", "r.json: not valid JSON"),
        (
            "r.jsonl",
            '{"a": 1}\n2\n',
            "r.jsonl:2: expected a list of JSON objects, or lines of such",
        ),
        ("r.csv", "a,a\n1,2\n", "r.csv:1: two columns are called 'a'"),
        ("r.csv", "", "r.csv: has no lines"),
    ],
)
def test_files_that_are_no_records(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_scores(RecordsConfig(file=str(tmp_path / name), score="a"))
    assert message in str(caught.value)


def test_the_command_correlates_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "csv")
    columns = "system: who.name, item: [id, set], where: {set: a}"
    one, human_data = (
        f"{{file: {path}, score: {score}, {columns}}}"
        for score in ("m", "[human.x, human.y]")
    )
    arguments = [
        "correlate",
        one,
        "--human",
        human_data,
        "--statistic",
        "pearson",
        "kendall[average=item]",
        "--json",
    ]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)[one]
    assert found["pearson"] == pytest.approx(
        stats.pearsonr(METRIC.ravel(), HUMAN.ravel()).statistic, abs=CLOSE
    )
    assert (
        main(
            [
                *arguments[:-1],
                "--absolute",
                "--part",
                "upper",
                "--given",
                "system",
            ]
        )
        == 0
    )
    assert "12" in capsys.readouterr().out.splitlines()[1]
    assert main([*arguments[:-1], "--level", "0.9", "--resamples", "50"]) == 0
    assert capsys.readouterr().out.splitlines()[0].count("90% interval") == 2
    assert len(found["intervals"]["pearson"]) == 2
    for more, message in (
        (["--window", "3"], "--window: no effect on records"),
        (["--resamples", "x"], "--resamples x: expected a whole number"),
        (["--statistic", "person"], "no statistic is called 'person'"),
    ):
        assert main([*arguments, *more]) == 2
        assert message in capsys.readouterr().err
    assert (
        main(
            [
                "correlate",
                f"{{file: {path}, scores: m}}",
                "--human",
                human_data,
                "--statistic",
                "pearson",
            ]
        )
        == 2
    )
    assert (
        "score: Field required; records have file, where"
        in capsys.readouterr().err
    )
    assert (
        main(["correlate", one, "--human", str(path), "--statistic", "pearson"])
        == 2
    )
    assert (
        "name all scores as {file: FILE, score: COLUMN}"
        in capsys.readouterr().err
    )
