"""Who hears how a run goes: the progress bar, the log, tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Listener:
    """Hears how a run goes, and does nothing. Who wants to show something overrides a method."""

    def stage(self, name: str) -> None:
        """Hear what is done from now on."""

    def progress(self, done: int, whole: int) -> None:
        """Hear how many lines are counted. A line counts once for each system."""

    def testing(self, done: int, whole: int) -> None:
        """Hear how many samples, trials or matches are done."""

    def tell(self, text: str) -> None:
        """Hear what a user should know at once, such as that a worker died."""

    def note(self, text: str) -> None:
        """Hear what is only for the log."""


SILENT = Listener()


class LoggingListener(Listener):
    """Hands everything on to another listener, and writes what is told or noted to a log as well."""

    def __init__(self, listener: Listener, log: Callable[[str], None]) -> None:
        self.listener, self.log = listener, log

    def stage(self, name: str) -> None:
        """Hand it on."""
        self.listener.stage(name)

    def progress(self, done: int, whole: int) -> None:
        """Hand it on."""
        self.listener.progress(done, whole)

    def testing(self, done: int, whole: int) -> None:
        """Hand it on."""
        self.listener.testing(done, whole)

    def tell(self, text: str) -> None:
        """Log it and hand it on."""
        self.log(text)
        self.listener.tell(text)

    def note(self, text: str) -> None:
        """Log it and hand it on."""
        self.log(text)
        self.listener.note(text)
