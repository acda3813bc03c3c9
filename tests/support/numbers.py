"""How exactly numbers of tests agree."""

from __future__ import annotations

from typing import Any

import pytest


def near(expected: Any) -> Any:
    """Return what equals numbers that differ by 1e-12 at most."""
    return pytest.approx(expected, abs=1e-12, rel=0)


def very_near(expected: Any) -> Any:
    """Return what equals numbers whose first twelve digits are the same."""
    return pytest.approx(expected, rel=1e-12, abs=1e-12)
