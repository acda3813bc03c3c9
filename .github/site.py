"""What the site has beside the pages of pipeline/help. It is made of what is written elsewhere, when the site is built.

The README is the first page. The tutorials show what their commands print. The reference has every public name with its
docstring. The gallery has the plots and pages of the configs that ship with the project.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

import pipeline
from pipeline.cli import main
from pipeline.report import PLOTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
TUTORIALS = (
    "gec.md",
    "translation.md",
    "summarisation.md",
    "simplification.md",
    "datatotext.md",
)
RUNS = ("quickstart", "edits", "human", "summaries")
"""The configs of the gallery."""
LANGUAGES = {
    "bash": r"(gec-pipeline|pip|python3?|git|source|cat|\$|\.venv/|pytest|eval|export|sacrebleu) ?",
    "python": r"(import|from|for|def|with|class|assert|result|pipeline\.|@|>>>)",
    "yaml": r"([a-z_]+:(?!.* lines,)|- |# yaml)",
    "bibtex": r"@[a-z]+\{",
}
"""How the first line of a block of code begins, by the language that it is in."""
_built = tempfile.TemporaryDirectory()
SAMPLE = Path(_built.name) / "sample"


def call(*arguments: str) -> str:
    """Return what a command prints to standard output, in the folder of the sample."""
    printed, told = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(SAMPLE if SAMPLE.is_dir() else _built.name)
    try:
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(told),
        ):
            code = main(list(arguments))
    except SystemExit as error:
        code = int(error.code or 0)
    finally:
        os.chdir(before)
    if code:
        raise PluginError(
            f"gec-pipeline {shlex.join(arguments)}: exit code {code}: {told.getvalue()}"
        )
    return printed.getvalue()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and pictures that are in no file of pipeline/help."""
    os.environ["COLUMNS"] = "100"
    call("init", "--sample", str(SAMPLE))
    pages = {
        "changelog.md": (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    }
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    pages["index.md"] = re.sub(
        r"\]\((pipeline/help/|pipeline/extensions/[a-z]+/help/|\.github/)",
        "](",
        readme,
    )
    for path in (ROOT / "pipeline" / "extensions").glob("*/help/*.md"):
        files.append(File.generated(config, path.name, abs_src_path=str(path)))
    for picture in (ROOT / ".github" / "pictures").iterdir():
        files.append(
            File.generated(
                config, f"pictures/{picture.name}", abs_src_path=str(picture)
            )
        )
    names = [
        name
        for name in pipeline.__all__
        if name not in ("__version__", "compat", "errors", "rewards")
    ]
    modules = [
        f"::: pipeline.{name}\n" for name in ("compat", "errors", "rewards")
    ]
    pages["reference.md"] = "\n".join(
        [
            "# Python reference\n",
            *(f"::: {place(name)}\n" for name in names),
            *modules,
        ]
    )
    pages["gallery.md"] = "\n".join(gallery(files, config))
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def place(name: str) -> str:
    """Return where mkdocstrings finds a public name; one that an extension adds is found only where it is defined."""
    if name not in pipeline.ADDED:
        return f"pipeline.{name}"
    added = getattr(pipeline, name)
    return f"{added.__module__}.{added.__qualname__}"


def gallery(files: Files, config: MkDocsConfig) -> Iterator[str]:
    """Run the configs of the sample; add their plots and pages, and yield the lines of the page that shows them."""
    yield "# Gallery\n\nAll of it is made by `gec-pipeline report RUN --format plots html` of the sample's configs.\n"
    for name in RUNS:
        call("run", f"configs/{name}.yaml", "-q")
        call(
            "report",
            f"runs/{name}",
            "--format",
            "plots",
            "html",
            "--output",
            f"reports/{name}",
        )
        folder = SAMPLE / "reports" / name
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                place = f"gallery/{name}/{path.relative_to(folder).as_posix()}"
                files.append(
                    File.generated(config, place, abs_src_path=str(path))
                )
        yield f"## configs/{name}.yaml\n\n[The page of the run](gallery/{name}/report.html)\n"
        for path in sorted(folder.rglob("*.png")):
            about = PLOTS[path.name.partition(".")[0]].about
            yield f"![{name}: {about}](gallery/{name}/{path.relative_to(folder).as_posix()})\n\n*{about}*\n"


def on_page_markdown(
    markdown: str, page: Page, config: MkDocsConfig, files: Files
) -> str:
    """Return a page with its blocks of code in their languages, links between pages, and outputs of tutorials."""
    del config
    lines: list[str] = []
    for block, code in blocks(markdown):
        if code and page.file.src_uri != "reference.md":
            lines += [
                *fenced(block),
                *(outputs(block) if page.file.src_uri in TUTORIALS else ()),
            ]
        else:
            lines += [linked(line, page, files) for line in block]
    return "\n".join(lines) + "\n"


def blocks(markdown: str) -> Iterator[tuple[list[str], bool]]:
    """Yield the lines of a page in turns: text, and blocks of code, which are indented. Fenced blocks are text."""
    block: list[str] = []
    fence = was = lists = False
    for line in re.sub(
        r"^```(\w+) (.+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE
    ).splitlines():
        fence = fence != line.startswith("```")
        lists = bool(re.match(r"(- |[0-9]+\. )", line)) or (
            lists and (not line or line.startswith(" "))
        )
        code = (
            not fence
            and not lists
            and (line.startswith("    ") if line else was)
        )
        if code != was and block:
            yield block, was
            block = []
        block.append(line)
        was = code
    yield block, was


def fenced(block: list[str]) -> list[str]:
    """Return an indented block of code as one with fences and its language."""
    text = [line.removeprefix("    ") for line in block]
    while text and not text[-1]:
        text.pop()
    first = next(
        (line for line in text if line.strip() and not line.startswith("#")), ""
    )
    language = next(
        (name for name, begin in LANGUAGES.items() if re.match(begin, first)),
        "text",
    )
    return [f"```{language}", *text, "```", ""]


def outputs(block: list[str]) -> Iterator[str]:
    """Yield what the commands of a block print."""
    for line in "\n".join(block).replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["gec-pipeline"] and words[1] != "init":
            yield from [
                "```text",
                *call(*words[1:]).rstrip().splitlines(),
                "```",
                "",
            ]


def linked(line: str, page: Page, files: Files) -> str:
    """Return a line in which `help TOPIC` is a link to the page."""

    def link(match: re.Match[str]) -> str:
        known = files.get_file_from_path(f"{match[2]}.md")
        return (
            f"[{match[0]}]({match[2]}.md)"
            if known and known != page.file
            else match[0]
        )

    # shapes such as [R][L] are no references
    line = re.sub(r"(\[[A-Z]\])\[", r"\1\\[", line)
    return re.sub(r"(?<!\[)`((?:gec-pipeline )?help) ([a-z0-9]+)`", link, line)


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Delete the sample."""
    del config
    _built.cleanup()
