"""The leader boards of the atlas: our score of each system beside what was printed, and how it compares with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..html.figures.bars import interval_axis, interval_bar, interval_scale
from ..html.page import as_yaml
from ..html.shell import PageTable, Row
from ..tables import percent
from ..tables.comparisons import is_significant, p_cell, settings_line, shown_interval, signed
from ..tables.ranked import size
from .citing import authors
from .timelines import Standing, progress_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...reproduction.leader_boards import Entrant, LeaderBoard
    from ...scoring.results import Comparison, Results, Score
    from ..html.figures.svg import Drawing

DIGITS = 2


class ScoredBoard(NamedTuple):
    """A leader board with the results of its run."""

    board: LeaderBoard
    config: dict[str, Any] | None
    """The config of the run; None where too little is here to run it."""
    results: Results | None
    message: str
    """Why it was not run, or an empty text."""


class BoardPart(NamedTuple):
    """A board as the page shows it."""

    name: str
    """The name of its element, for links."""
    title: str
    what: str
    facts: str
    """The size of the data set, and how intervals and tests were computed."""
    signature: str
    axis: Drawing | None
    titles: Sequence[str]
    """The titles of the cells of a row."""
    rows: Sequence[Row]
    printed: PageTable
    """Every printed score, with its recipe and settings."""
    progress: Drawing | None
    message: str
    config: str
    href: str
    """The address of the explorer of the run, or an empty text."""
    folder: str
    """The name of the run directory."""


TITLES = ("95% interval", "less the next", "p", "less the best", "p", "printed", "year", "first scored by")


def board_part(scored: ScoredBoard, href: str) -> BoardPart:
    """Return a board for the page; `href` is the address of its explorer, or an empty text."""
    board, results = scored.board, scored.results
    scores = sorted(results.scores, key=lambda score: score.rank) if results else []
    entrants = {entrant.name: entrant for entrant in board.entrants}
    where = interval_scale(scores) if scores else None
    rows = [
        Row(
            str(score.rank),
            score.system,
            percent(score.score, DIGITS),
            interval_bar(score, where) if where else None,
            [*_compared(results, scores, number), *_about(entrants[score.system])],
            score.rank == 1,
        )
        for number, score in enumerate(scores)
        if results
    ]
    shown = {score.system for score in scores}
    lacking = [entrant for entrant in board.entrants if entrant.name not in shown]
    rows += [Row("", entrant.name, "", None, [""] * 5 + _about(entrant)) for entrant in _by_printed(lacking)]
    return BoardPart(
        name=f"board-{board.name}",
        title=board.title,
        what=board.what,
        facts=_facts(results, board),
        signature=scores[0].metric if scores else board.metric,
        axis=interval_axis(where) if where else None,
        titles=TITLES,
        rows=rows,
        printed=_printed(board.entrants, {score.system: score for score in scores}),
        progress=progress_of(_standings(board.entrants, scores), board.title),
        message=scored.message,
        config=as_yaml(scored.config) if scored.config else "",
        href=href,
        folder=board.folder,
    )


def _facts(results: Results | None, board: LeaderBoard) -> str:
    if not results:
        return ""
    return f"{size(results.datasets[board.name])}; {settings_line(results.statistics or {})}"


def _compared(results: Results | None, scores: Sequence[Score], number: int) -> list[str]:
    """Return the cells of a system: its interval, and its differences from the next and from the best system."""
    score, boot = scores[number], scores[number].bootstrap
    if results is None:
        return ["-"] * 5
    cells = [shown_interval(boot.interval, DIGITS) if boot else "-"]
    tests = {(test.system, test.other): test for test in results.tests}
    for other in (scores[number + 1] if number + 1 < len(scores) else None, scores[0] if number else None):
        cells += _difference(results, tests, score, other) if other else ["-", "-"]
    return cells


def _difference(
    results: Results, tests: Mapping[tuple[str, str], Comparison], score: Score, other: Score
) -> tuple[str, str]:
    test = tests.get((score.system, other.system)) or tests.get((other.system, score.system))
    if test is None:
        return signed(score.score - other.score, DIGITS), "-"
    star = "*" if is_significant(test, results) else ""
    return signed(score.score - other.score, DIGITS) + star, p_cell(test, results)


def _about(entrant: Entrant) -> list[str]:
    """Return what was printed for a system with the settings of the board, its year, and who scored it first."""
    known = [printed for printed in entrant.printed if printed.published]
    own = list(dict.fromkeys(printed.value for printed in known if not printed.metric))
    others = list(dict.fromkeys(printed.value for printed in known if printed.metric))
    text = ", ".join(own) if own else f"({others[0]})" if others else "-"
    return [text, str(entrant.first.year or "-"), authors(entrant.first.publication)]


def _by_printed(entrants: Sequence[Entrant]) -> list[Entrant]:
    return sorted(entrants, key=lambda entrant: -_best_printed(entrant))


def _best_printed(entrant: Entrant) -> float:
    own = [float(printed.value) for printed in entrant.printed if not printed.metric]
    return max(own or [float(printed.value) for printed in entrant.printed])


def _printed(entrants: Sequence[Entrant], scores: Mapping[str, Score]) -> PageTable:
    """Return a row for each printed score."""
    rows = []
    for entrant in entrants:
        ours = percent(scores[entrant.name].score, 4) if entrant.name in scores else "-"
        for printed in entrant.printed:
            settings = (printed.metric or "as the board") + ("" if printed.published else "; not published")
            rows.append([entrant.name, printed.value, ours, settings, str(printed.year or "-"), printed.recipe])
    header = ["system", "printed", "ours, as the board", "settings of the print", "year", "result"]
    return PageTable(header, rows, left=(0, 3, 5))


def _standings(entrants: Sequence[Entrant], scores: Sequence[Score]) -> list[Standing]:
    """Return the systems that have a year: with our score and interval, or else with what was printed."""
    ours, standings = {score.system: score for score in scores}, []
    for entrant in entrants:
        year = entrant.first.year
        if year is None:
            continue
        score = ours.get(entrant.name)
        if score:
            bounds = score.bootstrap.interval if score.bootstrap else (score.score, score.score)
            standings.append(Standing(entrant.name, year, score.score, bounds, ours=True))
        else:
            value = _best_printed(entrant) / 100
            standings.append(Standing(entrant.name, year, value, (value, value), ours=False))
    return standings
