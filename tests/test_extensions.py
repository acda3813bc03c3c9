"""The rules for extensions: which way imports go, and that the core names none of them."""

from __future__ import annotations

import ast
import json
import re
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline import extension
from pipeline.cli.commands import help as help_command
from pipeline.data.config import load, models
from pipeline.errors import ConfigError, InputError, Problem
from pipeline.extension import GROUP, Extension, installed, missing_extension
from pipeline.lookup import Table
from pipeline.metrics import METRICS
from tests.conftest import ROOT
from tests.tools.alone import WHOLE_PROGRAM, with_needs
from tests.tools.extension_names import extension_names

PACKAGE = ROOT / "pipeline"
FOLDER = PACKAGE / "extensions"
OWN = sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the whole names of the modules of the package that a file imports."""
    package = list(path.relative_to(ROOT).parent.parts)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                package[: len(package) - node.level + 1] if node.level else []
            )
            module = node.module.split(".") if node.module else []
            yield ".".join([*base, *module])


def files_of_the_core() -> list[Path]:
    return [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if FOLDER not in path.parents
    ]


def test_imports_are_seen() -> None:
    """By reading: else the tests below could pass because no import is found."""
    assert "pipeline.data.config" in imported_modules(
        PACKAGE / "cli" / "commands" / "init.py"
    )


def test_the_core_imports_no_extension() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files_of_the_core()
        for name in imported_modules(path)
        if name.startswith("pipeline.extensions")
    ]
    assert wrong == []


def test_the_core_names_no_module_of_an_extension() -> None:
    pattern = re.compile(r"extensions[./](\w+)")
    wrong = []
    for path in files_of_the_core():
        for name in pattern.findall(path.read_text("utf-8")):
            if name in OWN:
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    assert wrong == []


@pytest.mark.parametrize("name", OWN)
def test_an_extension_imports_only_extensions_that_it_needs(name: str) -> None:
    declared_by = installed()[name]
    declared = {name, *declared_by.needs, *declared_by.works_with}
    wrong = []
    for path in sorted((FOLDER / name).rglob("*.py")):
        for module in imported_modules(path):
            parts = module.split(".")
            other = (
                parts[2]
                if parts[:2] == ["pipeline", "extensions"] and parts[2:]
                else name
            )
            if other not in declared:
                wrong.append(f"{path.relative_to(ROOT)}: {module}")
    assert wrong == []


TOOLS = ("bench", "oracles", "tools")
"""Folders of tests/ with programs and helpers that may use every extension."""


def test_tests_of_the_core_import_no_extension() -> None:
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        folder = path.relative_to(ROOT / "tests").parts[0]
        if folder in ("extensions", *TOOLS) or file in WHOLE_PROGRAM:
            continue
        for name in imported_modules(path):
            if name.startswith(("pipeline.extensions", "tests.extensions")):
                wrong.append(f"{file}: {name}")
    assert wrong == []


@pytest.mark.parametrize("name", OWN)
def test_tests_of_an_extension_import_only_extensions_that_are_declared(
    name: str,
) -> None:
    """Which a file of tests needs beside the extension's own `needs` is declared in conftest.py."""
    conftest = pytest.importorskip("tests.extensions.conftest")
    declared = conftest.EXTENSIONS_OF_TESTS
    wrong = []
    for path in sorted((ROOT / "tests" / "extensions" / name).rglob("*.py")):
        file = path.relative_to(ROOT / "tests" / "extensions").as_posix()
        allowed = with_needs({name, *declared.get(file, ())} & set(OWN))
        for module in imported_modules(path):
            parts = module.split(".")
            if (
                parts[1:2] == ["extensions"]
                and set(parts[2:3]) & set(OWN) - allowed
            ):
                wrong.append(f"{file}: {module}")
    assert wrong == []


@pytest.mark.parametrize("name", OWN)
def test_everything_that_an_extension_names_is_there(name: str) -> None:
    values = installed()[name]
    kinds = (
        "metrics",
        "tokenizers",
        "text_formats",
        "report_formats",
        "plots",
        "names",
    )
    for kind in (*kinds, "agreement_statistics", "config_sections"):
        for reference in getattr(values, kind).values():
            assert values.load(reference) is not None
    for reference in (*values.stages, *values.report_tables):
        assert values.load(reference) is not None
    for command in values.commands.values():
        assert values.module(command.module).run
        for reference in command.completions.values():
            assert values.load(reference) is not None
    assert (
        not values.help_folder or (values.folder / values.help_folder).is_dir()
    )


