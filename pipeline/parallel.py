"""Threads and processes of this machine that share work, and what is done where the system gives
too few of them.

Processes are those of joblib's backend loky. They answer in few bytes: loky waits for ever for a
process that dies in the middle of a long answer, and a pipe takes a short one as a whole. So a long
answer, or error, goes through a file."""

import _thread
import contextlib
import errno
import math
import os
import pickle
import re
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import copy_context
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from .errors import IncompleteError

T = TypeVar("T")
R = TypeVar("R")

# ---- what the system gives

MEMORY = "memory ran out"
"""What messages say of a MemoryError."""
_UNSAID = re.compile(
    "without (setting an exception|exception set)$|^field '[a-z_]+' is required for [A-Z]"
)
"""What Python says where NumPy, subprocess or its own compiler give up without saying why, as where
memory runs out."""
_SHORT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def starved(error: BaseException) -> str:
    """Return what the system did not give, in a few words, where an error was raised for that; else
    an empty text.
    """
    text = str(error)
    if isinstance(error, MemoryError) or (
        isinstance(error, ImportError) and "failed to map" in text
    ):
        return MEMORY
    if isinstance(error, (SystemError, ValueError)) and _UNSAID.search(text):
        return MEMORY
    if isinstance(error, RuntimeError) and text in (
        "can't start new thread",
        "can't allocate lock",
    ):
        return f"the system gives no more threads, or no memory for them ({text})"
    if isinstance(error, OSError) and error.errno in _SHORT:
        return f"the system gives no more: {error.strerror}"
    return ""


def refuse_want(error: BaseException, what: str) -> None:
    """Raise IncompleteError where an error of `what` was raised because the system gave too little."""
    if reason := starved(error):
        raise IncompleteError(f"{what}: {reason}") from None


def address_space() -> float:
    """Return how many bytes of memory this process may have reserved; infinity where there is no
    limit.
    """
    try:
        import resource
    except ImportError:  # on Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if limit == resource.RLIM_INFINITY else limit


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# ---- threads for short work on many items; where the system gives no thread, the calling one does
# the work


