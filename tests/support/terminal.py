"""Standard output as a terminal."""

from __future__ import annotations

import sys

import pytest


def on_terminal(
    monkeypatch: pytest.MonkeyPatch, width: int, kind: str = "xterm-256color"
) -> None:
    """Let standard output be a terminal of so many columns of letters; a `dumb` one has no colours."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", kind)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
