"""The progress of a run in a notebook, where the bar of terminals would need the package ipywidgets."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ...execution.options import SILENT, Listener
from ..terminal.progress import Bar

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


class NotebookBar(Listener):
    """A line with a bar in the output of a cell, which is drawn anew at each percent, and leaves when all is done.

    `display` is IPython's function of this name.
    """

    def __init__(self, display: Callable[..., Any]) -> None:
        self.display = display
        self.name, self.shown = "", ""
        self.line: Any = None

    def __enter__(self) -> NotebookBar:
        self.line = self.display({"text/plain": "", "text/html": ""}, raw=True, display_id=True)
        return self

    def stage(self, name: str) -> None:
        """Begin an empty bar with this name."""
        self.name = name
        self._draw(printable(name), "")

    def progress(self, done: int, whole: int) -> None:
        """Show how many lines are done."""
        self._show(done, whole, "lines")

    def testing(self, done: int, whole: int) -> None:
        """Show how many samples, trials or matches are done."""
        self._show(done, whole, "samples")

    def tell(self, text: str) -> None:
        """Print what a user should know at once."""
        print(f"note: {printable(text)}", file=sys.stderr, flush=True)

    def _show(self, done: int, whole: int, unit: str) -> None:
        text = f"{printable(self.name)}: {done / whole:.0%} of {whole:,} {unit}"
        self._draw(text, f'<progress value="{done}" max="{whole}"></progress> ')

    def _draw(self, text: str, bar: str) -> None:
        if text != self.shown:
            self.shown = text
            self.line.update({"text/plain": text, "text/html": bar + escape(text)}, raw=True)

    def __exit__(self, *_: object) -> None:
        self.line.update({"text/plain": "", "text/html": ""}, raw=True)


def shown_progress(shown: bool) -> AbstractContextManager[Listener]:
    """Return what shows the progress, as a context: a line in a notebook, or else the bar of a terminal."""
    if not shown:
        return nullcontext(SILENT)
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module else None
    if not hasattr(shell, "kernel"):  # a notebook has a kernel, a terminal has none
        return Bar(enabled=sys.stderr.isatty())
    return NotebookBar(import_module("IPython.display").display)
