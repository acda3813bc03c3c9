"""Records of a config with correlations."""

from pathlib import Path

import pytest
from scipy import stats

from pipeline import stages
from pipeline.data.config import Node
from tests.extensions.human.test_records import CLOSE, HUMAN, METRIC, written


def test_correlations_of_records_in_a_config(tmp_path: Path) -> None:
    path = written(tmp_path, "jsonl")
    keys = {"file": path.name, "system": "who.name", "item": "id"}
    content = {
        "columns": {
            "h": {"records": {**keys, "score": "human.x"}},
            "m": {"records": {**keys, "score": "m"}},
        },
        "correlations": [
            {
                "of": ["m"],
                "with": ["h"],
                "statistics": ["pearson"],
                "without": ["s4"],
            }
        ],
        "expect": [
            {
                "path": "columns/h/s1",
                "values": "9.0",
                "tolerance": "9",
                "why": "any",
            }
        ],
        "output": {"dir": str(tmp_path / "run")},
    }
    results = stages.run(
        stages.prepare(Node.from_mapping(content, tmp_path)), tmp_path / "run"
    )[1]
    assert results.correlations
    assert results.columns
    expected = stats.pearsonr(METRIC[:3].ravel(), HUMAN[:3].ravel()).statistic
    assert results.correlations["m"]["h"] == {
        "systems": 3,
        "scores": 18,
        "pearson": pytest.approx(expected, abs=CLOSE),
    }
    assert results.columns["h"]["s1"] == pytest.approx(
        HUMAN[0].mean(), abs=CLOSE
    )
