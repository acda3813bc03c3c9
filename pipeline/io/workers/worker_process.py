"""The parent's side of a worker process: it is started, asked, watched and killed."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

from ..processes import starved
from .serving import FAILED, dumps

_PACKAGE = __name__.partition(".")[0]
BEGIN = (
    "import pickle, sys; sys.path[:], parent = pickle.load(sys.stdin.buffer); "
    f"from {_PACKAGE}.io.workers.serving import serve; serve(parent)"
)
"""What a worker process does. Its path for modules is that of its parent."""
FRESH = 60
"""Seconds for which a worker without work may be used again; it ends by itself later than that."""
PATIENCE = 10.0
"""Seconds within which a process that is killed must end, else it is left alone."""
START = 60.0
"""Seconds within which the system must have started a process, else it is killed."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_BORROW = "_USE_VFORK"
"""The switch of subprocess, in its documentation, by which no process borrows the memory of its parent."""
_idle: list[WorkerProcess] = []
"""Workers of this process that have no work."""


class GoneError(Exception):
    """A worker process has ended, or was killed, without an answer."""


class WorkerProcess:
    """A worker process. Its methods are called by one thread, but for kill() and used()."""

    def __init__(self) -> None:
        """Start the process; raises OSError where the system gives none."""
        self.surroundings = _surroundings()
        utf8 = ["-X", "utf8"] if sys.flags.utf8_mode else []
        self._process = _started([sys.executable, "-P", *utf8, "-c", BEGIN])
        self.pid, self._since = self._process.pid, 0.0
        self._header = pickle.dumps((sys.path, os.getpid()))

    def prepare(self, request: bytes) -> None:
        """Have the process load a function, which is a Call as bytes; raises what that raises, as ask() does."""
        header, self._header = self._header, b""
        self._asked(header + request)

    def ask(self, argument: object) -> Any:
        """Return what the function returns for an argument, or raise its error; GoneError where the process ends."""
        return self._asked(dumps(argument))

    def _asked(self, request: bytes) -> Any:
        requests, answers = self._pipes()
        try:
            requests.write(request)
            requests.flush()
            kind, value, where = pickle.load(answers)  # noqa: S301 (of our own process)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            raise GoneError from None
        if kind == FAILED:
            if where:
                value.add_note(f"in a worker process:\n{where}")
            raise value
        return value

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise GoneError
        return requests, answers

    def used(self) -> float | None:
        """Return the seconds of processor time that the process has used; None where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_bytes().rpartition(b")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return None

    def kill(self) -> None:
        """End the process at once, whatever it does; a thread that waits for its answer gets GoneError."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process, and close its pipes. No thread may wait for it any more."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe:
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)

    def keep(self) -> None:
        """Keep the process for later work."""
        self._since = time.monotonic()
        _idle.append(self)

    @property
    def usable(self) -> bool:
        """Whether the process lives, not too long without work, and has the surroundings of this one."""
        fresh = time.monotonic() - self._since < FRESH
        return fresh and self._process.poll() is None and self.surroundings == _surroundings()


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a command with pipes to it, and return its process; raises OSError where the system gives none.

    A process may be stopped before it has become the command, and whoever starts it waits for that. So another thread
    does, and the process is killed when it takes too long. Python would then hold up all threads where it borrows its
    memory to the process (vfork), so this is done only where there is no memory for a copy.
    """
    process: subprocess.Popen[bytes] = subprocess.Popen.__new__(subprocess.Popen)
    errors: list[BaseException] = []

    def start() -> None:
        try:
            _start(process, command)
        except BaseException as error:  # noqa: BLE001 (the thread that waits raises it)
            errors.append(error)

    thread = threading.Thread(target=start, name="start", daemon=True)
    thread.start()
    thread.join(START)
    if thread.is_alive():
        with contextlib.suppress(AttributeError, OSError):
            os.kill(process.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        thread.join(PATIENCE)
        if thread.is_alive():
            raise OSError(errno.ETIMEDOUT, f"no process could be started within {START:.0f} s")
    if errors:
        raise errors[0]
    return process


def _start(process: subprocess.Popen[bytes], command: list[str]) -> None:
    """Start a command as a process whose object is there, so that its number is known before it has begun."""
    environment = {**dict.fromkeys(_THREADS, "1"), **os.environ}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": environment}
    borrows = getattr(subprocess, _BORROW, None)
    try:
        if borrows is not None:
            setattr(subprocess, _BORROW, False)
        process.__init__(command, **pipes)  # type: ignore[misc]
    except OSError as error:
        if error.errno != errno.ENOMEM or borrows is None:
            raise
        setattr(subprocess, _BORROW, borrows)
        process.__init__(command, **pipes)  # type: ignore[misc]
    except SystemError as error:
        if starved(error):
            raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)) from None
        raise
    finally:
        if borrows is not None:
            setattr(subprocess, _BORROW, borrows)


def _surroundings() -> tuple[object, ...]:
    """Return what a worker process has from its parent when it starts, with the number of the parent at the end."""
    try:
        folder = os.getcwd()  # noqa: PTH109 (no Path is needed)
    except OSError:  # it was deleted
        folder = ""
    return [*sys.path], dict(os.environ), folder, os.getpid()


def _close_idle() -> None:
    while _idle:
        process = _idle.pop()
        if process.surroundings[-1] == os.getpid():  # after a fork it is the worker of another process
            process.close()


atexit.register(_close_idle)


def worker_process() -> WorkerProcess:
    """Return a process that has no work, or else a new one; raises OSError where the system gives none."""
    while _idle:
        process = _idle.pop()
        if process.usable:
            return process
        if process.surroundings[-1] == os.getpid():
            process.close()
    return WorkerProcess()
