"""The side of a worker process: it reads a function and its arguments, and writes what the function returns.

Nothing is shared with other workers, not even a lock: whatever happens to one of them, no other waits for it.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

from ..processes import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

IDLE = 300
"""Seconds without work after which a worker process ends."""
READY, DONE, FAILED = "ready", "done", "failed"
"""The kinds of answers: the function is there; what it returned; the error that it raised."""


class Call:
    """A request of another function, which is used for all arguments that follow."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function


def dumps(value: object) -> bytes:
    """Return bytes that another process reads as the same value, also where a class or function is in a notebook."""
    try:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        if b"__main__" not in data:
            return data
    except (pickle.PicklingError, AttributeError, TypeError):
        pass
    from joblib.externals.loky.cloudpickle_wrapper import dumps as dumps_by_value

    by_value: bytes = dumps_by_value(value)
    return by_value


def serve(parent: int) -> None:
    """Answer requests until there are none: the parent closes the pipe, or ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a function prints must not get between the answers
    waiting = [time.monotonic()]
    end_with_parent(parent, lambda: bool(waiting) and time.monotonic() - waiting[0] > IDLE)
    function: Callable[[Any], Any] = repr
    while True:
        try:
            request = pickle.load(requests)  # noqa: S301 (of the parent)
        except (EOFError, OSError):
            return
        except BaseException as error:  # noqa: BLE001 (whatever a module of the user raises)
            _answer(answers, FAILED, error)
            continue
        waiting.clear()
        if isinstance(request, Call):
            function = request.function
            _answer(answers, READY, None)
        else:
            _answer(answers, *_returned(function, request))
        del request
        waiting.append(time.monotonic())


def _returned(function: Callable[[Any], Any], argument: object) -> tuple[str, object]:
    try:
        return DONE, function(argument)
    except BaseException as error:  # noqa: BLE001 (the parent raises it)
        return FAILED, error


def _answer(answers: BinaryIO, kind: str, value: object) -> None:
    """Write an answer; end this process where nobody reads it."""
    where = ""
    if isinstance(value, BaseException):
        where = "".join(traceback.format_exception(value))
        value.__traceback__ = None
    try:
        data = dumps((kind, value, where))
    except Exception as error:  # noqa: BLE001 (whatever an object of the user raises)
        data = dumps((FAILED, RuntimeError(f"{type(value).__name__} cannot be sent: {error}"), where))
    try:
        answers.write(data)
        answers.flush()
    except OSError:
        os._exit(1)
