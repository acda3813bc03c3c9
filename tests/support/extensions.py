"""Marks of tests of the core that have a case with an extension."""

from __future__ import annotations

import pytest

from pipeline.extension import installed


def needs(name: str) -> pytest.MarkDecorator:
    """Return the mark of a test, or of one of its cases, that needs an extension."""
    return pytest.mark.skipif(
        name not in installed(), reason=f"needs the extension {name}"
    )


needs_edits = needs("edits")
needs_errant = needs("errant")
