"""The blocks of `help plugins` as files, and fixtures of tests that bring metrics."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.extensions.functions import loading
from pipeline.extensions.functions.code_files import MODULE
from pipeline.metrics import METRICS
from pipeline.metrics.names import forget_names
from tests.conftest import ROOT

PAGE = (
    ROOT / "pipeline" / "extensions" / "functions" / "help" / "plugins.md"
).read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)
SOURCE = (ROOT / "data" / "source.txt").read_text(encoding="utf-8").splitlines()
REFERENCES = [
    (ROOT / "data" / f"reference{n}.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    for n in (0, 1)
]
OUTPUTS = {
    p.stem: p.read_text(encoding="utf-8").splitlines()
    for p in sorted((ROOT / "data" / "systems").glob("*.txt"))
}


@pytest.fixture(autouse=True)
def forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """An empty folder of caches, and afterwards no metric that a test has brought."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "caches"))
    before = dict(METRICS.entries)
    yield
    METRICS.entries.clear()
    METRICS.entries.update(before)
    for name in [name for name in sys.modules if name.startswith(MODULE)]:
        del sys.modules[name]
    loading._files.clear()
    forget_names()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files of the page, and the sample's data."""
    for language, name, text in BLOCKS:
        if name and language in ("python", "yaml"):
            (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path
