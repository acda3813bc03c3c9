"""What it takes to add something: one file and one line, as `gec-pipeline help contributing` shows.

The examples are read out of that page. Each is made in a copy of the project, which a Python of its
own runs."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "pipeline" / "help" / "contributing.md").read_text(encoding="utf-8")
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


class Block(NamedTuple):
    """A block of the page: what stands beside its fence, after the language, and the text."""

    language: str
    about: str
    text: str

    @property
    def is_addition(self) -> bool:
        """Whether the text is added to a file of the package that is there already."""
        return self.about.startswith(("line of ", "entry of "))

    @property
    def file(self) -> str:
        """The file that the text is, or is added to."""
        return self.about.split()[-1]


class Command(NamedTuple):
    """A command of the page, as the words after the name of the program, and lines that it prints."""

    words: list[str]
    printed: list[str]


def section(title: str) -> list[Block]:
    """Return the blocks of a section of the page."""
    text = PAGE.partition(f"\n### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    fenced = re.findall(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(*groups) for groups in fenced]


def commands(blocks: list[Block]) -> list[Command]:
    """Return the commands of a section in order."""
    listed: list[Command] = []
    for line in (
        line for block in blocks if block.language == "console" for line in block.text.splitlines()
    ):
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
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.c")
    for name in ("pipeline", "configs", "data"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    return folder


@pytest.fixture
def project(untouched: Path, tmp_path: Path) -> Path:
    """A copy for one test."""
    shutil.copytree(untouched, tmp_path / "project")
    return tmp_path / "project"


def add(project: Path, blocks: list[Block]) -> None:
    """Write the files of a section, and add its line to the end of its table, or its entry to the
    end of its file.
    """
    for block in (block for block in blocks if block.about):
        path = project / block.file
        if not block.is_addition:
            assert not path.exists(), f"{block.file} is there already"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            continue
        text = path.read_text(encoding="utf-8")
        if block.about.startswith("line of "):
            begins = rf"^{block.about.split()[2]}\b[^=\n]*= "
            lines = r"\{\n(?:[ #].*\n)*|Table\(\n    __(?:name|package)__,\n    \{\n(?: {8}.*\n)*"
            table = re.search(f"{begins}(?:{lines})", text, re.MULTILINE)
            assert table, f"{block.file} has no table {block.about.split()[2]}"
            text = text[: table.end()] + block.text + text[table.end() :]
        else:
            text += f"\n{block.text}"
        path.write_text(text, encoding="utf-8")


def changes(before: Path, after: Path) -> tuple[list[str], dict[str, list[str]]]:
    """Return which files of the package are new, and the changed lines of the others, with + and -."""
    new, changed = [], {}
    for path in sorted(file for file in (after / "pipeline").rglob("*") if file.is_file()):
        name = path.relative_to(after).as_posix()
        if not (before / name).exists():
            new.append(name)
        elif path.read_bytes() != (before / name).read_bytes():
            old, new_lines = (
                (folder / name).read_text(encoding="utf-8").splitlines()
                for folder in (before, after)
            )
            changed[name] = [line for line in difflib.ndiff(old, new_lines) if line[0] in "+-"]
    return new, changed


def call(project: Path, *asked: list[str]) -> list[str]:
    """Run commands in a Python that imports the copy; return what each of them printed on standard
    output.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GEC_PIPELINE")
    }
    environment |= {
        "PYTHONPATH": str(project),
        "PIPELINE_KERNEL": "python",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment |= {"GEC_PIPELINE_DATA": str(project.parent / "cache"), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER],
        input="\n".join("\t".join(words) for words in asked),
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return re.split(r"^\$ [0-9]+\n", done.stdout, flags=re.MULTILINE)[1:]


def try_out(project: Path, blocks: list[Block], *more: list[str]) -> list[str]:
    """Run the commands of a section, which print the lines that stand below them; return what more
    commands print.
    """
    asked = commands(blocks)
    printed = call(project, *(command.words for command in asked), *more)
    for command, text in zip(asked, printed, strict=False):
        lines = [line.rstrip() for line in text.splitlines()]
        missing = [
            line for line in command.printed if not any(shown.startswith(line) for shown in lines)
        ]
        assert missing == [], f"{' '.join(command.words)} printed\n{text}"
    return printed[len(asked) :]


IN_SCHEMA = {
    "A metric": '"const": "dice"',
    "A tokeniser": '"hyphens"',
    "A format of reports": '"rank_list"',
    "A plot": '"bars"',
    "A format of texts": '"BarsConfig"',
}


@pytest.mark.parametrize("title", [*IN_SCHEMA, "A command"])
def test_a_file_and_a_line_are_enough(title: str, untouched: Path, project: Path) -> None:
    blocks = section(title)
    add(project, blocks)
    new, changed = changes(untouched, project)
    assert new == [
        block.file for block in blocks if block.language == "python" and not block.is_addition
    ]
    assert len(new) == 1
    assert list(changed.values()) == [
        [f"+ {block.text.rstrip()}"] for block in blocks if block.is_addition
    ]
    assert len(changed) == 1
    schema, help_text = try_out(project, blocks, ["schema"], ["report", "--help"])
    assert IN_SCHEMA.get(title, "{") in schema
    if title in ("A format of reports", "A plot"):
        assert f"{IN_SCHEMA[title].strip(chr(34))}: " in " ".join(help_text.split())


def test_an_entry_is_enough_for_a_data_set_and_a_file_for_a_published_result(
    untouched: Path, project: Path
) -> None:
    blocks = section("A data set")
    add(project, blocks)
    new, changed = changes(untouched, project)
    assert (new, list(changed)) == ([], ["pipeline/data/datasets.yaml"])
    assert all(line.startswith("+") for line in changed["pipeline/data/datasets.yaml"])
    (listed,) = try_out(project, blocks, ["data", "list"])
    assert "three-lines" in listed
    recipe = section("A published result")
    add(project, recipe)
    assert changes(untouched, project) == ([block.file for block in recipe if block.about], changed)
    (listed,) = try_out(project, recipe, ["reproduce", "--list"])
    assert "three-lines" in listed


def test_what_is_new_is_not_there_before(untouched: Path) -> None:
    """Else the tests above could pass without the examples."""
    (schema,) = call(untouched, ["schema"])
    assert [text for text in IN_SCHEMA.values() if text in schema] == []
