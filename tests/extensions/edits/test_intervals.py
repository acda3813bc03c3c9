"""Intervals of metrics of edits."""

from pathlib import Path

import pipeline
from tests.extensions.edits.test_sentence_outputs import GOLD
from tests.scoring.test_intervals import STATISTICS


def test_metrics_of_edits_have_intervals_of_precision_and_recall(
    tmp_path: Path,
) -> None:
    (tmp_path / "gold.m2").write_text(GOLD * 3, encoding="utf-8")
    one = ["He goes to the school .", "All was well ."]
    two = [
        "He go to school .",
        "All is well .",
        "He went to the school .",
        "All is good .",
    ]
    (result,) = pipeline.evaluate(
        [*one, *two],
        metrics=["m2"],
        gold=tmp_path / "gold.m2",
        statistics=STATISTICS,
    )
    assert list(result.intervals) == ["m2", "precision", "recall"]
    assert result.bootstrap is not None
    assert result.intervals["m2"].interval == result.bootstrap.interval
    low, high = result.intervals["precision"].interval
    assert low < result.outputs["precision"] < high
