"""The progress bar of commands and calls that take a while, on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...errors import printable
from ...execution.listener import Listener

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar(Listener):
    """A progress bar on standard error: the share that is done, the speed, and the time left.

    `enabled` says whether the bar is drawn. Without it, messages are printed as plain lines.
    """

    bar: Progress

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled

    def __enter__(self) -> Bar:
        if self.enabled:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            text, share = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[share]}")
            columns = (text, BarColumn(20), share, TimeElapsedColumn(), TimeRemainingColumn())
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
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
            self.bar.update(task.id, completed=done, total=whole, share=f"{done / whole:.0%} of {whole:,} {unit}{rate}")

    def tell(self, text: str) -> None:
        """Print what a user should know at once."""
        self.print(f"note: {text}")

    def print(self, text: str) -> None:
        """Print a line on standard error, above the bar if there is one."""
        if self.enabled:
            from rich.text import Text

            from .printing import coloured, wrapped

            shown = coloured(wrapped(printable(text), sys.stderr), sys.stderr)
            self.bar.console.print(Text.from_ansi(shown), soft_wrap=True)
        else:
            print(printable(text), file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.enabled:
            self.bar.stop()
