"""Workers of this machine: killed, stopped or never ready, and systems that give no more processes
or threads.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from pipeline import parallel as workers
from pipeline.parallel import MEMORY, WorkerLostError, results, starved, threads
from tests.conftest import PATIENCE, ROOT
from tests.tools.faults.processes import children

if TYPE_CHECKING:
    from collections.abc import Callable

posix = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
NUMBERS = range(20)
SQUARES = [number * number for number in NUMBERS]


def square(number: int) -> int:
    return number * number


def done(
    call: Callable[[int], int],
    *,
    processes: bool = True,
    warn: Callable[[str], None] = workers.silent,
) -> list[int]:
    return sorted(results(call, iter(NUMBERS), 2, processes=processes, warn=warn))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("processes", [True, False])
def test_each_item_is_worked_on_once_and_by_no_other_process_than_asked(
    processes: bool, number: int
) -> None:
    def own(item: int) -> tuple[int, int]:
        return item * item, os.getpid()

    messages: list[str] = []
    found = [*results(own, iter(NUMBERS), number, processes=processes, warn=messages.append)]
    assert sorted(item for item, _ in found) == SQUARES
    assert (os.getpid() in {pid for _, pid in found}) == (not processes)
    assert messages == []


def test_processes_without_work_are_used_again_where_nothing_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has the variables that this process has now, and imports nothing from the working
    directory.
    """

    def seen(_: int) -> tuple[int, str | None, bool, str]:
        return (
            os.getpid(),
            os.environ.get("PIPELINE_TEST"),
            sys.flags.safe_path,
            os.environ["OPENBLAS_NUM_THREADS"],
        )

    def folders() -> set[str]:
        return set(results(lambda _: str(Path.cwd()), iter(NUMBERS), 2, processes=True))

    def all_seen() -> set[tuple[int, str | None, bool, str]]:
        return set(results(seen, iter(NUMBERS), 2, processes=True))

    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    first = all_seen()
    before = dict(os.environ)  # joblib has set a variable of its own
    assert {item[1:] for item in first} == {(None, True, "1")}
    assert {pid for pid, *_ in all_seen()} <= set(children(os.getpid()))
    assert dict(os.environ) == before
    monkeypatch.setenv("PIPELINE_TEST", "another")
    second = all_seen()
    assert {item[1] for item in second} == {"another"}
    assert not {pid for pid, *_ in first} & {pid for pid, *_ in second}
    monkeypatch.chdir(tmp_path)
    assert folders() == {str(tmp_path)}


@pytest.mark.parametrize("size", [10, 100_000])
@pytest.mark.parametrize("processes", [True, False])
def test_an_error_of_the_function_is_raised_however_long_it_is(processes: bool, size: int) -> None:
    def fails(number: int) -> int:
        if number == 7:
            raise ValueError("x" * size)
        return number

    with pytest.raises(ValueError, match="x") as caught:
        done(fails, processes=processes)
    assert len(str(caught.value)) == size


def test_what_a_function_prints_is_seen_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
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

    with pytest.raises(WorkerLostError) as caught:
        done(hungry, processes=processes)
    assert (caught.value.reason, caught.value.alive) == (MEMORY, True)


# ---- answers


@pytest.mark.parametrize("size", [10, 100_000])
def test_an_answer_through_the_pipe_is_short_whatever_it_is(size: int, tmp_path: Path) -> None:
    """Linux writes up to 4,096 bytes as a whole: loky waits for ever for the rest of an answer
    whose writer died.
    """

    def fails(_: int) -> bytes:
        raise ValueError("x" * size)

    unsendable = threading.Lock()
    for call, expected in (
        (lambda size: b"1" * size, b"1" * size),
        (fails, "x" * size),
        (lambda _: unsendable, "an answer cannot be sent: "),
    ):
        attempt = workers._Attempt(call)
        attempt.folder = str(tmp_path / "answers")
        answer = attempt(size)
        assert len(answer) < workers.SHORT_ANSWER
        is_done, value = attempt.opened(answer)
        assert (value if is_done else str(value)[: len(expected)]) == expected
        attempt.close()
    assert list(tmp_path.iterdir()) == []


def test_a_long_answer_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    attempt = workers._Attempt(bytes)
    attempt.folder = str(tmp_path / "not" / "there")
    _, error = attempt.opened(attempt(100_000))
    assert (
        str(error)
        == "the temporary folder cannot be written: No such file or directory; TMPDIR may name another"
    )


def test_long_answers_arrive_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    found = results(lambda number: b"1" * (number * 10_000), iter(NUMBERS), 2, processes=True)
    assert sorted(map(len, found)) == [number * 10_000 for number in NUMBERS]
    assert list(tmp_path.iterdir()) == []


