"""What metrics of users survive: kills, Ctrl-C, memory that runs out, changed files, odd values,
broken caches.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pipeline
from pipeline.errors import InputError
from pipeline.extensions.functions import content_cache
from pipeline.extensions.functions.answers import Item
from pipeline.extensions.functions.calls import Call, Task
from pipeline.extensions.functions.content_cache import ContentCache
from tests.conftest import PATIENCE
from tests.support.commands import Command
from tests.support.extensions import needs
from tests.support.words import wordlist

SLOW = """
import os, signal, time, pipeline

@pipeline.metric(version="1", batch_size=4)
class Slow:
    "Letters of an output."
    def load(self, device):
        pass
    def __call__(self, outputs):
        with open("seen.txt", "a") as seen:
            seen.writelines(f"{os.getpid()} {text}\\n" for text in outputs)
        if any("PLEASE DIE" in text for text in outputs):
            os.kill(os.getpid(), signal.SIGKILL)
        while os.path.exists("hold") and len(open("seen.txt").readlines()) >= int(open("hold").read() or 99):
            time.sleep(0.01)
        return [len(text) / 7 for text in outputs]
"""
CONFIG = """
datasets: {d: {source: source.txt}}
systems: [A.txt]
metrics: [slow]
output: {dir: out}
"""
LINE = "run slow.yaml --plugin slow.py -q --device cpu"
COMMAND = [sys.executable, "-m", "pipeline", *LINE.split()]


@pytest.fixture
def slow(folder: Path) -> Path:
    """A folder with a slow metric that writes down what it computes, and forty texts, which are ten
    batches.
    """
    (folder / "slow.py").write_text(SLOW)
    (folder / "slow.yaml").write_text(CONFIG)
    for name in ("source", "A"):
        (folder / f"{name}.txt").write_text(
            "".join(f"text {n} {'x' * (n % 11)}\n" for n in range(40))
        )
    return folder


def seen(folder: Path) -> list[list[str]]:
    """Return what the metric has computed so far: the process and the text."""
    path = folder / "seen.txt"
    if path.exists():
        return [line.split(" ", 1) for line in path.read_text().splitlines()]
    return []


def ends_well(*options: str) -> bool:
    """Return whether a run ends with exit code 0, in new processes: they have the working directory."""
    done = subprocess.run(
        [*COMMAND, *options], capture_output=True, check=False
    )
    return done.returncode == 0


def begun(folder: Path, batches: int) -> subprocess.Popen[bytes]:
    """Begin a run, and return when it has begun so many batches more; the last waits while there is
    a file `hold`.
    """
    until = len(seen(folder)) + 4 * batches
    (folder / "hold").write_text(str(until))
    process = subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    end = time.monotonic() + PATIENCE
    while process.poll() is None and len(seen(folder)) < until:
        assert time.monotonic() < end
        time.sleep(0.01)
    return process


@pytest.mark.parametrize(
    ("victim", "kills"),
    [
        ("main", 1),
        ("model", 1),
        pytest.param("main", 2, marks=pytest.mark.exhaustive),
    ],
)
def test_a_kill_costs_at_most_a_batch(
    slow: Path, victim: str, kills: int
) -> None:
    for number in range(kills):
        process = begun(
            slow, random.Random(f"{victim} {number}").randrange(1, 5)
        )
        os.kill(
            process.pid if victim == "main" else int(seen(slow)[-1][0]),
            signal.SIGKILL,
        )
        (slow / "hold").unlink()
        process.communicate()
        assert process.returncode == (
            -signal.SIGKILL if victim == "main" else 0
        )
    assert ends_well()
    computed = Counter(text for _, text in seen(slow))
    assert len(computed) == 40
    assert sum(computed.values()) <= 40 + kills * 4
    data = (slow / "out" / "results.json").read_bytes()
    assert ends_well("--no-cache", "--fresh")
    assert (slow / "out" / "results.json").read_bytes() == data


def test_the_line_at_which_a_process_dies_is_named(slow: Path) -> None:
    (slow / "A.txt").write_text(
        (slow / "A.txt").read_text().replace("text 17", "PLEASE DIE")
    )
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    expected = "error: d, A, line 18: slow: a worker process died (out of memory, or killed)"
    assert done.stderr.splitlines()[-1] == expected


def test_ctrl_c_ends_with_130_and_keeps_what_is_done(slow: Path) -> None:
    process = begun(slow, 4)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    (slow / "hold").unlink()
    assert process.returncode == 130
    assert b"Traceback" not in errors
    before = len(seen(slow))
    assert ends_well()
    assert len(seen(slow)) - before <= 40 - before + 4


@pytest.mark.usefixtures("folder")
def test_a_file_that_is_saved_meanwhile_is_an_error(
    slow: Path, command: Command
) -> None:
    saving = "    def files(self):\n        os.truncate(__file__, 10)\n        return []\n    def load"
    changing = SLOW.replace("    def load", saving)
    (slow / "slow.py").write_text(changing)
    assert (
        command.refused("run slow.yaml --plugin slow.py -q").err
        == "error: slow.py was changed meanwhile; run the same command again\n"
    )


def test_a_batch_that_does_not_fit_is_halved_from_then_on() -> None:
    sizes = []

    class OutOfMemoryError(RuntimeError):
        """As torch raises it."""

    def fits(outputs: list[str]) -> list[int]:
        sizes.append(len(outputs))
        if sum(map(len, outputs)) > 20:
            raise OutOfMemoryError(
                "CUDA out of memory. Tried to allocate 2.00 GiB"
            )
        return [len(text) for text in outputs]

    plug = pipeline.metric(fits)
    call = Call(plug, None, (), plug.declared)
    batches: list[list[Item]] = [
        [("xxxxx",)] * 8,
        [("xxxxx",)] * 8,
        [("x",)] * 8,
    ]
    done = call(Task(0, batches))
    assert done.answers == [[(5,)] * 8, [(5,)] * 8, [(1,)] * 8]
    assert sizes == [8, 4, 4, 4, 4, 8]
    assert done.notes == [
        "fits: memory ran out; 8 texts are tried in halves from now on"
    ]
    (wrong,) = call(Task(0, [[("x" * 30,)]])).answers[0]
    assert "OutOfMemoryError: CUDA out of memory" in wrong.message


# --- what code may return

LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=3),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.sampled_from(
        [
            np.float32(0.1),
            np.int64(3),
            np.array([1.5]),
            np.array([]),
            np.bool_(True),
            Decimal("NaN"),
            object(),
        ]
    ),
    st.just(Fraction(1, 3)),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner, inner),
        st.sets(st.integers()),
    ),
)


# a warning about lines without a score is one of the ways to end well
@pytest.mark.filterwarnings("ignore:memory. odd has no score:UserWarning")
@given(
    returned=VALUES,
    form=st.sampled_from(
        [{}, {"returns": "counts"}, {"names": ("odd", "b")}, {"none": "skip"}]
    ),
)
def test_whatever_is_returned_ends_in_numbers_or_in_one_message(
    returned: Any, form: dict[str, Any]
) -> None:
    def unusual(outputs: list[str]) -> Any:
        return [returned for _ in outputs]

    def total(outputs: list[str]) -> Any:
        del outputs
        return returned

    for function in (unusual, total):
        message = ""
        try:
            score = pipeline.evaluate(
                ["a", "b c"],
                metrics=pipeline.metric(function, name="odd", **form),
            ).score
        except InputError as error:
            message = str(error)
        assert (
            ("odd" in message and "\n" not in message)
            if message
            else np.isfinite(score)
        )


# --- caches


def damaged(path: Path) -> None:
    """Write over the middle of the database."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 3000] = os.urandom(3000)
    data[:30] = os.urandom(30)
    path.write_bytes(data)