class Shared(Protocol):
    """A function like map() that returns a list."""

    def __call__(self, call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
        """Return what the function returns for each item, in order."""


def alone(call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
    """Do what a Shared does, in the calling thread."""
    return list(map(call, items))


def in_batches(
    shared: Shared, call: Callable[[T], R], items: Iterable[T], size: int
) -> Iterator[R]:
    """Yield what a function returns for each item, in order. So many items are taken and shared at
    once.
    """
    left = iter(items)
    while batch := list(islice(left, size)):
        yield from shared(call, batch)


@contextlib.contextmanager
def threads(number: int) -> Iterator[Shared]:
    """Yield a function like map() whose calls are shared by a number of threads; it returns a list.

    What context variables have here, they have in the calls. Where no thread can be started, items
    that a thread has already begun are done again: calls must allow that. One thread is the calling
    one."""
    if number == 1:
        yield alone
        return
    from concurrent.futures import ThreadPoolExecutor  # here, because small runs need no thread

    with ThreadPoolExecutor(number) as pool:

        def shared(call: Callable[[T], R], items: Iterable[T], /) -> list[R]:
            given = list(items)
            try:
                futures = [pool.submit(copy_context().run, call, item) for item in given]
            except (RuntimeError, MemoryError):
                return list(map(call, given))
            return [future.result() for future in futures]

        yield shared


PREFETCHED = 2
"""So many items wait, or are under way."""
_END: Any = object()


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """Yield the items, of which another thread makes the next ones; where there is none, this one
    makes them.
    """
    from concurrent.futures import ThreadPoolExecutor  # here, because small runs need no thread

    with ThreadPoolExecutor(1) as pool:
        try:
            made = deque(pool.submit(next, items, _END) for _ in range(PREFETCHED))
        except (RuntimeError, MemoryError):  # the first call starts the thread
            made = deque()
        while made:
            item = made.popleft().result()
            if item is _END:
                return
            made.append(pool.submit(next, items, _END))
            yield item
    yield from items


# ---- workers for long work: joblib's processes, or threads

NO_WORKER = "no worker could be started ({}); the work is done in one process"

PATIENCE = 3600.0
"""Seconds without any answer after which workers are given up: one stands still, or waits for what
never comes."""
START = 60.0
"""Seconds within which the first worker process must be ready, else this process does the work."""
BEGUN = 5.0
"""Seconds within which a thread begins, and ends, that only says that it is there."""
LOKYS_THREADS = 4
"""Threads of this process that must have room beside processes: loky has two, and may start one
while another ends."""
SHORT_ANSWER = 2048
"""Bytes of an answer that goes through the pipe of loky, which has some more of its own. Up to
4,096 bytes (PIPE_BUF) come as a whole or not at all."""
FOLDER = "gec-pipeline-"
"""How the names of temporary folders begin. One that is left by a process that was killed is
deleted by a later run (see remove_abandoned() in plain_files.py)."""
_ENVIRONMENT = {
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "PYTHONSAFEPATH": "1",
    "PYTHONFAULTHANDLER": "",
    "PYTHONWARNINGS": "ignore",
}
"""Variables with which worker processes begin, and with them joblib's processes that clean up after
them. They import nothing from the working directory, and print neither stacks nor warnings.
Threads: those that a user has set stay."""
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class WorkerLostError(Exception):
    """A worker process ended without an answer, or there was no answer for too long, or memory ran
    out.

    `alive` says that no process ended.
    """

    def __init__(self, reason: str, *, alive: bool = False) -> None:
        self.reason, self.alive = reason, alive
        super().__init__(reason)


def silent(_: str) -> None:
    """Take a message, and do nothing with it."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide warnings of joblib and of the clusters' packages, about which the user can do nothing.

    Where work is given up, loky's thread may look for a task that is gone already, and fails; it
    would have ended then."""
    before = threading.excepthook
    threading.excepthook = lambda given: (
        None if "ExecutorManager" in str(given.thread) else before(given)
    )
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        threading.excepthook = before


def results(
    call: Callable[[T], R],
    items: Iterable[T],
    number: int,
    *,
    processes: bool,
    warn: Callable[[str], None] = silent,
    patience: float | None = None,
) -> Iterator[R]:
    """Yield what a function returns for each item, in the order in which it returns, from a number
    of workers.

    Workers are joblib's processes (loky) or threads. `tell` is given a message where there can be
    none, so that this process does the work. Processes that answer nothing for `patience` seconds
    are given up. Raises WorkerLostError, and whatever the function raises. Calls that are under way
    in threads when this ends early are waited for."""
    if not processes:
        yield from _in_threads(call, items, number, warn)
        return
    attempt = _Attempt(call)
    answers: Generator[Any, None, None] | None = None
    try:
        if reason := _not_ready(attempt, number):
            warn(NO_WORKER.format(reason))
            yield from map(call, items)
            return
        try:
            answers = _answers(
                ((attempt, (item,), {}) for item in items), number, timeout=patience or PATIENCE
            )
        except (OSError, RuntimeError, MemoryError) as error:
            raise _lost(error) from None
        while True:
            try:
                with quiet():
                    done, answer = attempt.opened(next(answers))
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001 (those of the function are answers)
                _end_processes()
                raise _lost(error) from None
            if not done:
                raise WorkerLostError(MEMORY, alive=True) if starved(answer) == MEMORY else answer
            yield answer
    finally:
        if answers is not None:
            with quiet():
                answers.close()
        attempt.close()


def _in_threads(
    call: Callable[[T], R], items: Iterable[T], number: int, warn: Callable[[str], None]
) -> Iterator[R]:
    """Do what results() does, with threads. Where one cannot be started, the calling one does what
    is left.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, as_completed, wait

    left, under_way = iter(items), set[Future[R]]()
    pool = ThreadPoolExecutor(number)
    try:
        for item in left:
            try:
                under_way.add(pool.submit(call, item))
            except (RuntimeError, MemoryError) as error:
                warn(NO_WORKER.format(_reason(error)))
                yield from map(call, chain([item], left))
            if len(under_way) == 2 * number:
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        yield from (future.result() for future in as_completed(under_way))
    except (MemoryError, SystemError) as error:
        raise WorkerLostError(MEMORY, alive=True) if starved(error) == MEMORY else error from None
    finally:
        pool.shutdown(cancel_futures=True)


def _answers(tasks: Iterable[Any], number: int, *, timeout: float) -> Any:
    """Return joblib's generator of answers, whose processes have been started."""
    from joblib import Parallel

    # Processes live on for later work. Those that were started in other surroundings are not used
    # again.
    surroundings = (os.getpid(), *sys.path, *chain(*sorted(os.environ.items())))
    with contextlib.suppress(OSError):  # the working directory was deleted
        surroundings = (*surroundings, str(Path.cwd()))
    parallel = Parallel(
        max(
            number, 2
        ),  # for one worker joblib would use this process, so there is a second one, which stays idle
        backend="loky",
        return_as="generator_unordered",
        batch_size="auto",
        timeout=timeout,
        initializer=_begin,
        initargs=surroundings,
        max_nbytes=None,
        **({"pre_dispatch": 1} if number == 1 else {}),
    )
    with quiet(), _environment():
        answers = parallel(tasks)
    if not _pools and hasattr(
        threading, "_register_atexit"
    ):  # where loky ends its processes too, after this
        threading._register_atexit(_end_processes)  # noqa: SLF001 (as loky does; an ordinary one would come too late)
    workers = getattr(parallel._backend, "_workers", None)  # noqa: SLF001 (nothing public says which processes there are)
    processes = getattr(workers, "_processes", {})
    if not any(processes is known for known in _pools):
        _pools.append(processes)
    return answers


_pools: list[dict[int, Any]] = []
"""The processes of each pool that was started here, but not those of another user of joblib in this
process.

joblib has others take the place of those whose memory has grown.
"""


def _not_ready(attempt: "_Attempt", number: int) -> str:
    """Return why no worker process can be started; empty where one is ready. Nothing is done by it
    yet.
    """
    try:
        _need_threads()
        with quiet():
            answers = _answers(
                ((attempt.ready, (), {}) for _ in range(number)), number, timeout=START
            )
            for _ in answers:
                pass
    except Exception as error:  # noqa: BLE001 (whatever joblib, or a module of the user, raises)
        _end_processes()
        return _reason(error)
    return ""


def _need_threads() -> None:
    """Start as many threads as loky needs, which waits for ever where it gets one less, and end
    them.

    A thread without the memory to begin with says nothing; Thread.start() would wait for it for
    ever."""
    end, begun, ended = threading.Event(), threading.Semaphore(0), threading.Semaphore(0)

    def work() -> None:
        with contextlib.suppress(MemoryError):
            begun.release()
            end.wait()
        ended.release()

    before, started = sys.unraisablehook, 0
    sys.unraisablehook = lambda given: None if given.object is work else before(given)
    try:
        for started in range(LOKYS_THREADS):  # noqa: B007 (read below)
            _thread.start_new_thread(work, ())
            if not begun.acquire(timeout=BEGUN):
                raise RuntimeError("can't start new thread")
        started = LOKYS_THREADS
    finally:
        end.set()
        for _ in range(started):
            ended.acquire(timeout=BEGUN)
        sys.unraisablehook = before


def _end_processes() -> None:
    """Kill the processes that were started here.

    Python waits for them at its end, for ever if one is stopped. loky kills none where a thread of
    its own has failed."""
    for process in [
        process for pool in _pools for process in list(pool.values()) if process.is_alive()
    ]:
        with contextlib.suppress(OSError):  # it has ended
            os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _reason(error: BaseException) -> str:
    """Return why there is no worker, in one line."""
    if type(error).__name__ == "TimeoutError":
        return f"none was ready after {START:.0f} s"
    if type(error).__name__ == "TerminatedWorkerError":
        return "a process ended before it was ready"
    return getattr(error, "strerror", None) or str(error).partition("\n")[0] or MEMORY


def _lost(error: BaseException) -> BaseException:
    """Return the error that is raised for one of joblib."""
    kind = type(error).__name__
    if kind == "TimeoutError":
        return WorkerLostError(
            f"no worker process has finished anything for {PATIENCE:.0f} s", alive=True
        )
    if kind in ("TerminatedWorkerError", "BrokenProcessPool") or isinstance(error, OSError):
        return WorkerLostError("a worker process died (out of memory, or killed)")
    return WorkerLostError(MEMORY, alive=True) if starved(error) == MEMORY else error


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Have processes that are started here begin with _ENVIRONMENT, without signals, and with
    nowhere to print to.

    A signal at a terminal reaches every process. Blocked ones stay blocked in what is started: this
    process handles them, ends its workers and gives one message. What processes print before
    _begin() would get between the scores."""
    before = {name: os.environ.get(name) for name in _ENVIRONMENT}
    os.environ.update(
        {name: value for name, value in _ENVIRONMENT.items() if value != "1" or not before[name]}
    )
    blocked = (
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        if hasattr(signal, "pthread_sigmask")
        else set()
    )
    outputs = []
    for number in (1, 2) if os.name == "posix" else ():
        with contextlib.suppress(OSError):  # it is closed
            if os.get_inheritable(number):
                os.set_inheritable(number, False)
                outputs.append(number)
    try:
        yield
    finally:
        for number in outputs:
            os.set_inheritable(number, True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _begin(parent: int, *_: str) -> None:
    """Begin a worker process: it prints nothing, ignores Ctrl-C, and ends soon after its parent,
    however that ends.
    """

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.name == "posix":
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (for the life of the process)
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        sys.stdout = sys.stderr = nowhere
        with contextlib.suppress(RuntimeError, MemoryError):
            threading.Thread(target=follow, name="follow", daemon=True).start()


def send_code(module: ModuleType) -> None:
    """Have worker processes get the functions and classes of a module with their work: they cannot
    import it.
    """
    from joblib.externals.loky.cloudpickle_wrapper import dumps

    sys.modules[dumps.__module__].register_pickle_by_value(module)


class _Attempt:
    """What a worker process does with an item. It answers with the result, or the error, or the
    file that has it.
    """

    def __init__(self, call: Callable[[Any], Any]) -> None:
        """Take the function. The temporary folder for long answers is made by the first that there
        is.
        """
        self.call, self.folder = call, ""
        with contextlib.suppress(
            OSError
        ):  # there is none that can be written, which a long answer then tells
            self.folder = f"{tempfile.gettempdir()}/{FOLDER}{secrets.token_hex(8)}"

    def __call__(self, item: Any) -> bytes | str:
        # values of classes of a notebook are sent with their class
        from joblib.externals.loky.cloudpickle_wrapper import dumps

        try:
            try:
                answer = True, self.call(item)
            except BaseException as error:  # noqa: BLE001 (the parent raises it)
                error.add_note(
                    f"in a worker process:\n{''.join(traceback.format_exception(error))}"
                )
                answer = False, error.with_traceback(None)
            data = bytes(dumps(answer))
            return data if len(data) <= SHORT_ANSWER else self._written(data)
        except MemoryError as error:
            return pickle.dumps((False, error.with_traceback(None)))
        except Exception as error:  # noqa: BLE001 (whatever an object of the user raises when it is pickled)
            return pickle.dumps(
                (False, RuntimeError(f"an answer cannot be sent: {str(error)[:200]}"))
            )

    def _written(self, data: bytes) -> bytes | str:
        """Write a long answer; return the name of its file."""
        try:
            if self.folder:
                Path(self.folder).mkdir(0o700, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.folder or None)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
        except OSError as error:
            message = (
                f"the temporary folder cannot be written: {error.strerror}; TMPDIR may name another"
            )
            return pickle.dumps((False, IncompleteError(message)))
        return name

    def ready(self) -> None:
        """Do nothing: a worker that can be asked for that has been started, and has loaded the
        function.
        """

    def opened(self, answer: bytes | str) -> tuple[bool, Any]:
        """Return whether a worker has done its work, and its result or error."""
        if isinstance(answer, str):
            path = Path(answer)
            answer = path.read_bytes()
            path.unlink()
        done, value = pickle.loads(answer)  # noqa: S301 (of our own process, through our own folder)
        return done, value

    def close(self) -> None:
        """Delete the folder, with answers that nobody has read."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
