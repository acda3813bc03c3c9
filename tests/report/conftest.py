"""What the tests of pages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.report import browser as browsers

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browsers.Browser]:
    """A browser for the tests of a file, which skip where there is none."""
    if reason := browsers.lacking():
        pytest.skip(reason)
    with browsers.browser(tmp_path_factory.mktemp("profile")) as window:
        yield window
