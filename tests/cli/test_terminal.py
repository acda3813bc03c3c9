"""Terminals that have few letters, and terminals that have few lines."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
import threading
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.cli.commands import doctor
from tests.conftest import ROOT, RunLine, printed, write_json, write_lines
from tests.support.extensions import with_extension
from tests.support.programs import PROGRAM

LINES = {
    "source": [
        "He go to school 日本語 ±≤×· .",  # noqa: RUF001
        "Привет мир .",
        "مرحبا today .",
        "naïve café 😀 ² λ .",
    ],
    "ref0": [
        "He goes to school 日本語 ±≤×· .",  # noqa: RUF001
        "Привет , мир .",
        "مرحبا today !",
        "naïve cafés 😀 ² λ .",
    ],
    "ref1": [
        "He goes ∑ ∑ .",
        "Привет , мир !",
        "مرحبا , today !",
        "a naïve café 😀 😀 .",
    ],
}
PLACES = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
FILES = "-s source -r ref0 ref1 -o source"
NAMED = FILES + " システム"
COMMANDS = [
    "run c.yaml --fresh",
    "run bad.yaml",
    "validate c.yaml",
    f"score gleu {NAMED}",
    "score chrf -r ref0 -o システム --json",
    *with_extension("compat", f"gleu corpus {NAMED}", f"gleu sent {FILES}"),
    f"explain gleu {FILES} --line 1",
    "explain rouge -r ref0 -o システム --line 3",
    "show run",
    "show run --line 4 --system A",
    "report run --format markdown latex csv",
    *with_extension("published", "cite run"),
    "compare run",
    "rank run",
    "list metrics",
    "schema",
    "data list",
    *with_extension("published", "reproduce --list"),
    "doctor",
    "help gleu",
    "help reports",
    "init начало.yaml",
    "help ない",
    "show ない",
    "score глеу -r ref0 -o source",
]


def environment(**more: str) -> dict[str, str]:
    remaining = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "LC_", "LANG", "LESS"))
    }
    return (
        remaining
        | {"PYTHONPATH": str(ROOT), "PIPELINE_KERNEL": "python"}
        | more
    )


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A config and texts in several scripts; the run of it is in the folder run."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, lines in (LINES | {"システム": LINES["ref1"]}).items():
        write_lines(folder / name, lines)
    config = {
        "description": "Оценка ± λ 😀",
        "datasets": {"d": {"source": "source", "references": ["ref0", "ref1"]}},
        "systems": {"A": "source", "B": "ref1"},
        "metrics": ["gleu[iter=5]", "chrf"],
        "statistics": {"resamples": 50, "trials": 50},
        "output": {"dir": str(folder / "run")},
    }
    write_json(folder / "c.yaml", config)
    (folder / "bad.yaml").write_text(
        json.dumps(config | {"имя≤": 1}, ensure_ascii=False), "utf-8"
    )
    return folder


CALLS = """
import contextlib, io, json, os, shlex, sys
from pipeline.cli.dispatch import main
results = []
for command in json.loads(sys.stdin.read()):
    streams = [io.TextIOWrapper(io.BytesIO(), sys.stdout.encoding, errors) for errors in ("strict", "backslashreplace")]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            code = main([os.fsdecode(word.encode()) for word in shlex.split(command)])
        except SystemExit as error:
            code = error.code
    results.append([code, *(stream.buffer.getvalue().decode("latin-1") for stream in streams if not stream.flush())])
