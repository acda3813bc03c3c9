"""Workers of this machine: killed, stopped or never ready, and systems that give no more processes or threads."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

from pipeline.errors import CorpusError, Problem
from pipeline.io.processes import MEMORY, WorkerLostError, starved
from pipeline.io.workers import pool, serving, worker_process
from pipeline.io.workers.pool import results
from pipeline.io.workers.threads import threads
from pipeline.io.workers.worker_process import BEGIN, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
NUMBERS = range(20)
SQUARES = [number * number for number in NUMBERS]


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Let no worker of an earlier test be used, nor be left."""
    worker_process._close_idle()
    yield
    worker_process._close_idle()


def square(number: int) -> int:
    return number * number


def done(
    call: Callable[[int], int], *, processes: bool = True, tell: Callable[[str], None] = pool.silent, workers: int = 2
) -> list[int]:
    return sorted(results(call, iter(NUMBERS), workers, processes=processes, tell=tell))


@pytest.mark.parametrize("processes", [True, False])
def test_each_item_is_worked_on_once(processes: bool) -> None:
    messages: list[str] = []
    assert done(square, processes=processes, tell=messages.append) == SQUARES
    assert messages == []


def test_processes_without_work_are_used_again_where_nothing_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    def pids() -> set[int]:
        return set(results(lambda _: os.getpid(), iter(NUMBERS), 1, processes=True))

    first = pids()
    assert pids() == first
    monkeypatch.setenv("PIPELINE_TEST", "another")
    second = pids()
    assert second != first
    monkeypatch.setattr(worker_process, "FRESH", -1)
    assert pids() != second


@pytest.mark.parametrize("processes", [True, False])
def test_an_error_of_the_function_is_raised(processes: bool) -> None:
    def fails(number: int) -> int:
        if number == 7:
            raise CorpusError([Problem("here", "wrong")])
        return number

    with pytest.raises(CorpusError, match="here: wrong"):
        done(fails, processes=processes)


def test_what_a_function_prints_is_no_answer() -> None:
    def prints(number: int) -> int:
        os.write(1, b"not an answer")
        print("nor this", flush=True)
        return number * number

    assert done(prints) == SQUARES


@pytest.mark.parametrize("processes", [True, False])
def test_memory_that_runs_out_names_the_item(processes: bool) -> None:
    def hungry(number: int) -> int:
        if number == 7:
            raise MemoryError
        return number

    with pytest.raises(WorkerLostError) as caught:
        done(hungry, processes=processes)
    assert (caught.value.item, caught.value.reason, caught.value.stood) == (7, MEMORY, False)


# ---- killed and stopped


