"""The progress bar, for the commands."""

from __future__ import annotations

from ..report.terminal.progress import Bar

__all__ = ["Bar"]