# ---- killed and stopped


def kill_itself(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@posix
def test_a_killed_process_is_told() -> None:
    with pytest.raises(WorkerLostError) as caught:
        done(kill_itself)
    assert (caught.value.reason, caught.value.alive) == (
        "a worker process died (out of memory, or killed)",
        False,
    )
    assert done(square) == SQUARES


@posix
def test_a_process_that_is_stopped_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(number: int) -> int:
        if number == 7:
            os.kill(os.getpid(), signal.SIGSTOP)
        return number

    monkeypatch.setattr(workers, "PATIENCE", 0.5)
    with pytest.raises(
        WorkerLostError, match="no worker process has finished anything for "
    ) as caught:
        done(stop)
    assert caught.value.alive


@posix
@pytest.mark.parametrize("way", ["dies", "stops"])
def test_where_no_process_ever_is_ready_this_one_does_the_work(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = {"dies": signal.SIGKILL, "stops": signal.SIGSTOP}[way]
    monkeypatch.setattr(workers, "_begin", lambda *_: os.kill(os.getpid(), number))
    monkeypatch.setattr(workers, "START", 1.0 if way == "stops" else 60.0)
    messages: list[str] = []
    assert done(square, warn=messages.append) == SQUARES
    why = {"dies": "a process ended before it was ready", "stops": "none was ready after 1 s"}[way]
    assert messages == [f"no worker could be started ({why}); the work is done in one process"]


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


@pytest.mark.parametrize("error", [OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)), MemoryError()])
def test_where_there_are_no_processes_this_one_does_the_work(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_TEST", "processes of an earlier test are not used")
    messages: list[str] = []
    with mock.patch("_posixsubprocess.fork_exec", side_effect=error):
        assert done(square, warn=messages.append) == SQUARES
    reason = getattr(error, "strerror", None) or MEMORY
    assert messages == [f"no worker could be started ({reason}); the work is done in one process"]


def test_where_there_are_no_threads_this_one_does_the_work() -> None:
    messages: list[str] = []
    with mock.patch.object(
        threading.Thread, "start", side_effect=RuntimeError("can't start new thread")
    ):
        assert done(square, processes=False, warn=messages.append) == SQUARES
    assert messages == [
        "no worker could be started (can't start new thread); the work is done in one process"
    ]


@pytest.mark.parametrize("most", [0, 1, 5])
def test_short_work_is_done_where_there_are_no_threads(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert (
        starved(SystemError("<ufunc 'add'> returned NULL without setting an exception")) == MEMORY
    )
    assert starved(SystemError("error return without exception set")) == MEMORY
    assert (
        starved(ValueError("field 'target' is required for AnnAssign")) == MEMORY
    )  # of compile(), Python 3.11
    assert "no more threads" in starved(RuntimeError("can't start new thread"))
    assert (
        starved(OSError(errno.EMFILE, "Too many open files"))
        == "the system gives no more: Too many open files"
    )
    for other in (
        ImportError("no module"),
        RuntimeError("other"),
        OSError(errno.ENOENT, "x"),
        ValueError("x"),
    ):
        assert starved(other) == ""


@posix
@pytest.mark.parametrize(
    "then",
    [
        "os.kill(pids.pop(), signal.SIGSTOP)",
        # as joblib does by itself where the memory of a process has grown: another one takes its
        # place, after the work
        "pool = reusable_executor._executor; pool._max_workers += 1; pool._adjust_process_count()",
    ],
    ids=["stopped", "replaced"],
)
def test_a_worker_that_does_not_hear_does_not_keep_its_parent_from_ending(then: str) -> None:
    """Python waits for processes at its end; loky asks them to end, which a stopped one does not
    hear.

    Nor does one that waits for its turn to ask for work, where the process whose turn it was has
    been killed."""
    code = "import os, signal; from joblib.externals.loky import reusable_executor; "
    code += "from pipeline.parallel import results; "
    code += f"pids = {{*results(lambda _: os.getpid(), iter(range(9)), 2, processes=True)}}; {then}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_a_thread_that_never_begins_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it has no memory to begin with: Thread.start() waits for ever."""
    told: list[str] = []
    monkeypatch.setattr(workers, "BEGUN", 0.01)
    monkeypatch.setattr("_thread.start_new_thread", lambda *_: 1)
    assert list(results(abs, [-1, -2], 2, processes=True, warn=told.append)) == [1, 2]
    assert told == [
        "no worker could be started (can't start new thread); the work is done in one process"
    ]
