"""The browser that tests of pages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.extensions.page import browser as browsers


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
