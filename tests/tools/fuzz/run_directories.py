"""Run directories with anything damaged: each command that reads them ends well or in one message,
and runs go on.

The same command, given again, ends in the results of a run that nothing happened to, or says that
it is refused."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pipeline
from pipeline.errors import PipelineError
from tests.conftest import ROOT, tree

from .changes import changed, changed_bytes, drawn, drawn_bytes
from .driver import Fuzzer, said

CONFIG: dict[str, Any] = {
    "datasets": {
        "sample": {
            "source": "source.txt",
            "references": ["reference0.txt", "reference1.txt"],
        }
    },
    "systems": {
        name: f"systems/{name}.txt" for name in ("careful", "eager", "broken")
    },
    "metrics": ["gleu[iter=5]", "bleu"],
    "statistics": {"resamples": 20, "trials": 20},
    "human": {"file": "judgements.csv", "window": 3, "resamples": 10},
}
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    0.5,
    1e308,
    10**30,
    2**53,
    10**15,
    [],
    {},
    [[]],
    {"a": 1},
    [None],
    [0, 1],
]
VALUES += [
    "x",
    "",
    "1",
    "\ud7ff",
    "../x",
    "a|b:c",
    "gleu",
    "gleu|iter:1000000000",
    "=1",
    "careful",
    "\x1b[31m",
]
VALUES += ["x" * 3000, "statistics/../x"]
FILES = (
    ["results.json"] * 6 + ["run.json"] * 3 + ["a file"] * 4 + ["counts"] * 3
)


@cache
def whole() -> Path:
    """Return a folder with the data and the directory of a run, made once for this process."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-whole-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(ROOT / "data", folder, dirs_exist_ok=True)
    (folder / "c.yaml").write_text(json.dumps(CONFIG), encoding="utf-8")
    done = said("run", folder / "c.yaml", "--output", folder / "run", "-q")
    if done.code:
        raise SystemExit(f"the run fails where nothing is damaged: {done.err}")
    return folder


def load(run: Path) -> str:
    """Open a run from Python; the errors of the package are what it may raise."""
    try:
        for result in pipeline.load(run):
            len(result.sentences)
    except PipelineError:
        return ""
    return ""


def command(*arguments: str) -> Callable[[Path], str]:
    """Return a function that gives a command on a run directory, and returns what is wrong with
    what it does.
    """

    def give(run: Path) -> str:
        return said(
            *(
                run if one == "RUN" else one.replace("DATA", str(whole()))
                for one in arguments
            )
        ).wrong()

    return give


def go_on(run: Path) -> str:
    """Give the same command again; what is there afterwards must be as if nothing had happened."""
    done = said("run", whole() / "c.yaml", "--output", run, "-q")
    if done.code == 0:
        files = tree(run)
        expected = tree(whole() / "run")
        differing = [
            name for name in expected if files.get(name) != expected[name]
        ]
        return f"{differing} differ after the same command" if differing else ""
    return done.wrong()


COMMANDS: dict[str, Callable[[Path], str]] = {
    "show": command("show", "RUN"),
    "columns": command("show", "RUN", "--columns", "match_*"),
    "line": command("show", "RUN", "--line", "2"),
    "report": command(
        "report",
        "RUN",
        "--format",
        "markdown",
        "latex",
        "csv",
        "--output",
        "out",
    ),
    "html": command("report", "RUN", "--format", "html", "--output", "out"),
    "compare": command("compare", "RUN"),
    "rank": command("rank", "RUN"),
    "correlate": command("correlate", "RUN", "--human", "DATA/judgements.csv"),
    "cite": command("cite", "RUN"),
    "clean": command("clean", "RUN", "--dry-run"),
    "unused": command("clean", "RUN", "--unused"),
    "dry": command("run", "DATA/c.yaml", "--output", "RUN", "--dry-run"),
    "load": load,
    "go on": go_on,
}


def make(seed: str) -> dict[str, Any]:
    """Return the damages of a seed, and the commands that then are given."""
    rng = random.Random(seed)
    damages = [_damage(rng) for _ in range(rng.choice([1, 1, 1, 2]))]
    return {
        "damages": damages,
        "commands": [*rng.sample(list(COMMANDS)[:-1], 3), "go on"],
    }


def _damage(rng: random.Random) -> dict[str, Any]:
    """Draw what is done to a file."""
    name = rng.choice(FILES)
    way = rng.random()
    if name in ("a file", "counts"):
        files = [
            path
            for path in sorted((whole() / "run").rglob("*"))
            if path.is_file()
        ]
        chosen = [
            path
            for path in files
            if name == "a file" or path.suffix == ".columns"
        ]
        name = rng.choice(chosen).relative_to(whole() / "run").as_posix()
    if way < 0.08:
        return {
            "file": name,
            "is": rng.choice(["missing", "folder", "pipe", "link", "empty"]),
        }
    if way < 0.14:
        return {"file": name, "size": rng.choice([0, 1, 100, 1 << 20, 1 << 36])}
    if name.endswith(".json") and way < 0.8:
        content = json.loads(
            (whole() / "run" / name).read_text(encoding="utf-8")
        )
        return {
            "file": name,
            "changes": [
                drawn(rng, content, VALUES)
                for _ in range(rng.choice([1, 1, 2]))
            ],
        }
    return {
        "file": name,
        "bytes": [drawn_bytes(rng) for _ in range(rng.randint(1, 3))],
    }


def inflict(run: Path, damage: dict[str, Any]) -> None:
    """Damage a file of a run directory."""
    path = run / damage["file"]
    if not path.is_file() or path.is_symlink():
        return
    if "changes" in damage:
        # of a file that is damaged already
        with contextlib.suppress(ValueError):
            content = changed(
                json.loads(path.read_text(encoding="utf-8")), damage["changes"]
            )
            path.write_text(json.dumps(content), encoding="utf-8")
    elif "bytes" in damage:
        path.write_bytes(changed_bytes(path.read_bytes(), damage["bytes"]))
    elif "size" in damage:
        os.truncate(path, damage["size"])
    else:
        path.unlink()
        what = {
            "folder": Path.mkdir,
            "pipe": os.mkfifo,
            "link": lambda p: p.symlink_to(run),
            "empty": Path.touch,
        }
        what.get(damage["is"], lambda _: None)(path)  # type: ignore[operator]


def check(case: dict[str, Any], folder: Path, tally: Counter[str]) -> str:
    """Damage a copy of the run directory, and give the commands."""
    shutil.copytree(whole() / "run", folder / "run")
    for damage in case["damages"]:
        inflict(folder / "run", damage)
    with contextlib.chdir(folder):
        for name in case["commands"]:
            tally[name] += 1
            if wrong := COMMANDS[name](folder / "run"):
                return f"{name}: {wrong}"
    return ""


FUZZER = Fuzzer("run directories with anything damaged", make, check)
