"""Fixtures and helpers that the tests share."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings

import pipeline.kernel
from pipeline import stages
from pipeline.data import TextFile
from pipeline.execution.options import AUTO, SILENT, Listener, RunOptions
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text
from pipeline.parallel import processors
from pipeline.scoring.results import Results
from tests.support.commands import Command

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
KERNELS = ("python", "native")
BOTH_KERNELS = {
    "kernel",
    "each_kernel",
    "golden_run",
    "native",
    "twin",
    "twins",
}
"""Fixtures that name kernels themselves: their tests do the same whatever PIPELINE_KERNEL says."""
PATIENCE = 600
"""Seconds after which a test stops waiting. Only what hangs waits so long: no machine is slow
enough to need it."""

for number, usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    # Whoever starts the tests may ignore these (nohup, or & in a script), and the processes of
    # tests inherit it.
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

os.fsync = lambda fd: None  # noqa: ARG005
"""Half of the time of tests that write runs was waiting for the disk. Other tests ask what happens
at fsync."""

settings.register_profile("pipeline", deadline=None, max_examples=30)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("pipeline")


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `-n auto` is: one more than processors, since tests wait for
    browsers and workers.
    """
    return processors() + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use: what they need decides which pass of .ci/run they are
    in.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & BOTH_KERNELS:
            item.add_marker("both_kernels")
        if "shared" in fixtures:
            item.add_marker("needs_shared")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and golden numbers, which is no part of the project."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder {SHARED} is not here")
    return SHARED


Published = dict[str, Any]
"""An item of published.json: published values, recipe, tolerance."""


@pytest.fixture(scope="session")
def published(shared: Path) -> dict[str, Published]:
    """The published numbers by the name of the item."""
    content = json.loads(
        (shared / "published" / "published.json").read_text(encoding="utf-8")
    )
    return {item["id"]: item for item in content["items"]}


def mirrored(shared: Path, repository: str, path: str) -> Path:
    """Return a file of a repository as the mirror has it, at whatever commit."""
    found = sorted((shared / "mirror" / repository).glob(f"*/{path}"))
    assert found, f"{repository}: {path} is not in the mirror"
    return found[0]


@contextmanager
def forced_kernel(name: str) -> Iterator[str]:
    """Force a kernel; skip where the compiled one was not built, fail where it was built and does
    not load.
    """
    if name == "native":
        try:
            import_module("pipeline.kernel.native")
        except ImportError as error:
            folder = Path(str(pipeline.kernel.__file__)).parent
            built = [
                file.name
                for file in folder.glob("native/*")
                if file.suffix in (".so", ".pyd")
            ]
            if built:
                pytest.fail(
                    f"{', '.join(built)} was built but does not load: {error}"
                )
            pytest.skip("the compiled kernel was not built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIPELINE_KERNEL", name)
        yield name


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each kernel in turn."""
    with forced_kernel(request.param) as name:
        yield name


@pytest.fixture
def each_kernel() -> Callable[[], Iterator[str]]:
    """A loop over the kernels, each forced in its turn: for tests whose expected values cost more
    than the kernel.
    """

    def each() -> Iterator[str]:
        for name in KERNELS:
            with forced_kernel(name):
                yield name

    return each


WORDS = [
    "a",
    "b",
    "c",
    "dog",
    "dogs",
    "run",
    "runs",
    "naïve",
    "日本",
    "😀",
    ".",
    ",",
]


def sentence(rng: random.Random) -> str:
    """Return a random line; now and then an empty one."""
    return (
        ""
        if rng.random() < 0.05
        else " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))
    )


def edited(line: str, rng: random.Random) -> str:
    """Return a line with some words changed, left out or said twice."""
    words: list[str] = []
    for word in line.split():
        chance = rng.random()
        words += (
            []
            if chance < 0.1
            else [rng.choice(WORDS)]
            if chance < 0.25
            else [word] * (1 + (chance > 0.9))
        )
    return " ".join(words)


def write_texts(
    folder: Path,
    lines: int,
    references: int = 2,
    systems: Sequence[str] = "AB",
    seed: int = 0,
) -> None:
    """Write random parallel text: source, ref0 ..., and a file for each system, all without suffix."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    source = [sentence(rng) for _ in range(lines)]
    for name in (
        "source",
        *(f"ref{number}" for number in range(references)),
        *systems,
    ):
        texts = (
            source
            if name == "source"
            else [edited(line, rng) for line in source]
        )
        write_lines(folder / name, texts)


def write_config(
    file: Path,
    datasets: Sequence[str] = ("d",),
    references: int = 2,
    systems: Sequence[str] = "AB",
    chosen: Sequence[Any] = ("gleu[iter=20]",),
    **more: Any,
) -> Path:
    """Write a config (JSON is YAML) for texts that lie in a folder for each data set beside it."""
    content = {
        "datasets": {
            name: {
                "source": f"{name}/source",
                "references": [f"{name}/ref{r}" for r in range(references)],
            }
            for name in datasets
        },
        "systems": {name: f"{{dataset}}/{name}" for name in systems},
        "metrics": list(chosen),
        **more,
    }
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def write_run(
    folder: Path, lines: int = 40, seed: int = 0, **more: Any
) -> Path:
    """Write a small random corpus and a config for it; return the config's path."""
    for number, name in enumerate(more.get("datasets", ("d",))):
        texts = {
            key: more[key] for key in ("references", "systems") if key in more
        }
        write_texts(folder / name, lines + number, seed=seed + number, **texts)
    return write_config(folder / "config.yaml", **more)


