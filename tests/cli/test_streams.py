"""Standard output and error: closed ones stop no work, and no text gives commands to a terminal."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pipeline
from tests.conftest import ROOT, read_json, write_json
from tests.support.extensions import with_extension
from tests.support.programs import PROGRAM

if sys.platform == "win32":
    pytest.skip("needs a shell and terminals of Unix", allow_module_level=True)

EVIL = "\x1b]0;x\x07\x1b[2J\x9b5m\u202e"
"""Sets the title of a window, clears the screen, begins a command in one byte, turns the order of
letters."""
COMMAND = re.compile(rb"\x1b(?!\[[0-9;]*m)|\x07|\xc2\x9b|\xe2\x80\xae")
"""What a terminal takes for more than a colour."""
SCORE = "score bleu -r data/reference0.txt -o data/systems/careful.txt"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = f"{sys.executable} -m pipeline {line}"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    shutil.copytree(ROOT / "data", folder / "data")
    config = {
        "datasets": {
            "d": {
                "source": "data/source.txt",
                "references": ["data/reference0.txt"],
            }
        },
        "systems": {"A": "data/systems/careful.txt"},
        "metrics": ["bleu"],
    }
    write_json(folder / "c.yaml", config)
    return folder


@pytest.fixture(scope="module")
def whole(run: Path) -> subprocess.CompletedProcess[str]:
    """What a command prints that has all streams."""
    return shell(SCORE, run)


@pytest.mark.parametrize(
    "closed", [">&-", "2>&-", ">&- 2>&- <&-", "2>/dev/full"]
)
def test_work_is_done_without_streams(
    run: Path, whole: subprocess.CompletedProcess[str], closed: str
) -> None:
    """Exit code 0, the other stream as ever, and the same results. No file of the run gets a closed
    number.
    """
    done = shell(f"{SCORE} {closed}", run)
    assert (done.returncode, done.stdout) == (
        0,
        "" if ">&-" in closed.split() else whole.stdout,
    )
    assert done.stderr == ("" if "2>" in closed else whole.stderr)
    shutil.rmtree(run / "out", ignore_errors=True)
    assert shell(f"run c.yaml --output out {closed}", run).returncode == 0
    assert pipeline.load(run / "out").score > 0
    assert shell(f"show out {closed}", run).returncode == 0


def test_what_is_wrong_is_still_told_by_the_exit_code(run: Path) -> None:
    assert (
        shell(
            "score bleu -r - -o data/systems/careful.txt 2>&- <&-", run
        ).returncode
        == 2
    )
    full = shell(f"{SCORE} >/dev/full", run)
    assert full.returncode == 2
    assert full.stderr.endswith(
        "error: standard output cannot be written: No space left on device\n"
    )


def on_terminal(line: str, folder: Path) -> bytes:
    """Return what a command writes to a terminal."""
    import pty

    pid, handle = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
        words = [sys.executable, *PROGRAM, *line.split()]
        os.execv(sys.executable, words)  # noqa: S606
    written = b""
    try:
        while chunk := os.read(handle, 1 << 16):
            written += chunk
    except OSError:  # the terminal is closed at its other end
        pass
    os.waitpid(pid, 0)
    os.close(handle)
    return written


def test_no_text_of_a_file_gives_commands_to_a_terminal(run: Path) -> None:
    """Names of outputs in results.json, names of files, messages of libraries; colours stay."""
    assert shell("run c.yaml --output out", run).returncode == 0
    shutil.copytree(run / "out", run / "evil", dirs_exist_ok=True)
    content = read_json(run / "out" / "results.json")
    content["warnings"] = [EVIL]
    for score in content["scores"]:
        score["outputs"] |= {f"x{EVIL}": 0.5, f"x{EVIL}_1": 0.5}
    write_json(run / "evil" / "results.json", content)
    (run / "plugin.py").write_text(
        f"print({EVIL!r})\nimport sys\nsys.stderr.write({EVIL!r})\n",
        "utf-8",
    )
    for line in (
        "show evil",
        "show evil --columns *",
        f"show evil{EVIL}",
        *with_extension("functions", "list metrics --plugin plugin.py"),
        "report evil --format markdown --output -",
    ):
        written = on_terminal(line, run)
        assert COMMAND.findall(written) == []
        assert b"x1b]0;x" in written or line.startswith("report")
    assert b"\x1b[" in on_terminal("show evil", run)


ALLOWED = {
    "Console": {"report/terminal/printing.py"},
    "unescaped": {"report/terminal/printing.py", "cli/streams.py"},
    # where there is no terminal; standard input
    "buffer": {"cli/commands/report.py", "files/plain_files.py"},
    "dup2": {"cli/streams.py", "parallel.py"},  # to nowhere
    "write": {"cli/dispatch.py"},  # os.write: a constant
    "__stdout__": set(),
    "__stderr__": set(),
}
"""Names by which text could get around the streams that guard terminals, and the files that may use
them."""


def test_there_is_no_other_way_to_a_terminal() -> None:
    """All text is printed to sys.stdout and sys.stderr, which are guarded; rich gets escaped texts
    in printing.py.
    """
    found: dict[str, set[str]] = {name: set() for name in ALLOWED}
    for path in (ROOT / "pipeline").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            call = node.func if isinstance(node, ast.Call) else None
            name = (
                call.id
                if isinstance(call, ast.Name)
                else node.attr
                if isinstance(node, ast.Attribute)
                else ""
            )
            if name == "write" and not (
                isinstance(node, ast.Attribute)
                and ast.unparse(node) == "os.write"
            ):
                continue
            if name in found:
                found[name].add(path.relative_to(ROOT / "pipeline").as_posix())
    assert found == ALLOWED
