"""Names of systems in judgements and scores that are other names in a run: `aliases` and `correlate --alias`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipeline.config.models import HumanConfig
from pipeline.errors import InputError
from pipeline.human.people import open_people
from tests.conftest import called

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n1,1,{0},1,b,2\n2,1,b,2,c,1\n3,1,c,1,{0},2\n"
METRIC = "INPUT 0.1\nb 0.2\nc 0.4\n"


def scores(path: Path, aliases: dict[str, str] | None = None) -> dict[str, float]:
    """Return wins of each system, or the scores in the file, as they are called in a run."""
    given = {"aliases": aliases} if aliases else {}
    people = open_people(path, HumanConfig.model_validate({"file": str(path), **given}))
    if people.judgments is None:
        return next(iter(people.scores.values()))
    wins = people.judgments.wins().sum(axis=1).tolist()
    return dict(zip(people.judgments.systems, map(float, wins), strict=True))


@pytest.mark.parametrize("text", [PAIRS, "{0} 0.5\nb 0.2\nc 0.9\n"])
def test_a_system_has_the_name_that_the_run_has_for_it(tmp_path: Path, text: str) -> None:
    for name in ("src", "INPUT"):
        (tmp_path / f"{name}.csv").write_text(text.format(name), encoding="utf-8")
    assert scores(tmp_path / "src.csv", {"src": "INPUT"}) == scores(tmp_path / "INPUT.csv")
    assert scores(tmp_path / "src.csv") != scores(tmp_path / "INPUT.csv")


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"scr": "INPUT"}, "aliases: has no system 'scr' (did you mean 'src'?); it has b, c, src"),
        ({"src": "b"}, "aliases: 'b' and 'src' would both be called 'b'; a name is for one system"),
    ],
)
@pytest.mark.parametrize("text", [PAIRS, "{0} 0.5\nb 0.2\nc 0.9\n"])
def test_aliases_that_cannot_be_are_told(tmp_path: Path, text: str, aliases: dict[str, str], message: str) -> None:
    (tmp_path / "h.csv").write_text(text.format("src"), encoding="utf-8")
    with pytest.raises(InputError) as error:
        scores(tmp_path / "h.csv", aliases)
    assert message in str(error.value)


def test_correlate_takes_aliases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "h.csv").write_text(PAIRS.format("src"), encoding="utf-8")
    (tmp_path / "m.txt").write_text(METRIC, encoding="utf-8")
    given = ["correlate", tmp_path / "m.txt", "--human", tmp_path / "h.csv", "--json", "-q"]
    code, out, _ = called(capsys, *given, "--alias", "src=INPUT")
    assert (code, json.loads(out)["settings"]["aliases"]) == (0, {"src": "INPUT"})
    code, _, err = called(capsys, *given)
    assert (code, "has 2 systems in common" in err) == (2, True)
    for wrong in ("src", "=INPUT"):
        code, _, err = called(capsys, *given, "--alias", wrong)
        assert (code, f"--alias {wrong}: expected NAME=OTHER, such as src=INPUT" in err) == (2, True)
