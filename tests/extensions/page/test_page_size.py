"""The largest number of sentences of a page."""

import shutil
from pathlib import Path

import pytest

from pipeline.cli.dispatch import main
from pipeline.extensions.page import explorer
from tests.conftest import ROOT


def test_a_page_has_a_largest_size(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The message names the number of lines that works."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    assert (
        main(["run", "configs/quickstart.yaml", "-q", "--output", "run"]) == 0
    )
    monkeypatch.setattr(explorer, "MAX_BYTES", 20_000)
    page = ["report", "run", "--format", "html", "--output", "page", "--lines"]
    capsys.readouterr()
    assert main([*page, "100000"]) == 2
    words = capsys.readouterr().err.split()
    most = words[words.index("most") + 1]
    assert 1 < int(most) < 96
    assert main([*page, str(int(most) + 1)]) == 2
    assert main([*page, most]) == 0
