"""Scorers and rewards refuse metrics that compare edits."""

import pytest

import pipeline
from pipeline import rewards
from pipeline.errors import InputError


def test_a_metric_of_an_m2_file_is_refused() -> None:
    with pytest.raises(
        InputError, match="m2: compares edits with those of an M2 file"
    ):
        rewards.plain("m2")
    with pytest.raises(
        InputError, match="m2 compares edits with those of an M2 file"
    ):
        pipeline.Scorer("m2", ["a"], ["a"])


def test_a_metric_of_annotated_outputs_is_refused() -> None:
    with pytest.raises(InputError, match="errant: compares edits of outputs"):
        rewards.trl("errant")
    with pytest.raises(InputError, match="errant: compares edits of outputs"):
        pipeline.Scorer("errant", ["a"], ["a"])
