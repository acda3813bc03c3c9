"""Runs the leader boards that recipes make, and writes the page of all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...errors import InputError
from ...execution.options import Listener

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ...report.atlas.boards import ScoredBoard
    from ...report.terminal.progress import Bar
    from ...reproduction.published import Outcome


class _BoardListener(Listener):
    """The listener of a board's run. The bar keeps the title of the board, instead of the stages of the run."""

    def __init__(self, bar: Bar) -> None:
        self.bar = bar

    def progress(self, done: int, whole: int) -> None:
        """Show how many lines are counted."""
        self.bar.progress(done, whole)

    def testing(self, done: int, whole: int) -> None:
        """Show how many samples are done."""
        self.bar.testing(done, whole)


def score_boards(outcomes: Sequence[Outcome], folder: Path, bar: Bar) -> list[ScoredBoard]:
    """Return the leader boards of these outcomes. Each is scored by a run of its own in a folder, if its data is here.

    The run counts, scores and tests anew, so that all systems of a board have one signature. Boards that have neither
    scores nor anything printed are left out.
    """
    from ... import stages
    from ...config.tree import from_mapping
    from ...report.atlas.boards import ScoredBoard
    from ...reproduction.boards import boards

    scored = []
    for board in boards(outcomes):
        config, results, message = board.config(), None, "the outputs or the data set are not here"
        if config:
            bar.stage(board.title)
            try:
                job = stages.prepare(from_mapping(config))
                results = stages.run(job, folder / board.folder, listener=_BoardListener(bar))[1]
            except InputError as error:
                message = str(error)
        if results or any(printed.published for entrant in board.entrants for printed in entrant.printed):
            scored.append(ScoredBoard(board, config, results, "" if results else message))
    return scored


def write_atlas(outcomes: Sequence[Outcome], folder: Path, page: Path, bar: Bar) -> None:
    """Write the page of these outcomes, whose run directories are in a folder; run its leader boards there first."""
    from ...io.safe_files import write_atomic
    from ...report.atlas.page import atlas

    boards = score_boards(outcomes, folder, bar)
    bar.stage("writing the page")

    def explorer(name: str) -> str:
        """Return the address of the explorer of a run directory, seen from the page; "" where there is none."""
        target = folder / name / "report.html"
        if not target.is_file():
            return ""
        return quote(os.path.relpath(target.resolve(), page.resolve().parent).replace(os.sep, "/"))

    write_atomic(page, atlas(outcomes, boards, explorer))
