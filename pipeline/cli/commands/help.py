"""Read about a topic. For another word, print the lines of all pages that have it.

examples:
  gec-pipeline help
  gec-pipeline help config
  gec-pipeline help config --no-pager
  gec-pipeline help Cohen
"""

import argparse
import os
import re
import sys
from importlib import resources
from pathlib import Path

import yaml

from ...errors import InputError, did_you_mean
from ...extension import installed, missing_extension
from ...report.terminal import as_printed, console, print_text


def help_folders() -> list[Path]:
    """Return the folders with help pages: that of the core, then those of extensions."""
    folders = [Path(str(resources.files("pipeline"))) / "help"]
    for extension in installed().values():
        if extension.help_folder:
            folders.append(extension.folder / extension.help_folder)
    return folders


def help_pages() -> dict[str, Path]:
    """Return the files of all help pages by their topics."""
    pages: dict[str, Path] = {}
    for folder in help_folders():
        for path in sorted(folder.glob("*.md")):
            pages.setdefault(path.stem, path)
    return pages


def covered_topics() -> dict[str, str]:
    """Return the topics without a page of their own, each with the page that covers it."""
    covered = {}
    for folder in help_folders():
        file = folder / "topics.yaml"
        if not file.exists():
            continue
        for page, topics in yaml.safe_load(
            file.read_text(encoding="utf-8")
        ).items():
            for topic in topics:
                covered[topic] = page
    return covered


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic", nargs="?", help="a topic; without one, the list of topics"
    )
    meaning = (
        "print a page that is longer than the terminal at once, not in $PAGER"
    )
    parser.add_argument("--no-pager", action="store_true", help=meaning)


def run(args: argparse.Namespace) -> None:
    """Print the page of a topic: formatted on a terminal, and as Markdown elsewhere."""
    pages = help_pages()
    if args.topic is None:
        width = max(map(len, pages))
        for name, page in sorted(pages.items()):
            title = (
                page.read_text(encoding="utf-8")
                .splitlines()[0]
                .removeprefix("# ")
            )
            print_text(f"{name:<{width}} {title}")
        return
    covered = covered_topics()
    if args.topic not in pages:
        from ...metrics import METRICS

        for name, metric in METRICS.items():
            if metric.help_page:
                covered.setdefault(name, metric.help_page)
    topic = covered.get(args.topic, args.topic)
    if topic in pages:
        _print_page(
            pages[topic].read_text(encoding="utf-8"),
            use_pager=not args.no_pager,
        )
        return
    missing = missing_extension("help_pages", topic)
    if missing:
        raise InputError(missing)
    word = re.compile(rf"(?<!\w){re.escape(args.topic)}", re.IGNORECASE)
    lines = []
    for name, page in sorted(pages.items()):
        for line in page.read_text(encoding="utf-8").splitlines():
            if word.search(line):
                lines.append(f"{name}: {line.strip('# ')}")
    if not lines:
        hint = did_you_mean(args.topic, [*pages, *covered])
        raise InputError(
            f"no help on '{args.topic}'{hint}; topics: {', '.join(sorted(pages))}"
        )
    print("\n".join(lines))


def _print_page(text: str, *, use_pager: bool) -> None:
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.markdown import Markdown

    screen = console()
    page = Markdown(as_printed(text))
    with screen.capture() as capture:
        screen.print(page)
    if use_pager and capture.get().count("\n") >= screen.height:
        # With these options less shows colours, and leaves the page on the screen.
        os.environ.setdefault("LESS", "-FRX")
        with screen.pager(styles=True, links=True):
            screen.print(page)
    else:
        screen.print(page)
