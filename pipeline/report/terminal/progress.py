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
from ...execution import SILENT, Listener
from .printing import coloured, console, wrapped

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar(Listener):
    """A progress bar on standard error: the share that is done, the speed, and the time left.

    Unless it is `enabled`, no bar is drawn, and messages are printed as plain lines.
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

            self.bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(20),
                TextColumn("{task.fields[share]}"),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=console(sys.stderr),
                transient=True,
            )
            self.bar.start()
        return self

    def stage(self, name: str) -> None:
        """Begin an empty bar with this name."""
        if self.enabled:
            for task in self.bar.task_ids:
                self.bar.remove_task(task)
            self.bar.add_task(printable(name), total=None, share="")

    def progress(self, done: int, total: int) -> None:
        """Show how many lines are done."""
        self._show(done, total, "lines")

    def testing(self, done: int, total: int) -> None:
        """Show how many samples and trials are done."""
        self._show(done, total, "samples")

    def matches(self, done: int, total: int) -> None:
        """Show how many matches of TrueSkill are done."""
        self._show(done, total, "matches")

    def size(self, done: int, total: int) -> None:
        """Show how many bytes are done."""
        self._show(done, total, "bytes")

    def _show(
        self,
        done: int,
        total: int,
        unit: str,
    ) -> None:
        if self.enabled:
            (task,) = self.bar.tasks
            share = f"{done / total:.0%} of {total:,} {unit}"
            if task.speed:
                share += f", {task.speed:,.0f}/s"
            self.bar.update(
                task.id,
                completed=done,
                total=total,
                share=share,
            )

    def warn(self, text: str) -> None:
        """Print a warning at once."""
        self.print(f"note: {text}")

    def print(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self.enabled:
            from rich.text import Text

            ansi_text = coloured(
                wrapped(printable(text), sys.stderr), sys.stderr
            )
            self.bar.console.print(Text.from_ansi(ansi_text), soft_wrap=True)
        else:
            print(printable(text), file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            self.bar.stop()


class NotebookBar(Bar):
    """A line with a bar in the output of a cell. It is drawn anew at each percent, and disappears at
    the end.

    `display` is IPython's function of this name.
    """

    def __init__(self, display: Callable[..., Any]) -> None:
        super().__init__(enabled=False)
        self.display = display
        self.name = ""
        self.drawn_text = ""
        self.line: Any = None

    def __enter__(self) -> "NotebookBar":
        self.line = self.display(
            {"text/plain": "", "text/html": ""}, raw=True, display_id=True
        )
        return self

    def stage(self, name: str) -> None:
        """Begin an empty bar with this name."""
        self.name = name
        self._draw(printable(name), "")

    def _show(
        self,
        done: int,
        total: int,
        unit: str,
    ) -> None:
        text = f"{printable(self.name)}: {done / total:.0%} of {total:,} {unit}"
        self._draw(text, f'<progress value="{done}" max="{total}"></progress> ')

    def _draw(self, text: str, bar: str) -> None:
        if text != self.drawn_text:
            self.drawn_text = text
            self.line.update(
                {"text/plain": text, "text/html": bar + escape(text)}, raw=True
            )

    def __exit__(self, *_: object) -> None:
        self.line.update({"text/plain": "", "text/html": ""}, raw=True)


def progress_listener(enabled: bool) -> AbstractContextManager[Listener]:
    """Return a listener that draws the progress, as a context: in a line of a notebook, or else as
    the bar of a terminal. One that is not enabled draws nothing.
    """
    if not enabled:
        return nullcontext(SILENT)
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    # a notebook has a kernel, a terminal has none
    if not hasattr(shell, "kernel"):
        return Bar(enabled=sys.stderr.isatty())
    return NotebookBar(import_module("IPython.display").display)
