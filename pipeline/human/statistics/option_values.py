"""Numbers with a fraction as options of statistics: texts, because signatures keep what was written."""

from __future__ import annotations

from ...errors import ConfigError

NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?"
"""The form of a number from 0, as a regular expression."""


def share(name: str, text: str) -> float:
    """Return a number above 0 and up to 1; raises ConfigError where the text is none."""
    if not 0 < float(text) <= 1:
        raise ConfigError(f"{name}: expected a number above 0 and up to 1, found {text}")
    return float(text)
