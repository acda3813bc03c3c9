"""The command on a machine that is full: memory, threads, open files, folders, locks, home."""

from __future__ import annotations

import errno
import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from pipeline.cli.dispatch import main
from pipeline.execution.workers import Runner
from pipeline.files import TempFiles, safe_files
from tests.conftest import PATIENCE, ROOT, run, tree, write_run

resource = pytest.importorskip("resource")
ONE_LINE = re.compile(r"^error: [^\n]+\n\Z", re.MULTILINE)


def command(
    config: Path,
    output: Path,
    *more: str,
    limits: dict[int, int] | None = None,
    environment: dict[str, str | None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a config in a process of its own, with limits and other variables of the environment;
    None takes one away.
    """

    def limited() -> None:
        for limit, most in (limits or {}).items():
            resource.setrlimit(limit, (most, most))

    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pipeline",
            "run",
            str(config),
            "--output",
            str(output),
            "-q",
            *more,
        ],
        env={
            key: value for key, value in variables.items() if value is not None
        },
        preexec_fn=limited,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


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
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    message: str,
) -> None:
    config = write_run(tmp_path, 400)
    command = ["run", str(config), "--output", str(tmp_path / "run"), "-q"]
    with mock.patch.object(Runner, "run", side_effect=error):
        assert main(command) == 3
    assert re.fullmatch(
        f"error: {message}[^\\n]*; what was finished is kept: [^\\n]*\n",
        capsys.readouterr().err,
    )
    assert main(command) == 0
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_too_few_open_files_end_a_run_with_one_message(
    tmp_path: Path, backend: str
) -> None:
    config = write_run(tmp_path, 400)
    workers = ["--n-jobs", "2", "--backend", backend]
    done = command(
        config, tmp_path / "run", *workers, limits={resource.RLIMIT_NOFILE: 6}
    )
    assert done.returncode == 3
    assert ONE_LINE.search(done.stderr), done.stderr


def test_a_file_that_the_system_does_not_open_is_no_bad_input(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same command goes on, with more files: exit code 3, not 2."""
    config = write_run(tmp_path, 4)
    monkeypatch.setattr(
        safe_files,
        "replacing",
        mock.Mock(side_effect=OSError(errno.EMFILE, "Too many open files")),
    )
    assert (
        main(["run", str(config), "--output", str(tmp_path / "run"), "-q"]) == 3
    )
    assert (
        capsys.readouterr().err.count("cannot be written: Too many open files")
        == 1
    )
    monkeypatch.setattr(
        safe_files,
        "replacing",
        mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left")),
    )
    assert (
        main(["run", str(config), "--output", str(tmp_path / "run"), "-q"]) == 2
    )


@pytest.mark.parametrize("name", ["B.gz", "A"])
def test_a_text_that_the_system_does_not_open_is_no_bad_input(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    config = packed(tmp_path)
    # a packed text is opened by the one, a plain text by the other
    for owner in (Path, os):
        original = owner.open

        def scarce(
            path: Path | str, *given: Any, of: Any = original, **more: Any
        ) -> Any:
            if Path(path).name == name:
                raise OSError(errno.EMFILE, "Too many open files")
            return of(path, *given, **more)

        monkeypatch.setattr(owner, "open", scarce)
    assert main(["validate", str(config)]) == 3
    message = f"error: {tmp_path / 'd' / name}: the system gives no more: Too many open files\n"
    assert capsys.readouterr().err == message


# ---- surroundings


def packed(folder: Path) -> Path:
    """Write a config with a compressed output, which has to be unpacked."""
    config = write_run(folder, 40)
    (folder / "d" / "B.gz").write_bytes(
        gzip.compress((folder / "d" / "B").read_bytes())
    )
    text = config.read_text(encoding="utf-8").replace(
        "{dataset}/B", "{dataset}/B.gz"
    )
    config.write_text(text, encoding="utf-8")
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
    done = command(
        config,
        tmp_path / "run",
        "--n-jobs",
        "2",
        "--backend",
        "loky",
        environment=surroundings,
    )
    assert (done.returncode, done.stderr) == (0, "")
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_a_full_temporary_folder_is_told_in_a_line_that_says_what_to_change(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        TempFiles, "new", mock.Mock(return_value=Path("/dev/full"))
    )
    assert (
        main(["run", str(packed(tmp_path)), "--output", str(tmp_path / "run")])
        == 2
    )
    assert capsys.readouterr().err.endswith(
        ": No space left on device; TMPDIR may name another\n"
    )


def test_a_user_without_a_home_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GEC_PIPELINE_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(
        Path,
        "home",
        mock.Mock(
            side_effect=RuntimeError("Could not determine home directory.")
        ),
    )
    assert main(["data", "list"]) == 2
    message = "error: this user has no home directory; name a folder for the data with GEC_PIPELINE_DATA, or set HOME\n"
    assert capsys.readouterr().err == message


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
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")