def test_the_file_of_names_is_what_the_extensions_say() -> None:
    """It is written by `python -m tests.tools.extension_names > pipeline/extension_names.json`."""
    if (
        sorted(
            set().union(
                *(
                    set(names.values())
                    for names in extension.known_names().values()
                )
            )
        )
        != OWN
    ):
        pytest.skip("an extension is deleted")
    text = (PACKAGE / "extension_names.json").read_text("utf-8")
    assert json.loads(text) == json.loads(extension_names())


class EntryPoint:
    """An entry point that gives an object, or raises an error."""

    def __init__(self, name: str, result: object) -> None:
        self.name = name
        self.module = f"package_of_{name}"
        self.result = result

    def load(self) -> object:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The entry points that the program finds; a test puts its own in."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(
        "importlib.metadata.entry_points",
        lambda group: points if group == GROUP else [],
    )
    installed.cache_clear()
    yield points
    installed.cache_clear()


def test_an_extension_of_another_package_adds_to_a_table(
    entry_points: list[EntryPoint],
) -> None:
    added = Extension(
        name="mine",
        about="mine",
        package="json",
        metrics={"decoder": "decoder:JSONDecoder"},
    )
    entry_points.append(EntryPoint("mine", added))
    table: Table[type] = Table("pipeline", {"own": dict}, kind="metrics")
    assert list(table) == ["own", "decoder"]
    assert table["decoder"] is json.JSONDecoder
    assert "decoder" in table
    assert "encoder" not in table


def test_an_extension_whose_folder_is_deleted_is_left_out(
    entry_points: list[EntryPoint],
) -> None:
    gone = ModuleNotFoundError(
        "No module named 'package_of_gone'", name="package_of_gone"
    )
    entry_points.append(EntryPoint("gone", gone))
    assert installed() == {}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (
            ModuleNotFoundError("No module named 'x'", name="x"),
            "No module named 'x'",
        ),
        (ZeroDivisionError("by zero"), "by zero"),
        ("text", "is no Extension, but a str"),
    ],
)
def test_an_extension_that_does_not_load_is_one_message(
    result: object, message: str, entry_points: list[EntryPoint]
) -> None:
    entry_points.append(EntryPoint("broken", result))
    with pytest.raises(ConfigError, match=f"broken.*{message}"):
        installed()


def test_a_name_of_an_extension_that_is_not_installed_names_it(
    entry_points: list[EntryPoint],
) -> None:
    assert entry_points == []
    assert missing_extension("metrics", "m2") == (
        "'m2' is part of the extension edits, which is not installed"
    )
    assert missing_extension("metrics", "nonsense") == ""


def test_a_section_of_an_extension_that_is_not_installed_names_it(
    entry_points: list[EntryPoint],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert entry_points == []
    monkeypatch.setattr(
        models, "SECTIONS", Table("pipeline", {}, kind="config_sections")
    )
    # The table remembers what is installed: later tests need it as it was.
    monkeypatch.setattr(load, "TEXT_FORMATS", {})
    config = tmp_path / "config.yaml"
    config.write_text("human: {file: people.csv}\n", "utf-8")
    problems: list[Problem] = []
    load.load_config(config, (), problems)
    messages = [problem.message for problem in problems]
    assert (
        "human: 'human' is part of the extension human, which is not installed"
        in messages
    )


def test_a_page_of_an_extension_that_is_not_installed_names_it(
    entry_points: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert entry_points == []
    # The table remembers what is installed: later tests need it as it was.
    monkeypatch.setattr(METRICS, "_added", {})
    message = (
        "'plugins' is part of the extension functions, which is not installed"
    )
    with pytest.raises(InputError, match=message):
        help_command.run(Namespace(topic="plugins", no_pager=True))


def test_a_config_without_sections_of_extensions_looks_for_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unexpected() -> None:
        raise AssertionError("extensions were looked for")

    monkeypatch.setattr("pipeline.lookup.contributions", unexpected)
    monkeypatch.setattr(
        models, "SECTIONS", Table("pipeline", {}, kind="config_sections")
    )
    monkeypatch.setattr(load, "TEXT_FORMATS", {})
    config = ROOT / "configs" / "quickstart.yaml"
    problems: list[Problem] = []
    loaded = load.load_config(config, (), problems)
    assert problems == []
    assert loaded.config
    assert loaded.config.sections == ()
