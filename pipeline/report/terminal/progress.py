"""The progress of commands and calls that take a while, on a terminal or in a notebook, without
ipywidgets.
"""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...errors import printable
from ...execution.options import SILENT, Listener
from .printing import coloured, console, wrapped

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar(Listener):
    """A progress bar on standard error: the share that is done, the speed, and the time left.

    `enabled` says whether the bar is drawn. Without it, messages are printed as plain lines.
    """

    bar: "Progress"

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled

    def __enter__(self) -> "Bar":
        if self.enabled:
            from rich.progress import (
                BarColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            text, share = (
                TextColumn("{task.description}", markup=False),
                TextColumn("{task.fields[share]}"),
            )
            columns = (text, BarColumn(20), share, TimeElapsedColumn(), TimeRemainingColumn())
            self.bar = Progress(*columns, console=console(sys.stderr), transient=True)
            self.bar.start()
        return self

    def stage(self, name: str) -> None:
        """Begin an empty bar with this name."""
        if self.enabled:
            for task in self.bar.task_ids:
                self.bar.remove_task(task)
            self.bar.add_task(printable(name), total=None, share="")

    def progress(self, done: int, whole: int) -> None:
        """Show how many lines are done."""
        self._show(done, whole, "lines")

    def testing(self, done: int, whole: int) -> None:
        """Show how many samples and trials are done."""
        self._show(done, whole, "samples")

    def matches(self, done: int, whole: int) -> None:
        """Show how many matches of TrueSkill are done."""
        self._show(done, whole, "matches")

    def size(self, done: int, whole: int) -> None:
        """Show how many bytes are done."""
        self._show(done, whole, "bytes")

    def _show(self, done: int, whole: int, unit: str) -> None:
        if self.enabled:
            (task,) = self.bar.tasks
            rate = f", {task.speed:,.0f}/s" if task.speed else ""
            self.bar.update(
                task.id,
                completed=done,
                total=whole,
                share=f"{done / whole:.0%} of {whole:,} {unit}{rate}",
            )

    def warn(self, text: str) -> None:
        """Print what a user should know at once."""
        self.print(f"note: {text}")

    def print(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self.enabled:
            from rich.text import Text

            shown = coloured(wrapped(printable(text), sys.stderr), sys.stderr)
            self.bar.console.print(Text.from_ansi(shown), soft_wrap=True)
        else:
            print(printable(text), file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            self.bar.stop()


class NotebookBar(Bar):
    """A line with a bar in the output of a cell, which is drawn anew at each percent, and leaves
    when all is done.

    `display` is IPython's function of this name.
    """

    def __init__(self, display: Callable[..., Any]) -> None:
        super().__init__(enabled=False)
        self.display = display
        self.name, self.shown = "", ""
        self.line: Any = None

    def __enter__(self) -> "NotebookBar":
        self.line = self.display({"text/plain": "", "text/html": ""}, raw=True, display_id=True)
        return self

    def stage(self, name: str) -> None:
        """Begin an empty bar with this name."""
        self.name = name
        self._draw(printable(name), "")

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
    """Return what shows the progress, as a context: a line in a notebook, or else the bar of a
    terminal.
    """
    if not shown:
        return nullcontext(SILENT)
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module else None
    if not hasattr(shell, "kernel"):  # a notebook has a kernel, a terminal has none
        return Bar(enabled=sys.stderr.isatty())
    return NotebookBar(import_module("IPython.display").display)
