"""One run at a time in a folder; what is left by processes that were killed."""

from __future__ import annotations

import errno
import fcntl
import gzip
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from pipeline.cli.dispatch import main
from pipeline.errors import StoreError
from pipeline.execution.options import RunOptions
from pipeline.execution.store.run_directory import LOCK, RunDirectory
from pipeline.files import TempFiles, plain_files
from tests.conftest import PATIENCE, ROOT, run, tree, write_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.execution import workers


HOLD = """
import sys
from pathlib import Path
from pipeline.execution.store.run_directory import RunDirectory
directory = RunDirectory(Path(sys.argv[1]))
with directory.held(print):
    directory.begin({})
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run code in a process of its own until it has printed a line; it waits at its standard input
    then.
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_run_in_a_folder_is_refused_and_told_who_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_run(tmp_path)
    with another(HOLD, str(tmp_path / "run")) as process:
        assert (
            main(["run", str(config), "--output", str(tmp_path / "run"), "-q"])
            == 2
        )
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(
            f"error: {tmp_path / 'run'}: another run is using it (process {process.pid} on "
        )
        assert err.endswith("; wait for its end, or name another\n")
        assert main(["clean", str(tmp_path / "run"), "-q"]) == 2
        assert "another run is using it" in capsys.readouterr().err
        assert (
            main(
                [
                    "run",
                    str(config),
                    "--output",
                    str(tmp_path / "run"),
                    "--dry-run",
                ]
            )
            == 0
        )
        assert not (tmp_path / "run" / "results.json").exists()


def test_the_lock_of_a_killed_process_does_not_block(tmp_path: Path) -> None:
    config = write_run(tmp_path)
    with another(HOLD, str(tmp_path / "run")) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (tmp_path / "run" / LOCK).exists()
        run(config, tmp_path / "run")
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_two_runs_in_one_process_are_refused_too(tmp_path: Path) -> None:
    directory = RunDirectory(tmp_path)
    other = RunDirectory(tmp_path)
    with (
        directory.held(print),
        pytest.raises(StoreError, match=r"its run\.json does not say who"),
        other.held(print),
    ):
        pass
    with directory.held(print):
        pass


@pytest.mark.parametrize(
    "number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP]
)
def test_a_file_system_without_locks_is_told_and_used(
    tmp_path: Path, number: int
) -> None:
    config = write_run(tmp_path)
    # the file that the first leaves does not stop the second
    for _ in range(2):
        told: list[str] = []
        directory = RunDirectory(tmp_path / "run")
        error = OSError(number, os.strerror(number))
        with (
            mock.patch.object(fcntl, "flock", side_effect=error),
            directory.held(told.append),
        ):
            directory.write_manifest({})
        (text,) = told
        assert text.startswith(
            f"{tmp_path / 'run'}: its file system has no locks ({os.strerror(number)}); see that no"
        )
    assert run(config, tmp_path / "run").scores


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    config = write_run(tmp_path)
    (tmp_path / "run").mkdir(mode=0o500)
    with pytest.raises(
        StoreError, match=r"run\.lock: cannot be made: Permission denied"
    ):
        run(config, tmp_path / "run")


def test_results_can_be_read_while_a_run_is_at_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(write_run(tmp_path), tmp_path / "run")
    with another(HOLD, str(tmp_path / "run")):
        assert main(["show", str(tmp_path / "run")]) == 0
    assert "gleu|" in capsys.readouterr().out


# ---- temporary folders

TEMP_FILES = """
import sys
from pathlib import Path
from pipeline.files.plain_files import TempFiles
temp_files = TempFiles(1000)
temp_files.raw(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(plain_files, "MAX_AGE_WITH_LOCK", -1)
    return folder


def test_what_a_killed_process_unpacked_is_deleted_by_the_next(
    tmp_path: Path, temporary: Path
) -> None:
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(b"a\n"))
    with another(TEMP_FILES, str(packed)) as process:
        (theirs,) = temporary.iterdir()
        ours = TempFiles(1000)
        ours.raw(packed)
        assert theirs.exists()  # while that process lives
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert theirs.exists()
        other = TempFiles(1000)
        assert other.local(packed).read_bytes() == b"a\n"
        assert not theirs.exists()
        # of this process, which lives
        assert ours.local(packed).read_bytes() == b"a\n"
    del ours, other
    assert list(temporary.iterdir()) == []


def test_what_is_not_ours_stays(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / LOCK).touch()
    (temporary / "gec-pipeline-link").symlink_to(tmp_path / "mine")
    (temporary / "gec-pipeline-file").write_text("mine")
    (temporary / "gec-pipeline-without-lock").mkdir()
    (temporary / "other").mkdir()
    before = sorted(temporary.iterdir())
    TempFiles.remove_abandoned(temporary)
    assert sorted(temporary.iterdir()) == before
    assert (tmp_path / "mine").exists()
    os.utime(
        temporary / "gec-pipeline-without-lock",
        (0, time.time() - plain_files.MAX_AGE_WITHOUT_LOCK - 5),
    )
    TempFiles.remove_abandoned(temporary)
    assert not (temporary / "gec-pipeline-without-lock").exists()


# ---- signals


