"""`gec-pipeline report RUN RUN2 ... --format board`: the page of leader boards of several runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...errors import InputError, StoreError, printable
from ..arguments import selection_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ...report.atlas.joined_runs import NamedRun
    from ...report.material import Material

IDLE = ("by", "tier", "plot", "type", "lines", "columns", "mean")
"""Arguments that have no effect on this form."""


def write_boards(args: argparse.Namespace) -> int:
    """Print the page, or write it to a file or folder."""
    from ...io.safe_files import write_atomic
    from ...report.atlas.own_boards import NAME, board_page

    _check(args)
    target = None if args.output in (None, "-") else Path(args.output)
    if target is not None and target.suffix != ".html":
        target = target / NAME
    runs, digits = _runs(args, target)
    text = board_page(runs, digits)
    if target is None:
        sys.stdout.write(text)
        return 0
    write_atomic(target, text)
    print(printable(f"written: {target}"), file=sys.stderr)
    return 0


def _check(args: argparse.Namespace) -> None:
    """Raise InputError where other arguments do not fit, a run comes twice, or a package is missing."""
    from ...report import unavailable

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


def _runs(args: argparse.Namespace, target: Path | None) -> tuple[list[NamedRun], int]:
    """Return the runs, limited to what is asked for, and how many digits scores have; raises StoreError for none."""
    from ...execution.store.remote_copy import folder_of
    from ...reopen import revisit
    from ...report.atlas.joined_runs import NamedRun

    folders = [folder_of(run) for run in (args.run, *args.more)]
    kept: list[tuple[Path, Material]] = []
    refused: StoreError | None = None
    for folder in folders:
        material = revisit(folder, args.digits, texts=False)
        try:
            kept.append((folder, _chosen(material, args)))
        except StoreError as error:  # this run has nothing of what is asked for
            refused = error
    if not kept:
        raise refused or StoreError("the runs have no scores")
    names = _names([folder for folder, _ in kept])
    runs = [
        NamedRun(name, material.results, _address(folder, target))
        for name, (folder, material) in zip(names, kept, strict=True)
    ]
    return runs, kept[0][1].digits


def _chosen(material: Material, args: argparse.Namespace) -> Material:
    from ...reopen import chosen

    if not material.results.scores:
        raise StoreError("the run has no scores")
    return chosen(material, selection_of(args))


def _names(folders: Sequence[Path]) -> list[str]:
    """Return the names of folders; where two are called the same, their whole paths as they were given."""
    names = [folder.resolve().name for folder in folders]
    return [str(folder) if names.count(name) > 1 else name for folder, name in zip(folders, names, strict=True)]


def _address(folder: Path, target: Path | None) -> str:
    """Return the address of a run's report.html, seen from the page; an empty text where there is none."""
    page = folder / "report.html"
    if target is None or not page.is_file():
        return ""
    return quote(os.path.relpath(page.resolve(), target.resolve().parent).replace(os.sep, "/"))
