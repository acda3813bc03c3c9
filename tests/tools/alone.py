"""Run the tests with extensions deleted: the core alone, or each extension deleted in turn.

python -m tests.tools.alone core                  the core without any extension
python -m tests.tools.alone each                  each extension deleted alone
python -m tests.tools.alone each --today 2        two of them, chosen by the date
python -m tests.tools.alone without edits nlg     these extensions deleted together

The checkout is copied to a temporary folder without the extensions (and those that need them), is
installed there, runs configs/quickstart.yaml, whose table has to be that of README.md, and runs the
tests that are left. More arguments after `--` are passed on to pytest; tests that are deleted are
left out of them.
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

STILL_NEED_EXTENSIONS = (
    "tests/cli",
    "tests/compat",
    "tests/data/config/test_config.py",
    "tests/data/test_mistaken_texts.py",
    "tests/data/test_shapes.py",
    "tests/execution",
    "tests/files",
    "tests/kernel",
    "tests/metrics/test_options.py",
    "tests/metrics/test_own_tokens.py",
    "tests/metrics/test_ter.py",
    "tests/report",
    "tests/scorers/test_rewards.py",
    "tests/scorers/test_scorer.py",
    "tests/scoring/test_results.py",
    "tests/scoring/test_sentence_outputs.py",
    "tests/test_api.py",
    "tests/test_documents.py",
    "tests/test_from_python.py",
    "tests/test_newcomers.py",
    "tests/test_pinned.py",
    "tests/test_reference.py",
    "tests/test_security.py",
    "tests/test_structure.py",
    "tests/test_supply_chain.py",
    "tests/test_tutorials.py",
    "tests/tools",
)
"""Tests of the core of which some name an extension, or which nobody has tried without one.

They are left out. The list only gets shorter.
"""


def own_extensions() -> dict[str, tuple[str, ...]]:
    """Return the extensions of the project, each with those that it needs."""
    own = {}
    for extension in installed().values():
        if extension.package.startswith("pipeline.extensions."):
            own[extension.name] = tuple(extension.needs)
    return own


def with_dependents(names: set[str]) -> set[str]:
    """Return extensions, and all that need one of them."""
    needs = own_extensions()
    before: set[str] = set()
    while names != before:
        before = names
        names = before | {name for name in needs if before & set(needs[name])}
    return names


def copy_without(names: set[str], folder: Path) -> Path:
    """Copy the checkout without some extensions and their tests; return the copy."""
    copy = folder / "checkout"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*IGNORED))
    for name in names:
        shutil.rmtree(copy / "pipeline" / "extensions" / name)
        shutil.rmtree(copy / "tests" / "extensions" / name, ignore_errors=True)
    if names == set(own_extensions()):
        shutil.rmtree(copy / "pipeline" / "extensions")
        shutil.rmtree(copy / "tests" / "extensions")
    if SHARED.is_dir():
        (folder / "shared").symlink_to(SHARED)
    return copy


def install(copy: Path, folder: Path) -> Path:
    """Install the copy into an environment of its own; return its Python.

    The packages that the tests need come from the environment that runs this program.
    """
    environment = folder / "environment"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True
    )
    python = environment / "bin" / "python"
    command = [str(python), "-c", "import site; print(site.getsitepackages()[0])"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    packages = Path(done.stdout.strip())
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "-q",
        "--no-deps",
    ]
    subprocess.run([*command, "-e", str(copy)], check=True)
    (packages / "beside.pth").write_text(
        f"{Path(sys.prefix, packages.relative_to(environment))}\n"
    )
    return python


def table_of_readme() -> list[str]:
    """Return the lines that README.md shows for the first command."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.partition("<!-- output -->")[2].partition("<!-- end -->")[0]
    return [line.removeprefix("    ") for line in block.strip("\n").splitlines()]


def check(names: set[str], options: list[str]) -> bool:
    """Run quickstart and tests without some extensions; return whether all is well."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = copy_without(names, folder)
        python = install(copy, folder)
        environment = {**os.environ, "COLUMNS": "200"}
        environment.pop("PYTHONPATH", None)
        command = [str(python), "-m", "pipeline", "run", "configs/quickstart.yaml"]
        output = [*command, "--output", str(folder / "run")]
        done = subprocess.run(
            output,
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        missing = [
            line
            for line in table_of_readme()
            if line.strip() and line.rstrip() not in printed
        ]
        if done.returncode or missing:
            print(
                f"quickstart: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            )
            return False
        there = []
        for option in options:
            if not option.startswith("tests/") or (copy / option).exists():
                there.append(option)
        left_out = [f"--ignore={name}" for name in STILL_NEED_EXTENSIONS]
        tests = [str(python), "-m", "pytest", "-n", "auto", "-p", "no:cacheprovider"]
        tests += [*left_out, *there]
        return (
            subprocess.run(tests, cwd=copy, env=environment, check=False).returncode
            == 0
        )


def main() -> None:
    """Do what the arguments ask for; exit with 1 if something fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["core", "each", "without"])
    parser.add_argument("names", nargs="*")
    parser.add_argument(
        "--today", type=int, metavar="N", help="N extensions, chosen by the date"
    )
    arguments = sys.argv[1:]
    options: list[str] = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1 :]
        arguments = arguments[: arguments.index("--")]
    args = parser.parse_args(arguments)
    own = sorted(own_extensions())
    if args.what == "core":
        chosen = [set(own)]
    elif args.what == "without":
        chosen = [with_dependents(set(args.names))]
    else:
        names = own
        if args.today:
            names = random.Random(dt.date.today().toordinal()).sample(own, args.today)
        chosen = [with_dependents({name}) for name in names]
    failed = False
    for names_left_out in chosen:
        print(f"+ without {', '.join(sorted(names_left_out))}", flush=True)
        failed = not check(names_left_out, options) or failed
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
