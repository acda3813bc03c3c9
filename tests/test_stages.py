"""The list of stages: which there are, in which order, what the listener hears, and that one more
is one line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pipeline import stages
from pipeline.errors import StoreError
from pipeline.execution.options import AUTO, Listener
from pipeline.reopen import revisit
from pipeline.scoring import DatasetInfo
from pipeline.scoring.stored_runs import load_two
from pipeline.stage import Job, Scored, Stage
from tests.conftest import ROOT, Hears, run, write_run

DOCUMENTED = re.findall(
    r"^([a-z]+)  +[A-Z]", stages.__doc__ or "", re.MULTILINE
)
"""The names of the stages as the docstring of the file lists them."""


def heard(config: Path) -> list[str]:
    """Run a config; return the names of the stages that a listener hears."""
    names: list[str] = []
    run(config, config.parent / "run", AUTO, Hears(stage=names.append))
    return names


def test_the_stages_are_those_documented_in_their_order(tmp_path: Path) -> None:
    sections: dict[str, Any] = {
        "statistics": {"resamples": 5, "trials": 5},
        "output": {"mean": True},
    }
    config = write_run(tmp_path, 9, systems=("A", "B", "C"), **sections)
    assert heard(config) == DOCUMENTED
    assert heard(config) == ["looking", *DOCUMENTED[1:]]


def test_what_the_config_does_not_ask_for_is_left_out(tmp_path: Path) -> None:
    optional = {stage.name for stage in (*stages.STAGES, *stages.LAST_STAGES)}
    requested = [name for name in DOCUMENTED if name not in optional]
    assert heard(write_run(tmp_path, 9)) == requested
    assert requested == ["counting", "scoring", "writing"]


def test_a_stage_is_a_function_and_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs after those before it, with what it asks for, and what it adds is in results.json."""

    def best(scored: Scored, requested: int) -> Scored:
        names = [
            score.system
            for score in scored.results.scores
            if score.rank <= requested
        ]
        assert all(
            score.bootstrap
            for metric_result in scored.metric_results
            for score in metric_result.scores
        )
        return scored.with_warnings(f"best: {', '.join(names)}")

    def nothing(job: Job) -> None:
        assert job

    added = [
        Stage(
            name="finding the best",
            requested=lambda job: len(job.metrics),
            add=best,
        ),
        Stage(name="no", requested=nothing, add=best),
    ]
    monkeypatch.setattr(stages, "STAGES", [*stages.STAGES, *added])
    config = write_run(
        tmp_path, 9, systems=("A",), statistics={"resamples": 5, "trials": 5}
    )
    assert heard(config) == [
        "counting",
        "scoring",
        "resampling",
        "finding the best",
        "writing",
    ]
    assert '"best: A"' in (tmp_path / "run" / "results.json").read_text("utf-8")


def test_a_listener_of_its_own_hears_nothing_and_stops_nothing(
    tmp_path: Path,
) -> None:
    config = write_run(tmp_path, 9)
    assert run(config, tmp_path / "run", AUTO, Listener()).scores


def test_a_run_of_an_earlier_version_is_known_again_and_counted_anew_once(
    tmp_path: Path,
) -> None:
    """Its digests are BLAKE2b's; that of the source is what version 0.1.0 wrote into tests/pinned."""
    config, folder = ROOT / "configs" / "quickstart.yaml", tmp_path / "run"
    run(config, folder)
    path, new = (
        folder / "results.json",
        (folder / "results.json").read_text("utf-8"),
    )
    corpus = stages.prepare(config).corpora[0]
    info = json.loads(new)["datasets"][corpus.name]
    old = DatasetInfo.of(corpus, dict.fromkeys(info["digests"], "")).digests
    assert old["source"] == "92295207a1a76d1f547e79f31dd849f7"
    for role, digest in info["digests"].items():
        path.write_text(
            path.read_text("utf-8").replace(digest, old[role]),
            "utf-8",
        )
    assert DatasetInfo.of(corpus, old).digests == old
    assert revisit(folder).unread == ""
    run(config, tmp_path / "other")
    with pytest.raises(
        StoreError,
        match="run: is of an earlier version, whose digests of texts are others",
    ):
        load_two(tmp_path / "other", folder)
    reported: list[str] = []
    for _ in range(2):
        run(config, folder, listener=Hears(warn=reported.append))
        assert path.read_text("utf-8") == new
    assert reported == [
        f"{folder}: an earlier version had other digests of texts; they are counted anew, once"
    ]
