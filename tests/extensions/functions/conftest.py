"""Fixtures: no metric that a test brings stays, and a folder with the files of `help plugins`."""

from __future__ import annotations

from tests.extensions.functions.plugin_page import folder, forgotten

__all__ = ["folder", "forgotten"]
