"""`gec-pipeline report RUN RUN2 ... --format board`: the page of leader boards of several runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..errors import InputError, StoreError, printable
from .arguments import selection_of

if TYPE_CHECKING:
    import argparse

IDLE = ("by", "tier", "plot", "type", "lines", "columns", "mean")
"""Arguments that have no effect on this form."""


def write_boards(args: argparse.Namespace) -> int:
    """Print the page, or write it to a file or folder. A run without what is asked for is left out.

    Raises InputError where other arguments do not fit, a run comes twice, or a package is missing, and StoreError where
    no run has scores.
    """
    from ..execution.store.run_directory import folder_of
    from ..io.safe_files import write_atomic
    from ..reopen import chosen, revisit
    from ..report import unavailable
    from ..report.reproduction.own_runs import NAME, NamedRun, board_page

    if len(set(args.format)) > 1:
        raise InputError("--format board: is a page of its own; leave the other forms out")
    for name in IDLE:
        if getattr(args, name) not in (None, [], False):
            raise InputError(f"--{name}: has no effect on --format board")
    named = [args.run, *args.more]
    twice = [run for number, run in enumerate(named) if run in named[:number]]
    if twice:
        raise InputError(f"{twice[0]}: the run is named twice")
    if lacking := unavailable(["html"]):
        raise InputError(lacking[0].replace("html:", "board:", 1))
    target = None if args.output in (None, "-") else Path(args.output)
    if target is not None and target.suffix != ".html":
        target = target / NAME
    kept, refused = [], StoreError("the runs have no scores")
    for folder in [folder_of(run) for run in named]:
        material = revisit(folder, args.digits, texts=False)
        try:
            if not material.results.scores:
                raise StoreError("the run has no scores")
            kept.append((folder, chosen(material, selection_of(args))))
        except StoreError as error:
            refused = error
    if not kept:
        raise refused
    short = [folder.resolve().name for folder, _ in kept]
    runs = []
    for (folder, material), name in zip(kept, short, strict=True):
        page, address = folder / "report.html", ""
        if target is not None and page.is_file():  # its address as it is seen from this page
            address = relative_address(page, target)
        runs.append(NamedRun(str(folder) if short.count(name) > 1 else name, material.results, address))
    text = board_page(runs, kept[0][1].digits)
    if target is None:
        sys.stdout.write(text)
    else:
        write_atomic(target, text)
        print(printable(f"written: {target}"), file=sys.stderr)
    return 0


def relative_address(target: Path, page: Path) -> str:
    """Return the address of a file as it is seen from a page."""
    return quote(os.path.relpath(target.resolve(), page.resolve().parent).replace(os.sep, "/"))
