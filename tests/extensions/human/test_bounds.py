"""Judgements of more systems than can be ranked."""

from pathlib import Path

import pytest

from pipeline.errors import CorpusError
from pipeline.extensions.human import judgments
from pipeline.extensions.human.judgments import read_judgments


def test_judgements_are_of_so_many_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgments, "MAX_SYSTEMS", 3)
    header = "judgeID,segmentId,system1Id,system1rank,system2Id,system2rank\n"
    (tmp_path / "three.csv").write_text(
        f"{header}a,1,A,1,B,2\na,2,B,1,C,2\n", encoding="utf-8"
    )
    (tmp_path / "four.csv").write_text(
        f"{header}a,1,A,1,B,2\na,2,C,1,D,2\n", encoding="utf-8"
    )
    assert len(read_judgments(tmp_path / "three.csv").systems) == 3
    with pytest.raises(
        CorpusError, match=r"four.csv: has 4 systems; at most 3 can be ranked"
    ):
        read_judgments(tmp_path / "four.csv")
