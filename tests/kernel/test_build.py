"""What a wheel and an sdist hold, and the code of the compiled kernel before it is compiled."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline import __version__
from tests.conftest import ROOT

PROJECT: dict[str, Any] = tomllib.loads(
    (ROOT / "pyproject.toml").read_text(encoding="utf-8")
)
NATIVE = sorted((ROOT / "pipeline").rglob("kernel/native"))
SOURCES = {".c", ".h", ".pxd", ".pyx"}
NOT_DATA = {".py", ".pyc", ".pyd", ".so"} | SOURCES
NEGATIVE = re.compile(r"\[[^\[\]]*(?<![\w)\] ])\s*-\s*\d+\]")


def is_packaged(name: str) -> bool:
    """Return whether a pattern of package data has a file, whose name is against the root."""
    for package, patterns in PROJECT["tool"]["setuptools"][
        "package-data"
    ].items():
        folder = package.replace(".", "/")
        if any(fnmatch(name, f"{folder}/{pattern}") for pattern in patterns):
            return True
    return False


def test_a_wheel_has_every_file_that_the_program_reads() -> None:
    files = [
        path
        for path in (ROOT / "pipeline").rglob("*")
        if path.is_file() and path.suffix not in NOT_DATA
    ]
    names = [path.relative_to(ROOT).as_posix() for path in files]
    assert len(names) > 30
    assert [name for name in names if not is_packaged(name)] == []


def test_a_wheel_has_no_sources_of_the_kernel_and_folders_of_data_are_no_packages() -> (
    None
):
    settings = PROJECT["tool"]["setuptools"]
    assert settings["include-package-data"] is False
    assert settings["packages"]["find"]["namespaces"] is False
    names = [
        path.relative_to(ROOT).as_posix()
        for folder in NATIVE
        for path in folder.iterdir()
        if path.suffix in SOURCES
    ]
    assert [name for name in names if is_packaged(name)] == []


@pytest.mark.parametrize(
    "name", ["CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md"]
)
def test_an_sdist_has_the_texts_about_the_project(name: str) -> None:
    included = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").split()
    assert name in included
    assert (ROOT / name).is_file()


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load(
        (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    )
    project = PROJECT["project"]
    assert citation["version"] == __version__
    assert citation["authors"] == project["authors"]
    assert (citation["title"], citation["abstract"]) == (
        project["name"],
        project["description"],
    )
    assert (citation["license"], citation["keywords"]) == (
        project["license"],
        project["keywords"],
    )
    assert citation.get("repository-code") == project.get("urls", {}).get(
        "Source"
    )


def test_pictures_have_whole_addresses_once_the_project_has_one() -> None:
    pictures = re.findall(
        r"!\[[^\]]*\]\(([^)]+)\)",
        (ROOT / "README.md").read_text(encoding="utf-8"),
    )
    if "urls" in PROJECT["project"]:
        assert [
            picture
            for picture in pictures
            if not picture.startswith("https://")
        ] == []


@pytest.mark.parametrize(
    "path",
    sorted((ROOT / "pipeline").rglob("kernel/native/*.pyx")),
    ids=lambda path: path.name,
)
def test_no_index_is_negative_where_that_is_undefined(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "wraparound=False" in text
    assert NEGATIVE.findall(text) == []


def test_negative_indices_are_seen() -> None:
    assert NEGATIVE.findall("a[-1] b[:-1] c[i - 1] d[n-1] e[i, -2]") == [
        "[-1]",
        "[:-1]",
        "[i, -2]",
    ]
