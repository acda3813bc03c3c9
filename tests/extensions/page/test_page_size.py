"""The largest number of sentences of a page."""

import shutil
from pathlib import Path

import pytest

from pipeline.extensions.page import explorer
from tests.conftest import ROOT
from tests.support.in_process import Call
from tests.support.tables import word_list


def test_a_page_has_a_largest_size(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    """The message names the number of lines that works."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    call("run configs/quickstart.yaml -q --output run")
    monkeypatch.setattr(explorer, "MAX_BYTES", 20_000)
    page = word_list("report run --format html --output page --lines")
    words = call("", *page, "100000", code=2).err.split()
    most = words[words.index("most") + 1]
    assert 1 < int(most) < 96
    call("", *page, str(int(most) + 1), code=2)
    call("", *page, most)
