"""Leader boards of published systems: our score of each beside what was printed."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote

from pipeline.extensions.human.json_objects import JsonObject
from pipeline.extensions.page.page import as_yaml
from pipeline.extensions.page.shell import Link, PageTable, Row
from pipeline.extensions.page.svg import (
    interval_axis,
    interval_bar,
    interval_scale,
)
from pipeline.report.tables import groups, percent, settings_line
from pipeline.scoring import Results, Score

from ..leader_boards import Entrant, LeaderBoard

DIGITS = 2
"""Decimals of a score."""
MAX_PRINTED = 2
"""Different printed scores of a system in its row."""
NOBODY = "in no publication"
NOT_RUN = "not run"
KINDS = {
    "exact": "good",
    "rounding": "good",
    "equal": "good",
    "tolerance": "near",
    "partly": "bad",
    "differs": "bad",
}
"""The class of the style sheet for a verdict; others have the class none."""
_YEAR = re.compile(r"(.+?),? ((?:19|20)[0-9]{2})")


class ScoredBoard(NamedTuple):
    """A leader board with the results of its run."""

    board: LeaderBoard
    config: JsonObject | None
    """The config of the run; None where too little is here to run it."""
    results: Results | None
    message: str
    """Why it was not run, or an empty text."""


def short_citation(publication: Mapping[str, Any]) -> str:
    """Return authors and year, such as "Ng et al. 2014"; where there is no year, all before the
    first colon.
    """
    citation = " ".join(publication.get("cite", "").split())
    text = citation.partition(":")[0]
    match = _YEAR.fullmatch(text)
    if not match:
        return text or NOBODY
    authors = re.split(r", | and ", match[1])
    names = " and ".join(authors)
    if len(authors) > 2:
        names = f"{authors[0]} et al."
    return f"{names} {match[2]}"


def board_part(scored: ScoredBoard, href: str) -> JsonObject:
    """Return a board for the template; `href` is the address of its explorer, or an empty text."""
    board = scored.board
    results = scored.results
    scores: list[Score] = []
    columns = Columns([], [])
    size_of = ""
    lines = 0
    if results:
        (group,) = groups(results)
        scores = list(group.scores)
        columns = Columns(
            *group.statistics_columns(DIGITS, rare=not board.family)
        )
        info = results.datasets[board.name]
        size_of = f"{info.size}; {settings_line(results)}"
        lines = info.lines
    # All systems of a family were scored first by the publication of the result.
    titles_of_entrant = (
        ["printed"] if board.family else ["printed", "first scored by"]
    )
    scale = interval_scale(scores) if scores else None
    ours = {score.system: score for score in scores}
    return {
        "name": f"board-{board.name}",
        "title": board.title,
        "what": board.what,
        "facts": size_of,
        "lines": lines,
        "signature": scores[0].metric if scores else board.metric,
        "axis": interval_axis(scale) if scale else None,
        "titles": [*columns.titles, *titles_of_entrant, *board.facts],
        "rows": _board_rows(board, scores, columns),
        "bare": bool(board.family),
        "printed": None if board.family else _printed(board.entrants, ours),
        "message": scored.message,
        "config": as_yaml(scored.config)
        if scored.config and not board.family
        else "",
        "href": href,
        "folder": board.folder,
    }


def _board_rows(
    board: LeaderBoard,
    scores: Sequence[Score],
    columns: "Columns",
) -> list[Row]:
    """Return the rows of a board: first the systems with a score of ours."""

    def about(entrant: Entrant) -> list[str]:
        """Return the cells of what is known of a system: what was printed, by whom, and the facts
        of the board.
        """
        cells = [_printed_scores(entrant)]
        if not board.family:
            cells.append(short_citation(entrant.first.publication))
        for texts in board.facts.values():
            cells.append(texts.get(entrant.name, "-"))
        return cells

    entrants = {entrant.name: entrant for entrant in board.entrants}
    scale = None
    if scores:
        scale = interval_scale(scores)
    rows = []
    for score, cells in zip(scores, columns.cells, strict=True):
        entrant = entrants.pop(score.system)
        rows.append(
            Row(
                str(score.rank),
                " = ".join(entrant.names),
                percent(score.score, DIGITS, score.metric),
                interval_bar(score, scale) if scale else None,
                [*cells, *about(entrant)],
                score.rank == 1,
                sha256=entrant.file.sha256,
            )
        )
    blank = [""] * len(columns.titles)
    for entrant in sorted(entrants.values(), key=_best_printed):
        cells = [*blank, *about(entrant)]
        rows.append(Row("", " = ".join(entrant.names), "", None, cells))
    return rows


class Columns(NamedTuple):
    """Further columns of a board."""

    titles: list[str]
    cells: list[list[str]]
    """A list for each score."""


def _best_printed(entrant: Entrant) -> tuple[bool, float]:
    """Return a key that sorts systems by their best printed score, first by the metric of the
    board.
    """
    keys = []
    for printed in entrant.printed:
        keys.append((bool(printed.metric), -float(printed.value)))
    return min(keys)


def family_tables(boards: Sequence[ScoredBoard]) -> dict[str, PageTable]:
    """Return a table for each file of several results with boards, such as a year: a row for each
    result.

    For each metric it has the best system, how many clusters of ranks there are, and how many
    systems cannot be told apart from the next one by the paired test."""
    families: dict[str, dict[str, list[ScoredBoard]]] = {}
    for scored in boards:
        board = scored.board
        if board.family and scored.results:
            results = families.setdefault(board.family, {})
            results.setdefault(board.result, []).append(scored)
    return {
        family: _family_table(results) for family, results in families.items()
    }


def _family_table(results: Mapping[str, Sequence[ScoredBoard]]) -> PageTable:
    metrics: dict[str, None] = {}
    for boards in results.values():
        for scored in boards:
            metrics[scored.board.title.rpartition(", ")[2]] = None
    titles = []
    for name in metrics:
        titles += [
            f"best by {name}",
            f"clusters by {name}",
            f"not told apart by {name}",
        ]
    rows: list[list[str | Link]] = []
    for result, boards in results.items():
        cells: list[str] = []
        best = set()
        for scored in boards:
            if scored.results:
                summary = _summary(scored.results)
                cells += summary
                best.add(summary.best)
        cells += ["-"] * (len(titles) - len(cells))
        systems = max(len(scored.board.entrants) for scored in boards)
        link = Link(result, f"#board-{quote(boards[0].board.name)}")
        is_same = "yes" if len(best) == 1 else "no"
        rows.append([link, str(systems), *cells, is_same])
    header = ["result", "systems", *titles, "same best"]
    return PageTable(header, rows, left=(0, 2, 5))


class Summary(NamedTuple):
    """A board in three texts."""

    best: str
    """The best system."""
    clusters: str
    """How many clusters there are."""
    neighbours: str
    """How many systems cannot be told apart from the next one, of how many."""


def _summary(results: Results) -> Summary:
    scores = sorted(results.scores, key=lambda score: score.rank)
    different = set()
    for test in results.tests:
        if results.is_significant(test):
            different.add(frozenset((test.system, test.other)))
    systems = [score.system for score in scores]
    neighbours = list(map(frozenset, pairwise(systems)))
    alike = sum(pair not in different for pair in neighbours)
    clusters = {score.bootstrap.cluster for score in scores if score.bootstrap}
    first = [score.system for score in scores if score.rank == 1]
    return Summary(
        best=" = ".join(first),
        clusters=str(len(clusters)),
        neighbours=f"{alike} of {len(neighbours)}",
    )


def _printed_scores(entrant: Entrant) -> str:
    """Return what was printed for a system with the settings of the board, or else with others, in
    brackets.
    """
    as_board: dict[str, None] = {}
    others: dict[str, None] = {}
    for printed in entrant.printed:
        if printed.published:
            (others if printed.metric else as_board)[printed.value] = None
    if not as_board:
        return f"({next(iter(others))})" if others else "-"
    text = ", ".join(list(as_board)[:MAX_PRINTED])
    if len(as_board) > MAX_PRINTED:  # below the board is a table of all
        text += f" and {len(as_board) - MAX_PRINTED} more"
    return text


def _printed(
    entrants: Sequence[Entrant], scores: Mapping[str, Score]
) -> PageTable:
    """Return a row for each printed score."""
    rows: list[list[str | Link]] = []
    for entrant in entrants:
        ours = "-"
        if entrant.name in scores:
            ours = percent(scores[entrant.name].score, 4)
        for printed in entrant.printed:
            settings = printed.metric or "as the board"
            if not printed.published:
                settings += "; not published"
            year = str(printed.year or "-")
            # On the same page.
            result = Link(printed.recipe, f"#result-{quote(printed.recipe)}")
            rows.append(
                [entrant.name, printed.value, ours, settings, year, result]
            )
    header = [
        "system",
        "printed",
        "ours, as the board",
        "settings of the print",
        "printed in",
        "result",
    ]
    return PageTable(header, rows, left=(0, 3, 5))
