"""The command and the folder that it is called in: modules of users there, and a copy without a
compiled kernel.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline import kernel
from tests.conftest import ROOT, forced_kernel, write_run
from tests.support.extensions import with_extension
from tests.support.programs import PROGRAM, Done, python

SCRIPT = "import sys; del sys.path[0]; from pipeline.cli import main; sys.exit(main())"
INSTALLED = ("-c", SCRIPT)
"""What the installed command does: it does not begin with the working directory on its path."""


def called(how: Sequence[str], line: str, **more: Any) -> Done:
    """Run a command line of the program in one of the ways of starting it, with the kernel that is there."""
    environment = {"PIPELINE_KERNEL": None, **more.pop("environment", {})}
    return python(*how, *line.split(), environment=environment, **more)


@pytest.mark.parametrize(
    ("how", "workers"),
    [
        (PROGRAM, "--n-jobs 1"),
        (INSTALLED, "--n-jobs 2 --backend loky"),
        *with_extension("clusters", (PROGRAM, "--n-jobs 2 --backend dask")),
    ],
)
def test_modules_of_the_user_are_not_imported(
    tmp_path: Path, how: Sequence[str], workers: str
) -> None:
    if "dask" in workers:
        pytest.importorskip("distributed")
    config = write_run(tmp_path, lines=40)
    for name in ("numpy", "joblib", "yaml", "argparse", "distributed", "rich"):
        (tmp_path / f"{name}.py").write_text(
            "raise SystemExit('of the user')\n", "utf-8"
        )
    done = called(how, f"run {config} --output run {workers}", cwd=tmp_path)
    assert (done.returncode, "of the user" in done.stderr) == (0, False), (
        done.stderr
    )


def test_an_empty_part_of_pythonpath_is_not_the_working_directory(
    tmp_path: Path,
) -> None:
    """Where PYTHONPATH was empty, PYTHONPATH=$PYTHONPATH:more begins with nothing, which means the
    folder.
    """
    (tmp_path / "numpy.py").write_text(
        "raise SystemExit('of the user')\n", "utf-8"
    )
    config = write_run(tmp_path, lines=5)
    done = called(
        INSTALLED,
        f"run {config} --output run",
        cwd=tmp_path,
        environment={"PYTHONPATH": f"{os.pathsep}{ROOT}"},
    )
    assert done.returncode == 0, done.stderr


def test_importing_the_package_leaves_the_path_alone(tmp_path: Path) -> None:
    code = "import sys; old = [*sys.path]; import pipeline.api; from pipeline.cli import main; main(['list', 'metrics'])"
    done = python("-c", f"{code}; sys.exit(sys.path != old)", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


# ---- a copy that was not compiled

FEW_SCRIPT = "from pipeline.cli import arguments, main; arguments.SLOW_OUTPUTS = 10; import sys; sys.exit(main(sys.argv[1:]))"
FEW = ("-c", FEW_SCRIPT)
"""The program, for which more than ten outputs are many."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the repository as git gives it."""
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(
        ROOT / "pipeline", tmp_path / "copy" / "pipeline", ignore=compiled
    )
    return tmp_path / "copy"


def test_a_copy_that_was_not_compiled_says_so_where_there_is_much_to_count(
    copy: Path,
) -> None:
    text = "".join(f"{line} b c\n" for line in range(11))
    for name, lines in (
        ("ref", text),
        ("out", text.replace("1 b", "1 d")),
        ("short", "a\n"),
    ):
        (copy / name).write_text(lines, "utf-8")
    note = f"note: the Python kernel is used: it is slower, with equal results. There is no compiled kernel in {copy}"
    there: dict[str, Any] = {"cwd": copy, "environment": {"PYTHONPATH": ""}}
    much = called(FEW, "score bleu[n=1] -r ref -o out", **there)
    assert much.returncode == 0
    assert much.stderr.startswith(note)
    assert much.stderr.count("\n") == 1
    little = called(FEW, "score bleu[n=1] -r short -o short", **there)
    assert "kernel" not in little.stderr
    doctor = called(PROGRAM, "doctor", **there)
    assert f"There is no compiled kernel in {copy}" in doctor.stdout


def test_run_says_so_once_and_not_when_quiet(copy: Path) -> None:
    config = write_run(copy, lines=6, chosen=["bleu"])
    for quiet, count in (("-q", 0), ("", 1)):
        done = called(
            FEW,
            f"run {config} --output run {quiet}",
            cwd=copy,
            environment={"PYTHONPATH": ""},
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("no compiled kernel") == count


def test_nothing_is_said_of_a_kernel_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", "python")
    assert kernel.why_not_native() == ""


def test_nothing_is_said_of_the_compiled_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with forced_kernel("native"):
        monkeypatch.setenv("PIPELINE_KERNEL", "auto")
        assert kernel.why_not_native() == ""
