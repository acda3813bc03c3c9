"""The parts of a page that other extensions add, and the page without them."""

from pathlib import Path

import pytest

from pipeline.extensions.page import page, sections
from pipeline.extensions.page.sections import SECTIONS
from pipeline.lookup import Table
from pipeline.reopen import revisit
from tests.conftest import run, write_run

NAMES = ("human", "rankings", "findings", "expected", "effects")


def test_sections_have_the_names_that_the_page_knows() -> None:
    assert set(SECTIONS) <= set(NAMES)
    assert sections.__doc__
    for name in NAMES:
        assert f'"{name}": (' in sections.__doc__
    for function in SECTIONS.values():
        assert callable(function)


def test_a_page_needs_no_other_extension(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(write_run(tmp_path, 3), tmp_path / "run")
    context = revisit(tmp_path / "run")
    complete = page.html_files(context)["report.html"]
    monkeypatch.setattr(sections, "SECTIONS", Table(sections.__name__, {}))
    monkeypatch.setattr(page, "has_charts", lambda: False)
    alone = page.html_files(context)["report.html"]
    assert '<section class="board"' in alone
    assert 'id="sentences"' in alone
    assert "<figure" not in alone.partition("<main>")[2]
    assert len(alone) <= len(complete)
