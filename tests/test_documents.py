"""README.md, CONTRIBUTING.md and the pages of `gec-pipeline help`: what they name is there."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from pipeline.extensions.published.recipe import recipes
from tests.bench.__main__ import ROWS
from tests.conftest import ROOT, gec_pipeline

PACKAGE = ROOT / "pipeline"
PAGES = {
    path.name: path
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *PACKAGE.glob("help/*.md"),
        *PACKAGE.glob("extensions/*/help/*.md"),
    )
}
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TOPS = {
    path.name
    for folder in (ROOT, PACKAGE)
    for path in folder.iterdir()
    if path.is_dir()
} - {
    "runs",
    "data",
}
"""Folders in which a path has to exist. Those of a user's own files may have any names."""
TIMES = "# How fast it is, and how to measure it"
WALK = "## A sentence pair, from YAML to table"


def named_paths(text: str) -> set[str]:
    """Return the files and folders of the project that a page names: `room/file.py`, `file.py`,
    `room/`.
    """
    spans = re.findall(r"`([A-Za-z0-9_./-]+)`", FENCED.sub("", text))
    return {
        span
        for span in spans
        if span.endswith(".py") or ("/" in span and span.split("/")[0] in TOPS)
    }


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_path_is_one_of_the_project(name: str) -> None:
    paths = named_paths(PAGES[name].read_text("utf-8"))
    assert [
        path
        for path in sorted(paths)
        if not (ROOT / path).exists() and not (PACKAGE / path).exists()
    ] == []


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_module_that_is_run_is_there(name: str) -> None:
    modules = re.findall(
        r"python\s+-m\s+(tests[a-z_.]*[a-z_])",
        PAGES[name].read_text("utf-8"),
    )
    paths = [module.replace(".", "/") for module in modules]
    files = [
        {ROOT / f"{path}.py", ROOT / path / "__main__.py"} for path in paths
    ]
    assert [
        path
        for path, either in zip(paths, files, strict=True)
        if not any(file.is_file() for file in either)
    ] == []


def test_the_paths_that_are_looked_for_would_be_found() -> None:
    assert named_paths(
        "`pipeline/stages.py`, `kernel/`, `s3://a/b`, `runs/a`, `a.txt`, `no.py`"
    ) == {
        "pipeline/stages.py",
        "kernel/",
        "no.py",
    }


def steps() -> list[tuple[str, str]]:
    """Return the file and the first name of each step of the way of a sentence pair."""
    text = (
        (PACKAGE / "help" / "extending.md")
        .read_text("utf-8")
        .partition(WALK)[2]
        .partition("\n## ")[0]
    )
    named: list[tuple[str, str]] = re.findall(
        r"^[0-9]+\. `([a-z0-9_/]+\.py)`: `(\w+)`", text, re.MULTILINE
    )
    assert len(named) == len(re.findall(r"^[0-9]+\. ", text, re.MULTILINE))
    return named


@pytest.mark.parametrize(("file", "name"), steps())
def test_the_way_of_a_sentence_pair_names_what_is_there(
    file: str, name: str
) -> None:
    text = (PACKAGE / file).read_text("utf-8")
    assert re.search(
        rf"^(def|class) {name}\b|^{name}\b.*=", text, re.MULTILINE
    ), f"{file} has no {name}"


def rows(page: str, title: str) -> list[list[str]]:
    """Return the cells of the rows of the first table of a section, without its header."""
    text = (
        PAGES[page]
        .read_text("utf-8")
        .partition(f"{title}\n")[2]
        .partition("\n## ")[0]
    )
    table = text.partition("\n|")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def test_the_readme_has_three_rows_of_the_long_tables() -> None:
    published, timed = (
        rows("reproduce.md", "## What the recipes gave"),
        rows("speed.md", TIMES),
    )
    displayed = (
        rows("README.md", "## Published numbers, reproduced"),
        rows("README.md", "## Speed"),
    )
    assert [len(table) for table in displayed] == [3, 3]
    assert [row for row in displayed[0] if row not in published] == []
    assert [
        row for row in displayed[1] if row not in [long[:4] for long in timed]
    ] == []


