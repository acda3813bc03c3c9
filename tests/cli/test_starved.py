"""The command where a system gives little: address space, open files, folders, locks, home."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import PATIENCE, ROOT, run, tree, write_run

if TYPE_CHECKING:
    from pathlib import Path

resource = pytest.importorskip("resource")
MEGABYTE = 1 << 20
ONE_LINE = re.compile(r"^error: [^\n]+\n\Z", re.MULTILINE)


def command(
    config: Path, output: Path, *more: str, limits: dict[int, int] | None = None, **environment: str | None
) -> subprocess.CompletedProcess[str]:
    """Run a config in a process of its own, with limits and other variables of the environment; None takes one away."""

    def limited() -> None:
        for limit, most in (limits or {}).items():
            resource.setrlimit(limit, (most, most))

    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-m", "pipeline", "run", str(config), "--output", str(output), "-q", *more],
        env={key: value for key, value in variables.items() if value is not None},
        preexec_fn=limited,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


LIMITS = [(resource.RLIMIT_AS, size * MEGABYTE) for size in (50, 110, 140, 150, 160, 176, 300)]
LIMITS += [(resource.RLIMIT_NOFILE, files) for files in (7, 9, 13, 20)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the address space")
@pytest.mark.parametrize(("limit", "most"), LIMITS)
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_starved_run_ends_in_results_or_in_one_message(tmp_path: Path, limit: int, most: int, backend: str) -> None:
    """How much is needed depends on the system; how a run ends where there is too little does not."""
    config = write_run(tmp_path, 400)
    workers = ["--n-jobs", "2", "--backend", backend]
    done = command(config, tmp_path / "run", *workers, limits={limit: most})
    assert done.returncode in (0, 3), done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or ONE_LINE.search(done.stderr), done.stderr
    if done.returncode == 3:
        assert command(config, tmp_path / "run", *workers).returncode == 0
    run(config, tmp_path / "fresh")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")
