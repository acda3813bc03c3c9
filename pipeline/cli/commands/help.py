"""Read about a topic. A word that is no topic is looked for on all pages, and the lines that have
it are printed.

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

import yaml

from ...errors import InputError, did_you_mean
from ...report.terminal.printing import as_shown, console, print_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", nargs="?", help="a topic; without one, the list of topics")
    meaning = "print a page that is longer than the terminal at once, not in $PAGER"
    parser.add_argument("--no-pager", action="store_true", help=meaning)


def run(args: argparse.Namespace) -> None:
    """Print the page of a topic: formatted on a terminal, and as Markdown elsewhere."""
    folder = resources.files("pipeline") / "help"
    pages = {
        item.name.removesuffix(".md"): item
        for item in folder.iterdir()
        if item.name.endswith(".md")
    }
    if args.topic is None:
        width = max(map(len, pages))
        for name, page in sorted(pages.items()):
            title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
            print_text(f"{name:<{width}} {title}")
        return
    covered = yaml.safe_load((folder / "topics.yaml").read_text(encoding="utf-8"))
    also = {topic: page for page, topics in covered.items() for topic in topics}
    if args.topic not in pages:
        from ...metrics import METRICS

        also = {
            name: metric.help_page for name, metric in METRICS.items() if metric.help_page
        } | also
    topic = also.get(args.topic, args.topic)
    if topic not in pages:  # then the lines of all pages that have the word are printed
        wanted = re.compile(rf"(?<!\w){re.escape(args.topic)}", re.IGNORECASE)
        each = (
            (name, line)
            for name in sorted(pages)
            for line in pages[name].read_text("utf-8").splitlines()
        )
        if lines := [f"{name}: {line.strip('# ')}" for name, line in each if wanted.search(line)]:
            print("\n".join(lines))
            return
        hint = did_you_mean(args.topic, [*pages, *also])
        raise InputError(f"no help on '{args.topic}'{hint}; topics: {', '.join(sorted(pages))}")
    text = pages[topic].read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.markdown import Markdown

    screen, drawing = console(), Markdown(as_shown(text))
    with screen.capture() as drawn:
        screen.print(drawing)
    if not args.no_pager and drawn.get().count("\n") >= screen.height:
        os.environ.setdefault(
            "LESS", "-FRX"
        )  # less shows colours, and leaves the page on the screen
        with screen.pager(styles=True, links=True):
            screen.print(drawing)
    else:
        screen.print(drawing)
