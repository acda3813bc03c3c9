"""`python -m tests.bench --compare COMMIT`: rows by the working tree and by an older commit, in turn.

The commit is checked out with `git worktree` into a temporary folder and compiled there. It gets the benchmark of today
in the place of its own, so that both are asked the same. Peers are not timed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from .corpora import ROOT
from .rows import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SLOWER = 1.05
"""A row is called slower where the working tree took so many times the commit's time in every pair."""


@contextmanager
def built(commit: str) -> Iterator[Path]:
    """Check a commit out and compile it; the folder is deleted at the end. Raises SystemExit where that fails."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "older"
        _ran(["git", "worktree", "add", "--detach", str(folder), commit], ROOT)
        try:
            _compile(folder, Path(temporary) / "installed")
            shutil.rmtree(folder / "tests")
            shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
            if (ROOT.parent / "shared").is_dir():
                (Path(temporary) / "shared").symlink_to((ROOT.parent / "shared").resolve())
            yield folder
        finally:
            _ran(["git", "worktree", "remove", "--force", str(folder)], ROOT)


def _compile(folder: Path, target: Path) -> None:
    """Compile the kernel of a checkout, as pip does it when it installs the program."""
    _ran([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(folder)], folder)
    native = Path("pipeline/kernel/native")
    for module in [*(target / native).glob("*.so"), *(target / native).glob("*.pyd")]:
        shutil.copy(module, folder / native)


def _ran(command: Sequence[str], folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} fails:\n{done.stderr[-2000:]}")


def _seconds(tree: Path, group: str, corpora: Path, options: Sequence[str]) -> dict[str, float]:
    """Return the seconds of each row of a group, as the program of a folder takes them; {} where it cannot do them."""
    figures = corpora / "figures.json"
    command = [sys.executable, "-m", "tests.bench", "--group", group, "--alone", "--runs", "1", *options]
    done = subprocess.run(
        [*command, "--folder", str(corpora), "--json", str(figures)],
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        cwd=tree,
        check=False,
    )
    if done.returncode:
        print(f"{group}: {tree} cannot do it: {(done.stderr.strip().splitlines() or ['?'])[-1]}", file=sys.stderr)
        return {}
    rows = json.loads(figures.read_text(encoding="utf-8"))
    return {row["name"]: row["seconds"] for row in rows if not isnan(row["seconds"])}


def compare(commit: str, groups: Sequence[str], runs: int, corpora: Path, options: Sequence[str] = ()) -> bool:
    """Print each row as both builds have it; return whether any is slower now than it was at the commit.

    groups: names of rows, as `--only` takes them. runs: pairs for each. corpora: a folder for texts and for runs.
    """
    slower = False
    with built(commit) as older:
        print(f"| row | {commit} | now | ratio | least | most | |\n|{'---|' * 7}")
        for group in groups:
            pairs = [[_seconds(tree, group, corpora, options) for tree in (older, ROOT)] for _ in range(runs)]
            for name in pairs[0][1]:
                both = [(then[name], now[name]) for then, now in pairs if name in then and name in now]
                slower |= _compared(name, both)
    return slower


def _compared(name: str, pairs: Sequence[tuple[float, float]]) -> bool:
    """Print a row; return whether it is slower now. pairs: seconds of the commit, and of now."""
    if not pairs:
        print(f"| {name} | - | - | - | - | - | only now |", flush=True)
        return False
    ratios = [then / now for then, now in pairs]
    slower, faster = max(ratios) < 1 / SLOWER, min(ratios) > SLOWER
    times = [shown(min(column)) for column in zip(*pairs, strict=True)]
    figures = [*times, *(f"{ratio:.2f}" for ratio in (median(ratios), min(ratios), max(ratios)))]
    verdict = "SLOWER" if slower else "faster" if faster else "as before"
    print(f"| {name} | {' | '.join(figures)} | {verdict} |", flush=True)
    return slower