def kill_itself(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def kill_itself_while_it_answers(number: int) -> int:
    """Write the beginning of an answer into the pipe to the parent, and be killed: another would be waited for."""
    if number == 7:
        for descriptor in range(3, 64):
            try:
                writes = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY
                if writes and stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                    os.write(descriptor, serving.dumps(("done", b"1" * 1000, ""))[:500])
            except OSError:
                continue
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@posix
@pytest.mark.parametrize("call", [kill_itself, kill_itself_while_it_answers])
def test_a_killed_process_is_told_with_the_item_that_it_had(call: Callable[[int], int]) -> None:
    with pytest.raises(WorkerLostError) as caught:
        done(call)
    assert (caught.value.item, caught.value.stood) == (7, False)
    assert caught.value.reason == "a worker process died (out of memory, or killed)"


@posix
def test_a_process_killed_before_it_is_ready_is_started_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This moment hung a run once: 0.2 seconds after its beginning."""
    flag = str(tmp_path / "killed")
    dies = f"import os; new = not os.path.exists({flag!r}); open({flag!r}, 'w'); new and os.kill(os.getpid(), 9); "
    monkeypatch.setattr(worker_process, "BEGIN", dies + BEGIN)
    messages: list[str] = []
    assert done(square, tell=messages.append) == SQUARES
    assert messages == []


@posix
def test_where_no_process_ever_is_ready_this_one_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "BEGIN", "import os; os.kill(os.getpid(), 9)")
    messages: list[str] = []
    assert done(square, tell=messages.append) == SQUARES
    assert len(messages) == 1
    assert messages[0].startswith("a worker cannot be started (process ")
    assert messages[0].endswith(" ended before it was ready); the work is done in one process")


def test_processes_that_never_begin_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_process, "BEGIN", "import time; time.sleep(100_000)")
    monkeypatch.setattr(WorkerProcess, "used", lambda _: 0.0)
    monkeypatch.setattr(pool, "STILL", 0.01)
    monkeypatch.setattr(pool, "LOOK", 0.01)
    messages: list[str] = []
    assert done(square, tell=messages.append) == SQUARES
    assert len(messages) == 1
    assert " stood still for 0 s before it was ready); the work is done in one process" in messages[0]


@posix
def test_a_process_stopped_before_it_has_begun_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by a debugger: whoever starts it waits for it to become the command. The first start is such a one."""
    left, original = [None], worker_process._start

    def stopped(process: subprocess.Popen[bytes], command: list[str]) -> None:
        if left:
            left.pop()
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            process.__init__(  # type: ignore[misc]
                command, **pipes, preexec_fn=lambda: os.kill(os.getpid(), signal.SIGSTOP)
            )
        else:
            original(process, command)

    monkeypatch.setattr(worker_process, "_start", stopped)
    monkeypatch.setattr(worker_process, "START", 0.2)
    assert done(square) == SQUARES


@posix
def test_a_process_that_is_stopped_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until it is stopped it seems to use the processor, so that a slow start is no standstill."""
    stopped = tmp_path / "stopped"

    def stop(number: int) -> int:
        if number == 7:
            stopped.touch()
            os.kill(os.getpid(), signal.SIGSTOP)
        return number

    clock = count()
    monkeypatch.setattr(WorkerProcess, "used", lambda _: 0.0 if stopped.exists() else float(next(clock)))
    monkeypatch.setattr(pool, "STILL", 0.5)
    monkeypatch.setattr(pool, "LOOK", 0.01)
    with pytest.raises(WorkerLostError) as caught:
        done(stop, workers=1)
    assert (caught.value.item, caught.value.stood) == (7, True)
    assert "stood still for " in caught.value.reason


def test_a_process_that_the_system_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file server that is gone can do that. The fake never answers, and nothing kills it."""
    never = threading.Event()

    class Dead(WorkerProcess):
        def __init__(self) -> None:
            self.pid = 1

        def prepare(self, request: bytes) -> None:
            pass

        def ask(self, argument: object) -> object:
            never.wait()
            return argument

        def used(self) -> float:
            return 0.0

        def kill(self) -> None:
            pass

        def close(self) -> None:
            pass

    monkeypatch.setattr(pool, "worker_process", Dead)
    monkeypatch.setattr(pool, "PATIENCE", 0.01)
    monkeypatch.setattr(pool, "STILL", 0.01)
    monkeypatch.setattr(pool, "LOOK", 0.01)
    with pytest.raises(WorkerLostError, match="stood still"):
        done(square, workers=1)
    never.set()


def test_what_counts_as_standing_still(monkeypatch: pytest.MonkeyPatch) -> None:
    process, clock = mock.Mock(), mock.Mock(return_value=0.0)
    monkeypatch.setattr(time, "monotonic", clock)
    worker = pool._Worker(process=process, seen=0.0)
    process.used.return_value = 0.0
    clock.return_value = pool.STILL
    assert worker.still() == 0
    clock.return_value = pool.STILL + 1
    assert worker.still() == pool.STILL + 1
    process.used.return_value = 1.0
    assert worker.still() == 0
    clock.return_value += pool.STILL + 1
    assert worker.still() == pool.STILL + 1
    worker.ends()
    assert worker.still() == 0
    worker.begins("item")
    assert worker.still() == 0
    process.used.return_value = None  # a system that does not tell
    clock.return_value += pool.BLIND
    assert worker.still() == 0
    clock.return_value += 1
    assert worker.still() == pool.BLIND + 1


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="there is no /proc here")  # noqa: PTH110
def test_the_processor_time_of_a_process_is_known_while_it_lives() -> None:
    process = WorkerProcess()
    assert process.used() is not None
    process.close()
    assert process.used() is None


# ---- no room


@pytest.mark.parametrize("most", [0, 1])
def test_where_there_are_fewer_processes_these_or_this_one_do_the_work(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []

    def scarce(*given: Any) -> None:
        if len(started) == most:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        started.append(given)
        original(*given)

    original = worker_process._start
    monkeypatch.setattr(worker_process, "_start", scarce)
    messages: list[str] = []
    assert done(square, tell=messages.append) == SQUARES
    reason = os.strerror(errno.EAGAIN)
    assert messages == [
        f"no worker could be started ({reason}); the work is done in one process"
        if most == 0
        else f"1 of 2 workers could be started ({reason}); these do the work"
    ]


@pytest.mark.parametrize("processes", [True, False])
def test_where_there_are_no_threads_this_one_does_the_work(processes: bool) -> None:
    messages: list[str] = []
    with mock.patch.object(threading.Thread, "start", side_effect=RuntimeError("can't start new thread")):
        assert done(square, processes=processes, tell=messages.append) == SQUARES
    assert messages == ["no worker could be started (can't start new thread); the work is done in one process"]


@pytest.mark.parametrize("most", [0, 1, 5])
def test_short_work_is_done_where_there_are_no_threads(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    left, original = [None] * most, ThreadPoolExecutor.submit

    def submit(self: ThreadPoolExecutor, *given: object) -> object:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        return original(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)
    with threads(2) as shared:
        assert shared(square, iter(NUMBERS)) == SQUARES


def test_what_is_lack_and_what_is_not() -> None:
    assert starved(MemoryError()) == MEMORY
    assert starved(ImportError("x.so: failed to map segment from shared object")) == MEMORY
    assert starved(SystemError("<ufunc 'add'> returned NULL without setting an exception")) == MEMORY
    assert starved(SystemError("error return without exception set")) == MEMORY
    assert "no more threads" in starved(RuntimeError("can't start new thread"))
    assert starved(OSError(errno.EMFILE, "Too many open files")) == "the system gives no more: Too many open files"
    for other in (ImportError("no module"), RuntimeError("other"), OSError(errno.ENOENT, "x"), ValueError("x")):
        assert starved(other) == ""


def test_values_of_a_notebook_are_sent_by_value() -> None:
    """A class or function of __main__ is not there in another process."""
    inner = partial(square)
    assert b"test_workers" in serving.dumps(inner)
    assert b"cloudpickle" in serving.dumps(lambda number: number)
