"""Scores and counts of sentences as Parquet."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pipeline
from pipeline.extensions.parquet import parquet_files as files_module
from pipeline.extensions.parquet.parquet_files import parquet_files
from pipeline.reopen import revisit
from pipeline.report.context import ReportContext
from pipeline.scoring import MetricColumns, SentenceScores
from tests.conftest import run, write_run
from tests.support.in_process import Call


@pytest.fixture(scope="module")
def sampled(sample: Path) -> ReportContext:
    return revisit(sample)


def whole(chunks: Any) -> io.BytesIO:
    return io.BytesIO(b"".join(chunks))


def test_sentence_scores_are_read_by_pandas_in_one_line(
    sampled: ReportContext,
) -> None:
    frame = pd.read_parquet(whole(parquet_files(sampled)["sentences.parquet"]))
    assert list(frame.columns) == [
        "dataset",
        "system",
        "metric",
        "line",
        "score",
    ]
    assert len(frame) == 2 * 4 * 96
    for measured in sampled.measured:
        for score, columns in zip(
            measured.scores, measured.columns, strict=True
        ):
            ours = frame[
                (frame.system == score.system) & (frame.metric == score.metric)
            ].sort_values("line")
            blocks = [
                SentenceScores(measured.metric).scores(block)
                for block in MetricColumns(measured.metric).compact_blocks(
                    columns
                )
            ]
            np.testing.assert_array_equal(ours.score, np.concatenate(blocks))
            assert list(ours.line) == list(range(1, 97))


def test_counts_are_read_by_polars_in_one_line(sampled: ReportContext) -> None:
    """The sums are those that the scores are made of."""
    polars = pytest.importorskip("polars")
    files = parquet_files(sampled)
    assert sorted(files)[:2] == [
        "columns.overlap-match-penalty-n4-ascii_whitespace.parquet",
        "columns.overlap-union_match-n4-13a.parquet",
    ]
    frame = polars.read_parquet(
        whole(files["columns.overlap-union_match-n4-13a.parquet"])
    )
    ours = frame.filter(
        (polars.col("system") == "eager") & (polars.col("reference") == 0)
    )
    (score,) = [
        s
        for s in sampled.results.scores
        if (s.system, s.metric[:4]) == ("eager", "bleu")
    ]
    assert ours["hyp_len"].sum() == score.outputs["hyp_len"]
    assert ours["union_match_2"].sum() == score.outputs["match_2"]
    assert frame.height == 4 * 2 * 96


def test_parquet_comes_in_chunks_and_in_any_chunks_is_the_same(
    sampled: ReportContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.read_parquet(whole(parquet_files(sampled)["sentences.parquet"]))
    # a block for each system and metric
    monkeypatch.setattr(files_module, "BLOCKS_IN_GROUP", 1)
    monkeypatch.setattr(files_module, "READ_BYTES", 1000)
    chunks = list(parquet_files(sampled)["sentences.parquet"])
    assert (
        [len(chunk) for chunk in chunks[:-1]]
        == [1000] * (len(chunks) - 1)
        != []
    )
    pd.testing.assert_frame_equal(pd.read_parquet(whole(chunks)), frame)


def test_references_that_are_missing_have_no_rows(tmp_path: Path) -> None:
    config = write_run(tmp_path, 8)
    content = json.loads(config.read_text(encoding="utf-8"))
    content["datasets"]["d"]["empty_references"] = "none"
    config.write_text(json.dumps(content))
    for name, text in (("ref0", "a b\n" * 8), ("ref1", "a b\n\n" * 4)):
        (tmp_path / "d" / name).write_text(text, encoding="utf-8")
    run(config, tmp_path / "run")
    files = parquet_files(revisit(tmp_path / "run"))
    (name,) = set(files) - {"sentences.parquet"}
    frame = pd.read_parquet(whole(files[name]))
    assert frame[frame.system == "A"].groupby("reference").line.apply(
        list
    ).to_dict() == {
        0: [*range(1, 9)],
        1: [1, 3, 5, 7],
    }


def test_parquet_has_the_outputs_that_are_asked_for(
    tmp_path: Path, call: Call
) -> None:
    config = write_run(tmp_path, systems=["A", "B"], chosen=["rouge", "ter"])
    evaluation = pipeline.run(config, tmp_path / "run")
    report = [
        "report",
        str(tmp_path / "run"),
        "--format",
        "parquet",
        "--output",
        str(tmp_path / "out"),
        "--columns",
    ]
    call("", *report, "rouge?_recall", "edits")
    frame = pd.read_parquet(
        io.BytesIO((tmp_path / "out" / "sentences.parquet").read_bytes())
    )
    more = ["rouge1_recall", "rouge2_recall", "rougeL_recall", "edits"]
    assert list(frame.columns) == [
        "dataset",
        "system",
        "metric",
        "line",
        "score",
        *more,
    ]
    for result in evaluation:
        ours = frame[
            (frame.system == result.system) & (frame.metric == result.signature)
        ]
        for name in more:
            expected = result.sentence_outputs.get(name)
            assert (
                ours[name].isna().all()
                if expected is None
                else ours[name].tolist() == expected.tolist()
            )
    assert (
        "did you mean 'rouge1_recall'?"
        in call("", *report, "rouge1_recal", code=2).err
    )
