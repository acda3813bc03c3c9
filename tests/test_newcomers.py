"""What it takes to add something: the examples of `gec-pipeline help extending`, made and run.

Each example is put into a copy of the project, as the page says, and its commands are run there.
Then all of them are built as a package of their own, installed, and run without a change of the
project.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.extension import missing_extension
from tests.conftest import ROOT
from tests.support.extensions import needs

PAGE = (ROOT / "pipeline" / "help" / "extending.md").read_text("utf-8")
RUNNER = """
import sys
from pipeline.cli import main
for number, line in enumerate(sys.stdin.read().splitlines()):
    print("$", number, flush=True)
    try:
        code = main(line.split("\\t"))
    except SystemExit as left:
        code = left.code
    if code:
        sys.exit(f"{line}: exit code {code}")
"""
"""Runs a command of each line of its input; its words have tabs between them."""
EXAMPLES = {
    "A metric": 2,
    "A tokeniser": 2,
    "A format of texts": 2,
    "A format of reports": 2,
    "A plot": 2,
    "A command": 2,
    "A statistic of agreement": 2,
    "A significance test": 2,
    "A backend": 2,
    "A stage with a section of the config": 2,
    "A data set": 1,
    "A published result": 2,
}
"""How many files of the project each example may touch, those that are new counted."""
PACKAGE = "gec_pipeline_examples"
EXTENDED = {
    "A plot": "plots",
    "A statistic of agreement": "human",
    "A backend": "clusters",
    "A stage with a section of the config": "nlg",
    "A published result": "published",
}
"""The extension that an example adds to, if it is not the core."""
TITLES = [
    pytest.param(
        title, marks=[needs(EXTENDED[title])] if title in EXTENDED else []
    )
    for title in EXAMPLES
]


@dataclass(frozen=True)
class Block:
    """A fenced block of the page."""

    language: str
    about: str
    """The rest of the line with the fence."""
    text: str


@dataclass
class Command:
    """A command of the page."""

    words: list[str]
    """What follows the name of the program."""
    printed: list[str]
    """Lines that it prints, among others."""


def section(title: str) -> list[Block]:
    """Return the blocks of a section of the page."""
    level = "##" if f"\n## {title}\n" in PAGE else "###"
    text = PAGE.partition(f"\n{level} {title}\n")[2]
    text = text.partition("\n## ")[0].partition("\n### ")[0]
    fenced = re.findall(
        r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL
    )
    return [Block(*groups) for groups in fenced]


def commands(blocks: list[Block]) -> list[Command]:
    """Return the commands of a section in order."""
    listed: list[Command] = []
    for block in blocks:
        if block.language != "console":
            continue
        for line in block.text.splitlines():
            if line.startswith("$ "):
                name, *words = shlex.split(line[2:])
                assert name == "gec-pipeline"
                listed.append(Command(words, []))
            else:
                listed[-1].printed.append(line)
    return listed


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project as it is, without what is compiled."""
    folder = tmp_path_factory.mktemp("untouched")
    ignore = shutil.ignore_patterns("*.so", "*.pyd", "*.c")
    for name in ("pipeline", "configs", "data"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    return folder


@pytest.fixture
def project(untouched: Path, tmp_path: Path) -> Path:
    """A copy for one test."""
    shutil.copytree(untouched, tmp_path / "project")
    return tmp_path / "project"


def insert_line(text: str, table: str, line: str) -> str:
    """Return Python code with a line at the end of a table, such as `METRICS = Table(...)`.

    Entries of the object EXTENSION go before its last bracket, those of a table into its mapping.
    """
    begin = re.search(rf"^(?:    )?{table}\b[^=\n]*=", text, re.MULTILINE)
    assert begin, f"there is no table {table}"
    depth = 0
    end = begin.end()
    for position in range(begin.end(), len(text)):
        if text[position] in "({":
            depth += 1
        elif text[position] in ")}":
            depth -= 1
            if text[position] == "}" and table != "EXTENSION":
                end = position
            if depth == 0:
                break
    if table == "EXTENSION":
        end = position
    start_of_line = text.rfind("\n", 0, end) + 1
    return text[:start_of_line] + line + text[start_of_line:]


def add_to_project(project: Path, blocks: list[Block]) -> set[str]:
    """Write the files of a section as inside the repository; return the files that changed."""
    touched = set()
    for block in blocks:
        if block.language == "console" or block.about in ("", "entry"):
            continue
        if block.about.startswith(("line of ", "entry of ")):
            name = block.about.split()[-1]
            path = project / name
            text = path.read_text("utf-8")
            if block.about.startswith("line of "):
                text = insert_line(text, block.about.split()[2], block.text)
            else:
                text += f"\n{block.text}"
        else:
            name = block.about.split()[-1]
            path = project / name
            assert not path.exists(), f"{name} is there already"
            path.parent.mkdir(parents=True, exist_ok=True)
            text = block.text
        path.write_text(text, "utf-8")
        if name.startswith("pipeline/"):
            touched.add(name)
    return touched


def call(folder: Path, paths: list[Path], *requested: list[str]) -> list[str]:
    """Run commands in a Python that imports from some folders; return what each of them printed."""
    environment = {
        n: value
        for n, value in os.environ.items()
        if not n.startswith("GEC_PIPELINE")
    }
    environment["PYTHONPATH"] = os.pathsep.join(map(str, paths))
    environment["PIPELINE_KERNEL"] = "python"
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["GEC_PIPELINE_DATA"] = str(folder.parent / "cache")
    environment["COLUMNS"] = "200"
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input="\n".join("\t".join(words) for words in requested),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return re.split(r"^\$ [0-9]+\n", done.stdout, flags=re.MULTILINE)[1:]


def try_out(folder: Path, paths: list[Path], blocks: list[Block]) -> None:
    """Run the commands of a section: each prints the lines that stand below it.

    Commands of extensions that are not installed are left out.
    """
    requested = []
    for command in commands(blocks):
        if not missing_extension("commands", command.words[0]):
            requested.append(command)
    assert requested
    printed = call(folder, paths, *(command.words for command in requested))
    for command, text in zip(requested, printed, strict=True):
        lines = [line.rstrip() for line in text.splitlines()]
        missing = [
            line
            for line in command.printed
            if not any(other.startswith(line) for other in lines)
        ]
        assert missing == [], f"{' '.join(command.words)} printed\n{text}"


@pytest.mark.parametrize("title", TITLES)
def test_an_example_inside_the_repository(title: str, project: Path) -> None:
    blocks = section(title)
    if title == "A published result":
        add_to_project(project, section("A data set"))
    touched = add_to_project(project, blocks)
    assert 0 < len(touched) <= EXAMPLES[title]
    try_out(project, [project], blocks)


def files_of_package(folder: Path) -> None:
    """Write the files of the package with all examples."""
    package = folder / PACKAGE
    (package / "recipes").mkdir(parents=True)
    for title in EXAMPLES:
        for block in section(title):
            names = block.about.split()
            if (
                title == "A data set"
                and block.language == "yaml"
                and "entry" in names
            ):
                (package / "data_sets.yaml").write_text(block.text, "utf-8")
            elif title == "A published result" and block.language == "yaml":
                name = Path(names[-1]).name
                (package / "recipes" / name).write_text(block.text, "utf-8")
            elif len(names) == 2 and block.language == "python":
                (package / names[0]).write_text(block.text, "utf-8")
    for block in section("As a package of your own"):
        path = (
            folder / block.about
            if block.language == "toml"
            else package / block.about
        )
        path.write_text(block.text, "utf-8")


@pytest.fixture(scope="session")
def installed_package(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Path]:
    """The folder where the package with all examples is installed."""
    folder = tmp_path_factory.mktemp("package")
    files_of_package(folder)
    target = folder / "site"
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
    ]
    subprocess.run([*command, "--target", str(target), str(folder)], check=True)
    yield target
    shutil.rmtree(folder)


@pytest.mark.parametrize("title", TITLES)
def test_an_example_in_a_package_of_its_own(
    title: str, installed_package: Path, untouched: Path, tmp_path: Path
) -> None:
    blocks = section(title)
    work = tmp_path / "work"
    work.mkdir()
    for name in ("configs", "data"):
        shutil.copytree(untouched / name, work / name)
    for block in [
        *blocks,
        *(section("A data set") if title == "A published result" else ()),
    ]:
        is_input = (
            block.language in ("text", "yaml")
            and "pipeline/" not in block.about
        )
        if is_input and block.about not in ("", "entry"):
            path = work / block.about
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, "utf-8")
    try_out(work, [installed_package, ROOT], blocks)


def test_what_is_new_is_not_there_before(untouched: Path) -> None:
    """Else the tests above could pass without the examples."""
    (schema,) = call(untouched, [untouched], ["schema"])
    for name in (
        '"const": "dice"',
        '"hyphens"',
        '"BarsConfig"',
        '"rank_list"',
        '"score_bars"',
    ):
        assert name not in schema