def open_text(path: Path) -> TextFile:
    """Index and check one plain file."""
    return TextFile.open(path)


class Hears(Listener):
    """Hands what it hears of a run to functions, each under the name of a method:
    tell=messages.append.
    """

    def __init__(self, **functions: Any) -> None:
        vars(self).update(functions)


def run(
    config: Path,
    output: str | Path,
    options: RunOptions = AUTO,
    listener: Listener = SILENT,
) -> Results:
    """Run a config into a folder."""
    return stages.run(stages.prepare(config), output, options, listener)[1]


class Tree(dict[str, bytes]):
    """Files by name; printed with their sizes (hypothesis prints its arguments)."""

    def __repr__(self) -> str:
        return f"Tree({ {name: len(data) for name, data in self.items()} })"


OWN = ("run.json", "run.lock", "log.txt")
"""Files of a run directory that tell how and when the work was done."""


def tree(folder: Path) -> Tree:
    """Return the files of a run directory that must not depend on how the work was done: all but
    OWN.
    """
    files = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file()
    }
    return Tree(
        {
            name: path.read_bytes()
            for name, path in sorted(files.items())
            if path.name not in OWN
        }
    )


def assert_as_fresh(config: Path, folder: Path) -> None:
    """Assert that a run directory is as a run makes it that nothing happened to."""
    run(config, folder.with_name("fresh"))
    assert tree(folder) == tree(folder.with_name("fresh"))


class Finished(NamedTuple):
    """A run that is done: its config, its directory, and the files there."""

    config: Path
    folder: Path
    files: Tree


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small random corpus, a config and its run."""
    folder = tmp_path_factory.mktemp("finished")
    run(write_run(folder), folder / "run")
    return folder


@pytest.fixture
def finished(finished_once: Path, tmp_path: Path) -> Finished:
    """A finished run in the folder of the test."""
    shutil.copytree(finished_once, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "run"
    manifest = folder / "run.json"
    text = manifest.read_text("utf-8").replace(
        str(finished_once), str(tmp_path)
    )
    manifest.write_text(text, "utf-8")
    return Finished(tmp_path / "config.yaml", folder, tree(folder))


def metric_of(**options: str | int | bool) -> Metric:
    """Return GLEU+ with options given by their signature keys."""
    return from_text(
        "gleu", {key: str(value).lower() for key, value in options.items()}
    )


def write_sample(folder: Path, **sections: Any) -> Path:
    """Run the sample in data/ with two metrics; return its run directory, with a baseline.

    Beside it is the directory of a run that tests all pairs. Sections are those of extensions.
    """
    shutil.copytree(ROOT / "data", folder / "data")
    references = ["data/reference0.txt", "data/reference1.txt"]
    names = ("careful", "eager", "unchanged", "broken")
    config: dict[str, Any] = {
        "datasets": {
            "sample": {"source": "data/source.txt", "references": references}
        },
        "systems": {name: f"data/systems/{name}.txt" for name in names},
        "metrics": ["gleu[iter=20]", "bleu"],
        **sections,
    }
    for name, more in (("run", {"baseline": "unchanged"}), ("pairs", {})):
        config["statistics"] = {"resamples": 200, "trials": 500, **more}
        (folder / f"{name}.yaml").write_text(
            json.dumps(config), encoding="utf-8"
        )
        run(folder / f"{name}.yaml", folder / name)
    return folder / "run"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of the sample in data/."""
    return write_sample(tmp_path_factory.mktemp("reports"))


def gec_pipeline(line: object = "", *more: object) -> int:
    """Run a command line in this process; return its exit code.

    The line is split at white space; what comes after it may contain some.
    """
    from pipeline.cli.dispatch import main

    try:
        return main([*str(line).split(), *map(str, more)])
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else -1


class Said(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


def called(
    capsys: pytest.CaptureFixture[str], line: object = "", *more: object
) -> Said:
    """Run a command line in this process; return exit code, output and messages."""
    capsys.readouterr()
    code = gec_pipeline(line, *more)
    return Said(code, *capsys.readouterr())


RunLine = Callable[..., Said]
"""What the fixture `run_line` gives."""


@pytest.fixture
def run_line(capsys: pytest.CaptureFixture[str]) -> RunLine:
    """A function that runs a command line in this process."""
    return partial(called, capsys)


def printed(said: Said) -> str:
    """Return what a command printed that ended well."""
    assert said.code == 0, said.err
    return said.out


def refused(said: Said) -> str:
    """Return the message of a command that was refused: exit code 2, and nothing printed."""
    assert (said.code, said.out) == (2, "")
    return said.err


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write a text, with a newline behind each line."""
    text = "".join(f"{line}\n" for line in lines)
    Path(path).write_text(text, encoding="utf-8", newline="")


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file."""
    return json.loads(Path(path).read_bytes())


def write_json(path: str | Path, content: object) -> Path:
    """Write a JSON file (which is YAML too); return its path."""
    path = Path(path)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line; called with a line, it returns what is printed."""
    return Command(capsys)