RUN = """
import sys, time
from pipeline.cli.dispatch import main
from pipeline.execution import count, workers

def slow(task, original=workers.count):
    time.sleep(0.1)
    return original(task)

workers.count = slow
if len(sys.argv) > 10:  # the command ends slowly, and a second signal may come meanwhile
    from pipeline.execution.store.run_directory import Log

    def slow_end(self, ending=sys.argv[9]):
        open(ending, "w").close()
        time.sleep(100_000)

    Log.close = slow_end
    del sys.argv[9]
count.MIN_BYTES = count.MAX_BYTES = count.STRIDE = 1
sys.exit(main())
"""
"""A run of some minutes, however fast the computer is: each line is a shard and takes a tenth of a
second."""


def started(folder: Path, backend: str, *more: str) -> subprocess.Popen[str]:
    """Start a run as the leader of a process group; return when its first shard is done."""
    config = write_run(folder, 4000)
    (folder / "temporary").mkdir()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TMPDIR": str(folder / "temporary"),
    }
    command = [
        sys.executable,
        "-c",
        RUN,
        "run",
        str(config),
        "--output",
        str(folder / "run"),
    ]
    command += ["--n-jobs", "2", "--backend", backend, *more, "-q"]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    parts = folder / "run" / "unfinished"
    while process.poll() is None and not (
        parts.is_dir() and any(parts.iterdir())
    ):
        time.sleep(0.02)
    return process


@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="there is no /proc here"
)
def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    with started(tmp_path, "loky") as process:
        pids = (
            Path(f"/proc/{process.pid}/task/{process.pid}/children")
            .read_text(encoding="ascii")
            .split()
        )
        # two workers, and two of joblib's that clean up after them
        assert len(pids) == 4
        process.kill()
        assert process.communicate(timeout=PATIENCE) == ("", "")
    assert list((tmp_path / "temporary").iterdir()) == []
    end = time.monotonic() + PATIENCE
    while alive := [pid for pid in pids if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < end, alive
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("backend", "name"),
    [
        ("serial", "SIGHUP"),
        ("threading", "SIGINT"),
        ("loky", "SIGINT"),
        ("loky", "SIGTERM"),
    ],
)
def test_signals_end_a_run_cleanly(
    tmp_path: Path, name: str, backend: str
) -> None:
    """The signal goes to the whole process group, as from a terminal."""
    with started(tmp_path, backend) as process:
        os.killpg(process.pid, getattr(signal, name))
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert (
        "interrupted; what was finished is kept: run the same command again to go on\n"
        in err
    )
    assert err.count("\n") == 1
    assert "stopped: KeyboardInterrupt" in (
        tmp_path / "run" / "log.txt"
    ).read_text(encoding="utf-8")
    assert list((tmp_path / "temporary").iterdir()) == []
    assert (
        json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))[
            "state"
        ]
        == "running"
    )


@pytest.mark.parametrize("backend", ["serial", "threading", "loky"])
def test_a_second_signal_ends_a_run_at_once_and_without_a_traceback(
    tmp_path: Path, backend: str
) -> None:
    ending = tmp_path / "ending"
    with started(tmp_path, backend, str(ending)) as process:
        os.killpg(process.pid, signal.SIGINT)
        while process.poll() is None and not ending.exists():
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    message = "interrupted; what was finished is kept: run the same command again to go on\n"
    assert (process.returncode, out, err) == (130, "", message)


@pytest.mark.skipif(
    not hasattr(signal, "pthread_sigmask"), reason="there are no signal masks"
)
def test_workers_start_with_ctrl_c_blocked() -> None:
    """A worker that Ctrl-C reaches while it imports modules would print a traceback."""
    code = (
        "import functools, signal; from pipeline.parallel import results; "
        "blocked = functools.partial(signal.pthread_sigmask, signal.SIG_BLOCK); "
        "print([*results(blocked, [[]] * 4, 2, processes=True)])"
    )
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert ended.stdout == f"{[{signal.SIGINT}] * 4}\n"


def test_an_interruption_in_code_from_text_has_the_same_exit_code() -> None:
    """There Python ends the process by SIGINT at its end, although the exception was caught."""
    strikes = "import os, signal, time; os.kill(os.getpid(), signal.SIGTERM); time.sleep(100)"
    code = f"from pipeline.cli import dispatch; dispatch._dispatch = lambda _: exec({strikes!r}); "
    command = [sys.executable, "-c", f"{code}raise SystemExit(dispatch.main())"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    message = "interrupted; what was finished is kept: run the same command again to go on\n"
    assert (done.returncode, done.stderr) == (130, message)


def test_a_run_removes_what_a_killed_one_has_left(
    temporary: Path, tmp_path: Path
) -> None:
    config = write_run(tmp_path, 5)
    for name, age in (("old", 100), ("young", -100)):
        (temporary / f"gec-pipeline-{name}").mkdir()
        (temporary / f"gec-pipeline-{name}" / LOCK).touch()
        os.utime(temporary / f"gec-pipeline-{name}", (0, time.time() - age))
    run(config, tmp_path / "run")
    assert [folder.name for folder in temporary.iterdir()] == [
        "gec-pipeline-young"
    ]


@pytest.mark.parametrize("backend", ["serial", "threading", "loky"])
def test_a_clock_that_is_set_back_is_no_matter(
    tmp_path: Path, backend: workers.Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count(time.time(), -86_400)
    monkeypatch.setattr(time, "time", lambda: next(clock))
    run(
        write_run(tmp_path, 40),
        tmp_path / "run",
        RunOptions(n_jobs=2, backend=backend, shard_lines=8),
    )
    seconds = json.loads(
        (tmp_path / "run" / "run.json").read_text(encoding="utf-8")
    )["seconds"]
    assert 0 <= seconds["counting"] <= seconds["all"]
