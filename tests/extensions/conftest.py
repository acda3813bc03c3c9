"""The browser that tests of pages share, and which tests need several extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.extension import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.extensions.page import browser as browsers

EXTENSIONS_OF_TESTS = {
    "errant/test_by_type.py": {"page"},
    "errant/test_edits_report.py": {"page"},
    "human/test_agreement.py": {"edits", "errant", "page"},
    "human/test_people.py": {"page", "plots"},
    "neural/test_effects_page.py": {"page"},
    "page/test_charts.py": {"human", "plots"},
    "page/test_imeasure_edits.py": {"edits", "errant"},
    "page/test_page_data.py": {"edits"},
    "plots/test_curves.py": {"page"},
    "published/test_reproduce.py": {"errant"},
}
"""Files of tests with the other extensions that they need."""
collect_ignore = []
for file, names in EXTENSIONS_OF_TESTS.items():
    if names - set(installed()):
        collect_ignore.append(file)


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Browser]:
    """The browser of all tests, which skip if there is none: to start one takes longer than most
    of them.
    """
    browsers = pytest.importorskip("tests.extensions.page.browser")
    if reason := browsers.lacking():
        pytest.skip(reason)
    with browsers.browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def browser(window: browsers.Browser) -> browsers.Browser:
    """The browser for the tests of a file, as it is when it starts."""
    window.reset()
    return window
