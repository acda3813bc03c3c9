"""Texts with a word that kills the worker which counts it. Workers import this file, so it imports
little.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from pipeline.execution import workers
from pipeline.execution.workers import Done, Task

POISON = "a-word-that-kills"
COUNT = workers.count
"""The function whose place these take."""


def poison(file: Path, line: int) -> None:
    """Put the word into a line, from 1, of a text."""
    lines = file.read_text(encoding="utf-8").split("\n")
    lines[line - 1] += f" {POISON}"
    file.write_text("\n".join(lines), encoding="utf-8", newline="")


def poisoned(task: Task) -> bool:
    """Whether a line of a task has the word."""
    texts = (
        span.read() if len(span) > 3 else span
        for span in (*task.references, *task.systems)
    )
    return any(
        POISON.encode() in line for text in texts for line in text.texts()
    )


def deadly(once: Path | None = None) -> Callable[[Task], Done]:
    """Return a count() that kills its process over the word. once: only while this file is not
    there.
    """

    def count(task: Task) -> Done:
        if poisoned(task) and not (once and once.exists()):
            if once:
                once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return COUNT(task)

    return count


def hungry(task: Task) -> Done:
    """Count a task, or run out of memory over the word: what is done then is what is done where a
    worker dies.
    """
    if poisoned(task):
        raise MemoryError
    return COUNT(task)
