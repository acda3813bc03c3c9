"""Work that threads and processes of this machine share, and the errors of a machine that is full.

Processes are started by joblib (backend loky). A process that is killed while it writes a long
answer to joblib's pipe would leave joblib waiting beyond any timeout, so long answers go through
files.
"""

import contextlib
import errno
import os
import pickle
import secrets
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from .errors import IncompleteError

T = TypeVar("T")
R = TypeVar("R")

# ---- what the system gives

MEMORY = "memory ran out"
"""What messages say of a MemoryError."""
_EXHAUSTED = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Errors of a system that starts no more processes, or opens no more files."""


def starved(error: BaseException) -> str:
    """Return which resource ran out, in a few words; an empty text for any other error."""
    if isinstance(error, MemoryError):
        return MEMORY
    if (
        isinstance(error, RuntimeError)
        and str(error) == "can't start new thread"
    ):
        return (
            f"the system gives no more threads, or no memory for them ({error})"
        )
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        return f"the system gives no more: {error.strerror}"
    return ""


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# ---- threads for short work on many items


class Shared(Protocol):
    """A function like map() that returns a list."""

    def __call__(
        self, call: Callable[[T], R], items: Iterable[T], /
    ) -> list[R]:
        """Return what the function returns for each item, in order."""


def alone(call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
    """Do what a Shared does, in the calling thread."""
    return list(map(call, items))


def in_batches(
    shared: Shared, call: Callable[[T], R], items: Iterable[T], size: int
) -> Iterator[R]:
    """Yield what a function returns for each item, in order; `size` items are shared at once."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield from shared(call, batch)


