"""Workers of this machine: killed or stopped, and systems that give no more processes or threads."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from pipeline import parallel as workers
from pipeline.errors import IncompleteError
from pipeline.parallel import (
    MEMORY,
    NoAnswerError,
    WorkerLostError,
    prefetch,
    results,
    starved,
    threads,
)
from tests.conftest import PATIENCE, ROOT
from tests.tools.faults.processes import children

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="there are no such signals"
)
NUMBERS = range(20)
SQUARES = [number * number for number in NUMBERS]


def square(number: int) -> int:
    return number * number


def done(call: Callable[[int], int], *, processes: bool = True) -> list[int]:
    return sorted(results(call, iter(NUMBERS), 2, processes=processes))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("processes", [True, False])
def test_each_item_is_worked_on_once_and_by_no_other_process_than_asked(
    processes: bool, number: int
) -> None:
    def own(item: int) -> tuple[int, int]:
        return item * item, os.getpid()

    found = [*results(own, iter(NUMBERS), number, processes=processes)]
    assert sorted(item for item, _ in found) == SQUARES
    assert (os.getpid() in {pid for _, pid in found}) == (not processes)


def test_processes_without_work_are_used_again() -> None:
    def pids() -> set[int]:
        return set(
            results(lambda _: os.getpid(), iter(NUMBERS), 2, processes=True)
        )

    first = pids()
    assert first <= set(children(os.getpid()))
    assert pids() <= set(children(os.getpid()))
    assert len(first | pids()) <= 2


def set_variable(value: str) -> None:
    os.environ["PIPELINE_TEST"] = value


def test_processes_are_prepared_by_functions_of_this_one() -> None:
    def value(_: int) -> str | None:
        return os.environ.get("PIPELINE_TEST")

    try:
        workers.prepare_workers("test", partial(set_variable, "other"))
        workers.prepare_workers("test", partial(set_variable, "ready"))
        assert set(results(value, iter(NUMBERS), 2, processes=True)) == {
            "ready"
        }
    finally:
        workers._preparations.clear()
    assert set(results(value, iter(NUMBERS), 2, processes=True)) == {None}


@pytest.mark.parametrize("size", [10, 100_000])
@pytest.mark.parametrize("processes", [True, False])
def test_an_error_of_the_function_is_raised_however_long_it_is(
    processes: bool, size: int
) -> None:
    def fails(number: int) -> int:
        if number == 7:
            raise ValueError("x" * size)
        return number

    with pytest.raises(ValueError, match="x") as caught:
        done(fails, processes=processes)
    assert len(str(caught.value)) == size


def test_what_a_function_prints_is_seen_nowhere(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def prints(number: int) -> int:
        os.write(1, b"not an answer")
        print("nor this", flush=True)
        print("nor that", flush=True, file=sys.stderr)
        return number * number

    assert done(prints) == SQUARES
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("processes", [True, False])
def test_memory_that_runs_out_is_told(processes: bool) -> None:
    def hungry(number: int) -> int:
        if number == 7:
            raise MemoryError
        return number

    with pytest.raises(WorkerLostError, match=f"^{MEMORY}$"):
        done(hungry, processes=processes)


# ---- answers


def test_a_long_answer_goes_through_a_file(tmp_path: Path) -> None:
    """joblib waits beyond its timeout for the rest of an answer whose writer died."""
    for size in (10, 100_000):
        answer = workers._answer(bytes, size, tmp_path)
        assert len(pickle.dumps(answer)) < workers.MAX_PIPE_BYTES
        assert workers._result(answer) == bytes(size)
    assert list(tmp_path.iterdir()) == []


def test_a_long_answer_that_cannot_be_written_is_reported(
    tmp_path: Path,
) -> None:
    message = "^the temporary folder cannot be written: No such file or directory; TMPDIR may name"
    with pytest.raises(IncompleteError, match=message):
        workers._answer(bytes, 100_000, tmp_path / "missing" / "folder")


def test_a_result_that_cannot_be_sent_is_an_error() -> None:
    with pytest.raises(TypeError, match="pickle"):
        list(
            results(
                lambda _: threading.Lock(), iter(NUMBERS), 2, processes=True
            )
        )


def test_long_answers_arrive_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    found = results(
        lambda number: b"1" * (number * 10_000),
        iter(NUMBERS),
        2,
        processes=True,
    )
    assert sorted(map(len, found)) == [number * 10_000 for number in NUMBERS]
    assert list(tmp_path.iterdir()) == []


# ---- killed and stopped


def kill_itself(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@posix
def test_a_killed_process_is_reported() -> None:
    with pytest.raises(
        WorkerLostError,
        match=r"^a worker process died \(out of memory, or killed",
    ):
        done(kill_itself)
    assert done(square) == SQUARES


@posix
def test_a_stopped_process_ends_in_an_error_after_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(number: int) -> int:
        if number == 7:
            os.kill(os.getpid(), signal.SIGSTOP)
        return number

    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    with pytest.raises(
        NoAnswerError,
        match=r"^no worker process has finished anything for 0\.5 s",
    ):
        done(stop)
    monkeypatch.undo()
    assert done(square) == SQUARES


def test_threads_that_work_are_waited_for_and_others_do_not_begin() -> None:
    begun: list[int] = []
    ended: list[int] = []
    wait = threading.Event()

    def slow(number: int) -> int:
        begun.append(number)
        if number:
            wait.wait(0.2)
        ended.append(number)
        return number

    found = results(slow, iter(NUMBERS), 2, processes=False)
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert begun == sorted(ended)
    assert len(begun) < len(NUMBERS)


# ---- no room


@pytest.mark.parametrize(
    "error", [OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)), MemoryError()]
)
def test_a_process_that_cannot_be_started_is_an_error(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    # those of other tests are not used
    monkeypatch.setitem(workers._preparations, "test", int)
    with (
        mock.patch("_posixsubprocess.fork_exec", side_effect=error),
        pytest.raises((OSError, WorkerLostError)) as caught,
    ):
        done(square)
    assert starved(caught.value) or str(caught.value) == MEMORY
    monkeypatch.undo()
    assert done(square) == SQUARES


@pytest.mark.parametrize("way", ["results", "threads", "prefetch"])
def test_a_thread_that_cannot_be_started_is_an_error(way: str) -> None:
    def work() -> object:
        if way == "results":
            return done(square, processes=False)
        if way == "prefetch":
            return list(prefetch(iter(NUMBERS)))
        with threads(2) as shared:
            return shared(square, iter(NUMBERS))

    with (
        mock.patch.object(
            threading.Thread,
            "start",
            side_effect=RuntimeError("can't start new thread"),
        ),
        pytest.raises(RuntimeError) as caught,
    ):
        work()
    assert "no more threads" in starved(caught.value)


def test_resources_that_ran_out_are_recognised() -> None:
    assert starved(MemoryError()) == MEMORY
    assert "no more threads" in starved(RuntimeError("can't start new thread"))
    too_few = OSError(errno.EMFILE, "Too many open files")
    assert starved(too_few) == "the system gives no more: Too many open files"
    others = [
        RuntimeError("other"),
        OSError(errno.ENOENT, "x"),
        ValueError("x"),
    ]
    assert [starved(error) for error in others] == ["", "", ""]


@posix
def test_a_worker_ends_after_its_parent(tmp_path: Path) -> None:
    code = f"""
import os, signal
from pipeline.parallel import results
pids = {{*results(lambda _: os.getpid(), iter(range(9)), 2, processes=True)}}
open({str(tmp_path / "pids")!r}, "w").write(" ".join(map(str, pids)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        timeout=PATIENCE,
        check=False,
    )
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    end = time.monotonic() + PATIENCE
    while any(is_alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(is_alive(pid) for pid in pids)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
