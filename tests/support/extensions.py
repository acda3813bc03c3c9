"""Cases and marks of tests that need an extension."""

from __future__ import annotations

from typing import TypeVar

import pytest

from pipeline.extension import installed

Case = TypeVar("Case")


def with_extension(name: str, *cases: Case) -> list[Case]:
    """Return cases of a test that need an extension, or none if it is not installed."""
    return list(cases) if name in installed() else []


def needs(name: str) -> pytest.MarkDecorator:
    """Return the mark of a test of an extension that needs another one as well."""
    return pytest.mark.skipif(
        name not in installed(), reason=f"needs the extension {name}"
    )


needs_edits = needs("edits")
needs_errant = needs("errant")
