"""Run the tests with extensions deleted: the core alone, or each extension deleted in turn.

python -m tests.tools.alone core                  the core without any extension
python -m tests.tools.alone each                  each extension deleted alone
python -m tests.tools.alone each --today 2        two of them, chosen by the date
python -m tests.tools.alone without edits nlg     these extensions deleted together

The checkout is copied to a temporary folder without the extensions (and those that need them). There
configs/quickstart.yaml is run, whose table has to be that of README.md, and the tests that are left.
The core alone is installed for that. More arguments after `--` are passed on to pytest; tests that
are deleted are left out of them.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pipeline.extension import installed
from pipeline.parallel import processors

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
IGNORED = (
    ".git",
    ".venv",
    "runs",
    "build",
    "*.egg-info",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
    "__pycache__",
)

WHOLE_PROGRAM = (
    "tests/test_documents.py",
    "tests/test_pinned.py",
    "tests/test_readable.py",
    "tests/test_reference.py",
    "tests/test_tutorials.py",
    "tests/tools",
)
"""Tests of what the extensions make together: README, the help with its examples, the numbers of
all configs in configs/, figures of the whole code, and tools that damage runs with every section.

They are left out wherever an extension is deleted.
"""


def project_extensions() -> dict[str, tuple[str, ...]]:
    """Return the extensions of the project, each with those that it needs."""
    needs = {}
    for extension in installed().values():
        if extension.package.startswith("pipeline.extensions."):
            needs[extension.name] = tuple(extension.needs)
    return needs


def with_dependents(names: set[str]) -> set[str]:
    """Return extensions, and all that need one of them."""
    needs = project_extensions()
    before: set[str] = set()
    while names != before:
        before = names
        names = before | {name for name in needs if before & set(needs[name])}
    return names


def with_needs(names: set[str]) -> set[str]:
    """Return extensions, and all that they need."""
    needs = project_extensions()
    result = set(names)
    for name in names:
        result |= with_needs(set(needs[name]))
    return result


def copy_without(names: set[str], folder: Path) -> Path:
    """Copy the checkout without some extensions and their tests; return the copy."""
    copy = folder / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*IGNORED))
    for name in names:
        shutil.rmtree(copy / "pipeline" / "extensions" / name)
        shutil.rmtree(copy / "tests" / "extensions" / name, ignore_errors=True)
    if names == set(project_extensions()):
        shutil.rmtree(copy / "pipeline" / "extensions")
        shutil.rmtree(copy / "tests" / "extensions")
    if SHARED.is_dir():
        (folder / "shared").symlink_to(SHARED)
    return copy


def environment_of(copy: Path, folder: Path, *, installed: bool) -> Path:
    """Return the Python of an environment with the copy, installed or only found by its path.

    The packages that the tests need, and the entry points of a copy that is not installed, come from
    the environment that runs this program.
    """
    environment = folder / "environment"
    command = [sys.executable, "-m", "venv", "--without-pip", str(environment)]
    subprocess.run(command, check=True)
    python = environment / "bin" / "python"
    packages = Path("lib", f"python3.{sys.version_info.minor}", "site-packages")
    paths = [Path(sys.prefix, packages)]
    if installed:
        pip = [sys.executable, "-m", "pip", "--python", str(python)]
        command = [*pip, "install", "-q", "--no-deps", "-e", str(copy)]
        subprocess.run(command, check=True)
    else:
        paths.insert(0, copy)
    lines = "".join(f"{path}\n" for path in paths)
    (environment / packages / "beside.pth").write_text(lines)
    return python


def table_of_readme() -> list[str]:
    """Return the lines that README.md shows for the first command."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.partition("<!-- output -->")[2].partition("<!-- end -->")[0]
    return [
        line.removeprefix("    ") for line in block.strip("\n").splitlines()
    ]


def quickstart_fails(python: Path, copy: Path, run_directory: Path) -> str:
    """Run configs/quickstart.yaml; return what it printed if that is not the table of README.md."""
    command = [str(python), "-m", "pipeline", "run", "configs/quickstart.yaml"]
    done = subprocess.run(
        [*command, "--output", str(run_directory)],
        cwd=copy,
        env=without_python_path(),
        capture_output=True,
        text=True,
        check=False,
    )
    printed = [line.rstrip() for line in done.stdout.splitlines()]
    expected = [line.rstrip() for line in table_of_readme()]
    if done.returncode == 0 and set(expected) - {""} <= set(printed):
        return ""
    return (
        f"quickstart: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    )


def without_python_path() -> dict[str, str]:
    """Return the environment variables for programs that have to find the copy."""
    variables = {**os.environ, "COLUMNS": "200"}
    variables.pop("PYTHONPATH", None)
    return variables


def check(names: set[str], options: list[str], *, installed: bool) -> bool:
    """Run quickstart and tests without some extensions; return whether all is well."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = copy_without(names, folder)
        python = environment_of(copy, folder, installed=installed)
        failure = quickstart_fails(python, copy, folder / "run")
        if failure:
            print(failure)
            return False
        # One more worker, as for all tests, costs more to start than it saves.
        workers = ["-n", str(processors())]
        tests = [
            str(python),
            "-m",
            "pytest",
            *workers,
            "-p",
            "no:cacheprovider",
        ]
        tests += [f"--ignore={path}" for path in WHOLE_PROGRAM]
        for option in options:
            if not option.startswith("tests/") or (copy / option).exists():
                tests.append(option)
        done = subprocess.run(
            tests, cwd=copy, env=without_python_path(), check=False
        )
        return done.returncode == 0


def main() -> None:
    """Do what the arguments ask for; exit with 1 if something fails."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=["core", "each", "without"])
    parser.add_argument("names", nargs="*")
    parser.add_argument(
        "--today",
        type=int,
        metavar="N",
        help="N extensions, chosen by the date",
    )
    arguments = sys.argv[1:]
    options: list[str] = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    args = parser.parse_args(arguments)
    every = sorted(project_extensions())
    if args.what == "core":
        chosen = [set(every)]
    elif args.what == "without":
        chosen = [with_dependents(set(args.names))]
    else:
        names = every
        if args.today:
            today = random.Random(dt.date.today().toordinal())
            names = today.sample(every, args.today)
        chosen = [with_dependents({name}) for name in names]
    failed = False
    for names_left_out in chosen:
        print(f"+ without {', '.join(sorted(names_left_out))}", flush=True)
        is_core = args.what == "core"
        failed = not check(names_left_out, options, installed=is_core) or failed
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
