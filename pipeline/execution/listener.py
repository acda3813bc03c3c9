"""Listeners are told how a run goes: the progress bar and the log are listeners."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Listener:
    """A listener that does nothing. Subclasses override the methods that they need."""

    def stage(self, name: str) -> None:
        """Take the name of the stage of the run that begins."""

    def progress(self, done: int, whole: int) -> None:
        """Take the number of lines that are counted. A line counts once for each system."""

    def testing(self, done: int, whole: int) -> None:
        """Take the number of samples, trials or matches that are done."""

    def tell(self, text: str) -> None:
        """Take what a user should know at once, such as that a worker died."""

    def note(self, text: str) -> None:
        """Take what is only for the log."""


SILENT = Listener()


class LoggingListener(Listener):
    """A listener that passes every call to another one, and also writes the texts of tell() and note() to a log."""

    def __init__(self, listener: Listener, log: Callable[[str], None]) -> None:
        self.listener, self.log = listener, log

    def stage(self, name: str) -> None:
        """Pass it on."""
        self.listener.stage(name)

    def progress(self, done: int, whole: int) -> None:
        """Pass it on."""
        self.listener.progress(done, whole)

    def testing(self, done: int, whole: int) -> None:
        """Pass it on."""
        self.listener.testing(done, whole)

    def tell(self, text: str) -> None:
        """Log it and pass it on."""
        self.log(text)
        self.listener.tell(text)

    def note(self, text: str) -> None:
        """Log it and pass it on."""
        self.log(text)
        self.listener.note(text)