sys.__stdout__.write(json.dumps(results))
"""
"""The commands one after the other in one process, each with an output of its own; a traceback ends
it."""


@pytest.mark.parametrize("position", PLACES)
def test_no_command_ends_in_a_traceback_where_letters_are_missing(
    texts: Path, position: str
) -> None:
    (texts / "начало.yaml").unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", CALLS],
        input=json.dumps(COMMANDS),
        cwd=texts,
        env=environment(**PLACES[position]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    for command, (code, out, err) in zip(
        COMMANDS, json.loads(done.stdout), strict=True
    ):
        wrong = "bad" in command or "ない" in command or "глеу" in command
        assert (code, bool(err)) == (2, True) if wrong else code == 0, (
            command,
            err,
        )
        if position != "cp1252":
            assert (out + err).isascii(), command


def said(texts: Path, line: str, encoding: str) -> str:
    done = subprocess.run(
        [sys.executable, *PROGRAM, *line.split()],
        cwd=texts,
        env=environment(PYTHONIOENCODING=encoding),
        capture_output=True,
        check=True,
    )
    return done.stdout.decode(encoding)


def test_columns_stay_aligned(texts: Path) -> None:
    out = said(texts, "score chrf -r ref0 -o source システム", "ascii")
    _, header, *rows = out.splitlines()[:4]
    assert any(r"\u30b7\u30b9\u30c6\u30e0" in row for row in rows)
    assert len({len(line) for line in [header, *rows]}) == 1


def test_json_keeps_every_letter(texts: Path) -> None:
    command = "score chrf -r ref0 -o システム --json"
    plain = said(texts, command, "ascii")
    assert json.loads(plain) == json.loads(said(texts, command, "utf-8"))
    assert "システム" in str(json.loads(plain))


# ---- long pages


def on_a_terminal(folder: Path, line: str, lines: int = 24, **more: str) -> str:
    """Run a command on a pseudo-terminal of 80 columns; return what it drew."""
    outside, inside = os.openpty()
    fcntl.ioctl(
        inside, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0)
    )
    drawn: list[bytes] = []

    def read() -> None:
        with suppress(OSError):
            while data := os.read(outside, 4096):
                drawn.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    remaining = {
        key: value
        for key, value in environment().items()
        if key not in ("COLUMNS", "LINES", "PAGER", "TERM")
    }
    done = subprocess.run(
        [sys.executable, *PROGRAM, *line.split()],
        cwd=folder,
        env=remaining | {"TERM": "xterm"} | more,
        stdin=inside,
        stdout=inside,
        stderr=inside,
        check=False,
    )
    os.close(inside)
    reader.join()
    os.close(outside)
    assert done.returncode == 0
    return b"".join(drawn).decode()


def shown(page: str) -> list[str]:
    """Return the words of a page, without the numbers that links get at random."""
    return re.sub(r"id=\d+", "id", page).split()


@pytest.mark.skipif(
    not hasattr(os, "openpty"), reason="there are no pseudo-terminals"
)
def test_a_page_longer_than_the_terminal_has_a_pager(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text(
        "#!/bin/sh\ncat > paged.txt\necho in the pager $LESS\n",
        "utf-8",
    )
    pager.chmod(0o755)
    paged = on_a_terminal(tmp_path, "help gleu", PAGER=str(pager))
    assert paged.split() == ["in", "the", "pager", "-FRX"]
    page = (tmp_path / "paged.txt").read_text("utf-8")
    for arguments, lines in (
        ("help gleu --no-pager", 24),
        ("help gleu", 2000),
    ):
        assert shown(
            on_a_terminal(tmp_path, arguments, lines, PAGER=str(pager))
        ) == shown(page)


# ---- doctor


IN_NO_EXTRA = {
    "ipython",
    "torch",
    "en_core_web_sm",
    "s3fs",
    "gcsfs",
    "adlfs",
    "requests",
    "mecab_python3",
    "comet",
    "huggingface_hub",
}
"""Packages that only some need: notebooks, models of their own metrics, stores; and those that
others bring."""


def package(requirement: str) -> str:
    """Return the package of a requirement such as "fsspec>=2024.2"."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def test_doctor_names_every_optional_package(
    run_line: RunLine,
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    extras = {
        extra: {package(text) for text in requirements}
        for extra, requirements in project["optional-dependencies"].items()
        if requirements
        and extra not in ("all", "data", "test", "bench", "site")
    }
    needed, found = doctor._packages()
    assert {extra: set(packages) for extra, packages in found.items()} == extras
    assert set(needed) == {package(text) for text in project["dependencies"]}
    out = printed(run_line("doctor"))
    for extra, packages in extras.items():
        assert f"\npip install 'gec-pipeline[{extra}]'\n" in out
        assert all(f"\n  {name} " in out for name in packages)


def test_every_package_that_is_imported_is_required_or_known() -> None:
    needed, extras = doctor._packages()
    known = {
        name.replace("-", "_")
        for packages in (needed, *extras.values())
        for name in packages
    }
    known |= IN_NO_EXTRA
    known |= {
        "yaml",
        "dask",
        "pydantic_core",
        "thinc",
    }  # of pyyaml, distributed, pydantic and spacy
    known |= {"pipeline", *sys.stdlib_module_names}
    imported = set[str]()
    for file in (ROOT / "pipeline").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {
                    alias.name.partition(".")[0] for alias in node.names
                }
            elif (
                isinstance(node, ast.ImportFrom)
                and not node.level
                and node.module
            ):
                imported.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Call) and getattr(
                node.func, "id", ""
            ) in (
                "import_module",
                "find_spec",
            ):
                imported |= {
                    str(values.value).partition(".")[0]
                    for values in node.args[:1]
                    if isinstance(values, ast.Constant)
                }
    # a later Python has it
    assert {name.lower() for name in imported} - {"", "compression"} <= known
    assert "matplotlib" in imported