def foreign(path: Path) -> None:
    """Put a database of another program there, with a table of the same name."""
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE scores_kept (other TEXT)")


def falsified(path: Path) -> None:
    """Change the numbers of each row, so that proofs are wrong, and write numbers of another
    length.
    """
    with sqlite3.connect(path) as database:
        database.execute("UPDATE scores_kept SET numbers = zeroblob(16)")


def folder_there(path: Path) -> None:
    """Put a folder in the place of the database."""
    path.unlink()
    path.mkdir()


def locked(path: Path) -> None:
    """Lock the database for as long as this process lives."""
    LOCKS.append(sqlite3.connect(path, isolation_level=None))
    LOCKS[-1].execute("BEGIN EXCLUSIVE")


LOCKS: list[sqlite3.Connection] = []
BROKEN: dict[Callable[[Path], None], str] = {
    damaged: "is damaged",
    foreign: "scores are not kept",
    falsified: "",
    folder_there: "scores are not kept",
    locked: "scores are not kept: database is locked",
}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_broken_cache_changes_no_number(
    folder: Path,
    broken: Callable[[Path], None],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(content_cache, "LOCK_SECONDS", 0.1)
    line = "score kept --plugin kept.py -s data/source.txt -o data/systems/eager.txt"
    expected = command(line).out
    path = folder / "caches" / ContentCache.SCORES.file
    assert path.exists()
    broken(path)
    try:
        again = command(line)
        assert again.out == expected
        assert again.err.count(BROKEN[broken] or "kept") >= bool(BROKEN[broken])
        assert again.err.count("\n") <= 1
    finally:
        while LOCKS:
            LOCKS.pop().close()


# --- code that nobody has named

HOOKED = """
import os, sys
def hook(event, arguments):
    if event in ("import", "compile", "exec", "os.exec", "os.posix_spawn", "subprocess.Popen"):
        code = arguments[0]
        told = " ".join(map(str, (*arguments[:2], getattr(code, "co_filename", ""))))
        if "evil" in told and "hooked.py" not in told:
            print("HOOK", event, told[:200], file=sys.stderr)
sys.addaudithook(hook)
from pipeline.cli import main
for line in open("commands.txt"):
    main(line.split())
{then}
"""
EVIL = """
import pipeline
from pathlib import Path
Path("ran.txt").write_text("code ran")
@pipeline.metric(version="1")
def evil(outputs):
    return [len(output) for output in outputs]
"""
NAMES = [
    "evil",
    "evil.py",
    '"./evil.py"',
    "evil:evil",
    '"evil.evil"',
    '"gec_pipeline_plugin_evil"',
    "!!python/name:evil.evil ''",
    "!!python/object/apply:evil.evil [[a]]",
    "!!python/module:evil ''",
    "{name: evil, plugin: evil.py}",
    "{name: external, title: evil.py, files: evil.py}",
    '"chrf[plugin=evil.py]"',
]


@needs("published")
@pytest.mark.usefixtures("folder")
def test_configs_and_run_directories_import_nothing(
    folder: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "evil.py").write_text(EVIL)
    config = "datasets: {d: {source: data/source.txt}}\nsystems: [data/systems/*.txt]\nmetrics: [NAME]\noutput: {dir: out}\n"
    hostile = config.replace("dir: out", "dir: other")
    texts = [hostile.replace("NAME", name) for name in NAMES]
    extra = (
        "plugins: [evil.py]",
        "plugin: evil.py",
        "include: [evil.py]",
        "run: {plugins: [evil.py]}",
        "python: evil",
    )
    texts += [hostile.replace("NAME", "evil") + line + "\n" for line in extra]
    commands = []
    for number, text in enumerate(texts):
        (folder / f"{number}.yaml").write_text(text)
        commands += [f"run {number}.yaml -q", f"validate {number}.yaml"]
    (folder / "good.yaml").write_text(config.replace("NAME", "evil"))
    command("run good.yaml --plugin evil.py -q")
    (folder / "ran.txt").unlink()
    about = folder / "out" / "run.json"
    results = folder / "out" / "results.json"
    path = str(folder / "evil.py")
    about.write_text(
        about.read_text().replace(
            '"from": "evil.py"', f'"from": "{path}", "module": "evil"'
        )
    )
    results.write_text(
        results.read_text().replace(
            '"summary": "', f'"place": ["file", "{path}"], "summary": "evil '
        )
    )
    reading = [
        "show out",
        "show out --line 2",
        "compare out",
        "rank out",
        "list metrics",
        "list metrics evil",
        "cite out",
    ]
    commands += [
        *reading,
        "report out --format html markdown latex csv",
        "reproduce out",
        "run good.yaml",
    ]
    commands += [
        f"score {name} -o data/systems/eager.txt"
        for name in wordlist("evil evil.py ./evil.py evil:evil")
    ]
    (folder / "commands.txt").write_text("\n".join(commands))
    for name in wordlist(
        "GEC_PIPELINE_PLUGINS GEC_PIPELINE_PLUGIN PIPELINE_PLUGINS PYTEST_PLUGINS"
    ):
        monkeypatch.setenv(name, "evil")

    for then, notice in (
        ("", False),
        ('main(["list", "metrics", "--plugin", "evil.py"])', True),
    ):
        (folder / "hooked.py").write_text(HOOKED.replace("{then}", then))
        done = subprocess.run(
            [sys.executable, "hooked.py"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        assert ("HOOK" in done.stderr) is notice, done.stderr
        assert (folder / "ran.txt").exists() is notice


RUN = ["run", "chrf.yaml", "-q"]
SCORE = wordlist("score chrf -r data/reference0.txt -o data/systems/eager.txt")


@pytest.mark.parametrize(
    ("command", "unwanted"), [(RUN, "sqlite3"), (SCORE, "importlib.metadata")]
)
def test_a_run_without_plugins_imports_nothing_of_them(
    folder: Path, command: list[str], unwanted: str
) -> None:
    """Only declarations, which results.json may have. Pydantic imports importlib.metadata, and
    `score` no pydantic.
    """
    (folder / "chrf.yaml").write_text(
        (folder / "kept.yaml").read_text().replace("[chrf, kept]", "[chrf]")
    )
    code = (
        f"import sys; from pipeline.cli import main; assert main({command!r}) == 0\n"
        f"print(*(name for name in sys.modules if '.functions' in name or 'function_metrics' in name or name == {unwanted!r}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert {*done.stderr.split()} <= {
        "pipeline.extensions.functions",
        "pipeline.extensions.functions.declare",
        "results:",
        "runs/kept",
    }