@contextlib.contextmanager
def threads(number: int) -> Iterator[Shared]:
    """Yield a function like map() whose calls are shared by a number of threads.

    The calls see the context variables of the caller. One thread is the calling one.
    """
    if number == 1:
        yield alone
        return
    # here, because small runs need no thread
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(number) as pool:

        def shared(call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
            futures = [
                pool.submit(copy_context().run, call, item) for item in items
            ]
            return [future.result() for future in futures]

        yield shared


PREFETCHED = 2
"""So many items wait, or are under way."""
_END: Any = object()


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """Yield the items, of which another thread makes the next ones."""
    # here, because small runs need no thread
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        futures = deque(
            pool.submit(next, items, _END) for _ in range(PREFETCHED)
        )
        while True:
            item = futures.popleft().result()
            if item is _END:
                return
            futures.append(pool.submit(next, items, _END))
            yield item


# ---- workers for long work: joblib's processes, or threads

PATIENCE = 3600.0
"""Seconds without any answer after which processes are given up."""
MAX_PIPE_BYTES = 2048
"""Bytes of an answer that goes through joblib's pipe, with some more that joblib adds. A write of
up to 4,096 bytes (PIPE_BUF) comes as a whole or not at all."""
FOLDER = "gec-pipeline-"
"""How the names of temporary folders begin. One that is left by a process that was killed is
deleted by a later run (see remove_abandoned() in plain_files.py)."""


class WorkerLostError(Exception):
    """A worker process ended without an answer, or memory ran out."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class NoAnswerError(WorkerLostError):
    """No worker process has answered for too long."""


def silent(_: str) -> None:
    """Take a message, and do nothing with it."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide warnings of joblib and of clusters' packages, about which the user can do nothing."""
    with warnings.catch_warnings(action="ignore"):
        yield


def results(
    call: Callable[[T], R],
    items: Iterable[T],
    number: int,
    *,
    processes: bool,
    patience: float | None = None,
) -> Iterator[R]:
    """Yield what a function returns for each item, in the order in which workers finish.

    The workers are a number of joblib's processes, or of threads. Calls that are under way in
    threads when this ends early are waited for. Raises WorkerLostError if a process dies, or memory
    runs out; NoAnswerError if processes answer nothing for `patience` seconds; and whatever the
    function raises.
    """
    if processes:
        answers = _from_processes(call, items, number, patience or PATIENCE)
    else:
        answers = _from_threads(call, items, number)
    try:
        yield from answers
    except MemoryError:
        raise WorkerLostError(MEMORY) from None


def _from_threads(
    call: Callable[[T], R], items: Iterable[T], number: int
) -> Iterator[R]:
    """Do what results() does, with threads."""
    from concurrent.futures import (
        FIRST_COMPLETED,
        Future,
        ThreadPoolExecutor,
        as_completed,
        wait,
    )

    pool = ThreadPoolExecutor(number)
    pending: set[Future[R]] = set()
    try:
        for item in items:
            pending.add(pool.submit(call, item))
            if len(pending) == 2 * number:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        for future in as_completed(pending):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _from_processes(
    call: Callable[[T], R], items: Iterable[T], number: int, patience: float
) -> Iterator[R]:
    """Do what results() does, with processes. They live on for later work."""
    from joblib import Parallel, delayed

    parallel = Parallel(
        # joblib would do the work of a single worker in this process
        n_jobs=max(number, 2),
        pre_dispatch=1 if number == 1 else "2 * n_jobs",
        backend="loky",
        return_as="generator_unordered",
        timeout=patience,
        max_nbytes=None,
        initializer=_begin,
        initargs=(os.getpid(), *_preparations.values()),
    )
    folder = Path(tempfile.gettempdir(), f"{FOLDER}{secrets.token_hex(8)}")
    tasks = (delayed(_answer)(call, item, folder) for item in items)
    with _joblib_errors(patience), _ctrl_c_blocked():
        answers = parallel(tasks)
    try:
        while True:
            with _joblib_errors(patience):
                answer = next(answers, _END)
            if answer is _END:
                return
            yield _result(answer)
    finally:
        with quiet():
            answers.close()
        shutil.rmtree(folder, ignore_errors=True)


def _answer(call: Callable[[T], R], item: T, folder: Path) -> bytes | Path:
    """Return the pickled result of a call, or the path of a new file that has it.

    The folder is made by the first worker that needs it.
    """
    data = pickle.dumps(call(item))
    if len(data) <= MAX_PIPE_BYTES:
        return data
    try:
        folder.mkdir(0o700, exist_ok=True)
        file = folder / secrets.token_hex(8)
        file.write_bytes(data)
    except OSError as error:
        message = f"the temporary folder cannot be written: {error.strerror}"
        raise IncompleteError(f"{message}; TMPDIR may name another") from None
    return file


def _result(answer: bytes | Path) -> Any:
    """Return the result that an answer of a worker process has."""
    if isinstance(answer, Path):
        file = answer
        answer = file.read_bytes()
        file.unlink()
    return pickle.loads(answer)  # noqa: S301 (of our own process, through our own folder)


@contextlib.contextmanager
def _joblib_errors(patience: float) -> Iterator[None]:
    """Raise WorkerLostError for what joblib raises of workers that died or answer nothing."""
    from concurrent.futures import BrokenExecutor
    from multiprocessing import TimeoutError as JoblibTimeoutError

    try:
        with quiet():
            yield
    except JoblibTimeoutError:
        message = f"no worker process has finished anything for {patience:g} s"
        raise NoAnswerError(message) from None
    except BrokenExecutor:
        raise WorkerLostError(
            "a worker process died (out of memory, or killed)"
        ) from None


@contextlib.contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Start processes that Ctrl-C at a terminal does not reach: this process ends them."""
    from multiprocessing import resource_tracker

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started with the first worker, Python 3.11's tracker would unblock the signal again.
    resource_tracker.ensure_running()
    # processes inherit this
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_preparations: dict[str, Callable[[], object]] = {}


def prepare_workers(name: str, call: Callable[[], object]) -> None:
    """Have each worker process call a function when it starts; one function for each name."""
    _preparations[name] = call


def _begin(parent: int, *preparations: Callable[[], object]) -> None:
    """Begin a worker process: it prints nothing, ignores Ctrl-C, and ends soon after its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # standard output
    os.dup2(nowhere, 2)  # standard error
    threading.Thread(target=_end_with, args=[parent], daemon=True).start()
    for prepare in preparations:
        prepare()


def _end_with(parent: int) -> None:
    """End this process within a second after its parent."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
