"""The stages of human judgements and published values in a run."""

from pathlib import Path

from pipeline.execution.options import AUTO
from tests.conftest import Hears, run, write_run
from tests.support.tables import word_list


def test_stages_of_extensions_come_between_resampling_and_averaging(
    tmp_path: Path,
) -> None:
    (tmp_path / "people.csv").write_text("system,people\nA,3\nB,2\nC,1\n")
    config = write_run(
        tmp_path,
        9,
        systems=("A", "B", "C"),
        statistics={"resamples": 5, "trials": 5},
        human={"file": "people.csv", "resamples": 5},
        expect=[{"order": ["A", "B", "C"]}],
        output={"mean": True},
    )
    names: list[str] = []
    run(config, tmp_path / "run", AUTO, Hears(stage=names.append))
    assert names == word_list("""
        counting scoring resampling correlating comparing averaging
        writing
    """)
