"""The command on a machine that is full: memory, threads, open files, folders, locks, home."""

from __future__ import annotations

import errno
import gzip
import os
import re
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pipeline.execution.workers import Runner
from pipeline.files import TempFiles, safe_files
from tests.conftest import (
    RunLine,
    assert_as_fresh,
    gec_pipeline,
    refused,
    run,
    write_run,
)
from tests.support.programs import program

resource = pytest.importorskip("resource")
ONE_LINE = re.compile(r"^error: [^\n]+\n\Z", re.MULTILINE)


SHORTAGES = [
    (MemoryError(), "memory ran out"),
    (
        RuntimeError("can't start new thread"),
        "the system gives no more threads",
    ),
    (
        OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)),
        "the system gives no more: Resource",
    ),
]


@pytest.mark.parametrize(
    ("error", "message"), SHORTAGES, ids=lambda item: type(item).__name__
)
def test_a_shortage_ends_a_run_with_one_message(
    tmp_path: Path,
    run_line: RunLine,
    error: Exception,
    message: str,
) -> None:
    config = write_run(tmp_path, 400)
    line = f"run {config} --output {tmp_path}/run -q"
    with mock.patch.object(Runner, "run", side_effect=error):
        code, _, printed = run_line(line)
    assert code == 3
    assert re.fullmatch(
        f"error: {message}[^\\n]*; what was finished is kept: [^\\n]*\n",
        printed,
    )
    assert gec_pipeline(line) == 0
    assert_as_fresh(config, tmp_path / "run")


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_too_few_open_files_end_a_run_with_one_message(
    tmp_path: Path, backend: str
) -> None:
    config = write_run(tmp_path, 400)
    done = program(
        f"run {config} --output {tmp_path}/run -q --n-jobs 2 --backend {backend}",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)),
    )
    assert done.returncode == 3
    assert ONE_LINE.search(done.stderr), done.stderr


def test_a_file_that_the_system_does_not_open_is_no_bad_input(
    tmp_path: Path,
    run_line: RunLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same command goes on, with more files: exit code 3, not 2."""
    line = f"run {write_run(tmp_path, 4)} --output {tmp_path}/run -q"
    scarce = mock.Mock(side_effect=OSError(errno.EMFILE, "Too many open files"))
    monkeypatch.setattr(safe_files, "replacing", scarce)
    result = run_line(line)
    assert result.code == 3
    assert result.err.count("cannot be written: Too many open files") == 1
    scarce.side_effect = OSError(errno.ENOSPC, "No space left")
    assert gec_pipeline(line) == 2


@pytest.mark.parametrize("name", ["B.gz", "A"])
def test_a_text_that_the_system_does_not_open_is_no_bad_input(
    tmp_path: Path,
    run_line: RunLine,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    config = packed(tmp_path)
    # a packed text is opened by the one, a plain text by the other
    for owner in (Path, os):
        original = owner.open

        def scarce(
            path: Path | str, *arguments: Any, of: Any = original, **more: Any
        ) -> Any:
            if Path(path).name == name:
                raise OSError(errno.EMFILE, "Too many open files")
            return of(path, *arguments, **more)

        monkeypatch.setattr(owner, "open", scarce)
    message = f"error: {tmp_path / 'd' / name}: the system gives no more: Too many open files\n"
    assert run_line(f"validate {config}") == (3, "", message)


# ---- surroundings


def packed(folder: Path) -> Path:
    """Write a config with a compressed output, which has to be unpacked."""
    config = write_run(folder, 40)
    (folder / "d" / "B.gz").write_bytes(
        gzip.compress((folder / "d" / "B").read_bytes())
    )
    text = config.read_text("utf-8").replace("{dataset}/B", "{dataset}/B.gz")
    config.write_text(text, "utf-8")
    return config


SURROUNDINGS: list[dict[str, str | None]] = [
    {
        "HOME": None,
        "LC_ALL": "POSIX",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    },
    {
        "HOME": "/nonexistent",
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "TMPDIR": "/nonexistent",
    },
    {"TMPDIR": __file__},
]


@pytest.mark.parametrize("surroundings", SURROUNDINGS, ids=str)
def test_odd_surroundings_change_nothing(
    tmp_path: Path, surroundings: dict[str, str | None]
) -> None:
    config = packed(tmp_path)
    done = program(
        f"run {config} --output {tmp_path}/run -q --n-jobs 2 --backend loky",
        environment=surroundings,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert_as_fresh(config, tmp_path / "run")


def test_a_full_temporary_folder_is_told_in_a_line_that_says_what_to_change(
    tmp_path: Path,
    run_line: RunLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        TempFiles, "new", mock.Mock(return_value=Path("/dev/full"))
    )
    assert refused(
        run_line(f"run {packed(tmp_path)} --output {tmp_path}/run")
    ).endswith(": No space left on device; TMPDIR may name another\n")


def test_a_user_without_a_home_is_told_in_a_line(
    run_line: RunLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEC_PIPELINE_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    error = RuntimeError("Could not determine home directory.")
    monkeypatch.setattr(Path, "home", mock.Mock(side_effect=error))
    message = "error: this user has no home directory; name a folder for the data with GEC_PIPELINE_DATA, or set HOME\n"
    assert refused(run_line("data list")) == message


def test_a_file_system_without_fsync_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        os,
        "fsync",
        mock.Mock(side_effect=OSError(errno.EINVAL, "Invalid argument")),
    )
    config = write_run(tmp_path, 40)
    run(config, tmp_path / "run")
    monkeypatch.undo()
    assert_as_fresh(config, tmp_path / "run")
