"""The browser that tests of pages share, and which tests need several extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.extension import installed
from tests.conftest import write_sample
from tests.support.in_process import Printed, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.extensions.page import browser as browsers
    from tests.support.in_process import Call

EXTENSIONS_OF_TESTS = {
    "edits/test_columns.py": {"errant"},
    "edits/test_explain_edits.py": {"errant"},
    "edits/test_scorers.py": {"errant"},
    "edits/test_sentence_outputs.py": {"errant"},
    "errant/test_by_type.py": {"page"},
    "errant/test_edits_report.py": {"page"},
    "functions/test_plugin_lines.py": {"human", "page", "plots"},
    "human/test_agreement.py": {"edits", "errant", "page"},
    "human/test_people.py": {"page", "plots"},
    "human/test_run_as_judge.py": {"functions"},
    "neural/test_effects_page.py": {"page"},
    "page/test_access.py": {"errant"},
    "page/test_charts.py": {"human", "plots"},
    "page/test_compare.py": {"errant"},
    "page/test_finding.py": {"errant"},
    "page/test_imeasure_edits.py": {"edits", "errant"},
    "page/test_page_data.py": {"edits", "errant"},
    "page/test_pictures.py": {"edits", "human"},
    "plots/test_curves.py": {"page"},
    "published/test_boards.py": {"errant"},
    "published/test_cite.py": {"errant", "neural", "nlg"},
    "published/test_edits.py": {"errant"},
    "published/test_expectations.py": {"errant", "nlg"},
    "published/test_families.py": {"errant", "neural", "nlg"},
    "published/test_reproduce.py": {"errant", "nlg"},
    "published/test_reproductions.py": {"edits"},
}
"""Files of tests with the other extensions that they need."""
collect_ignore = []
for file, names in EXTENSIONS_OF_TESTS.items():
    if names - set(installed()):
        collect_ignore.append(file)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of the sample in data/, with human scores if they can be read."""
    sections = {}
    if "human" in installed():
        judgements = {
            "file": "data/judgements.csv",
            "window": 3,
            "resamples": 50,
        }
        sections["human"] = judgements
    return write_sample(tmp_path_factory.mktemp("reports"), **sections)


@pytest.fixture(scope="session")
def window(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[browsers.Browser]:
    """The browser of all tests, which skip if there is none: to start one takes longer than most
    of them.
    """
    browsers = pytest.importorskip("tests.extensions.page.browser")
    if reason := browsers.why_missing():
        pytest.skip(reason)
    with browsers.browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def browser(window: browsers.Browser) -> browsers.Browser:
    """The browser for the tests of a file, as it is when it starts."""
    window.reset()
    return window


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command that ends with an exit code, 0 by default; return what it printed."""

    def run(line: str, *arguments: object, code: int = 0) -> Printed:
        capsys.readouterr()
        run_command(line, *arguments, code=code)
        return Printed(*capsys.readouterr())

    return run


@pytest.fixture
def cwd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