def test_help_reproduce_names_every_result_with_its_verdict() -> None:
    results, text = recipes(), PAGES["reproduce.md"].read_text("utf-8")
    gave = {
        row[0]: row[3]
        for row in rows("reproduce.md", "## What the recipes gave")
    }
    assert {name: results[name].publication["verdict"] for name in gave} == gave
    reported = {
        name
        for name, one in results.items()
        if f"`{name}`" in text or f"`{one.family}`" in text
    }
    assert [
        name for name in results if name not in gave and name not in reported
    ] == []


def test_every_row_of_help_speed_can_be_measured() -> None:
    last = {row[-1] for row in rows("speed.md", TIMES)}
    assert len(last) > 5
    assert last <= set(ROWS)


def test_every_topic_is_linked_from_the_readme() -> None:
    text = PAGES["README.md"].read_text("utf-8")
    linked = set(
        re.findall(
            r"\]\(pipeline/(?:extensions/[a-z]+/)?help/([a-z0-9]+\.md)\)", text
        )
    )
    assert linked == set(PAGES) - {"README.md", "CONTRIBUTING.md"}


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)]+)\)", PAGES["README.md"].read_text("utf-8"))
    assert [
        link
        for link in links
        if "://" not in link and not (ROOT / link).is_file()
    ] == []


TUTORIALS = (
    "gec",
    "translation",
    "summarisation",
    "simplification",
    "datatotext",
)


def commands_of(page: str) -> list[list[str]]:
    """Return the commands of a tutorial, in their order."""
    text = PAGES[f"{page}.md"].read_text("utf-8").replace("\\\n", " ")
    return [
        shlex.split(line)
        for line in re.findall(r"^    gec-pipeline (.*)", text, re.MULTILINE)
    ]


@pytest.mark.parametrize("page", TUTORIALS)
def test_the_commands_of_a_tutorial_run_in_the_sample(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert gec_pipeline("init --sample sample") == 0
    monkeypatch.chdir("sample")
    assert len(commands_of(page)) > 1
    for line in commands_of(page):
        assert gec_pipeline(*line) == 0, line
    assert "error" not in capsys.readouterr().err


def test_the_site_has_every_page() -> None:
    """mkdocs refuses what is not there, and its --strict what is left out; neither runs here."""
    nav = yaml.safe_load((ROOT / ".github" / "site.yml").read_text("utf-8"))[
        "nav"
    ]
    sections = [
        pages
        for entry in nav
        if isinstance(entry, dict)
        for pages in entry.values()
        if isinstance(pages, list)
    ]
    listed = {page for pages in sections for page in pages}
    assert listed - {"gallery.md", "changelog.md"} == {
        name for name in PAGES if name not in ("README.md", "CONTRIBUTING.md")
    }


def test_all_has_every_extra_but_clusters_and_tools() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]["optional-dependencies"]

    def closure(name: str) -> set[str]:
        values = re.fullmatch(r"gec-pipeline\[(.+)\]", name)
        texts = (
            [text for extra in values[1].split(",") for text in extras[extra]]
            if values
            else []
        )
        return (
            {one for text in texts for one in closure(text)}
            if values
            else {name}
        )

    complete = {one for text in extras["all"] for one in closure(text)}
    left_out = {
        "all",
        "comet",
        "dask",
        "neural",
        "ray",
        "spark",
        "bench",
        "site",
        "test",
    }  # packages of gigabytes, too
    missing = {
        name: [text for text in texts if not closure(text) <= complete]
        for name, texts in extras.items()
    }
    assert {name for name, texts in missing.items() if texts} == left_out - {
        "all"
    }
