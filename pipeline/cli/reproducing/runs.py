"""Runs recipes of published results, and the leader boards that their outputs make."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...errors import InputError
from ...execution.listener import SILENT, Listener
from ...reproduction.published import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ...report.atlas.boards import ScoredBoard
    from ...reproduction.published import Recipe
    from ...scoring.results import Results
    from ..progress import Bar


class RecipeListener(Listener):
    """The listener of a recipe's run. The bar keeps the name of the recipe, instead of the stages of the run."""

    def __init__(self, bar: Bar, *, slow: bool = False) -> None:
        self.bar, self.slow = bar, slow

    def progress(self, done: int, whole: int) -> None:
        """Show how many lines are counted."""
        self.bar.progress(done, whole)

    def testing(self, done: int, whole: int) -> None:
        """Show how many samples are done; in a slow recipe, how many matches of TrueSkill."""
        (self.bar.matches if self.slow else self.bar.testing)(done, whole)

    def tell(self, text: str) -> None:
        """Print what a user should know at once."""
        self.bar.tell(text)


def reproduce(recipe: Recipe, folder: Path, listener: Listener = SILENT) -> Outcome:
    """Return the outcome of a recipe, run in a folder. Its message says why a recipe could not be run."""
    from ... import stages

    lacking = recipe.lacking()
    if lacking:
        sets = " ".join(dict.fromkeys(file.dataset for file in lacking))
        count = "1 file is" if len(lacking) == 1 else f"{len(lacking)} files are"
        return Outcome(recipe=recipe, expectations=None, message=f"{count} not here: gec-pipeline data fetch {sets}")
    started = time.perf_counter()
    try:
        results: Results = stages.run(stages.prepare(recipe.path), folder / recipe.name, listener=listener)[1]
    except InputError as error:
        return Outcome(recipe=recipe, expectations=None, message=str(error), seconds=time.perf_counter() - started)
    seconds = time.perf_counter() - started
    signatures = list(dict.fromkeys(score.metric for score in results.scores))
    message = "; ".join(map(str, results.missing))
    return Outcome(
        recipe=recipe,
        expectations=results.expectations,
        message=message,
        signatures=signatures,
        warnings=results.warnings,
        seconds=seconds,
    )


def score_boards(outcomes: Sequence[Outcome], folder: Path, bar: Bar) -> list[ScoredBoard]:
    """Return the leader boards of these outcomes. Each is scored by a run of its own in a folder, if its data is here.

    The run counts, scores and tests anew, so that all systems of a board have one signature.
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
                results = stages.run(job, folder / board.folder, listener=RecipeListener(bar))[1]
            except InputError as error:
                message = str(error)
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
