"""Intervals of all outputs: over samples whose texts are scored anew, and as the score's own interval."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import pipeline
from pipeline.cli import main
from pipeline.scoring.resampling.intervals import percentile_interval
from pipeline.scoring.resampling.samples import Bootstrap
from pipeline.scoring.results import Results
from tests.conftest import write_run
from tests.scoring.test_sentence_outputs import GOLD, HYPOTHESES, ONE, SOURCES, TWO

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = 40
STATISTICS = {"outputs": "all", "resamples": SAMPLES, "test": "none"}
SYSTEMS = {"A": HYPOTHESES, "B": [*ONE[:2], *HYPOTHESES[2:]]}
METRICS = [
    "chrf",
    "google_gleu",
    "bleu",
    "ter",
    "ter[level=mean]",
    "rouge[types=1+L]",
    "rouge[types=2,level=micro]",
    "rouge[types=1+W,refs=mean]",
    "rouge[flavour=perl,types=1+L,refs=jackknife]",
    "green",
    "gleu[refs=max]",
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", METRICS)
def test_intervals_are_those_of_samples_that_are_scored_anew(metric: str) -> None:
    results = pipeline.evaluate(SYSTEMS, [ONE, TWO], SOURCES, metrics=[metric], statistics=STATISTICS)
    weights = Bootstrap(len(HYPOTHESES), 12345).take(SAMPLES)
    for result in results:
        drawn: dict[str, list[float]] = {}
        for row in weights:
            texts: list[list[str]] = [
                [text for text, times in zip(own, row.tolist(), strict=True) for _ in range(times)]
                for own in (SYSTEMS[result.system], ONE, TWO, SOURCES)
            ]
            sample = pipeline.evaluate(texts[0], texts[1:3], texts[3], metrics=[metric])[0]
            for name, value in sample.outputs.items():
                drawn.setdefault(name, []).append(value)
        counts = {name for name in drawn if name not in result.intervals}
        assert all(name.rpartition("_")[0] in result.measure.counts or name in result.measure.counts for name in counts)
        for name, spread in result.intervals.items():
            low, high = percentile_interval(np.array(drawn[name]), 0.95)
            assert spread.interval == pytest.approx((float(low), float(high)), abs=1e-12), name
            assert spread.mean == pytest.approx(np.mean(drawn[name]), abs=1e-12), name
            assert spread.std == pytest.approx(np.std(drawn[name], ddof=1), abs=1e-12), name


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", [*METRICS, "gleu[iter=7]", "gleu[refs=leave_one_out,iter=5]", "gleu[refs=each]"])
def test_the_interval_of_the_score_is_its_own(metric: str) -> None:
    for result in pipeline.evaluate(SYSTEMS, [ONE, TWO], SOURCES, metrics=[metric], statistics=STATISTICS):
        spread = next(iter(result.intervals.values()))
        assert result.bootstrap is not None
        assert spread.interval == pytest.approx(result.bootstrap.interval, abs=1e-15)
        assert (spread.mean, spread.std) == pytest.approx((result.bootstrap.mean, result.bootstrap.std), abs=1e-15)
        assert all(low <= high for low, high in (own.interval for own in result.intervals.values()))


@pytest.mark.parametrize("annotators", ["whole", "reselected"])
def test_metrics_of_edits_have_intervals_of_precision_and_recall(annotators: str, tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(GOLD * 3, encoding="utf-8")
    one = ["He goes to the school .", "All was well ."]
    two = ["He go to school .", "All is well .", "He went to the school .", "All is good ."]
    statistics: Any = {**STATISTICS, "annotators": annotators}
    (result,) = pipeline.evaluate([*one, *two], metrics=["m2"], gold=tmp_path / "gold.m2", statistics=statistics)
    assert list(result.intervals) == ["m2", "precision", "recall"]
    assert result.bootstrap is not None
    assert result.intervals["m2"].interval == result.bootstrap.interval
    low, high = result.intervals["precision"].interval
    assert low < result.outputs["precision"] < high


def test_a_run_keeps_them_and_has_none_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    statistics: Any = {"resamples": 20, "trials": 20, "outputs": "all"}
    config = write_run(tmp_path, systems=["A", "B"], chosen=["rouge", "bleu"], statistics=statistics)
    evaluation = pipeline.run(config, tmp_path / "run")
    read = Results.read(tmp_path / "run" / "results.json")
    assert [score.intervals for score in read.scores] == [result.intervals for result in evaluation]
    assert read.statistics is not None
    assert read.statistics["outputs"] == "all"
    assert list(evaluation[0].intervals) == list(evaluation[0].outputs)
    with (tmp_path / "run" / "scores.csv").open() as file:
        rows = {(row["system"], row["metric"], row["output"]): row["value"] for row in csv.DictReader(file)}
    own = evaluation[0]
    low, high = own.intervals["rouge1_precision"].interval
    found = [rows[own.system, own.signature, f"rouge1_precision_{end}"] for end in ("low", "high")]
    assert found == [repr(low), repr(high)]
    assert [output for _, _, output in rows if "match" in output and output.endswith("low")] == []
    if find_spec("pandas"):
        frame = evaluation.to_pandas(columns="all")
        assert frame["rouge1_precision_low"][0] == low
    again = pipeline.compare(tmp_path / "run", outputs="score")
    assert not any(score.intervals for score in again.scores)
    assert main(["rank", str(tmp_path / "run"), "--outputs", "score", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert "outputs" not in content["statistics"]
    assert not any("intervals" in score for score in content["scores"])
    assert main(["rank", str(tmp_path / "run"), "--digits", "3"]) == 0
    assert "rouge1_precision" in capsys.readouterr().out


def test_the_command_prints_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("o", "a b x\nq\n"), ("r", "a b c d\nq\n")):
        (tmp_path / name).write_text(text)
    files = ("-r", str(tmp_path / "r"), "-o", str(tmp_path / "o"))
    assert main(["score", "rouge1", *files, "--all-intervals"]) == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if "rouge1_precision" in line)
    assert row.split()[-5:] == ["83.33", row.split()[-4], "66.67", "to", "100.00"]
    assert main(["score", "rouge1", *files, "--confidence"]) == 0
    assert "rouge1_precision" not in capsys.readouterr().out
